"""Weights of classes: those of rows by class, in every classifier that weighs rows."""

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.class_weight import compute_class_weight

from discovery import exported, keeps_cases_with, settings_of
from lawful import fewer, left_out, quiet, says, splits, truth, wholes
from places import cut
from sklazy import LazyClassifier, LazyKNeighborsClassifier, LazyNBClassifier, load
from sklazy.errors import BadInputError

pytestmark = quiet

every_weighing = pytest.mark.parametrize(
    "setting", settings_of(keeps_cases_with("class_weight"), most=1)
)


def kept(model, problem, sample_weight=None, **parameters):
    model = clone(model).set_params(**parameters)
    if isinstance(getattr(model, "n_attributes", None), int):
        model.set_params(n_attributes=min(model.n_attributes, len(problem.kinds)))
    if hasattr(model, "cuts"):
        model.set_params(cuts="exact")
    y = truth(model, problem)
    return model.fit(problem.frame, y, sample_weight=sample_weight)


def by_class(y, given):
    """The weight of each row by its class, by scikit-learn."""
    labels = np.unique(np.asarray(y, object).astype(str))
    names = [str(value) for value in y]
    if given == "balanced":
        found = compute_class_weight("balanced", classes=labels, y=names)
        given = dict(zip(labels.tolist(), found.tolist(), strict=True))
    else:
        given = {str(label): weight for label, weight in given.items()}
    return np.array([given.get(name, 1.0) for name in names])


def test_all_classifiers_that_weigh_rows_weigh_classes():
    weighing = 0
    for name, kind in exported().items():
        if name.endswith("Classifier"):
            weighs_rows = "sample_weight" in inspect.signature(kind.fit).parameters
            weighs_classes = "class_weight" in inspect.signature(kind).parameters
            assert weighs_rows == weighs_classes, name
            weighing += weighs_classes
    assert weighing >= 9


@every_weighing
@pytest.mark.parametrize("form", ["dict", "balanced"])
@fewer
@given(st.data())
def test_weights_of_classes_are_weights_of_rows(setting, form, data):
    cases, queries = data.draw(splits(setting, more=2))
    y = list(truth(setting.model, cases))
    labels = list(dict.fromkeys(y))
    weights = st.sampled_from([0.5, 1.0, 2.0, 3.0])
    chosen = {label: data.draw(weights) for label in labels[:2]}
    given_weights = "balanced" if form == "balanced" else chosen
    model = kept(setting.model, cases, class_weight=given_weights)
    plain = kept(setting.model, cases, by_class(y, given_weights))
    assert says(model, queries) == says(plain, queries)


@every_weighing
@fewer
@given(st.data())
def test_balanced_weights_follow_what_is_added_and_forgotten(setting, data):
    cases, queries = data.draw(splits(setting, more=2))
    n_rows = len(cases.rows)
    n_gone = data.draw(st.integers(0, max(n_rows - setting.min_rows - 1, 0)))
    model = kept(setting.model, cases, class_weight="balanced")
    model.forget(model.ids_[:n_gone])
    rest = list(range(n_gone, n_rows))
    alone = kept(setting.model, cases.take(rest), class_weight="balanced")
    assert says(model, queries) == says(alone, queries)
    assert model.digest() == alone.digest()


@every_weighing
@fewer
@given(st.data())
def test_leaving_out_a_balanced_row_equals_forgetting_it(setting, data):
    cases = data.draw(wholes(setting, more=1, max_rows=8))
    n_rows = len(cases.rows)
    model = kept(setting.model, cases, class_weight="balanced")
    found = left_out(model)
    for row in range(n_rows):
        rest = [other for other in range(n_rows) if other != row]
        alone = kept(setting.model, cases.take(rest), class_weight="balanced")
        assert found[row] == alone.predict(cases.take([row]).frame)[0]


def make_rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 2))
    return X, np.where(X[:, 0] + random.normal(size=60) > 1, "yes", "no")


def test_rows_that_arrive_later_are_weighed():
    X, y = make_rows()
    for given_weights in ({"yes": 3.0}, "balanced"):
        whole = LazyNBClassifier(class_weight=given_weights).fit(X, y)
        model = LazyNBClassifier(class_weight=given_weights)
        model.partial_fit(X[:20], y[:20], classes=["no", "yes"])
        model.partial_fit(X[20:], y[20:], ids=np.arange(20, 60))
        shares = model.predict_proba(X)
        assert shares.tolist() == whole.predict_proba(X).tolist()


def test_weights_of_rows_and_of_classes_multiply():
    X, y = make_rows()
    own = np.random.default_rng(1).integers(1, 4, 60)
    once = LazyKNeighborsClassifier(class_weight="balanced").fit(X, y, own)
    repeated = np.repeat(np.arange(60), own)
    copies = LazyKNeighborsClassifier(class_weight="balanced")
    copies.fit(X[repeated], y[repeated])
    sums = {label: own[y == label].sum() for label in ("no", "yes")}
    for model in (once, copies):
        with model.cases_.snapshot() as base:
            weights, codes = base.cases.weights, base.cases.classes
        totals = np.bincount(codes[: base.n_rows], weights)
        np.testing.assert_allclose(totals, sum(sums.values()) / 2)


def test_a_file_keeps_the_weights_of_classes(tmp_path):
    X, y = make_rows()
    for given_weights in ({"yes": 3.0}, "balanced"):
        model = LazyNBClassifier(class_weight=given_weights).fit(X, y)
        model.save(tmp_path / "model.sklazy")
        loaded = load(tmp_path / "model.sklazy")
        assert loaded.class_weight == given_weights
        assert loaded.digest() == model.digest()
        for one in (model, loaded):
            one.partial_fit([[9.0, 9.0]], ["yes"], ids=[99])
        found = loaded.predict_proba(X)
        assert found.tolist() == model.predict_proba(X).tolist()


def test_balanced_weights_raise_the_share_of_a_rare_class():
    X, y = make_rows()
    plain = LazyClassifier(max_loo_rows=60).fit(X, y)
    even = LazyClassifier(max_loo_rows=60, class_weight="balanced").fit(X, y)
    rare = list(plain.classes_).index("yes")
    assert (y == "yes").mean() < 0.4
    before = plain.predict_proba(X)[:, rare].mean()
    assert even.predict_proba(X)[:, rare].mean() > before + 0.05
    assert len(even.loo_predict()) == 60


@pytest.mark.parametrize(
    ("given_weights", "text"),
    [
        ("even", "class_weight='even'; expected None, 'balanced'"),
        ({"yes": -1.0}, "class_weight has -1.0 for the class 'yes'"),
        ({"yes": np.nan}, "class_weight has nan"),
        ({"maybe": 2.0}, "class_weight names the classes ..maybe"),
        ({"yes": 0.0, "no": 0.0}, "zero everywhere"),
    ],
)
def test_weights_that_no_class_can_have_are_refused(given_weights, text):
    X, y = make_rows()
    model = LazyKNeighborsClassifier(class_weight=given_weights)
    with pytest.raises(BadInputError, match=text):
        model.fit(X, y)
    assert not hasattr(model, "cases_")
    allowed = LazyKNeighborsClassifier(class_weight={"maybe": 2.0})
    allowed.partial_fit(X, y, classes=["maybe", "no", "yes"])  # the way out


def test_a_member_leaves_weights_of_classes_to_its_blend():
    X, y = make_rows()
    member = LazyKNeighborsClassifier(class_weight="balanced")
    with pytest.raises(BadInputError, match="class_weight='balanced'"):
        LazyClassifier([member]).fit(X, y).predict(X[:1])


def test_parts_refuse_balanced_weights():
    X, y = make_rows()
    model = LazyNBClassifier(class_weight="balanced").fit(X, y)
    with pytest.raises(BadInputError, match="class_weight='balanced' weighs all rows"):
        cut(model, np.arange(60) % 2, 2)
    dicts = LazyNBClassifier(class_weight={"yes": 2.0}).fit(X, y)  # the way out
    parts = cut(dicts, np.arange(60) % 2, 2)
    assert parts.predict_proba(X).tolist() == dicts.predict_proba(X).tolist()


@pytest.mark.parametrize("half_life", [None, 7.0])
def test_the_order_of_rows_and_a_file_change_no_digest(half_life, tmp_path):
    rng = np.random.default_rng(5)
    X, y, own = rng.normal(size=(60, 2)), rng.integers(0, 3, 60), rng.random(60)
    times = np.arange(60.0) if half_life else None
    options = {"class_weight": "balanced", "half_life": half_life}
    digests, shares = set(), []
    for order in (np.arange(60), rng.permutation(60), rng.permutation(60)):
        model = LazyKNeighborsClassifier(3, **options)
        moments = {} if times is None else {"times": times[order]}
        model.fit(X[order], y[order], own[order], **moments)
        model.save(tmp_path / "model")
        digests |= {model.digest(), load(tmp_path / "model").digest()}
        shares.append(model.predict_proba(X).tolist())
    assert len(digests) == 1
    assert shares[0] == shares[1] == shares[2]


def test_rows_that_weigh_each_other_are_not_changed_in_place(tmp_path):
    X, y = make_rows()
    LazyNBClassifier(class_weight="balanced").fit(X, y).save(tmp_path / "model")
    with pytest.raises(BadInputError, match=r"not changed in place.*without mmap_mode"):
        load(tmp_path / "model", mmap_mode="r+")
