"""Classification by local regression on class indicators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklazy.casebase.moments import Length
from sklazy.estimators.classifiers import WeightedClassifier
from sklazy.estimators.local_models.base import LocalModelEstimator
from sklazy.estimators.parameters import Metric
from sklazy.methods.local_models.plans import NBest, Spans

Floats = NDArray[np.float64]


class LazyLearningClassifier(LocalModelEstimator, WeightedClassifier):
    """Classify each query by local regressions on class indicators.

    For each class a `LazyLearningRegressor` predicts 1 for its cases and 0 for others.
    All share the query's neighbors; each chooses its own models. Predictions are
    clipped to [0, 1] and divided by their sum. Ties go to the class with more cases,
    then to the first.

    Parameters
    ----------
    degrees, n_neighbors, n_best, metric, ridge, scale, attribute_weights
        As for `LazyLearningRegressor`.
    max_categories, categorical_features, compat, window, half_life
        As for `LazyLearningRegressor`.
    class_weight : {None, "balanced"} or dict, optional
        Weight of each class, times that of the row: a dict by label, 1 for classes that
        it does not name, or such that all classes weigh alike, which follows rows that
        are added and forgotten. Counts from `fit` on.
    n_jobs, device
        As for `LazyLearningRegressor`.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    cases_ : CaseBase
    n_features_in_ : int
    feature_names_in_ : array of str, where X has column names

    References
    ----------
    G. Bontempi, M. Birattari, H. Bersini (1999). Lazy learning for local modeling
    and control design. International Journal of Control 72, 643-658.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklazy import LazyLearningClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LazyLearningClassifier().fit(X, y)
    >>> model.predict(X[:3])
    array([0, 0, 0])
    >>> bool((model.loo_predict() == y).mean() > 0.9)
    True
    """

    def __init__(
        self,
        degrees: str | int | Sequence[int] = "auto",
        n_neighbors: Spans = "auto",
        n_best: NBest = "auto",
        metric: Metric = "euclidean",
        ridge: float = 0.1,
        scale: bool | Literal["std", "range"] = True,
        attribute_weights: ArrayLike | None = None,
        max_categories: int = 10,
        categorical_features: object = "from_dtype",
        compat: Literal["r"] | None = None,
        window: Length | None = None,
        half_life: Length | None = None,
        class_weight: object = None,
        n_jobs: int | None = None,
        device: str | None = None,
    ) -> None:
        super().__init__(
            degrees=degrees,
            n_neighbors=n_neighbors,
            n_best=n_best,
            metric=metric,
            ridge=ridge,
            scale=scale,
            attribute_weights=attribute_weights,
            max_categories=max_categories,
            categorical_features=categorical_features,
            compat=compat,
            window=window,
            half_life=half_life,
            n_jobs=n_jobs,
            device=device,
        )
        self.class_weight = class_weight

    def loo_predict(
        self,
        rows: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        approximate: bool = False,
    ) -> NDArray[Any]:
        """Predict the class of every case from the others.

        Equals forgetting the case, or its group, and predicting it.

        Parameters
        ----------
        rows : array-like of int, optional
            Cases to predict, by position in order of arrival. Default: all.
        groups : array-like of shape (n_cases,), optional
            Group of each case, in order of arrival. Cases of one group do not see each
            other.
        approximate : bool
            Whether to keep scales, categories and codes of all cases; see
            `LazyLearningRegressor.loo_predict` for what that saves.

        Returns
        -------
        y : array of shape (n_cases,), in order of arrival, or of `rows`
        """
        (labels,) = self._left_out_of(groups, rows, approximate, "decisions")
        return labels

    def loo_predict_proba(
        self,
        rows: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        approximate: bool = False,
    ) -> NDArray[np.float64]:
        """Predict the class probabilities of every case from the others.

        Parameters
        ----------
        rows, groups, approximate
            As for `loo_predict`.
        """
        (probabilities,) = self._left_out_of(groups, rows, approximate, "probabilities")
        return probabilities
