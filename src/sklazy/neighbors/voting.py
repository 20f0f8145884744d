"""From votes to probabilities, and votes by weight."""

import numpy as np
from numpy.typing import NDArray


def to_probabilities(
    votes: NDArray[np.float64] | NDArray[np.int64],
    n_rows: int | NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return class probabilities as Weka's IBk gives them.

    Every class starts with 1 / n_rows, each neighbor adds 1, and the sum is made 1.

    Parameters
    ----------
    votes : array of shape (n_queries, n_classes)
    n_rows : int, or int64 array of shape (n_queries, 1)
        The number of cases; 0 counts as 1, as in Weka.

    References
    ----------
    Witten, I. H., Frank, E., Hall, M. A., Pal, C. J.: Data Mining, 4th edition, 2016
    (Weka's ``IBk``).

    Examples
    --------
    >>> import numpy as np
    >>> to_probabilities(np.array([[3, 0]]), 4).round(4).tolist()
    [[0.9286, 0.0714]]
    """
    scores = votes + 1.0 / np.maximum(n_rows, 1)
    return scores / scores.sum(axis=1, keepdims=True)


def vote_by_weight(
    distances: NDArray[np.float64],
    classes: NDArray[np.int32],
    weights: NDArray[np.float64],
    n_neighbors: int,
    n_classes: int,
) -> tuple[NDArray[np.float64], float]:
    """Vote with weighted rows; return the votes and the farthest voter's distance.

    A row of weight w counts like w rows: rows vote from near to far until their
    weights reach `n_neighbors`, with all that tie with the last. Weights are sorted
    before they are added, so that rounding cannot tell one order of the rows from
    another.

    Parameters
    ----------
    distances : float64 array of shape (n_rows,)
    classes : int32 array of shape (n_rows,)
    weights : float64 array of shape (n_rows,), not negative
    n_neighbors, n_classes : int

    Examples
    --------
    >>> import numpy as np
    >>> distances, classes = np.array([0.0, 1.0, 1.0, 2.0]), np.array([0, 1, 1, 0])
    >>> vote_by_weight(distances, classes, np.array([1.0, 0.5, 1.0, 9.0]), 2, 2)
    (array([1. , 1.5]), 1.0)
    """
    present = np.flatnonzero(weights > 0)
    order = np.lexsort((weights[present], classes[present], distances[present]))
    rows = present[order]
    if not rows.size:
        return np.zeros(n_classes), np.inf
    near, kind = distances[rows], classes[rows]
    new_level = np.concatenate([[True], near[1:] != near[:-1]])
    starts = np.flatnonzero(new_level | np.concatenate([[True], kind[1:] != kind[:-1]]))
    sums = np.add.reduceat(weights[rows], starts)
    level = np.cumsum(new_level)[starts] - 1
    reached = np.cumsum(np.bincount(level, sums))
    last = min(int(np.searchsorted(reached, n_neighbors)), reached.size - 1)
    voting = level <= last
    votes = np.zeros(n_classes)
    np.add.at(votes, kind[starts[voting]], sums[voting])
    return votes, float(near[starts[voting][-1]])
