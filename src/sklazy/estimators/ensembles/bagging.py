"""Lazy bagging: trees on bags drawn for the query, of classes and of numbers."""

from typing import Any, Self

from sklazy.casebase.base import Cuts
from sklazy.casebase.moments import Length
from sklazy.estimators.ensembles.base import (
    EnsembleClassifier,
    EnsembleRegressor,
)
from sklazy.estimators.parameters import (
    CombineNumbers,
    CombineVotes,
    Discretization,
    Splits,
)


class LazyBaggingClassifier(EnsembleClassifier):
    """Bagged trees, grown for each query on bags that hold more of its neighbors.

    Each bag takes K of its N rows from the K nearest cases of the query and the rest
    from all cases, with replacement. An unpruned tree like that of C4.5 votes for each
    bag. Only the query's own path is grown, which gives the tree's answer at a small
    part of its cost. Answers depend neither on the order of rows nor on other queries.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of bags. The paper gives none; `paper` has 10.
    beta : float, default=0.99
        Sets the neighbors in each bag, ``K = N (1 - beta) log_4 N``, at least 1. In [0,
        1]. Not used by random splits.
    n_neighbors : int, optional
        K itself, instead of `beta`.
    splits : {"best", "random"}
        How trees split: like C4.5, or by the best of a few random splits, down to
        leaves of one class; see Notes.
    max_features : int, float, "sqrt", "log2", "auto" or None, default="auto"
        How many randomly drawn attributes a node considers: a count or a fraction; None
        considers all, as in the paper. "auto" is 0.35 for best splits and "sqrt" for
        random ones.
    combine : {"probability", "vote", "accuracy", "knora-e", "knora-u", "stacked"}
        Average the members' probabilities; take the majority vote, as in the paper; or
        weight votes by each member's record on those of the 25 nearest cases that are
        not in its bag: its accuracy; its right answers ("knora-u"); only members right
        on all of a neighborhood that shrinks until there are some ("knora-e"); or the
        weights that fit the cases' classes best ("stacked"). Shares of votes are not
        probabilities: a class that every member gives 70 % gets all votes.
    share_bags : bool, default=False
        Whether all queries share the part of the bags that is drawn from all cases.
        Faster for many queries; see Notes.
    max_samples : int, float, "auto" or None, default="auto"
        Most draws of a bag: a count, or a fraction of the rows. None draws as many as
        there are rows, as in the paper. "auto" does the same up to 20000 rows and draws
        5000 beyond (random splits: at most 4000). K is computed for that many rows. A
        query then costs the same however many rows there are, except for the search.
    min_branch_weight : float, default=2
        At least two branches of a split must hold this many rows.
    c45_min_side : bool, default=True
        Whether each side of a numeric split must hold a tenth of the mean weight of
        a class, but no more than 25, as in C4.5.
    penalize_numeric_splits : bool, default=True
        Whether the gain of a numeric split is reduced for the number of possible cuts,
        as in C4.5.
    penalize_nominal_splits : bool, default=True
        Whether the gain of a nominal split is reduced by the gain expected by chance
        from that many branches, so that attributes with many categories do not make
        leaves of one row. C4.5 has no such rule.
    split_at_values : bool, default=True
        Whether a cut lies at a value of the bag, as in C4.5, or midway between two.
    discretization : {"fayyad", "kononenko"}
        Stopping rule of the cuts used for the gain ratio of numbers.
    cuts : {"exact", "frozen"}
        Whether these cuts are updated with every row added or forgotten, or stay as
        first computed until `refresh`.
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
    LazyStackingClassifier : Members of different kinds on such bags.

    Notes
    -----
    The defaults were the most accurate on one half of the paper's data sets;
    ``benchmarks/ensemble_defaults.py`` compares them on the other half. `paper` has the
    published settings.

    Neighbors are found by the HEOM distance, with attributes weighted by their gain
    ratio over MDL bins. Ties in distance are broken by a hash of the content and the
    copy number of a case: a fair draw that depends on nothing else. Ties of votes go to
    the class with more of the K neighbors, then to the more frequent one. There are no
    sample weights: every row is drawn with equal probability.

    With ``splits="random"`` a node tries `max_features` attributes with one split each:
    a random cut between the smallest and the largest number of its rows, or a random
    half of their categories. The largest information gain wins. A missing nominal cell
    is a category of its own. Missing numbers go to one side, drawn by the weights of
    the sides, and so does a query with a value that no row of the node has. Bags are
    plain, K = 0, unless `n_neighbors` is given; `min_branch_weight` and the rules of
    C4.5 do not apply. Leave-one-out then costs no more than predicting, except for rows
    with a class or category of their own.

    With `share_bags` the bags of a query have the same distribution as without, but all
    queries see the same draws. So the accuracy of a whole run may vary more between
    random states (its variance was 1.0 to 2.3 times as large on three sets; see
    ``benchmarks/shared_bags.py``).

    References
    ----------
    X. Zhu, Y. Yang: A lazy bagging approach to classification. Pattern Recognition
    41, 2008.

    J. R. Quinlan: C4.5: programs for machine learning. Morgan Kaufmann, 1993.

    P. Geurts, D. Ernst, L. Wehenkel: Extremely randomized trees. Machine Learning 63,
    2006.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklazy import LazyBaggingClassifier
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = LazyBaggingClassifier(random_state=0).fit(X[::2], y[::2])
    >>> model.predict(X[1:150:40])
    array([0, 0, 1, 1])
    >>> model.predict_proba(X[1:2]).round(2)
    array([[0.98, 0.02, 0.  ]])
    >>> drawn = LazyBaggingClassifier(splits="random").fit(X[::2], y[::2])
    >>> round(float(drawn.score(X[1::2], y[1::2])), 2)
    0.94
    """

    def __init__(
        self,
        n_estimators: int = 100,
        beta: float = 0.99,
        *,
        n_neighbors: int | None = None,
        splits: Splits = "best",
        max_features: int | float | str | None = "auto",
        combine: CombineVotes = "probability",
        share_bags: bool = False,
        max_samples: int | float | str | None = "auto",
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
        self.n_estimators = n_estimators
        self.beta = beta
        self.n_neighbors = n_neighbors
        self.splits = splits
        self.max_features = max_features
        self.combine = combine
        self.share_bags = share_bags
        self.max_samples = max_samples
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

        The paper gives no number of bags; ten are ours.

        Parameters
        ----------
        **settings
            Other parameters, such as `random_state`.

        Examples
        --------
        >>> LazyBaggingClassifier.paper(random_state=1).n_estimators
        10
        """
        published: dict[str, Any] = {
            "n_estimators": 10,
            "beta": 0.99,
            "max_features": None,
        }
        published |= {"splits": "best", "combine": "vote", "max_samples": None}
        published |= {"penalize_nominal_splits": False}
        return cls(**{**published, **settings})


class LazyBaggingRegressor(EnsembleRegressor):
    """Bagged regression trees, grown for each query on bags near to it.

    Each bag takes K of its N rows from the K nearest cases of the query and the rest
    from all cases, with replacement. The unpruned regression tree of each bag predicts;
    only the query's own path is grown. Answers depend neither on the order of rows nor
    on other queries.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of bags; `paper` has 10.
    beta : float, default=0.99
        Sets the neighbors in each bag, ``K = N (1 - beta) log_4 N``, at least 1. In [0,
        1]. Not used by random splits.
    n_neighbors : int, optional
        K itself, instead of `beta`.
    splits : {"best", "random"}
        How trees split: where the sum of squares falls most, or by the best of a few
        random splits, down to leaves of one number; see `LazyBaggingClassifier`.
    max_features : int, float, "sqrt", "log2", "auto" or None, default="auto"
        How many randomly drawn attributes a node considers; None considers all. "auto"
        is 0.5 for best splits and "sqrt" for random ones.
    combine : {"mean", "median", "error"}
        How predictions are combined; "error" weights each member by the inverse of its
        mean squared error on those of the 25 nearest cases that are not in its bag.
    share_bags : bool, default=False
        Whether all queries share the part of the bags that is drawn from all cases.
    max_samples : int, float, "auto" or None, default="auto"
        Most draws of a bag, as for `LazyBaggingClassifier`.
    min_branch_weight : float, default=2
        At least two branches of a split must hold this many rows.
    penalize_nominal_splits : bool, default=True
        Whether the gain of a nominal split is reduced by what that many branches would
        explain by chance.
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
    LazyBaggingClassifier : The same for classes.
    LazyStackingRegressor : Members of different kinds on such bags.

    Notes
    -----
    The defaults had the least error on half of the RACSAM paper's regression sets; see
    ``docs/ensembles.md``. `paper` has the settings carried over from the paper.

    Neighbors are found by the HEOM distance, with attributes weighted by their adjusted
    correlation ratio: the share of the target's variance that categories, or deciles of
    numbers, explain beyond chance. Ties in distance are broken by a hash of the content
    and the copy number of a case. There are no sample weights: every row is drawn with
    equal probability.

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
        n_estimators: int = 100,
        beta: float = 0.99,
        *,
        n_neighbors: int | None = None,
        splits: Splits = "best",
        max_features: int | float | str | None = "auto",
        combine: CombineNumbers = "mean",
        share_bags: bool = False,
        max_samples: int | float | str | None = "auto",
        min_branch_weight: float = 2.0,
        penalize_nominal_splits: bool = True,
        categorical_features: object = "from_dtype",
        window: Length | None = None,
        half_life: Length | None = None,
        random_state: object = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.beta = beta
        self.n_neighbors = n_neighbors
        self.splits = splits
        self.max_features = max_features
        self.combine = combine
        self.share_bags = share_bags
        self.max_samples = max_samples
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
        >>> LazyBaggingRegressor.paper(random_state=1).n_estimators
        10
        """
        published: dict[str, Any] = {
            "n_estimators": 10,
            "beta": 0.99,
            "max_features": None,
        }
        published |= {"splits": "best", "combine": "mean", "max_samples": None}
        published |= {"penalize_nominal_splits": False}
        return cls(**{**published, **settings})
