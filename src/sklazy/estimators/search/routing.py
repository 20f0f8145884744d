"""Routing of a search: metadata, and methods of the best estimator."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.metrics import check_scoring
from sklearn.utils import Bunch, Tags, get_tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from sklazy.compat import forwards_sample_weight
from sklazy.errors import BadInputError, DataWarning, warn_user
from sklazy.estimators.reference import Referenced

Model = Any
"""Any scikit-learn estimator."""

Rows = Any
"""An array, a sparse matrix or a frame: anything an estimator takes or returns."""

Labels = NDArray[Any]
Numbers = NDArray[np.float64]
Params = dict[str, Any]
Scores = dict[str, float]
Scorers = Mapping[str, Callable[..., Any]] | Callable[..., Any]
Method = TypeVar("Method", bound=Callable[..., Any])

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

# --- scorers and metadata -------------------------------------------------------------


def find_scorers(estimator: Model, scoring: object) -> Scorers:
    """Return one scorer (the estimator's own for None) or a dict of several."""
    if callable(scoring):
        return scoring
    if scoring is None or isinstance(scoring, str):
        scorer: Callable[..., Any] = check_scoring(estimator, scoring)
        return scorer
    named = scoring
    if isinstance(scoring, (list, tuple, set)):
        named = {name: name for name in scoring}
    if not isinstance(named, Mapping) or not named:
        raise BadInputError(
            f"scoring={scoring!r}; expected None, a name, a callable, a list of names "
            "or a dict of scorers."
        )
    return {str(name): check_scoring(estimator, one) for name, one in named.items()}


def named_scorers(scorers: Scorers) -> Mapping[str, Callable[..., Any]]:
    """Return the scorers by name; a single one is called "score"."""
    return scorers if isinstance(scorers, Mapping) else {"score": scorers}


def named_scores(name: str, score: object) -> Scores:
    """Return one score or a dict of several as a dict of numbers."""
    if isinstance(score, Mapping):
        return {str(key): float(value) for key, value in score.items()}
    if hasattr(score, "item"):
        score = score.item()
    if not isinstance(score, (int, float)):
        raise TypeError(f"scoring must give a number, not {score!r}.")
    return {name: float(score)}


def search_router(search: Model, scorers: Scorers) -> MetadataRouter:
    """Route the metadata of `fit` to the estimator, the scorers and the splitter."""
    router = MetadataRouter(owner=search)
    router.add(
        estimator=search.estimator,
        method_mapping=MethodMapping().add(caller="fit", callee="fit"),
    )
    router.add(
        splitter=search.cv,
        method_mapping=MethodMapping().add(caller="fit", callee="split"),
    )
    scoring = (
        MethodMapping()
        .add(caller="fit", callee="score")
        .add(caller="score", callee="score")
    )
    for name, scorer in named_scorers(scorers).items():
        router.add(method_mapping=scoring, **{f"scorer_{name}": scorer})
    return router


def route_fit(search: Model, params: Params, scorers: Scorers) -> Bunch:
    """Return the metadata of `fit`, of `split`, and by name of each scorer."""
    if get_config()["enable_metadata_routing"]:
        routed = process_routing(search, "fit", **params)
        return Bunch(
            fit=routed.estimator.fit,
            split=routed.splitter.split,
            score={
                name: routed[f"scorer_{name}"].score for name in named_scorers(scorers)
            },
        )
    rest = dict(params)
    split = {"groups": rest.pop("groups", None)}
    weight = rest.get("sample_weight")
    return Bunch(fit=rest, split=split, score=_pass_weights(scorers, weight))


def _pass_weights(scorers: Scorers, weight: object) -> dict[str, Params]:
    """Give sample weights to the scorers that take them, as GridSearchCV does."""
    if weight is None:
        return {}
    named = named_scorers(scorers)
    taking = [name for name, scorer in named.items() if forwards_sample_weight(scorer)]
    if len(taking) < len(named):
        warn_user(
            f"sample_weight is not used in scoring by {named.keys() - set(taking)}; "
            "enable metadata routing to pass it to a scorer.",
            DataWarning,
        )
    return {name: {"sample_weight": weight} for name in taking}


def route_score(search: Model, params: Params, name: str) -> Params:
    """Return the metadata of one scorer when the search itself is scored."""
    if get_config()["enable_metadata_routing"]:
        routed = process_routing(search, "score", **params)
        return dict(routed[f"scorer_{name}"].score)
    if params:
        raise BadInputError(
            f"{sorted(params)} cannot be passed to score unless metadata routing is "
            "on; sklearn.set_config(enable_metadata_routing=True) enables it."
        )
    return {}


# --- the best estimator ---------------------------------------------------------------


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


class BestEstimatorMixin(Referenced, MetaEstimatorMixin, BaseEstimator):
    """Methods of `best_estimator_`, available if it has them."""

    refit: Any
    estimator: Any
    scoring: Any
    best_estimator_: Any
    scorer_: Scorers
    _best_by: str

    @when_best_has("predict")
    def predict(self, X: Rows) -> Labels:
        """Predict with the best estimator.

        Parameters
        ----------
        X : what the best estimator takes
        """
        return self._call_best("predict", X)

    @when_best_has("predict_proba")
    def predict_proba(self, X: Rows) -> Numbers:
        """Class probabilities of the best estimator.

        Parameters
        ----------
        X : what the best estimator takes
        """
        return self._call_best("predict_proba", X)

    @when_best_has("predict_log_proba")
    def predict_log_proba(self, X: Rows) -> Numbers:
        """Logarithms of the class probabilities of the best estimator.

        Parameters
        ----------
        X : what the best estimator takes
        """
        return self._call_best("predict_log_proba", X)

    @when_best_has("decision_function")
    def decision_function(self, X: Rows) -> Numbers:
        """Decision function of the best estimator.

        Parameters
        ----------
        X : what the best estimator takes
        """
        return self._call_best("decision_function", X)

    @when_best_has("score_samples")
    def score_samples(self, X: Rows) -> Numbers:
        """Scores of samples by the best estimator.

        Parameters
        ----------
        X : what the best estimator takes
        """
        return self._call_best("score_samples", X)

    @when_best_has("transform")
    def transform(self, X: Rows) -> Rows:
        """Transform with the best estimator.

        Parameters
        ----------
        X : what the best estimator takes
        """
        return self._call_best("transform", X)

    @when_best_has("inverse_transform")
    def inverse_transform(self, X: Rows) -> Rows:
        """Transform back with the best estimator.

        Parameters
        ----------
        X : what the best estimator takes
        """
        return self._call_best("inverse_transform", X)

    def score(self, X: Rows, y: Rows = None, **params: object) -> float:
        """Score the best estimator by `scoring`, or by its own `score`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or a frame
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), optional
        **params : dict
            Metadata for the scorer, if metadata routing is enabled.

        Returns
        -------
        score : float
            Of several metrics, the one named by `refit`, or the raced one.
        """
        best_has("fit")(self)
        check_is_fitted(self)
        name = "score" if callable(self.scorer_) else self._best_by
        scorer = named_scorers(self.scorer_)[name]
        targets = () if y is None else (y,)
        routed = route_score(self, params, name)
        scored = scorer(self.best_estimator_, X, *targets, **routed)
        return named_scores(name, scored)[self._best_by]

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

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which metadata goes to the estimator, the scorers, the splitter."""
        return search_router(self, find_scorers(self.estimator, self.scoring))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        for name in _FORWARDED_TAGS:
            setattr(tags, name, deepcopy(getattr(inner, name)))
        return tags

    def _call_best(self, method: str, X: Rows) -> Rows:
        check_is_fitted(self)
        return getattr(self.best_estimator_, method)(X)
