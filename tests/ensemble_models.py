"""The lazy ensembles whose laws are tested, in many settings."""

from hypothesis import HealthCheck, settings
from sklearn.base import clone, is_regressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sklazy import (
    LazyBaggingClassifier,
    LazyBaggingRegressor,
    LazyDecisionTreeClassifier,
    LazyStackingClassifier,
    LazyStackingRegressor,
)
from strategies import split_problems

split = split_problems(min_rows=2, max_rows=24, max_queries=5, telling=True)
few = settings(max_examples=8, suppress_health_check=list(HealthCheck), deadline=None)

BAGGING = [
    LazyBaggingClassifier(5),
    LazyBaggingClassifier(4, 0.5, max_features=1, random_state=3),
    LazyBaggingClassifier(3, n_neighbors=2, combine="accuracy", min_weight=1),
    LazyBaggingClassifier(3, combine="probability", share_bags=True, correct=False),
    LazyBaggingClassifier(3, beta=0.2, share_bags=True, min_share=False),
]

STACKING = [
    LazyStackingClassifier(n_estimators=5),
    LazyStackingClassifier.paper(),
    LazyStackingClassifier(n_estimators=6, beta=0.5, combine="accuracy", alpha=0.3),
    LazyStackingClassifier(
        ["linear", ("near", "neighbors"), "rule"],
        4,
        n_neighbors=2,
        combine="probability",
        share_bags=True,
        member_neighbors=2,
        ridge=0.1,
    ),
    LazyStackingClassifier(
        [("leaves", DecisionTreeClassifier(max_depth=3)), "tree"], 3, combine="accuracy"
    ),
]

CLASSIFIERS = [*BAGGING, *STACKING, LazyDecisionTreeClassifier()]


REGRESSORS = [
    LazyBaggingRegressor(4),
    LazyBaggingRegressor(3, 0.5, max_features=1, combine="median", random_state=3),
    LazyBaggingRegressor(3, n_neighbors=2, combine="error", min_weight=1),
    LazyStackingRegressor(),
    LazyStackingRegressor(n_estimators=5, beta=0.5, combine="error", ridge=0.1),
    LazyStackingRegressor(
        [("leaves", DecisionTreeRegressor(max_depth=3)), "neighbors"],
        3,
        member_neighbors=2,
    ),
]


def truth(model, problem):
    """What a model is to learn: classes or numbers."""
    return problem.targets if is_regressor(model) else problem.classes


def fitted(model, problem, **parameters):
    """A copy of a model, fitted to a problem."""
    model = clone(model).set_params(**parameters)
    return model.fit(problem.frame, truth(model, problem))


def name_of(model):
    """A short name that differs for every model of the lists."""
    return str(model).replace(" ", "").replace("\n", "").replace("Classifier", "")
