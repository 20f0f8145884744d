"""The bins of numeric attributes: cuts that follow the rows, exactly or frozen."""

import warnings
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.cuts import bin_codes, sorted_cuts
from sklazy.casebase.rows import Places, Rows
from sklazy.errors import DataWarning
from sklazy.flow import MISSING

Cuts = NDArray[np.float64]
Order = NDArray[np.int32]

# Cells whose sorted order is kept; of more it would take as much memory as the codes.
_MOST_ORDERED = 20_000_000


class Bins:
    """Cut points a numeric attribute, and the sorted orders to find them again.

    Exact cuts are a function of the rows: after a change they are found anew, from
    sorted orders that merely follow the rows that came and went. Frozen cuts stay
    as first found until `thaw`.

    While nobody asks for exact cuts they may be *asleep*: further rows are not coded,
    and `update` finds all cuts as other ones.
    """

    def __init__(self, n_numeric: int, criterion: str, *, frozen: bool) -> None:
        self.criterion, self.frozen = criterion, frozen
        self.cuts = [np.zeros(0) for _ in range(n_numeric)]
        self.orders: list[Order] | None = None
        self.current = self.asleep = False

    def touch(self) -> None:
        """Say that rows came or went."""
        self.current = self.current and self.frozen

    def thaw(self) -> None:
        """Have the cuts found anew, frozen or not."""
        self.current = False

    def restore(self, cuts: Sequence[Cuts]) -> None:
        """Take frozen cuts as they were."""
        self.cuts, self.current, self.asleep = list(cuts), True, False

    def lose_track(self) -> None:
        """Say that the rows went back to where they were: sort them anew."""
        self.orders = None
        self.touch()

    def sleep(self) -> None:
        """Follow no rows until `update`; frozen cuts never sleep."""
        if not self.frozen:
            self.orders, self.current, self.asleep = None, False, True

    def warn_if_stale(self) -> None:
        """Say that cuts may stem from rows since forgotten."""
        if self.frozen and self.current and self.cuts:
            warnings.warn(
                "cuts='frozen': the rows are forgotten, but the cuts still stem from "
                "them until refresh() is called.",
                DataWarning,
                stacklevel=4,
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
        orders = self._orders(rows)
        for i, order in enumerate(orders):
            values = rows.numbers[i, order]
            classes = rows.classes[order].astype(np.int32)
            found = sorted_cuts(values, classes, n_classes, self.criterion)
            if self.asleep or not np.array_equal(found, self.cuts[i]):
                yield i, found
                self.cuts[i] = found
        n_cells = rows.numbers.shape[0] * rows.n_rows
        self.orders = None if self.frozen or n_cells > _MOST_ORDERED else orders
        self.current, self.asleep = True, False

    def code(self, numeric: int, values: NDArray[np.float64]) -> NDArray[np.int32]:
        """The bins of some values of one numeric attribute."""
        return bin_codes(values, self.cuts[numeric])

    def _orders(self, rows: Rows) -> list[Order]:
        # From here to the end of `update` there are none to rely on.
        orders, self.orders = self.orders, None
        new_place, newcomers = rows.settle()
        if orders is None:
            return [_sorted(values[: rows.n_rows]) for values in rows.numbers]
        return [
            _followed(order, new_place, newcomers, values)
            for order, values in zip(orders, rows.numbers, strict=True)
        ]


def _sorted(values: NDArray[np.float64]) -> Order:
    """Rows by value, those without one left out."""
    order = np.argsort(values).astype(np.int32)
    return order[: len(values) - int(np.isnan(values).sum())]


def _followed(
    order: Order,
    new_place: Places,
    newcomers: Places,
    values: NDArray[np.float64],
) -> Order:
    """The sorted order after rows moved, went and came; equal to sorting anew."""
    moved = new_place[order]
    kept = moved[moved > MISSING].astype(np.int32)
    fresh = newcomers[~np.isnan(values[newcomers])]
    fresh = fresh[np.argsort(values[fresh], kind="stable")]
    places = np.searchsorted(values[kept], values[fresh])
    return np.insert(kept, places, fresh.astype(np.int32))
