"""Lazy stacking: members of different kinds on bags drawn for the query."""

from collections.abc import Sequence
from typing import Any, Self

from sklazy.casebase.base import Cuts
from sklazy.casebase.moments import Length
from sklazy.estimators.ensembles.base import EnsembleClassifier, EnsembleRegressor
from sklazy.estimators.ensembles.member_kinds import Kinds
from sklazy.estimators.ensembles.sklearn_members import (
    ClassifierMember,
    RegressorMember,
)
from sklazy.estimators.parameters import (
    CombineNumbers,
    CombineVotes,
    Discretization,
)

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


class LazyStackingClassifier(EnsembleClassifier):
    """Classifiers of different kinds, built for each query on bags near to it.

    Bags are drawn as in lazy bagging, with more neighbors of the query than chance
    would give. Members of different kinds take them in turn: by default three unpruned
    trees, naive Bayes and a linear model. Trees with random splits, nearest neighbors
    and one rule are available, too. Members use the weights of a bag's rows, so bags
    are never copied.

    Parameters
    ----------
    estimators : list, optional
        Kinds of members: "tree", "random_tree", "bayes", "neighbors", "linear", "rule",
        any scikit-learn classifier, or pairs of a name and one of these. Default:
        ``["tree", "tree", "tree", "bayes", "linear"]``.
    n_estimators : int, default=50
        Number of bags, which the kinds take in turn. The paper gives no number; `paper`
        has 10.
    beta : float, default=0.99
        Sets the neighbors in each bag, ``K = N (1 - beta) log_4 N``, at least 1. In [0,
        1].
    n_neighbors : int, optional
        K itself, instead of `beta`.
    combine : {"probability", "vote", "accuracy", "knora-e", "knora-u", "stacked"}
        As for `LazyBaggingClassifier`.
    share_bags : bool, default=False
        Whether all queries share the part of the bags that is drawn from all cases.
    member_neighbors : int, default=5
        How many rows of a bag vote in "neighbors".
    alpha : float, default=1
        Added to every count of "bayes" (Laplace smoothing).
    ridge : float, default=1
        The penalty of "linear" on coefficients of standardized columns.
    max_features : int, float, "sqrt", "log2", "auto" or None, default="auto"
        How many randomly drawn attributes a node considers: a count or a fraction; None
        considers all. "auto" is 0.35 for "tree" and "sqrt" for "random_tree".
    min_branch_weight, c45_min_side
        The rules of "tree"; see `LazyBaggingClassifier`.
    penalize_numeric_splits, penalize_nominal_splits
        Penalties of its splits; see `LazyBaggingClassifier`.
    split_at_values
        Where it cuts; see `LazyBaggingClassifier`.
    discretization : {"fayyad", "kononenko"}
        Stopping rule of the cuts of numbers; "bayes" and "rule" use their bins.
    cuts : {"exact", "frozen"}
        Whether cuts are updated with every row added or forgotten, or stay as first
        computed until `refresh`.
    categorical_features : "from_dtype", None, array-like or mapping
        Which columns are nominal. Default: those of categories, text and bools. A
        mapping sets the kind of single columns, for example ``{"day": "day-first"}``.
    window : int, float or timedelta, optional
        Keep only the newest rows: this many, or those within a length of time (a float
        in units of `times`, days for dates). Older rows are forgotten as new ones
        arrive.
    half_life : number or timedelta, optional
        Age at which a row has half the weight of the newest, in units of `times`, or in
        rows without times. Weights are taken as copies: whole ones exactly, of others
        as many in all as there are rows.
    class_weight : {None, "balanced"} or dict, optional
        Weight of each class, times that of the row: a dict by label, 1 for classes that
        it does not name, or such that all classes weigh alike, which follows rows that
        are added and forgotten. Counts from `fit` on.
    random_state : int, RandomState or None
        Seed of the draws, together with the query's content. None means 0, so that the
        same query always gets the same answer.
    n_jobs : int, optional
        Number of threads. Default: all cores.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    ids_ : array of shape (n_rows,)
        Row ids, in order of arrival.
    seed_ : int
        The seed that `random_state` gave at fit.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    See Also
    --------
    LazyBaggingClassifier : Trees alone.

    Notes
    -----
    The defaults were the most accurate on one half of the paper's data sets;
    ``benchmarks/ensemble_defaults.py`` compares them on the other half. `paper` has the
    published settings.

    Neighbors, ties and the order of cases are those of `LazyBaggingClassifier`.

    Kinds may repeat: three trees, naive Bayes and a linear model, the default, combine
    bagging and stacking, which the paper leaves to future work.

    A scikit-learn classifier is cloned and fitted on every bag of every query: by
    sample weights if it takes them, else on repeated rows. It sees numbers as they are.
    A missing number is NaN if the estimator's tags allow it, else the median. A
    category is an indicator column, all zero if it is missing or unseen. A
    `random_state` of None means 0. A bag of one class needs no model. If a model cannot
    be fitted, or its answer is not finite, the class shares of the bag are used, with a
    warning.

    References
    ----------
    H. Homayouni, S. Hashemi, A. Hamzeh: A lazy ensemble learning method to
    classification. International Journal of Computer Science Issues 7(5), 2010.

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

    _kinds = Kinds(KINDS, DEFAULT_KINDS, ClassifierMember)

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
        window: Length | None = None,
        half_life: Length | None = None,
        class_weight: object = None,
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
        self.window = window
        self.half_life = half_life
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def paper(cls, **settings: Any) -> Self:  # noqa: ANN401 - other parameters
        """Return the estimator with the published settings: beta = 0.99, a majority.

        The paper names neither its members nor their number: five kinds of this
        library in ten bags are ours (`docs/papers.md` has each value's sentence).

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


class LazyStackingRegressor(EnsembleRegressor):
    """Regressors of different kinds, built for each query on bags near to it.

    Bags are drawn as in lazy bagging, with more neighbors of the query than chance
    would give. Members of different kinds take them in turn: by default four unpruned
    regression trees, nearest neighbors and a linear model. Trees with random splits and
    one rule are available, too. Members use the weights of a bag's rows, so bags are
    never copied.

    Parameters
    ----------
    estimators : list, optional
        Kinds of members: "tree", "random_tree", "neighbors", "linear", "rule", any
        scikit-learn regressor, or pairs of a name and one of these. Default: ``["tree",
        "tree", "tree", "tree", "neighbors", "linear"]``.
    n_estimators : int, default=48
        Number of bags, which the kinds take in turn; `paper` uses 10.
    beta : float, default=0.99
        Sets the neighbors in each bag, ``K = N (1 - beta) log_4 N``, at least 1. In [0,
        1].
    n_neighbors : int, optional
        K itself, instead of `beta`.
    combine : {"mean", "median", "error"}
        How predictions are combined; "error" weights each member by the inverse of its
        mean squared error on those of the 25 nearest cases that are not in its bag.
    share_bags : bool, default=False
        Whether all queries share the part of the bags that is drawn from all cases.
    member_neighbors : int, default=5
        How many rows of a bag count in "neighbors".
    ridge : float, default=1
        The penalty of "linear" on coefficients of standardized columns.
    max_features : int, float, "sqrt", "log2", "auto" or None, default="auto"
        How many randomly drawn attributes a node considers; None considers all. "auto"
        is 0.5 for "tree" and "sqrt" for "random_tree".
    min_branch_weight : float, default=2
        At least two branches of a split of "tree" must hold this many rows.
    penalize_nominal_splits : bool, default=True
        Whether the gain of a nominal split of "tree" is reduced by what that many
        branches would explain by chance.
    categorical_features : "from_dtype", None, array-like or mapping
        Which columns are nominal. Default: those of categories, text and bools. A
        mapping sets the kind of single columns, for example ``{"day": "day-first"}``.
    window : int, float or timedelta, optional
        Keep only the newest rows: this many, or those within a length of time (a float
        in units of `times`, days for dates). Older rows are forgotten as new ones
        arrive.
    half_life : number or timedelta, optional
        Age at which a row has half the weight of the newest, in units of `times`, or in
        rows without times. Weights are taken as copies: whole ones exactly, of others
        as many in all as there are rows.
    random_state : int, RandomState or None
        Seed of the draws, together with the query's content. None means 0, so that the
        same query always gets the same answer.
    n_jobs : int, optional
        Number of threads. Default: all cores.

    Attributes
    ----------
    ids_ : array of shape (n_rows,)
        Row ids, in order of arrival.
    seed_ : int
        The seed that `random_state` gave at fit.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    See Also
    --------
    LazyStackingClassifier : The same for classes.

    Notes
    -----
    The defaults had the least error on half of the RACSAM paper's regression sets; see
    ``docs/ensembles.md``. Neighbors are those of `LazyBaggingRegressor`.

    Scikit-learn regressors are fitted as in `LazyStackingClassifier`. If one cannot be
    fitted, or its answer is not finite, the mean of the bag is used.

    References
    ----------
    H. Homayouni, S. Hashemi, A. Hamzeh: A lazy ensemble learning method to
    classification. International Journal of Computer Science Issues 7(5), 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from sklazy import LazyStackingRegressor
    >>> X = np.linspace(0, 6, 80)[:, None]
    >>> model = LazyStackingRegressor(["tree", "neighbors"]).fit(X, np.sin(X[:, 0]))
    >>> model.predict([[1.5], [4.0]]).round(1)
    array([ 1. , -0.8])
    """

    _kinds = Kinds(NUMBER_KINDS, DEFAULT_NUMBER_KINDS, RegressorMember)

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
        window: Length | None = None,
        half_life: Length | None = None,
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
        self.window = window
        self.half_life = half_life
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def paper(cls, **settings: Any) -> Self:  # noqa: ANN401 - other parameters
        """Return the estimator with the published settings, applied to numbers.

        The paper is about classes and gives no number of bags; ten are ours.

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
