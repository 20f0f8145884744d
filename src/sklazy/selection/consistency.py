"""Lazy consistency: the query's values that together leave rows of one class."""

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Cases, Selected
from sklazy.kernels.bits import sets_in_parts
from sklazy.kernels.conjunction import grow_conjunctions


def select_by_consistency(
    cases: Cases,
    codes: NDArray[np.int32],
    min_support: int = 1,
    excluded: NDArray[np.int64] | None = None,
) -> Selected:
    """Select for each query the attributes of a conjunction grown for it.

    From all rows on, the attribute is added whose value leaves the lowest class
    entropy among the rows that match all chosen values (ties: more rows, then the
    lower index), until that is zero, or no attribute lowers it with at least
    `min_support` rows remaining. The set may be empty.

    Parameters
    ----------
    cases : Cases
    codes : int32 array of shape (n_queries, n_attributes)
        C-contiguous.
    min_support : int
        At least 1.
    excluded : int64 array of shape (n_queries,), optional
        For each query a row that does not count, -1 for none.
    """
    n_queries, n_attributes = codes.shape
    if excluded is None:
        excluded = np.full(n_queries, -1, np.int64)
    attributes = np.full((n_queries, n_attributes), -1, np.int32)
    sizes = np.zeros(n_queries, np.int32)
    for first, last, bits, set_of_value in sets_in_parts(cases, codes, 0, n_queries):
        grow_conjunctions(
            bits,
            cases.starts,
            cases.offsets,
            set_of_value,
            cases.class_bits,
            cases.n_rows,
            codes,
            excluded,
            min_support,
            first,
            last,
            attributes,
            sizes,
        )
    return Selected(np.ascontiguousarray(attributes[:, : sizes.max(initial=0)]), sizes)
