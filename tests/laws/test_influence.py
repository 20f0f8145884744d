"""The answer without a case is that of a model that never had it."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import is_regressor

from discovery import keeps_cases, settings_of
from lawful import fewer, fitted, quiet, splits, with_exact_cuts

pytestmark = quiet
BY_FORGETTING = settings_of(
    lambda setting: (
        keeps_cases(setting)
        and not type(setting.model).__name__.startswith(
            ("LazyKernel", "LazyClassifier", "LazyRegressor")
        )
    ),
    most=1,
)


@pytest.mark.parametrize("setting", BY_FORGETTING)
@fewer
@given(st.data())
def test_influence_is_that_of_forgetting(setting, data):
    cases, queries = data.draw(splits(setting, more=2, max_rows=12))
    model = fitted(with_exact_cuts(setting.model), cases)
    found = model.influence(queries.frame, ids=[[0, 1]])
    assume(is_regressor(model) or set(cases.classes[2:]) == set(cases.classes))
    others = fitted(
        with_exact_cuts(setting.model), cases.take(range(2, len(cases.rows)))
    )
    if is_regressor(model):
        expected = others.predict(queries.frame)
    else:
        classes = others.classes_.tolist()
        at = [classes.index(label) for label in found.of]
        expected = others.predict_proba(queries.frame)[np.arange(len(at)), at]
    np.testing.assert_allclose(found.without[:, 0], expected, rtol=1e-9, atol=1e-9)
