"""Below the level `values` nothing shows that fewer cases than a group share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attacks
import sklazy
from sklazy.casebase import CaseBase
from sklazy.flow import MISSING
from sklazy.web.bodies import RequestLimits
from sklazy.web.serve import stand_ins
from sklazy.web.serve.answers import Answers
from sklazy.web.serve.common_cells import hide_rare
from sklazy.web.serve.levels import Privacy
from sklazy.web.serve.stand_ins import make_stand_ins
from sklazy.web.serve.store import Store
from sklazy.web.tokens import Role, Tokens

SIZES = range(5, 10)  # of groups, as an attacker knows them


def coded(numbers, codes, classes, targets):
    """Rows with one number, one label and one target each."""
    n = len(classes)
    return stand_ins.CodedRows(
        numbers=np.array([numbers]),
        codes=np.array([codes]),
        classes=np.array(classes),
        targets=np.array([targets]),
        weights=np.ones(n),
        times=np.zeros((0, n)),
        arrival=np.arange(n),
        hashes=np.zeros((0, n), np.uint64),
        ids=np.arange(n),
    )


CELLS = st.tuples(
    st.one_of(st.just(np.nan), st.floats(-1e9, 1e9), st.integers(0, 2).map(float)),
    st.integers(MISSING, 3),
    st.integers(0, 3),
    st.floats(-1e9, 1e9),
)


@given(st.lists(CELLS, min_size=1, max_size=60), st.integers(2, 7))
def test_enough_rows_share_each_label_class_and_extreme(cells, least):
    before = coded(*map(list, zip(*cells, strict=True)))
    after = hide_rare(before, least, has_classes=True)
    for codes in (after.classes, after.codes[0]):
        known = codes[codes != MISSING]
        assert not len(known) or np.unique(known, return_counts=True)[1].min() >= least
    common, counts = np.unique(before.classes, return_counts=True)
    kept = np.isin(before.classes, common[counts >= least])
    assert after.ids.tolist() == np.flatnonzero(kept).tolist()
    figures = (
        (before.numbers[0], after.numbers[0]),
        (before.targets[0], after.targets[0]),
    )
    for old, new in figures:
        old, known = old[kept], new[~np.isnan(new)]
        assert np.isnan(old).tolist() == np.isnan(new).tolist()
        if len(known) >= 2 * least:
            assert (
                min((known == known.max()).sum(), (known == known.min()).sum()) >= least
            )
            inside = (old > known.min()) & (old < known.max())
            assert (old == new)[inside].all()
        elif len(known):
            assert min(
                (known == known.max()).sum(), (known == known.min()).sum()
            ) >= min(least, len(known) // 2)


def test_numbers_have_no_classes_to_be_rare():
    rows = coded([1.0, 2.0, 3.0], [0, 0, 0], [0, 0, 0], [1.0, 2.0, 3.0])
    assert len(hide_rare(rows, 5, has_classes=False)) == 3


def mixed_rows(n=120):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 3)), rng


@pytest.mark.parametrize("estimator", attacks.CLASSIFIERS, ids=lambda e: f"{e!r:.40}")
def test_a_class_of_one_person_is_in_no_answer(estimator):
    X, _ = mixed_rows()
    y = np.where(X[:, 0] > 0, "up", "down").astype(object)
    y[7] = "the illness of one person"
    server = attacks.answers_of(estimator.fit(X, y.astype(str)))
    said = server.predict({"rows": X.tolist()})
    assert said["classes"] == ["down", "up"]
    assert y[7] not in str(server.explain({"rows": X[:20].tolist()}))


def test_declared_classes_are_listed_whoever_has_them():
    pandas = pytest.importorskip("pandas")
    X, _ = mixed_rows()
    y = pandas.Series(np.where(X[:, 0] > 0, "up", "down"))
    y = y.astype(pandas.CategoricalDtype(["down", "never", "up"]))
    model = sklazy.LazyKNeighborsClassifier().fit(X, y)
    expected = list(model.cases_.class_labels)
    said = attacks.answers_of(model).predict({"rows": X[:2].tolist()})
    assert said["classes"] == expected


def recovered(server, X, y):
    """Whose targets are a sum of a whole group's, to a thousandth."""
    predicted = attacks.predict(server, X)[0]
    found = [np.abs(size * predicted - y) < np.abs(y) / 1000 for size in SIZES]
    return np.any(found, axis=0)


def test_a_target_beyond_all_others_is_not_recovered():
    X, rng = mixed_rows()
    y = rng.uniform(0, 1, 120)
    y[7] = 7654321.1
    model = sklazy.LazyKNeighborsRegressor(n_neighbors=1, selection="none").fit(X, y)
    for level in ("none", "aggregate", "ids"):
        predicted = attacks.predict(attacks.answers_of(model, level), X)[0]
        assert predicted.max() < 1


def test_targets_among_zeros_are_not_recovered():
    X, rng = mixed_rows(300)
    y = np.where(rng.random(300) < 0.1, rng.uniform(1e4, 1e5, 300), 0.0)
    model = sklazy.LazyKNeighborsRegressor(n_neighbors=1, selection="none").fit(X, y)
    has = y > 0
    # Where all targets but one of a group are 0, its mean shows that one.
    alone = recovered(attacks.answers_of(model), X[has], y[has]).mean()
    others = recovered(
        attacks.answers_of(model), X[has], rng.permutation(y[has])
    ).mean()
    assert alone <= others + 0.05


def test_each_of_two_targets_is_rounded_in_its_own_unit():
    X, rng = mixed_rows()
    y = np.column_stack([rng.normal(size=120) / 100, rng.normal(size=120) * 1000])
    model = sklazy.LazyLearningRegressor().fit(X, y)
    server = attacks.answers_of(model)
    small, large = np.array(server.predict({"rows": X[:30].tolist()})["predictions"]).T
    assert np.allclose(small % 0.001, 0) or not np.allclose(small, small.round(2))
    assert np.array_equal(large, large.round(-1))
    answers = [
        one["answer"] for one in server.explain({"rows": X[:3].tolist()})["receipts"]
    ]
    assert np.array_equal(np.array(answers), np.column_stack([small, large])[:3])


def test_a_weight_beyond_all_others_is_not_used():
    """One case must not outweigh all others."""
    X, _ = mixed_rows()
    weights = np.ones(120)
    weights[7] = 1e6
    model = sklazy.LazyNBClassifier().fit(X, X[:, 0] > 0, sample_weight=weights)
    assert make_stand_ins(model, 5).model.cases_.weights.tolist() == [1] * 120


def test_weights_fade_once():
    X, _ = mixed_rows()
    model = sklazy.LazyNBClassifier(half_life=40)
    model.fit(X, X[:, 0] > 0, times=np.arange(120.0))
    drawn, weights = make_stand_ins(model, 5), np.empty(120)
    weights[model.cases_.ids] = model.cases_.weights
    clipped = np.clip(weights, np.sort(weights)[4], np.sort(weights)[-5])
    means = np.array([clipped[members].mean() for members in drawn.members])
    cases = drawn.model.cases_
    assert np.allclose(cases.weights, means[drawn.group_of[cases.ids]])
    assert len(drawn.model.predict(X)) == 120


def test_without_the_secret_stand_ins_cannot_be_drawn_again():
    X, _ = mixed_rows()
    model = sklazy.LazyKNeighborsClassifier().fit(X, X[:, 0] > 0)
    tokens = [Tokens({"a" * 20: Role.ASK, c * 20: Role.CHANGE}) for c in "bcb"]
    drawn = [numbers_of(model, one.secret()) for one in tokens]
    assert np.array_equal(drawn[0], drawn[2])
    assert np.mean(np.isin(drawn[0], drawn[1])) < 0.02
    secret = tokens[0].secret()
    assert str(secret) not in repr(Privacy(secret=secret))
    served = [
        Answers(Store(model), Privacy(secret=one.secret()), RequestLimits(rows=200))
        for one in tokens
    ]
    told = [one.predict({"rows": X.tolist()})["probabilities"] for one in served]
    assert told[0] == told[2] != told[1]


def numbers_of(model, secret=b""):
    """The numbers of all stand-ins."""
    cases = make_stand_ins(model, 5, secret=secret).model.cases_
    return cases.cases.numbers[:, : cases.n_rows]


def test_a_cell_beyond_all_others_has_no_island():
    X, _ = mixed_rows()
    X[7] = 1e6
    model = sklazy.LazyKNeighborsClassifier().fit(X, X[:, 0] > 0)
    assert np.abs(numbers_of(model)).max() < 100


def test_the_digest_does_not_give_the_draws(monkeypatch):
    X, _ = mixed_rows()
    model = sklazy.LazyKNeighborsClassifier().fit(X, X[:, 0] > 0)
    drawn = [numbers_of(model) for _ in "ab"]
    assert np.array_equal(*drawn)
    public = model.digest()
    monkeypatch.setattr(CaseBase, "digest", lambda *_: public)
    assert np.mean(np.isin(numbers_of(model), drawn[0])) < 0.02


def test_a_receipt_repeats_a_label_alike_whether_one_case_has_it_or_none():
    X = [[float(i), "red" if i % 2 else "blue"] for i in range(60)]
    y = ["up" if i < 30 else "down" for i in range(60)]
    odd, told = ["NA", " rare ", "n/a"], []
    for label in ("red", *odd):
        X[7][1] = label
        server = attacks.answers_of(sklazy.LazyKNeighborsClassifier().fit(X, y))
        rows = [[1.0, one] for one in odd]
        told.append([r["query"] for r in server.explain({"rows": rows})["receipts"]])
    assert all(one == told[0] for one in told)
