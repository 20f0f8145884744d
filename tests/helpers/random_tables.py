"""Random tables to try a law on: gaps, ties, constants, the ends of floats."""

import random
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import is_regressor

import sklazy

SIZES = [1.0, 1.0, 1.0, 1e-3, 1e6, 1e300, 1e-300, 5e-324]


class Rows(NamedTuple):
    """What a model is fitted to, and how it could be divided.

    Attributes
    ----------
    X : DataFrame
    y : array of shape (n_rows,)
    weights, ids : arrays of shape (n_rows,), or None
    owners : int array of shape (n_rows,)
        The part of each row, in ascending order.
    n_parts : int
        Some of them may own no row.
    """

    X: pd.DataFrame
    y: NDArray[Any]
    weights: NDArray[np.float64] | None
    ids: NDArray[Any] | None
    owners: NDArray[np.int64]
    n_parts: int


class Problem(NamedTuple):
    """A model, the rows to fit, add and forget, and queries."""

    model: Any
    rows: Rows
    more: Rows
    gone: NDArray[Any]
    queries: pd.DataFrame


def neighbors(chance, **parameters):
    return sklazy.LazyKNeighborsClassifier(
        chance.choice([1, 3, 5, 40, "auto"]),
        chance.choice([1, 2, 0.5, 1.0]),
        chance.choice(["lazy", "lazy", "eager", "none"]),
        ties=chance.choice(["share", "all"]),
        weights=chance.choice(["uniform", "distance"]),
        cuts=chance.choice(["exact", "frozen"]),
        half_life=chance.choice([None, None, 9.0]),
        **parameters,
    )


def number_neighbors(chance):
    return sklazy.LazyKNeighborsRegressor(
        chance.choice([1, 3, 40]),
        chance.choice([1, 0.5, "vote", "auto"]),
        chance.choice(["lazy", "none"]),
        discretize=chance.choice([True, False]),
        weights=chance.choice(["uniform", "distance"]),
    )


SEARCHERS = [
    lambda chance: neighbors(chance, discretize=True),
    lambda chance: neighbors(chance, discretize=False),
    lambda chance: sklazy.LazyKNeighborsClassifier(
        chance.choice([1, 3, 5]), chance.choice(["auto", "vote"])
    ),
    lambda chance: sklazy.LazyNBClassifier(
        chance.choice([1, 0.5, "auto"]),
        chance.choice(["lazy", "eager"]),
        discretize=chance.choice([True, False]),
        half_life=chance.choice([None, 9.0]),
    ),
    lambda chance: sklazy.LazyLearningRegressor(
        n_neighbors=chance.choice([(2, 5), (3, 8)]),
        half_life=chance.choice([None, 9.0]),
    ),
    lambda chance: sklazy.LazyLearningClassifier(
        n_neighbors=chance.choice([(2, 5), (3, 8)])
    ),
    number_neighbors,
]


def random_problem(seed):
    """A model and all that is done with it; any seed is another one."""
    rng, chance = np.random.default_rng(seed), random.Random(seed)
    n_rows, model = int(rng.integers(12, 90)), SEARCHERS[seed % len(SEARCHERS)](chance)
    frame = random_table(rng, n_rows + 12)
    if isinstance(getattr(model, "n_attributes", None), int):
        model.set_params(n_attributes=min(model.n_attributes, frame.shape[1]))
    y = (random_targets if is_regressor(model) else random_classes)(rng, n_rows + 4)
    weights, ids = random_weights(rng, n_rows + 4), random_ids(rng, n_rows + 4)
    n_parts = int(rng.integers(1, 6))
    owners = np.sort(rng.integers(0, n_parts, n_rows + 4))
    rows = Rows(frame[: n_rows + 4], y, weights, ids, owners, n_parts)
    gone = rng.choice(n_rows, int(rng.integers(0, n_rows // 2)), replace=False)
    return Problem(
        model,
        take(rows, slice(n_rows)),
        take(rows, slice(n_rows, None)),
        gone if ids is None else ids[gone],
        with_unseen_labels(rng, frame[n_rows + 4 :]),
    )


def take(rows, some):
    """Some of the rows."""
    X, y, weights, ids, owners, n_parts = rows
    weights, ids = (None if own is None else own[some] for own in (weights, ids))
    return Rows(X[some], y[some], weights, ids, owners[some], n_parts)


def random_table(rng, n_rows):
    """Numbers and labels with gaps and ties, some rows more than once."""
    columns = {}
    for j in range(int(rng.integers(1, 6))):
        if rng.random() < 0.5:
            columns[f"n{j}"] = random_numbers(rng, n_rows)
        else:
            columns[f"l{j}"] = random_labels(rng, n_rows)
    frame = pd.DataFrame(columns)
    if rng.random() < 0.2:
        rows = rng.integers(0, max(1, n_rows // 4), n_rows)
        frame = frame.iloc[rows].reset_index(drop=True)
    return frame


def random_numbers(rng, n_rows):
    numbers = np.round(rng.standard_normal(n_rows), int(rng.integers(0, 3)))
    if rng.random() < 0.1:
        numbers[:] = numbers[0]
    if rng.random() < 0.1:
        numbers *= rng.choice(SIZES, n_rows)
    else:
        numbers *= rng.choice(SIZES)
    return np.where(gaps(rng, n_rows), np.nan, numbers)


def random_labels(rng, n_rows):
    labels = list("abcdef")[: int(rng.integers(1, 6))]
    cells = rng.choice(labels, n_rows).astype(object)
    cells[gaps(rng, n_rows)] = None
    return pd.Series(cells, dtype=object)


def gaps(rng, n_rows):
    """Which cells are missing: some, none, or all but one."""
    share = rng.choice([0.0, 0.1, 0.1, 0.1, 0.6])
    missing = rng.random(n_rows) < share
    if rng.random() < 0.05:
        missing[:] = True
        missing[rng.integers(n_rows)] = False
    return missing


def with_unseen_labels(rng, queries):
    """Queries, some of which have labels that no row has."""
    queries = queries.copy()
    for name in queries.select_dtypes(object):
        queries.loc[rng.random(len(queries)) < 0.1, name] = "unseen"
    return queries


def random_classes(rng, n_rows):
    """Three classes or fewer; now and then one that a single row has."""
    y = rng.integers(0, int(rng.integers(1, 4)), n_rows)
    if rng.random() < 0.3:
        y[rng.integers(n_rows)] = 3
    return y if rng.random() < 0.7 else np.array([f"class {own}" for own in y])


def random_targets(rng, n_rows):
    return rng.standard_normal(n_rows).round(1) * rng.choice([1.0, 1.0, 1e200, 1e-200])


def random_weights(rng, n_rows):
    if rng.random() < 0.6:
        return None
    return rng.choice([0.0, 0.5, 1.0, 2.0, 3.3], n_rows)


def random_ids(rng, n_rows):
    """None, text, or numbers that do not count."""
    chosen = rng.random()
    if chosen < 0.6:
        return None
    if chosen < 0.8:
        return np.array([f"row {i}" for i in range(n_rows)], dtype=object)
    return 7 * np.arange(n_rows) % 1009
