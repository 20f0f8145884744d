"""Methods compared on the same rows, until all is measured, time is up, or Ctrl-C."""

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from sklazy.casebase import CaseBase
from sklazy.errors import DataWarning
from sklazy.estimators.advice.candidates import Candidate
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.folds import stratified_sample
from sklazy.estimators.parameters import find_seed
from sklazy.estimators.state import check_restored, restore_state
from sklazy.report.progress import Progress
from sklazy.tables import Table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Stopped = Literal["finished", "time", "interrupted"]

_MOST_CELLS = 4_000_000  # of a table that costs are measured on
_TIMED = 200  # queries


class Comparison(NamedTuple):
    """The results of a comparison.

    Attributes
    ----------
    rows : int64 array of shape (n_tested,)
        The rows that were predicted.
    losses : float64 array of shape (n_candidates, n_tested)
        0 or 1 for classes, absolute errors for numbers; NaN if not measured.
    seconds : float64 array of shape (n_candidates,)
        Time to predict a row in a batch, once everything is prepared.
    n_folds : int
        How many folds were run.
    """

    rows: Ints
    losses: Floats
    seconds: Floats
    n_folds: int
    stopped: Stopped
    classifies: bool

    @property
    def measured(self) -> list[int]:
        """The candidates that were measured."""
        return np.flatnonzero(~np.isnan(self.losses).any(axis=1)).tolist()


@dataclass(frozen=True)
class QueryCost:
    """The cost of one query to the first candidate.

    Attributes
    ----------
    in_batch, alone : float
        Seconds for a row in a batch of 200, and for a single row.
    n_rows : int
        Number of cases it holds for.
    n_measured : int
        Number of cases it was measured with; with fewer, the time is scaled up in
        proportion.
    """

    in_batch: float
    alone: float
    n_rows: int
    n_measured: int


class Clock:
    """How much time there is left."""

    def __init__(self, max_seconds: float) -> None:
        self._end = time.perf_counter() + max_seconds

    def is_up(self) -> bool:
        """Whether nothing new is to be started."""
        return time.perf_counter() > self._end


class CommonRows:
    """Rows to learn from, which all lazy methods share.

    Values that several of them derive from the cases (cuts, orders, a kernel that is
    also a member of a blend) are computed once, too.
    """

    def __init__(self, table: Table, target: NDArray[Any]) -> None:
        self.table, self.target = table, target
        self._cases: CaseBase | None = None

    def fit(self, candidate: Candidate) -> Any:  # noqa: ANN401 - an estimator
        """A new model of a candidate that has learned the rows."""
        model = candidate.make()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", DataWarning)  # warned when X was read
            warnings.filterwarnings("ignore", "The number of unique classes")
            if not isinstance(model, LazyEstimator):
                return model.fit(self.table, self.target)
            if self._cases is None:
                self._cases = model.fit(self.table, self.target).cases_
                return model
            return share_cases(model, self._cases)


def share_cases(model: LazyEstimator, cases: CaseBase) -> LazyEstimator:
    """Let an unfitted model share the cases of another one."""
    seed = find_seed(getattr(model, "random_state", None), default=0)
    restore_state(model, cases, {"seed": seed, "is_flat": True})
    check_restored(model)
    return model


class _Fold:
    """The losses of candidates on the rows of one fold."""

    def __init__(self, rows: Ints, n_candidates: int) -> None:
        self.rows = rows
        self.losses = np.full((n_candidates, len(rows)), np.nan)
        self.seconds = np.full(n_candidates, np.nan)

    @property
    def is_whole(self) -> bool:
        return not np.isnan(self.losses).any()


def cross_validate(
    candidates: Sequence[Candidate],
    table: Table,
    target: NDArray[Any],
    folds: Ints,
    clock: Clock,
    progress: Progress,
) -> Comparison:
    """Predict each fold from the others, fold after fold, until time is up.

    All candidates run on the same folds. In the first fold those that are not quick are
    left out once time is up; no other fold is started then. Ctrl-C ends it, too, and
    keeps the results so far, except for part of a later fold.
    """
    done: list[_Fold] = []
    stopped: Stopped = "finished"
    try:
        for number in range(int(folds.max()) + 1):
            if done and clock.is_up():
                stopped = "time"
                break
            testing = folds == number
            done.append(_Fold(np.flatnonzero(testing), len(candidates)))
            _run_fold(candidates, table, target, testing, clock, progress, done)
    except KeyboardInterrupt:
        if not done or np.isnan(done[0].losses).all():
            raise
        stopped = "interrupted"
    if stopped == "finished" and not done[0].is_whole:
        stopped = "time"
    return _join_folds(done, stopped, target.dtype.kind != "f")


def _run_fold(
    candidates: Sequence[Candidate],
    table: Table,
    target: NDArray[Any],
    testing: NDArray[np.bool_],
    clock: Clock,
    progress: Progress,
    done: Sequence[_Fold],
) -> None:
    fold, known = done[-1], CommonRows(table.take(~testing), target[~testing])
    queries, truth = table.take(testing), target[testing]
    for i, candidate in enumerate(candidates):
        left_out = np.isnan(done[0].losses[i]).any() and len(done) > 1
        late = len(done) == 1 and clock.is_up() and not candidate.is_quick
        if not (left_out or late):
            predicted, fold.seconds[i] = _time_predictions(candidate, known, queries)
            fold.losses[i] = losses_of(predicted, truth)
        progress.advance(note=candidate.host)


def _join_folds(
    done: Sequence[_Fold], stopped: Stopped, classifies: bool
) -> Comparison:
    """The folds that all candidates of the first one were run on."""
    measured = ~np.isnan(done[0].losses).any(axis=1)
    whole = [f for f in done if not np.isnan(f.losses[measured]).any()]
    seconds = np.array([fold.seconds for fold in whole])
    quickest = np.fmin.reduce(seconds, axis=0)
    losses = np.concatenate([fold.losses for fold in whole], axis=1)
    rows = np.concatenate([fold.rows for fold in whole])
    return Comparison(rows, losses, quickest, len(whole), stopped, classifies)


def losses_of(predicted: NDArray[Any], truth: NDArray[Any]) -> Floats:
    """Whether classes are wrong, or how far numbers are off."""
    if truth.dtype.kind == "f":
        return np.abs(np.asarray(predicted, np.float64) - truth)
    return (predicted != truth).astype(np.float64)


def _time_predictions(
    candidate: Candidate, known: CommonRows, queries: Table
) -> tuple[NDArray[Any], float]:
    """Predictions of the queries, and seconds per query."""
    truth = known.target
    if truth.dtype.kind != "f" and (truth == truth[0]).all():
        return np.full(len(queries), truth[0]), 0.0  # some models need two classes
    model = known.fit(candidate)
    model.predict(queries.take(range(1)))  # what is derived from the cases is found
    started = time.perf_counter()
    predicted = model.predict(queries)
    return predicted, (time.perf_counter() - started) / len(queries)


def measure_cost(
    candidate: Candidate,
    take: Callable[[Ints], Table],
    target: NDArray[Any],
    shuffled: Ints,
    n_columns: int,
) -> QueryCost:
    """Time queries against all cases, or against as many as can be fitted quickly."""
    n_rows = len(target)
    n_measured = min(n_rows, max(1000, _MOST_CELLS // n_columns))
    rows = draw_sample(target, n_measured, shuffled)
    table = take(rows)
    model = CommonRows(table, target[rows]).fit(candidate)
    many, single = (table.take(range(min(n, len(rows)))) for n in (_TIMED, 1))
    in_batch = _best_time(model, many) / len(many)
    alone = _best_time(model, single)
    longer = in_batch * (n_rows / len(rows) - 1.0)
    return QueryCost(in_batch + longer, alone + longer, n_rows, len(rows))


def draw_sample(target: NDArray[Any], n_rows: int, shuffled: Ints) -> Ints:
    """Some rows, ascending, with all classes in proportion; of numbers any."""
    if target.dtype.kind == "f":
        return np.sort(shuffled[:n_rows])
    return stratified_sample(target, n_rows, shuffled)


def _best_time(model: Any, queries: Table) -> float:  # noqa: ANN401 - any estimator
    """Seconds to predict, the best of three."""
    times = []
    for _ in range(3):
        started = time.perf_counter()
        model.predict(queries)
        times.append(time.perf_counter() - started)
    return min(times)
