"""Law 1 ends at columns: the estimators that do without their order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import is_regressor

import sklazy
from discovery import exported, keeps_cases
from lawful import few, quiet, splits, truth
from model_settings import SETTINGS

pytestmark = quiet

INDIFFERENT = {
    "LazyAssociativeClassifier": {},
    "LazyBayesRulesClassifier": {},
    "LazyKNeighborsClassifier": {"selection": "none"},
    "LazyKNeighborsRegressor": {"selection": "none"},
    "LazyKernelRegressor": {},
    "LazyLogisticClassifier": {},
    "LazyNBClassifier": {"selection": "none"},
    "LazyPLSRegressor": {},
    "LazyRidgeRegressor": {},
}
FOLLOWING = {
    "LazyBaggingClassifier",
    "LazyBaggingRegressor",
    "LazyClassifier",
    "LazyRegressor",
    "LazyDecisionTreeClassifier",
    "LazyKernelClassifier",
    "LazyLearningClassifier",
    "LazyLearningRegressor",
    "LazySelectionClassifier",
    "LazyStackingClassifier",
    "LazyStackingRegressor",
}


def test_docs_have_all_estimators():
    keepers = {
        name
        for name, kind in exported().items()
        if any(map(keeps_cases, SETTINGS.get(kind, [])))
    }
    assert keepers == set(INDIFFERENT) | FOLLOWING


def predict_rows(model, queries):
    """What a model predicts: numbers, or probabilities."""
    return (
        model.predict(queries) if is_regressor(model) else model.predict_proba(queries)
    )


@pytest.mark.parametrize("name", INDIFFERENT)
@few
@given(st.data(), st.randoms(use_true_random=False))
def test_the_order_of_columns_does_not_matter(name, data, random):
    kind, parameters = getattr(sklazy, name), INDIFFERENT[name]
    cases, queries = data.draw(splits(SETTINGS[kind][0]))
    order = list(cases.frame.columns)
    random.shuffle(order)
    y = truth(kind(), cases)
    one = kind(**parameters).fit(cases.frame, y)
    other = kind(**parameters).fit(cases.frame[order], y)
    scale = 1e-9 * max(1.0, np.abs(cases.targets).max())
    found = predict_rows(other, queries.frame[order])
    np.testing.assert_allclose(
        found, predict_rows(one, queries.frame), rtol=1e-9, atol=scale
    )
