"""Bins and ranges of numeric attributes, which follow the rows."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.cuts import bin_codes, criterion_code, sorted_cuts
from sklazy.casebase.rows import CodedRows, Rows
from sklazy.casebase.sorted_columns import SortedColumns
from sklazy.errors import DataWarning, warn_user
from sklazy.flow import Runner, run_here
from sklazy.kernels.cuts import log_terms, mdl_cuts
from sklazy.kernels.steady_cuts import mark_steady_rows

if TYPE_CHECKING:
    from sklazy.casebase.base import CaseBase

Cuts = NDArray[np.float64]


class Bins:
    """Cut points a numeric attribute, and the sorted columns to find them again.

    Exact cuts are a function of the rows: after a change they are found anew, from
    sorted columns that merely follow the rows that came and went. Frozen cuts stay
    as first found until `thaw`.

    While exact cuts are not needed they may be *asleep*: further rows are not coded,
    and `update` finds all cuts as other ones.
    """

    def __init__(self, n_numeric: int, criterion: str, *, frozen: bool) -> None:
        self.criterion, self.frozen = criterion, frozen
        self.cuts = [np.zeros(0) for _ in range(n_numeric)]
        self.sorted: SortedColumns | None = None
        self.current = self.asleep = False

    def touch(self, *, stay: bool = False) -> None:
        """Mark the cuts as outdated, unless they may stay: rows came or went."""
        self.current = self.current and (self.frozen or stay)

    def thaw(self) -> None:
        """Have the cuts found anew, frozen or not."""
        self.current = False

    def restore(self, cuts: Sequence[Cuts]) -> None:
        """Take frozen cuts as they were."""
        self.cuts, self.current, self.asleep = list(cuts), True, False

    def lose_track(self) -> None:
        """Drop the sorted columns: rows were changed otherwise than one by one."""
        self.sorted = None
        self.touch()

    def follow(self, batch: CodedRows, step: int) -> None:
        """Have sorted columns follow rows that came (step 1) or went (step -1)."""
        if self.sorted is not None:
            columns, self.sorted = self.sorted, None  # an interrupt leaves none
            self.sorted = columns.follow(batch, step)

    def sleep(self, *, stay: bool = False) -> None:
        """Follow no rows until `update`; cuts that are frozen or stay never sleep."""
        if not (self.frozen or stay):
            self.sorted, self.current, self.asleep = None, False, True

    def warn_if_stale(self) -> None:
        """Warn that frozen cuts may stem from rows since forgotten."""
        if self.frozen and self.current and self.cuts:
            warn_user(
                "cuts='frozen': the rows are forgotten, but the cuts still stem from "
                "them until refresh() is called.",
                DataWarning,
            )

    def update(self, rows: Rows, n_classes: int) -> Iterator[tuple[int, Cuts]]:
        """Find the cuts anew where needed; the numeric attributes with other ones.

        Without classes there are none, and one bin for all numbers.

        Cuts are taken over once the caller has coded the rows by them, and are
        current once all are: a search that was interrupted is done again.
        """
        if not n_classes:
            yield from enumerate(self.cuts) if self.asleep else ()
            self.asleep = False
            return
        if self.current or not self.cuts:
            return
        columns = self.sorted or SortedColumns(rows)
        for i, (values, classes) in enumerate(columns.read()):
            cuts = sorted_cuts(values, classes, n_classes, self.criterion)
            if self.asleep or not np.array_equal(cuts, self.cuts[i]):
                yield i, cuts
                self.cuts[i] = cuts
        is_kept = not self.frozen and SortedColumns.are_worth_keeping(rows)
        self.sorted = columns if is_kept else None
        self.current, self.asleep = True, False

    def code(self, numeric: int, values: NDArray[np.float64]) -> NDArray[np.int32]:
        """The bins of some values of one numeric attribute."""
        return bin_codes(values, self.cuts[numeric])


Floats = NDArray[np.float64]


class Ranges:
    """The smallest and the largest value of each numeric attribute.

    `edges` has the shape (n_numeric, 2), NaN where there is no value; a change makes a
    new array.
    """

    def __init__(self, n_numeric: int) -> None:
        self.edges = np.full((n_numeric, 2), np.nan)

    def widen(self, numbers: Floats) -> None:
        """Follow rows that came; `numbers` has the shape (n_numeric, n_rows)."""
        low, high = self.edges.T
        new_low, new_high = _edges(numbers).T
        self.edges = np.stack([np.fmin(low, new_low), np.fmax(high, new_high)], axis=1)

    def narrow(self, gone: Floats, left: Floats) -> None:
        """Follow rows that went: look again only where one was at an edge."""
        at_edge = (gone[:, :, None] == self.edges[:, None, :]).any(axis=(1, 2))
        edges = self.edges.copy()
        edges[at_edge] = _edges(left[at_edge])
        self.edges = edges


def _edges(numbers: Floats) -> Floats:
    """Smallest and largest number along the last axis, NaN where there is none."""
    low = np.fmin.reduce(numbers, axis=1, initial=np.nan)
    return np.stack([low, np.fmax.reduce(numbers, axis=1, initial=np.nan)], axis=1)


def rows_behind_cuts(base: "CaseBase", run: Runner = run_here) -> NDArray[np.bool_]:
    """Find the rows whose removal would move a cut: a mask of shape (n_rows,).

    A kernel names those that surely would not, in O(n) for each class and level of
    cuts; the few that are left are tried, each in O(n). Frozen cuts never move.
    """
    behind = np.zeros(base.n_rows, bool)
    if base.bins.frozen:
        return behind
    base._sync()
    cases, code = base.cases, criterion_code(base.bins.criterion)
    terms = log_terms(cases.n_rows)
    for numbers, cuts in zip(cases.numbers, base.bins.cuts, strict=True):
        column = numbers[: cases.n_rows]
        classes = cases.classes[: cases.n_rows]
        order = np.lexsort((classes, column))
        order = order[: cases.n_rows - int(np.isnan(column).sum())]
        behind[order] |= _moving(
            column[order],
            classes[order],
            cuts,
            (base.coder.n_classes, code, terms),
            run,
        )
    return behind


def _moving(
    values: NDArray[np.float64],
    classes: NDArray[np.int32],
    cuts: NDArray[np.float64],
    rule: tuple[int, int, NDArray[np.int64]],
    run: Runner,
) -> NDArray[np.bool_]:
    """Find the sorted rows without which the cuts would be others.

    Rows of equal value and class stand side by side; one is tried for all.
    """
    if not len(values):
        return np.zeros(0, bool)
    steady = np.ones(len(values), bool)
    ends = np.searchsorted(values, cuts, side="right").astype(np.int64)
    mark_steady_rows(values, classes, *rule, ends, steady)
    new = (values[1:] != values[:-1]) | (classes[1:] != classes[:-1])
    starts = np.flatnonzero(np.concatenate([[True], new]))
    tried = np.flatnonzero(~steady[starts])
    moved = np.zeros(len(starts), bool)

    def work(first: int, last: int) -> None:
        for i in tried[first:last]:
            rest = np.delete(values, starts[i]), np.delete(classes, starts[i])
            moved[i] = not np.array_equal(mdl_cuts(*rest, *rule), cuts)

    run(work, len(tried))
    return np.repeat(moved, np.diff(np.append(starts, len(values))))
