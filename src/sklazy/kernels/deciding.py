"""The best class of each query, with ties as on paper."""

from sklazy.kernels.compiling import entry

TIE = 1e-12  # of the size of the best; what is closer is equal on paper


@entry
def decide_ties(votes, priors, decisions):
    """Choose the class with the highest vote; ties: larger prior, then lower index.

    Equal to ``max(tied, key=lambda c: (priors[c], -c))`` over the classes whose votes
    are within `TIE` of the highest.

    Parameters
    ----------
    votes : float64 array of shape (n_queries, n_classes)
    priors : float64 array of shape (n_queries or 1, n_classes)
    decisions : int64 array of shape (n_queries,), written
    """
    n_queries, n_classes = votes.shape
    for query in range(n_queries):
        own = priors[query if priors.shape[0] > 1 else 0]
        best = votes[query, 0]
        for c in range(1, n_classes):
            best = max(best, votes[query, c])
        least = best - TIE * max(1.0, abs(best))
        chosen = -1
        for c in range(n_classes):
            if votes[query, c] >= least and (chosen < 0 or own[c] > own[chosen]):
                chosen = c
        decisions[query] = chosen
