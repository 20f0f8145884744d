"""Sums over all rows that follow those that come and go, and what was drawn from them.

Landmarks, ranks and settings are chosen by the first rows in canonical order. Most
changes leave these as they are; sums over all rows then gain or lose what moved exactly
(see `sums`), so that a model is that of a fit from nothing.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.casebase.rows import CodedRows, Ids, are_among
from sklazy.flow import KernelColumns
from sklazy.methods.kernel_models.choice import KernelSettings
from sklazy.methods.kernel_models.coding import Coding, code_cells
from sklazy.methods.kernel_models.first_rows import FirstRows
from sklazy.methods.kernel_models.landmarks import similarities_of
from sklazy.methods.kernel_models.outcomes import Targets
from sklazy.methods.kernel_models.sums import (
    BLOCK,
    SumGrid,
    WholeSums,
    is_within,
    move_rows,
    round_similarities,
    split_targets,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Content = tuple[NDArray[Any], ...]

_MOST_SHARE = 0.5  # of the rows, that come or go; with more, all are added up anew


class Marks(NamedTuple):
    """Rows that are landmarks.

    Attributes
    ----------
    drawn : int64 array of shape (n_landmarks,)
        Which of the rows that were drawn.
    rows : int64 array of shape (n_landmarks,)
        Where they lay in the base.
    """

    drawn: Ints
    rows: Ints


class DrawnChoices(NamedTuple):
    """What follows from the rows that were drawn.

    Attributes
    ----------
    coding : Coding
    information : float64 array of shape (n_attributes,)
    settings : KernelSettings
    marks : Marks
    centers : KernelColumns
        The landmarks, with the weights of attributes.
    first : FirstRows
        The rows that were drawn.
    """

    coding: Coding
    information: Floats
    settings: KernelSettings
    marks: Marks
    centers: KernelColumns
    first: FirstRows


@dataclass
class FollowedSums:
    """What all rows of a base add up to.

    Attributes
    ----------
    numeric : int64 array of shape (n_attributes,)
        The place of an attribute among the numbers, -1 for labels.
    ids : array of shape (n_drawn,)
        The rows that were drawn.
    content : tuple of arrays
        Their cells and targets.
    chosen : DrawnChoices
    present, unit
        As in `Targets`.
    grid : SumGrid
    among : float64 array of shape (n_landmarks, n_landmarks)
        The similarities of the landmarks to each other.
    sums : WholeSums
    n_rows : int
        How many rows there are.
    moved : tuple of triples (near, parts, steps)
        Rows that came or went since, as of `move_rows`.
    """

    numeric: Ints
    ids: Ids
    content: Content
    chosen: DrawnChoices
    present: Ints
    unit: float
    grid: SumGrid
    among: Floats
    sums: WholeSums
    n_rows: int
    moved: tuple[tuple[Floats, Floats, Ints], ...] = ()

    def follow(self, rows: CodedRows, step: int) -> bool:
        """Note what rows add; nothing is kept once one that was drawn goes.

        Nor is it once a target lies beyond the grid, where sums are not exact.
        """
        if step < 0 and are_among(self.ids, rows.ids).any():
            return False
        if len(rows) > _MOST_SHARE * self.n_rows:
            return False
        for first in range(0, len(rows), BLOCK):
            some = rows.between(first, first + BLOCK)
            near = round_similarities(self._measure(some), self.grid.bits)
            targets = self._find_targets(some)
            if not is_within(targets, self.grid):
                return False
            parts = split_targets(targets, self.grid)
            self.moved = *self.moved, (near, parts, np.full(len(some), step))
            if sum(len(steps) for _, _, steps in self.moved) > BLOCK:
                self.sums, self.moved = self.sum_up(), ()
        self.n_rows += step * len(rows)
        return True

    def _measure(self, rows: CodedRows) -> Floats:
        coding, centers = self.chosen.coding, self.chosen.centers
        values = code_cells(coding, self.numeric, rows.codes, rows.numbers)
        return similarities_of(values, centers, self.chosen.settings.rate)

    def _find_targets(self, rows: CodedRows) -> Floats:
        if len(rows.targets):
            with np.errstate(over="ignore"):  # the grid will be another one
                return rows.targets[0][:, None] * self.unit
        return (rows.classes[:, None] == self.present).astype(np.float64)

    def sum_up(self) -> WholeSums:
        """The sums over all rows that are there."""
        if not self.moved:
            return self.sums
        near, parts, steps = map(np.concatenate, zip(*self.moved, strict=True))
        return move_rows(self.sums, near, parts, steps)

    def draws(self, content: Content) -> bool:
        """Whether the rows that are drawn are those that were."""
        pairs = zip(self.content, content, strict=True)
        return all(
            np.array_equal(then, now, equal_nan=now.dtype.kind == "f")
            for then, now in pairs
        )

    def fits(self, chosen: DrawnChoices, targets: Targets, grid: SumGrid) -> bool:
        """Whether sums are those that are asked for, all else being as it was."""
        then = self.chosen
        values = then.centers.values, chosen.centers.values
        return (
            then.coding is chosen.coding
            and then.settings is chosen.settings
            and np.array_equal(*values, equal_nan=True)
            and self.unit == targets.unit
            and self.grid == grid
            and self.n_rows == len(targets.values)
            and np.array_equal(self.present, targets.present)
        )


def find_followed(base: CaseBase, key: Hashable) -> FollowedSums | None:
    """The sums over the rows that are there, if they could follow."""
    if base.is_parted or base.weighted:
        return None
    before = base.find_follower(key)
    return before if isinstance(before, FollowedSums) else None
