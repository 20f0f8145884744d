"""Rows of numbers that are added one after the other: no table is made of them."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklazy.casebase.base import CaseBase
from sklazy.casebase.incoming import (
    GivenIds,
    Target,
    check_kind,
    check_numbers,
    new_ids,
    two_dimensional,
)
from sklazy.casebase.moments import NO_TIMES, Times, check_clock
from sklazy.casebase.rows import Ids
from sklazy.tables import Column, Table

Floats = NDArray[np.float64]


def plain_numbers(base: CaseBase, matrix: object) -> Floats | None:
    """Rows to be added as `add_numbers` takes them, (n_attributes, n_rows).

    None where there are labels, or where a table must look at the cells.
    """
    if base.is_parted or base.schema.origins or base.coder.nominal:
        return None
    if type(matrix) is not np.ndarray or matrix.dtype != np.float64:
        return None
    if matrix.ndim != 2 or matrix.shape[1] != len(base.coder.numeric):
        return None
    return None if not len(matrix) or np.isinf(matrix).any() else matrix.T + 0.0


def add_numbers(
    base: CaseBase,
    numbers: Floats,
    target: Target,
    *,
    weights: ArrayLike | None = None,
    times: Times = NO_TIMES,
    ids: GivenIds = None,
) -> Ids:
    """Do what `CaseBase.add` does, for rows that `plain_numbers` found."""
    with base._lock:
        if base.coder.nominal:  # since then another thread brought labels
            table = _as_table(base, numbers)
            return base.add(table, target, weights=weights, times=times, ids=ids)
        base._freeze()
        given = new_ids(ids, numbers.shape[1], base.next_id, base.rows)
        check_kind(target := two_dimensional(target), len(base.rows.targets))
        check_clock(times.clock, base.schema.clock)
        base._take_in(check_numbers(numbers, target, weights, times, given))
        return given


def _as_table(base: CaseBase, numbers: Floats) -> Table:
    named = zip(base.names, numbers, strict=True)
    columns = tuple(Column(name, "numeric", own) for name, own in named)
    return Table(columns, numbers.shape[1], base.schema.named)
