"""Nearest neighbors on the attributes that matter for the query, for numbers."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags

from sklazy.casebase.moments import Length
from sklazy.estimators.parameters import check_choice, check_count
from sklazy.estimators.regressors import WeightedRegressor
from sklazy.estimators.selection.base import BY_CASES, find_mask
from sklazy.estimators.selection.neighbors import TIES, WEIGHTS
from sklazy.measures import how_many
from sklazy.measures.spread import check_spread
from sklazy.methods.number_selection.host import MeanHost
from sklazy.methods.number_selection.learner import (
    NumberChoiceLearner,
    NumberSelectionLearner,
)
from sklazy.methods.selection.recipe import RANKED, Recipe
from sklazy.neighbors.voting import Voting

Floats = NDArray[np.float64]

_COUNTS = ("n_neighbors", "max_loo_rows", "n_local_neighbors")


class LazyKNeighborsRegressor(WeightedRegressor):
    """Nearest neighbors for numbers, on the attributes chosen for each query.

    An attribute is relevant to a query if the target varies little among the cases with
    the query's value, or within its values on average. The lower of the two variances
    ranks it. The answer is the mean of the k nearest cases, compared on the first
    attributes only.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbors. Ties at the last place share it or all count (`ties`).
    n_attributes : int, float, "auto", "local" or "vote", default="vote"
        How many attributes a query uses: a count, a fraction, or the number that
        predicts cases best by leave-one-out, over all rows ("auto") or near the query
        ("local"). "vote" averages the answers on the first attribute, the first two,
        and so on, so that the first attributes count most and none is ignored.
    selection : {"lazy", "eager", "none"}, default="lazy"
        Rank attributes by the lower of the variances given the query's value and on
        average ("lazy"); by the latter alone, the same for all queries ("eager"); or
        use all of them ("none").
    measure : {"rank_variance", "variance"}, default="rank_variance"
        Variance of the target's ranks, which suits any distribution, or of its values.
    discretize : bool, default=False
        Whether to compare numbers by their bins, or by their difference relative to the
        range.
    weights : {"distance", "uniform"}, default="distance"
        Weight of a neighbor: the distance of the nearest one over its own, or 1.
    ties : {"share", "all"}, default="share"
        Whether cases tied at the last place share what is left of the k places, or all
        count in full. The order of rows does not matter.
    discount_rare_values : bool, default=True
        Whether one case of each value is counted as if spread like all cases, which
        makes a value seen once uninformative. Otherwise a row's serial number is the
        best attribute.
    categorical_features : "from_dtype", None, array-like or mapping
        Which columns are nominal. Default: those of categories, text and bools. A
        mapping sets the kind of single columns, for example ``{"day": "day-first"}``.
    max_loo_rows : int, default=1000
        With "auto", the most rows to leave out; fewer, but at least 200, if that takes
        more than about a second.
    n_local_neighbors : int, default=20
        With "local", the number of rows in a neighborhood.
    window : int, float or timedelta, optional
        Keep only the newest rows: this many, or those within a length of time (a float
        in units of `times`, days for dates). Older rows are forgotten as new ones
        arrive.
    half_life : number or timedelta, optional
        Age at which a row has half the weight of the newest, in units of `times`, or in
        rows without times.
    n_jobs : int, optional
        Number of threads. Default: all cores.

    Attributes
    ----------
    ids_ : array of shape (n_rows,)
        Row ids, in order of arrival.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    See Also
    --------
    LazyKNeighborsClassifier : The same for classes.
    LazyLearningRegressor : Local lines on all attributes.

    Notes
    -----
    The defaults were the most accurate on one half of eight data sets. On the other
    half they are ahead of scikit-learn's k-NN with scaling, and level with no selection
    at all (``docs/numbers.md``).

    Numeric columns are cut into bins by the target's ranks: a cut is made where it
    explains most, if it pays for its own description (``docs/numbers.md``). Bins and
    figures are computed again at the first query after rows were added or forgotten.

    An approximate left-out answer keeps cuts, ranks of the target and the number of
    attributes as found with the row. The row itself is left out of all figures and of
    the neighbors.

    Sample weights count in the mean: a row of weight w counts like w rows. Cuts, ranges
    and the choice of attributes count each row once.

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

    _can_approximate = True
    _votes = True
    _warns_of_names = True

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

        30 percent of the attributes, plain counts, numbers compared by their bins, and
        all ties counted in full. Nothing has been published for numbers.

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

    def select_attributes(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Return which attributes each query uses.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        mask : bool array of shape (n_queries, n_attributes)
        """
        return find_mask(self, X, NumberChoiceLearner)

    def loo_predict(
        self, rows: ArrayLike | None = None, approximate: bool = True
    ) -> Floats:
        """Predict the number of training rows, each from all other rows.

        Parameters
        ----------
        rows : array-like of int, optional
            Rows to predict, by position in order of arrival. Default: all.
        approximate : bool, default=True
            Whether to keep cuts, ranks of the target and the number of attributes that
            "auto" found from all rows. If False, the result equals forgetting the row
            and predicting it, which computes them again for every row.

        Returns
        -------
        values : float64 array of shape (n_rows,)
            In order of arrival, like `ids_`, or in the order of `rows`.
        """
        (values,) = self._left_out(rows, "values", approximate=approximate)
        return values[:, 0]

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
        how = TIES[self.ties], WEIGHTS[self.weights]
        voting = Voting(int(self.n_neighbors), *how)
        return NumberSelectionLearner(recipe, MeanHost(voting, bool(self.discretize)))

    def _check_parameters(self) -> None:
        check_choice("selection", self.selection, RANKED)
        check_spread(self.measure)
        if isinstance(self.n_attributes, str):
            check_choice("n_attributes", self.n_attributes, BY_CASES)
        check_choice("weights", self.weights, tuple(WEIGHTS))
        check_choice("ties", self.ties, tuple(TIES))
        for name in _COUNTS:
            check_count(name, vars(self)[name])

    def _check_size(self, n_attributes: int, n_rows: int | None) -> None:
        if not isinstance(self.n_attributes, str):
            how_many(self.n_attributes, n_attributes)
