"""Systems of landmarks to which rows that come are added, where settings may be old.

Ranks, and so similarities, are those of the rows that settings were chosen by. A system
to which rows are added one by one differs from one of all rows by rounding alone.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import batch_of_cases
from sklazy.casebase import CaseBase
from sklazy.casebase.rows import CodedRows
from sklazy.flow import KernelColumns
from sklazy.methods.kernel_models.coding import Coding, code_queries
from sklazy.methods.kernel_models.landmarks import Landmarks, add_to_landmarks

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MOST_ROWS = 500  # that come; beyond, all are added up anew


class SummedRows(NamedTuple):
    """All rows as they are added up, in canonical order.

    Attributes
    ----------
    rows : int64 array of shape (n_rows,)
        Where each lies in the base.
    columns : KernelColumns
        With the weights of attributes that were chosen.
    rate : float
    targets : float64 array of shape (n_rows, n_targets)
    present : int64 array of shape (n_targets,)
        The classes that have cases.
    unit : float
        Of numbers.
    """

    rows: Ints
    columns: KernelColumns
    rate: float
    targets: Floats
    present: Ints
    unit: float


@dataclass
class FollowedLandmarks:
    """A system of the first rows of a base.

    Attributes
    ----------
    coding : Coding
        By which rows were placed.
    summed : SummedRows
    places : int64 array of shape (n_landmarks,)
        Which of the rows are landmarks.
    factor, sides : float64 arrays
        As in `Landmarks`.
    n_new : int
        How many rows came since.
    """

    coding: Coding
    summed: SummedRows
    places: Ints
    factor: Floats
    sides: Floats
    n_new: int = 0

    def follow(self, rows: CodedRows, step: int) -> bool:
        """Take note of rows that came; nothing is kept once a row goes."""
        self.n_new += len(rows)
        return step > 0 and self.n_new <= _MOST_ROWS

    def place(self, base: CaseBase, rows: Ints) -> Floats:
        """The places of all rows of the base, as `code_cases` finds them."""
        then, n_before = self.summed, len(self.summed.rows)
        were = np.empty(n_before, np.int64)
        were[then.rows] = np.arange(n_before)
        is_new = rows >= n_before
        placed = then.columns.values[:, were[np.where(is_new, 0, rows)]]
        new = batch_of_cases(base, rows[is_new]).queries
        placed[:, is_new] = code_queries(self.coding, new).T
        return placed

    def fits(self, now: SummedRows) -> bool:
        """Whether new rows can be added, all else being as it was."""
        then = self.summed
        return (
            then.rate == now.rate
            and then.unit == now.unit
            and np.array_equal(then.columns.weights, now.columns.weights)
            and np.array_equal(then.present, now.present)
        )

    def add(self, now: SummedRows) -> Landmarks:
        """The system of all rows."""
        n_before = len(self.summed.rows)
        places = np.empty(len(now.rows), np.int64)
        places[now.rows] = np.arange(len(now.rows))
        landmarks = places[self.summed.rows[self.places]]
        known = landmarks, self.factor, self.sides
        given = now.columns, now.rate, now.targets
        return add_to_landmarks(*given, *known, places[n_before:])


def find_followed(
    base: CaseBase, key: Hashable, coding: Coding
) -> FollowedLandmarks | None:
    """The system of the rows before the last ones came, if its coding is still used."""
    before = base.find_follower(key)
    if not isinstance(before, FollowedLandmarks) or before.coding is not coding:
        return None
    is_whole = len(before.summed.rows) + before.n_new == base.n_rows
    return before if is_whole else None


def keep_followed(
    base: CaseBase, key: Hashable, coding: Coding, now: SummedRows, landmarks: Landmarks
) -> None:
    """Have a system follow the rows that come, where settings may be old."""
    if base.choices.may_be_old and not base.weighted:
        system = landmarks.places, landmarks.factor, landmarks.sides
        base.let_follow(key, FollowedLandmarks(coding, now, *system))
