"""Counts in which a value seen once says nothing.

The classes of a value's cases are told by those very cases, so that a value which a
single case has looks sure of its class. Left out in turn, the cases of a value see on
average ``counts (n - 1) / n`` of their own kind; one case spread over the classes like
all cases that know the attribute takes the place of the one left out:

    ``n_c - n_c / n + p_c``

These counts add up to n as before. A value seen once has the shares of all cases, an
attribute that names the rows says exactly as much as a constant, and frequent values
hardly change.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sklazy.measures.contingency import Counts, CountTable, Floats, per


@dataclass(frozen=True, eq=False)
class DiscountedTable(CountTable):
    """Discounted counts; how many rows have a value, or a class, stays.

    Parameters
    ----------
    counts, offsets
        As in `CountTable`.
    original : CountTable
        The counts before.
    """

    original: CountTable

    @cached_property
    def sizes(self) -> Counts:
        """Rows that have each value, shape (n_values_total,)."""
        return self.original.sizes

    @cached_property
    def class_counts(self) -> Floats:
        """Class counts of each attribute's own rows, (n_attributes, n_classes)."""
        return self.original.class_counts


def discount_rare_values(table: CountTable) -> DiscountedTable:
    """Replace one case of every value by one that is spread like all cases.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([[1, 0], [0, 1], [4, 0], [2, 4]])
    >>> table = CountTable(counts, np.array([0, 2, 4]))
    >>> discount_rare_values(table).counts.round(2).tolist()
    [[0.5, 0.5], [0.5, 0.5], [3.6, 0.4], [2.27, 3.73]]
    """
    sizes = np.asarray(table.sizes)[:, None]
    totals = table.totals[table.owner, None]
    classes = table.class_counts[table.owner]
    # One fraction, rounded once: its numerator is a whole number.
    parts = table.counts * (sizes - 1) * totals + classes * sizes
    return DiscountedTable(per(parts, sizes * totals), table.offsets, table)
