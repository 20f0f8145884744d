"""Leave-one-out predictions of all cases, computed in the background."""

import copy
import threading
import time
import warnings
from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.leave_one_out import leave_one_out
from sklazy.errors import DataWarning
from sklazy.measures.conformal import find_rank
from sklazy.web.explore.jobs import Job
from sklazy.web.explore.state import Floats, Ints, State

COVERAGE = 0.9
"""Share of targets that intervals contain."""

_EXACT = 500  # rows up to which cuts are computed again without each row
_MANY, _HEAD_START = 100_000, 1.5  # rows, and seconds of delay for the first page
_PART = 0.2  # seconds between two looks at the queue
_MOST_AT_ONCE = 4096
_WEARY = 90.0  # seconds after which the job pauses


class LeftOut:
    """The leave-one-out predictions so far.

    Attributes
    ----------
    known : bool array of shape (n_rows,)
    answers : array of shape (n_rows,)
        Codes of classes, or numbers.
    shares : float64 array of shape (n_rows,)
        The probability of the answer; NaN for numbers.
    doubts : float64 array of shape (n_rows,)
        One minus the probability of the true class; for numbers the absolute error.
    exact : bool
        Whether each row was left out of everything, including cuts and settings.
    """

    def __init__(self, state: State) -> None:
        n_rows = state.n_rows
        self.state, self.exact = state, True
        self.known = np.zeros(n_rows, bool)
        self.answers = np.zeros(n_rows, np.int64 if state.classifies else np.float64)
        self.shares = np.full(n_rows, np.nan)
        self.doubts = np.full(n_rows, np.nan)
        self.finished = threading.Event()
        self._queue: deque[int] = deque(maxlen=2000)
        self._next = 0
        self._learner: Any = None
        self._base: Any = None

    @property
    def n_known(self) -> int:
        """The number of rows with an answer."""
        return int(self.known.sum())

    def find_margin(self, without: Collection[int] = ()) -> float | None:
        """How far from the prediction nine of ten targets lie at most.

        The conformal quantile of the left-out errors, as in the jackknife; None for
        classes, and if there are too few cases.

        Parameters
        ----------
        without : collection of int
            Rows whose errors are not used.
        """
        if self.state.classifies:
            return None
        usable = self.known.copy()
        usable[list(without)] = False
        errors = np.sort(self.doubts[usable])
        rank = find_rank(len(errors), COVERAGE)
        return float(errors[rank - 1]) if rank <= len(errors) else None

    def ask_for(self, rows: Iterable[int]) -> int:
        """Queue rows to come next; return how many of them have no answer yet."""
        open_rows = [int(row) for row in rows if not self.known[row]]
        self._queue.extend(open_rows)
        return len(open_rows)

    def scaled_doubts(self) -> Floats:
        """Doubts; for numbers as multiples of the median absolute error."""
        if self.state.classifies:
            return self.doubts
        usual = float(np.median(self.doubts[self.known])) if self.n_known else 0.0
        return self.doubts / (usual or 1.0)

    def fill(self, job: Job) -> None:
        """Predict rows until all are known, or pause after a while."""
        job.total, end = self.state.n_rows, time.monotonic() + _WEARY
        job.note = "preparing the cases"
        if self.state.n_rows > _MANY:
            time.sleep(_HEAD_START)
        if self.state.n_rows > 1 and not job.stopped:
            self._prepare()
        job.note, size = "", 1
        while self.state.n_rows > 1 and not job.stopped:
            rows = self._choose_rows(size)
            if not len(rows):
                break
            began = time.monotonic()
            self._answer_rows(rows)
            taken = max(time.monotonic() - began, 1e-6)
            fitting = int(len(rows) * _PART / taken)
            size = max(1, min(fitting, 4 * len(rows), _MOST_AT_ONCE))
            job.done = self.n_known
            if time.monotonic() > end and not self._queue:
                job.state = "paused"
                return
        self.finished.set()

    def _prepare(self) -> None:
        """With many rows, fix once what is not computed again for each row."""
        if self._learner is not None:
            return
        model, base = self.state.model, self.state.base
        learner = model._current_learner(base)
        many = base.n_rows > _EXACT
        if hasattr(learner, "approximate") and (many or model._approximates):
            learner, self.exact = replace(learner, approximate=True), False
        if many:
            self.exact = False
            base = copy.deepcopy(base)
            base.freeze()
            learner = learner.settle(base) if hasattr(learner, "settle") else learner
        self._learner, self._base = learner, base

    def _choose_rows(self, size: int) -> Ints:
        """The next rows: queued ones first, then the others in random order."""
        queued: list[int] = []
        while self._queue and len(queued) < size:
            queued.append(self._queue.popleft())
        rows = np.array([r for r in dict.fromkeys(queued) if not self.known[r]], int)
        order, n_rows = self.state.order, self.state.n_rows
        while not len(rows) and self._next < n_rows:
            part = order[self._next : self._next + size]
            self._next += len(part)
            rows = part[~self.known[part]]
        return rows

    def _answer_rows(self, rows: Ints) -> None:
        state, places = self.state, self.state.places[rows]
        names = ("decisions", "probabilities") if state.classifies else ("values",)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            columns = leave_one_out(
                self._learner, self._base, places, names, state.model.n_jobs
            )
        if state.classifies:
            self._keep_classes(rows, *columns)
        else:
            values, truths = columns[0][:, 0], state.truths[rows]
            self.answers[rows] = values
            self.doubts[rows] = np.abs(values - truths)
        self.known[rows] = True

    def _keep_classes(
        self, rows: Ints, decisions: NDArray[Any], probabilities: Floats
    ) -> None:
        each, truths = np.arange(len(rows)), self.state.truths[rows]
        self.answers[rows] = decisions
        self.shares[rows] = probabilities[each, decisions]
        self.doubts[rows] = 1 - probabilities[each, truths]
