"""Windows and half-lives: the state is that of a fit to the rows inside."""

import datetime
import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import sklazy
from discovery import exported, keeps_cases_with, settings_of
from lawful import fewer, left_out, quiet, says, splits, truth, wholes
from sklazy.errors import BadInputError

pytestmark = quiet

every_moving = pytest.mark.parametrize(
    "setting", settings_of(keeps_cases_with("window"), most=1)
)

every_fading = pytest.mark.parametrize(
    "setting", settings_of(keeps_cases_with("half_life"), most=1)
)


def moments(n_rows):
    """Times of rows, with ties, in no order."""
    return st.lists(st.integers(0, 6), min_size=n_rows, max_size=n_rows).map(np.array)


def kept(model, problem, times=None, **parameters):
    """A copy of a model, fitted to rows with times; frozen cuts follow the rows."""
    model = clone(model).set_params(**parameters)
    if isinstance(getattr(model, "n_attributes", None), int):
        model.set_params(n_attributes=min(model.n_attributes, len(problem.kinds)))
    if hasattr(model, "cuts"):
        model.set_params(cuts="exact")
    return model.fit(problem.frame, truth(model, problem), times=times)


def inside(times, window):
    """Which rows a window keeps, by a plain loop."""
    if isinstance(window, int):
        oldest = sorted(times)[-min(window, len(times))]
        return [i for i, time in enumerate(times) if time >= oldest]
    return [i for i, time in enumerate(times) if time > max(times) - window]


@every_moving
@fewer
@given(st.data())
def test_a_window_equals_a_fit_to_the_rows_inside(setting, data):
    cases, queries = data.draw(splits(setting, more=2))
    n_rows = len(cases.rows)
    times = data.draw(moments(n_rows))
    window = data.draw(
        st.integers(setting.min_rows, n_rows) | st.sampled_from([2.5, 4.0, 100.0])
    )
    rows = inside(times.tolist(), window)
    if len(rows) < setting.min_rows:
        return
    alone = kept(setting.model, cases.take(rows), times[rows])
    at_once = kept(setting.model, cases, times, window=window)
    assert at_once.digest() == alone.digest()
    assert says(at_once, queries) == says(alone, queries)


@every_moving
@fewer
@given(st.data())
def test_a_window_does_not_depend_on_how_rows_come(setting, data):
    cases, queries = data.draw(splits(setting, more=2))
    n_rows = len(cases.rows)
    times = np.sort(data.draw(moments(n_rows)))
    window = data.draw(st.integers(setting.min_rows, n_rows))
    first = data.draw(st.integers(setting.min_rows, n_rows - 1))
    grown = kept(setting.model, cases.take(range(first)), times[:first], window=window)
    for row in range(first, n_rows):
        one = cases.take([row])
        grown.partial_fit(one.frame, truth(grown, one), times=times[row : row + 1])
    rows = inside(times.tolist(), window)
    assert len(grown.ids_) == len(rows)
    alone = kept(setting.model, cases.take(rows), times[rows])
    assert grown.digest() == alone.digest()
    assert says(grown, queries) == says(alone, queries)


@every_moving
@fewer
@given(st.data())
def test_rows_without_times_are_as_old_as_they_arrived(setting, data):
    cases = data.draw(wholes(setting, more=1))
    n_rows = len(cases.rows)
    window = data.draw(st.integers(setting.min_rows, n_rows))
    moving = kept(setting.model, cases, window=window)
    alone = kept(setting.model, cases.take(range(n_rows - window, n_rows)))
    assert moving.digest() == alone.digest()


@every_fading
@pytest.mark.parametrize("timed", [True, False])
@fewer
@given(st.data())
def test_fading_weights_are_those_of_a_formula(setting, timed, data):
    cases = data.draw(wholes(setting))
    times = data.draw(moments(len(cases.rows))) if timed else None
    half_life = data.draw(st.sampled_from([0.2, 1.0, 3.0]))
    model = kept(setting.model, cases, times, half_life=half_life)
    moment = times if timed else np.arange(len(cases.rows))
    ages = (max(moment) - moment) / half_life
    expected = [0.0 if age > 39 else 0.5**age for age in ages]
    with model.cases_.snapshot() as base:
        found = base.cases.weights[np.argsort(base.arrival)]
    np.testing.assert_allclose(found, expected, rtol=1e-14)


@every_fading
@fewer
@given(st.data())
def test_fading_rows_come_and_go_without_a_trace(setting, data):
    cases, queries = data.draw(splits(setting, more=1))
    n_rows = len(cases.rows)
    times = data.draw(moments(n_rows))
    whole = kept(setting.model, cases, times, half_life=2.0)
    order = data.draw(st.permutations(range(n_rows)))
    other = kept(setting.model, cases.take(order), times[list(order)], half_life=2.0)
    assert whole.digest() == other.digest()
    assert says(whole, queries) == says(other, queries)
    gone = data.draw(st.integers(0, n_rows - 1))
    rest = [row for row in range(n_rows) if row != gone]
    alone = kept(setting.model, cases.take(rest), times[rest], half_life=2.0)
    whole.forget([gone])
    assert whole.digest() == alone.digest()
    assert says(whole, queries) == says(alone, queries)


@every_fading
@pytest.mark.parametrize("timed", [True, False])
@fewer
@given(st.data())
def test_leaving_out_a_fading_row_equals_forgetting_it(setting, timed, data):
    cases = data.draw(wholes(setting, more=1, max_rows=10))
    n_rows = len(cases.rows)
    times = data.draw(moments(n_rows)) if timed else None
    model = kept(setting.model, cases, times, half_life=1.5)
    found = left_out(model)
    for row in range(n_rows):
        rest = [other for other in range(n_rows) if other != row]
        part = times[rest] if timed else None
        alone = kept(setting.model, cases.take(rest), part, half_life=1.5)
        assert found[row] == alone.predict(cases.take([row]).frame)[0]


@every_moving
@fewer
@given(st.data())
def test_the_past_is_a_fit_to_the_rows_before(setting, data):
    cases = data.draw(wholes(setting, more=1, max_rows=10))
    n_rows = len(cases.rows)
    times = data.draw(moments(n_rows))
    model = kept(setting.model, cases, times)
    before = [
        [i for i in range(n_rows) if times[i] < times[row]] for row in range(n_rows)
    ]
    fewest = type(model)._fewest_rows
    asked = [row for row in range(n_rows) if len(before[row]) >= fewest]
    if not asked:
        return
    found = model.past_predict()
    for row, said in zip(asked, found, strict=True):
        alone = kept(setting.model, cases.take(before[row]), times[before[row]])
        assert said == alone.predict(cases.take([row]).frame)[0]


@every_fading
@fewer
@given(st.data())
def test_times_survive_a_file(setting, tmp_path_factory, data):
    cases, queries = data.draw(splits(setting))
    times = data.draw(moments(len(cases.rows)))
    model = kept(setting.model, cases, times, half_life=2.0, window=5)
    path = tmp_path_factory.mktemp("files") / "model.sklazy"
    model.save(path)
    again = sklazy.load(path)
    assert again.digest() == model.digest()
    assert says(again, queries) == says(model, queries)


def test_what_is_too_old_weighs_nothing():
    model = sklazy.LazyNBClassifier(half_life=1.0)
    model.fit([[0.0], [1.0], [2.0]], [0, 1, 1], times=[0.0, 1.0, 39.5])
    with model.cases_.snapshot() as base:
        found = base.cases.weights[np.argsort(base.arrival)]
    assert found.tolist() == [0.0, 0.5**38.5, 1.0]


def _dated(**parameters):
    days = np.array(["2026-01-01", "2026-01-02", "2026-01-04", "2026-01-08"], "M8[D]")
    X = [[0.0], [1.0], [2.0], [3.0]]
    model = sklazy.LazyKNeighborsClassifier(n_neighbors=1, **parameters)
    return model.fit(X, ["a", "b", "a", "b"], times=days)


def test_rows_before_a_date_are_forgotten():
    model = _dated()
    model.forget(before="2026-01-04")
    assert model.ids_.tolist() == [2, 3]
    model.forget(before=datetime.date(2026, 1, 1))
    assert model.ids_.tolist() == [2, 3]


def test_a_window_of_dates_is_in_days_or_a_timedelta():
    for window in (4.5, datetime.timedelta(days=4.5), np.timedelta64(108, "h")):
        assert _dated(window=window).ids_.tolist() == [2, 3]
    assert _dated(window=3).ids_.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda m: m.forget(), "give exactly one of them"),
        (lambda m: m.forget([1], before="2026-01-02"), "give exactly one of them"),
        (lambda m: m.forget(before="2027-01-01"), "names all 4 rows"),
        (lambda m: m.forget(before=3), "the times of the rows are dates"),
        (lambda m: m.forget(before="soon"), "cannot be read as moments"),
        (lambda m: m.partial_fit([[1.0]], ["a"]), "give times with further"),
        (lambda m: m.partial_fit([[1.0]], ["a"], times=[3]), "give one kind"),
        (lambda m: m.partial_fit([[1.0]], ["a"], times=[None]), "moments"),
        (lambda m: m.partial_fit([[1.0]], ["a"], times=["2026-01-01"] * 2), "2 values"),
        (lambda m: m.partial_fit([[1.0]], ["a"], times=[[1]]), "shape"),
        (lambda m: _dated(half_life=0), "half_life=0"),
        (
            lambda m: m.set_params(half_life=np.timedelta64(3, "D")).fit(
                [[0.0], [1.0]], ["a", "b"], times=[0, 1]
            ),
            "half_life=.*expected a number above 0",
        ),
        (lambda m: _dated(half_life="long"), "half_life='long'"),
        (lambda m: _dated(window=0), "window=0"),
        (lambda m: _dated(window=-1.5), "window=-1.5"),
        (lambda m: _dated(window=True), "window=True"),
    ],
)
def test_times_that_make_no_sense_are_refused_and_change_nothing(ask, words):
    model = _dated()
    digest = model.digest()
    with pytest.raises(BadInputError, match=words):
        ask(model)
    assert model.digest() == digest


def test_a_moment_needs_times():
    model = sklazy.LazyNBClassifier().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(BadInputError, match="have no times"):
        model.forget(before=1)
    with pytest.raises(BadInputError, match="earlier rows have none"):
        model.partial_fit([[2.0]], [1], times=[3.0])
    with pytest.raises(BadInputError, match="needs times"):
        sklazy.LazyNBClassifier(window=1.5).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(BadInputError, match="missing or infinite"):
        sklazy.LazyNBClassifier().fit([[0.0], [1.0]], [0, 1], times=[np.nan, 1.0])


def test_a_change_that_fails_between_is_taken_back(monkeypatch):
    model = _dated(window=3)
    digest = model.digest()
    forget = type(model.cases_).forget_places

    def interrupted(cases, places):
        if cases.ids[places].tolist() == [1]:
            raise KeyboardInterrupt
        forget(cases, places)

    monkeypatch.setattr(type(model.cases_), "forget_places", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit([[9.0]], ["a"], times=["2026-02-01"])
    assert model.digest() == digest


# Rows that are counted as sets of bits, or not at all, have no weights.
COUNT_WHOLE_ROWS = {
    sklazy.LazyAssociativeClassifier,
    sklazy.LazyBayesRulesClassifier,
    sklazy.LazyDecisionTreeClassifier,
}


@pytest.mark.parametrize(
    "kind", [kind for kind in exported().values() if hasattr(kind, "loo_predict")]
)
def test_weights_and_times_are_taken_by_all(kind):
    wanted = {"window", "categorical_features"}
    at_fit = {"ids", "times"}
    if kind not in COUNT_WHOLE_ROWS:
        wanted, at_fit = wanted | {"half_life"}, at_fit | {"sample_weight"}
    assert wanted <= set(inspect.signature(kind).parameters)
    for method in (kind.fit, kind.partial_fit):
        assert at_fit <= set(inspect.signature(method).parameters)
