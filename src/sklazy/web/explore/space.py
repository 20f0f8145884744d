"""Distances between cases, as the model measures them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.answer import prepare
from sklazy.answer.batch import batch_of_cases
from sklazy.casebase import CaseBase
from sklazy.casebase.columns import ranges_of
from sklazy.flow import Queries
from sklazy.methods.blends.learner import BlendCases
from sklazy.methods.blends.members import LearnerMember
from sklazy.methods.kernel_models.coding import code_queries
from sklazy.methods.kernel_models.data import KernelData
from sklazy.web.explore.state import Floats, Ints, State


@dataclass(frozen=True, eq=False)
class DistanceSpace:
    """The coordinates of rows, and how distances are computed.

    Attributes
    ----------
    places : float64 array of shape (n_rows, n_attributes)
        Scaled numbers, or codes; NaN if missing.
    nominal : bool array of shape (n_attributes,)
    weights, absents : float64 arrays of shape (n_attributes,)
        The weight of a difference, and the difference of a missing cell.
    power : {1, 2}
        Exponent of the differences.
    """

    places: Floats
    nominal: NDArray[np.bool_]
    weights: Floats
    absents: Floats
    power: int

    def measure(self, place: Floats) -> Floats:
        """The distances of all rows from one point."""
        total = np.zeros(len(self.places))
        for j in np.flatnonzero(self.weights).tolist():
            with np.errstate(invalid="ignore", over="ignore"):
                apart = np.abs(self.places[:, j] - place[j])
            if self.nominal[j]:
                apart = np.where(apart > 0, 1.0, apart)
            apart = np.where(np.isnan(apart), self.absents[j], apart)
            total += self.weights[j] * apart**self.power
        return total if self.power == 1 else np.sqrt(total)


def learner_space(state: State, rows: Ints) -> tuple[DistanceSpace, str]:
    """Rows as the model measures them, and the distance in words."""
    data = _find_kernel(state)
    queries = batch_of_cases(state.base, state.places[rows]).queries
    if data is not None:
        return kernel_space(data, queries), (
            "city-block distance on ranks, with the weights of the kernel"
        )
    names = dict.fromkeys(state.names, 1.0)
    return heom_space(state.base, queries, names), "HEOM distance on all features"


def _find_kernel(state: State) -> KernelData | None:
    """The kernel of a model, or of a member of a blend."""
    learner = state.model._current_learner(state.base)
    ready: Any = prepare(learner, state.base)
    if isinstance(ready, KernelData):
        return ready
    if isinstance(ready, BlendCases):
        members = [m.learner for m in learner.members if isinstance(m, LearnerMember)]
        prepared = (prepare(member, state.base) for member in members)
        return next((data for data in prepared if isinstance(data, KernelData)), None)
    return None


def kernel_space(data: KernelData, queries: Queries) -> DistanceSpace:
    """Rows as a kernel model measures them."""
    columns = data.columns
    return DistanceSpace(
        code_queries(data.coding, queries),
        columns.nominal,
        columns.weights,
        columns.absents,
        1,
    )


def heom_space(
    base: CaseBase, queries: Queries, weights: dict[str, float]
) -> DistanceSpace:
    """Rows by HEOM: numbers divided by their range, labels equal or not."""
    cases, every = base.cases, np.arange(len(base.names))
    lows, highs = ranges_of(cases, every)
    with np.errstate(over="ignore"):
        widths = highs - lows
    nominal = (cases.numeric < 0) | ~(widths > 0)
    codes = np.where(queries.codes == -1, np.nan, queries.codes)
    safe = np.where(nominal, 1.0, widths)
    numbers = (queries.values - np.where(nominal, 0.0, lows)) / safe
    places = np.where(cases.numeric < 0, codes, numbers)
    by_column = np.array([weights.get(name, 0.0) for name in base.names])
    return DistanceSpace(places, nominal, by_column, np.ones(len(by_column)), 2)
