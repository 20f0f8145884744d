"""A saved estimator comes back as it was, and goes on from there."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from discovery import every_keeper, keeps_cases_with, settings_of
from lawful import fewer, fitted, quiet, says, splits, truth
from sklazy import load

pytestmark = quiet


@every_keeper
@fewer
@given(st.data())
def test_a_saved_model_answers_as_before(setting, tmp_path_factory, data):
    cases, queries = data.draw(splits(setting, more=1))
    path = tmp_path_factory.mktemp("models") / "model.sklazy"
    model = fitted(setting.model, cases)
    model.fit(
        cases.frame,
        truth(model, cases),
        ids=[f"row {r}" for r in range(len(cases.rows))],
    )
    model.save(path)
    again = load(path)
    assert type(again) is type(model)
    assert str(again.get_params()) == str(model.get_params())
    assert again.digest() == model.digest()
    assert says(again, queries) == says(model, queries)
    for each in (model, again):
        each.forget(["row 0"])
    assert again.digest() == model.digest()
    assert says(again, queries) == says(model, queries)


@pytest.mark.parametrize(
    "setting", settings_of(keeps_cases_with("random_state"), most=1)
)
def test_a_generator_is_saved_as_the_seed_it_gave(setting, tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = clone(setting.model).set_params(random_state=np.random.RandomState(3))
    model.fit(X, X[:, 0] > 0)
    model.save(tmp_path / "model.sklazy")
    again = load(tmp_path / "model.sklazy")
    assert again.random_state == model.seed_
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert clone(again).fit(X, X[:, 0] > 0).seed_ == model.seed_
