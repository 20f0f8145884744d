"""A regression tree with the stopping rules of R's package tree."""

from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.tree import DecisionTreeRegressor

Floats = NDArray[np.float64]


class RTree(RegressorMixin, BaseEstimator):
    """Greedy splits that take more than 1 % of the root's deviance away.

    R's page of ``tree.control`` has the deviance of the node instead; its source
    (``divide_node`` in src/grow.c) has what the split takes away. The other rules:
    nodes of fewer than 10 rows are not split, and leaves hold 5 rows or more. Since
    splits are greedy, the tree is grown without the first rule and cut back by it.

    Parameters
    ----------
    min_deviance : float
        The share of the root's deviance.
    within : bool
        Whether the node's deviance decides, as on R's page.

    References
    ----------
    B. D. Ripley: tree, classification and regression trees. CRAN.

    Examples
    --------
    >>> X = np.arange(40.0)[:, None]
    >>> y = np.where(X[:, 0] < 20, 0.0, 1.0) + np.where(X[:, 0] % 20 < 10, 0.0, 0.001)
    >>> RTree().fit(X, y).n_leaves_
    2
    """

    def __init__(self, min_deviance: float = 0.01, within: bool = False) -> None:
        self.min_deviance = min_deviance
        self.within = within

    def fit(self, X: Floats, y: Floats) -> Self:
        """Grow the tree."""
        grown = DecisionTreeRegressor(
            min_samples_split=10, min_samples_leaf=5, random_state=0
        ).fit(X, y)
        nodes = grown.tree_
        deviance = nodes.impurity * nodes.weighted_n_node_samples
        children = deviance[nodes.children_left] + deviance[nodes.children_right]
        decisive = deviance if self.within else deviance - children
        self._is_leaf = decisive < self.min_deviance * deviance[0]
        self._is_leaf |= nodes.children_left < 0
        self._grown = grown
        self.n_leaves_ = self._count_leaves(0)
        return self

    def predict(self, X: Floats) -> Floats:
        """The mean of the leaf that each row falls into."""
        nodes = self._grown.tree_
        at = np.zeros(len(X), np.int64)
        while True:
            moving = np.flatnonzero(~self._is_leaf[at])
            if not len(moving):
                return nodes.value[at, 0, 0]
            here = at[moving]
            # scikit-learn compares cells in single precision.
            cells = np.asarray(X)[moving, nodes.feature[here]].astype(np.float32)
            left = cells <= nodes.threshold[here]
            at[moving] = np.where(
                left, nodes.children_left[here], nodes.children_right[here]
            )

    def _count_leaves(self, node: int) -> int:
        if self._is_leaf[node]:
            return 1
        nodes = self._grown.tree_
        children = (nodes.children_left[node], nodes.children_right[node])
        return sum(self._count_leaves(int(child)) for child in children)
