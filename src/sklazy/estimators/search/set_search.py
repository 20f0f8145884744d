"""A search of attribute sets, set up: where it starts and what it is judged on."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError
from sklazy.racing.masks import read_mask
from sklazy.racing.neighborhood import Neighborhood
from sklazy.racing.racsam import Block, Racsam, SearchResult, SearchStep
from sklazy.racing.starts import (
    bent_ranking,
    correlation_ranking,
    gram_schmidt_ranking,
    random_sets,
    sets_of_ranking,
)
from sklazy.report.progress import Progress
from sklazy.tables import Table

Floats = NDArray[np.float64]

_LARGEST_START = 20  # attributes in a set to begin with, at most
_PROMISING = 20  # places in a ranking over which the promise of an attribute halves


class RowBlocks(Sequence[Block]):
    """Each row to be predicted from all others, made when it is asked for."""

    def __init__(self, n_rows: int) -> None:
        self.rows = np.arange(n_rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401 - slices are not used
        others = np.concatenate([self.rows[:place], self.rows[place + 1 :]])
        return self.rows[place : place + 1], others


class Ground(NamedTuple):
    """What the columns look like to a filter.

    Attributes
    ----------
    columns : float64 array of shape (n_rows, n_attributes)
    target : float64 array of shape (n_rows, n_targets)
    """

    columns: Floats
    target: Floats


def ground_of(table: Table, target: Floats) -> Ground:
    """Numbers as they are; a category counts as the mean target of its rows."""
    columns = np.empty((table.n_rows, len(table.columns)))
    for j, column in enumerate(table):
        if column.kind == "numeric":
            columns[:, j] = column.data
        else:
            columns[:, j] = _category_means(column.data, target.mean(axis=1))
    return Ground(columns, target)


def _category_means(codes: NDArray[np.int32], target: Floats) -> Floats:
    known = codes >= 0
    sums = np.bincount(codes[known], weights=target[known])
    counts = np.bincount(codes[known])
    means = sums / np.maximum(counts, 1)
    return np.where(known, np.append(means, np.nan)[codes], np.nan)


def start_sets(
    start: object, n_start: int, ground: Ground, rng: np.random.Generator
) -> list[int]:
    """Return the sets to begin with, by name or as the user gave them."""
    n_attributes = ground.columns.shape[1]
    most = min(n_attributes, _LARGEST_START)
    if n_start < 1:
        raise BadInputError(f"n_start={n_start!r} is too small; give 1 or more.")
    if isinstance(start, str):
        if start == "random":
            return random_sets(n_attributes, n_start, rng, most)
        rankings = {
            "gram-schmidt": gram_schmidt_ranking,
            "pearson": correlation_ranking,
        }
        if start not in rankings:
            raise BadInputError(
                f"start={start!r} is not known; give 'random', "
                f"{', '.join(map(repr, rankings))}, or sets of columns."
            )
        return sets_of_ranking(rankings[start](*ground, most), n_start, rng)
    if not isinstance(start, Sequence | np.ndarray) or len(start) == 0:
        raise BadInputError(
            f"start={start!r} is no list of sets; give one or more sets of columns."
        )
    return list(dict.fromkeys(read_mask(one, n_attributes) for one in start))


def promise_of(ground: Ground) -> Floats:
    """Chances of attributes to be tried first: halved every twenty ranks."""
    n_attributes = ground.columns.shape[1]
    ranking = bent_ranking(*ground)
    promise = np.empty(n_attributes)
    promise[ranking] = 0.5 ** (np.arange(n_attributes) / _PROMISING) + 1 / n_attributes
    return promise


def run_search(
    search: Racsam, method: str, start: list[int], ground: Ground
) -> SearchResult:
    """Explore from the start, then confirm the winners on all rows."""
    n_attributes = ground.columns.shape[1]
    rules = search.rules
    with Progress("searching", total=rules.max_candidates) as progress:

        def tell(step: SearchStep) -> None:
            new = len(search.assessed) - progress.done
            progress.advance(new, f"{step.phase}: best loss {step.best_loss:.4g}")

        search.on_step = tell
        if method == "schemata":
            start = search.search_schemata(n_attributes)
        neighbors = Neighborhood(promise_of(ground), rules.max_new, search.rng)
        winners = search.explore(start, neighbors)
        return search.result(search.confirm(winners, neighbors))
