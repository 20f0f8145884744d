"""Lazy CFS: attributes that say much about this query and little about each other.

References
----------
M. A. Hall: Correlation-based feature selection for machine learning. PhD thesis,
University of Waikato, 1999.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Selected
from sklazy.measures import best_first, settle
from sklazy.selection.sets import pack_sets


class LazyMerit:
    """Merit ``k mean(rc) / sqrt(k + k (k - 1) mean(ra))`` of k attributes, for a query.

    Parameters
    ----------
    relevances : float64 array of shape (n_attributes,)
        ``rc``, how much each of the query's values says about the class.
    correlations : float64 array of shape (n_attributes, n_attributes)
        ``ra``, the symmetric uncertainty of two attributes.
    """

    def __init__(
        self, relevances: NDArray[np.float64], correlations: NDArray[np.float64]
    ) -> None:
        self.n_attributes = relevances.size
        self.relevances, self.correlations = relevances, correlations

    def of_none(self) -> float:
        """Merit of the empty set."""
        return 0.0

    def with_one_more(self, subset: Sequence[int]) -> NDArray[np.float64]:
        """Merit of the set with each attribute added, shape (n_attributes,)."""
        members = np.array(subset, np.intp)
        size = members.size + 1
        among = np.triu(self.correlations[np.ix_(members, members)], 1).sum()
        redundancy = among + self.correlations[members].sum(axis=0)
        relevance = self.relevances[members].sum() + self.relevances
        # k mean(rc) is a sum over attributes, k (k - 1) mean(ra) twice one over pairs.
        return settle(relevance / np.sqrt(size + 2.0 * redundancy))


def select_by_correlation(
    scores: NDArray[np.float64],
    class_entropy: float,
    correlations: NDArray[np.float64],
    max_stale: int = 5,
) -> Selected:
    """Select for each query the set of highest merit that a best-first search finds.

    Parameters
    ----------
    scores : float64 array of shape (n_queries, n_attributes)
        LazyEnt of each query's values.
    class_entropy : float
        Ent(D): an attribute's relevance is ``1 - LazyEnt / Ent(D)``, 0 if that is 0.
    correlations : float64 array of shape (n_attributes, n_attributes)
    max_stale : int
        Expansions without a gain before the search ends.

    Notes
    -----
    Where nothing has any merit the set is empty: no attribute is used. The
    attributes of a set are given by rising score.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([[0.1, 0.1, 0.2]])
    >>> copies = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> select_by_correlation(scores, 1.0, copies).attributes.tolist()
    [[0, 2]]
    """
    relevances = np.zeros_like(scores)
    if class_entropy > 0:
        relevances = np.maximum(1.0 - scores / class_entropy, 0.0)
    found: dict[bytes, list[int]] = {}
    sets = []
    for score, relevance in zip(scores, relevances, strict=True):
        key = score.tobytes()  # queries with equal scores have equal sets
        if key not in found:
            subset = best_first(LazyMerit(relevance, correlations), max_stale).subset
            found[key] = [
                int(j) for j in np.argsort(score, kind="stable") if j in subset
            ]
        sets.append(found[key])
    return pack_sets(sets)
