"""Sets of attributes chosen for each query, as wholes.

By correlation (lazy CFS): relevant to the query, hardly correlated with each other. By
consistency: values that together leave rows of one class.

References
----------
M. A. Hall: Correlation-based feature selection for machine learning. PhD thesis,
University of Waikato, 1999.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Cases, Selected
from sklazy.kernels.bits import sets_in_parts
from sklazy.kernels.conjunction import grow_conjunctions
from sklazy.measures.choose import pack_sets
from sklazy.measures.contingency import round_figures
from sklazy.measures.search import best_first


class LazyMerit:
    """Merit ``k mean(rc) / sqrt(k + k (k - 1) mean(ra))`` of k attributes, for a query.

    Parameters
    ----------
    relevances : float64 array of shape (n_attributes,)
        ``rc``, the relevance of each of the query's values to the class.
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
        return round_figures(relevance / np.sqrt(size + 2.0 * redundancy))


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
    set_by_scores: dict[bytes, list[int]] = {}
    sets = []
    for score, relevance in zip(scores, relevances, strict=True):
        key = score.tobytes()  # queries with equal scores have equal sets
        if key not in set_by_scores:
            subset = best_first(LazyMerit(relevance, correlations), max_stale).subset
            set_by_scores[key] = [
                int(j) for j in np.argsort(score, kind="stable") if j in subset
            ]
        sets.append(set_by_scores[key])
    return pack_sets(sets)


def select_by_consistency(
    cases: Cases,
    codes: NDArray[np.int32],
    min_support: int = 1,
    excluded: NDArray[np.int64] | None = None,
) -> Selected:
    """Select for each query the attributes of a conjunction grown for it.

    From all rows on, the attribute is added whose value leaves the lowest class
    entropy among the rows that match all chosen values (ties: more rows, then the
    lower index), until that is zero, or no attribute lowers it with at least
    `min_support` rows remaining. The set may be empty.

    Parameters
    ----------
    cases : Cases
    codes : int32 array of shape (n_queries, n_attributes)
        C-contiguous.
    min_support : int
        At least 1.
    excluded : int64 array of shape (n_queries,), optional
        For each query a row that does not count, -1 for none.
    """
    n_queries, n_attributes = codes.shape
    if excluded is None:
        excluded = np.full(n_queries, -1, np.int64)
    attributes = np.full((n_queries, n_attributes), -1, np.int32)
    sizes = np.zeros(n_queries, np.int32)
    for first, last, bits, set_of_value in sets_in_parts(cases, codes, 0, n_queries):
        grow_conjunctions(
            bits,
            cases.starts,
            cases.offsets,
            set_of_value,
            cases.class_bits,
            cases.n_rows,
            codes,
            excluded,
            min_support,
            first,
            last,
            attributes,
            sizes,
        )
    return Selected(np.ascontiguousarray(attributes[:, : sizes.max(initial=0)]), sizes)
