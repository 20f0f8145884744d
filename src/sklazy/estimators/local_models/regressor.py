"""Local regression that chooses its neighbors, its degree and its trust itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklazy.estimators.local_models.base import LocalModelEstimator
from sklazy.estimators.parameters import Metric
from sklazy.estimators.regressors import WeightedRegressor
from sklazy.methods.local_models.plans import Span

Floats = NDArray[np.float64]


class LazyLearningRegressor(LocalModelEstimator, WeightedRegressor):
    """Predict each query by local models of its own neighborhood.

    Nothing is trained. Constants, lines or parabolas are fitted to the nearest 2, 3, 4,
    ... neighbors of the query. Each is scored by its leave-one-out error, which costs
    next to nothing (PRESS), and the best are combined. So the number of neighbors, the
    degree and the expected error are chosen for each query. Answers do not depend on
    the order of rows.

    Numbers and categories may be mixed, and cells may be missing. The distance is HEOM:
    scaled differences of numbers, 0 or 1 for categories, and the largest possible
    difference for a missing cell. In the local models a category is an indicator, and a
    missing cell takes the value of the query.

    Parameters
    ----------
    degrees : "auto", int, or sequence of ints
        Which local models are tried: 0 constant, 1 linear, 2 quadratic. "auto" tries 0
        and 1, or only 0 with more than 100 regressors.
    n_neighbors : "auto", int, float, pair, triple, or dict of these by degree
        Range of the number of neighbors to choose from: (fewest, most); an int for
        exactly this many; a float s for 3 to 5 s neighbors per coefficient, as in R. A
        third number sets how many of the nearest the score is computed on. "auto" is 3
        to 40 for constants, else 3 to 5 per coefficient.
    n_best : "auto", int, or three ints
        How many of the best models are combined, weighted by 1 / score: of all models,
        or of each degree. "auto" is 3 constants and 7 lines (or parabolas), or 10
        constants alone.
    metric : {"euclidean", "manhattan"}
    ridge : float
        Penalty on the local slopes (not on the intercept), relative to the mean
        square of the neighbors' differences from the query.
    scale : {True, "std", "range", False}
        Whether numbers are divided by their standard deviation or range.
    attribute_weights : array-like of shape (n_attributes,), optional
        Weight of each attribute in the distance.
    max_categories : int
        Nominal attributes with more categories are used in the distance only.
    categorical_features : "from_dtype", None, or array-like
        Which columns are nominal: by dtype, or by names, indices or a mask.
    compat : {None, "r"}
        "r" follows R's `lazy` where it differs: ties by row number, a ridge on the
        intercept, its scale of scores; see `r_lazy`.
    window : int, float or timedelta, optional
        Keep only the newest rows: this many, or those within a length of time (a float
        in units of `times`, days for dates). Older rows are forgotten as new ones
        arrive.
    half_life : number or timedelta, optional
        Age at which a row has half the weight of the newest, in units of `times`, or in
        rows without times.
    n_jobs : int, optional
        Number of threads. Default: all cores.
    device : {None, "cuda", "cuda:1", ..., "cuda:all"}
        Where neighbors and models are computed: the CPU, one GPU, or all GPUs
        ("cuda:all"). A GPU pays for batches of queries against many cases. Neighbors
        are the same, values agree up to rounding (1e-9), and receipts are made on the
        CPU; see docs/gpu.md.

    Attributes
    ----------
    cases_ : CaseBase
        The stored cases.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has column names

    See Also
    --------
    LazyLearningClassifier : The same for classes.

    Notes
    -----
    The defaults were chosen by ``benchmarks/regression_defaults.py`` on seven public
    sets and two simulated ones, by the geometric mean over the sets of the error on
    rows held out. Relative to predicting the median, the mean absolute error is 0.70
    with R's defaults, 0.64 with these and scaled columns, 0.56 with the better of
    constants and lines, and 0.525 with ten of them combined, which is the default
    (10 scaled neighbors: 0.62). The metric, and a ridge of up to 1, matter little.

    Cases that are equal in all known cells of the query count alike: each of them that
    is a neighbor has the mean of all as its target, and their spread adds to the
    leave-one-out error (docs/local_regression.md).

    `predict_interval`, and races over rows, use ``approximate=True``: scales are then
    those of all rows. They do not depend on the target.

    References
    ----------
    M. Birattari, G. Bontempi, H. Bersini (1999). Lazy learning meets the recursive
    least squares algorithm. Advances in Neural Information Processing Systems 11.

    G. Bontempi, M. Birattari, H. Bersini (1999). Lazy learning for local modeling
    and control design. International Journal of Control 72, 643-658.

    Examples
    --------
    >>> import numpy as np
    >>> from sklazy import LazyLearningRegressor
    >>> X = np.linspace(0, 6, 80)[:, None]
    >>> model = LazyLearningRegressor().fit(X, np.sin(X[:, 0]))
    >>> model.predict([[1.5], [4.0]]).round(2)
    array([ 0.99, -0.75])
    >>> model.predict_interval([[1.5]]).shape
    (1, 2)
    >>> receipt = model.explain([[1.5]], detail="full")[0]
    >>> receipt["targets"][0]["models"][0]["degree"]
    0
    """

    _multi_output = True

    @classmethod
    def r_lazy(
        cls,
        con_id_par: float | Sequence[int] | None = None,
        lin_id_par: float | Sequence[int] | None = 1,
        qua_id_par: float | Sequence[int] | None = None,
        dist: Metric = "manhattan",
        metric: ArrayLike | None = None,
        cmb_par: int | Sequence[int] = 1,
        lambda_: float = 1e6,
    ) -> Self:
        """Return an estimator that reproduces R's `lazy` 1.2-18.

        Parameters
        ----------
        con_id_par, lin_id_par, qua_id_par : None, number, pair or triple
            Neighbors of constant, linear and quadratic models: None for off; s for 3 to
            5 s per coefficient; (fewest, most); and how many are scored. With an
            explicit number scored, R's scores of constants are on another scale than
            those of other models.
        dist : {"manhattan", "euclidean"}
        metric : array-like of shape (n_attributes,), optional
            The weights of attributes.
        cmb_par : int, or three ints
            How many models are combined, of all or of each degree.
        lambda_ : float
            Inverse of the ridge, which includes the intercept.

        Examples
        --------
        >>> model = LazyLearningRegressor.r_lazy(lin_id_par=(4, 9))
        >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0]]
        >>> model.fit(X, [1, 3, 5, 7, 9, 11, 13, 15, 17]).predict([[2.5]]).round(3)
        array([6.])
        """
        by_degree = {0: con_id_par, 1: lin_id_par, 2: qua_id_par}
        spans = {d: _r_span(span) for d, span in by_degree.items() if span is not None}
        return cls(
            degrees=tuple(spans),
            n_neighbors=spans,
            n_best=cmb_par,
            metric=dist,
            ridge=1.0 / lambda_ if lambda_ else lambda_,
            scale=False,
            attribute_weights=metric,
            compat="r",
        )

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
            error of the chosen models on their neighbors.

        Returns
        -------
        y : float64 array of shape (n_queries,) or (n_queries, n_targets)
        std : float64 array of the same shape, if `return_std`
        """
        return self._shaped(self._answer(X, "values", "deviations"), return_std)

    @overload
    def loo_predict(
        self,
        rows: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        return_std: Literal[False] = False,
        approximate: bool = False,
    ) -> Floats: ...

    @overload
    def loo_predict(
        self,
        rows: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        *,
        return_std: Literal[True],
        approximate: bool = False,
    ) -> tuple[Floats, Floats]: ...

    @overload
    def loo_predict(
        self,
        rows: ArrayLike | None,
        groups: ArrayLike | None,
        return_std: bool,
        approximate: bool = False,
    ) -> Floats | tuple[Floats, Floats]: ...

    def loo_predict(
        self,
        rows: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        return_std: bool = False,
        approximate: bool = False,
    ) -> Any:
        """Predict every case from the others.

        Equals forgetting the case, or its group, and predicting it.

        Parameters
        ----------
        rows : array-like of int, optional
            Cases to predict, by position in order of arrival. Default: all.
        groups : array-like of shape (n_cases,), optional
            Group of each case, in order of arrival. Cases of one group do not see each
            other.
        return_std : bool
        approximate : bool
            Whether to keep scales, categories and codes of all cases. They do not
            depend on the target, and a case is still not its own neighbor.

        Returns
        -------
        y : float64 array of shape (n_cases,) or (n_cases, n_targets)
            In order of arrival, or of `rows`.
        std : float64 array of the same shape, if `return_std`

        Notes
        -----
        An approximate answer costs as much as a query. So does an exact one without
        scaling, or with scaling by ranges except for the few cases at the end of a
        range. With ``scale=True`` the others are scaled again for each case, which
        takes some 20 times as long (1000 or 5000 cases of 10 numbers). A case with a
        unique category, class or weight is forgotten in a copy of the cases and added
        again. A group is forgotten as a whole, in a copy of its own.
        """
        outputs = "values", "deviations"
        answers = self._left_out_of(groups, rows, approximate, *outputs)
        return self._shaped(answers, return_std)

    def _shaped(
        self, answers: tuple[Floats, ...], with_std: bool
    ) -> Floats | tuple[Floats, Floats]:
        """Values, and errors if wanted, with as many axes as the target had."""
        values, errors = [self._flat(one) for one in answers]
        return (values, errors) if with_std else values

    def _flat(self, values: Floats) -> Floats:
        return np.ascontiguousarray(values[:, 0] if self._is_flat else values)


def _r_span(span: float | Sequence[int]) -> Span:
    """R's number is a float here: an int would mean exactly that number."""
    return float(span) if isinstance(span, int | float) else tuple(span)
