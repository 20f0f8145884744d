"""The laws: exact promises, over random mixed tables with missing cells."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from lazy_models import CLASSIFIERS, name_of
from sklazy.backends import chunks
from sklazy.errors import DataWarning
from strategies import mixed_problems, split_problems

split = split_problems(min_rows=2, max_rows=24, max_queries=5, telling=True)
whole = mixed_problems(min_rows=3, max_rows=18, max_columns=4, telling=True)

few = settings(max_examples=8, suppress_health_check=list(HealthCheck), deadline=None)
every_classifier = pytest.mark.parametrize("model", CLASSIFIERS, ids=name_of)


def fitted(model, problem, **settings):
    model = clone(model).set_params(**settings)
    if isinstance(model.n_attributes, int):
        model.set_params(n_attributes=min(model.n_attributes, len(problem.kinds)))
    return model.fit(problem.frame, problem.classes)


def answers(model, queries):
    """Everything a model says about queries, as bytes: equal means identical."""
    frame = queries.frame
    return (
        model.classes_.tolist(),
        model.predict(frame).tolist(),
        model.predict_proba(frame).tobytes(),
        model.select_attributes(frame).tolist(),
    )


@every_classifier
@few
@given(split, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(model, problems, random):
    cases, queries = problems
    order = list(range(len(cases.rows)))
    random.shuffle(order)
    one, other = fitted(model, cases), fitted(model, cases.take(order))
    assert one.digest() == other.digest()
    assert answers(one, queries) == answers(other, queries)


@every_classifier
@few
@given(split)
def test_batches_and_threads_do_not_matter(model, problems):
    cases, queries = problems
    batch = fitted(model, cases, n_jobs=1)
    together = answers(batch, queries)
    for i, expected in enumerate(together[1]):
        alone = queries.take([i])
        assert batch.predict(alone.frame).tolist() == [expected]
        found = batch.predict_proba(alone.frame)[0]
        assert np.abs(found - batch.predict_proba(queries.frame)[i]).max() < 1e-15
    batch.set_params(n_jobs=3)
    with (
        mock.patch.object(chunks, "_WORTH_THREADS", -1.0),
        mock.patch.object(chunks, "_ALIGNMENT", 1),
    ):
        assert answers(batch, queries) == together


@every_classifier
@few
@given(split, st.data())
def test_adding_and_forgetting_leave_no_trace(model, problems, data):
    cases, queries = problems
    n_rows = len(cases.rows)
    n_kept = data.draw(st.integers(1, n_rows - 1))
    kept, added = cases.take(range(n_kept)), cases.take(range(n_kept, n_rows))
    plain = fitted(model, kept)
    grown = fitted(model, kept).partial_fit(added.frame, added.classes)
    at_once = fitted(model, cases)
    assert grown.digest() == at_once.digest()
    assert answers(grown, queries) == answers(at_once, queries)
    extra = list(range(n_kept, n_rows))
    for again in (grown.forget(extra), at_once.forget(extra)):
        assert again.digest() == plain.digest()
        assert answers(again, queries) == answers(plain, queries)


@few
@given(split, st.data())
def test_frozen_cuts_stay_until_they_are_refreshed(problems, data):
    cases, queries = problems
    model = data.draw(st.sampled_from(CLASSIFIERS))
    rows = range(len(cases.rows))
    first, rest = cases.take(rows[:1]), cases.take(rows[1:])
    frozen = fitted(model, first, cuts="frozen")
    digest, before = frozen.digest(), answers(frozen, queries)
    frozen.partial_fit(rest.frame, rest.classes)
    if "numeric" in cases.kinds:
        with pytest.warns(DataWarning, match="cuts"):
            frozen.forget(list(rows[1:]))
    else:
        frozen.forget(list(rows[1:]))
    assert (frozen.digest(), answers(frozen, queries)) == (digest, before)
    frozen.partial_fit(rest.frame, rest.classes).refresh()
    assert answers(frozen, queries) == answers(fitted(model, cases), queries)


@every_classifier
@settings(few, max_examples=5)
@given(whole)
def test_a_row_left_out_is_as_good_as_forgotten(model, problem):
    found = fitted(model, problem).loo_predict()
    rows = range(len(problem.rows))
    for row in rows:
        others = fitted(model, problem.take([i for i in rows if i != row]))
        expected = others.predict(problem.take([row]).frame)
        assert found[row] == expected[0]


@settings(few, max_examples=12)
@given(whole, st.data())
def test_leaving_out_follows_frozen_cuts_weights_and_changes(problem, data):
    model = data.draw(st.sampled_from(CLASSIFIERS))
    n_rows = len(problem.rows)
    weights = np.array(
        data.draw(
            st.lists(st.sampled_from([0.5, 1, 2]), min_size=n_rows, max_size=n_rows)
        )
    )
    last = [n_rows - 1]
    fresh = fitted(model, problem.take(range(n_rows - 1)))
    fresh.fit(problem.take(range(n_rows - 1)).frame, problem.classes[:-1], weights[:-1])
    changed = clone(fresh).fit(problem.frame, problem.classes, weights)
    assume(len(fresh.classes_) > 0)
    assert changed.forget(last).loo_predict().tolist() == fresh.loo_predict().tolist()
    for row in range(n_rows - 1):
        expected = clone(fresh).fit(problem.frame, problem.classes, weights)
        expected.forget([row, *last])
        query = problem.take([row]).frame
        assert fresh.loo_predict()[row] == expected.predict(query)[0]
