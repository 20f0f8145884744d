"""Targets of cases, and the settings that are chosen by the first of them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
)
from sklazy.methods.kernel_models.coding import (
    Coding,
    bin_cases,
    bin_numbers,
    make_ladder,
    rank_cases,
)
from sklazy.methods.kernel_models.gains import measure_gains
from sklazy.methods.kernel_models.landmarks import take_rows
from sklazy.methods.kernel_models.limits import Limits
from sklazy.methods.kernel_models.refine import refine_settings
from sklazy.methods.kernel_models.weights import (
    find_telling,
    measure_information,
    weigh_attributes,
)
from sklazy.methods.row_weights import RowWeights, count_copies

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MORE_COPIES = 4  # times `max_loo_rows`, that random paths see of rows with weights


class Targets(NamedTuple):
    """What rows are to predict.

    Attributes
    ----------
    values : float64 array of shape (n_rows, n_targets)
        An indicator of each class that has cases, or numbers in `unit`.
    present : int64 array of shape (n_targets,)
        The classes that have cases.
    unit : float
        The factor of the numbers, so that they can be squared.
    """

    values: Floats
    present: Ints
    unit: float


class Outcomes(NamedTuple):
    """Targets of the rows that settings are chosen by, in canonical order.

    Attributes
    ----------
    rows : int64 array of shape (n_rows,)
        Where they lie in the base.
    targets, present, unit
        As in `Targets`.
    classes : int64 array of shape (n_rows,)
        Places of the classes in `present`, or bins of numbers.
    weights : RowWeights, or None where all cases weigh 1
    """

    rows: Ints
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

    def find_judge(self, rows: Ints | slice) -> Judge:
        """The judge of left-out answers for some rows."""
        weights = None if self.weights is None else self.weights.take(rows)
        if self.targets.shape[1] > 1:
            return ClassJudge(self.classes[rows], weights)
        return NumberJudge(self.targets[rows], weights)


def find_targets(base: CaseBase, weights: RowWeights | None) -> Targets:
    """Classes of all rows as indicators, or numbers in a unit of their own.

    A class whose rows have no weight is not present.
    """
    cases, rows = base.cases, base.order
    if not base.class_labels:
        numbers = cases.targets[0, rows]
        unit = find_unit(numbers)
        return Targets((numbers * unit)[:, None], np.zeros(1, np.int64), unit)
    classes = cases.classes[rows]
    if weights is None:
        present = np.flatnonzero(cases.class_counts)
    else:
        present = np.unique(classes[weights.values > 0]).astype(np.int64)
    indicators = (classes[:, None] == present).astype(np.float64)
    return Targets(indicators, present, 1.0)


def find_outcomes(
    base: CaseBase, rows: Ints, targets: Targets, weights: RowWeights | None
) -> Outcomes:
    """Targets and weights of some rows, with their classes or bins."""
    cases = base.cases
    if base.class_labels:
        classes = targets.present.searchsorted(cases.classes[rows])
        classes = np.minimum(classes, len(targets.present) - 1)
    else:
        numbers = cases.targets[0, rows]
        ladder = make_ladder(numbers, None if weights is None else weights.values)
        classes = bin_numbers(ladder, numbers)
    return Outcomes(rows, *targets, classes, weights)


def find_information(
    base: CaseBase, coding: Coding, outcomes: Outcomes, limits: Limits
) -> Floats:
    """Information of attributes on classes by random paths, or on numbers by counts."""
    cases, rows, weights = base.cases, outcomes.rows, outcomes.weights
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
    part, judge = take_rows(columns, first), outcomes.find_judge(first)
    widths = WIDTHS_OF_CLASSES if is_class else WIDTHS_OF_NUMBERS
    chosen = choose_settings(part, weights, targets, widths, judge)
    return refine_settings(part, chosen, targets, judge)
