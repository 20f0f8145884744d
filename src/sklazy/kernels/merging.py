"""The votes of all rows from what parts of them have found."""

import numpy as np

from sklazy.kernels.compiling import entry, kernel
from sklazy.kernels.exact import insert_sorted
from sklazy.kernels.votes import weigh_levels, weigh_rows


@kernel
def _find_kth(near, lasts, tied, k):
    """The k-th smallest distance of all rows, infinite if there are fewer."""
    smallest = np.full(k, np.inf)
    for i in range(near.shape[0]):
        if near[i, 1] >= 0.0 and near[i, 0] < smallest[k - 1]:
            insert_sorted(smallest, near[i, 0])
    for part in range(lasts.size):
        n_tied = 0
        for c in range(tied.shape[1]):
            n_tied += tied[part, c]
        for _ in range(min(n_tied, k)):
            if lasts[part] < smallest[k - 1]:
                insert_sorted(smallest, lasts[part])
    return smallest[k - 1]


@entry
def merge_listed(near, lasts, tied, k, votes, at_last, weighted, kths):
    """Let the rows vote that are as near as the k-th nearest of all.

    Parameters
    ----------
    near : float64 array of shape (n_queries, n_listed, 2)
        Squared distances and classes of the rows nearer than the last of their part;
        the class is -1 where there is no row.
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
    n_listed, n_classes = near.shape[1], votes.shape[1]
    rows, exact = np.empty(n_listed, np.int64), np.empty(n_listed)
    classes = np.empty(n_listed, np.int32)
    for query in range(votes.shape[0]):
        own = near[query]
        kth = _find_kth(own, lasts[query], tied[query], k)
        kths[query] = kth
        count = 0
        for c in range(n_classes):
            at_last[query, c] = 0
            for part in range(lasts.shape[1]):
                if lasts[query, part] == kth:
                    at_last[query, c] += tied[query, part, c]
            votes[query, c] = at_last[query, c]
        for i in range(n_listed):
            if own[i, 1] < 0.0 or own[i, 0] > kth:
                continue
            rows[count], exact[count] = count, own[i, 0]
            classes[count] = np.int32(own[i, 1])
            votes[query, classes[count]] += 1
            at_last[query, classes[count]] += own[i, 0] == kth
            count += 1
        if weighted.size > 0:
            weigh_rows(rows[:count], exact[:count], kth, k, classes, weighted[query])


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
