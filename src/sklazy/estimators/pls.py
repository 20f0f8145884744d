"""Local partial least squares, for spectra and other rows of many columns."""

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

from sklazy.answer import prepare
from sklazy.answer.pls import PLSLearner, PLSSettings
from sklazy.casebase import CaseBase
from sklazy.casebase.incoming import Target as GivenTarget
from sklazy.casebase.moments import Length
from sklazy.errors import BadInputError
from sklazy.estimators.approximate import ApproximateEstimator
from sklazy.estimators.parameters import check_choice, check_count, check_not_negative
from sklazy.estimators.targets import WeightedRegressor
from sklazy.local.pls import Components, check_components
from sklazy.neighbors.spectra import SPECTRAL_METRICS
from sklazy.tables import as_target

Floats = NDArray[np.float64]


class LazyPLSRegressor(ApproximateEstimator, WeightedRegressor):
    """Predict each query by partial least squares (PLS) on its own neighbors.

    For rows with more columns than a neighborhood has cases: spectra, many sensors.
    Nothing is trained. A query finds its neighbors, all of which count alike or the
    near ones more (locally weighted PLS), and has a PLS model of its own; the number of
    components is the one with which the neighbors, each left out, are predicted best.
    A receipt says how far the query lies outside of its neighbors.

    Parameters
    ----------
    n_components : "auto", int, or pair of ints
        Exactly so many, or (fewest, most) of which the neighbors left out choose; by
        itself 1 to 15. Where there are too few rows for so many there are fewer.
    n_neighbors : int, default=60
        All rows where there are fewer.
    combine : {"best", "average"}, default="average"
        Whether the best number of components answers alone, or all of the range,
        weighted by 1 / mean squared error of the neighbors left out.
    metric : {"euclidean", "mahalanobis", "correlation", "angle"}
        Who is near: by differences; by differences of principal scores over their
        deviations; by one less the correlation of two spectra; by their angle.
    localization : float, default=1
        Neighbors weigh exp(-localization * distance / deviation of their distances);
        0 for equal weights.
    scale : bool, default=False
        Whether columns are divided by their standard deviation: among all rows for
        distances, among the neighbors for the model. Leave it off for spectra, put it
        on for columns of several units.
    n_scores : int, default=10
        The principal components, at most, that "mahalanobis" looks at.
    categorical_features : "from_dtype", None, or array-like
        Which columns are nominal; by default those of categories, text and bools.
    window : int, float or timedelta, optional
        Keep the newest rows alone and forget the others as they come: so many, or
        those of a length of time (a float in units of the times, days for dates).
    half_life : number or timedelta, optional
        The age at which a row weighs half as much as the newest, in units of the
        times, or in rows where there are none.
    n_jobs : int, optional
        Threads; all cores by default.

    Attributes
    ----------
    cases_ : CaseBase
        The memory.
    ids_ : array of shape (n_rows,)
        The rows' ids in order of arrival.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has column names

    See Also
    --------
    LazyLearningRegressor : Constants, lines and parabolas, for fewer columns.

    Notes
    -----
    With equal weights the model is that of scikit-learn's `PLSRegression` fitted to
    the same neighbors, with the same `scale`.

    A query is compared and predicted without the columns in which it is missing (its
    principal scores are those that come nearest to the cells it has). A case's missing
    cell stands at the mean of the neighbors in the model; in distances it counts the
    range of its column ("euclidean"), or stands at the mean of all rows. A spectrum
    that is the same everywhere has no direction, and correlates with nothing.
    A category is an indicator; a nominal column of more than 50 acts through the
    distance alone. Ties at equal distance fall by the rows' content.

    Approximate left-out answers keep scales, principal components and categories of
    all rows; see `loo_predict`.

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
            Whether to return the leave-one-out error, too: the root of the mean
            squared error of the neighbors, each left out. With a fixed number of
            components it takes several times as long as the prediction.

        Returns
        -------
        y : float64 array of shape (n_queries,)
        std : float64 array of the same shape, if asked for
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

        Equal to forgetting the case and asking for it.

        Parameters
        ----------
        rows : array-like of int, optional
            The cases to predict, by their place in order of arrival; all by default.
        return_std : bool
            As for `predict`.
        approximate : bool
            Whether scales, principal components, fillings of missing cells and
            categories stay those of all cases. No target enters these, and a case is
            still no neighbor of itself.

        Returns
        -------
        y : float64 array of shape (n_cases,)
            In order of arrival, or of `rows`.
        std : float64 array of the same shape, if asked for

        Notes
        -----
        An approximate answer costs what a query costs. So does an exact one, unless
        columns are scaled, cells are missing or the metric is "mahalanobis": then a
        case is forgotten in a copy of the cases, which are made ready anew.
        """
        return _flat(self._left_out_with(approximate, rows, *_outputs(return_std)))

    def _check_parameters(self) -> None:
        check_count("n_neighbors", self.n_neighbors, least=3)
        check_components(self.n_components, self.n_neighbors)
        check_choice("combine", self.combine, ("best", "average"))
        check_choice("metric", self.metric, SPECTRAL_METRICS)
        check_not_negative("localization", self.localization)
        check_count("n_scores", self.n_scores)
        if not isinstance(self.scale, bool | np.bool_):
            raise BadInputError(f"scale={self.scale!r}; expected True or False.")

    def _check_cases(self, cases: CaseBase) -> None:
        with cases.snapshot() as state:
            prepare(self._learner(), state)

    def _target(self, y: object) -> GivenTarget:
        return as_target(None if y is None else column_or_1d(y, warn=True), "numeric")

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


def _flat(found: tuple[Floats, ...]) -> Floats | tuple[Floats, ...]:
    """Values alone, or values and errors, of the one target."""
    columns = tuple(column[:, 0] for column in found)
    return columns if len(columns) > 1 else columns[0]
