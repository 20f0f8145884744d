"""Matrices of numbers: queries coded, and rows added, without a table."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklazy.casebase.base import CaseBase
from sklazy.casebase.incoming import (
    IdsLike,
    Target,
    check_kind,
    check_numbers,
    new_ids,
    two_dimensional,
)
from sklazy.casebase.moments import NO_TIMES, Times, check_clock
from sklazy.casebase.rows import Ids
from sklazy.flow import UNSEEN, Queries
from sklazy.kernels.coding import TOO_LARGE, code_cells, code_whole_cells
from sklazy.tables import Column, Label, Table

# Cells that are turned to floats at once: they stay in the cache.
_BLOCK = 100_000

# Cells that are coded in one loop, which is long enough to be done several at a time.
_REPEATED = 1024

# Cells that are sooner filled with NaN than seen as one NaN.
_FEW = 2000

# Places that labels may spread over, beyond a few for each of them.
_SPARE = 1024

Codes = NDArray[np.int32]


class MatrixCode(NamedTuple):
    """Tables that code a matrix; see `code_cells`. Numeric attributes have width -1."""

    lows: NDArray[np.float64]  # (n_attributes,)
    widths: NDArray[np.int64]  # (n_attributes,)
    starts: NDArray[np.int64]  # (n_attributes,)
    places: NDArray[np.int32]
    cut_starts: NDArray[np.int64]  # (n_attributes + 1,)
    cuts: NDArray[np.float64]
    spans: NDArray[np.float64]  # (n_attributes,)


def encode_matrix(
    base: CaseBase, matrix: NDArray[np.generic], *, bins: bool = True
) -> Queries | None:
    """Code a matrix of numbers as `CaseBase.encode` codes the table made of it.

    None where that is for a table to do, or to refuse: labels that are not whole
    numbers, cells that are infinite, a wrong number of columns. Without `bins` all
    numbers have one code, since it is never read.
    """
    n_attributes = len(base.schema.attributes)
    fits = matrix.ndim == 2 and matrix.shape[1] == n_attributes
    if not fits or not len(matrix) or matrix.dtype.kind not in "iuf":
        return None
    lasts = not bins and not base.coder.nominal
    find = base.keep if lasts else base.derive
    code = find(("matrix code", bins), lambda: _find_code(base, bins))
    if code is None:
        return None
    codes = np.empty(matrix.shape, np.int32)
    is_whole = matrix.dtype == np.int64 and _code_whole(base, matrix, code, codes)
    if not is_whole and not _code(matrix, code, codes):
        return None
    return Queries(codes, _values(matrix, code.widths < 0))


def _code_whole(
    base: CaseBase, matrix: NDArray[np.generic], code: MatrixCode, codes: Codes
) -> bool:
    """Write the codes of whole numbers, if all of them are labels in a row."""
    if not (code.spans > 0).all():
        return False
    lows, spans = base.derive("repeated code", lambda: _repeat(code))
    return bool(code_whole_cells(np.ascontiguousarray(matrix), lows, spans, codes))


def _repeat(code: MatrixCode) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lowest labels and their numbers, for several rows."""
    n_rows = max(1, _REPEATED // len(code.lows))
    lows, spans = code.lows.astype(np.int64), code.spans.astype(np.int64)
    return np.tile(lows, n_rows), np.tile(spans, n_rows)


def _code(matrix: NDArray[np.generic], code: MatrixCode, codes: Codes) -> bool:
    """Write the codes; return False if there are cells that cannot be coded."""
    step = max(1, _BLOCK // matrix.shape[1])
    for first in range(0, len(matrix), step):
        numbers = np.ascontiguousarray(matrix[first : first + step], np.float64)
        if not code_cells(numbers, *code, codes[first : first + step]):
            return False
    return True


def _values(
    matrix: NDArray[np.generic], numeric: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The numbers, NaN in nominal columns."""
    if not numeric.any():  # never read: a large one takes no memory
        small = matrix.size < _FEW
        shape = matrix.shape
        return np.full(shape, np.nan) if small else np.broadcast_to(np.nan, shape)
    numbers = np.ascontiguousarray(matrix, np.float64)
    return numbers if numeric.all() else np.where(numeric, numbers, np.nan)


def _find_code(base: CaseBase, bins: bool) -> MatrixCode | None:
    """Coding table of a matrix, or None if some labels are not whole numbers."""
    n_attributes = len(base.names)
    lows, widths = np.zeros(n_attributes), np.full(n_attributes, -1, np.int64)
    spans = np.zeros(n_attributes)
    starts, n_places = np.zeros(n_attributes, np.int64), 0
    places = [np.zeros(0, np.int32)]
    for j in np.flatnonzero(base.cases.numeric < 0).tolist():
        code = _places(base.categories(j))
        if code is None:
            return None
        lows[j], codes = code
        starts[j], widths[j] = n_places, len(codes)
        in_order = np.array_equal(codes, np.arange(len(codes)))
        spans[j] = len(codes) if in_order else 0.0
        n_places += len(codes)
        places.append(codes)
    cuts = base.cuts if bins else [np.zeros(0)] * n_attributes
    cut_starts = np.cumsum([0, *map(len, cuts)])
    joined = np.concatenate(places), cut_starts, np.concatenate(cuts)
    return MatrixCode(lows, widths, starts, *joined, spans)


def _places(labels: Sequence[Label]) -> tuple[float, Codes] | None:
    """The smallest label and the codes from there on; None if they are not whole."""
    whole = [int(label) for label in labels if isinstance(label, int)]
    if not labels or len(whole) < len(labels):
        return None
    low, high = min(whole), max(whole)
    if high - low > 4 * len(whole) + _SPARE or max(-low, high) > TOO_LARGE / 2:
        return None
    places = np.full(high - low + 1, UNSEEN, np.int32)
    places[np.array(whole) - low] = np.arange(len(whole))
    return float(low), places


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
    ids: IdsLike = None,
) -> Ids:
    """Do what `CaseBase.add` does, for rows that `plain_numbers` found."""
    with base._lock:
        if base.coder.nominal:  # since then another thread brought labels
            table = _as_table(base, numbers)
            return base.add(table, target, weights=weights, times=times, ids=ids)
        base._freeze()
        new = new_ids(ids, numbers.shape[1], base.next_id, base.rows)
        check_kind(target := two_dimensional(target), len(base.rows.targets))
        check_clock(times.clock, base.schema.clock)
        base._take_in(check_numbers(numbers, target, weights, times, new))
        return new


def _as_table(base: CaseBase, numbers: Floats) -> Table:
    named = zip(base.names, numbers, strict=True)
    columns = tuple(Column(name, "numeric", column) for name, column in named)
    return Table(columns, numbers.shape[1], base.schema.named)
