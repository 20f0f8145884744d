"""Reasons for receipts: what features add, what cases move, what would change it."""

import math
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.answer import AnyLearner, Batch, prepare
from sklazy.answer.learner import Answer
from sklazy.answer.reasons import (
    Shares,
    Wish,
    ask_with_few,
    map_features,
    pick_outputs,
)
from sklazy.casebase import CaseBase
from sklazy.estimators.changes import ChangeTask, find_quick_change
from sklazy.estimators.contributions import (
    choose_outputs,
    name_outputs,
    trace_paths,
)
from sklazy.flow import Queries
from sklazy.methods.blends.learner import BlendAnswer, BlendLearner
from sklazy.methods.blends.members import LearnerMember
from sklazy.methods.family import find_contributions
from sklazy.methods.kernel_models.learner import KernelAnswer
from sklazy.methods.plain import Plain, describe_cases, describe_queries
from sklazy.methods.selection.bayes import BayesWork
from sklazy.methods.selection.result import SelectionAnswer
from sklazy.receipts.families import FAMILIES_BY_ANSWER, family_of
from sklazy.receipts.reasons import FEWER_CASES, MOST_CASES
from sklazy.tables import Table

Floats = NDArray[np.float64]

_MOST_LEFT_OUT = 5000  # cases: of more it takes seconds to leave each out
_MOST_TRIED = 20_000  # cases whose values are tried
_MOST_CELLS = 4_000_000  # of the cases, where reasons are found by asking again
_N_CHANGED = 3  # features whose values are tried
_FEW = 1, 2, 3, 5, 8  # features that are tried alone


class HeldState:
    """A state of a case base that stays as it is as long as this object lives."""

    def __init__(self, base: CaseBase) -> None:
        snapshot = base.snapshot()
        self.cases = snapshot.__enter__()
        weakref.finalize(self, snapshot.__exit__).atexit = False


def can_explain(answer: Answer, n_cells: int) -> bool:
    """Whether reasons are found in seconds: by a formula, or by asking few cells."""
    formula = family_of(type(answer)).contribute
    if isinstance(answer, SelectionAnswer) and not isinstance(answer.work, BayesWork):
        formula = None
    return formula is not None or n_cells <= _MOST_CELLS


@dataclass(frozen=True, eq=False)
class Reasoner:
    """Finds why queries were answered so, one at a time.

    Attributes
    ----------
    held : HeldState
    learner : Learner
    queries : Queries
    table : Table of the queries, or None where all columns are plain numbers
    n_jobs : int, optional
    """

    held: HeldState
    learner: AnyLearner
    queries: Queries
    table: Table | None
    n_jobs: int | None

    def describe(self, query: int) -> Plain:
        """Describe the reasons for one answer, as plain data."""
        cases, here = self.held.cases, slice(query, query + 1)
        row = Queries(self.queries.codes[here], self.queries.values[here])
        table = None if self.table is None else self.table.take(np.array([query]))
        batch, learner = Batch(cases, cases.cases, row), trace_paths(self.learner)
        answer = learner.answer(prepare(learner, cases), batch)
        outputs = choose_outputs(cases, answer, None)
        wish = Wish(outputs, map_features(cases), table=table)
        shares = find_contributions(
            learner, batch, wish, FAMILIES_BY_ANSWER, answer=answer, n_jobs=self.n_jobs
        )
        cells = describe_queries(cases, row, table)[0]
        found = {
            "of": name_outputs(cases, outputs).tolist()[0],
            "base": float(shares.base[0]),
            "answer": float(shares.answer[0]),
            "features": _list_features(cases, shares, cells),
        }
        return {
            **found,
            "cases": self._list_cases(answer, batch, wish, shares),
            "change": self._find_change(row, wish, shares),
            "enough": self._find_enough(batch, wish, shares),
        }

    def _list_cases(
        self, answer: Answer, batch: Batch, wish: Wish, shares: Shares
    ) -> Plain | None:
        """The cases that move the answer most, for and against, and their sums."""
        cases = self.held.cases
        if not 1 < cases.n_rows <= _MOST_LEFT_OUT:
            return None
        influence, member = _measure_influence(self.learner, answer, batch, wish)
        if influence is None:
            return None
        way = find_way(cases, shares)
        raising, lowering = choose_cases(influence, way)
        return {
            "for": float(influence[influence > 0].sum()),
            "against": float(influence[influence < 0].sum()),
            "member": member,
            "listed_for": _name_cases(cases, influence, raising),
            "listed_against": _name_cases(cases, influence, lowering),
        }

    def _find_change(self, row: Queries, wish: Wish, shares: Shares) -> Plain | None:
        """A change of one of the leading features that changes the answer most."""
        cases = self.held.cases
        if not 1 < cases.n_rows <= _MOST_TRIED:
            return None
        joined, output = cases.joined(), int(wish.outputs[0])
        values = shares.values[0]
        sizes = values if cases.class_labels else np.abs(values)
        leading = np.argsort(-sizes, kind="stable")[:_N_CHANGED]
        leading = leading[sizes[leading] > 0]
        task = ChangeTask(self.learner, joined, wish.features, row, self.n_jobs)
        change = find_quick_change(task, leading.tolist(), output)
        if change is None:
            return None
        return {**change, "unit": _find_units(cases).get(change["name"], "")}

    def _find_enough(self, batch: Batch, wish: Wish, shares: Shares) -> Plain | None:
        """The fewest leading features that give nearly the same answer alone."""
        cases, output = self.held.cases, int(wish.outputs[0])
        order = np.argsort(-np.abs(shares.values[0]), kind="stable")
        order = order[shares.values[0, order] != 0]
        sizes = [size for size in _FEW if size < len(order)]
        if not sizes:
            return None
        keeps = np.zeros((len(sizes), len(wish.features.names)), np.bool_)
        for i, size in enumerate(sizes):
            keeps[i, order[:size]] = True
        outputs = ask_with_few(self.learner, batch, wish, keeps)
        off = np.abs(outputs[:, output] - shares.answer[0])
        fits = off <= _find_tolerance(cases, output)
        if cases.class_labels:
            fits &= outputs.argmax(axis=1) == output
        if not fits.any():
            return None
        first = int(np.argmax(fits))
        names = [wish.features.names[j] for j in order[: sizes[first]].tolist()]
        return {"names": names, "output": float(outputs[first, output])}


def _find_tolerance(cases: CaseBase, output: int) -> float:
    """How far an answer by few features may be off: 5 points, or a tenth of a std."""
    if cases.class_labels:
        return 0.05
    spread = describe_cases(cases)["targets"][output]["std"]
    return 0.1 * (spread or 0.0)


def _list_features(cases: CaseBase, shares: Shares, cells: list[Plain]) -> list[Plain]:
    """The features and their contributions, the largest first."""
    features, units = map_features(cases), _find_units(cases)
    values, errors = shares.values[0], shares.errors[0]
    first = {int(f): j for j, f in reversed(list(enumerate(features.of_attribute)))}
    return [
        {
            "name": features.names[j],
            "value": cells[first[j]]["value"] if j in first else None,
            "unit": units.get(features.names[j], ""),
            "contribution": float(values[j]),
            "error": float(errors[j]),
        }
        for j in np.argsort(-np.abs(values), kind="stable").tolist()
    ]


def _find_units(cases: CaseBase) -> dict[str, str]:
    """The units of amounts: currency, percent, or another that cells named."""
    return {
        origin.name: origin.reading.unit
        for origin in cases.schema.origins
        if origin.reading is not None and origin.reading.style == "amount"
    }


def _measure_influence(
    learner: AnyLearner, answer: Answer, batch: Batch, wish: Wish
) -> tuple[Floats | None, Plain | None]:
    """The influence of each case in canonical order, and the member it comes through.

    None where the method has no formula for it.
    """
    if isinstance(answer, KernelAnswer):
        return _leave_each_out(learner, answer, batch, wish), None
    if not isinstance(answer, BlendAnswer):
        return None, None
    assert isinstance(learner, BlendLearner)
    ready = answer.ready
    for member in learner.members:
        i = ready.names.index(member.name) if member.name in ready.names else -1
        kernel = answer.by_member[i].answer
        if i < 0 or not ready.weights[i] or not isinstance(kernel, KernelAnswer):
            continue
        assert isinstance(member, LearnerMember)
        power = float(ready.powers[i]) if answer.base.class_labels else None
        tempered, weight = wish._replace(power=power), float(ready.weights[i])
        moved = _leave_each_out(member.learner, kernel, batch, tempered)
        return weight * moved, {"name": member.name, "weight": weight}
    return None, None


def _leave_each_out(
    learner: AnyLearner, answer: KernelAnswer, batch: Batch, wish: Wish
) -> Floats:
    """The answer less the answer without each case."""
    formula = family_of(KernelAnswer).answer_without
    assert formula is not None
    blocks = [np.array([row]) for row in batch.base.order.tolist()]
    without = formula(learner, answer, batch, wish, blocks)
    return np.asarray(pick_outputs(answer, wish)[0] - without[0])


def find_way(cases: CaseBase, shares: Shares) -> float:
    """Which way cases listed for an answer move it: 1 up, -1 down, 0 neither.

    Up for a class; for a number that way in which it is off the base.
    """
    if cases.class_labels:
        return 1.0
    return float(np.sign(shares.answer[0] - shares.base[0]))


def choose_cases(
    influence: Floats, way: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The cases to list: those that raise an answer most, those that lower it most.

    Cases that move it the other way are listed, the largest first, as long as they do
    not outweigh those that move it its own way, of which more are listed if need be.

    Parameters
    ----------
    influence : float64 array of shape (n_cases,)
    way : float
        See `find_way`.

    Examples
    --------
    >>> moved = np.array([0.5, -0.4, 0.1, -0.3])
    >>> for way in (1, -1, 0):
    ...     print([places.tolist() for places in choose_cases(moved, way)])
    [[0, 2], [1]]
    [[0, 2], [1, 3]]
    [[0, 2], [1, 3]]
    """
    order = np.argsort(-influence, kind="stable")
    raising, lowering = order[:MOST_CASES], order[::-1][:MOST_CASES]
    raising = raising[influence[raising] > 0]
    lowering = lowering[influence[lowering] < 0]
    if not way:
        return raising[:FEWER_CASES], lowering[:FEWER_CASES]
    sides = (raising, lowering) if way > 0 else (lowering, raising)
    n_with, n_other = _count_listed(*(np.abs(influence[side]) for side in sides))
    if way > 0:
        return raising[:n_with], lowering[:n_other]
    return raising[:n_other], lowering[:n_with]


def _count_listed(ours: Floats, others: Floats) -> tuple[int, int]:
    """How many cases are listed that move an answer its way, and the other way."""
    sums = [math.fsum(ours[:n]) for n in range(1, len(ours) + 1)]
    against = [math.fsum(others[:n]) for n in range(1, FEWER_CASES + 1)]
    against = against[: len(others)]
    n_other = sum(one <= sums[-1] for one in against) if sums else 0
    least = against[n_other - 1] if n_other else 0.0
    n_needed = 1 + next((n for n, one in enumerate(sums) if one >= least), 0)
    return max(n_needed, FEWER_CASES), n_other


def _name_cases(
    cases: CaseBase, influence: Floats, places: NDArray[np.int64]
) -> list[Plain]:
    taken = cases.take(cases.order[places])
    if cases.class_labels:
        codes = taken.classes.tolist()
        targets: list[Any] = [cases.class_labels[code] for code in codes]
    else:
        targets = taken.targets[0].tolist()
    moved = influence[places].tolist()
    keys = ("id", "target", "influence")
    return [
        dict(zip(keys, row, strict=True))
        for row in zip(taken.ids.tolist(), targets, moved, strict=True)
    ]
