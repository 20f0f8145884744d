"""The laws of lazy bagging and stacking, over random mixed tables."""

import warnings
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone, is_regressor

from ensemble_models import (
    CLASSIFIERS,
    REGRESSORS,
    few,
    fitted,
    name_of,
    split,
    truth,
)
from sklazy import LazyBaggingClassifier, LazyBaggingRegressor, load
from sklazy.backends import chunks
from sklazy.errors import BadInputError, DataWarning

every_model = pytest.mark.parametrize("model", [*CLASSIFIERS, *REGRESSORS], ids=name_of)


def answers(model, queries):
    """Everything a model says about queries, as bytes: equal means identical."""
    frame = queries.frame
    if is_regressor(model):
        values = model.member_values(frame)
        return [], model.predict(frame).tolist(), values.tobytes(), values.tolist()
    return (
        model.classes_.tolist(),
        model.predict(frame).tolist(),
        model.predict_proba(frame).tobytes(),
        getattr(model, "member_votes", model.predict)(frame).tolist(),
    )


@every_model
@few
@given(split, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(model, problems, random):
    cases, queries = problems
    order = list(range(len(cases.rows)))
    random.shuffle(order)
    one, other = fitted(model, cases), fitted(model, cases.take(order))
    assert one.digest() == other.digest()
    assert answers(one, queries) == answers(other, queries)


@every_model
@few
@given(split)
def test_batches_and_workers_do_not_matter(model, problems):
    cases, queries = problems
    batch = fitted(model, cases, n_jobs=1)
    together = answers(batch, queries)
    for i in range(len(queries.rows)):
        alone = answers(batch, queries.take([i]))
        assert alone[1] == together[1][i : i + 1]
        assert alone[3] == together[3][i : i + 1]
        n_bytes = len(together[2]) // len(queries.rows)
        assert alone[2] == together[2][i * n_bytes : (i + 1) * n_bytes]
    batch.set_params(n_jobs=4)
    with (
        mock.patch.object(chunks, "_WORTH_THREADS", -1.0),
        mock.patch.object(chunks, "_ALIGNMENT", 1),
    ):
        assert answers(batch, queries) == together


@every_model
@few
@given(split, st.data())
def test_adding_and_forgetting_leave_no_trace(model, problems, data):
    cases, queries = problems
    n_rows = len(cases.rows)
    n_kept = data.draw(st.integers(min(2, n_rows - 1), n_rows - 1))
    kept, added = cases.take(range(n_kept)), cases.take(range(n_kept, n_rows))
    model = clone(model)
    if getattr(model, "n_neighbors", None) is not None:
        model.set_params(n_neighbors=min(model.n_neighbors, n_kept))
    plain = fitted(model, kept)
    grown = fitted(model, kept).partial_fit(added.frame, truth(model, added))
    at_once = fitted(model, cases)
    assert grown.digest() == at_once.digest()
    assert answers(grown, queries) == answers(at_once, queries)
    extra = list(range(n_kept, n_rows))
    for again in (grown.forget(extra), at_once.forget(extra)):
        assert again.digest() == plain.digest()
        assert answers(again, queries) == answers(plain, queries)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=name_of)
@settings(few, max_examples=4)
@given(split)
def test_frozen_cuts_stay_until_they_are_refreshed(model, problems):
    cases, queries = problems
    rows = range(len(cases.rows))
    first, rest = cases.take(rows[:2]), cases.take(rows[2:])
    frozen = fitted(model, first, cuts="frozen")
    digest, before = frozen.digest(), answers(frozen, queries)
    if rest.rows:
        frozen.partial_fit(rest.frame, rest.classes)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            frozen.forget(list(rows[2:]))
    assert (frozen.digest(), answers(frozen, queries)) == (digest, before)
    if rest.rows:
        frozen.partial_fit(rest.frame, rest.classes).refresh()
        assert answers(frozen, queries) == answers(fitted(model, cases), queries)


@every_model
@settings(few, max_examples=4)
@given(split, st.data())
def test_a_row_left_out_is_a_row_forgotten(model, problems, data):
    cases, _ = problems
    rows = st.lists(st.integers(0, len(cases.rows) - 1), min_size=1, max_size=3)
    asked = data.draw(rows)
    whole = fitted(model, cases)
    digest, found = whole.digest(), whole.loo_predict(asked).tolist()
    for place, row in enumerate(asked):
        one, others = cases.take([row]).frame, fitted(model, cases).forget([row])
        assert found[place] == others.predict(one)[0]
        if not is_regressor(model):
            kept = whole.classes_.searchsorted(others.classes_)
            shares = np.zeros(len(whole.classes_))
            shares[kept] = others.predict_proba(one)[0]
            assert whole.loo_predict_proba([row])[0].tolist() == shares.tolist()
    assert whole.digest() == digest


@pytest.mark.parametrize(
    "model", [LazyBaggingClassifier(9), LazyBaggingRegressor(9)], ids=name_of
)
def test_a_generator_is_saved_as_the_seed_it_gave(model, tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = clone(model).set_params(random_state=np.random.RandomState(3))
    model.fit(X, X[:, 0] > 0)
    model.save(tmp_path / "model.sklazy")
    again = load(tmp_path / "model.sklazy")
    assert again.random_state == model.seed_
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert clone(again).fit(X, X[:, 0] > 0).seed_ == model.seed_


def test_all_rows_are_left_out_in_order_of_arrival():
    X = np.array([[0.0], [5.0], [1.0], [6.0], [0.5], [5.5]] * 3)
    model = LazyBaggingClassifier(5).fit(X, (X[:, 0] > 3).astype(int), ids=range(9, 27))
    assert model.loo_predict().tolist() == (X[:, 0] > 3).astype(int).tolist()
    assert model.loo_predict([1, 0]).tolist() == [1, 0]


@pytest.mark.parametrize("rows", [[0, 6], [-7], [0.5], [True] * 6, 3, ["a"]], ids=str)
def test_rows_that_are_not_there_cannot_be_left_out(rows):
    X = np.arange(6.0)[:, None]
    for model in (LazyBaggingClassifier(3), LazyBaggingRegressor(3)):
        with pytest.raises(BadInputError, match="rows="):
            model.fit(X, [0, 0, 0, 1, 1, 1]).loo_predict(rows)


@pytest.mark.parametrize(
    "model", [LazyBaggingClassifier(3), LazyBaggingRegressor(3)], ids=name_of
)
def test_the_only_row_cannot_be_left_out(model):
    with pytest.raises(BadInputError, match="second row"):
        clone(model).fit([[1.0]], [1]).loo_predict()


@every_model
@settings(few, max_examples=3)
@given(split)
def test_a_saved_model_answers_as_before(model, tmp_path_factory, problems):
    cases, queries = problems
    path = tmp_path_factory.mktemp("models") / "model.sklazy"
    model = fitted(model, cases)
    model.save(path)
    again = load(path)
    assert str(again.get_params()) == str(model.get_params())
    assert again.digest() == model.digest()
    assert answers(again, queries) == answers(model, queries)
