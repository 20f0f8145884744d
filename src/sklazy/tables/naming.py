"""The rule for columns that name the rows: nearly every cell is another one."""

import numpy as np

from sklazy.tables.table import Column

FEWEST_CELLS = 20
"""Columns with fewer known cells are never taken as names of rows."""

MOST_DIFFERENT = 0.9
"""Labels name rows if more than this share of the known cells differ."""


def mostly_differ(n_distinct: int, n_known: int) -> bool:
    """Whether labels are names rather than categories.

    Examples
    --------
    >>> mostly_differ(19, 20), mostly_differ(18, 20), mostly_differ(19, 19)
    (True, False, False)
    """
    return n_known >= FEWEST_CELLS and n_distinct > MOST_DIFFERENT * n_known


def names_rows(column: Column) -> bool:
    """Whether a column names the rows, by labels or by numbers that count them.

    Examples
    --------
    >>> names_rows(Column("place", "numeric", np.arange(30.0)))
    True
    >>> names_rows(Column("weight", "numeric", np.arange(30.0) / 7))
    False
    """
    known = column.data[~column.missing]
    n_distinct = len(np.unique(known))
    if column.kind == "nominal":
        return mostly_differ(n_distinct, len(known))
    enough = len(known) >= FEWEST_CELLS and column.reading is None
    return enough and n_distinct == len(known) and _count_up(known)


def _count_up(numbers: np.ndarray) -> bool:
    """Whether numbers are whole, and leave few gaps."""
    if not np.array_equal(numbers, np.floor(numbers)):
        return False
    return bool(numbers.max() - numbers.min() < 2 * len(numbers))
