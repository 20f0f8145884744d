"""Numbers into bins by classes or a numeric target: cut points, bins of values."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklazy.errors import BadInputError
from sklazy.flow import MISSING
from sklazy.kernels.cuts import (
    BETTER_ENCODING,
    FAYYAD,
    KONONENKO,
    log_terms,
    mdl_cuts,
)
from sklazy.kernels.long_cuts import long_column_cuts
from sklazy.kernels.number_cuts import code_bins, number_cuts
from sklazy.kernels.sorting import sort_pairs

# Of long columns: fewer rows in a block bound better, more blocks fill caches.
_ROWS_OF_BLOCK, _FEWEST_BLOCKS, _MOST_BLOCKS = 32, 1000, 1 << 17

CRITERIA = {"fayyad": FAYYAD, "kononenko": KONONENKO}


def column_cuts(
    values: ArrayLike,
    classes: ArrayLike,
    n_classes: int,
    criterion: str = "fayyad",
    better_encoding: bool = False,
) -> NDArray[np.float64]:
    """Cut points of a numeric column by entropy and description length.

    Rows with NaN are left out; the order of the rows does not matter. Cuts ascend
    strictly between the smallest and the largest value (or equal the lower of two
    neighbors that have no number between them). With `better_encoding` a cut costs log2
    of the number of candidates, not of rows less one.

    Examples
    --------
    >>> column_cuts([1, 2, 3, 4, 11, 12, 13, 14], [0, 0, 0, 0, 1, 1, 1, 1], 2)
    array([7.5])
    """
    numbers = np.ascontiguousarray(values, dtype=np.float64)
    labels = np.ascontiguousarray(classes, dtype=np.int32)
    n_blocks = min(_MOST_BLOCKS, numbers.size // max(_ROWS_OF_BLOCK, n_classes))
    if n_blocks >= _FEWEST_BLOCKS and not better_encoding:
        code, terms = criterion_code(criterion), log_terms(numbers.size)
        # Arrays of numpy are mapped by large pages; a kernel's own would be by small.
        room = np.empty(numbers.size), np.empty(numbers.size, np.int32)
        return long_column_cuts(
            numbers, labels, int(n_classes), code, terms, int(n_blocks), room
        )
    numbers, labels = sort_pairs(numbers, labels)
    return sorted_cuts(numbers, labels, n_classes, criterion, better_encoding)


def sorted_cuts(
    values: NDArray[np.float64],
    classes: NDArray[np.int32],
    n_classes: int,
    criterion: str = "fayyad",
    better_encoding: bool = False,
) -> NDArray[np.float64]:
    """Cut points of a column that is sorted and has no NaN; see `column_cuts`."""
    code = criterion_code(criterion, better_encoding)
    terms = log_terms(len(values))
    return mdl_cuts(values, classes, int(n_classes), code, terms)


def criterion_code(criterion: str, better_encoding: bool = False) -> int:
    """The kernels' number of a criterion, or an error that names the choices."""
    if not isinstance(criterion, str) or criterion not in CRITERIA:
        raise BadInputError(
            f"criterion={criterion!r} is not known; give one of {list(CRITERIA)}."
        )
    return CRITERIA[criterion] + BETTER_ENCODING * bool(better_encoding)


def bin_codes(values: ArrayLike, cuts: NDArray[np.float64]) -> NDArray[np.int32]:
    """The bin of each value: how many cuts lie below it; `MISSING` for NaN.

    Examples
    --------
    >>> bin_codes([1.0, 7.5, 8.0, float("nan")], np.array([7.5]))
    array([ 0,  0,  1, -1], dtype=int32)
    """
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.shape == (1,):  # as searched below, in a tenth of the time
        number = float(numbers[0])
        code = bisect_left(cuts.tolist(), number) if number == number else MISSING
        return np.array([code], np.int32)
    if len(cuts) <= _FEW_CUTS and numbers.size >= _MANY_NUMBERS:
        codes = _count_cuts_below(numbers, cuts)
    else:
        codes = np.searchsorted(cuts, numbers, side="left").astype(np.int32)
    codes[np.isnan(numbers)] = MISSING
    return codes


# Where a search, whose way the processor cannot foresee, takes longer. A count of cuts
# is kept in a byte.
_FEW_CUTS, _MANY_NUMBERS = 120, 1000


def _count_cuts_below(
    numbers: NDArray[np.float64], cuts: NDArray[np.float64]
) -> NDArray[np.int32]:
    n_below = np.zeros(numbers.shape, np.int8)
    for cut in cuts.tolist():
        n_below += numbers > cut
    return n_below.astype(np.int32)


def intervals(cuts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bounds (low, high] of the bins, shape (n_cuts + 1, 2), infinite at the ends.

    Examples
    --------
    >>> intervals(np.array([2.5]))
    array([[-inf,  2.5],
           [ 2.5,  inf]])
    """
    return np.column_stack([np.r_[-np.inf, cuts], np.r_[cuts, np.inf]])


def interval_labels(cuts: NDArray[np.float64]) -> list[str]:
    """The bins in words, as short as they can be and still differ.

    Examples
    --------
    >>> interval_labels(np.array([2.5, 1e9]))
    ['(-inf, 2.5]', '(2.5, 1e+09]', '(1e+09, inf)']
    """
    for digits in range(6, 18):  # 17 digits distinguish any two numbers
        numbers = [f"{cut:.{digits}g}" for cut in cuts]
        if len(set(numbers)) == len(cuts):
            break
    numbers = ["-inf", *numbers, "inf"]
    closed = ["]"] * len(cuts) + [")"]
    return [
        f"({low}, {high}{end}"
        for low, high, end in zip(numbers[:-1], numbers[1:], closed, strict=True)
    ]


# Seconds that numpy takes, for each column and each cell.
_PER_COLUMN, _PER_CELL = 2e-6, 1e-8


def column_number_cuts(
    values: NDArray[np.float64], scores: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Cut points of a numeric column by the target's ranks (see `score_targets`).

    Rows with NaN are left out; the order of the rows does not matter. Cuts ascend.

    Examples
    --------
    >>> ranks = np.array([-7, -5, -3, -1, 1, 3, 5, 7])
    >>> column_number_cuts(np.array([1.0, 1, 1, 1, 9, 9, 9, 9]), ranks)
    array([5.])
    """
    order = np.argsort(values, kind="stable")
    order = order[: len(values) - int(np.isnan(values).sum())]
    return number_cuts(values[order], scores[order])


class NumberBins(NamedTuple):
    """The cuts of numeric attributes, one after the other."""

    attributes: NDArray[np.int64]  # (n_numeric,)
    starts: NDArray[np.int64]  # (n_numeric + 1,)
    cuts: NDArray[np.float64]

    @classmethod
    def of(
        cls, attributes: NDArray[np.int64], cuts: Sequence[NDArray[np.float64]]
    ) -> "NumberBins":
        """Put the cuts of attributes together, of which there is one array for each."""
        starts = np.cumsum([0, *map(len, cuts)]).astype(np.int64)
        return cls(attributes, starts, np.concatenate([np.zeros(0), *cuts]))

    def code(self, values: NDArray[np.float64], codes: NDArray[np.int32]) -> None:
        """Write the bins of queries' numbers to `codes` (n_queries, n_attributes)."""
        seconds = _PER_COLUMN * len(self.attributes) + _PER_CELL * values.size
        if code_bins.is_due(seconds):
            code_bins(values, *self, codes)
            return
        for i, j in enumerate(self.attributes):
            edges = self.cuts[self.starts[i] : self.starts[i + 1]]
            codes[:, j] = bin_codes(values[:, j], edges)
