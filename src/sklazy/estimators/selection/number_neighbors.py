"""Nearest neighbors on the attributes that matter for the query, for numbers."""

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, column_or_1d

from sklazy.answer.number_selection.host import MeanHost
from sklazy.answer.number_selection.learner import (
    NumberChoiceLearner,
    NumberSelectionLearner,
)
from sklazy.answer.selection.recipe import RANKED, Recipe
from sklazy.casebase.incoming import Target
from sklazy.casebase.moments import Length
from sklazy.estimators.parameters import check_choice, check_count
from sklazy.estimators.selection.base import BY_CASES, SelectingEstimator
from sklazy.estimators.selection.neighbors import TIES, WEIGHTS
from sklazy.estimators.targets import WeightedRegressor
from sklazy.measures import how_many
from sklazy.measures.spread import check_spread
from sklazy.neighbors.averages import Means
from sklazy.tables import as_target

Floats = NDArray[np.float64]

_COUNTS = ("n_neighbors", "max_loo_rows", "n_local_neighbors")


class LazyKNeighborsRegressor(SelectingEstimator, WeightedRegressor):
    """Nearest neighbors that compare on the attributes chosen for the query.

    An attribute tells much about a query where the target hardly varies among the
    cases that have the query's value of it, or among those of its values on average:
    the lower of the two variances ranks it. The mean of the k nearest cases, compared
    on the first attributes alone, is the answer.

    Parameters
    ----------
    n_neighbors : int, default=5
        With all tied at the last place, which share it or all count (`ties`).
    n_attributes : int, float, "auto", "local" or "vote", default="vote"
        How many attributes a query uses: a count, a fraction of all, or as many as
        predict cases best that are left out, on the whole ("auto") or near the query
        ("local"). With "vote" every number has a say: the answers on the first
        attribute, the first two, and so on are averaged, so that the first count most
        and none is disregarded.
    selection : {"lazy", "eager", "none"}, default="lazy"
        Rank attributes by the lower of the variances given the query's value and on
        average; by the latter alone, the same for all queries; or use all of them.
    measure : {"rank_variance", "variance"}, default="rank_variance"
        The variance of the target's ranks, whatever its distribution, or of its
        numbers.
    discretize : bool, default=False
        Compare numbers by their bins; else by their difference over their range.
    weights : {"distance", "uniform"}, default="distance"
        Whether a neighbor counts the nearest one's distance over its own, or 1.
    ties : {"share", "all"}, default="share"
        Whether cases tied at the last place share what is left of the k places, or all
        count in full. None is preferred by its position in the data.
    discount_rare_values : bool, default=True
        Whether one case of every value is taken for one spread like all cases, so that
        a value seen once says nothing; else the serial number of a row is the best of
        attributes.
    categorical_features : "from_dtype", None, array-like or mapping
        Which columns are nominal; by default those of categories, text and bools. A
        mapping says what single columns are, for example ``{"day": "day-first"}``.
    max_loo_rows : int, default=1000
        With "auto", how many rows are left out in turn at most; where that takes more
        than about a second fewer are, but at least 200.
    n_local_neighbors : int, default=20
        With "local", how many rows make a neighborhood.
    window : int, float or timedelta, optional
        Keep the newest rows alone and forget the others as they come: so many, or
        those of a length of time (a float in units of the times, days for dates).
    half_life : number or timedelta, optional
        The age at which a row weighs half as much as the newest, in units of the
        times, or in rows where there are none.
    n_jobs : int, optional
        Threads; by default all cores.

    Attributes
    ----------
    ids_ : array of shape (n_rows,)
        The rows' ids in order of arrival.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    See Also
    --------
    LazyKNeighborsClassifier : The same for classes.
    LazyLearningRegressor : Local lines on all attributes.

    Notes
    -----
    The defaults are those most accurate on one half of eight data sets. On the other
    half they are ahead of scikit-learn's k-NN with scaling, and level with no selection
    at all (``docs/numbers.md``).

    Numbers have bins by the target's ranks: a part of a column is cut where that
    explains most, if a code that names the cut is shorter than one without it
    (``docs/numbers.md``). After rows came or went, bins and figures are found anew with
    the next question.

    An approximate left-out answer keeps cuts, what targets count and the number of
    attributes as found with the row present; the row itself is left out of all figures
    and of the neighbors.

    Sample weights count in the mean: a row of weight w counts like w rows. Cuts,
    ranges and the choice of attributes look at rows, each once.

    References
    ----------
    R. B. Pereira, A. Plastino, B. Zadrozny, L. H. C. Merschmann, A. A. Freitas: Lazy
    attribute selection: choosing attributes at classification time. Intelligent Data
    Analysis 15(5), 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklazy import LazyKNeighborsRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = LazyKNeighborsRegressor(20, n_attributes=4).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.38
    >>> model.select_attributes(X[1:3]).sum(axis=1)
    array([4, 4])
    """

    _choice_learner = NumberChoiceLearner

    def __init__(
        self,
        n_neighbors: int = 5,
        n_attributes: int | float | str = "vote",
        selection: Literal["lazy", "eager", "none"] = "lazy",
        measure: Literal["rank_variance", "variance"] = "rank_variance",
        discretize: bool = False,
        *,
        weights: Literal["uniform", "distance"] = "distance",
        ties: Literal["share", "all"] = "share",
        discount_rare_values: bool = True,
        categorical_features: object = "from_dtype",
        max_loo_rows: int = 1000,
        n_local_neighbors: int = 20,
        window: Length | None = None,
        half_life: Length | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_attributes = n_attributes
        self.selection = selection
        self.measure = measure
        self.discretize = discretize
        self.weights = weights
        self.ties = ties
        self.discount_rare_values = discount_rare_values
        self.categorical_features = categorical_features
        self.max_loo_rows = max_loo_rows
        self.n_local_neighbors = n_local_neighbors
        self.window = window
        self.half_life = half_life
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # A fraction of two or three columns is a single one, and may not be enough.
        tags.regressor_tags.poor_score = self.selection != "none"
        return tags

    @classmethod
    def paper(cls, **settings: Any) -> Self:  # noqa: ANN401 - other parameters
        """Return the estimator with the settings published for classes.

        30 percent of the attributes, values as they are, numbers compared by their
        bins, all ties counted in full. Nothing has been published for numbers.

        Parameters
        ----------
        **settings
            Other parameters, such as `n_neighbors`.

        Examples
        --------
        >>> LazyKNeighborsRegressor.paper(n_attributes=0.5).ties
        'all'
        """
        published: dict[str, Any] = {
            "n_attributes": 0.3,
            "discretize": True,
            "weights": "uniform",
            "ties": "all",
            "discount_rare_values": False,
        }
        return cls(**{**published, **settings})

    def loo_predict(
        self, rows: ArrayLike | None = None, approximate: bool = True
    ) -> Floats:
        """Predict the number of training rows, each from all other rows.

        Parameters
        ----------
        rows : array-like of int, optional
            The rows to predict, by their place in order of arrival; all by default.
        approximate : bool, default=True
            Whether cuts, ranks of the target and the number of attributes that "auto"
            found stay those of all rows. Otherwise equal to forgetting the row and
            predicting it, which finds them anew for every row.

        Returns
        -------
        values : float64 array of shape (n_rows,)
            In order of arrival, as `ids_`, or of `rows`.
        """
        check_is_fitted(self)
        with self.cases_.snapshot() as cases:
            learner: Any = self._current_learner(cases)
            settled = learner.settle(cases) if approximate else learner
            (values,) = self._left_out_by(cases, settled, rows, "values")
        return values[:, 0]

    def _target(self, y: object) -> Target:
        return as_target(None if y is None else column_or_1d(y, warn=True), "numeric")

    def _learner(self) -> NumberSelectionLearner:
        self._check_parameters()
        recipe = Recipe(
            self.n_attributes,
            self.selection,
            self.measure,
            bool(self.discount_rare_values),
            max_loo_rows=self.max_loo_rows,
            n_local_neighbors=self.n_local_neighbors,
            n_jobs=self.n_jobs,
        )
        shares, near = self.ties == "share", self.weights == "distance"
        how = Means(int(self.n_neighbors), shares, near)
        return NumberSelectionLearner(recipe, MeanHost(how, bool(self.discretize)))

    def _check_parameters(self) -> None:
        check_choice("selection", self.selection, RANKED)
        check_spread(self.measure)
        if isinstance(self.n_attributes, str):
            check_choice("n_attributes", self.n_attributes, BY_CASES)
        check_choice("weights", self.weights, WEIGHTS)
        check_choice("ties", self.ties, TIES)
        for name in _COUNTS:
            check_count(name, vars(self)[name])

    def _check_width(self, n_attributes: int) -> None:
        if not isinstance(self.n_attributes, str):
            how_many(self.n_attributes, n_attributes)
