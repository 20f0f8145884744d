"""Weights of members by their record near the query, against plain twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import minimize

import oracle
from sklazy import LazyStackingClassifier
from sklazy.methods.ensembles.competence import project_on_simplex, weigh_members

marks = st.tuples(st.integers(1, 3), st.integers(1, 6), st.integers(1, 5)).flatmap(
    lambda shape: st.tuples(hnp.arrays(bool, shape), hnp.arrays(bool, shape))
)


@settings(deadline=None, max_examples=60)
@given(marks, st.sampled_from(["accuracy", "knora-e", "knora-u"]))
def test_weights_equal_their_slow_twins(pair, how):
    right, lacking = pair
    weights = weigh_members(how, right, lacking)
    for query in range(len(right)):
        slow = oracle.competence(how, right[query].tolist(), lacking[query].tolist())
        assert weights[query].tolist() == pytest.approx(slow)


@settings(deadline=None, max_examples=20)
@given(marks)
def test_stacked_weights_are_the_best_on_the_simplex(pair):
    right, lacking = pair
    weights = weigh_members("stacked", right, lacking)
    assert (weights >= 0).all()
    assert weights.sum(axis=1) == pytest.approx(1.0)
    for query in range(len(right)):
        n = right.shape[2]
        loss = oracle.stacking_loss(right[query].tolist(), lacking[query].tolist())
        best = minimize(
            loss,
            np.full(n, 1 / n),
            bounds=[(0, 1)] * n,
            constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        )
        assert loss(weights[query]) <= loss(best.x) + 1e-4


@given(hnp.arrays(float, (3, 4), elements=st.floats(-5, 5)))
def test_a_projection_is_on_the_simplex_and_nearest(points):
    found = project_on_simplex(points)
    assert (found >= 0).all()
    assert found.sum(axis=1) == pytest.approx(1.0)
    rng = np.random.default_rng(0)
    others = rng.dirichlet(np.ones(4), 50)
    for point, near in zip(points, found, strict=True):
        away = ((others - point) ** 2).sum(axis=1)
        assert ((near - point) ** 2).sum() <= away.min() + 1e-9


@pytest.mark.parametrize("how", ["knora-e", "knora-u", "stacked"])
def test_shares_are_the_weighted_votes(how):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] + rng.normal(0, 0.5, 60) > 0, "b", "a")
    model = LazyStackingClassifier.paper(combine=how, random_state=0).fit(X, y)
    shares, votes = model.predict_proba(X[:6]), model.member_votes(X[:6])
    receipts = model.explain(X[:6], reasons=False)
    for share, vote, receipt in zip(shares, votes, receipts, strict=True):
        weight = np.array([member["weight"] for member in receipt["members"]])
        expected = [weight[vote == label].sum() / weight.sum() for label in "ab"]
        np.testing.assert_allclose(share, expected)
