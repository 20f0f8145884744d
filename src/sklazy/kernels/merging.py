"""The votes of all rows from what parts of them have found."""

import numpy as np

from sklazy.kernels.compiling import entry, lean_kernel
from sklazy.kernels.votes import weigh, weigh_levels


@lean_kernel
def _take_in(smallest, owners, value, owner):
    """Put a value and whose it is into a rising list, dropping the largest."""
    i = smallest.size - 1
    while i > 0 and smallest[i - 1] > value:
        smallest[i], owners[i] = smallest[i - 1], owners[i - 1]
        i -= 1
    smallest[i], owners[i] = value, owner


@lean_kernel
def _list_smallest(near, lasts, tied, smallest, owners):
    """The k smallest distances of all rows, infinite where there are fewer.

    With the classes of rows that parts have listed, -1 for the others.
    """
    last = smallest.size - 1
    smallest[:] = np.inf
    owners[:] = -1
    for i in range(near.shape[0]):
        if near[i, 0] < smallest[last]:
            _take_in(smallest, owners, near[i, 0], np.int64(near[i, 1]))
    for part in range(lasts.size):
        for c in range(tied.shape[1]):
            for _ in range(min(tied[part, c], smallest.size)):
                if not lasts[part] < smallest[last]:
                    break
                _take_in(smallest, owners, lasts[part], -1)


@lean_kernel
def _count_tied(near, lasts, tied, kth, at_last):
    """Count the rows at the k-th distance, those that parts list among them."""
    for c in range(at_last.size):
        at_last[c] = 0
    for part in range(lasts.size):
        if lasts[part] == kth:
            for c in range(at_last.size):
                at_last[c] += tied[part, c]
    for i in range(near.shape[0]):
        if near[i, 0] == kth and near[i, 1] >= 0.0:  # kth may be infinite
            at_last[np.int64(near[i, 1])] += 1


@lean_kernel
def _weigh_smallest(smallest, owners, weighted):
    """Weigh the rows nearer than the k-th; written as `weigh_levels` does."""
    kth = smallest[smallest.size - 1]
    weighted[:] = 0.0
    for i in range(smallest.size):
        if smallest[i] < kth:
            weighted[owners[i]] += weigh(smallest[0], smallest[i])
    weighted[weighted.size - 1] = weigh(smallest[0], kth)


@entry
def merge_listed(near, lasts, tied, k, votes, at_last, weighted, kths):
    """Let the rows vote that are as near as the k-th nearest of all.

    Parameters
    ----------
    near : float64 array of shape (n_queries, n_listed, 2)
        Squared distances and classes of the rows nearer than the last of their part;
        infinite and -1 where there is no row.
    lasts : float64 array of shape (n_queries, n_parts)
        How far the last one of each part is.
    tied : int64 array of shape (n_queries, n_parts, n_classes)
        A part's rows at that distance.
    k : int
    votes, at_last : int64 arrays of shape (n_queries, n_classes), written
        Votes, and those of rows as far as the k-th.
    weighted : float64 array of shape (n_queries, n_classes + 1), written; or empty
        As in `sklazy.kernels.mixed.search_mixed`.
    kths : float64 array of shape (n_queries,), written
    """
    smallest, owners = np.empty(k), np.empty(k, np.int64)
    for query in range(votes.shape[0]):
        _list_smallest(near[query], lasts[query], tied[query], smallest, owners)
        kth = kths[query] = smallest[k - 1]
        _count_tied(near[query], lasts[query], tied[query], kth, at_last[query])
        for c in range(votes.shape[1]):
            votes[query, c] = at_last[query, c]
        for i in range(k):
            if smallest[i] < kth:  # which a part's last one is not
                votes[query, owners[i]] += 1
        if weighted.size > 0:
            _weigh_smallest(smallest, owners, weighted[query])


@entry
def merge_tallied(tallies, floors, counts, k, votes, tied, weighted, lasts):
    """Let the rows vote that agree at least as often as the k-th of all.

    Parameters
    ----------
    tallies : int32 array of shape (n_queries, n_levels, n_classes)
        Rows of all parts by number of agreements and class.
    floors : int64 array of shape (n_queries,)
        Agreements from which on these are complete; the k-th has as many.
    counts : int32 array of shape (n_queries,)
        Attributes that each query uses.
    k : int
    votes, tied : int64 arrays of shape (n_queries, n_classes), written
        Votes, and those of rows that agree as often as the k-th.
    weighted : float64 array of shape (n_queries, n_classes + 1), written; or empty
        As in `sklazy.kernels.matching.match_nominal`.
    lasts : float64 array of shape (n_queries,), written
        Attributes in which the k-th differs.
    """
    n_levels, n_classes = tallies.shape[1], tallies.shape[2]
    for query in range(votes.shape[0]):
        n_reached, level = 0, n_levels
        for c in range(n_classes):
            votes[query, c] = 0
        while level > floors[query] and n_reached < k:
            level -= 1
            for c in range(n_classes):
                votes[query, c] += tallies[query, level, c]
                n_reached += tallies[query, level, c]
        for c in range(n_classes):
            tied[query, c] = tallies[query, level, c]
        lasts[query] = counts[query] - level
        if weighted.size > 0:
            weigh_levels(tallies[query], level, counts[query], weighted[query])
