"""Lazy bagging and stacking against their slow twin, and what they refuse."""

import io
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from sklazy import (
    LazyBaggingClassifier,
    LazyBaggingRegressor,
    LazyStackingClassifier,
    LazyStackingRegressor,
    diversity_measures,
)
from sklazy.answer import batches, prepare
from sklazy.errors import BadInputError, DataWarning, ReceiptError
from sklazy.estimators.ensembles.stacking import KINDS, NUMBER_KINDS
from sklazy.report import progress
from slow_ensembles import compare_with_oracle
from strategies import split_problems

split = split_problems(min_rows=1, max_rows=24, max_queries=4, telling=True)
some = settings(max_examples=40, suppress_health_check=list(HealthCheck), deadline=None)
TARGETS = st.lists(
    st.sampled_from([-2.0, 0.0, 0.5, 3.0, 7.0]), min_size=40, max_size=40
)


@some
@given(split, st.sampled_from([0.99, 0.7, 0.0]), st.integers(0, 2**32 - 1))
def test_lazy_bagging_answers_like_whole_trees_on_its_bags(problems, beta, seed):
    cases, queries = problems
    model = LazyBaggingClassifier.paper(n_estimators=4, beta=beta, random_state=seed)
    model.fit(cases.frame, cases.classes)
    compare_with_oracle(model, queries, ["tree"])


@some
@given(split, st.integers(1, 3), st.booleans())
def test_random_attributes_and_rules_of_trees(problems, inspect, plain):
    cases, queries = problems
    rules = {"min_share": plain, "correct": not plain, "at_values": plain}
    rules["chance"] = not plain
    names = {
        "c45_min_side": plain,
        "penalize_numeric_splits": not plain,
        "penalize_nominal_splits": not plain,
        "split_at_values": plain,
    }
    inspect = min(inspect, len(cases.kinds))
    model = LazyBaggingClassifier(
        3, max_features=inspect, min_branch_weight=1, combine="probability", **names
    )
    model.fit(cases.frame, cases.classes)
    rules = {**rules, "min_weight": 1.0, "inspect": inspect}
    compare_with_oracle(model, queries, ["tree"], rules)


@some
@given(split, st.sampled_from(["vote", "probability"]))
def test_lazy_stacking_answers_like_plain_models_on_its_bags(problems, combine):
    cases, queries = problems
    model = LazyStackingClassifier.paper(
        estimators=list(KINDS), n_estimators=7, beta=0.8, combine=combine
    )
    model.fit(cases.frame, cases.classes)
    compare_with_oracle(model, queries, KINDS)


def mixed_rows():
    rng = np.random.default_rng(3)
    y = rng.choice(["a", "b"], 50)
    X = pd.DataFrame(
        {
            "x": np.where(y == "a", 0.0, 2.0) + rng.normal(size=50),
            "word": np.where(rng.random(50) < 0.8, y, "c"),
        }
    )
    X.loc[::7, "x"] = np.nan
    return X, y


def test_accuracy_weighs_members_by_cases_that_their_bags_lack():
    X, y = mixed_rows()
    model = LazyStackingClassifier(n_estimators=5, combine="accuracy").fit(X, y)
    shares, votes = model.predict_proba(X[:8]), model.member_votes(X[:8])
    weights = [
        [m["weight"] for m in r["members"]] for r in model.explain(X[:8], reasons=False)
    ]
    for share, vote, weight in zip(shares, votes, np.array(weights), strict=True):
        expected = [weight[vote == label].sum() / weight.sum() for label in "ab"]
        np.testing.assert_allclose(share, expected)
        assert ((weight > 0) & (weight < 1)).all()
    assert len(np.unique(weights)) > 2


def test_shared_bags_depend_on_the_seed_as_well():
    X, y = mixed_rows()
    one, other = (
        LazyBaggingClassifier(
            20, share_bags=True, combine="probability", random_state=seed
        ).fit(X, y)
        for seed in (0, 1)
    )
    assert one.score(X, y) > 0.8
    assert (one.predict_proba(X) != other.predict_proba(X)).any()


@pytest.mark.parametrize(
    "member",
    [
        LogisticRegression(),
        LinearSVC(),  # no probabilities
        make_pipeline(StandardScaler(), KNeighborsClassifier(3)),  # no sample weights
    ],
    ids=lambda member: type(member).__name__,
)
def test_any_classifier_may_be_a_member(member):
    X, y = mixed_rows()
    model = LazyStackingClassifier([("mine", member)], 3).fit(X, y)
    assert model.score(X[:20], y[:20]) >= 0.8
    assert model.explain(X[:1], reasons=False)[0]["members"][0]["name"] == "mine"


def test_a_bag_of_one_class_needs_no_model():
    X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], ["a"] * 5 + ["b"]
    model = LazyStackingClassifier([LogisticRegression(), "linear"], 40)
    model.fit(X, y)
    shares = model.predict_proba([[0.0], [5.0]])
    assert shares[0, 0] > shares[1, 0]
    kinds = [
        m["evidence"] for m in model.explain([[0.0]], reasons=False)[0]["members"][::2]
    ]
    assert not all(evidence["fitted"] for evidence in kinds)


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (LazyStackingClassifier([LinearRegression()]), "is a regressor; give a class"),
        (LazyStackingRegressor([LogisticRegression()]), "is a classifier; give a reg"),
        (LazyStackingClassifier([KMeans()]), "is a clusterer; give a classifier"),
        (LazyStackingRegressor([StandardScaler()]), "cannot fit and predict"),
        (LazyStackingRegressor([LinearRegression]), "cannot fit and predict"),
    ],
)
def test_members_that_predict_something_else_are_refused(model, why):
    with pytest.raises(TypeError, match=why):
        model.fit([[0.0], [1.0]], [0, 1])


class Refusing(LogisticRegression):
    """A classifier that wants more of every class than some bags hold."""

    def fit(self, X, y, sample_weight=None):
        if np.bincount(y).min() < 3:
            raise ValueError("too few of a class")
        return super().fit(X, y)


def test_a_member_that_cannot_be_fitted_leaves_the_shares_of_its_bag():
    X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], ["a"] * 3 + ["b"] * 3
    model = LazyStackingClassifier([Refusing()], 5).fit(X, y)
    with pytest.warns(DataWarning, match="refusing could not be fitted .* too few"):
        shares = model.predict_proba([[0.0]])
    assert shares.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("combine", ["vote", "accuracy", "probability"])
def test_a_member_without_a_finite_answer_leaves_the_shares_of_its_bag(combine):
    """Gaussian naive Bayes divides by the variance, which a constant has not."""
    X, y = [[1.0]] * 12, ["a"] * 2 + ["b"] * 10
    model = LazyStackingClassifier([GaussianNB()], 5, combine=combine).fit(X, y)
    with pytest.warns(DataWarning, match=r"answers \[nan, nan\]"):
        shares = model.predict_proba([[1.0]])
    assert shares.sum() == pytest.approx(1.0)
    assert shares[0, 1] > shares[0, 0]
    with pytest.warns(DataWarning, match=r"answers \[nan, nan\]"):
        (receipt,) = model.explain([[1.0]], reasons=False)
    assert not any(member["evidence"]["fitted"] for member in receipt["members"])


def test_a_member_that_cannot_be_asked_leaves_the_shares_of_its_bag():
    """Five neighbors of three rows are refused when they are asked for."""
    X, y = [[0.0], [1.0], [2.0]], ["a", "b", "b"]
    model = LazyStackingClassifier([KNeighborsClassifier(5)], 5).fit(X, y)
    with pytest.warns(DataWarning, match="could not be fitted or used"):
        assert set(model.predict([[0.0]])) <= {"a", "b"}


def test_one_row_one_class_and_unseen_words():
    for model in (LazyBaggingClassifier(3), LazyStackingClassifier()):
        model.fit(pd.DataFrame({"word": ["a"]}), ["yes"])
        strange = pd.DataFrame({"word": ["b", None]})
        assert model.predict(strange).tolist() == ["yes", "yes"]
        model.partial_fit(pd.DataFrame({"word": ["b"]}), ["no"])
        assert set(model.predict(strange)) <= {"yes", "no"}


def test_numbers_of_any_size_can_be_measured():
    X = [[1e308], [-1e308], [0.0], [1e-300], [5e-324]]
    model = LazyBaggingClassifier(5).fit(X, ["a", "b", "a", "b", "a"])
    assert set(model.predict(X)) <= {"a", "b"}
    nearest = model.explain([[9e307]], reasons=False)[0].content["neighbors"]["listed"][
        0
    ]
    assert nearest["id"] == 0
    tiny = LazyBaggingClassifier(5).fit([[0.0], [5e-324]], ["a", "b"])
    assert (
        tiny.explain([[5e-324]], reasons=False)[0].content["neighbors"]["listed"][0][
            "id"
        ]
        == 1
    )


@pytest.mark.parametrize("width", [1e308, 1e120, 1.0, 1e-300])
def test_members_answer_whatever_the_size_of_numbers(width):
    X = np.array([[-width], [0.0], [0.1 * width], [0.2 * width], [width]] * 3)
    y = (X[:, 0] > 0.15 * width).astype(int)
    queries = [[width], [-width], [1e308], [-1e308], [np.nan]]
    model = LazyStackingClassifier(KINDS, 10).fit(X, y)
    assert np.isfinite(model.predict_proba(queries)).all()
    assert model.predict(queries)[:2].tolist() == [1, 0]
    for receipt in model.explain(queries, reasons=False):
        assert model.verify(receipt)


def test_members_that_differ_are_diverse():
    X, y = mixed_rows()
    model = LazyStackingClassifier(n_estimators=5).fit(X[:30], y[:30])
    measures = diversity_measures(y[30:], model.member_votes(X[30:]))
    assert 0 <= measures["disagreement"] <= 1


def test_the_published_settings():
    for kind in (LazyBaggingClassifier, LazyStackingClassifier):
        model = kind.paper(random_state=5)
        assert (model.n_estimators, model.beta, model.combine) == (10, 0.99, "vote")
        assert model.penalize_nominal_splits is False
        assert model.random_state == 5


def test_a_random_state_is_drawn_at_fit():
    X, y = mixed_rows()
    generator = np.random.RandomState(0)
    model = LazyBaggingClassifier(random_state=generator).fit(X, y)
    first = model.seed_
    assert model.fit(X, y).seed_ != first
    assert LazyBaggingClassifier().fit(X, y).seed_ == 0
    assert (
        model.explain(X[:1], reasons=False)[0].content["settings"]["random_state"]
        == model.seed_
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, r"n_estimators=0; expected a whole number"),
        ({"n_estimators": 2.5}, r"n_estimators=2\.5; expected a whole number"),
        ({"beta": 1.5}, r"beta=1\.5; expected a number"),
        ({"beta": "much"}, r"beta='much'; expected a number"),
        ({"n_neighbors": 0}, r"n_neighbors=0; expected a whole number"),
        (
            {"n_neighbors": 51},
            r"n_neighbors=51 is more than the number of rows .*n_samples=50",
        ),
        ({"combine": "max"}, r"combine='max' is not known"),
        ({"max_features": 3}, r"max_features=3; expected a count of 1 to 2"),
        ({"max_features": "half"}, r"max_features='half'; expected"),
        ({"max_features": True}, r"max_features=True; expected"),
        ({"min_branch_weight": 0}, r"min_branch_weight=0; expected a number above 0"),
        ({"random_state": "dice"}, r"dice"),
        ({"random_state": -1}, r"random_state=-1; expected a whole number from 0"),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", [LazyBaggingClassifier, LazyStackingClassifier])
def test_senseless_parameters_are_refused(kind, parameters, message):
    model = kind(**parameters)
    with pytest.raises(ValueError, match=message):
        model.fit(*mixed_rows())
    assert not hasattr(model, "cases_")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimators": ["trees"]}, r"names 'trees', .* Did you mean 'tree'"),
        ({"estimators": []}, r"estimators=\[\]; expected a list"),
        ({"estimators": "tree"}, r"estimators='tree'; expected a list"),
        ({"estimators": [3]}, r"estimators holds 3, which cannot fit"),
        ({"estimators": [LogisticRegression]}, r"which cannot fit and predict"),
        ({"alpha": 0}, r"alpha=0; expected a number above 0"),
        ({"ridge": -1.0}, r"ridge=-1\.0; expected a number above 0"),
        ({"member_neighbors": 0}, r"member_neighbors=0; expected a whole"),
    ],
    ids=str,
)
def test_senseless_members_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        LazyStackingClassifier(**parameters).fit(*mixed_rows())


@pytest.mark.parametrize("combine", ["vote", "accuracy"])
def test_many_members_and_classes_are_asked_about_few_queries_at_a_time(combine):
    """A slice's answers fit in memory."""
    X, y = np.arange(90.0)[:, None], np.arange(90) % 30
    model = LazyBaggingClassifier(20_000, combine=combine).fit(X, y)
    assert most_at_a_time(model) <= 20
    model.set_params(n_estimators=10)
    assert most_at_a_time(model) > 400


def most_at_a_time(model):
    return prepare(model._learner(), model.cases_).effort.most


def time_twenty(work, n_queries, effort, done):
    done(20)
    return [work(0, 20)], 20, effort


def test_a_bar_counts_queries(monkeypatch):
    X, y = mixed_rows()
    model = LazyBaggingClassifier(2).fit(X, y)
    steps = []

    class Watched(progress.Progress):
        def __init__(self, label, total=None):
            super().__init__(label, total, stream=io.StringIO())
            steps.append(total)

        def advance(self, n=1, note=""):
            steps.append(n)

    monkeypatch.setattr(batches, "Progress", Watched)
    monkeypatch.setattr(batches, "_WORTH_TIMING", 0.0)  # as if it were long work
    monkeypatch.setattr(batches, "WORTH_WORKERS", 0.0)
    monkeypatch.setattr(batches, "_time_some", time_twenty)
    monkeypatch.setattr(batches, "_cut", lambda *_: [(0, 20), (20, 30)])
    model.set_params(n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sliced = model.predict_proba(X)
    assert steps == [50, 20, 20, 10]
    monkeypatch.undo()
    np.testing.assert_array_equal(sliced, model.predict_proba(X))


@some
@given(
    split,
    st.sampled_from([None, 1]),
    st.sampled_from([4, 0.5, 4000]),
    st.integers(0, 9),
)
def test_random_splits_answer_like_random_paths_on_plain_bags(
    problems, near, most, seed
):
    cases, queries = problems
    model = LazyBaggingClassifier(
        4, splits="random", n_neighbors=near, max_samples=most, random_state=seed
    )
    model.fit(cases.frame, cases.classes)
    compare_with_oracle(model, queries, ["random_tree"])


@pytest.mark.parametrize("kind", [LazyBaggingClassifier, LazyBaggingRegressor])
@pytest.mark.parametrize("most", [0, 3, True, 1.5, 0.0, "many"])
def test_bags_have_some_draws(kind, most):
    with pytest.raises(BadInputError, match=f"max_samples={most!r}; expected"):
        kind(max_samples=most).fit([[0.0], [1.0]], [0, 1])


def test_as_many_draws_as_rows_are_no_bound():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    predictions = [
        LazyBaggingClassifier(5, splits=splits, max_samples=most)
        .fit(X, y)
        .predict_proba(X)
        for splits, most in [("random", 30), ("random", 99), ("best", 30), ("best", 99)]
    ]
    np.testing.assert_array_equal(predictions[0], predictions[1])
    np.testing.assert_array_equal(predictions[2], predictions[3])


@pytest.mark.parametrize("kind", [LazyBaggingClassifier, LazyBaggingRegressor])
def test_splits_are_best_or_random(kind):
    with pytest.raises(BadInputError, match="splits='worst' is not known"):
        kind(splits="worst").fit([[0.0], [1.0]], [0, 1])


def test_random_splits_average_the_shares_of_leaves():
    """Two rows that only their class tells apart: leaves that are not pure."""
    X, y = [[0.0], [0.0], [1.0]], [0, 1, 1]
    model = LazyBaggingClassifier(50, splits="random").fit(X, y)
    shares = model.predict_proba([[0.0]])[0]
    leaves = [
        m["probabilities"] for m in model.explain([[0.0]], reasons=False)[0]["members"]
    ]
    np.testing.assert_allclose(shares, np.mean(leaves, axis=0))
    assert any(0 < share < 1 for share, _ in leaves)


# --- numbers --------------------------------------------------------------------------


@some
@given(split, TARGETS, st.sampled_from([0.99, 0.5]), st.sampled_from([1, 2]))
def test_bagging_predicts_like_whole_trees_on_its_bags(problems, y, beta, least):
    cases, queries = problems
    model = LazyBaggingRegressor(3, beta, max_features=None, min_branch_weight=least)
    model.fit(cases.frame, y[: len(cases.rows)])
    compare_with_oracle(model, queries, ["tree"])


@some
@given(split, TARGETS, st.integers(1, 2))
def test_random_splits_predict_like_random_paths_on_plain_bags(problems, y, tried):
    cases, queries = problems
    tried = min(tried, len(cases.kinds))
    model = LazyBaggingRegressor(
        3, splits="random", max_features=tried, max_samples=5 * tried
    )
    model.fit(cases.frame, y[: len(cases.rows)])
    compare_with_oracle(model, queries, ["random_tree"])


@some
@given(split, TARGETS, st.sampled_from(["mean", "median"]))
def test_stacking_predicts_like_plain_models_on_its_bags(problems, y, combine):
    cases, queries = problems
    model = LazyStackingRegressor(
        list(NUMBER_KINDS), 6, 0.8, max_features=None, combine=combine
    )
    model.fit(cases.frame, y[: len(cases.rows)])
    compare_with_oracle(model, queries, NUMBER_KINDS)


def noisy_rows():
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"x": rng.normal(size=60), "word": rng.choice(["a", "b"], 60)})
    y = X["x"].to_numpy() ** 2 + (X["word"] == "a") + 0.1 * rng.normal(size=60)
    X.loc[::11, "x"] = np.nan
    return X, y


def test_error_weighs_members_by_cases_that_their_bags_lack():
    X, y = noisy_rows()
    model = LazyStackingRegressor(combine="error", n_estimators=8).fit(X, y)
    values, predicted = model.member_values(X[:5]), model.predict(X[:5])
    for i, receipt in enumerate(model.explain(X[:5], reasons=False)):
        weights = np.array([member["weight"] for member in receipt["members"]])
        assert weights.sum() == pytest.approx(1.0)
        assert len(set(weights)) > 1
        assert predicted[i] == pytest.approx(weights @ values[i])


def test_members_without_any_error_count_alike():
    model = LazyBaggingRegressor(3, combine="error").fit([[0.0], [1.0], [2.0]], [4] * 3)
    assert model.predict([[1.0]]).tolist() == [4.0]


def test_any_regressor_may_be_a_member():
    X, y = noisy_rows()
    members = [Ridge(), ("near", KNeighborsRegressor(2)), "tree"]
    model = LazyStackingRegressor(members, 6).fit(X, y)
    assert model.score(X, y) > 0.3
    names = [
        member["name"] for member in model.explain(X[:1], reasons=False)[0]["members"]
    ]
    assert names == ["ridge", "near", "tree"] * 2


def test_evidence_adds_up_to_the_predictions():
    X, y = noisy_rows()
    kinds = ["tree", "neighbors", "linear", "rule"]
    model = LazyStackingRegressor(kinds, 4).fit(X, y, ids=range(100, 160))
    targets = dict(zip(model.ids_.tolist(), y, strict=True))
    for receipt in model.explain(X[:6], reasons=False):
        _, near, linear, _ = receipt["members"]
        cases = near["evidence"]["cases"]
        mean = np.average(
            [targets[case["id"]] for case in cases],
            weights=[case["n_copies"] for case in cases],
        )
        assert near["value"] == pytest.approx(mean)
        adds = sum(term["contributions"][0] for term in linear["evidence"]["terms"])
        start = linear["evidence"]["intercepts"][0]
        assert linear["value"] == pytest.approx(start + adds)


def test_receipts_are_shown_and_edited_ones_refused():
    X, y = noisy_rows()
    model = LazyStackingRegressor().fit(X, y)
    receipts = model.explain(X[:2], reasons=False)
    assert max(map(len, receipts.to_text().splitlines())) <= 80
    assert receipts.to_markdown().count("# Answer") == 2
    assert receipts.to_html().startswith("<!DOCTYPE html>")
    edited = {**receipts[0].to_dict(), "answer": 3.0}
    with pytest.raises(ReceiptError, match="edited"):
        model.verify(edited)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"combine": "vote"}, r"combine='vote' is not known"),
        ({"estimators": ["bayes"]}, r"names 'bayes', which is not the name"),
        ({"ridge": 0}, r"ridge=0; expected a number above 0"),
        ({"n_estimators": 0}, r"n_estimators=0; expected a whole"),
    ],
    ids=str,
)
def test_senseless_parameters_for_numbers_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        LazyStackingRegressor(**parameters).fit(*noisy_rows())


def test_one_number_a_row():
    with pytest.raises(ValueError, match="1d"):
        LazyBaggingRegressor().fit([[0.0], [1.0]], [[0.0, 1.0], [1.0, 2.0]])


@pytest.mark.parametrize("width", [1e308, 1e120, 1.0, 1e-300])
def test_numbers_of_any_size_are_predicted_from(width):
    X = np.array([[-width], [0.0], [0.1 * width], [0.2 * width], [width]] * 3)
    y = (X[:, 0] > 0.15 * width).astype(float)
    queries = [[width], [-width], [1e308], [-1e308], [np.nan]]
    for model in (LazyBaggingRegressor(), LazyStackingRegressor(combine="error")):
        model.fit(X, y)
        values = model.predict(queries)
        assert np.isfinite(values).all()
        assert values[0] > values[1]
        assert model.verify(model.explain(queries, reasons=False)[0])


def test_targets_whose_squares_overflow_are_refused():
    model = LazyBaggingRegressor().fit([[1.0], [2.0]], [1e140, -1e140])
    assert np.isfinite(model.predict([[1.0]])).all()
    with pytest.raises(BadInputError, match=r"y holds numbers as large as 1e\+308"):
        model.partial_fit([[3.0]], [-1e308])
    assert len(model.ids_) == 2
