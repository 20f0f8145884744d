"""Laws 1 and 3 for odd cells: labels that numpy would merge, columns without values."""

import itertools
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone, is_regressor

import sklazy
from discovery import keeps_cases, one_keeper_of_each, settings_of
from lawful import METHODS, exactly, few, fewer, quiet
from sklazy.errors import BadInputError

pytestmark = quiet

NULS = ["a", "a\0", "a\0\0", "\0", ""]
one_classifier_of_each = pytest.mark.parametrize(
    "setting",
    settings_of(lambda s: keeps_cases(s) and not is_regressor(s.model), most=1),
)


def problem_of_nuls(n_rows=40):
    """Labels and cells that differ in the NULs at their end alone."""
    labels = [NULS[i % len(NULS)] for i in range(n_rows)]
    return pd.DataFrame({"cell": labels, "n": np.arange(float(n_rows)) % 7}), labels


@one_classifier_of_each
def test_labels_that_end_in_nul_stay_distinct(setting, tmp_path):
    X, y = problem_of_nuls()
    model = clone(setting.model).fit(X, y)
    assert model.classes_.tolist() == sorted(NULS)
    assert model.cases_.categories(0) == sorted(NULS)
    assert model.predict_proba(X).shape == (len(y), len(NULS))
    assert set(model.predict(X)) <= set(NULS)
    grown = clone(setting.model).fit(X[:25], y[:25]).partial_fit(X[25:], y[25:])
    assert grown.digest() == model.digest()
    assert grown.classes_.tolist() == model.classes_.tolist()
    receipt = model.explain(X[:1])[0]
    assert model.verify(sklazy.Receipt.from_json(receipt.to_json()))
    model.save(tmp_path / "model")
    loaded = sklazy.load(tmp_path / "model")
    assert loaded.predict(X).tolist() == model.predict(X).tolist()
    assert loaded.classes_.tolist() == model.classes_.tolist()


def test_every_class_that_ends_in_nul_can_be_answered():
    X, y = problem_of_nuls()
    model = sklazy.LazyNBClassifier(1.0).fit(X[["cell"]], y)
    assert model.predict(X[["cell"]]).tolist() == y
    assert model.predict_both(X[["cell"]])[0].tolist() == y


def test_declared_classes_and_ids_and_names_that_end_in_nul():
    model = sklazy.LazyNBClassifier().partial_fit(
        [[1.0], [2.0]], ["a", "a\0"], classes=["a", "a\0", "b"], ids=["r", "r\0"]
    )
    assert model.classes_.tolist() == ["a", "a\0", "b"]
    assert model.forget(["r\0"]).ids_.tolist() == ["r"]
    frame = pd.DataFrame({"p": [1, 2], "p\0": [3, 4]})
    table = sklazy.Table.from_any(frame, categorical_features=["p\0"])
    assert table.kinds == ["numeric", "nominal"]


def test_classes_of_a_list_keep_their_types():
    X = [["u"], ["v"], ["u"], ["w"]]
    whole = sklazy.LazyNBClassifier().fit(X, ["a", 1, "1", 1])
    assert whole.classes_.tolist() == [1, "1", "a"]
    parts = sklazy.LazyNBClassifier().fit(X[:1], ["a"])
    parts.partial_fit(X[1:2], [1]).partial_fit(X[2:], ["1", 1])
    assert parts.digest() == whole.digest()


MISSING = [None, float("nan"), pd.NA, np.float64("nan")]
WORDS = ["1", "b", "a\0", "", np.str_("b")]
NUMBERS = [1, 2.5, np.int64(1), np.float32(0.5), Decimal(1), 2**53 + 1]
BOOLS = [True, False, np.True_]


def odd_columns(n_rows):
    """Cells of one column: of one kind mostly, missing at first or throughout."""
    pools = st.sampled_from([WORDS, WORDS, NUMBERS, NUMBERS, BOOLS, WORDS + NUMBERS])
    pools |= st.just(BOOLS + NUMBERS) | st.just(BOOLS + WORDS) | st.just(MISSING)

    def cells(drawn):
        pool, n_missing = drawn
        known = st.sampled_from([*pool, *MISSING])
        late = st.lists(known, min_size=n_rows - n_missing, max_size=n_rows - n_missing)
        return late.map(lambda rest: [None] * n_missing + rest)

    return st.tuples(pools, st.integers(0, n_rows)).flatmap(cells)


@st.composite
def odd_batches(draw, first_rows):
    """Rows of odd cells, and where they are cut into batches."""
    n_rows = first_rows + draw(st.integers(1, 8))
    columns = [draw(odd_columns(n_rows)) for _ in range(draw(st.integers(1, 3)))]
    inner = st.integers(first_rows, n_rows - 1)
    ends = sorted({*draw(st.lists(inner, min_size=1, max_size=3)), n_rows})
    return [list(row) for row in zip(*columns, strict=True)], ends


def target_of(model, n_rows):
    kinds = np.arange(n_rows) % 2
    return kinds * 1.5 if is_regressor(model) else kinds.tolist()


def state(model, queries):
    """The digest and all that a model says, or that it refuses."""
    methods = [name for name in METHODS if hasattr(model, name)]
    return model.digest(), exactly({m: getattr(model, m)(queries) for m in methods})


def built(model, rows, ends, queries):
    """The state after a fit to the rows before the first end, and the others added."""
    y = target_of(model, len(rows))
    try:
        model = clone(model).fit(rows[: ends[0]], y[: ends[0]])
        for first, last in itertools.pairwise(ends):
            model.partial_fit(rows[first:last], y[first:last])
    except BadInputError:
        return "refused"
    return state(model, queries)


@one_keeper_of_each
@few
@given(st.data())
def test_odd_columns_are_the_same_however_rows_arrive(setting, data):
    rows, ends = data.draw(odd_batches(setting.min_rows))
    queries = [rows[-1], [None] * len(rows[0])]
    at_once = built(setting.model, rows, [len(rows)], queries)
    assert built(setting.model, rows, ends, queries) == at_once
    if at_once == "refused":
        return
    y = target_of(setting.model, len(rows))
    model = clone(setting.model).fit(rows, y).forget(list(range(ends[0], len(rows))))
    assert state(model, queries) == built(setting.model, rows, ends[:1], queries)


def frames(cells):
    """A column of cells as callers may have it."""
    yield [[cell] for cell in cells]
    yield np.array(cells, object)[:, None]
    yield pd.DataFrame({"p": pd.Series(cells, dtype=object)})
    yield pd.DataFrame({"p": cells})
    yield pl.DataFrame({"p": cells})
    yield sklazy.Table.from_any([[cell] for cell in cells], feature_names=["p"])


KINDS = {
    "numbers": [1.5, None, 2.0],
    "strings": ["a", None, "b"],
    "bools": [True, None],
}
FORMS = range(6)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_first_value_settles_the_kind(kind, form):
    nothing, known = [None] * 3, KINDS[kind]
    first, rest = list(frames(nothing))[form], list(frames(known))[form]
    whole = list(frames(nothing + known))[form]
    y = [0, 1, 0, 1, 0, 1][: 3 + len(known)]
    model = sklazy.LazyKNeighborsClassifier(1, 1.0).fit(first, y[:3])
    before = model.digest()
    at_once = sklazy.LazyKNeighborsClassifier(1, 1.0).fit(whole, y)
    expected = at_once.digest()
    assert model.partial_fit(rest, y[3:]).digest() == expected
    assert model.predict(whole).tolist() == at_once.predict(whole).tolist()
    assert model.forget(list(range(3, len(y)))).digest() == before
    assert model.partial_fit(rest, y[3:]).digest() == expected


@pytest.mark.parametrize("query", ["a", 1.5, True, None])
def test_a_column_without_values_may_be_asked_for_anything(query, tmp_path):
    model = sklazy.LazyKNeighborsClassifier(1, 1.0).fit([[None, 1], [None, 2]], [0, 1])
    assert model.predict([[query, 2]]).tolist() == [1]
    receipt = model.explain([[query, 2]])[0]
    assert model.verify(receipt)
    known = {"a": "unseen", None: "missing"}.get(query, receipt["query"][0]["known"])
    assert receipt["query"][0]["known"] == known
    model.save(tmp_path / "model")
    assert sklazy.load(tmp_path / "model").partial_fit([["a", 1]], [0]).digest() == (
        sklazy.LazyKNeighborsClassifier(1, 1.0)
        .fit([[None, 1], [None, 2], ["a", 1]], [0, 1, 0])
        .digest()
    )


@pytest.mark.parametrize(
    ("first", "rest"),
    [
        ([1, "1"], ["b"]),
        (["1", "b"], [1]),
        ([1], ["1", "b"]),
        ([True], [2]),
        ([2], [True]),
        (["b"], [True]),
    ],
)
def test_mixtures_are_refused_whenever_they_arise_unless_columns_are_named(first, rest):
    rows, y = [[cell] for cell in first + rest], [0, 1, 0][: len(first + rest)]
    cut = len(first)
    fit_to_all = sklazy.LazyNBClassifier().fit
    with pytest.raises(BadInputError, match=r"'x0'.*categorical_features"):
        fit_to_all(rows, y)
    if len(first) == 1 or first == ["1", "b"]:
        model = sklazy.LazyNBClassifier().fit(rows[:cut], y[:cut])
        before = model.digest()
        with pytest.raises(BadInputError, match=r"'x0'"):
            model.partial_fit(rows[cut:], y[cut:])
        assert model.digest() == before
    named = sklazy.LazyNBClassifier(categorical_features=[0])
    whole = clone(named).fit(rows, y).digest()
    assert named.fit(rows[:cut], y[:cut]).partial_fit(rows[cut:], y[cut:]).digest() == (
        whole
    )


@one_keeper_of_each
@fewer
@given(st.integers(0, 7))
def test_leaving_out_the_last_value_of_a_column_equals_forgetting_it(setting, place):
    n_rows = max(setting.min_rows + 1, 12)
    rows = [[None, i % 4, "uv"[i % 2]] for i in range(n_rows)]
    rows[place][0] = "a"
    model = clone(setting.model)
    if not hasattr(model, "loo_predict"):
        pytest.skip("it leaves no rows out")
    model.fit(rows, target_of(model, n_rows))
    left_out = model.loo_predict([place]).tolist()
    assert model.forget([place]).predict([rows[place]]).tolist() == left_out
