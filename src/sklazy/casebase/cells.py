"""Few rows coded cell by cell, since the columns and their labels are known.

Plain numbers, known labels and missing cells are read here, which takes microseconds.
Whatever else a cell may hold is left to a table, which accepts, converts or refuses it.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklazy.casebase.base import CaseBase
from sklazy.casebase.incoming import (
    IdsLike,
    Target,
    check_kind,
    check_numbers,
    new_ids,
    recoded,
    two_dimensional,
)
from sklazy.casebase.kinds import open_columns
from sklazy.casebase.moments import NO_TIMES, Times, check_clock
from sklazy.casebase.rows import CLASSES, Ids
from sklazy.flow import MISSING, UNSEEN, Queries
from sklazy.tables import Column, Label
from sklazy.tables.few_rows import CellTaker
from sklazy.tables.labels import EXACT

_NAN, _INFINITE = float("nan"), (float("inf"), float("-inf"))

Cells = list[Sequence[Any]]


class ReadCells(NamedTuple):
    """Rows by attribute: the codes of labels, and numbers; bins are not found yet."""

    codes: list[list[int]]  # n_rows of n_attributes
    values: list[list[float]]  # the same, NaN for labels


def list_cells(base: CaseBase, X: object) -> Cells | None:
    """List the cells of a few rows with the names of the cases; None for others."""
    schema = base.schema
    if schema.origins or not schema.named or base.is_parted:
        return None
    taker = base.keep(CellTaker, lambda: CellTaker(schema.names))
    return taker.list_cells(X)


def read_cells(
    base: CaseBase, cells: Cells, unseen: int | None = None
) -> ReadCells | None:
    """Read cells by the kinds of the columns; None where a table must look at them.

    A text that is no label of its column gets the code `unseen`; if that is None, it is
    for a table.
    """
    if open_columns(base):
        return None
    words = {j: base.coder.vocabularies[j].words() for j in base.coder.nominal}
    lookups = [words.get(j) for j in range(len(base.schema.attributes))]
    codes, values = [], []
    for row in cells:
        row_codes, row_values = [], []
        for cell, known in zip(row, lookups, strict=True):
            number = _read_number(cell) if known is None else _NAN
            code = MISSING if known is None else _read_label(cell, known, unseen)
            if number is None or code is None:
                return None
            row_codes.append(code)
            row_values.append(number)
        codes.append(row_codes)
        values.append(row_values)
    return ReadCells(codes, values)


def _read_number(cell: Any) -> float | None:  # noqa: ANN401
    """The number of a cell, NaN where it is missing; None for anything else."""
    kind = type(cell)
    if kind is float:
        return None if cell in _INFINITE else cell + 0.0  # -0.0 becomes 0.0
    if kind is int:
        return float(cell) if -EXACT <= cell <= EXACT else None
    return _NAN if cell is None else None


def _read_label(
    cell: Any,  # noqa: ANN401
    known: dict[Label, int],
    unseen: int | None,
) -> int | None:
    """The code of a text; None if it needs a table, and for anything else.

    Where nothing is known, not all labels are texts.
    """
    if type(cell) is str:
        return known.get(cell, unseen) if known else None
    is_missing = cell is None or (type(cell) is float and cell != cell)
    return MISSING if is_missing else None


def encode_cells(base: CaseBase, X: object) -> Queries | None:
    """Code a few queries as `CaseBase.encode` codes the table made of them, or None."""
    cells = list_cells(base, X)
    if cells is None:
        return None
    with base._lock:
        read = read_cells(base, cells, UNSEEN)
        if read is None:
            return None
        base._sync()  # so that the cuts are up to date
        edges = base.derive(
            "edges of bins", lambda: [c.tolist() for c in base.bins.cuts]
        )
    for j, cuts in zip(base.coder.numeric, edges, strict=True):
        for codes, values in zip(*read, strict=True):
            value = values[j]
            codes[j] = bisect_left(cuts, value) if value == value else MISSING
    return Queries(np.array(read.codes, np.int32), np.array(read.values))


def add_cells(
    base: CaseBase,
    cells: Cells,
    target: Target,
    *,
    weights: ArrayLike | None = None,
    times: Times = NO_TIMES,
    ids: IdsLike = None,
) -> Ids | None:
    """Do what `CaseBase.add` does for the table of these cells; None where it must."""
    if type(base) is not CaseBase:  # another one has its own way in
        return None
    with base._lock:
        read = read_cells(base, cells)
        classes = _read_classes(base, target)
        if read is None or classes is None:
            return None
        base._freeze()
        new = new_ids(ids, len(cells), base.next_id, base.rows)
        check_kind(target := two_dimensional(target), base.count_targets())
        check_clock(times.clock, base.schema.clock)
        numbers = np.array(read.values).T[base.coder.numeric]
        incoming = check_numbers(numbers, target, weights, times, new)
        codes = np.array(read.codes, np.int32).T
        with base._all_or_nothing():
            base._enter(base.coder.coded_as(incoming, base.n_rows, codes, classes))
        return new


def _read_classes(base: CaseBase, target: Target) -> NDArray[np.int32] | None:
    """The codes of a target's classes, zeros for numbers; None if any is not known."""
    if not isinstance(target, Column) or not base.coder.has_classes:
        return np.zeros(len(target), np.int32)
    known = base.coder.vocabularies[CLASSES].lookup(target.categories)
    codes = recoded(target, known, unseen=UNSEEN)
    return None if (codes < 0).any() else codes
