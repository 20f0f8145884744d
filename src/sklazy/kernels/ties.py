"""The best class of each query, with ties as on paper."""

from sklazy.kernels.compiling import entry, kernel

TIE = 1e-9  # of the size of the best; what is closer is equal on paper


@kernel
def highest_vote(votes):
    """The largest of some votes; four at a time, since each waits for the last."""
    a = b = c = d = votes[0]
    whole = votes.size - votes.size % 4
    for i in range(0, whole, 4):
        a = votes[i] if votes[i] > a else a
        b = votes[i + 1] if votes[i + 1] > b else b
        c = votes[i + 2] if votes[i + 2] > c else c
        d = votes[i + 3] if votes[i + 3] > d else d
    for i in range(whole, votes.size):
        a = votes[i] if votes[i] > a else a
    return max(max(a, b), max(c, d))


@entry
def argmax_by_order(votes, orders, decisions):
    """Choose the class with the highest vote; of ties the first in a given order.

    Equal to ``next(c for c in order if votes[c] is within TIE of the highest)``.

    Parameters
    ----------
    votes : float64 array of shape (n_queries, n_classes)
    orders : int64 array of shape (n_queries or 1, n_classes)
    decisions : int64 array of shape (n_queries,), written
    """
    n_queries, n_classes = votes.shape
    for query in range(n_queries):
        query_votes = votes[query]
        order = orders[query if orders.shape[0] > 1 else 0]
        best = highest_vote(query_votes)
        least = best - TIE * max(1.0, abs(best))
        chosen, n_tied = 0, 0
        for i in range(n_classes):  # without a branch, several at a time
            is_tied = not query_votes[i] < least
            n_tied += is_tied
            chosen = i if is_tied else chosen
        if n_tied != 1:
            i = 0
            while i < n_classes - 1 and query_votes[order[i]] < least:
                i += 1
            chosen = order[i]
        decisions[query] = chosen


@entry
def argmax_of_counts(votes, order, decisions):
    """Choose the class with the highest count; of equal ones the first in an order.

    Equal to ``order[votes[:, order].argmax(axis=1)]``.

    Parameters
    ----------
    votes : int array of shape (n_queries, n_classes)
    order : int64 array of shape (n_classes,)
    decisions : int64 array of shape (n_queries,), written
    """
    for query in range(votes.shape[0]):
        chosen = order[0]
        best = votes[query, chosen]
        for i in range(1, order.size):
            count = votes[query, order[i]]
            chosen = order[i] if count > best else chosen
            best = max(best, count)
        decisions[query] = chosen
