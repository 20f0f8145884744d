"""What a search passes on to the best estimator it has found."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

Rows = Any
"""An array, a sparse matrix or a frame: whatever the estimator takes or gives."""

_FORWARDED_TAGS = (
    "estimator_type",
    "target_tags",
    "transformer_tags",
    "classifier_tags",
    "regressor_tags",
    "input_tags",
    "array_api_support",
    "non_deterministic",
)

Labels = NDArray[Any]
Numbers = NDArray[np.float64]


Method = TypeVar("Method", bound=Callable[..., Any])


def when_best_has(method: str) -> Callable[[Method], Method]:
    """Offer a method only if the best estimator has it."""
    decorate: Callable[[Method], Method] = available_if(best_has(method))
    return decorate


def best_has(method: str) -> Callable[["BestEstimatorMixin"], bool]:
    """Check that the search was refitted and that its estimator has the method."""

    def check(search: "BestEstimatorMixin") -> bool:
        if not search.refit:
            raise AttributeError(
                f"{type(search).__name__} was made with refit=False; {method} needs "
                "the best estimator refitted on all rows. Give refit=True, or refit "
                "search.best_params_ yourself."
            )
        getattr(getattr(search, "best_estimator_", search.estimator), method)
        return True

    return check


class BestEstimatorMixin(MetaEstimatorMixin, BaseEstimator):
    """Methods of `best_estimator_`, there if it has them."""

    refit: Any
    estimator: Any
    best_estimator_: Any

    @when_best_has("predict")
    def predict(self, X: Rows) -> Labels:
        """Predict with the best estimator."""
        return self._ask_best("predict", X)

    @when_best_has("predict_proba")
    def predict_proba(self, X: Rows) -> Numbers:
        """Class probabilities of the best estimator."""
        return self._ask_best("predict_proba", X)

    @when_best_has("predict_log_proba")
    def predict_log_proba(self, X: Rows) -> Numbers:
        """Logarithms of the class probabilities of the best estimator."""
        return self._ask_best("predict_log_proba", X)

    @when_best_has("decision_function")
    def decision_function(self, X: Rows) -> Numbers:
        """Decision function of the best estimator."""
        return self._ask_best("decision_function", X)

    @when_best_has("score_samples")
    def score_samples(self, X: Rows) -> Numbers:
        """Scores of samples by the best estimator."""
        return self._ask_best("score_samples", X)

    @when_best_has("transform")
    def transform(self, X: Rows) -> Rows:
        """Transform with the best estimator."""
        return self._ask_best("transform", X)

    @when_best_has("inverse_transform")
    def inverse_transform(self, X: Rows) -> Rows:
        """Transform back with the best estimator."""
        return self._ask_best("inverse_transform", X)

    @property
    def classes_(self) -> Labels:
        """Class labels of the best estimator."""
        best_has("classes_")(self)
        return self.best_estimator_.classes_

    @property
    def n_features_in_(self) -> int:
        """Number of columns the best estimator was fitted on."""
        best_has("n_features_in_")(self)
        return self.best_estimator_.n_features_in_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        for name in _FORWARDED_TAGS:
            setattr(tags, name, deepcopy(getattr(inner, name)))
        return tags

    def _ask_best(self, method: str, X: Rows) -> Rows:
        check_is_fitted(self)
        return getattr(self.best_estimator_, method)(X)
