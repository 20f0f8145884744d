"""Lazy stacking: members of different kinds on bags drawn for the query."""

from collections.abc import Callable, Sequence
from typing import Any, Self

from sklazy.answer.ensembles.members import BayesMember, Member
from sklazy.casebase.base import Cuts
from sklazy.estimators.ensembles.base import EnsembleClassifier, EnsembleRegressor
from sklazy.estimators.ensembles.several_kinds import LazyStacking
from sklazy.estimators.ensembles.sklearn_members import (
    ClassifierMember,
    RegressorMember,
)
from sklazy.estimators.options import CombineNumbers, CombineVotes, Discretization
from sklazy.estimators.parameters import check_positive

KINDS = ("tree", "random_tree", "bayes", "neighbors", "linear", "rule")
"""The members of our own for classes."""

DEFAULT_KINDS = ("tree", "tree", "tree", "bayes", "linear")
"""The members of lazy stacking of classes, unless others are given."""

NUMBER_KINDS = ("tree", "random_tree", "neighbors", "linear", "rule")
"""The members of our own for numbers."""

DEFAULT_NUMBER_KINDS = ("tree", "tree", "tree", "tree", "neighbors", "linear")
"""The members of lazy stacking of numbers, unless others are given."""

_PAPER_KINDS = ("tree", "bayes", "neighbors", "linear", "rule")
_PAPER_NUMBER_KINDS = ("tree", "neighbors", "linear", "rule")


class LazyStackingClassifier(LazyStacking, EnsembleClassifier):
    """Classifiers of different kinds, built for each query on bags near to it.

    Bags are drawn as in lazy bagging, with more of the query's neighbors than
    chance would give. The kinds of members take them in turn: by default three
    unpruned trees, naive Bayes and a linear model; trees with drawn splits, nearest
    neighbors and one rule are there, too. They work on the bags' weights and never
    write a bag out.

    Parameters
    ----------
    estimators : list, optional
        The kinds of members: "tree", "random_tree", "bayes", "neighbors", "linear",
        "rule", any classifier of scikit-learn, or pairs of a name and one of these. By
        default
        ``["tree", "tree", "tree", "bayes", "linear"]``.
    n_estimators : int, default=50
        The number of bags, which the kinds take in turn; the paper has 10.
    beta : float, default=0.99
        Sets ``K = N (1 - beta) log_4 N``, the neighbors put into each bag, at least
        1; the larger beta, the fewer. In [0, 1].
    n_neighbors : int, optional
        K itself, instead of `beta`.
    combine : {"vote", "accuracy", "probability"}
        Whether the majority decides; votes weighted by each member's accuracy on
        those of the 25 nearest cases that its bag lacks; or the mean of
        probabilities.
    share_bags : bool, default=False
        Whether all queries share the part of the bags that is drawn from all cases.
    member_neighbors : int, default=5
        How many rows of a bag vote in "neighbors".
    alpha : float, default=1
        What "bayes" adds to every count.
    ridge : float, default=1
        The penalty of "linear" on coefficients of standardized columns.
    max_features : int, float, "sqrt", "log2", "auto" or None, default="auto"
        How many attributes, drawn at random, a node looks at: a count or a fraction;
        None looks at all. "auto" is 0.35 for "tree" and "sqrt" for "random_tree".
    min_branch_weight, c45_min_side
        The rules of "tree"; see `LazyBaggingClassifier`.
    penalize_numeric_splits, penalize_nominal_splits
        What its splits pay; see there, too.
    split_at_values
        Where it cuts; see there, too.
    discretization : {"fayyad", "kononenko"}
        The stop rule of the cuts of numbers, whose bins "bayes" and "rule" see.
    cuts : {"exact", "frozen"}
        Whether cuts follow every row that comes and goes, or stay as first found
        until `refresh`.
    categorical_features : "from_dtype", None, array-like or mapping
        Which columns are nominal; by default those of categories, text and bools. A
        mapping says what single columns are, for example ``{"day": "day-first"}``.
    random_state : int, RandomState or None
        What the draws depend on, besides the query's content. None counts as 0: the
        same query always gets the same answer.
    n_jobs : int, optional
        Threads; by default all cores.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    ids_ : array of shape (n_rows,)
        The rows' ids in order of arrival.
    seed_ : int
        The seed that `random_state` gave at fit.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    See Also
    --------
    LazyBaggingClassifier : Trees alone.

    Notes
    -----
    The defaults are those most accurate on one half of the paper's data sets; on the
    other half they are compared by ``benchmarks/ensemble_defaults.py``. The published
    settings are those of `paper`.

    Neighbors, ties and the order of cases are those of `LazyBaggingClassifier`.

    A classifier of scikit-learn is cloned and fitted on every bag of every query: by
    sample weights if it takes them, else on repeated rows. It sees numbers as they
    are, a missing one as NaN if its tags say that it takes NaN, else as the median;
    a category as an indicator column, all zero if it is missing or unseen. A
    `random_state` of None counts as 0. A bag of one class needs no model; where a
    model cannot be fitted, or has no finite answer, the class shares of the bag
    count, and a warning says so.

    References
    ----------
    H. Homayouni, S. Hashemi, A. Hamzeh: Instance-based ensemble learning algorithm
    with stacking framework (lazy stacking).

    X. Zhu, Y. Yang: A lazy bagging approach to classification. Pattern Recognition
    41, 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklazy import LazyStackingClassifier
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = LazyStackingClassifier(random_state=0).fit(X[::2], y[::2])
    >>> model.predict(X[1:150:40])
    array([0, 0, 1, 1])
    >>> kinds = ["tree", "bayes", ("ridge", LogisticRegression(C=0.1, max_iter=500))]
    >>> mixed = LazyStackingClassifier(kinds, 3).fit(X[["hue", "ash"]], y)
    >>> mixed.member_votes(X[["hue", "ash"]][:1]).shape
    (1, 3)
    """

    _all_kinds = KINDS
    _default_kinds = DEFAULT_KINDS
    _sklearn_member = ClassifierMember

    def __init__(
        self,
        estimators: Sequence[Any] | None = None,
        n_estimators: int = 50,
        beta: float = 0.99,
        *,
        n_neighbors: int | None = None,
        combine: CombineVotes = "probability",
        share_bags: bool = False,
        member_neighbors: int = 5,
        alpha: float = 1.0,
        ridge: float = 1.0,
        max_features: int | float | str | None = "auto",
        min_branch_weight: float = 2.0,
        c45_min_side: bool = True,
        penalize_numeric_splits: bool = True,
        penalize_nominal_splits: bool = True,
        split_at_values: bool = True,
        discretization: Discretization = "fayyad",
        cuts: Cuts = "exact",
        categorical_features: object = "from_dtype",
        random_state: object = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimators = estimators
        self.n_estimators = n_estimators
        self.beta = beta
        self.n_neighbors = n_neighbors
        self.combine = combine
        self.share_bags = share_bags
        self.member_neighbors = member_neighbors
        self.alpha = alpha
        self.ridge = ridge
        self.max_features = max_features
        self.min_branch_weight = min_branch_weight
        self.c45_min_side = c45_min_side
        self.penalize_numeric_splits = penalize_numeric_splits
        self.penalize_nominal_splits = penalize_nominal_splits
        self.split_at_values = split_at_values
        self.discretization = discretization
        self.cuts = cuts
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def paper(cls, **settings: Any) -> Self:  # noqa: ANN401 - other parameters
        """Return the estimator with the published settings: 10 bags, beta = 0.99.

        The paper does not name its members; they are the five kinds of this library.

        Parameters
        ----------
        **settings
            Other parameters, such as `random_state`.

        Examples
        --------
        >>> LazyStackingClassifier.paper(random_state=1).n_estimators
        10
        """
        published = {
            "estimators": list(_PAPER_KINDS),
            "n_estimators": 10,
            "beta": 0.99,
            "max_features": None,
            "combine": "vote",
            "penalize_nominal_splits": False,
        }
        return cls(**{**published, **settings})

    def _own_members(self) -> dict[str, Callable[[str], Member]]:
        alpha = float(self.alpha)
        return {
            **super()._own_members(),
            "bayes": lambda name: BayesMember(alpha, name),
        }

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_positive("alpha", self.alpha, "what naive Bayes adds to every count")


class LazyStackingRegressor(LazyStacking, EnsembleRegressor):
    """Regressors of different kinds, built for each query on bags near to it.

    Bags are drawn as in lazy bagging, with more of the query's neighbors than
    chance would give. The kinds of members take them in turn: by default four unpruned
    regression trees, nearest neighbors and a linear model; trees with drawn splits and
    one rule are there, too. They work on the bags' weights and never write a bag out.

    Parameters
    ----------
    estimators : list, optional
        The kinds of members: "tree", "random_tree", "neighbors", "linear", "rule", any
        regressor of scikit-learn, or pairs of a name and one of these. By default
        ``["tree", "tree", "tree", "tree", "neighbors", "linear"]``.
    n_estimators : int, default=48
        The number of bags, which the kinds take in turn; `paper` has 10.
    beta : float, default=0.99
        Sets ``K = N (1 - beta) log_4 N``, the neighbors put into each bag, at least
        1; the larger beta, the fewer. In [0, 1].
    n_neighbors : int, optional
        K itself, instead of `beta`.
    combine : {"mean", "median", "error"}
        How predictions become one; "error" weighs each member by one over its mean
        squared error on those of the 25 nearest cases that its bag lacks.
    share_bags : bool, default=False
        Whether all queries share the part of the bags that is drawn from all cases.
    member_neighbors : int, default=5
        How many rows of a bag count in "neighbors".
    ridge : float, default=1
        The penalty of "linear" on coefficients of standardized columns.
    max_features : int, float, "sqrt", "log2", "auto" or None, default="auto"
        How many attributes, drawn at random, a node looks at; None looks at all.
        "auto" is 0.5 for "tree" and "sqrt" for "random_tree".
    min_branch_weight : float, default=2
        Two branches of a split of "tree" must hold at least so many rows.
    penalize_nominal_splits : bool, default=True
        Whether a nominal split of "tree" pays what so many branches would explain by
        chance.
    categorical_features : "from_dtype", None, array-like or mapping
        Which columns are nominal; by default those of categories, text and bools. A
        mapping says what single columns are, for example ``{"day": "day-first"}``.
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
    The defaults are those of least error on half of the RACSAM paper's regression sets;
    see ``docs/ensembles.md``. Neighbors are those of `LazyBaggingRegressor`.

    Regressors of scikit-learn are fitted as in `LazyStackingClassifier`; the mean of
    the bag stands for one that cannot be fitted or has no finite answer.

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

    _all_kinds = NUMBER_KINDS
    _default_kinds = DEFAULT_NUMBER_KINDS
    _sklearn_member = RegressorMember

    def __init__(
        self,
        estimators: Sequence[Any] | None = None,
        n_estimators: int = 48,
        beta: float = 0.99,
        *,
        n_neighbors: int | None = None,
        combine: CombineNumbers = "mean",
        share_bags: bool = False,
        member_neighbors: int = 5,
        ridge: float = 1.0,
        max_features: int | float | str | None = "auto",
        min_branch_weight: float = 2.0,
        penalize_nominal_splits: bool = True,
        categorical_features: object = "from_dtype",
        random_state: object = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimators = estimators
        self.n_estimators = n_estimators
        self.beta = beta
        self.n_neighbors = n_neighbors
        self.combine = combine
        self.share_bags = share_bags
        self.member_neighbors = member_neighbors
        self.ridge = ridge
        self.max_features = max_features
        self.min_branch_weight = min_branch_weight
        self.penalize_nominal_splits = penalize_nominal_splits
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def paper(cls, **settings: Any) -> Self:  # noqa: ANN401 - other parameters
        """Return the estimator with the published settings: 10 bags, beta = 0.99.

        The paper has classes; this carries its settings over to numbers.

        Parameters
        ----------
        **settings
            Other parameters, such as `random_state`.

        Examples
        --------
        >>> LazyStackingRegressor.paper(random_state=1).n_estimators
        10
        """
        published = {
            "estimators": list(_PAPER_NUMBER_KINDS),
            "n_estimators": 10,
            "beta": 0.99,
            "max_features": None,
            "combine": "mean",
            "penalize_nominal_splits": False,
        }
        return cls(**{**published, **settings})
