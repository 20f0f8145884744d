"""Cases made ready for kernel models: coded, weighed, with settings chosen."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor

from sklazy.answer.learner import Effort
from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError
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
    make_ladder,
    rank_cases,
)
from sklazy.methods.kernel_models.descent import descend
from sklazy.methods.kernel_models.following import (
    FollowedLandmarks,
    SummedRows,
    find_followed,
    keep_followed,
)
from sklazy.methods.kernel_models.gains import N_PATHS, measure_gains
from sklazy.methods.kernel_models.landmarks import (
    Landmarks,
    count_landmarks,
    solve_landmarks,
    take_rows,
)
from sklazy.methods.kernel_models.refine import refine_settings
from sklazy.methods.kernel_models.solution import (
    Solution,
    mean_of_all,
    mean_of_others,
    solve,
    weigh_system,
)
from sklazy.methods.kernel_models.weights import (
    find_telling,
    measure_information,
    weigh_attributes,
)
from sklazy.methods.row_weights import RowWeights, count_copies, find_row_weights
from sklazy.report.progress import Progress

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MOST_QUERIES = 1024
_DEVICE_SLICES = 1 << 13, 1 << 14
_MORE_LEFT_OUT = 5  # times `max_loo_rows`, of many cases
_MORE_FOR_RIDGES = 2  # the same, where each ridge is a system of all landmarks
_N_STAGES = 4  # of which the last two take longest
_MORE_COPIES = 4  # times `max_loo_rows`, that random paths see of rows with weights


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

    def count_landmarks(self, n_rows: int) -> int:
        """How many landmarks so many rows have."""
        if self.n_landmarks is not None:
            return self.n_landmarks
        return count_landmarks(n_rows, self.max_rows)


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
    weights : RowWeights, or None where all cases weigh 1
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
    weights: RowWeights | None = None
    device: str | None = None

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
    weights : RowWeights, or None where all cases weigh 1
    """

    targets: Floats
    present: Ints
    unit: float
    classes: Ints
    weights: RowWeights | None

    def first_rows(self, n_rows: int) -> Ints | slice:
        """The first rows in canonical order, of those whose weight counts."""
        if self.weights is None:
            return slice(0, n_rows)
        return self.weights.counting()[:n_rows]


def prepare_kernel(base: CaseBase, limits: Limits) -> KernelData:
    """Code the cases, weigh attributes, choose settings, and solve if all are solved.

    Rows are taken in canonical order, so that no digit depends on the order they came
    in, and the first ones are a fair draw.
    """
    with Progress("preparing the kernel model", total=_N_STAGES) as progress:
        return _prepare(base, limits, progress)


class RankedRows(NamedTuple):
    """The cases as the kernel sees them, and their targets, in canonical order.

    Attributes
    ----------
    base : CaseBase
    coding : Coding
    columns : KernelColumns
    outcomes : Outcomes
    before : FollowedLandmarks, or None
        The system of the rows before the last ones came.
    """

    base: CaseBase
    coding: Coding
    columns: KernelColumns
    outcomes: Outcomes
    before: FollowedLandmarks | None


def _prepare(base: CaseBase, limits: Limits, progress: Progress) -> KernelData:
    placed, rows = _place(base, limits), base.order
    outcomes, coding = placed.outcomes, placed.coding

    def settle() -> tuple[Floats, KernelSettings]:
        progress.advance(note="weighing columns")
        information = find_information(base, coding, outcomes, limits)
        progress.advance(note="choosing settings")
        settings = choose(placed.columns, information, outcomes, limits)
        progress.advance(note="solving")
        if len(rows) > limits.max_rows and limits.n_landmarks != 0:
            settings, found = sum_up_rows(placed.columns, settings, outcomes, limits)
            base.derive((Landmarks, limits), lambda: found)
        return information, settings

    information, settings = base.choose((choose, limits), settle)
    columns = placed.columns._replace(weights=settings.weights)
    solution = _solve(placed._replace(columns=columns), settings, limits)
    targets = outcomes.targets, outcomes.present, outcomes.unit
    found = rows, coding, columns, information, settings
    return KernelData(base, limits, *found, *targets, solution, outcomes.weights)


def _place(base: CaseBase, limits: Limits) -> RankedRows:
    """Place rows by the ranks of all, or of those that chose."""
    cases, rows, weights = base.cases, base.order, find_row_weights(base)
    own = None if weights is None else weights.values
    coding = base.choose(
        make_coding, lambda: make_coding(cases, rows, own), holds_rows=True
    )
    before = find_followed(base, (FollowedLandmarks, limits), coding)
    values = before.place(base, rows) if before else code_cases(coding, cases, rows)
    equal = np.ones(len(values))
    columns = KernelColumns(values, coding.nominal, coding.absents, equal)
    outcomes = find_outcomes(base, rows, weights)
    return RankedRows(base, coding, columns, outcomes, before)


def _solve(
    placed: RankedRows, settings: KernelSettings, limits: Limits
) -> Solution | Landmarks | None:
    """Solve with all rows, the settings being known."""
    base, columns, outcomes = placed.base, placed.columns, placed.outcomes
    targets, weights = outcomes.targets, outcomes.weights
    if len(targets) <= limits.max_rows:
        similarities = measure_similarities(columns, settings.rate)
        return solve(similarities, settings.ridge, targets, weights)
    if limits.n_landmarks == 0:
        _refuse_weights(weights, limits)
        return None
    whole = targets, outcomes.present, outcomes.unit
    now = SummedRows(base.order, columns, settings.rate, *whole)

    def sum_again() -> Landmarks:
        if placed.before is not None and placed.before.fits(now):
            return placed.before.add(now)
        n_landmarks = limits.count_landmarks(len(targets))
        given = columns, settings, targets, None, n_landmarks, weights
        return solve_landmarks(*given)[1]

    landmarks = base.derive((Landmarks, limits), sum_again)
    key = FollowedLandmarks, limits
    keep_followed(base, key, placed.coding, now, landmarks)
    return landmarks


def _refuse_weights(weights: RowWeights | None, limits: Limits) -> None:
    if weights is not None:
        raise BadInputError(
            "n_landmarks=0 solves the nearest rows of each query, which takes no "
            "weights of rows (sample_weight, half_life). Leave n_landmarks at None, or "
            f"raise max_rows={limits.max_rows}."
        )


def sum_up_rows(
    columns: KernelColumns, settings: KernelSettings, outcomes: Outcomes, limits: Limits
) -> tuple[KernelSettings, Landmarks]:
    """Improve the settings on more rows, then solve landmarks with all rows."""
    targets = outcomes.targets
    first = outcomes.first_rows(_MORE_LEFT_OUT * limits.max_loo_rows)
    part, judge = take_rows(columns, first), find_judge(outcomes, first)
    settings = descend(part, settings, targets[first], judge, limits.max_loo_rows)
    columns = columns._replace(weights=settings.weights)
    first = outcomes.first_rows(_MORE_FOR_RIDGES * limits.max_loo_rows)
    judged = np.arange(len(targets))[first], find_judge(outcomes, first)
    n_landmarks, weights = limits.count_landmarks(len(targets)), outcomes.weights
    return solve_landmarks(columns, settings, targets, judged, n_landmarks, weights)


def find_judge(outcomes: Outcomes, rows: Ints | slice) -> Judge:
    """The judge of left-out answers for some rows."""
    weights = None if outcomes.weights is None else outcomes.weights.take(rows)
    if outcomes.targets.shape[1] > 1:
        return ClassJudge(outcomes.classes[rows], weights)
    return NumberJudge(outcomes.targets[rows], weights)


def find_information(
    base: CaseBase, coding: Coding, outcomes: Outcomes, limits: Limits
) -> Floats:
    """Information of attributes on classes by random paths, or on numbers by counts."""
    cases, rows, weights = base.cases, base.order, outcomes.weights
    if not base.class_labels:
        values = None if weights is None else weights.values
        bins = bin_cases(coding, cases, rows)
        return measure_information(bins, outcomes.classes, values)
    first = np.arange(len(rows))[outcomes.first_rows(limits.max_loo_rows)]
    if weights is not None:  # bags hold whole copies
        most = _MORE_COPIES * limits.max_loo_rows
        first = np.repeat(first, count_copies(weights.values[first], most))
    ranks = rank_cases(coding, cases, rows[first])
    classes = outcomes.classes[first]
    return measure_gains(ranks, coding.nominal, classes, limits.n_paths)


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


def find_outcomes(base: CaseBase, rows: Ints, weights: RowWeights | None) -> Outcomes:
    """Classes as indicators, or numbers in a unit of their own.

    A class whose rows have no weight is not present.
    """
    cases = base.cases
    if base.class_labels:
        given = cases.classes[rows]
        present = np.unique(given if weights is None else given[weights.values > 0])
        classes = np.minimum(present.searchsorted(given), len(present) - 1)
        indicators = (given[:, None] == present).astype(np.float64)
        kinds = present.astype(np.int64)
        return Outcomes(indicators, kinds, 1.0, classes, weights)
    numbers = cases.targets[0, rows]
    ladder = make_ladder(numbers, None if weights is None else weights.values)
    unit, bins = find_unit(numbers), bin_numbers(ladder, numbers)
    targets, kinds = (numbers * unit)[:, None], np.zeros(1, np.int64)
    return Outcomes(targets, kinds, unit, bins, weights)


def choose(
    columns: KernelColumns, information: Floats, outcomes: Outcomes, limits: Limits
) -> KernelSettings:
    """The settings of least left-out loss on the first rows."""
    first, used = outcomes.first_rows(limits.max_loo_rows), columns.values
    if outcomes.weights is not None:
        used = used[:, outcomes.weights.counting()]
    telling = find_telling(used)
    weights = [(s, weigh_attributes(information, telling, s)) for s in SHARES]
    targets, is_class = outcomes.targets[first], outcomes.targets.shape[1] > 1
    part = columns._replace(values=np.ascontiguousarray(columns.values[:, first]))
    judge = find_judge(outcomes, first)
    widths = WIDTHS_OF_CLASSES if is_class else WIDTHS_OF_NUMBERS
    chosen = choose_settings(part, weights, targets, widths, judge)
    return refine_settings(part, chosen, targets, judge)
