"""Votes of rows that are counted by how often they agree, and by class."""

from sklazy.kernels.compiling import entry


@entry
def vote_by_levels(tallies, floors, n_neighbors, votes, tied, levels):
    """Let the k rows of highest level vote, with all tied with the k-th.

    Levels are passed from the highest down until k rows are found, or to the floor.

    Parameters
    ----------
    tallies : int32 array of shape (n_queries, n_levels, n_classes)
        Complete from the floor up.
    floors : int64 array of shape (n_queries,)
    n_neighbors : int
    votes, tied : int64 arrays of shape (n_queries, n_classes), written
        All votes, and those of the last level.
    levels : int64 array of shape (n_queries,), written
        The last level.
    """
    n_queries, n_levels, n_classes = tallies.shape
    for query in range(n_queries):
        votes[query] = 0
        level, n_voting = n_levels, 0
        while level == n_levels or (n_voting < n_neighbors and level > floors[query]):
            level -= 1
            for c in range(n_classes):
                count = tallies[query, level, c]
                tied[query, c] = count
                votes[query, c] += count
                n_voting += count
        levels[query] = level
