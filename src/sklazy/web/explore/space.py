"""Distances between cases as the learner sees them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.answer import prepare
from sklazy.answer.batch import batch_of_cases
from sklazy.answer.blends import BlendCases, LearnerMember
from sklazy.answer.kernel_models.data import KernelData
from sklazy.casebase import CaseBase
from sklazy.casebase.columns import ranges_of
from sklazy.flow import Queries
from sklazy.local.kernel_models.coding import code_queries
from sklazy.web.explore.state import Floats, Ints, State


@dataclass(frozen=True, eq=False)
class Space:
    """Where rows stand, and how far from each other.

    Attributes
    ----------
    places : float64 array of shape (n_rows, n_attributes)
        Numbers on a scale, or codes; NaN where missing.
    nominal : bool array of shape (n_attributes,)
    weights, absents : float64 arrays of shape (n_attributes,)
        What a difference is multiplied by, and that of a missing cell.
    power : {1, 2}
        Of the differences that are added up.
    """

    places: Floats
    nominal: NDArray[np.bool_]
    weights: Floats
    absents: Floats
    power: int

    def measure(self, place: Floats) -> Floats:
        """The distances of all rows from one place."""
        total = np.zeros(len(self.places))
        for j in np.flatnonzero(self.weights).tolist():
            with np.errstate(invalid="ignore", over="ignore"):
                apart = np.abs(self.places[:, j] - place[j])
            if self.nominal[j]:
                apart = np.where(apart > 0, 1.0, apart)
            apart = np.where(np.isnan(apart), self.absents[j], apart)
            total += self.weights[j] * apart**self.power
        return total if self.power == 1 else np.sqrt(total)


def learner_space(state: State, rows: Ints) -> tuple[Space, str]:
    """Rows as the learner measures them, and how that is, in words."""
    data = _kernel_of(state)
    queries = batch_of_cases(state.base, state.places[rows]).queries
    if data is not None:
        return kernel_space(data, queries), (
            "city-block distance on ranks, attributes weighed by the kernel"
        )
    names = dict.fromkeys(state.names, 1.0)
    return heom_space(state.base, queries, names), "HEOM distance on all attributes"


def _kernel_of(state: State) -> KernelData | None:
    """The kernel of a model, or of the blend's member that is one."""
    learner = state.model._current_learner(state.base)
    ready: Any = prepare(learner, state.base)
    if isinstance(ready, KernelData):
        return ready
    if isinstance(ready, BlendCases):
        for member in learner.members:
            own = (
                prepare(member.learner, state.base)
                if isinstance(member, LearnerMember)
                else None
            )
            if isinstance(own, KernelData):
                return own
    return None


def kernel_space(data: KernelData, queries: Queries) -> Space:
    """Rows as a kernel model sees them."""
    columns = data.columns
    return Space(
        code_queries(data.coding, queries),
        columns.nominal,
        columns.weights,
        columns.absents,
        1,
    )


def heom_space(base: CaseBase, queries: Queries, weights: dict[str, float]) -> Space:
    """Rows by HEOM: numbers by their range, labels equal or not."""
    cases, every = base.cases, np.arange(len(base.names))
    lows, highs = ranges_of(cases, every)
    with np.errstate(over="ignore"):
        widths = highs - lows
    nominal = (cases.numeric < 0) | ~(widths > 0)
    codes = np.where(queries.codes == -1, np.nan, queries.codes)
    safe = np.where(nominal, 1.0, widths)
    numbers = (queries.values - np.where(nominal, 0.0, lows)) / safe
    places = np.where(cases.numeric < 0, codes, numbers)
    own = np.array([weights.get(name, 0.0) for name in base.names])
    return Space(places, nominal, own, np.ones(len(own)), 2)
