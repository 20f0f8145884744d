"""Lazy stacking of numbers."""

from collections.abc import Callable, Sequence
from typing import Any

from sklearn.base import clone

from sklazy.answer.ensembles.members import Member
from sklazy.answer.ensembles.number_data import NumberCrowd
from sklazy.answer.ensembles.number_members import (
    MeanLinearMember,
    MeanNeighborsMember,
    MeanRuleMember,
    MeanTreeMember,
)
from sklazy.estimators.ensembles.base import check_positive
from sklazy.estimators.ensembles.member_kinds import (
    check_kinds,
    named_kinds,
    tell_kinds,
)
from sklazy.estimators.ensembles.regressor import EnsembleRegressor
from sklazy.estimators.ensembles.sklearn_members import MeanModelMember
from sklazy.estimators.selection.base import check_count

DEFAULT_KINDS = ("tree", "neighbors", "linear", "rule")
"""The members of lazy stacking of numbers, unless others are given."""


class LazyStackingRegressor(EnsembleRegressor):
    """Regressors of different kinds, built for each query on bags near to it.

    Bags are drawn as in lazy bagging, with more of the query's neighbors than
    chance would give. The kinds of members take them in turn: by default an unpruned
    regression tree, nearest neighbors, a linear model and one rule, which work on
    the bags' weights and never write a bag out.

    Parameters
    ----------
    estimators : list, optional
        The kinds of members: "tree", "neighbors", "linear", "rule", any regressor of
        scikit-learn, or pairs of a name and one of these. By default these four.
    n_estimators : int, default=10
        The number of bags, which the kinds take in turn.
    beta : float, default=0.99
        How alike bags with and without neighbors are to be, 0 to 1:
        ``K = N (1 - beta) log_4 N``, at least 1.
    n_neighbors : int, optional
        K itself, instead of `beta`.
    combine : {"mean", "median", "error"}
        How predictions become one; "error" weighs each member by one over its mean
        squared error on those of the 25 nearest cases that its bag lacks.
    member_neighbors : int, default=5
        How many rows of a bag count in "neighbors".
    ridge : float, default=1
        The penalty of "linear" on coefficients of standardized columns.
    max_features : int, float, "sqrt" or "log2", optional
        How many attributes, drawn at random, a node of "tree" looks at.
    min_weight : float, default=2
        Two branches of a split of "tree" must hold at least so many rows.
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
    LazyStackingClassifier : The same for classes.

    Notes
    -----
    Neighbors are those of `LazyBaggingRegressor`. Regressors of scikit-learn are
    fitted as in `LazyStackingClassifier`; the mean of the bag stands for one that
    cannot be fitted or has no finite answer.

    References
    ----------
    H. Homayouni, S. Hashemi, A. Hamzeh: Instance-based ensemble learning algorithm
    with stacking framework (lazy stacking).

    Examples
    --------
    >>> import numpy as np
    >>> from sklazy import LazyStackingRegressor
    >>> X = np.linspace(0, 6, 80)[:, None]
    >>> model = LazyStackingRegressor(["tree", "neighbors"]).fit(X, np.sin(X[:, 0]))
    >>> model.predict([[1.5], [4.0]]).round(1)
    array([ 1. , -0.8])
    """

    def __init__(
        self,
        estimators: Sequence[Any] | None = None,
        n_estimators: int = 10,
        beta: float = 0.99,
        *,
        n_neighbors: int | None = None,
        combine: str = "mean",
        member_neighbors: int = 5,
        ridge: float = 1.0,
        max_features: int | float | str | None = None,
        min_weight: float = 2.0,
        categorical_features: object = "from_dtype",
        random_state: object = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimators = estimators
        self.n_estimators = n_estimators
        self.beta = beta
        self.n_neighbors = n_neighbors
        self.combine = combine
        self.member_neighbors = member_neighbors
        self.ridge = ridge
        self.max_features = max_features
        self.min_weight = min_weight
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _members(self) -> tuple[Member[Any], ...]:
        k = int(self.member_neighbors)
        own: dict[str, Callable[[str], Member[NumberCrowd]]] = {
            "tree": lambda name: MeanTreeMember(self._rules(), name),
            "neighbors": lambda name: MeanNeighborsMember(k, name),
            "linear": lambda name: MeanLinearMember(float(self.ridge), name),
            "rule": MeanRuleMember,
        }
        return tuple(
            own[kind](name) if isinstance(kind, str) else MeanModelMember(kind, name)
            for name, kind in named_kinds(self.estimators, DEFAULT_KINDS, DEFAULT_KINDS)
        )

    def _told_settings(self) -> dict[str, Any]:
        told = clone(self).set_params(estimators=None)
        told.seed_ = self.seed_
        settings = super(LazyStackingRegressor, told)._told_settings()
        kinds = named_kinds(self.estimators, DEFAULT_KINDS, DEFAULT_KINDS)
        return {**settings, "estimators": tell_kinds(kinds)}

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count("member_neighbors", self.member_neighbors)
        check_positive("ridge", self.ridge, "the penalty of the linear member")
        kinds = named_kinds(self.estimators, DEFAULT_KINDS, DEFAULT_KINDS)
        check_kinds(kinds, "regressor")
