"""Every case answered by the others, as if it had been forgotten.

Most cases can stay in place while they are predicted: a learner skips them, and counts
and ranks without them follow from those with them. The others, on which cuts or classes
depend, are forgotten in a copy of the case base, one at a time.
"""

import copy
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Ints, batch_of_cases
from sklazy.answer.batches import Outputs, answer_queries, check_finite
from sklazy.answer.learner import AnyLearner, prepare
from sklazy.answer.target import Target
from sklazy.answer.threads import run_chunks
from sklazy.casebase import CaseBase
from sklazy.casebase.bins import rows_behind_cuts
from sklazy.casebase.choices import Choices
from sklazy.casebase.kinds import holds_last_value, times_of
from sklazy.casebase.moments import holds_weights
from sklazy.errors import BadInputError, DataWarning
from sklazy.flow import Chunk, Queries
from sklazy.report.progress import track

_STAY = 0.5  # of the rows: any age at which choices outlive none that come or go


def leave_one_out(
    learner: AnyLearner,
    base: CaseBase,
    rows: Ints,
    outputs: Sequence[str],
    n_jobs: int | None = None,
    *,
    settled: bool = False,
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
        Outputs to return; see `answer_queries`.
    n_jobs : int, optional
    settled : bool, default=False
        Whether balanced weights of classes stay those of all rows.

    Returns
    -------
    arrays : tuple, one array for each output, in the order of `rows`
    """
    check_leaves_some(base)
    # Every row is asked about, so all must be at hand, and choices are made by them.
    base = base.joined().current()
    bound = holds_last_value(base) | holds_weights(base, settled=settled)
    stay = (learner.can_leave_out(base) & ~bound)[rows]
    if stay.all():
        return _exclude(learner, base, rows, outputs, n_jobs)
    others = _settle(base) if settled and base.schema.balanced else base
    forgotten = forget_each(learner, others, rows[~stay], outputs)
    if not stay.any():
        return forgotten
    excluded = _exclude(learner, base, rows[stay], outputs, n_jobs)
    return tuple(_merge(stay, *pair) for pair in zip(excluded, forgotten, strict=True))


def _settle(base: CaseBase) -> CaseBase:
    """A copy whose weights stay as they count now."""
    others = copy.deepcopy(base)
    others.settle_weights()
    return others


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
    """Two arrays in one: rows of the first where the mask is True."""
    merged = np.empty((len(first), *of_first.shape[1:]), of_first.dtype)
    merged[first], merged[~first] = of_first, of_rest
    return merged


def forget_each(
    learner: AnyLearner, base: CaseBase, rows: Ints, outputs: Sequence[str]
) -> Outputs:
    """Answer for cases named by their place, each forgotten by itself."""
    found = []
    for others, query in each_without(base, rows, learner.target):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # what was warned of is known
            ready = learner.prepare(others)
        answer = learner.answer(ready, Batch(others, others.cases, query))
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

    Valid until the next one is taken: it may be the same copy every time.
    """
    others, table, ids = _copy(base), base.to_table(), base.ids
    in_turn = base.half_life is not None and not base.schema.clock
    for row in track(rows.tolist(), "leaving out", noun="rows"):
        own, one = ids[row : row + 1], table.take([row])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # frozen cuts: meant to stay
            others.forget(own)
        yield others, others.encode(one)
        if in_turn:  # added again, it would be the newest
            others = _copy(base)
            continue
        gone = base.rows.take(np.array([row]))
        weights, times = gone.weights, times_of(base, gone)
        given = target.of_case(base, row)
        others.add(one, given, weights=weights, times=times, ids=own)


def leave_groups_out(
    learner: AnyLearner,
    base: CaseBase,
    rows: Ints,
    groups: Ints,
    outputs: Sequence[str],
    n_jobs: int | None = None,
) -> Outputs:
    """Answer for cases, each by those of other groups.

    Equal to forgetting the group and asking for the case. A group costs a copy of the
    cases and all that is derived from them before the first question.

    Parameters
    ----------
    learner, base, rows, outputs, n_jobs
        As for `leave_one_out`.
    groups : int64 array of shape (n_rows,)
        The group of every row of the base.
    """
    check_leaves_some(base)
    base = base.joined().current()
    table, of_asked = base.to_table(), groups[rows]
    places, found = [], []
    parts = np.unique(of_asked).tolist()
    for group in track(parts, "leaving out", noun="parts of the rows"):
        others = without_rows(base, np.flatnonzero(groups == group))
        places.append(np.flatnonzero(of_asked == group))
        queries = others.encode(table.take(rows[places[-1]].tolist()))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # what was warned of is known
            prepare(learner, others)
        answers = answer_queries(learner, others, queries, outputs, n_jobs=n_jobs)
        recode = learner.target.recode
        found.append(
            [
                recode(name, values, others, base)
                for name, values in zip(outputs, answers, strict=True)
            ]
        )
    return _join(places, found)


def leave_out_by_choices(
    learner: AnyLearner,
    base: CaseBase,
    rows: Ints,
    groups: Ints,
    outputs: Sequence[str],
    n_jobs: int | None = None,
) -> Outputs:
    """Answer for cases, each by all others, with choices made by other groups.

    A group costs these choices, and what follows from them for all cases.

    Parameters
    ----------
    learner : Learner
        One that `keeps_choices`.
    base, rows, groups, outputs, n_jobs
        As for `leave_groups_out`.
    """
    check_leaves_some(base)
    base = base.joined().current()
    of_asked = groups[rows]
    places, found = [], []
    parts = np.unique(of_asked).tolist()
    for group in track(parts, "leaving out", noun="parts of the rows"):
        places.append(np.flatnonzero(of_asked == group))
        chosen = _choose_without(learner, base, np.flatnonzero(groups == group))
        quick, asked = at_once(learner, chosen), rows[places[-1]]
        found.append(leave_one_out(quick, chosen, asked, outputs, n_jobs))
    return _join(places, found)


def _choose_without(learner: AnyLearner, base: CaseBase, rows: Ints) -> CaseBase:
    """A copy of all cases, with choices made without some of them."""
    others, whole = without_rows(base, rows), _copy(base)
    others.choices = Choices(_STAY)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # what was warned of is known
        prepare(learner, others)
    whole.choices = others.choices.lend()
    return whole


def _join(places: Sequence[Ints], found: Sequence[Sequence[np.ndarray]]) -> Outputs:
    """Answers for parts of the cases as one, by their place."""
    order = np.argsort(np.concatenate(places))
    return tuple(np.concatenate(column)[order] for column in zip(*found, strict=True))


def without_rows(base: CaseBase, rows: Ints) -> CaseBase:
    """A copy of a base that has forgotten some rows."""
    if len(rows) == base.n_rows:
        raise BadInputError(
            "groups, or a block of ids, has all cases, so n_samples=0 are left to "
            "learn from; give at least two groups, or fewer ids."
        )
    others = _copy(base)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # frozen cuts: meant to stay
        others.forget(base.ids[rows])
    return others


def _copy(base: CaseBase) -> CaseBase:
    """A copy that forgets rows one after the other, and chooses by the rest."""
    others = copy.deepcopy(base)
    others.choices = Choices()
    return others


def at_once(learner: AnyLearner, base: CaseBase) -> AnyLearner:
    """The learner that leaves rows out at once, where it can: what was chosen stays."""
    quick: Any = learner
    if hasattr(quick, "settle"):
        quick = quick.settle(base)
    if hasattr(quick, "approximate"):
        quick = replace(quick, approximate=True)
    return cast(AnyLearner, quick)


def check_leaves_some(base: CaseBase) -> None:
    """Refuse to leave out the only row."""
    if base.n_rows == 1:
        raise BadInputError(
            "leave-one-out needs a second row, but there is only one. Add rows first."
        )


def classes_stay(base: CaseBase) -> NDArray[np.bool_]:
    """Which rows can be forgotten without their class: declared, or of several rows."""
    classes = base.cases.classes[: base.n_rows]
    n_declared = len(base.schema.classes)
    return (base.cases.class_counts[classes] > 1) | (classes < n_declared)


def cuts_stay(base: CaseBase, n_jobs: int | None) -> NDArray[np.bool_]:
    """Which rows can be forgotten without moving a cut."""

    def run(chunk: Chunk, n: int) -> None:
        run_chunks(chunk, n, n_jobs, float(n) * base.n_rows)

    return ~base.derive(rows_behind_cuts, lambda: rows_behind_cuts(base, run))
