"""scikit-learn's own checks on the lazy ensembles, in several settings."""

from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from sklazy import (
    LazyBaggingClassifier,
    LazyBaggingRegressor,
    LazyDecisionTreeClassifier,
    LazyStackingClassifier,
    LazyStackingRegressor,
)

CHECKED = [
    LazyBaggingClassifier(),
    LazyBaggingClassifier(3, 0.5, max_features=1, combine="accuracy", n_jobs=1),
    LazyBaggingClassifier(5, n_neighbors=2, combine="probability", share_bags=True),
    LazyBaggingClassifier(5, min_weight=1, min_share=False, at_values=False, n_jobs=2),
    LazyStackingClassifier(),
    LazyStackingClassifier(n_estimators=5, combine="accuracy", share_bags=True),
    LazyDecisionTreeClassifier(),
    LazyBaggingRegressor(),
    LazyBaggingRegressor(3, 0.5, max_features=1, combine="median", n_jobs=1),
    LazyStackingRegressor(),
    LazyStackingRegressor(n_estimators=4, combine="error", n_neighbors=1),
    LazyStackingClassifier([GaussianNB(), "bayes"], 2, combine="probability"),
]


@parametrize_with_checks(CHECKED)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
