"""Weights, times, ids and groups on their way through scikit-learn, routed or not."""

import inspect

import numpy as np
import pytest
import sklearn
from sklearn.base import clone, is_regressor
from sklearn.ensemble import StackingClassifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from discovery import keeps_cases, settings_of
from sklazy import LazyKNeighborsClassifier, LazyLearningRegressor, RaceSearchCV

GIVEN = ("sample_weight", "times", "ids")
one_consumer_of_each = pytest.mark.parametrize("setting", settings_of(keeps_cases, 1))


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def table(model, n_rows=40):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 3))
    y = X[:, 0] if is_regressor(model) else (X[:, 0] > 0).astype(int)
    metadata = {
        "sample_weight": rng.choice([0.5, 1.0, 2.0], n_rows),
        "times": rng.permutation(n_rows).astype(float),
        "ids": [f"row {i}" for i in range(n_rows)],
    }
    known = inspect.signature(model.fit).parameters
    return X, y, {name: metadata[name] for name in GIVEN if name in known}


def directly(model, X, y, metadata):
    scaled = StandardScaler().fit_transform(X)
    return clone(model).fit(scaled, y, **metadata)


@one_consumer_of_each
def test_a_pipeline_hands_metadata_on(setting):
    X, y, metadata = table(setting.model)
    pipeline = make_pipeline(StandardScaler(), clone(setting.model))
    name = pipeline.steps[-1][0]
    pipeline.fit(X, y, **{f"{name}__{key}": value for key, value in metadata.items()})
    assert pipeline[-1].digest() == directly(setting.model, X, y, metadata).digest()


@one_consumer_of_each
def test_a_pipeline_routes_what_was_asked_for(setting, routing):
    X, y, metadata = table(setting.model)
    asking = clone(setting.model).set_fit_request(**dict.fromkeys(metadata, True))
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    pipeline = make_pipeline(scaler, asking).fit(X, y, **metadata)
    assert pipeline[-1].digest() == directly(setting.model, X, y, metadata).digest()
    with pytest.raises(UnsetMetadataPassedError):
        make_pipeline(clone(scaler), clone(setting.model)).fit(X, y, **metadata)


@one_consumer_of_each
def test_an_alias_is_followed_and_what_is_declined_is_not_used(setting, routing):
    X, y, metadata = table(setting.model)
    kept = {key: value for key, value in metadata.items() if key == "ids"}
    requests = {**dict.fromkeys(metadata, False), "ids": "names"}
    model = clone(setting.model).set_fit_request(**requests)
    routed = {key: value for key, value in metadata.items() if key != "ids"}
    takes_all = Consumer().set_fit_request(**dict.fromkeys(routed, True))
    pipeline = make_pipeline(takes_all, model)
    pipeline.fit(X, y, **routed, names=metadata["ids"])
    expected = clone(setting.model).fit(X, y, **kept)
    assert pipeline[-1].digest() == expected.digest()


class Consumer(StandardScaler):
    """A step that consumes all metadata and changes nothing."""

    def fit(self, X, y=None, sample_weight=None, times=None):
        return super().fit(X)

    def transform(self, X):
        return X


SEARCHES = [
    lambda model, **how: GridSearchCV(model, {"n_neighbors": [1, 5]}, **how),
    lambda model, **how: RaceSearchCV(
        model, {"n_neighbors": [1, 5]}, first_test=2, **how
    ),
]
each_search = pytest.mark.parametrize("search", SEARCHES, ids=["grid", "race"])


@each_search
def test_a_search_hands_weights_on(search):
    X, y, metadata = table(LazyKNeighborsClassifier(), 60)
    fitted = search(LazyKNeighborsClassifier(), cv=3).fit(
        X, y, sample_weight=metadata["sample_weight"]
    )
    best = clone(fitted.best_estimator_).fit(
        X, y, sample_weight=metadata["sample_weight"]
    )
    assert fitted.best_estimator_.digest() == best.digest()


@each_search
def test_a_search_routes_weights_times_and_groups(search, routing):
    X, y, metadata = table(LazyKNeighborsClassifier(), 60)
    metadata_of_rows = {key: metadata[key] for key in ("sample_weight", "times")}
    groups = np.arange(60) % 4
    model = LazyKNeighborsClassifier(half_life=20.0)
    asking = clone(model).set_fit_request(sample_weight=True, times=True)
    asking.set_score_request(sample_weight=True)
    cv = GroupKFold(4)
    fitted = search(asking, cv=cv).fit(X, y, groups=groups, **metadata_of_rows)
    best = clone(fitted.best_estimator_).fit(X, y, **metadata_of_rows)
    assert fitted.best_estimator_.digest() == best.digest()
    one = int(fitted.cv_results_["param_n_neighbors"].data[0])
    expected = score_by_hand(
        model.set_params(n_neighbors=one), X, y, metadata_of_rows, groups, cv
    )
    scores = [fitted.cv_results_[f"split{i}_test_score"][0] for i in range(4)]
    np.testing.assert_allclose(scores, expected)


def score_by_hand(model, X, y, metadata, groups, cv):
    """Weighted accuracies by splits of whole groups."""
    scores = []
    for train, test in cv.split(X, y, groups):
        part = {key: value[train] for key, value in metadata.items()}
        fitted = clone(model).fit(X[train], y[train], **part)
        weight = metadata["sample_weight"][test]
        scores.append(np.average(fitted.predict(X[test]) == y[test], weights=weight))
    return scores


def test_cross_validation_routes_weights(routing):
    X, y, metadata = table(LazyLearningRegressor(), 60)
    weight = metadata["sample_weight"]
    model = LazyLearningRegressor().set_fit_request(sample_weight=True)
    model.set_score_request(sample_weight=False)
    scores = cross_validate(
        model, X, y, params={"sample_weight": weight}, cv=3, return_estimator=True
    )
    first = clone(model).fit(X[20:], y[20:], sample_weight=weight[20:])
    assert scores["estimator"][0].digest() == first.digest()


def test_stacking_routes_weights(routing):
    X, y, metadata = table(LazyKNeighborsClassifier(), 60)
    weight = metadata["sample_weight"]
    member = LazyKNeighborsClassifier().set_fit_request(sample_weight=True)
    final = LogisticRegression().set_fit_request(sample_weight=True)
    stacked = StackingClassifier([("lazy", member)], final).fit(
        X, y, sample_weight=weight
    )
    lazy = LazyKNeighborsClassifier().fit(X, y, sample_weight=weight)
    assert stacked.estimators_[0].digest() == lazy.digest()


def test_a_search_that_nobody_asked_is_refused(routing):
    X, y, metadata = table(LazyKNeighborsClassifier(), 60)
    search = SEARCHES[1](LazyKNeighborsClassifier(), cv=3)
    with pytest.raises(UnsetMetadataPassedError):
        search.fit(X, y, sample_weight=metadata["sample_weight"])
