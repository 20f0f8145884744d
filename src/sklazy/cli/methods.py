"""Methods by name: those of this library, and scikit-learn's to compare with.

Nothing heavy is imported here, so that help and completion can list them: a model's
module is imported when the model is made.
"""

import importlib
from collections.abc import Callable
from typing import Any

import sklazy

Make = Callable[[int], Any]
"""From a seed to a new model."""

LAZY_CLASSIFIERS: dict[str, Make] = {
    "lazy-knn": lambda seed: sklazy.LazyKNeighborsClassifier(),
    "lazy-nb": lambda seed: sklazy.LazyNBClassifier(),
    "lazy-learning": lambda seed: sklazy.LazyLearningClassifier(),
    "lazy-bagging": lambda seed: sklazy.LazyBaggingClassifier(random_state=seed),
    "lazy-stacking": lambda seed: sklazy.LazyStackingClassifier(random_state=seed),
    "kernel": lambda seed: sklazy.LazyKernelClassifier(),
    "lazy-tree": lambda seed: sklazy.LazyDecisionTreeClassifier(),
    "blend": lambda seed: sklazy.LazyClassifier(),
    "lazy-bayes-rules": lambda seed: sklazy.LazyBayesRulesClassifier(),
    "lazy-rules": lambda seed: sklazy.LazyAssociativeClassifier(),
}
LAZY_REGRESSORS: dict[str, Make] = {
    "lazy-knn": lambda seed: sklazy.LazyKNeighborsRegressor(),
    "lazy-learning": lambda seed: sklazy.LazyLearningRegressor(),
    "lazy-pls": lambda seed: sklazy.LazyPLSRegressor(),
    "lazy-bagging": lambda seed: sklazy.LazyBaggingRegressor(random_state=seed),
    "lazy-stacking": lambda seed: sklazy.LazyStackingRegressor(random_state=seed),
    "blend": lambda seed: sklazy.LazyRegressor(),
    "kernel": lambda seed: sklazy.LazyKernelRegressor(),
    "racsam": lambda seed: sklazy.RacedRegressor(
        sklazy.RaceFeatureSelector(random_state=seed)
    ),
}


def _peer(
    path: str,
    *,
    seeded: bool = False,
    scaled: bool = False,
    categories: bool = False,
    **parameters: object,
) -> Make:
    """A maker of a scikit-learn model, by the path of its class."""
    module, _, name = path.partition(".")

    def make(seed: int) -> Any:  # noqa: ANN401 - its module is imported here
        kind = getattr(importlib.import_module(f"sklearn.{module}"), name)
        encoded = importlib.import_module("sklazy.estimators.encoded")
        seeds = {"random_state": seed} if seeded else {}
        model = kind(**parameters, **seeds)
        return encoded.EncodedModel(model, scaled=scaled, categories=categories)

    return make


PEER_CLASSIFIERS: dict[str, Make] = {
    "guess": _peer("dummy.DummyClassifier"),
    "knn": _peer("neighbors.KNeighborsClassifier", scaled=True),
    "tree": _peer("tree.DecisionTreeClassifier", seeded=True),
    "bagging": _peer("ensemble.BaggingClassifier", seeded=True),
    "logistic": _peer("linear_model.LogisticRegression", max_iter=5000, scaled=True),
    "svm": _peer("svm.SVC", scaled=True),
    "random-forest": _peer("ensemble.RandomForestClassifier", seeded=True),
    "gradient-boosting": _peer(
        "ensemble.HistGradientBoostingClassifier", seeded=True, categories=True
    ),
}
PEER_REGRESSORS: dict[str, Make] = {
    "guess": _peer("dummy.DummyRegressor"),
    "knn": _peer("neighbors.KNeighborsRegressor", scaled=True),
    "tree": _peer("tree.DecisionTreeRegressor", seeded=True),
    "ridge": _peer("linear_model.RidgeCV", scaled=True),
    "svm": _peer("svm.SVR", scaled=True),
    "random-forest": _peer("ensemble.RandomForestRegressor", seeded=True),
    "gradient-boosting": _peer(
        "ensemble.HistGradientBoostingRegressor", seeded=True, categories=True
    ),
}
CLASSIFIERS = LAZY_CLASSIFIERS | PEER_CLASSIFIERS
REGRESSORS = LAZY_REGRESSORS | PEER_REGRESSORS

METHODS = tuple(CLASSIFIERS | REGRESSORS)
"""All names."""
