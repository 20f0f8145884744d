"""Queries that come as a matrix of numbers: coded at once, without a table."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.base import CaseBase
from sklazy.casebase.cuts import bin_codes
from sklazy.flow import MISSING, UNSEEN, Queries
from sklazy.kernels.coding import TOO_LARGE, code_cells, code_whole_cells
from sklazy.tables import Label

# Below this many cells numpy is done before the compiler would have begun.
_SMALL_JOB = 20_000

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
    """What codes a matrix; see `code_cells`.

    Attributes
    ----------
    lows : float64 array of shape (n_attributes,)
    widths, starts : int64 arrays of shape (n_attributes,)
    places : int32 array
    cut_starts : int64 array of shape (n_attributes + 1,)
    cuts : float64 array
    spans : float64 array of shape (n_attributes,)
    """

    lows: NDArray[np.float64]
    widths: NDArray[np.int64]
    starts: NDArray[np.int64]
    places: NDArray[np.int32]
    cut_starts: NDArray[np.int64]
    cuts: NDArray[np.float64]
    spans: NDArray[np.float64]

    @property
    def numeric(self) -> NDArray[np.bool_]:
        """Which attributes are numeric."""
        return self.widths < 0


def encode_matrix(
    base: CaseBase, matrix: NDArray[np.generic], *, bins: bool = True
) -> Queries | None:
    """Code a matrix of numbers as `CaseBase.encode` codes the table made of it.

    None where that is for a table to do, or to refuse: labels that are no whole
    numbers, cells that are infinite, a wrong number of columns. Without `bins` all
    numbers have one code, since nobody reads them.
    """
    n_attributes = len(base.schema.attributes)
    fits = matrix.ndim == 2 and matrix.shape[1] == n_attributes
    if not fits or not len(matrix) or matrix.dtype.kind not in "iuf":
        return None
    lasts = not bins and not base.coder.nominal
    find = base.keep if lasts else base.derive
    code = find(("matrix code", bins), lambda: _find_code(base, bins))
    codes = None if code is None else _code_whole(base, matrix, code)
    if code is not None and codes is None:
        codes = _code(matrix, code)
    if code is None or codes is None:
        return None
    return Queries(codes, _values(matrix, code.numeric))


def _code_whole(
    base: CaseBase, matrix: NDArray[np.generic], code: MatrixCode
) -> Codes | None:
    """The codes of a large matrix of whole numbers, all of them labels in a row."""
    if matrix.dtype != np.int64 or not (code.spans > 0).all():
        return None
    if not code_whole_cells.is_due(matrix.size / _SMALL_JOB):
        return None
    lows, spans = base.derive("repeated code", lambda: _repeat(code))
    codes = np.empty(matrix.shape, np.int32)
    done = code_whole_cells(np.ascontiguousarray(matrix), lows, spans, codes)
    return codes if done else None


def _repeat(code: MatrixCode) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lowest labels and their numbers, for several rows."""
    n_rows = max(1, _REPEATED // len(code.lows))
    lows, spans = code.lows.astype(np.int64), code.spans.astype(np.int64)
    return np.tile(lows, n_rows), np.tile(spans, n_rows)


def _code(matrix: NDArray[np.generic], code: MatrixCode) -> Codes | None:
    """The codes, or None if there are cells that cannot be coded."""
    codes = np.empty(matrix.shape, np.int32)
    by_kernel = code_cells.is_due(matrix.size / _SMALL_JOB)
    step = max(1, _BLOCK // matrix.shape[1])
    for first in range(0, len(matrix), step):
        numbers = np.ascontiguousarray(matrix[first : first + step], np.float64)
        part = codes[first : first + step]
        if by_kernel:
            done = code_cells(numbers, *code, part)
        else:
            done = code_by_numpy(numbers, code, part)
        if not done:
            return None
    return codes


def code_by_numpy(numbers: NDArray[np.float64], code: MatrixCode, codes: Codes) -> bool:
    """Do what `code_cells` does, for few rows."""
    missing = np.isnan(numbers)
    if not (missing | (np.abs(numbers) < TOO_LARGE)).all():
        return False
    nominal = np.flatnonzero(~code.numeric)
    if nominal.size:
        place = np.where(missing, 0.0, numbers)[:, nominal] - code.lows[nominal]
        inside = (place >= 0) & (place < code.widths[nominal])
        known = inside & (place == np.floor(place))
        cells = code.starts[nominal] + np.where(known, place, 0.0).astype(np.int64)
        codes[:, nominal] = np.where(known, code.places[cells], UNSEEN)
    if not nominal.size and not len(code.cuts):
        codes[:] = 0
    else:
        for j in np.flatnonzero(code.numeric).tolist():
            own = code.cuts[code.cut_starts[j] : code.cut_starts[j + 1]]
            codes[:, j] = bin_codes(numbers[:, j], own)
    codes[missing] = MISSING
    return True


def _values(
    matrix: NDArray[np.generic], numeric: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The numbers, NaN in nominal columns."""
    if not numeric.any():  # nobody looks at them: a large one takes no memory
        small = matrix.size < _FEW
        shape = matrix.shape
        return np.full(shape, np.nan) if small else np.broadcast_to(np.nan, shape)
    numbers = np.ascontiguousarray(matrix, np.float64)
    return numbers if numeric.all() else np.where(numeric, numbers, np.nan)


def _find_code(base: CaseBase, bins: bool) -> MatrixCode | None:
    """What codes a matrix, or None if some labels are no whole numbers."""
    n_attributes = len(base.names)
    lows, widths = np.zeros(n_attributes), np.full(n_attributes, -1, np.int64)
    spans = np.zeros(n_attributes)
    starts, n_places = np.zeros(n_attributes, np.int64), 0
    places = [np.zeros(0, np.int32)]
    for j in np.flatnonzero(base.cases.numeric < 0).tolist():
        found = _places(base.categories(j))
        if found is None:
            return None
        lows[j], own = found
        starts[j], widths[j] = n_places, len(own)
        in_order = np.array_equal(own, np.arange(len(own)))
        spans[j] = len(own) if in_order else 0.0
        n_places += len(own)
        places.append(own)
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
