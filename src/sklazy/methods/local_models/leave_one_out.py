"""Rows that scales, categories or classes depend on, in leave-one-out.

A row is the nearest neighbor of itself at most. But the scales, the categories and the
classes stem from all rows, so without it these may be others, too.
"""

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Ints
from sklazy.casebase import CaseBase
from sklazy.casebase.columns import Scale
from sklazy.flow import Cases
from sklazy.measures.magnitudes import ORDINARY, find_unit

Bools = NDArray[np.bool_]


def find_last_holders(base: CaseBase) -> Bools:
    """The rows with which a category, a class, or all weights would go.

    Codes, and with them regressors and targets, are others without such a row.
    """
    cases, holders = base.cases, np.zeros(base.n_rows, np.bool_)
    for j in np.flatnonzero(cases.numeric < 0):
        holders |= _are_single(cases.codes[j, : base.n_rows])
    if base.class_labels:
        holders |= _are_single(cases.classes[: base.n_rows])
    weighing = cases.weights[: base.n_rows] != 1
    return holders | weighing if weighing.sum() == 1 else holders


def find_scale_holders(cases: Cases, rows: Ints, scale: Scale) -> Bools:
    """The rows without which columns would be placed anew.

    Parameters
    ----------
    cases : Cases
    rows : int64 array
        The rows that are placed. Each of the others is reported as such a row.
    scale : {"std", "range", "none"}

    Returns
    -------
    holders : bool array of shape (n_rows,)
        By place in the case base.
    """
    holders = np.ones(cases.n_rows, np.bool_)
    holders[rows] = False
    for j in cases.numeric[cases.numeric >= 0]:
        holders[rows] |= _shape_scale(cases.numbers[j, rows], scale)
    return holders


def find_unit_holder(values: NDArray[np.float64], ordinary: float = ORDINARY) -> Bools:
    """The one row, if any, without which numbers would have another unit."""
    holders = np.zeros(len(values), np.bool_)
    largest = int(np.argmax(np.abs(values)))
    others = np.delete(values, largest)
    holders[largest] = find_unit(others, ordinary) != find_unit(values, ordinary)
    return holders


def _shape_scale(values: NDArray[np.float64], scale: Scale) -> Bools:
    """Which cells the scale of their column hangs on."""
    missing = np.isnan(values)
    # The only missing cell: the search takes a column without one another way.
    holders = missing if missing.sum() == 1 else np.zeros(len(values), np.bool_)
    if missing.all():
        return holders
    low, high = np.nanmin(values), np.nanmax(values)
    if scale == "std" and low < high:
        return holders | ~missing
    for end in (low, high):
        at_end = values == end
        if at_end.sum() == 1:
            holders = holders | at_end
    return holders


def _are_single(codes: NDArray[np.integer]) -> Bools:
    """Which codes, missing ones aside, occur once."""
    known = codes >= 0
    counts = np.bincount(codes[known], minlength=1)
    return known & (counts[np.where(known, codes, 0)] == 1)
