"""Methods compared on the same rows, until all is measured, time is up, or Ctrl-C."""

import contextlib
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from sklazy.casebase import CaseBase
from sklazy.errors import DataWarning
from sklazy.estimators.advice.candidates import N_FIRST, Candidate
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.parameters import find_seed
from sklazy.estimators.state import check_restored, restore_state
from sklazy.measures.scores import find_log_losses
from sklazy.report.progress import Progress
from sklazy.tables import Table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Stopped = Literal["finished", "time", "interrupted"]

_MARGIN = 1.2  # of an estimate of the time that is needed
_WARMED_UP = 20  # rows


class Comparison(NamedTuple):
    """The results of a comparison.

    Attributes
    ----------
    rows : int64 array of shape (n_tested,)
        The rows that were predicted, by all candidates that were measured.
    measured : list of int
        The candidates that were measured.
    answers : list of float64 arrays
        Of each of them the probabilities, of shape (n_tested, n_classes), or the
        numbers, of shape (n_tested,).
    losses : float64 array of shape (n_measured, n_tested)
        Log losses of classes, absolute errors of numbers.
    seconds : list of float
        Time of each to predict a row in a batch, once everything is prepared.
    n_folds : int
        How many folds were run.
    stopped : {"finished", "time", "interrupted"}
    lacks : float
        Seconds after which there would have been enough for a verdict; 0 if there is.
    """

    rows: Ints
    measured: list[int]
    answers: list[Floats]
    losses: Floats
    seconds: list[float]
    n_folds: int
    stopped: Stopped
    lacks: float


class Clock:
    """How much time there is left; it stands still while something is paused."""

    now = staticmethod(time.perf_counter)

    def __init__(self, max_seconds: float) -> None:
        self._started, self._max_seconds = self.now(), max_seconds

    @property
    def spent(self) -> float:
        """Seconds since the start, pauses left out."""
        return self.now() - self._started

    def is_up(self) -> bool:
        """Whether nothing new is to be started."""
        return self.spent > self._max_seconds

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Stop the clock for what is not the comparison itself, such as compiling."""
        before = self.spent
        try:
            yield
        finally:
            self._started = self.now() - before


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
    """Rows to predict from all others, and the answers of candidates."""

    def __init__(self, table: Table, target: NDArray[Any], testing: Any) -> None:  # noqa: ANN401
        self.rows = np.flatnonzero(testing)
        self.known = CommonRows(table.take(~testing), target[~testing])
        self.queries = table.take(testing)
        self.answers: dict[int, Floats] = {}
        self.seconds: dict[int, float] = {}

    def run(self, number: int, candidate: Candidate, n_classes: int) -> None:
        """Fit a candidate to the other rows, and keep its answers."""
        answers, seconds = _time_answers(candidate, self.known, self.queries, n_classes)
        self.answers[number], self.seconds[number] = answers, seconds


def cross_validate(
    candidates: Sequence[Candidate],
    table: Table,
    target: NDArray[Any],
    folds: Ints,
    clock: Clock,
    progress: Progress,
    n_needed: int = 200,
) -> Comparison:
    """Predict folds from the others by all candidates, until time is up.

    The first candidates, without which there is no verdict, run on as many folds as
    have `n_needed` rows; then each of the others on the same folds; then all that were
    measured, on one more fold after the other. Once time is up nothing is started any
    more; a candidate or a later fold that is not complete is dropped. Ctrl-C ends it,
    too.
    """
    cuts = [_Fold(table, target, folds == k) for k in range(int(folds.max()) + 1)]
    sizes = np.cumsum([len(fold.rows) for fold in cuts])
    needed = cuts[: int(np.searchsorted(sizes, min(n_needed, sizes[-1]))) + 1]
    n_classes = 0 if target.dtype.kind == "f" else int(target.max()) + 1
    stopped: Stopped = "finished"
    try:
        for number, fold in _order_steps(len(candidates), cuts, needed):
            if cuts[0].answers and clock.is_up():
                stopped = "time"
                break
            if number not in cuts[0].answers:
                with clock.paused():
                    _compile(candidates[number], table, target, n_classes)
            fold.run(number, candidates[number], n_classes)
            progress.advance(note=candidates[number].host)
    except KeyboardInterrupt:
        if not cuts[0].answers:
            raise
        stopped = "interrupted"
    return _join_folds(cuts, needed, target, stopped, clock)


def _order_steps(
    n_candidates: int, cuts: Sequence[_Fold], needed: Sequence[_Fold]
) -> Iterator[tuple[int, _Fold]]:
    """Which candidate runs on which fold, in order."""
    for fold in needed:
        yield from ((number, fold) for number in range(min(N_FIRST, n_candidates)))
    for number in range(N_FIRST, n_candidates):
        yield from ((number, fold) for fold in needed)
    for fold in cuts[len(needed) :]:
        yield from ((number, fold) for number in range(n_candidates))


def _join_folds(
    cuts: Sequence[_Fold],
    needed: Sequence[_Fold],
    target: NDArray[Any],
    stopped: Stopped,
    clock: Clock,
) -> Comparison:
    """The folds that all measured candidates were run on."""
    first = [number for number in cuts[0].answers if number < N_FIRST]
    n_done = sum(number in fold.answers for fold in needed for number in first)
    n_wanted = len(needed) * N_FIRST
    is_enough = stopped == "finished" or n_done == n_wanted
    measured = [
        number
        for number in cuts[0].answers
        if not is_enough or all(number in fold.answers for fold in needed)
    ]
    whole = [
        fold for fold in cuts if all(number in fold.answers for number in measured)
    ]
    rows = np.concatenate([fold.rows for fold in whole])
    answers = [
        np.concatenate([fold.answers[number] for fold in whole]) for number in measured
    ]
    return Comparison(
        rows,
        measured,
        answers,
        np.array([losses_of(each, target[rows]) for each in answers]),
        [min(fold.seconds[number] for fold in whole) for number in measured],
        len(whole),
        stopped,
        0.0 if is_enough else _MARGIN * clock.spent * n_wanted / n_done,
    )


def losses_of(answers: Floats, truth: NDArray[Any]) -> Floats:
    """Log losses of probabilities, or how far numbers are off."""
    if truth.dtype.kind == "f":
        return np.abs(answers - truth)
    return find_log_losses(answers, truth)


def _compile(
    candidate: Candidate, table: Table, target: NDArray[Any], n_classes: int
) -> None:
    """Use a candidate once on a few rows, so that nothing is compiled while timed."""
    some = table.take(range(min(_WARMED_UP, len(table))))
    known = CommonRows(some, target[: len(some)])
    if candidate.family != "eager model" and len(np.unique(known.target)) > 1:
        _time_answers(candidate, known, some, n_classes)


def _time_answers(
    candidate: Candidate, known: CommonRows, queries: Table, n_classes: int
) -> tuple[Floats, float]:
    """Answers to the queries, and seconds per query."""
    truth = known.target
    if n_classes and (truth == truth[0]).all():  # some models need two classes
        return np.eye(n_classes)[np.full(len(queries), truth[0])], 0.0
    with _quiet():
        model = known.fit(candidate)
        ask = model.predict_proba if n_classes else model.predict
        ask(queries.take(range(1)))  # what is derived from the cases is found
        started = time.perf_counter()
        answers = np.asarray(ask(queries), np.float64)
        seconds = (time.perf_counter() - started) / len(queries)
    if not n_classes:
        return answers, seconds
    every = np.zeros((len(queries), n_classes))
    every[:, np.asarray(model.classes_, np.int64)] = answers
    return every, seconds


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Hide warnings of models that did not converge, and what X warned of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", DataWarning)
        warnings.filterwarnings("ignore", "The number of unique classes")
        yield
