"""Local models: their answers against the slow ones, their receipts, bad days."""

import copy
import json
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import oracle
import sklazy
from sklazy import LazyLearningClassifier, LazyLearningRegressor
from sklazy.errors import BadFileError, BadInputError, DataWarning, ReceiptError
from sklazy.methods.local_models import data as local_data
from sklazy.methods.local_models.answers import answer_locally
from sklazy.receipts import Receipt, sealed
from strategies import split_problems

pytestmark = pytest.mark.filterwarnings("ignore:.*rows are taken at most")


def wavy(n, seed=0, noise=0.1, d=2):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    return X, np.sin(6 * X[:, 0]) + X[:, -1] + noise * rng.standard_normal(n)


SMALL = {"n_neighbors": (2, 6), "ridge": 0.1, "n_best": 2}


@settings(max_examples=60)
@given(
    split_problems(min_rows=4, max_rows=14, max_columns=3),
    st.sampled_from(["euclidean", "manhattan"]),
    st.sampled_from(["std", "range"]),
)
def test_equals_the_naive_learner(problems, metric, scale):
    cases, queries = problems
    assume(len(cases.rows) > 1)
    # A column without a value is no longer nominal: its kind is open.
    columns = zip(*cases.rows, strict=True)
    assume(all(any(cell is not None for cell in column) for column in columns))
    model = LazyLearningRegressor(
        degrees=(0, 1), metric=metric, scale=scale, max_categories=99, **SMALL
    ).fit(cases.frame, cases.targets)
    data = model._prepared()
    coded = model.cases_.encode(model._query_table(queries.frame))
    answer = answer_locally(data, coded, data.plan, curves=True)
    order = model.cases_.arrival[data.rows]
    cases = cases.take(order)
    (rows, points), (terms, wanted), absents = oracle.local_space(
        cases.rows, queries.rows, cases.kinds, scale
    )
    for q, query in enumerate(points):
        check_distances(rows, query, cases.kinds, absents, metric, answer, q)
        near = [i for i in answer.neighbors.rows[q].tolist() if i >= 0]
        models = oracle.fit_models(
            [terms[i] for i in near],
            cases.targets[near],
            np.ones(len(near)),
            wanted[q],
            {0: (2, 6, 0), 1: (2, 6, 0)},
            0.1,
            alike=oracle.rows_alike(
                near, cases.rows, queries.rows[q], cases.targets, [1.0] * len(rows)
            ),
        )
        check_models(models, answer.models, q)


def check_distances(rows, query, kinds, absents, metric, answer, q):
    """The nearest by distance; rounding may swap rows that are all but tied."""
    weights = [1.0] * len(kinds)
    all_distances = sorted(
        oracle.distance(row, query, kinds, weights, absents, metric) for row in rows
    )
    distances = answer.neighbors.distances[q]
    expected = all_distances[: np.isfinite(distances).sum()]
    np.testing.assert_allclose(
        distances[: len(expected)], expected, rtol=1e-7, atol=1e-7
    )


def check_models(models, fitted, q):
    scores = {key: fitted.curves[q, 0, key[0], key[1] - 1] for key in models}
    for key, (score, _) in models.items():
        assert scores[key] == pytest.approx(score, rel=1e-5, abs=1e-5)
    chosen = [tuple(m) for m in fitted.models[q, 0].tolist() if m[0] >= 0]
    assert chosen == oracle.choose_models(scores, 2)
    scored = {key: (scores[key], theta) for key, (_, theta) in models.items()}
    n_terms = fitted.coefficients.shape[2]
    combined = oracle.combine_models(scored, chosen, n_terms)
    assert fitted.coefficients[q, 0, 0] == pytest.approx(
        combined[0], rel=1e-5, abs=1e-5
    )


# --- slices, threads, groups ----------------------------------------------------------


def test_slabs_do_not_matter(monkeypatch):
    X, y = wavy(50)
    model = LazyLearningRegressor().fit(X, y)
    answers, loo = model.predict(X), model.loo_predict(groups=np.arange(50) % 9)
    monkeypatch.setattr(local_data, "_MOST_QUERIES", 7)
    assert (model.predict(X) == answers).all()
    assert (model.loo_predict(groups=np.arange(50) % 9) == loo).all()


def test_threads_do_not_matter():
    X, y = wavy(900, d=5)
    one = LazyLearningRegressor(n_jobs=1).fit(X, y)
    two = LazyLearningRegressor(n_jobs=2).fit(X, y)
    assert (one.predict(X) == two.predict(X)).all()


def test_a_rows_own_target_cannot_leak():
    X, y = wavy(80)
    spoiled = y.copy()
    spoiled[7] = 1e6
    before = LazyLearningRegressor().fit(X, y).loo_predict()
    after = LazyLearningRegressor().fit(X, spoiled).loo_predict()
    assert after[7] == before[7]
    assert (after != before).sum() > 3


@pytest.mark.parametrize("scale", [True, "range", False])
def test_groups_are_hidden_together(scale):
    X, y = wavy(60)
    groups = np.array(["a", "b", "c"])[np.arange(60) % 3]
    model = LazyLearningRegressor(scale=scale, n_neighbors=(3, 9)).fit(X, y)
    loo = model.loo_predict(groups=groups)
    assert (model.loo_predict([5, 0, 5], groups) == loo[[5, 0, 5]]).all()
    for group in "abc":
        kept = groups != group
        without = clone(model).fit(X[kept], y[kept])
        assert (without.predict(X[~kept]) == loo[~kept]).all()
    with pytest.raises(BadInputError, match="one label for each of the 60"):
        model.loo_predict(groups=groups[:5])
    with pytest.raises(BadInputError, match="n_samples=0"):
        model.loo_predict(groups=np.zeros(60))


# --- beyond R -------------------------------------------------------------------------


def test_several_targets_are_predicted_as_each_alone():
    X, y = wavy(100)
    both = np.column_stack([y, X[:, 0] ** 2])
    model = LazyLearningRegressor().fit(X, both)
    values, std = model.predict(X[:9], return_std=True)
    assert values.shape == std.shape == (9, 2)
    assert model.predict_interval(X[:9]).shape == (9, 2, 2)
    assert model.loo_predict().shape == (100, 2)
    assert len(model.explain(X[:1], reasons=False)[0]["targets"]) == 2
    for t in range(2):
        alone = LazyLearningRegressor().fit(X, both[:, t])
        np.testing.assert_allclose(alone.predict(X[:9]), values[:, t], rtol=1e-9)


def test_a_weight_of_zero_is_no_case():
    X, y = wavy(60)
    weights = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 3.0], 60)
    kept = weights > 0
    model = LazyLearningRegressor().fit(X, y, sample_weight=weights)
    without = LazyLearningRegressor().fit(X[kept], y[kept], sample_weight=weights[kept])
    assert (model.predict(X) == without.predict(X)).all()
    assert len(model.loo_predict()) == 60


def test_heavy_cases_pull():
    X, y = np.zeros((10, 1)), np.r_[np.zeros(5), np.ones(5)]
    weights = np.r_[np.ones(5), np.full(5, 3.0)]
    model = LazyLearningRegressor(degrees=0, n_neighbors=10)
    assert model.fit(X, y, sample_weight=weights).predict(X[:1]) == pytest.approx(0.75)


def test_mixed_tables_and_missing_cells_carry_information():
    rng = np.random.default_rng(0)
    n = 400
    color = rng.choice(["red", "green", "blue"], n)
    x = rng.random(n)
    y = x + 5.0 * (color == "red") + 0.05 * rng.standard_normal(n)
    frame = pd.DataFrame({"x": x, "color": color, "noise": rng.random(n)})
    frame.loc[rng.random(n) < 0.1, "x"] = np.nan
    frame.loc[rng.random(n) < 0.1, "noise"] = np.nan
    model = LazyLearningRegressor().fit(frame[:300], y[:300])
    error = np.abs(model.predict(frame[300:]) - y[300:])
    assert np.median(error) < 0.2
    receipt = model.explain(frame[300:301], reasons=False)[0]
    assert set(receipt["targets"][0]["coefficients"]) == {
        *["intercept", "x", "color = green", "color = red", "noise"]
    }
    unseen = pd.DataFrame({"x": [0.5], "color": ["violet"], "noise": [0.5]})
    assert np.isfinite(model.predict(unseen)).all()
    outside = model.explain(unseen, reasons=False)[0]["targets"][0]["outside_range"]
    assert {"column": "color", "value": "violet"} in outside


def test_frames_of_all_kinds_give_the_same_answers():
    X, y = wavy(50)
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = LazyLearningRegressor().fit(frame, y)
    answers = model.predict(frame)
    polars = LazyLearningRegressor().fit(pl.DataFrame(frame), pl.Series(y))
    assert (polars.predict(pl.DataFrame(frame)) == answers).all()
    assert (LazyLearningRegressor().fit(X, y).predict(X) == answers).all()
    assert list(model.feature_names_in_) == ["a", "b"]


@pytest.mark.parametrize("coverage", [0.5, 0.9])
def test_intervals_cover_what_they_promise(coverage):
    """Over 60 samples of 200 rows, noise that grows with x; and in both halves."""
    hits = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = rng.random((300, 2))
        y = np.sin(5 * X[:, 0]) + (0.1 + X[:, 1]) * rng.standard_normal(300)
        model = LazyLearningRegressor(n_jobs=1).fit(X[:200], y[:200])
        low, high = model.predict_interval(X[200:], coverage=coverage).T
        hits.append([(y[200:] >= low) & (y[200:] <= high), X[200:, 1] > 0.5])
    inside, noisy = np.concatenate(hits, axis=1)
    # 6000 queries, 60 samples of 200 cases: the standard error is about 0.008.
    assert inside.mean() == pytest.approx(coverage, abs=0.025)
    for half in (noisy, ~noisy):
        assert inside[half].mean() == pytest.approx(coverage, abs=0.07)


def test_std_is_the_size_of_the_error():
    X, y = wavy(600, noise=0.3)
    model = LazyLearningRegressor().fit(X[:500], y[:500])
    values, std = model.predict(X[500:], return_std=True)
    assert np.sqrt(np.mean(((y[500:] - values) / std) ** 2)) == pytest.approx(
        1, abs=0.2
    )


def test_saved_and_loaded_it_answers_the_same(tmp_path):
    X, y = wavy(50)
    for model in (
        LazyLearningRegressor(attribute_weights=np.array([1.0, 2.0])).fit(X, y),
        LazyLearningRegressor.r_lazy(lin_id_par=(4, 9)).fit(X, np.column_stack([y, y])),
        LazyLearningClassifier().fit(pd.DataFrame(X, columns=["a", "b"]), y > 1),
    ):
        model.save(tmp_path / "model.sklazy")
        again = sklazy.load(tmp_path / "model.sklazy")
        assert type(again) is type(model)
        assert again.digest() == model.digest()
        queries = pd.DataFrame(X, columns=["a", "b"]) if "Class" in str(model) else X
        assert (again.predict(queries) == model.predict(queries)).all()
        assert repr(again.get_params()) == repr(model.get_params())
    (tmp_path / "broken").write_bytes((tmp_path / "model.sklazy").read_bytes()[:-9])
    with pytest.raises(BadFileError):
        sklazy.load(tmp_path / "broken")


def test_it_lives_with_scikit_learn():
    X, y = wavy(120)
    pipeline = make_pipeline(StandardScaler(), LazyLearningRegressor())
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.8
    search = GridSearchCV(LazyLearningRegressor(), {"n_best": [1, 5]}, cv=3).fit(X, y)
    assert search.best_params_["n_best"] in (1, 5)
    model = LazyLearningRegressor().fit(X, y)
    assert (pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)).all()


# --- receipts -------------------------------------------------------------------------


def test_a_receipt_tells_the_whole_prediction():
    rng = np.random.default_rng(0)
    X = rng.random((200, 2)) * [1.0, 100.0]
    frame = pd.DataFrame(X, columns=["small", "large"])
    y = 3.0 * X[:, 0] + 0.02 * X[:, 1] + 0.001 * rng.standard_normal(200)
    model = LazyLearningRegressor(degrees=1, n_best=1, ridge=1e-6).fit(frame, y)
    receipt = model.explain(frame[:1], reasons=False)[0]
    (target,) = receipt["targets"]
    assert receipt.answer == model.predict(frame[:1])[0] == target["prediction"]
    assert target["coefficients"]["small"] == pytest.approx(3.0, rel=0.05)
    assert target["coefficients"]["large"] == pytest.approx(0.02, rel=0.05)
    near = target["neighbors"]
    assert near[0]["id"] == 0
    assert near[0]["distance"] == 0
    assert len(near) == target["k"]
    total = sum(case["influence"] * case["target"] for case in near)
    assert total == pytest.approx(receipt.answer, rel=1e-9)
    (curve,) = target["curves"]
    best = int(np.argmin(curve["scores"])) + curve["first"]
    assert best == target["k"] == target["models"][0]["k"]
    squares = [case["residual"] ** 2 for case in near]
    assert np.mean(squares) == pytest.approx(min(curve["scores"]), rel=1e-6)
    assert sum(case["leverage"] for case in near) == pytest.approx(3, abs=1e-3)
    assert target["error"] ** 2 == pytest.approx(min(curve["scores"]))


@settings(max_examples=25)
@given(split_problems(min_rows=3, max_rows=15, max_columns=3), st.integers(0, 2))
def test_receipts_replay_and_edited_ones_are_refused(problems, degree):
    cases, queries = problems
    assume(len(cases.rows) > 1)
    model = LazyLearningRegressor(degrees=(0, degree), n_neighbors=(2, 6), n_best=2)
    model.fit(cases.frame, cases.targets)
    for receipt in model.explain(queries.frame, reasons=False):
        plain = json.loads(receipt.to_json())
        assert model.verify(receipt)
        assert model.verify(Receipt.from_json(receipt.to_json()))
        target = receipt["targets"][0]
        counting = [(c, c.get("mean_target", c["target"])) for c in target["neighbors"]]
        total = sum(c["influence"] * outcome for c, outcome in counting)
        assert total == pytest.approx(target["prediction"], rel=1e-5, abs=1e-3)
        plain["targets"][0]["prediction"] += 1.0
        with pytest.raises(ReceiptError, match="edited"):
            model.verify(plain)
        with pytest.raises(ReceiptError, match="does not replay"):
            model.verify(sealed(plain))
        with pytest.raises(ReceiptError, match="edited"):
            model.verify({**receipt.to_dict(), "further": 1})


def test_receipts_of_other_cases_are_refused():
    X, y = wavy(30)
    model = LazyLearningRegressor().fit(X, y)
    receipt = model.explain(X[:1], reasons=False)[0]
    with pytest.raises(ReceiptError, match=r"settings\.n_best"):
        LazyLearningRegressor(n_best=1).fit(X, y).verify(receipt)
    model.forget([3])
    with pytest.raises(ReceiptError, match="other cases"):
        model.verify(receipt)
    with pytest.raises(ReceiptError, match="has the schema 'else'"):
        model.verify({"schema": "else"})
    with pytest.raises(ReceiptError, match="not JSON"):
        Receipt.from_json("{")


def test_a_query_outside_its_neighbors_is_told():
    X, y = wavy(60)
    model = LazyLearningRegressor().fit(X, y)
    inside, far = model.explain([[0.5, 0.5], [7.0, 0.5]], reasons=False)
    assert inside["targets"][0]["outside_range"] == []
    (outside,) = far["targets"][0]["outside_range"]
    assert outside["column"] == "x0"
    assert outside["max"] <= 1.0
    assert "Extrapolation: x0 = 7" in str(far)
    assert "Extrapolation" not in str(inside)


def test_receipts_escape_what_they_show():
    evil = "<script>alert(1)</script>"
    frame = pd.DataFrame({evil: [evil, "b", evil, "b"], "x": [1.0, 2.0, 3.0, 4.0]})
    model = LazyLearningRegressor(n_neighbors=(2, 4)).fit(frame, [1.0, 2.0, 3.0, 4.0])
    html = model.explain(frame[:1], reasons=False)[0].to_html()
    assert "<script" not in html
    assert "&lt;script&gt;" in html


# --- bad days -------------------------------------------------------------------------


def test_too_few_rows_and_too_many_neighbors():
    X, y = wavy(10)
    with pytest.raises(BadInputError, match=r"at least 20 .* n_samples=10 rows"):
        LazyLearningRegressor(n_neighbors=(20, 30)).fit(X, y)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        LazyLearningRegressor(degrees=0, n_neighbors=(5, 30)).fit(X, y)
    assert [w.category for w in caught] == [DataWarning]
    with pytest.raises(BadInputError, match="n_samples=1"):
        LazyLearningRegressor().fit(X[:1], y[:1])
    (value,) = LazyLearningRegressor().fit(X[:2], y[:2]).predict(X[:1])
    assert min(y[:2]) < value < max(y[:2])


def test_constant_target_duplicated_columns_and_far_queries():
    X, y = wavy(60)
    constant = LazyLearningRegressor().fit(X, np.full(60, 0.3))
    assert (constant.predict(X) == 0.3).all()
    assert (constant.predict(X, return_std=True)[1] == 0).all()
    assert (constant.predict_interval(X) == 0.3).all()
    twice = np.column_stack([X, X[:, 0], np.ones(60)])
    assert np.abs(LazyLearningRegressor().fit(twice, y).loo_predict() - y).mean() < 0.3
    model = LazyLearningRegressor().fit(X, y)
    assert np.isfinite(model.predict([[1e9, -1e9]])).all()


def test_columns_that_say_nothing_change_nothing():
    X, y = wavy(40)
    blind = np.column_stack([X, np.full(40, np.nan), np.full(40, 7.0)])
    queries = np.column_stack([X, np.full(40, 3.0), np.full(40, 8.0)])
    answers = LazyLearningRegressor().fit(X, y).predict(X)
    assert (LazyLearningRegressor().fit(blind, y).predict(queries) == answers).all()


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"degrees": 3}, "degrees=3"),
        ({"degrees": ()}, "degrees="),
        ({"degrees": "all"}, "degrees="),
        ({"n_neighbors": {2: (3, 9)}}, "which are off"),
        ({"n_neighbors": "many"}, "n_neighbors="),
        ({"n_best": 0}, "n_best=0"),
        ({"metric": "cosine"}, "metric="),
        ({"ridge": -1.0}, "ridge=-1.0"),
        ({"scale": "minmax"}, "scale="),
        ({"attribute_weights": [1.0]}, "attribute_weights="),
        ({"attribute_weights": [1.0, -1.0]}, "attribute_weights="),
        ({"compat": "python"}, "compat="),
        ({"n_jobs": 0}, "n_jobs=0"),
    ],
)
def test_parameters_that_cannot_be(params, named):
    X, y = wavy(30)
    with pytest.raises(BadInputError, match=named):
        LazyLearningRegressor(**params).fit(X, y).predict(X)


def test_calls_that_fail_leave_the_object_as_it_was():
    X, y = wavy(30)
    model = LazyLearningRegressor().fit(X, y)
    before, digest = model.predict(X), model.digest()
    with pytest.raises(BadInputError):
        model.fit(X[:, :1], np.full(30, np.nan))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.partial_fit(X, y[:3])
    with pytest.raises(sklazy.errors.UnknownIdError):
        model.forget([99])
    with pytest.raises(BadInputError, match="coverage"):
        model.predict_interval(X, coverage=1.0)
    assert model.n_features_in_ == 2
    assert model.digest() == digest
    assert (model.predict(X) == before).all()


# --- classes --------------------------------------------------------------------------


def test_probabilities_are_probabilities():
    rng = np.random.default_rng(0)
    X = rng.random((150, 2))
    y = np.array(["in", "out", "edge"])[(X.sum(axis=1) * 1.5).astype(int)]
    model = LazyLearningClassifier().fit(X, y)
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert (probabilities >= 0).all()
    assert model.classes_.tolist() == sorted(set(y))
    assert (model.predict(X) == y).mean() > 0.9
    assert (model.loo_predict() == y).mean() > 0.85
    assert model.loo_predict_proba().shape == (150, 3)
    receipt = model.explain(X[:1], reasons=False)[0]
    assert receipt.answer == model.predict(X[:1])[0]
    assert [t["name"] for t in receipt["targets"]] == model.classes_.tolist()
    model.verify(receipt)


def test_a_class_goes_with_its_last_case():
    X, y = wavy(30)[0], np.array([0] * 14 + [1] * 15 + [2])
    model = LazyLearningClassifier().fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2]
    model.forget([29])
    fresh = LazyLearningClassifier().fit(X[:29], y[:29])
    assert model.classes_.tolist() == [0, 1]
    assert model.digest() == fresh.digest()
    assert (model.predict_proba(X) == fresh.predict_proba(X)).all()
    model.partial_fit(X[29:], [7])
    assert model.classes_.tolist() == [0, 1, 7]


def test_weights_of_attributes_may_be_a_series():
    X, y = wavy(30, d=2)
    series = LazyLearningRegressor(attribute_weights=pd.Series([1.0, 2.0])).fit(X, y)
    plain = LazyLearningRegressor(attribute_weights=[1.0, 2.0]).fit(X, y)
    assert np.array_equal(series.predict(X), plain.predict(X))
    with pytest.raises(BadInputError, match="scale="):
        LazyLearningRegressor(scale=np.array([1.0, 2.0])).fit(X, y)


def test_a_left_out_row_leaves_its_category_its_class_and_its_weight_behind():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.normal(size=24), "kind": ["a", "b", "c"] * 8})
    X.loc[0, "kind"] = "alone"
    y, weights = np.array([0, 1] * 12), np.ones(24)
    y[1], weights[2] = 2, 3
    model = LazyLearningClassifier(n_neighbors=(2, 8)).fit(X, y, weights)
    left_out = model.loo_predict_proba(rows=[0, 1, 2])
    assert left_out[1, 2] == 0
    for row in range(3):
        without = copy.deepcopy(model).forget([row])
        expected = without.predict_proba(X.iloc[[row]])[0]
        assert left_out[row, without.classes_].tolist() == expected.tolist()


@pytest.mark.parametrize("scale", [True, "range", False])
def test_a_row_of_weight_zero_is_left_out_like_any_other(scale):
    X, y = wavy(12)
    weights = np.array([0.0, 1.0, 2.0] * 4)
    model = LazyLearningRegressor(scale=scale).fit(X, y, weights)
    left_out = model.loo_predict()
    for row in range(12):
        without = copy.deepcopy(model).forget([row])
        assert left_out[row] == without.predict(X[row : row + 1])[0]


def test_approximate_leaving_out_keeps_the_scales_of_all_rows():
    X, y = wavy(40)
    X[0] *= 50
    scales = X.std(axis=0)
    model = LazyLearningRegressor().fit(X, y)
    by_hand = LazyLearningRegressor(scale=False).fit(X / scales, y).loo_predict()
    left_out = model.loo_predict(approximate=True)
    np.testing.assert_allclose(left_out, by_hand, rtol=1e-9)
    assert left_out[0] != model.loo_predict(rows=[0])[0]
    assert (model.loo_predict(groups=np.arange(40), approximate=True) == left_out).all()


def test_a_tie_is_settled_without_the_row_that_is_left_out():
    X, y = [[4.0], [2.0], [3.0], [1.0], [0.0], [3.0]], np.array([0, 0, 1, 1, 1, 0])
    model = LazyLearningClassifier(degrees=0, n_neighbors=4, scale=False).fit(X, y)
    weighted = clone(model).fit(X, y, sample_weight=[1, 1, 1, 1, 1, 2])
    for each in (model, weighted):
        loo, chances = each.loo_predict(), each.loo_predict_proba()
        for row in range(6):
            without = copy.deepcopy(each).forget([row])
            assert loo[row] == without.predict(X[row : row + 1])[0]
            assert (chances[row] == without.predict_proba(X[row : row + 1])).all()
    assert model.loo_predict(rows=[0]).tolist() == [1]


def test_a_tie_is_settled_without_the_group_that_is_left_out():
    X, groups = np.array([[0.0], [0], [0], [0], [9], [0]]), [0, 0, 0, 1, 1, 1]
    model = LazyLearningClassifier(degrees=0, n_neighbors=2, scale=False)
    model.fit(X, [0, 0, 0, 1, 1, 0])
    assert model.loo_predict_proba(groups=groups)[0].tolist() == [0.5, 0.5]
    assert model.loo_predict(groups=groups).tolist() == [1, 1, 1, 0, 0, 0]
