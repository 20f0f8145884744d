"""The table of a search: scikit-learn's `cv_results_`, with gaps where none was run."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.racing import RaceResult

Table = dict[str, Any]
Floats = NDArray[np.float64]


class Scored(NamedTuple):
    """The scores of one candidate on one split; `reason` is that of a failure."""

    fit_time: float
    score_time: float
    test: dict[str, float]
    train: dict[str, float]
    reason: str = ""


Cells = Mapping[tuple[int, int], Scored]
"""Scores by candidate and split."""


def fold_results(
    candidates: Sequence[dict[str, Any]],
    cells: Cells,
    eliminated_at: NDArray[np.int64],
    n_splits: int,
    error_score: float,
) -> Table:
    """The table of a race over folds.

    Candidates that were eliminated rank behind all that were not, and behind those
    eliminated later: their means are over fewer splits, and not comparable.
    """
    shape = len(candidates), n_splits
    table: Table = {}
    for name in ("fit_time", "score_time"):
        times = _grid({at: getattr(cell, name) for at, cell in cells.items()}, shape)
        table |= _summary(name, times)
    table |= _parameters(candidates)
    for kind in ("test", "train"):
        scores = {at: getattr(cell, kind) for at, cell in cells.items()}
        for metric in dict.fromkeys(key for known in scores.values() for key in known):
            grid = _grid(
                {at: known.get(metric, error_score) for at, known in scores.items()},
                shape,
            )
            name = f"{kind}_{metric}"
            table |= {f"split{i}_{name}": grid[:, i] for i in range(n_splits)}
            table |= _summary(name, grid)
            if kind == "test":
                means = table[f"mean_{name}"]
                table[f"rank_{name}"] = race_ranks(means, eliminated_at)
    run = np.zeros(shape, dtype=bool)
    run[tuple(np.array(list(cells), dtype=np.intp).reshape(-1, 2).T)] = True
    table["n_splits_run"] = run.sum(axis=1)
    table["eliminated_at"] = eliminated_at
    return table


def row_results(
    candidates: Sequence[dict[str, Any]],
    outcome: RaceResult,
    fit_times: Floats,
    score_times: Floats,
) -> Table:
    """The table of a race over single rows: means over rows, no column per row."""
    run = outcome.n_run
    scores = -outcome.losses.T
    table: Table = {
        "mean_fit_time": fit_times,
        "mean_score_time": score_times / np.maximum(run, 1),
        **_parameters(candidates),
        **_summary("test_score", scores),
    }
    means = table["mean_test_score"]
    table["rank_test_score"] = race_ranks(means, outcome.eliminated_at)
    table["n_splits_run"] = run
    table["eliminated_at"] = outcome.eliminated_at
    return table


def best_index(
    results: Table, metric: str, refit: bool | str | Callable[[Table], int]
) -> int:
    """Return the best candidate by rank, or the one a callable `refit` chooses."""
    if not callable(refit):
        return int(np.argmin(results[f"rank_test_{metric}"]))
    index = refit(results)
    if not isinstance(index, (int, np.integer)):
        raise TypeError(f"refit must return an index of a candidate, not {index!r}.")
    if not 0 <= index < len(results["params"]):
        raise IndexError(
            f"refit returned {index}; expected the index of a candidate, 0 to "
            f"{len(results['params']) - 1}."
        )
    return int(index)


def race_ranks(means: Floats, eliminated_at: NDArray[np.int64]) -> NDArray[np.int32]:
    """Rank by the end of the race, then by the mean, larger is better.

    Equal candidates share the best of their ranks, as in scikit-learn.
    """
    # Survivors have 0 where the eliminated have the number of splits they ran.
    n_run = np.where(eliminated_at == 0, np.inf, eliminated_at)
    scores = np.where(np.isnan(means), -np.inf, means)
    order = np.lexsort((-scores, -n_run))
    ranks = np.empty(len(means), dtype=np.int32)
    rank = 1
    for place, candidate in enumerate(order):
        before = order[place - 1]
        key = n_run[candidate], scores[candidate]
        if place and key != (n_run[before], scores[before]):
            rank = place + 1
        ranks[candidate] = rank
    return ranks


def _grid(values: Mapping[tuple[int, int], float], shape: tuple[int, int]) -> Floats:
    grid = np.full(shape, np.nan)
    for at, value in values.items():
        grid[at] = value
    return grid


def _summary(name: str, grid: Floats) -> Table:
    """Mean and standard deviation over the splits that were run."""
    run = np.isfinite(grid)
    counts = np.maximum(run.sum(axis=1), 1)
    none = ~run.any(axis=1)
    means = np.where(run, grid, 0.0).sum(axis=1) / counts
    squares = np.where(run, (grid - means[:, None]) ** 2, 0.0).sum(axis=1) / counts
    means, squares = np.where(none, np.nan, means), np.where(none, np.nan, squares)
    return {f"mean_{name}": means, f"std_{name}": np.sqrt(squares)}


def _parameters(candidates: Sequence[dict[str, Any]]) -> Table:
    names = sorted({key for params in candidates for key in params})
    columns: Table = {f"param_{name}": _parameter(name, candidates) for name in names}
    return columns | {"params": list(candidates)}


def _parameter(
    name: str, candidates: Sequence[dict[str, Any]]
) -> np.ma.MaskedArray[Any, Any]:
    """One parameter's values as a masked array, masked where it is not set."""
    values = [params[name] for params in candidates if name in params]
    column = np.ma.masked_all(len(candidates), dtype=_parameter_dtype(values))
    for i, params in enumerate(candidates):
        if name in params:
            column[i] = params[name]
    return column


def _parameter_dtype(values: list[Any]) -> np.dtype[Any]:
    try:
        array = np.array(values)
    except ValueError:  # lists of different lengths
        return np.dtype(object)
    plain = array.ndim == 1 and array.dtype.kind != "U"
    return array.dtype if plain else np.dtype(object)
