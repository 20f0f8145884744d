"""Local partial least squares, for spectra and other rows of many columns."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklazy.answer import prepare
from sklazy.casebase import CaseBase
from sklazy.casebase.moments import Length
from sklazy.errors import BadInputError
from sklazy.estimators.parameters import check_choice, check_count, check_not_negative
from sklazy.estimators.regressors import WeightedRegressor
from sklazy.methods.pls.learner import PLSLearner, PLSSettings
from sklazy.methods.pls.model import Components, check_components
from sklazy.neighbors.spectra import SPECTRAL_METRICS

Floats = NDArray[np.float64]


class LazyPLSRegressor(WeightedRegressor):
    """Predict each query by partial least squares (PLS) on its own neighbors.

    For rows with more columns than a neighborhood has cases: spectra, many sensors.
    Nothing is trained. Each query has a PLS model of its neighbors, all weighted
    equally or the near ones more (locally weighted PLS). The number of components is
    the one that predicts the neighbors best by leave-one-out. A receipt reports how far
    the query lies outside of its neighbors.

    Parameters
    ----------
    n_components : "auto", int, or pair of ints
        Exactly this many, or (fewest, most) to choose from by leave-one-out of the
        neighbors. "auto" is 1 to 15. With too few rows there are fewer.
    n_neighbors : int, default=60
        Number of neighbors, or all rows if there are fewer.
    combine : {"best", "average"}, default="average"
        Whether to use the best number of components alone, or all of the range,
        weighted by the inverse mean squared error of the neighbors left out.
    metric : {"euclidean", "mahalanobis", "correlation", "angle"}
        The distance: of the columns; of principal scores over their standard
        deviations; one minus the correlation of two spectra; or the angle between them.
    localization : float, default=1
        Neighbors have the weight exp(-localization * distance / standard deviation of
        their distances); 0 for equal weights.
    scale : bool, default=False
        Whether to divide columns by their standard deviation: among all rows for
        distances, among the neighbors for the model. Leave it off for spectra; turn it
        on for columns of several units.
    n_scores : int, default=10
        Most principal components used by "mahalanobis".
    categorical_features : "from_dtype", None, or array-like
        Which columns are nominal. Default: those of categories, text and bools.
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
    cases_ : CaseBase
        The stored cases.
    ids_ : array of shape (n_rows,)
        Row ids, in order of arrival.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has column names

    See Also
    --------
    LazyLearningRegressor : Constants, lines and parabolas, for fewer columns.

    Notes
    -----
    With equal weights the model equals scikit-learn's `PLSRegression` fitted to the
    same neighbors with the same `scale`.

    A query is compared and predicted without its missing columns (its principal scores
    are the best fit to the cells it has). A missing cell of a case takes the mean of
    the neighbors in the model. In distances it counts as the range of its column
    ("euclidean"), or takes the mean of all rows. A constant spectrum has no direction
    and correlates with nothing. A category is an indicator; a nominal column of more
    than 50 is used in the distance only. Ties in distance are broken by the content of
    rows. If only some of the cases that a query cannot distinguish are neighbors, each
    of them counts with the mean of all.

    Approximate left-out answers keep scales, principal components and categories of all
    rows; see `loo_predict`.

    References
    ----------
    S. Kim, M. Kano, H. Nakagawa, S. Hasebe: Estimation of active pharmaceutical
    ingredients content using locally weighted partial least squares and statistical
    wavelength selection. International Journal of Pharmaceutics 421, 2011.

    T. Næs, T. Isaksson, B. Kowalski: Locally weighted regression and scatter correction
    for near-infrared reflectance data. Analytical Chemistry 62, 1990.

    Examples
    --------
    >>> import numpy as np
    >>> from sklazy import LazyPLSRegressor
    >>> rng = np.random.default_rng(0)
    >>> content = rng.random((200, 3))
    >>> peaks = np.exp(-((np.arange(300) - [[60], [150], [240]]) ** 2) / 800)
    >>> X = content @ peaks + 0.01 * rng.standard_normal((200, 300))
    >>> y = content[:, 0] ** 2
    >>> model = LazyPLSRegressor().fit(X[:150], y[:150])
    >>> error = np.sqrt(np.mean((model.predict(X[150:]) - y[150:]) ** 2))
    >>> bool(error < 0.04)
    True
    >>> receipt = model.explain(X[150:151])[0]
    >>> receipt["trust"]["place"]
    'inside'
    """

    _approximates = True
    _can_approximate = True
    _fewest_rows = 2

    def __init__(
        self,
        n_components: Components = "auto",
        n_neighbors: int = 60,
        combine: Literal["best", "average"] = "average",
        metric: Literal[
            "euclidean", "mahalanobis", "correlation", "angle"
        ] = "euclidean",
        localization: float = 1.0,
        scale: bool = False,
        n_scores: int = 10,
        categorical_features: object = "from_dtype",
        window: Length | None = None,
        half_life: Length | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.combine = combine
        self.metric = metric
        self.localization = localization
        self.scale = scale
        self.n_scores = n_scores
        self.categorical_features = categorical_features
        self.window = window
        self.half_life = half_life
        self.n_jobs = n_jobs

    @overload
    def predict(self, X: object, return_std: Literal[False] = False) -> Floats: ...

    @overload
    def predict(
        self, X: object, return_std: Literal[True]
    ) -> tuple[Floats, Floats]: ...

    @overload
    def predict(
        self, X: object, return_std: bool
    ) -> Floats | tuple[Floats, Floats]: ...

    def predict(self, X: object, return_std: bool = False) -> Any:
        """Predict each query from its own neighborhood.

        Parameters
        ----------
        X : frame, table or array-like of shape (n_queries, n_attributes)
        return_std : bool
            Whether to return the leave-one-out error as well: the root mean squared
            error of the neighbors, each left out. With a fixed number of components it
            takes several times as long as the prediction.

        Returns
        -------
        y : float64 array of shape (n_queries,)
        std : float64 array of the same shape, if `return_std`
        """
        return _flat(self._answer(X, *_outputs(return_std)))

    @overload
    def loo_predict(
        self,
        rows: ArrayLike | None = None,
        return_std: Literal[False] = False,
        approximate: bool = False,
    ) -> Floats: ...

    @overload
    def loo_predict(
        self,
        rows: ArrayLike | None = None,
        *,
        return_std: Literal[True],
        approximate: bool = False,
    ) -> tuple[Floats, Floats]: ...

    def loo_predict(
        self,
        rows: ArrayLike | None = None,
        return_std: bool = False,
        approximate: bool = False,
    ) -> Any:
        """Predict every case from the others.

        Equals forgetting the case and predicting it.

        Parameters
        ----------
        rows : array-like of int, optional
            Cases to predict, by position in order of arrival. Default: all.
        return_std : bool
            As for `predict`.
        approximate : bool
            Whether to keep scales, principal components, fillings of missing cells and
            categories of all cases. They do not depend on the target, and a case is
            still not its own neighbor.

        Returns
        -------
        y : float64 array of shape (n_cases,)
            In order of arrival, or of `rows`.
        std : float64 array of the same shape, if `return_std`

        Notes
        -----
        An approximate answer costs as much as a query. So does an exact one, unless
        columns are scaled, cells are missing or the metric is "mahalanobis": then the
        case is forgotten in a copy of the cases, which is prepared again.
        """
        outputs = _outputs(return_std)
        return _flat(self._left_out(rows, *outputs, approximate=approximate))

    def _check_parameters(self) -> None:
        check_count("n_neighbors", self.n_neighbors, least=3)
        check_components(self.n_components, self.n_neighbors)
        check_choice("combine", self.combine, ("best", "average"))
        check_choice("metric", self.metric, tuple(SPECTRAL_METRICS))
        check_not_negative("localization", self.localization)
        check_count("n_scores", self.n_scores)
        if not isinstance(self.scale, bool | np.bool_):
            raise BadInputError(f"scale={self.scale!r}; expected True or False.")

    def _check_cases(self, cases: CaseBase) -> None:
        with cases.snapshot() as state:
            prepare(self._learner(), state)

    def _learner(self) -> PLSLearner:
        self._check_parameters()
        n_components = self.n_components
        if isinstance(n_components, list):
            n_components = tuple(n_components)
        settings = PLSSettings(
            n_components,
            int(self.n_neighbors),
            self.combine,
            self.metric,
            float(self.localization),
            bool(self.scale),
            int(self.n_scores),
        )
        return PLSLearner(settings, self.target)


def _outputs(with_std: bool) -> tuple[str, ...]:
    return ("values", "deviations") if with_std else ("values",)


def _flat(answers: tuple[Floats, ...]) -> Floats | tuple[Floats, ...]:
    """Values alone, or values and errors, of the one target."""
    columns = tuple(column[:, 0] for column in answers)
    return columns if len(columns) > 1 else columns[0]
