"""Any number of queries: cut into slices, which a backend runs.

This is the one place that calls the current backend. What it hands over can be
pickled: the learner, the cases and the queries, and which outputs are wanted.
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
from sklazy.answer.learner import Answer, AnyLearner, Effort, prepare
from sklazy.answer.target import Kind
from sklazy.backends import WORTH_WORKERS, Slice, current_backend, share_out
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
_TIMED = 0.001  # seconds that tell what a query takes
_SHARE, _MOST_TIMED = 64, 3  # a part of so many is timed, and no more parts than these


class NotPlainError(Exception):
    """A matrix has cells that only a table can code."""


@dataclass(frozen=True, eq=False)
class Work:
    """Slices of queries to be answered, anywhere.

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
        """What is wanted of the answers to the queries ``first..last - 1``."""
        return self.finish(self.start(first, last))

    def start(self, first: int, last: int) -> Answer:
        """Answer queries; on a device, the answers may still be under way."""
        ready = prepare(self.learner, self.base)
        answer: Answer = self.learner.answer(ready, self._batch(first, last))
        return answer

    def finish(self, answer: Answer) -> Outputs:
        """What is wanted of some answers."""
        check_finite(answer, self.learner.target.kind)
        return tuple(getattr(answer, name) for name in self.outputs)

    def _batch(self, first: int, last: int) -> Batch:
        """The queries ``first..last - 1``, coded."""
        if isinstance(self.rows, Queries):
            whole = Batch(self.base, self.base.cases, self.rows, self.excluded)
            return whole.part(first, last)
        reads = getattr(self.learner, "reads_bins", None)
        bins = reads is None or reads(self.base)
        found = encode_matrix(self.base, self.rows[first:last], bins=bins)
        if found is None:
            raise NotPlainError
        return Batch(self.base, self.base.cases, found)  # no case is left out of these


def check_finite(answer: Answer, kind: Kind) -> None:
    """Refuse an answer that is NaN or infinite: it would be none.

    Parameters
    ----------
    answer : Answer
    kind : {"nominal", "numeric"}
        What the target is.
    """
    finite = _find_finite(answer, kind)
    if not finite.all():
        query = int(np.flatnonzero(~finite)[0])
        raise BadInputError(
            f"the answer to query {query} (counted in its batch) is beyond what a "
            "float holds; numbers of X, y, weights or parameters are too large or too "
            "small. Scale them, for example to a largest value of 1."
        )


def _find_finite(answer: Answer, kind: Kind) -> NDArray[np.bool_]:
    """Which queries have an answer in floats; of what decided where that is known.

    Class probabilities cost as much as naive Bayes itself, and often nobody wants them.
    """
    finite: NDArray[np.bool_] | None = getattr(answer, "finite", None)
    if finite is not None:
        return finite
    output = "probabilities" if kind == "nominal" else "values"
    found = getattr(answer, output, None)  # None: only the attributes were asked for
    return np.ones(0, bool) if found is None else np.isfinite(found).all(axis=1)


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
        Slices at a time; see `sklazy.backends.count_workers`.
    excluded : int64 array of shape (n_queries,), optional
        The cases that the queries are, which must not count.

    Returns
    -------
    arrays : tuple, one array for each output
    """
    base = base if excluded is None else base.joined()
    work = Work(learner, base, rows, excluded, tuple(outputs))
    n_queries = len(rows.codes if isinstance(rows, Queries) else rows)
    effort = prepare(learner, base).effort
    room, each = working_bytes(), effort.memory + _cell_bytes(base)
    if n_queries * each <= room >= _BLOCKS:
        return _answer_all(work, n_queries, effort, n_jobs)
    share = room / current_backend().count_workers(n_jobs)
    effort = effort._replace(most=max(1, min(effort.most, int(share / each))))
    with limit_memory(share):
        return _answer_all(work, n_queries, effort, n_jobs)


def working_bytes() -> float:
    """What temporary arrays may take: `working_memory` of scikit-learn's."""
    mebibytes: float = get_config()["working_memory"]
    return mebibytes * 2**20


def _cell_bytes(base: CaseBase) -> float:
    """What a query takes in any slice: its cells, its attributes, its classes."""
    return 24.0 * len(base.names) + 24.0 * len(base.class_labels) + 64.0


def _answer_all(
    work: Work, n_queries: int, effort: Effort, n_jobs: int | None
) -> Outputs:
    """Answer all queries, by slices that suit the effort."""
    if effort.ahead and work.excluded is None:
        return _look_ahead(work, n_queries, effort.ahead)
    if effort.nanoseconds * n_queries < _WORTH_TIMING or effort.fewest >= n_queries:
        return _answer_at_once(work, _cut(n_queries, effort, n_jobs), n_jobs)
    with Progress("answering", total=n_queries) as progress:
        parts, first, effort = _time_some(work, n_queries, effort, progress.advance)
        left = n_queries - first
        slices = [(first + a, first + b) for a, b in _cut(left, effort, n_jobs) if left]
        n_workers = min(current_backend().count_workers(n_jobs), max(len(slices), 1))
        progress.expect(1e-9 * effort.nanoseconds * left / n_workers, effort.faster)
        parts += current_backend().run(work, slices, n_jobs, progress.advance)
    return _join(parts)


def _answer_at_once(work: Work, slices: list[Slice], n_jobs: int | None) -> Outputs:
    """Answer queries that take so little time that nobody waits."""
    if len(slices) == 1:
        return work(*slices[0])
    if work.excluded is not None:
        work(0, 1)  # what left-out rows share is found before slices run side by side
    return _join(current_backend().run(work, slices, n_jobs, lambda _: None))


def _join(parts: Sequence[Outputs]) -> Outputs:
    """The outputs of slices in one array each."""
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))


def _look_ahead(work: Work, n_queries: int, size: int) -> Outputs:
    """Answer slice by slice in this thread, the next ones under way meanwhile."""
    found: list[Outputs] = []
    under_way: deque[Answer] = deque()
    for first in range(0, max(n_queries, 1), size):
        under_way.append(work.start(first, min(n_queries, first + size)))
        if len(under_way) > _AHEAD:
            found.append(work.finish(under_way.popleft()))
    found += [work.finish(answer) for answer in under_way]
    return found[0] if len(found) == 1 else _join(found)


def _time_some(
    work: Work, n_queries: int, effort: Effort, done: Callable[[int], None]
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
        parts.append(work(first, last))
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
