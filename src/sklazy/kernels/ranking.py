"""Reading the best attributes of a query off a bit set of ranks."""

import numpy as np

from sklazy.kernels.bits import ONE, ZERO, set_bit, trailing_zeros
from sklazy.kernels.compiling import entry, kernel


@kernel
def read_lowest(present, attribute_of_rank, n_selected, out):
    """Write the attributes of the lowest `n_selected` set bits, in rising order."""
    found = 0
    word = 0
    while found < n_selected:
        bits = present[word]
        while bits != ZERO and found < n_selected:
            rank = (word << 6) + np.int64(trailing_zeros(bits))
            out[found] = attribute_of_rank[rank]
            found += 1
            bits &= bits - ONE
        word += 1


@entry
def select_by_rank(
    codes, starts, ranks, attribute_of_rank, n_selected, first, last, out
):
    """Select the attributes of lowest rank for the queries ``first..last - 1``.

    Equal to ``argsort(ranks[starts + maximum(codes, -1)])[:, :n_selected]``. Ranks
    are unique over all cells, so d ranks are d bits of a small set, and reading the
    set from its low end is the sort.

    Parameters
    ----------
    codes : int32 array of shape (n_queries, n_attributes)
    starts : int64 array of shape (n_attributes,)
        Where in `ranks` value 0 of an attribute lies; its fallback is one before.
    ranks : int32 array of shape (n_cells,)
    attribute_of_rank : int32 array of shape (n_cells,)
    n_selected, first, last : int
    out : int32 array of shape (n_queries, n_selected), written in place
    """
    n_attributes = starts.size
    present = np.zeros((ranks.size >> 6) + 1, np.uint64)
    for query in range(first, last):
        for attribute in range(n_attributes):
            code = max(codes[query, attribute], -1)
            set_bit(present, np.int64(ranks[starts[attribute] + code]))
        read_lowest(present, attribute_of_rank, n_selected, out[query])
        present[:] = ZERO
