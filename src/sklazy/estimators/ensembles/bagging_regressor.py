"""Lazy bagging of numbers."""

from typing import Any

from sklazy.answer.ensembles.members import Member
from sklazy.answer.ensembles.number_data import NumberCrowd
from sklazy.answer.ensembles.number_members import MeanTreeMember
from sklazy.estimators.ensembles.regressor import EnsembleRegressor


class LazyBaggingRegressor(EnsembleRegressor):
    """Bagged regression trees, grown for each query on bags near to it.

    A query finds its K nearest cases; every bag takes K of its N rows from them and
    the others from all cases, with replacement; the unpruned regression tree of each
    bag predicts. Of a tree only the query's own path is grown. Answers depend neither
    on the order of the rows nor on the other queries.

    Parameters
    ----------
    n_estimators : int, default=10
        The number of bags.
    beta : float, default=0.99
        How alike bags with and without neighbors are to be, 0 to 1:
        ``K = N (1 - beta) log_4 N``, at least 1.
    n_neighbors : int, optional
        K itself, instead of `beta`.
    max_features : int, float, "sqrt" or "log2", optional
        How many attributes, drawn at random, a node looks at; by default all.
    combine : {"mean", "median", "error"}
        How predictions become one; "error" weighs each member by one over its mean
        squared error on those of the 25 nearest cases that its bag lacks.
    min_weight : float, default=2
        Two branches of a split must hold at least so many rows.
    categorical_features : "from_dtype", None, or array-like
        Which columns are nominal; by default those of categories, text and bools.
    random_state : int, RandomState or None
        What the draws depend on, besides the query's content. None counts as 0: the
        same query always gets the same answer.
    n_jobs : int, optional
        Threads; by default all cores.

    Attributes
    ----------
    ids_ : array of shape (n_rows,)
        The rows' ids in order of arrival.
    seed_ : int
        The seed that `random_state` gave at fit.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    See Also
    --------
    LazyBaggingClassifier : The same for classes.
    LazyStackingRegressor : Members of different kinds on such bags.

    Notes
    -----
    Neighbors are found by the HEOM difference, in which an attribute counts by its
    adjusted correlation ratio: the share of the target's variance that its
    categories, or tenths of its rows, explain beyond chance. Cases at equal distance
    are taken in an order that depends on their content alone. There are no sample
    weights: every row is drawn with equal chance.

    References
    ----------
    X. Zhu, Y. Yang: A lazy bagging approach to classification. Pattern Recognition
    41, 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from sklazy import LazyBaggingRegressor
    >>> X = np.linspace(0, 6, 80)[:, None]
    >>> model = LazyBaggingRegressor(20).fit(X, np.sin(X[:, 0]))
    >>> model.predict([[1.5], [4.0]]).round(1)
    array([ 1. , -0.8])
    """

    def __init__(
        self,
        n_estimators: int = 10,
        beta: float = 0.99,
        *,
        n_neighbors: int | None = None,
        max_features: int | float | str | None = None,
        combine: str = "mean",
        min_weight: float = 2.0,
        categorical_features: object = "from_dtype",
        random_state: object = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.beta = beta
        self.n_neighbors = n_neighbors
        self.max_features = max_features
        self.combine = combine
        self.min_weight = min_weight
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _members(self) -> tuple[Member[Any], ...]:
        member: Member[NumberCrowd] = MeanTreeMember(self._rules())
        return (member,)
