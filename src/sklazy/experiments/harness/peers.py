"""Models of scikit-learn to compare with, by name."""

from collections.abc import Callable

from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    BaggingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sklazy.estimators.encoded import EncodedModel

Make = Callable[[int], EncodedModel]
"""From a seed to a new model."""

CLASSIFIERS: dict[str, Make] = {
    "guess": lambda seed: EncodedModel(DummyClassifier()),
    "knn": lambda seed: EncodedModel(KNeighborsClassifier(), scaled=True),
    "tree": lambda seed: EncodedModel(DecisionTreeClassifier(random_state=seed)),
    "bagging": lambda seed: EncodedModel(BaggingClassifier(random_state=seed)),
    "logistic": lambda seed: EncodedModel(
        LogisticRegression(max_iter=5000), scaled=True
    ),
    "svm": lambda seed: EncodedModel(SVC(), scaled=True),
    "random-forest": lambda seed: EncodedModel(
        RandomForestClassifier(random_state=seed)
    ),
    "gradient-boosting": lambda seed: EncodedModel(
        HistGradientBoostingClassifier(random_state=seed), categories=True
    ),
}
"""Classifiers by name, with scikit-learn's defaults."""

REGRESSORS: dict[str, Make] = {
    "guess": lambda seed: EncodedModel(DummyRegressor()),
    "knn": lambda seed: EncodedModel(KNeighborsRegressor(), scaled=True),
    "tree": lambda seed: EncodedModel(DecisionTreeRegressor(random_state=seed)),
    "ridge": lambda seed: EncodedModel(RidgeCV(), scaled=True),
    "svm": lambda seed: EncodedModel(SVR(), scaled=True),
    "random-forest": lambda seed: EncodedModel(
        RandomForestRegressor(random_state=seed)
    ),
    "gradient-boosting": lambda seed: EncodedModel(
        HistGradientBoostingRegressor(random_state=seed), categories=True
    ),
}
"""Regressors by name, with scikit-learn's defaults."""
