"""Cases made ready for kernel models: coded, weighed, with settings chosen."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor

from sklazy.answer.learner import Effort
from sklazy.casebase import CaseBase
from sklazy.flow import KernelColumns
from sklazy.measures.magnitudes import find_unit
from sklazy.methods.kernel_models.choice import (
    SHARES,
    WIDTHS_OF_CLASSES,
    WIDTHS_OF_NUMBERS,
    ClassJudge,
    Judge,
    KernelSettings,
    NumberJudge,
    choose_settings,
    measure_all,
)
from sklazy.methods.kernel_models.coding import (
    Coding,
    bin_cases,
    bin_numbers,
    code_cases,
    make_coding,
    rank_cases,
)
from sklazy.methods.kernel_models.descent import descend
from sklazy.methods.kernel_models.gains import N_PATHS, measure_gains
from sklazy.methods.kernel_models.landmarks import (
    Landmarks,
    count_landmarks,
    solve_landmarks,
    take_rows,
)
from sklazy.methods.kernel_models.refine import refine_settings
from sklazy.methods.kernel_models.solution import Solution, mean_of_others, solve
from sklazy.methods.kernel_models.weights import (
    find_telling,
    measure_information,
    weigh_attributes,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MOST_QUERIES = 1024
_DEVICE_SLICES = 1 << 13, 1 << 14
_MORE_LEFT_OUT = 5  # times `max_loo_rows`, of many cases


class Limits(NamedTuple):
    """Up to where a system of all cases is solved.

    Attributes
    ----------
    max_rows : int
        Of more cases some are landmarks.
    n_neighbors : int
        Nearest cases of each query that are solved instead, where there are none.
    max_loo_rows : int
        Cases that are left out in turn to choose the settings.
    n_paths : int
        Paths that attributes are weighted by, where classes are predicted.
    n_landmarks : int, or None to count them by the number of cases
    """

    max_rows: int = 2000
    n_neighbors: int = 200
    max_loo_rows: int = 750
    n_paths: int = N_PATHS
    n_landmarks: int | None = None


class KernelData(NamedTuple):
    """Cases made ready for kernel models, all in canonical order.

    Attributes
    ----------
    base : CaseBase
    limits : Limits
    rows : int64 array of shape (n_rows,)
        Where each case lies in the base.
    coding : Coding
    columns : KernelColumns
    information : float64 array of shape (n_attributes,)
    settings : KernelSettings
    targets : float64 array of shape (n_rows, n_targets)
        An indicator of each class that has cases, or numbers in `unit`.
    present : int64 array of shape (n_targets,)
        The classes that have cases.
    unit : float
        The factor of the numbers, so that they can be squared.
    solution : Solution, Landmarks, or None where each query's nearest are solved
    device : str, or None for the CPU
        Where queries are answered.
    """

    base: CaseBase
    limits: Limits
    rows: Ints
    coding: Coding
    columns: KernelColumns
    information: Floats
    settings: KernelSettings
    targets: Floats
    present: Ints
    unit: float
    solution: Solution | Landmarks | None
    device: str | None = None

    @property
    def center(self) -> Floats:
        """The mean of the targets: shares of classes, or of numbers; (n_targets,)."""
        center: Floats = self.targets.mean(axis=0)
        return center

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
            cost += n_near**2 * (5.0 + 0.5 * len(self.columns.values) + n_targets)
            cost += 0.2 * n_near**3
            memory += 16.0 * n_near
        return Effort(cost, 1, _MOST_QUERIES, memory=memory)


class Outcomes(NamedTuple):
    """Targets of the cases, in canonical order.

    Attributes
    ----------
    targets, present, unit
        As in `KernelData`.
    classes : int64 array of shape (n_rows,)
        Places of the classes in `present`, or bins of numbers.
    """

    targets: Floats
    present: Ints
    unit: float
    classes: Ints


def prepare_kernel(base: CaseBase, limits: Limits) -> KernelData:
    """Code the cases, weigh attributes, choose settings, and solve if all are solved.

    Rows are taken in canonical order, so that no digit depends on the order they came
    in, and the first ones are a fair draw.
    """
    cases, rows = base.cases, base.order
    coding, outcomes = make_coding(cases, rows), find_outcomes(base, rows)
    placed = code_cases(coding, cases, rows)
    information = find_information(base, coding, outcomes, limits)
    equal = np.ones(len(placed))
    columns = KernelColumns(placed, coding.nominal, coding.absents, equal)
    settings = choose(columns, information, outcomes, limits)
    solution: Solution | Landmarks | None = None
    if len(rows) <= limits.max_rows:
        columns = columns._replace(weights=settings.weights)
        similarities = measure_similarities(columns, settings.rate)
        solution = solve(similarities, settings.ridge, outcomes.targets)
    elif limits.n_landmarks != 0:
        settings, solution = sum_up_rows(columns, settings, outcomes, limits)
    columns = columns._replace(weights=settings.weights)
    return KernelData(
        base,
        limits,
        rows,
        coding,
        columns,
        information,
        settings,
        outcomes.targets,
        outcomes.present,
        outcomes.unit,
        solution,
    )


def sum_up_rows(
    columns: KernelColumns, settings: KernelSettings, outcomes: Outcomes, limits: Limits
) -> tuple[KernelSettings, Landmarks]:
    """Improve the settings on more rows, then solve landmarks with all rows."""
    targets, first = outcomes.targets, slice(0, _MORE_LEFT_OUT * limits.max_loo_rows)
    part, judge = take_rows(columns, first), find_judge(outcomes, first)
    settings = descend(part, settings, targets[first], judge, limits.max_loo_rows)
    n_landmarks = limits.n_landmarks
    if n_landmarks is None:
        n_landmarks = count_landmarks(len(targets), limits.max_rows)
    columns = columns._replace(weights=settings.weights)
    return solve_landmarks(columns, settings, targets, judge, n_landmarks)


def find_judge(outcomes: Outcomes, rows: slice) -> Judge:
    """The judge of left-out answers for some rows."""
    if outcomes.targets.shape[1] > 1:
        return ClassJudge(outcomes.classes[rows])
    return NumberJudge(outcomes.targets[rows])


def find_information(
    base: CaseBase, coding: Coding, outcomes: Outcomes, limits: Limits
) -> Floats:
    """Information of attributes on classes by random paths, or on numbers by counts."""
    cases, rows = base.cases, base.order
    if not base.class_labels:
        return measure_information(bin_cases(coding, cases, rows), outcomes.classes)
    first = slice(0, limits.max_loo_rows)
    ranks = rank_cases(coding, cases, rows[first])
    classes = outcomes.classes[first]
    return measure_gains(ranks, coding.nominal, classes, limits.n_paths)


def measure_similarities(columns: KernelColumns, rate: float) -> Floats:
    """The similarities of all rows to each other."""
    similarities: Floats = np.exp(measure_all(columns) * -rate)
    return similarities


def factorize(
    columns: KernelColumns, settings: KernelSettings
) -> tuple[NDArray[Any], bool]:
    """The system of all rows, as `scipy.linalg.cho_solve` takes it."""
    system = measure_similarities(columns, settings.rate)
    system[np.diag_indices_from(system)] += settings.ridge
    return cho_factor(system, lower=True)


def find_outcomes(base: CaseBase, rows: Ints) -> Outcomes:
    """Classes as indicators, or numbers in a unit of their own."""
    cases = base.cases
    if base.class_labels:
        present, classes = np.unique(cases.classes[rows], return_inverse=True)
        indicators = np.eye(len(present))[classes]
        return Outcomes(indicators, present.astype(np.int64), 1.0, classes)
    numbers = cases.targets[0, rows]
    unit, bins = find_unit(numbers), bin_numbers(np.sort(numbers), numbers)
    return Outcomes((numbers * unit)[:, None], np.zeros(1, np.int64), unit, bins)


def choose(
    columns: KernelColumns, information: Floats, outcomes: Outcomes, limits: Limits
) -> KernelSettings:
    """The settings of least left-out loss on the first rows."""
    telling, first = find_telling(columns.values), slice(0, limits.max_loo_rows)
    weights = [(s, weigh_attributes(information, telling, s)) for s in SHARES]
    targets, is_class = outcomes.targets[first], outcomes.targets.shape[1] > 1
    part = columns._replace(values=np.ascontiguousarray(columns.values[:, first]))
    judge = find_judge(outcomes, first)
    widths = WIDTHS_OF_CLASSES if is_class else WIDTHS_OF_NUMBERS
    chosen = choose_settings(part, weights, targets, widths, judge)
    return refine_settings(part, chosen, targets, judge)
