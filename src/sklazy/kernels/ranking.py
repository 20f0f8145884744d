"""Reading the best attributes of a query off a bit set of ranks."""

import numpy as np

from sklazy.kernels.bits import ONE, ZERO, trailing_zeros
from sklazy.kernels.compiling import entry, inlined, kernel


@inlined
def mark_ranks(codes, starts, ranks, present):
    """Set the bits of the ranks of a query's values.

    Two banks of words: a bit need not wait for the one set just before.
    """
    for attribute in range(np.uintp(starts.size)):
        cell = starts[attribute] + max(codes[attribute], -1)
        rank = np.uintp(ranks[np.uintp(cell)])
        word = (rank >> np.uint64(6) << ONE) | (attribute & ONE)
        present[word] |= ONE << (rank & np.uint64(63))


@kernel
def read_lowest(present, attribute_of_rank, n_selected, out):
    """Write the attributes of the lowest `n_selected` set bits, in rising order.

    Leaves the set empty.
    """
    n_read = np.uintp(0)
    for word in range(np.uintp(present.size >> 1)):
        even = word << ONE
        bits = present[even] | present[even | ONE]
        present[even] = present[even | ONE] = ZERO
        base = word << np.uintp(6)
        while bits != ZERO and n_read < n_selected:
            out[n_read] = attribute_of_rank[base | trailing_zeros(bits)]
            n_read += ONE
            bits &= bits - ONE


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
    present = np.zeros(((ranks.size >> 6) + 1) * 2, np.uint64)
    for query in range(first, last):
        mark_ranks(codes[query], starts, ranks, present)
        read_lowest(present, attribute_of_rank, np.uintp(n_selected), out[query])
