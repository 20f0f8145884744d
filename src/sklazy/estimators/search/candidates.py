"""Candidates of a race: parameter settings, and attribute sets to start with."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import ParameterGrid, ParameterSampler

from sklazy.errors import BadInputError
from sklazy.estimators.parameters import MOST_MADE, check_count
from sklazy.racing.masks import read_mask
from sklazy.racing.starts import (
    correlation_ranking,
    gram_schmidt_ranking,
    quadratic_ranking,
    random_sets,
    sets_of_ranking,
)
from sklazy.tables import Table

Floats = NDArray[np.float64]
Space = Mapping[str, Any] | Iterable[Mapping[str, Any]]

N_DRAWN = 10  # as RandomizedSearchCV

_MOST_FOR_ALL = 12  # attributes whose sets can all be raced at once: 4095 sets
_LARGEST_START = 20  # attributes in a set to start with, at most
_HALVING = 20  # ranks over which the weight of an attribute halves


def parameter_candidates(
    space: Space,
    n_iter: int | None,
    random_state: int | np.random.RandomState | None,
) -> list[dict[str, Any]]:
    """List the settings: all of a grid, or `n_iter` drawn from distributions."""
    grids = [space] if isinstance(space, Mapping) else list(space)
    drawn = any(hasattr(values, "rvs") for grid in grids for values in grid.values())
    if n_iter is None and not drawn:
        return list(ParameterGrid(grids))
    count = N_DRAWN if n_iter is None else n_iter
    return list(ParameterSampler(grids, count, random_state=random_state))


class FilterData(NamedTuple):
    """The data as numbers, one row a sample, for filters that rank attributes."""

    columns: Floats
    target: Floats

    @property
    def n_attributes(self) -> int:
        """The number of columns."""
        return self.columns.shape[1]


def filter_data(table: Table, target: Floats) -> FilterData:
    """Numbers unchanged; a category becomes the mean target of its rows."""
    columns = np.empty((table.n_rows, len(table.columns)))
    for j, column in enumerate(table):
        if column.kind == "numeric":
            columns[:, j] = column.data
        else:
            columns[:, j] = _category_means(column.data, target.mean(axis=1))
    return FilterData(columns, target)


def _category_means(codes: NDArray[np.int32], target: Floats) -> Floats:
    known = codes >= 0
    sums = np.bincount(codes[known], weights=target[known])
    counts = np.bincount(codes[known])
    means = sums / np.maximum(counts, 1)
    return np.where(known, np.append(means, np.nan)[codes], np.nan)


def start_sets(
    start: object, n_start: int, data: FilterData, rng: np.random.Generator
) -> list[int]:
    """Return the sets to start with, by the name of a method or as given."""
    most = min(data.n_attributes, _LARGEST_START)
    check_count("n_start", n_start, most=MOST_MADE)
    if isinstance(start, str):
        if start == "random":
            return random_sets(data.n_attributes, n_start, rng, most)
        if start == "all":
            return _all_sets(data.n_attributes)
        rankings = {
            "gram-schmidt": gram_schmidt_ranking,
            "pearson": correlation_ranking,
        }
        if start not in rankings:
            raise BadInputError(
                f"start={start!r} is not known; give 'random', 'all', "
                f"{', '.join(map(repr, rankings))}, or sets of columns."
            )
        return sets_of_ranking(rankings[start](*data, most), n_start, rng)
    if not isinstance(start, Sequence | np.ndarray) or len(start) == 0:
        raise BadInputError(
            f"start={start!r}; expected a name, or a list of sets of columns."
        )
    return list(dict.fromkeys(read_mask(one, data.n_attributes) for one in start))


def _all_sets(n_attributes: int) -> list[int]:
    """Every set but the empty one, as bit masks."""
    if n_attributes > _MOST_FOR_ALL:
        raise BadInputError(
            f"start='all' races every set of {n_attributes} attributes; expected at "
            f"most {_MOST_FOR_ALL}. Use start='gram-schmidt' or 'random'."
        )
    return list(range(1, 1 << n_attributes))


def drawing_weights(data: FilterData) -> Floats:
    """Weights by which attributes are drawn, halved every twenty ranks."""
    n = data.n_attributes
    weights = np.empty(n)
    weights[quadratic_ranking(*data)] = 0.5 ** (np.arange(n) / _HALVING) + 1 / n
    return weights
