"""Blends: who counts, what they say together, and what cannot be a member."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from mixed import example_frame
from oracle import blends as slow
from sklazy import (
    LazyBaggingClassifier,
    LazyBlendClassifier,
    LazyBlendRegressor,
    LazyKernelClassifier,
    LazyKNeighborsClassifier,
    LazyLearningRegressor,
    LazyLogisticClassifier,
    LazyNBClassifier,
    LazyRidgeRegressor,
    load,
)
from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError, BadTypeError, DataWarning


class Broken(ClassifierMixin, BaseEstimator):
    """A classifier that fails, or answers NaN."""

    def __init__(self, fails=True):
        self.fails = fails

    def fit(self, X, y):
        if self.fails:
            raise ValueError("nothing works")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), np.nan)


class BrokenNumbers(RegressorMixin, BaseEstimator):
    """A regressor that knows no number."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full(len(X), np.nan)


def problem(n=60):
    frame, labels, numbers = example_frame()
    return frame[:n], labels[:n], numbers[:n]


GIVEN = [
    ("line", LazyLogisticClassifier()),
    ("near", LazyKNeighborsClassifier(3)),
    ("bayes", LazyNBClassifier()),
]
GIVEN_NUMBERS = [("line", LazyRidgeRegressor()), ("local", LazyLearningRegressor())]


@pytest.mark.parametrize("max_loo_rows", [300, 20])
def test_a_blend_of_classes_is_the_plain_composition(max_loo_rows):
    X, y, _ = problem()
    blend = LazyBlendClassifier(
        GIVEN, default_members=False, max_loo_rows=max_loo_rows
    ).fit(X, y)
    members = [clone(member).fit(X, y) for _, member in GIVEN]
    codes = np.searchsorted(members[0].classes_, y)
    drawn = blend.cases_.arrival[blend.cases_.order[:max_loo_rows]]
    left = [np.asarray(member.loo_predict_proba())[drawn] for member in members]
    powers = []
    for member_shares in left:
        losses = [
            slow.loss_of_power(member_shares, codes[drawn], p) for p in slow.POWERS
        ]
        powers.append(slow.POWERS[int(np.argmin(losses))])
    likely = [
        [
            slow.tempered(member_shares[i], power)[codes[row]]
            for member_shares, power in zip(left, powers, strict=True)
        ]
        for i, row in enumerate(drawn)
    ]
    expected = slow.mixture_weights(likely)
    weights = list(blend.weights_.values())
    np.testing.assert_allclose(weights, expected, atol=2e-3)
    predicted = [member.predict_proba(X[:7]) for member in members]
    mixed = [
        slow.blend_classes(member_shares, weights, powers)
        for member_shares in zip(*predicted, strict=True)
    ]
    np.testing.assert_allclose(blend.predict_proba(X[:7]), mixed, atol=1e-12)
    members_told = blend.explain(X[:1], reasons=False)[0]["members"]
    assert [member["power"] for member in members_told] == powers
    quick = [
        slow.blend_classes(member_shares, weights, powers)
        for member_shares in zip(*left, strict=True)
    ]
    np.testing.assert_allclose(blend.loo_predict_proba(drawn), quick, atol=1e-12)


def test_a_blend_of_numbers_is_the_plain_composition():
    X, _, y = problem()
    blend = LazyBlendRegressor(GIVEN_NUMBERS, default_members=False).fit(X, y)
    members = [clone(member).fit(X, y) for _, member in GIVEN_NUMBERS]
    left = np.column_stack([member.loo_predict(approximate=True) for member in members])
    weights = np.array(list(blend.weights_.values()))
    least = slow.square_badness(weights, left, y)
    for share in np.linspace(0, 1, 101):
        other = np.array([share, 1 - share])
        assert slow.square_badness(other, left, y) >= least - 1e-9
    expected = np.column_stack([member.predict(X[:9]) for member in members]) @ weights
    np.testing.assert_allclose(blend.predict(X[:9]), expected, atol=1e-10)
    np.testing.assert_allclose(blend.loo_predict(), left @ weights, atol=1e-10)


def test_models_of_scikit_learn_answer_out_of_fold():
    X, y, _ = problem()
    tree = DecisionTreeClassifier(random_state=0)  # knows its own rows by heart
    blend = LazyBlendClassifier([("tree", tree)], default_members=False).fit(X, y)
    assert (blend.predict(X) == y).mean() > 0.95 > (blend.loo_predict() == y).mean()
    honest = np.mean(blend.loo_predict() == blend.loo_predict(approximate=False))
    assert honest > 0.6


def test_a_good_member_counts_more_than_a_bad_one():
    X, y, _ = problem()
    noise = DummyClassifier(strategy="uniform", random_state=0)
    blend = LazyBlendClassifier([("noise", noise)]).fit(X, y)
    assert min(blend.weights_, key=blend.weights_.get) == "noise"
    numbers = LazyBlendRegressor([("mean", DummyRegressor())]).fit(*problem()[::2])
    assert numbers.weights_["mean"] < 0.05


@pytest.mark.parametrize(
    ("broken", "reason"),
    [(Broken(), "nothing works"), (Broken(fails=False), "expected probabilities")],
)
def test_a_member_that_fails_is_named_and_does_not_count(broken, reason):
    X, y, _ = problem()
    blend = LazyBlendClassifier([*GIVEN, ("odd", broken)], default_members=False)
    blend.fit(X, y)
    with pytest.warns(DataWarning, match=f"is left out of the blend: odd: .*{reason}"):
        probabilities = blend.predict_proba(X[:5])
    plain = LazyBlendClassifier(GIVEN, default_members=False).fit(X, y)
    assert probabilities.tolist() == plain.predict_proba(X[:5]).tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is told once, not with every question
        assert "odd" not in blend.weights_
        blend.explain(X[:1], reasons=False)


def test_a_blend_without_members_that_can_answer_is_refused():
    X, y, numbers = problem()
    blend = LazyBlendClassifier([("odd", Broken())], default_members=False).fit(X, y)
    with pytest.raises(BadInputError, match=r"no member.*odd.*nothing works"):
        blend.predict(X)
    blend = LazyBlendRegressor([BrokenNumbers()], default_members=False)
    with pytest.raises(BadInputError, match=r"brokennumbers: .*NaN"):
        blend.fit(X, numbers).predict(X)


class SometimesNaN(DummyRegressor):
    """A regressor that fails for large numbers."""

    def predict(self, X):
        return np.where(np.max(X, axis=1) > 100, np.nan, super().predict(X))


def test_a_member_that_fails_later_is_named():
    X = np.arange(20.0)[:, None]
    blend = LazyBlendRegressor([("odd", SometimesNaN())], default_members=False)
    blend.fit(X, X[:, 0])
    assert np.isfinite(blend.predict(X)).all()
    with pytest.raises(BadInputError, match="the member odd"):
        blend.predict([[1000.0]])


@pytest.mark.parametrize(
    ("estimators", "error", "match"),
    [
        (GaussianNB(), BadTypeError, "expected a list"),
        ([GaussianNB], BadTypeError, "can fit and predict"),
        (["tree"], BadTypeError, "can fit and predict"),
        ([Ridge()], BadTypeError, "is a regressor; give a classifier"),
        ([GaussianNB(), GaussianNB()], BadInputError, "'gaussiannb'.*each name once"),
        ([("kernel", GaussianNB())], BadInputError, "'kernel'"),
        ([LazyNBClassifier(cuts="frozen")], BadInputError, "cuts='frozen'"),
        (
            [LazyNBClassifier(categorical_features=[0])],
            BadInputError,
            "categorical_features",
        ),
        ([LazyBlendClassifier()], BadTypeError, "cannot be a member"),
        (
            [LazyBaggingClassifier(random_state=np.random.RandomState(0))],
            BadTypeError,
            "random_state",
        ),
        ([LazyKNeighborsClassifier(0)], BadInputError, "n_neighbors"),
    ],
)
def test_what_cannot_be_a_member_is_refused(estimators, error, match):
    X, y, _ = problem()
    with pytest.raises(error, match=match):
        LazyBlendClassifier(estimators).fit(X, y).predict(X[:1])


def test_a_blend_needs_members():
    X, y, _ = problem()
    with pytest.raises(BadInputError, match="leaves no member"):
        LazyBlendClassifier(default_members=False).fit(X, y)
    with pytest.raises(BadInputError, match="max_loo_rows=0"):
        LazyBlendClassifier(max_loo_rows=0).fit(X, y)


@pytest.mark.parametrize(
    "y", [["a"] * 6, ["a"] * 5 + ["b"], ["a", "b", "c", "d", "e", "f"]], ids=str
)
@pytest.mark.parametrize(
    "X",
    [
        np.arange(6.0)[:, None],
        np.full((6, 2), np.nan),
        np.ones((6, 1)),
        np.repeat([[0.0, 1.0], [1.0, 0.0]], 3, axis=0),
        np.random.default_rng(0).normal(size=(6, 30)),
    ],
    ids=["numbers", "nothing", "constant", "repeated", "wide"],
)
def test_odd_classes_and_columns_are_answered(X, y):
    blend = LazyBlendClassifier().fit(X, y)
    shares = blend.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_allclose(blend.loo_predict_proba().sum(axis=1), 1.0)
    assert blend.verify(blend.explain(X[:1], reasons=False)[0])


def test_a_single_row_tells_no_members_apart():
    blend = LazyBlendClassifier().fit([[1.0, 2.0]], ["a"])
    assert blend.predict([[5.0, 5.0]]).tolist() == ["a"]
    assert set(blend.weights_.values()) == {1 / 3}
    assert "only one case" in " ".join(
        blend.explain([[5.0, 5.0]], reasons=False).to_text().split()
    )


def test_members_are_kept_until_rows_change():
    X, y, _ = problem()
    fits = []

    class Counting(DecisionTreeClassifier):
        def fit(self, X, y):
            fits.append(len(X))
            return super().fit(X, y)

    blend = LazyBlendClassifier([("tree", Counting())], default_members=False)
    blend.fit(X, y)
    for ask in (blend.predict, blend.predict_proba, blend.explain):
        ask(X[:3])
    blend.loo_predict()
    assert fits == [60, 48, 48, 48, 48, 48]
    blend.forget([0])
    blend.predict(X[:3])
    assert sorted(fits[6:]) == [47, 47, 47, 47, 48, 59]


def test_a_blend_with_estimators_comes_back_from_a_file(tmp_path):
    X, y, _ = problem()
    members = [("tree", DecisionTreeClassifier(max_depth=2)), LazyKernelClassifier()]
    blend = LazyBlendClassifier(members, default_members=False).fit(X, y)
    blend.save(tmp_path / "blend")
    again = load(tmp_path / "blend")
    assert again.predict_proba(X).tolist() == blend.predict_proba(X).tolist()
    assert isinstance(again.estimators[1], LazyKernelClassifier)


def test_an_estimator_of_others_cannot_be_saved(tmp_path):
    X, y, _ = problem()
    blend = LazyBlendClassifier([("odd", Broken())]).fit(X, y)
    with pytest.raises(BadInputError, match="cannot be saved"):
        blend.save(tmp_path / "blend")


def test_a_receipt_tells_what_each_member_says_and_why():
    X, y, _ = problem()
    blend = LazyBlendClassifier([("tree", DecisionTreeClassifier(max_depth=2))])
    receipt = blend.fit(X, y).explain(X[:1], reasons=False)[0]
    by_member = {member["name"]: member for member in receipt["members"]}
    kinds = {name: (m["receipt"] or {}).get("kind") for name, m in by_member.items()}
    assert kinds == {
        "paths": "ensembles",
        "kernel": "kernel_models",
        "logistic": "linear_models",
        "tree": None,
    }
    assert {n: m["weight"] for n, m in by_member.items()} == blend.weights_
    mixed = sum(m["weight"] * np.array(m["probabilities"]) for m in by_member.values())
    probabilities = [item["probability"] for item in receipt["votes"]]
    np.testing.assert_allclose(probabilities, mixed / mixed.sum())
    logistic = LazyLogisticClassifier().fit(X, y).explain(X[:1], reasons=False)[0]
    assert by_member["logistic"]["receipt"]["linear_model"] == logistic["linear_model"]
    page = receipt.to_html()
    for name in by_member:
        assert f"Why {name} predicts this" in page or name == "tree"
    text = receipt.to_text()
    assert "how well the members predict 60 cases" in text
    assert "Why logistic predicts this" in text


def test_members_that_count_nothing_still_have_a_say_in_receipts():
    X = np.linspace(0, 6, 40)[:, None]
    y = np.sin(X[:, 0])
    blend = LazyBlendRegressor([("mean", DummyRegressor())]).fit(X, y)
    assert blend.weights_["mean"] == 0
    receipt = blend.explain([[1.0]], reasons=False)[0]
    values = {member["name"]: member["value"] for member in receipt["members"]}
    assert values["mean"] == pytest.approx(y.mean())
    assert receipt.answer == blend.predict([[1.0]])[0]
    assert blend.verify(receipt)


def test_tree_regressors_are_members_of_mixed_tables():
    X, _, y = problem()
    X = X.assign(odd=pd.Series([None] * len(X), dtype="float64"))
    blend = LazyBlendRegressor([("tree", DecisionTreeRegressor(max_depth=3))])
    assert np.isfinite(blend.fit(X, y).predict(X)).all()


@pytest.mark.parametrize("blend", [LazyBlendClassifier(), LazyBlendRegressor()])
def test_default_members_forget_no_row_to_leave_it_out(blend, monkeypatch):
    X, labels, numbers = problem()
    X = X.assign(name=pd.Categorical([f"row {i}" for i in range(len(X))]))
    y = numbers if isinstance(blend, LazyBlendRegressor) else labels
    blend = clone(blend).set_params(max_loo_rows=20).fit(X, y)

    def forget(*arguments):
        raise AssertionError("a row was forgotten")

    monkeypatch.setattr(CaseBase, "forget", forget)
    assert len(blend.loo_predict()) == len(X)


def test_equal_rows_have_equal_answers_out_of_fold():
    X = np.repeat([[0.0], [1.0], [2.0]], 5, axis=0)
    y = np.tile([0.0, 0.0, 1.0, 2.0, 5.0], 3)
    tree = [("tree", DecisionTreeRegressor(random_state=0))]
    blend = LazyBlendRegressor(tree, default_members=False).fit(X, y)
    answers = blend.loo_predict().reshape(3, 5)
    assert (answers[:, 0] == answers[:, 1]).all()
    order = np.random.default_rng(0).permutation(15)
    again = clone(blend).fit(X[order], y[order])
    assert again.loo_predict().tolist() == blend.loo_predict()[order].tolist()


def test_parameters_of_members_are_set_by_name(tmp_path):
    X, y, _ = problem()
    model = LazyBlendClassifier().set_params(paths__n_estimators=3, max_loo_rows=20)
    assert (model.max_loo_rows, model.get_params()["paths__n_estimators"]) == (20, 3)
    shares = model.fit(X, y).predict_proba(X)
    plain = LazyBlendClassifier(
        [("paths", LazyBaggingClassifier(3, splits="random")), *GIVEN[:1]],
        default_members=False,
        max_loo_rows=20,
    )
    given = LazyBlendClassifier(
        [("paths", LazyBaggingClassifier(splits="random")), *GIVEN[:1]],
        default_members=False,
        max_loo_rows=20,
        member_parameters={"paths__n_estimators": 3},
    )
    expected = plain.fit(X, y).predict_proba(X)
    assert given.fit(X, y).predict_proba(X).tolist() == expected.tolist()
    model.save(tmp_path / "blend.sklazy")
    loaded = load(tmp_path / "blend.sklazy")
    assert loaded.member_parameters == {"paths__n_estimators": 3}
    assert loaded.predict_proba(X).tolist() == shares.tolist()
    assert clone(model).get_params()["paths__n_estimators"] == 3


@pytest.mark.parametrize("name", ["paths__trees", "forest__n_estimators"])
def test_parameters_that_no_member_has_are_refused(name):
    model = LazyBlendClassifier()
    with pytest.raises(BadInputError, match=name):
        model.set_params(**{name: 3})
    assert model.member_parameters is None
