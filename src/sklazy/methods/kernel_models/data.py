"""Cases made ready for kernel models: coded, weighed, with settings chosen."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor

from sklazy.answer.learner import Effort
from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError
from sklazy.flow import KernelColumns
from sklazy.methods.kernel_models.choice import KernelSettings, measure_all
from sklazy.methods.kernel_models.coding import Coding, make_coding
from sklazy.methods.kernel_models.drawn import find_values, solve_by_landmarks
from sklazy.methods.kernel_models.landmarks import Landmarks
from sklazy.methods.kernel_models.limits import Limits
from sklazy.methods.kernel_models.outcomes import (
    Targets,
    choose,
    find_information,
    find_outcomes,
    find_targets,
)
from sklazy.methods.kernel_models.solution import (
    Solution,
    mean_of_all,
    mean_of_others,
    solve,
    weigh_system,
)
from sklazy.methods.row_weights import RowWeights, find_row_weights
from sklazy.report.progress import Progress

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MOST_QUERIES = 1024
_DEVICE_SLICES = 1 << 13, 1 << 14
_N_STAGES = 4  # of which the last two take longest


class KernelData(NamedTuple):
    """Cases made ready for kernel models, all in canonical order.

    Attributes
    ----------
    base : CaseBase
    limits : Limits
    rows : int64 array of shape (n_rows,)
        Where each case lies in the base.
    coding : Coding
    information : float64 array of shape (n_attributes,)
    settings : KernelSettings
    targets : float64 array of shape (n_rows, n_targets)
        An indicator of each class that has cases, or numbers in `unit`.
    present : int64 array of shape (n_targets,)
        The classes that have cases.
    unit : float
        The factor of the numbers, so that they can be squared.
    solution : Solution, Landmarks, or None where each query's nearest are solved
    weights : RowWeights, or None where all cases weigh 1
    device : str, or None for the CPU
        Where queries are answered.
    """

    base: CaseBase
    limits: Limits
    rows: Ints
    coding: Coding
    information: Floats
    settings: KernelSettings
    targets: Floats
    present: Ints
    unit: float
    solution: Solution | Landmarks | None
    weights: RowWeights | None = None
    device: str | None = None

    @property
    def columns(self) -> KernelColumns:
        """All cases as the kernel sees them."""
        coding, weights = self.coding, self.settings.weights
        values = find_values(self.base, coding, self.limits)
        return KernelColumns(values, coding.nominal, coding.absents, weights)

    @property
    def center(self) -> Floats:
        """The mean of the targets: shares of classes, or of numbers; (n_targets,)."""
        return mean_of_all(self.targets, self.weights)

    @property
    def roots(self) -> Floats:
        """The roots of the cases' weights, (n_rows,)."""
        if self.weights is None:
            return np.ones(len(self.rows))
        return np.sqrt(self.weights.values)

    @property
    def anchors(self) -> KernelColumns:
        """The cases that answers are sums over: all, or landmarks."""
        solution = self.solution
        return solution.columns if isinstance(solution, Landmarks) else self.columns

    @property
    def anchor_places(self) -> Ints | None:
        """Their places in canonical order, or None for all."""
        return self.solution.places if isinstance(self.solution, Landmarks) else None

    def find_centers(self, hidden: Ints) -> Floats:
        """The mean of the targets that queries see, (n_queries, n_targets).

        `hidden` is the place of the case that each does not see, or -1.
        """
        # Only where there are no weights: systems of the nearest take none.
        centers = np.tile(self.center, (len(hidden), 1))
        left = hidden >= 0
        if left.any():
            centers[left] = mean_of_others(self.targets, hidden[left])
        return centers

    def count_near(self, hidden: Ints) -> int:
        """How many cases have a system of a query's own, where some hide one."""
        return min(self.limits.n_neighbors, len(self.rows) - int((hidden >= 0).any()))

    @property
    def effort(self) -> Effort:
        """Distances to all cells, and a system of the nearest where there is none."""
        n_targets, values = self.targets.shape[1], self.anchors.values
        n_rows = values.shape[1]
        if self.device is not None:
            return Effort(1000.0 + values.size / 1e3, *_DEVICE_SLICES)
        cost = 1000.0 + 0.5 * values.size + n_rows * (10.0 + n_targets)
        memory = 8.0 * n_targets
        if self.solution is None:
            n_near = float(min(self.limits.n_neighbors, n_rows))
            cost += n_near**2 * (5.0 + 0.5 * len(values) + n_targets)
            cost += 0.2 * n_near**3
            memory += 16.0 * n_near
        return Effort(cost, 1, _MOST_QUERIES, memory=memory)


def prepare_kernel(base: CaseBase, limits: Limits) -> KernelData:
    """Code the cases, weigh attributes, choose settings, and solve if all are solved.

    Rows are taken in canonical order, so that no digit depends on the order they came
    in, and the first ones are a fair draw.
    """
    weights = find_row_weights(base)
    targets, solution = find_targets(base, weights), None
    work = "preparing the kernel model"
    with Progress(work, total=_N_STAGES, noun="steps") as progress:

        def advance(note: str) -> None:
            progress.advance(note=note)

        if limits.has_landmarks(base.n_rows):
            known = base, limits, targets, weights, advance
            chosen, solution = solve_by_landmarks(*known)
            found = chosen.coding, chosen.information, chosen.settings
        else:
            found = _choose_by_all(base, limits, targets, weights, advance)
        data = KernelData(base, limits, base.order, *found, *targets, solution, weights)
        if base.n_rows <= limits.max_rows:
            data = data._replace(solution=_solve(data))
        elif solution is None:
            _refuse_weights(weights, limits)
    return data


def _choose_by_all(
    base: CaseBase,
    limits: Limits,
    targets: Targets,
    weights: RowWeights | None,
    advance: Callable[[str], None],
) -> tuple[Coding, Floats, KernelSettings]:
    """Ranks by all rows, settings by the first."""
    own = None if weights is None else weights.values
    coding = base.choose(
        make_coding, lambda: make_coding(base.cases, base.order, own), holds_rows=True
    )

    def settle() -> tuple[Floats, KernelSettings]:
        advance("weighing columns")
        outcomes = find_outcomes(base, base.order, targets, weights)
        information = find_information(base, coding, outcomes, limits)
        advance("choosing settings")
        values = find_values(base, coding, limits)
        ones = np.ones(len(values))
        columns = KernelColumns(values, coding.nominal, coding.absents, ones)
        settings = choose(columns, information, outcomes, limits)
        advance("solving")
        return information, settings

    return coding, *base.choose((choose, limits), settle)


def _solve(data: KernelData) -> Solution:
    """Solve with all rows, the settings being known."""
    settings = data.settings
    similarities = measure_similarities(data.columns, settings.rate)
    return solve(similarities, settings.ridge, data.targets, data.weights)


def _refuse_weights(weights: RowWeights | None, limits: Limits) -> None:
    if weights is not None:
        raise BadInputError(
            "n_landmarks=0 solves the nearest rows of each query, which takes no "
            "weights of rows (sample_weight, half_life). Leave n_landmarks at None, or "
            f"raise max_rows={limits.max_rows}."
        )


def measure_similarities(columns: KernelColumns, rate: float) -> Floats:
    """The similarities of all rows to each other."""
    similarities: Floats = np.exp(measure_all(columns) * -rate)
    return similarities


def factorize(
    columns: KernelColumns, settings: KernelSettings, weights: RowWeights | None
) -> tuple[NDArray[Any], bool]:
    """The system of all rows, as `scipy.linalg.cho_solve` takes it."""
    system = measure_similarities(columns, settings.rate)
    if weights is not None:
        system = weigh_system(system, weights)
    system[np.diag_indices_from(system)] += settings.ridge
    return cho_factor(system, lower=True)
