"""Every case answered by the others: what forgetting it and asking would give.

Most cases can stay where they are while they are asked for: a learner passes them by,
and counts and ranks without them follow from those with them. The others, on which
cuts or classes hang, are forgotten in a copy of the case base, one at a time.
"""

import copy
import warnings
from collections.abc import Iterator, Sequence

import numpy as np

from sklazy.answer.batch import Batch, Ints, batch_of_cases
from sklazy.answer.batches import Outputs, answer_queries, check_finite
from sklazy.answer.learner import AnyLearner
from sklazy.answer.target import Target
from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError, DataWarning
from sklazy.flow import Queries
from sklazy.report.progress import track


def leave_one_out(
    learner: AnyLearner,
    base: CaseBase,
    rows: Ints,
    outputs: Sequence[str],
    n_jobs: int | None = None,
) -> Outputs:
    """Answer for cases, each by all others.

    Equal to forgetting the case, asking for it, and adding it again.

    Parameters
    ----------
    learner : Learner
    base : CaseBase
    rows : int64 array
        Where the cases lie in the base.
    outputs : sequence of str
        What is wanted of the answers; see `answer_queries`.
    n_jobs : int, optional

    Returns
    -------
    arrays : tuple, one array for each output, in the order of `rows`
    """
    check_leaves_some(base)
    stay = learner.can_leave_out(base)[rows]
    if stay.all():
        return _exclude(learner, base, rows, outputs, n_jobs)
    forgotten = forget_each(learner, base, rows[~stay], outputs)
    if not stay.any():
        return forgotten
    excluded = _exclude(learner, base, rows[stay], outputs, n_jobs)
    return tuple(_merge(stay, *pair) for pair in zip(excluded, forgotten, strict=True))


def _exclude(
    learner: AnyLearner,
    base: CaseBase,
    rows: Ints,
    outputs: Sequence[str],
    n_jobs: int | None,
) -> Outputs:
    """Answer for cases that stay where they are."""
    queries = batch_of_cases(base, rows).queries
    return answer_queries(learner, base, queries, outputs, n_jobs=n_jobs, excluded=rows)


def _merge(first: np.ndarray, of_first: np.ndarray, of_rest: np.ndarray) -> np.ndarray:
    """Two arrays in one: rows of the first where the mask says so."""
    merged = np.empty((len(first), *of_first.shape[1:]), of_first.dtype)
    merged[first], merged[~first] = of_first, of_rest
    return merged


def forget_each(
    learner: AnyLearner, base: CaseBase, rows: Ints, outputs: Sequence[str]
) -> Outputs:
    """Answer for cases named by their place, each forgotten by itself."""
    found = []
    for others, query in each_without(base, rows, learner.target):
        answer = learner.answer(
            learner.prepare(others), Batch(others, others.cases, query)
        )
        check_finite(answer, learner.target.kind)
        found.append(
            [
                learner.target.recode(name, getattr(answer, name), others, base)
                for name in outputs
            ]
        )
    return tuple(np.concatenate(column) for column in zip(*found, strict=True))


def each_without(
    base: CaseBase, rows: Ints, target: Target
) -> Iterator[tuple[CaseBase, Queries]]:
    """All cases but one, and that one as a query, for each that is named by place.

    It is the same copy of the base every time, good until the next is asked for.
    """
    others, cases, table = copy.deepcopy(base), base.cases, base.to_table()
    for row in track(rows.tolist(), "leaving out"):
        own, one = base.ids[row : row + 1], table.take([row])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # frozen cuts: meant to stay
            others.forget(own)
        yield others, others.encode(one)
        weights = cases.weights[row : row + 1]
        others.add(one, target.of_case(base, row), weights=weights, ids=own)


def check_leaves_some(base: CaseBase) -> None:
    """Refuse to leave out the only row."""
    if base.n_rows == 1:
        raise BadInputError(
            "leave-one-out needs a second row; there is one only. Add rows first."
        )
