"""Any number of queries: cut into slices, which a backend runs.

This is the one place that calls the current backend. What it hands over can be
pickled: the learner, the cases and the queries, and which outputs are wanted. A few
queries that are answered before a thread would have started make one slice, here.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config

from sklazy.answer.batch import Batch, Ints
from sklazy.answer.learner import Answer, AnyLearner, Effort, Prepared, prepare
from sklazy.answer.slices import Slice, current_backend
from sklazy.answer.target import Kind
from sklazy.answer.threads import WORTH_WORKERS, share_out
from sklazy.casebase import CaseBase
from sklazy.casebase.matrix import encode_matrix
from sklazy.errors import BadInputError
from sklazy.flow import Queries
from sklazy.kernels.pacing import LONGEST, Pace
from sklazy.memory import limit_memory
from sklazy.report.progress import Progress

Outputs = tuple[NDArray[Any], ...]

_AHEAD = 3  # slices under way beside the one that is made ready
_BLOCKS = 2**30  # bytes; steps keep to less by themselves, also on many cores
_WORTH_TIMING = 1e8  # nanoseconds; with an estimate that is far too low, seconds
_TIMED = 0.001  # seconds, enough to time a query
_SHARE, _MOST_TIMED = 64, 3  # timed: parts of 1/64 of the queries, at most three


class NotPlainError(Exception):
    """A matrix has cells that only a table can code."""


@dataclass(frozen=True, eq=False)
class SliceJob:
    """Answers slices of queries, in any thread or process.

    Attributes
    ----------
    learner : Learner
    base : CaseBase
    rows : Queries, or matrix of numbers that is coded slice by slice
    excluded : int64 array of shape (n_queries,), or None
        As in `Batch`.
    outputs : names of attributes of the answer
    """

    learner: AnyLearner
    base: CaseBase
    rows: Queries | NDArray[Any]
    excluded: Ints | None
    outputs: tuple[str, ...]

    def __call__(self, first: int, last: int) -> Outputs:
        """Return the outputs of the queries ``first..last - 1``."""
        return self.finish(self.start(first, last))

    def start(self, first: int, last: int) -> Answer:
        """Answer queries; on a device, the answers may still be under way."""
        ready = prepare(self.learner, self.base)
        answer: Answer = self.learner.answer(ready, self.batch(ready, first, last))
        return answer

    def batch(self, ready: Prepared, first: int, last: int) -> Batch:
        """Code the queries ``first..last - 1``."""
        base = self.base
        if isinstance(self.rows, Queries):
            return Batch(base, base.cases, self.rows, self.excluded).part(first, last)
        bins = getattr(ready, "reads_bins", True)
        queries = encode_matrix(base, self.rows[first:last], bins=bins)
        if queries is None:
            raise NotPlainError
        return Batch(base, base.cases, queries)  # no case is left out of these

    def finish(self, answer: Answer) -> Outputs:
        """Check an answer and return its outputs."""
        check_finite(answer, self.learner.target.kind)
        return tuple(getattr(answer, name) for name in self.outputs)


def check_finite(answer: Answer, kind: Kind) -> None:
    """Raise `BadInputError` if a prediction is NaN or infinite.

    An answer may know by `finite` which of its decisions rest on numbers: class
    probabilities cost as much as naive Bayes itself, and are often not wanted.

    Parameters
    ----------
    answer : Answer
    kind : {"nominal", "numeric"}
        Kind of the target.
    """
    finite: NDArray[np.bool_] | None = getattr(answer, "finite", None)
    if finite is None:
        output = "probabilities" if kind == "nominal" else "values"
        figures = getattr(answer, output, None)
        if figures is None:  # the answer is of selected attributes alone
            return
        finite = np.isfinite(figures).all(axis=1)
    if not finite.all():
        query = int(np.flatnonzero(~finite)[0])
        raise BadInputError(
            f"the answer to query {query} (counted in its batch) overflows; numbers "
            "in X, y, weights or parameters are too large or too "
            "small. Scale them, for example to a largest value of 1."
        )


def answer_queries(
    learner: AnyLearner,
    base: CaseBase,
    rows: Queries | NDArray[Any],
    outputs: Sequence[str],
    *,
    n_jobs: int | None = None,
    excluded: Ints | None = None,
) -> Outputs:
    """Answer any number of queries, keeping only what is wanted of the answers.

    Parameters
    ----------
    learner : Learner
    base : CaseBase
    rows : Queries, or matrix of numbers
        A matrix that cannot be coded at once raises `NotPlainError`.
    outputs : sequence of str
        Attributes of the answer, arrays whose first axis is the query.
    n_jobs : int, optional
        Slices at a time; see `sklazy.answer.threads.count_workers`.
    excluded : int64 array of shape (n_queries,), optional
        The cases that the queries are, which must not count.

    Returns
    -------
    arrays : tuple, one array for each output
    """
    base = base if excluded is None else base.joined()
    job = SliceJob(learner, base, rows, excluded, tuple(outputs))
    n_queries = len(rows.codes if isinstance(rows, Queries) else rows)
    ready = prepare(learner, base)
    effort: Effort = ready.effort
    room = get_config()["working_memory"] * 2**20
    each = effort.memory + base.derive(_cell_bytes, lambda: _cell_bytes(base))
    if n_queries * each > room or room < _BLOCKS:
        return _answer_within(job, n_queries, effort, n_jobs, room, each)
    is_short = effort.nanoseconds * n_queries < WORTH_WORKERS and n_jobs != 0
    if is_short and n_queries <= effort.most and not effort.ahead:
        return job.finish(learner.answer(ready, job.batch(ready, 0, n_queries)))
    return _answer_all(job, n_queries, effort, n_jobs)


def _cell_bytes(base: CaseBase) -> float:
    """Bytes of a query in any slice: its cells, its attributes, its classes."""
    return 24.0 * len(base.names) + 24.0 * len(base.class_labels) + 64.0


def _answer_within(
    job: SliceJob,
    n_queries: int,
    effort: Effort,
    n_jobs: int | None,
    room: float,
    each: float,
) -> Outputs:
    """Answer all queries in `room` bytes, of which each query takes `each`."""
    share = room / current_backend().count_workers(n_jobs)
    effort = effort._replace(most=max(1, min(effort.most, int(share / each))))
    with limit_memory(share):
        return _answer_all(job, n_queries, effort, n_jobs)


def _answer_all(
    job: SliceJob, n_queries: int, effort: Effort, n_jobs: int | None
) -> Outputs:
    """Answer all queries, by slices that suit the effort."""
    if effort.ahead and job.excluded is None:
        return _look_ahead(job, n_queries, effort.ahead)
    if effort.nanoseconds * n_queries < _WORTH_TIMING or effort.fewest >= n_queries:
        return _answer_at_once(job, _cut(n_queries, effort, n_jobs), n_jobs)
    with Progress("answering", total=n_queries) as progress:
        parts, first, effort = _time_some(job, n_queries, effort, progress.advance)
        left = n_queries - first
        slices = [(first + a, first + b) for a, b in _cut(left, effort, n_jobs) if left]
        n_workers = min(current_backend().count_workers(n_jobs), max(len(slices), 1))
        progress.expect(1e-9 * effort.nanoseconds * left / n_workers, effort.faster)
        parts += current_backend().run(job, slices, n_jobs, progress.advance)
    return _join(parts)


def _answer_at_once(job: SliceJob, slices: list[Slice], n_jobs: int | None) -> Outputs:
    """Answer queries that take too little time for a progress bar."""
    if len(slices) == 1:
        return job(*slices[0])
    if job.excluded is not None:
        job(0, 1)  # what left-out rows share is found before slices run side by side
    return _join(current_backend().run(job, slices, n_jobs, lambda _: None))


def _join(parts: Sequence[Outputs]) -> Outputs:
    """Concatenate the outputs of slices, one array each."""
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))


def _look_ahead(job: SliceJob, n_queries: int, size: int) -> Outputs:
    """Answer slice by slice in this thread, the next ones under way meanwhile."""
    parts: list[Outputs] = []
    under_way: deque[Answer] = deque()
    for first in range(0, max(n_queries, 1), size):
        under_way.append(job.start(first, min(n_queries, first + size)))
        if len(under_way) > _AHEAD:
            parts.append(job.finish(under_way.popleft()))
    parts += [job.finish(answer) for answer in under_way]
    return parts[0] if len(parts) == 1 else _join(parts)


def _time_some(
    job: SliceJob, n_queries: int, effort: Effort, done: Callable[[int], None]
) -> tuple[list[Outputs], int, Effort]:
    """Answer the first queries until it is known what one takes.

    This thread does so alone, so it takes a small part of them.

    Returns
    -------
    parts : list of outputs
    n_answered : int
    effort : Effort
        As measured.
    """
    pace, first, parts = Pace(n_queries, effort.nanoseconds), 0, list[Outputs]()
    while first < n_queries:
        size = min(pace.size, n_queries // _SHARE + 1)
        if effort.fewest <= pace.fitting():
            size = max(size, effort.fewest)
        last = min(n_queries, first + size, first + effort.most)
        begin = time.perf_counter()
        parts.append(job(first, last))
        seconds = time.perf_counter() - begin
        pace.learn(last - first, seconds)
        done(last - first)
        first = last
        is_measured = len(parts) > 1 and seconds >= _TIMED  # the first may compile
        if is_measured or len(parts) == _MOST_TIMED:
            break
    return parts, first, effort._replace(nanoseconds=pace.nanoseconds)


def _cut(n_queries: int, effort: Effort, n_jobs: int | None) -> list[Slice]:
    """Slices that are worth a worker, and neither too long nor too large."""
    n_workers = 1
    if n_jobs == 0 or effort.nanoseconds * n_queries >= WORTH_WORKERS:
        n_workers = current_backend().count_workers(n_jobs)
    size = share_out(n_queries, n_workers)
    size = min(size, int(1e9 * LONGEST / effort.nanoseconds) + 1)
    is_short = effort.fewest * effort.nanoseconds <= 2e9 * LONGEST
    if is_short or effort.fewest >= n_queries:
        size = max(size, effort.fewest)
    size = min(size, effort.most)
    starts = range(0, max(n_queries, 1), max(size, 1))
    return [(first, min(n_queries, first + size)) for first in starts]
