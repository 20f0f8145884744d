"""Lazy bagging: trees on bags drawn for the query, of classes and of numbers."""

from typing import Any, Literal, Self

import numpy as np

from sklazy.answer.ensembles.members import Member, RandomTreeMember, TreeMember
from sklazy.casebase.base import Cuts
from sklazy.errors import BadInputError
from sklazy.estimators.ensembles.base import (
    EnsembleClassifier,
    EnsembleRegressor,
    LazyEnsemble,
)
from sklazy.estimators.options import (
    CombineNumbers,
    CombineVotes,
    Discretization,
    Splits,
)
from sklazy.estimators.parameters import check_choice
from sklazy.local.bags import FEWEST_DRAWS

_RANDOM_DRAWS = 4000  # of random paths: more change little


class LazyBagging(LazyEnsemble):
    """Trees of one kind, on the bags of a query; see the subclasses."""

    splits: str
    max_samples: int | float | str | None

    def _members(self) -> tuple[Member, ...]:
        if self.splits == "random":
            return (RandomTreeMember(self._tried()),)
        return (TreeMember(self._rules(), bool(self.share_bags)),)

    def _n_near(self) -> int | None:
        plain = self.splits == "random" and self.n_neighbors is None
        return 0 if plain else super()._n_near()

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("splits", self.splits, ("best", "random"))
        check_samples(self.max_samples)

    def _most_draws(self) -> float | str | None:
        if self.splits == "random" and self.max_samples == "auto":
            return _RANDOM_DRAWS
        return self.max_samples


def check_samples(max_samples: object) -> None:
    """Refuse what bags cannot be cut down to."""
    if max_samples is None or (isinstance(max_samples, str) and max_samples == "auto"):
        return
    fits = False
    if isinstance(max_samples, float | np.floating):
        fits = 0 < float(max_samples) <= 1
    elif isinstance(max_samples, int | np.integer):
        fits = int(max_samples) >= FEWEST_DRAWS  # nor is True a number of draws
    if not fits:
        raise BadInputError(
            f"max_samples={max_samples!r}; expected the draws of a bag, at least "
            f"{FEWEST_DRAWS}, a fraction of the rows in (0, 1], 'auto', or None for "
            "all."
        )


class LazyBaggingClassifier(LazyBagging, EnsembleClassifier):
    """Bagged trees, grown for each query on bags that hold more of its neighbors.

    A query finds its K nearest cases; every bag takes K of its N rows from them and
    the others from all cases, with replacement; an unpruned tree like that of C4.5
    votes for each bag. Of a tree only the query's own path is grown, which gives the
    tree's answer for a small part of its cost. Answers depend neither on the order of
    the rows nor on the other queries.

    Parameters
    ----------
    n_estimators : int, default=100
        The number of bags; the paper has 10.
    beta : float, default=0.99
        Sets ``K = N (1 - beta) log_4 N``, the neighbors put into each bag, at least
        1; the larger beta, the fewer. In [0, 1]. Not used by random splits.
    n_neighbors : int, optional
        K itself, instead of `beta`.
    splits : {"best", "random"}
        How trees split: where C4.5 would, or by the best of a few drawn splits, down
        to leaves of one class; see Notes.
    max_features : int, float, "sqrt", "log2", "auto" or None, default="auto"
        How many attributes, drawn at random, a node looks at: a count or a fraction;
        None looks at all, as in the paper. "auto" is 0.35 for best splits and "sqrt"
        for random ones.
    combine : {"auto", "vote", "accuracy", "probability"}
        Whether the majority decides; votes weighted by each member's accuracy on
        those of the 25 nearest cases that its bag lacks; or the mean of
        probabilities. "auto" is "vote" for best splits and "probability" for random
        ones.
    share_bags : bool, default=False
        Whether all queries share the part of the bags that is drawn from all cases.
        Faster for many queries; see Notes.
    max_samples : int, float, "auto" or None, default="auto"
        The draws of a bag: at most so many, or a fraction of the rows; None draws as
        many as there are rows, as in the paper, and so does "auto" up to 20000 rows,
        beyond which it draws 5000 (random splits: 4000 where there are more rows). K is
        that of so many rows. A query then costs the same however many rows there are,
        but for the search.
    min_branch_weight : float, default=2
        Two branches of a split must hold at least so many rows.
    c45_min_side : bool, default=True
        Whether each side of a numeric split must hold a tenth of the mean weight of
        a class, but no more than 25, as in C4.5.
    penalize_numeric_splits : bool, default=True
        Whether the gain of a numeric split pays for the number of cuts, as in C4.5.
    penalize_nominal_splits : bool, default=True
        Whether the gain of a nominal split pays what so many branches would gain by
        chance, so that attributes of very many categories do not make leaves of one
        row; C4.5 has no such rule.
    split_at_values : bool, default=True
        Whether a cut lies at a value of the bag, as in C4.5, or midway between two.
    discretization : {"fayyad", "kononenko"}
        The stop rule of the cuts over which the gain ratio of numbers is found.
    cuts : {"exact", "frozen"}
        Whether these cuts follow every row that comes and goes, or stay as first
        found until `refresh`.
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
    LazyStackingClassifier : Members of different kinds on such bags.

    Notes
    -----
    The defaults are those most accurate on one half of the paper's data sets; on the
    other half they are compared by ``benchmarks/ensemble_defaults.py``. The published
    settings are those of `paper`.

    Neighbors are found by the HEOM difference, in which an attribute counts by its
    gain ratio over MDL bins. Cases at equal distance are taken in an order that
    depends on their content alone. A tie of votes goes to the class with more of the
    K neighbors, then to the larger one. There are no sample weights: every row is
    drawn with equal chance.

    With ``splits="random"`` a node tries `max_features` attributes with one split each:
    a cut drawn between the smallest and the largest number that its rows have, or a
    random half of their categories. The largest information gain wins. A missing cell
    of a nominal attribute is a category of its own; missing numbers go to one side,
    drawn by the weights of the sides, and so does a query whose value no row of the
    node has. The bags are plain, K = 0, unless `n_neighbors` is given, and
    `min_branch_weight` and the rules of C4.5 do not apply. Leave-one-out then costs no
    more than asking, but for rows that have a class or a category of their own.

    With `share_bags` a query's bags have the distribution they had, but all queries
    see the same draws: the accuracy of a whole run may vary more from one random state
    to the next (its variance was 1.0 to 2.3 times as large on three sets; see
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
    >>> model.predict_proba(X[1:2])
    array([[0.99, 0.01, 0.  ]])
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
        combine: CombineVotes | Literal["auto"] = "auto",
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
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def paper(cls, **settings: Any) -> Self:  # noqa: ANN401 - other parameters
        """Return the estimator with the published settings: 10 bags, beta = 0.99.

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

    def _combination(self) -> str:
        if self.combine != "auto":
            return self.combine
        return "probability" if self.splits == "random" else "vote"

    def _combinations(self) -> tuple[str, ...]:
        return ("auto", *super()._combinations())


class LazyBaggingRegressor(LazyBagging, EnsembleRegressor):
    """Bagged regression trees, grown for each query on bags near to it.

    A query finds its K nearest cases; every bag takes K of its N rows from them and
    the others from all cases, with replacement; the unpruned regression tree of each
    bag predicts. Of a tree only the query's own path is grown. Answers depend neither
    on the order of the rows nor on the other queries.

    Parameters
    ----------
    n_estimators : int, default=100
        The number of bags; `paper` has 10.
    beta : float, default=0.99
        Sets ``K = N (1 - beta) log_4 N``, the neighbors put into each bag, at least
        1; the larger beta, the fewer. In [0, 1]. Not used by random splits.
    n_neighbors : int, optional
        K itself, instead of `beta`.
    splits : {"best", "random"}
        How trees split: where the sum of squares falls most, or by the best of a few
        drawn splits, down to leaves of one number; see `LazyBaggingClassifier`.
    max_features : int, float, "sqrt", "log2", "auto" or None, default="auto"
        How many attributes, drawn at random, a node looks at; None looks at all.
        "auto" is 0.5 for best splits and "sqrt" for random ones.
    combine : {"mean", "median", "error"}
        How predictions become one; "error" weighs each member by one over its mean
        squared error on those of the 25 nearest cases that its bag lacks.
    share_bags : bool, default=False
        Whether all queries share the part of the bags that is drawn from all cases.
    max_samples : int, float, "auto" or None, default="auto"
        The draws of a bag, as for `LazyBaggingClassifier`.
    min_branch_weight : float, default=2
        Two branches of a split must hold at least so many rows.
    penalize_nominal_splits : bool, default=True
        Whether a nominal split pays what so many branches would explain by chance.
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
    LazyBaggingClassifier : The same for classes.
    LazyStackingRegressor : Members of different kinds on such bags.

    Notes
    -----
    The defaults are those of least error on half of the RACSAM paper's regression sets;
    see ``docs/ensembles.md``. The settings carried over from the paper are those of
    `paper`.

    Neighbors are found by the HEOM difference, in which an attribute counts by its
    adjusted correlation ratio: the share of the target's variance that its
    categories, or deciles of its rows, explain beyond chance. Cases at equal distance
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
