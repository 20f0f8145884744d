"""Audits: what was planted is found, and nothing depends on how rows came."""

import copy
import json
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_diabetes, load_wine
from sklearn.linear_model import LogisticRegression

from harmless import Page
from sklazy import (
    LazyKernelRegressor,
    LazyKNeighborsClassifier,
    LazyLogisticClassifier,
    audit,
    read_table,
)
from sklazy.answer.batch import batch_of_cases
from sklazy.errors import BadInputError
from sklazy.estimators.audit.indicators import leave_out_lines
from sklazy.methods.linear_models.columns import make_columns
from strategies import mixed_problems

EVIL = "<script>alert(1)</script>"


def planted():
    """Wine with wrong labels, copies, a near copy, a stranger, an id and a leak."""
    frame, y = load_wine(return_X_y=True, as_frame=True)
    labels = y.map({0: EVIL, 1: "b", 2: "c"})
    labels[[3, 100, 160]] = ["b", "c", "b"]
    rows = [*range(178), 5, 6]
    frame, labels = frame.iloc[rows], labels.iloc[rows].tolist()
    frame = frame.reset_index(drop=True)
    labels[179] = "c"  # a copy of row 6 with another label
    frame.loc[180] = frame.loc[20] + 1e-4
    frame.loc[181] = frame.max() * 1.6
    labels += [labels[20], "c"]
    frame["id"] = [f"w{i}" for i in range(182)]
    codes = pd.Series(labels).map({EVIL: 0, "b": 1, "c": 2}).to_numpy()
    leak = codes + np.random.default_rng(0).random(182) / 3
    return frame, labels, leak


@pytest.fixture(scope="module")
def wine():
    frame, labels, _ = planted()
    with pytest.warns(UserWarning, match="set aside"):
        return audit(frame, labels)


def rows_of(result, kind):
    return [one.rows for one in result.of_kind(kind)]


def test_planted_errors_are_found(wine):
    assert {row for (row,) in rows_of(wine, "label")} >= {3, 100, 160, 179}
    assert rows_of(wine, "conflict") == [(6, 179)]
    assert rows_of(wine, "duplicate") == [(5, 178)]
    assert rows_of(wine, "near duplicate") == [(20, 180)]
    assert rows_of(wine, "novel") == [(181,)]
    assert [one.column for one in wine.of_kind("column")] == ["id"]


def test_a_wrong_label_comes_with_its_witnesses(wine):
    (one,) = [one for one in wine.of_kind("label") if one.rows == (100,)]
    assert (one.given, one.suggested) == ("c", "b")
    assert one.score == pytest.approx(1 - one.evidence["probability_given"])
    assert {case["target"] for case in one.evidence["against"]} == {"b"}
    distances = [case["distance"] for case in one.evidence["against"]]
    assert distances == sorted(distances)
    assert [case["target"] for case in one.evidence["for"]] == ["c"]
    assert 100 not in [case["id"] for case in one.evidence["for"]]
    assert "color_intensity" in [a["name"] for a in one.evidence["attributes"]]


def test_doubts_are_those_of_the_models_left_out(wine):
    _, labels, _ = planted()
    (model,) = wine.models
    base = model.cases_
    _, placed = make_columns(base.cases, batch_of_cases(base, base.order).queries)
    by_lines = leave_out_lines(placed, base.cases.classes[base.order], 3)
    lines = by_lines[np.argsort(base.order)][np.argsort(base.arrival)]
    shares = (model.loo_predict_proba() + lines) / 2
    codes = [[EVIL, "b", "c"].index(label) for label in labels]
    expected = 1 - shares[np.arange(182), codes]
    np.testing.assert_allclose(wine.doubts, expected, atol=1e-12)
    assert wine.suggested[100] == "b"
    assert (wine.suggested == np.array(labels, object)).mean() > 0.9


def test_a_leak_is_found():
    frame, labels, leak = planted()
    result = audit(frame.drop(columns="id").assign(leak=leak), labels)
    assert [one.column for one in result.of_kind("column")] == ["leak"]
    assert "before the target" in result.to_text()


def test_missing_cells_can_leak_the_class():
    y = np.repeat(["alive", "dead"], 30)
    died = np.where(y == "dead", np.random.default_rng(0).random(60), np.nan)
    noise = np.random.default_rng(1).random(60)
    result = audit(pd.DataFrame({"died": died, "noise": noise}), y)
    assert [one.column for one in result.of_kind("column")] == ["died"]


def test_a_column_that_counts_rows_names_them():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.random(40), "n": rng.permutation(40) + 1000.0})
    result = audit(frame, rng.choice(["a", "b"], 40))
    assert [one.column for one in result.of_kind("column")] == ["n"]


def test_receipts_are_of_rows_left_out(wine):
    (receipt,) = wine.explain([100])
    assert receipt.answer == "b"
    assert 100 not in [case["id"] for case in receipt["influential_cases"]["listed"]]
    assert receipt["cases"]["n_rows"] == 181
    others = copy.deepcopy(wine.models[0]).forget([100])
    assert others.verify(receipt)
    assert wine.models[0].cases_.n_rows == 182


def test_the_report_says_it_all_and_runs_nothing(wine):
    page = Page(wine.to_html())
    assert "script" not in page.tags
    assert EVIL in "".join(page.text)
    text = wine.to_text()
    assert all(len(line) <= 80 for line in text.splitlines())
    for heading in (
        "contradict",
        "different values",
        "unusually close",
        "far from all others",
    ):
        assert heading in text
        assert heading in wine.to_markdown()
        assert heading in "".join(page.text)
    assert "script" not in Page(f"<div>{wine._repr_html_()}</div>").tags


def test_findings_are_plain_data(wine):
    plain = json.loads(wine.to_json())
    assert plain == json.loads(json.dumps(wine.to_dict()))
    assert len(plain["findings"]) == len(wine.findings)
    frame = wine.to_frame()
    assert list(frame.columns) == list(wine.to_columns())
    assert frame["row"].tolist()[0] == wine.findings[0].rows[0]
    pair = frame[frame.kind == "conflict"]
    assert pair["row"].tolist() == [6, 179]
    assert pair["also"].tolist() == ["179", "6"]
    assert frame["message"].map(len).min() > 20
    assert repr(wine).startswith("Audit(182 rows: ")


def test_numbers_are_judged_by_their_residuals():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    y = y.copy()
    y[5] = 900.0
    result = audit(X, y)
    assert result.task == "regression"
    first = result.of_kind("label")[0]
    assert (first.rows, first.given) == ((5,), 900.0)
    left_out = result.models[0].loo_predict()
    assert first.suggested == left_out[5]
    np.testing.assert_array_equal(result.suggested, left_out)
    residuals = np.abs(y.to_numpy() - left_out)
    expected = residuals / (1.4826 * np.median(residuals))
    np.testing.assert_allclose(result.doubts, expected)
    assert "times the usual error" in result.to_columns()["message"][0]
    near, attributes = first.evidence["against"], first.evidence["attributes"]
    assert [case["target"] for case in near] == y[
        [case["id"] for case in near]
    ].tolist()
    assert not {item["name"] for item in attributes} & set(near[0]["differs_in"])
    shares = [item["share"] for item in attributes]
    assert shares == sorted(shares, reverse=True)
    assert result.explain([5])[0].answer == pytest.approx(first.suggested, rel=0.2)


def test_equal_inputs_with_different_numbers_are_a_conflict():
    X = np.array([[1.0], [1.0], [2.0], [3.0], [4.0], [4.0]])
    result = audit(X, [0.5, 0.6, 1.5, 2.5, 3.5, 3.5])
    assert rows_of(result, "conflict") == [(0, 1)]
    assert rows_of(result, "duplicate") == [(4, 5)]


def test_ids_name_the_rows():
    frame, labels, _ = planted()
    frame = frame.drop(columns="id")
    frame.index = [f"r{i}" for i in range(182)]
    result = audit(frame, labels)
    assert rows_of(result, "conflict") == [("r6", "r179")]
    assert result.ids[3] == "r3"
    again = audit(frame, labels, ids=range(1000, 1182))
    assert rows_of(again, "conflict") == [(1006, 1179)]
    influences = again.explain([3])[0]["influential_cases"]["listed"]
    assert all(1000 <= case["id"] < 1182 for case in influences)


@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(mixed_problems(min_rows=3, max_rows=16), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(problem, random):
    order = list(range(len(problem.rows)))
    random.shuffle(order)
    other = problem.take(order)
    for y, yy in [(problem.classes, other.classes), (problem.targets, other.targets)]:
        task = "classification" if y is problem.classes else "regression"
        one = audit(problem.frame, y, task=task)
        two = audit(other.frame, yy, task=task, ids=order)
        assert one.doubts[order].tobytes() == two.doubts.tobytes()
        assert _content(one) == _content(two)


def _content(result):
    """Findings whatever their order; of equal rows any may stand for the others."""
    kept = ("near duplicate", "novel")
    return sorted(
        (one.kind, one.score, str(one.column), str(one.suggested))
        if one.kind in kept
        else (one.kind, one.score, str(one.column), str(sorted(one.rows)))
        for one in result.findings
    )


def test_missing_cells_make_nobody_a_stranger():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    X[[3, 5], 0], X[7] = np.nan, 30.0
    result = audit(X, rng.choice(["a", "b"], 80))
    assert rows_of(result, "novel") == [(7,)]
    evidence = result.of_kind("novel")[0].evidence
    assert evidence["novelty"] == 1.0  # of the other rows
    assert evidence["distance"] > 2 * evidence["usual"]


@pytest.mark.parametrize(
    ("n_distinct", "n_rows"), [(19, 20), (18, 20), (19, 19), (40, 40), (36, 40)]
)
def test_one_rule_says_which_columns_name_rows(tmp_path, n_distinct, n_rows):
    rng = np.random.default_rng(0)
    name = [f"row {i % n_distinct}" for i in range(n_rows)]
    numbers = rng.normal(size=n_rows)
    frame = pd.DataFrame({"name": pd.Categorical(name), "x": numbers})
    labels = ["a" if x > 0 else "b" for x in numbers]
    names = n_rows >= 20 and n_distinct / n_rows > 0.9
    result = audit(frame, labels, estimator=LazyKNeighborsClassifier(1))
    assert ("name" in [one.column for one in result.of_kind("column")]) == names
    frame.to_csv(tmp_path / "a.csv", index=False)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        read = read_table(tmp_path / "a.csv")
        LazyKNeighborsClassifier().fit(frame, labels)
    assert (read["name"].reading is not None) == names
    assert any("columns that name rows" in str(one.message) for one in warned) == names


def test_labels_that_nothing_tells_are_not_judged():
    rng = np.random.default_rng(0)
    result = audit(rng.normal(size=(60, 3)), rng.choice(["a", "b"], 60))
    assert not result.learned
    assert result.of_kind("label") == []
    assert result.doubts.max() > 0.5
    assert "Labels cannot be checked" in result.to_text()


def test_a_label_no_other_row_has_is_found(wine):
    X, y = load_wine(return_X_y=True)
    labels = np.array(["a", "b", "c"], object)[y]
    labels[20] = "A"
    result = audit(X, labels)
    (one,) = [one for one in result.of_kind("label") if one.rows == (20,)]
    assert (one.suggested, one.evidence["for"]) == ("a", [])
    assert one.score > 0.95
    columns = result.to_columns()
    assert "No other row is A." in columns["message"][columns["row"].index(20)]
    assert wine.learned
    assert "cannot be checked" not in wine.to_text()


def test_equally_spaced_rows_are_neither_near_nor_novel():
    assert audit(np.linspace(0, 1, 50)[:, None], ["a"] * 50).findings == ()


def test_large_tables_are_compared_with_a_sample():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    X[7] = 40.0
    result = audit(X, X[:, 0] > 0, max_rows=50, estimator=LazyLogisticClassifier())
    assert result.n_compared == 50
    assert (7,) in rows_of(result, "novel")
    assert "50 distinct rows" in result.to_text()


class Foreign(ClassifierMixin, BaseEstimator):
    """An estimator of somebody else's that can leave rows out."""

    def fit(self, X, y):
        self.classes_, self.codes_ = np.unique(y, return_inverse=True)
        return self

    def loo_predict_proba(self):
        shares = np.full((len(self.codes_), len(self.classes_)), 0.05)
        shares[np.arange(len(self.codes_)), self.codes_] = 0.9
        shares[0] = shares[0, ::-1]
        return shares


def test_any_estimator_that_leaves_rows_out_will_do():
    X, y = np.arange(12.0)[:, None], ["a", "b"] * 6
    result = audit(X, y, estimator=Foreign())
    assert rows_of(result, "label") == [(0,)]
    assert result.doubts.tolist() == pytest.approx([0.95] + [0.1] * 11)
    with pytest.raises(BadInputError, match="Foreign has no receipts"):
        result.explain([0])
    both = audit(X, y, estimator=[Foreign(), LazyKNeighborsClassifier(1)])
    assert len(both.models) == 2


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"estimator": LogisticRegression()}, "has no loo_predict_proba"),
        ({"estimator": LazyLogisticClassifier}, "is a class; give LazyLog"),
        ({"estimator": 3}, "estimator=3 is not an estimator"),
        ({"estimator": LazyKernelRegressor(), "task": "classification"}, "loo_predict"),
        ({"estimator": []}, "at least one"),
        ({"task": "ranking"}, "task='ranking'"),
        ({"max_rows": 1}, "max_rows=1"),
        ({"ids": [1, 1, 2, 3]}, "ids|twice"),
    ],
)
def test_wrong_parameters_are_refused(wrong, says):
    X = np.arange(4.0)[:, None]
    with pytest.raises(BadInputError, match=says):
        audit(X, ["a", "b", "a", "b"], **wrong)


@pytest.mark.parametrize(
    ("X", "y", "says"),
    [
        ([[1.0]], ["a"], "one row"),
        ([[1.0], [2.0]], ["a", None], "missing"),
        ([[1.0], [2.0]], ["a"], "1"),
        ([[1.0], [np.inf]], ["a", "b"], "inf"),
    ],
)
def test_wrong_rows_are_refused(X, y, says):
    with pytest.raises(ValueError, match=says):
        audit(X, y)


def test_a_table_without_surprises_says_so():
    X = np.linspace(0, 1, 8)[:, None]
    result = audit(X, ["a"] * 8)
    assert result.findings == ()
    assert "Nothing stands out." in result.to_text()
    assert len(result.to_frame()) == 0
    assert result.of_kind("label") == []
    with pytest.raises(BadInputError, match="kind='typo'"):
        result.of_kind("typo")


def test_nothing_that_is_given_is_changed():
    frame, labels, _ = planted()
    before, labels_before = frame.copy(), list(labels)
    with pytest.warns(UserWarning, match="set aside"):
        audit(frame, labels)
    pd.testing.assert_frame_equal(frame, before)
    assert labels == labels_before


@pytest.mark.parametrize("n_wrong", [0, 10, 30])
def test_wrong_labels_are_counted_roughly(n_wrong):
    rng = np.random.default_rng(0)
    X, y = load_wine(return_X_y=True)
    y = y.copy()
    wrong = rng.permutation(len(y))[:n_wrong]
    y[wrong] = (y[wrong] + 1) % 3
    result = audit(X, y)
    assert abs(result.expected_wrong - n_wrong) <= 5 + 0.3 * n_wrong
    n_labels = len(result.of_kind("label"))
    if n_labels == 0:
        return
    said = f"roughly {max(1, round(result.expected_wrong))} of {n_labels} are wrong"
    assert said in " ".join(result.to_text().split())
    assert result.to_dict()["expected_wrong"] == result.expected_wrong
