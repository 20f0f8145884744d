"""Sums of the nearest rows' votes: ties at the last place, distances, parts of rows.

A row's weight is the nearest row's distance over its own: 1 for the nearest and all as
near, so that rows equal to the query outvote all others. A number of attributes that
differ is a squared distance.
"""

import numpy as np

from sklazy.kernels.compiling import entry, lean_kernel


@lean_kernel
def raise_threshold(threshold, k, n_above, levels, tied):
    """Move the threshold up while k rows lie above it; returns both."""
    while n_above >= k:
        threshold += 1
        for c in range(tied.size):
            tied[c] = levels[threshold, c]
            n_above -= tied[c]
    return threshold, n_above


@lean_kernel
def take_over(tallies, threshold, levels, tied):
    """Go on from rows counted before; returns how many lie above the threshold."""
    n_above = np.int64(0)
    for c in range(tied.size):
        tied[c] = tallies[threshold, c]
        for level in range(threshold + 1, levels.shape[0]):
            levels[level, c] = tallies[level, c]
            n_above += tallies[level, c]
    return n_above


@lean_kernel
def move_threshold(threshold, levels, tied):
    """Take a higher threshold over; returns how many rows filed lie above it."""
    n_above = np.int64(0)
    for c in range(tied.size):
        tied[c] = levels[threshold, c]
        for level in range(threshold + 1, levels.shape[0]):
            n_above += levels[level, c]
    return n_above


@lean_kernel
def add_levels(levels, threshold, n_used, votes):
    """Add the votes of the rows that agree more often than the threshold."""
    for level in range(threshold + 1, n_used + 1):
        for c in range(votes.size):
            votes[c] += levels[level, c]


@lean_kernel
def distance_weight(nearest, square):
    """The weight of a row, from squared distances."""
    return 1.0 if square == nearest else np.sqrt(nearest) / np.sqrt(square)


@lean_kernel
def weigh_agreements(levels, threshold, n_used, weighted):
    """Weigh rows by agreement, from near to far.

    Writes for each class the weights of its rows above the threshold and, behind
    them, the weight of a row at the threshold.
    """
    n_classes = weighted.size - 1
    weighted[:] = 0.0
    nearest = np.int64(-1)
    for level in range(n_used, threshold, -1):
        for c in range(n_classes):
            if levels[level, c] == 0:
                continue
            if nearest < 0:
                nearest = n_used - level
            weight = distance_weight(np.float64(nearest), np.float64(n_used - level))
            weighted[c] += levels[level, c] * weight
    last = np.float64(n_used - threshold)
    weighted[n_classes] = (
        1.0 if nearest < 0 else distance_weight(np.float64(nearest), last)
    )


@entry
def weigh_all_levels(levels, thresholds, counts, weighted):
    """Weigh the rows of many queries, whose agreements a device has counted.

    Parameters
    ----------
    levels : int32 array of shape (n_queries, n_levels, n_classes)
        Rows by number of agreements.
    thresholds, counts : int32 arrays of shape (n_queries,)
        Agreements of the k-th nearest, and attributes in use.
    weighted : float64 array of shape (n_queries, n_classes + 1), written
    """
    for query in range(thresholds.size):
        weigh_agreements(
            levels[query], thresholds[query], counts[query], weighted[query]
        )


@lean_kernel
def sort_nearer(exact, kth, near):
    """Write the places of rows nearer than the k-th, near to far, then as they lie."""
    n_near = 0
    for i in range(exact.size):
        if exact[i] < kth:
            place = n_near
            while place > 0 and exact[near[place - 1]] > exact[i]:
                near[place] = near[place - 1]
                place -= 1
            near[place] = i
            n_near += 1
    return n_near


@lean_kernel
def weigh_distances(rows, exact, kth, near, classes, weighted):
    """Weigh rows by squared distance, from near to far; see `weigh_agreements`.

    Parameters
    ----------
    rows : int64 array
    exact : float64 array of the rows' squared distances
    kth : float
        The k-th smallest of them, infinite if there are fewer.
    near : int64 array of shape (k,)
        Room for the places of the nearest.
    classes : int32 array of shape (n_rows,)
    weighted : float64 array of shape (n_classes + 1,), written
    """
    n_near = sort_nearer(exact, kth, near)
    weighted[:] = 0.0
    nearest = exact[near[0]] if n_near > 0 else kth
    for place in range(n_near):
        i = near[place]
        weighted[classes[rows[i]]] += distance_weight(nearest, exact[i])
    weighted[weighted.size - 1] = distance_weight(nearest, kth)


@lean_kernel
def share_votes(tied, weighted, k, shares, votes):
    """Let rows tied at the k-th place share the places left, and weigh by distance.

    Parameters
    ----------
    tied : int64 array of shape (n_classes,)
        Rows at the k-th place.
    weighted : float64 array of shape (n_classes + 1,), or empty
        As `weigh_agreements` writes it; empty where distances do not count.
    k : int
    shares : bool
        Whether ties share; else all of them vote in full.
    votes : float64 array of shape (n_classes,), changed
        Rows nearer than the k-th place; then the votes.
    """
    n_tied = n_above = np.int64(0)
    for c in range(votes.size):
        n_tied += tied[c]
        n_above += np.int64(votes[c])
    left = n_tied
    if shares:
        left = min(n_tied, k - n_above)
    n_places = max(n_tied, 1)
    for c in range(votes.size):
        if weighted.size == 0:
            votes[c] = (votes[c] * n_places + tied[c] * left) / n_places
        else:
            votes[c] = weighted[c] + tied[c] * left / n_places * weighted[votes.size]


@lean_kernel
def write_tallies(levels, threshold, tied, tallies):
    """Rows by number of agreements and class from the threshold up; zeros below.

    Cell by cell: assigning slices would compile the text of errors along with it.
    """
    for level in range(tallies.shape[0]):
        for c in range(tallies.shape[1]):
            tallies[level, c] = levels[level, c] if level > threshold else 0
    for c in range(tallies.shape[1]):
        tallies[threshold, c] = tied[c]


@lean_kernel
def _insert_owned(smallest, owners, value, owner):
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
            _insert_owned(smallest, owners, near[i, 0], np.int64(near[i, 1]))
    for part in range(lasts.size):
        for c in range(tied.shape[1]):
            for _ in range(min(tied[part, c], smallest.size)):
                if not lasts[part] < smallest[last]:
                    break
                _insert_owned(smallest, owners, lasts[part], -1)


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
    """Weigh the rows nearer than the k-th; see `weigh_agreements`."""
    kth = smallest[smallest.size - 1]
    weighted[:] = 0.0
    for i in range(smallest.size):
        if smallest[i] < kth:
            weighted[owners[i]] += distance_weight(smallest[0], smallest[i])
    weighted[weighted.size - 1] = distance_weight(smallest[0], kth)


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
            weigh_agreements(tallies[query], level, counts[query], weighted[query])
