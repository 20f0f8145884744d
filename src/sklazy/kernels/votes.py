"""What the nearest rows' votes add up to: ties at the last place, and distances.

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
def weigh(nearest, square):
    """The weight of a row, from squared distances."""
    return 1.0 if square == nearest else np.sqrt(nearest) / np.sqrt(square)


@lean_kernel
def weigh_levels(levels, threshold, n_used, weighted):
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
            weight = weigh(np.float64(nearest), np.float64(n_used - level))
            weighted[c] += levels[level, c] * weight
    last = np.float64(n_used - threshold)
    weighted[n_classes] = 1.0 if nearest < 0 else weigh(np.float64(nearest), last)


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
        weigh_levels(levels[query], thresholds[query], counts[query], weighted[query])


@lean_kernel
def weigh_rows(rows, exact, kth, near, classes, weighted):
    """Weigh rows by squared distance, from near to far; written as `weigh_levels` does.

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
    n_near = 0
    for i in range(exact.size):
        if exact[i] < kth:
            place = n_near
            while place > 0 and exact[near[place - 1]] > exact[i]:
                near[place] = near[place - 1]
                place -= 1
            near[place] = i
            n_near += 1
    weighted[:] = 0.0
    nearest = exact[near[0]] if n_near > 0 else kth
    for place in range(n_near):
        i = near[place]
        weighted[classes[rows[i]]] += weigh(nearest, exact[i])
    weighted[weighted.size - 1] = weigh(nearest, kth)


@lean_kernel
def finish_votes(tied, weighted, k, shares, votes):
    """Let rows tied at the k-th place share the places left, and weigh by distance.

    Parameters
    ----------
    tied : int64 array of shape (n_classes,)
        Rows at the k-th place.
    weighted : float64 array of shape (n_classes + 1,), or empty
        As `weigh_levels` writes it; empty where distances do not count.
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
