"""Votes and means of neighbors by a tree, against the search through all rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sklazy
from odd_numbers import KINDS, numbers
from sklazy.methods.selection.nearest import AskedColumns
from sklazy.neighbors import means as averaging
from sklazy.neighbors import mixed, nearest


@pytest.fixture(scope="module", autouse=True)
def _at_once():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest, "FEWEST_ROWS", 1)
        patch.setattr(nearest, "WORTH_BUILDING", 0)
        patch.setattr(mixed.search_mixed, "is_due", lambda _: True)
        patch.setattr(averaging.mean_of_nearest, "is_due", lambda _: True)
        yield


def both_ways(model, X, y, ask):
    """What is answered with a tree, and what without; and whether there was one."""
    answers = []
    for most in (6, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(nearest, "MOST_COLUMNS", most)
            answers.append(ask(model.fit(X, y)))
    return answers


def has_tree(model):
    with model.cases_.snapshot() as cases:
        found = [v for v in cases._derived.values() if hasattr(v, "_boxes")]
        kept = [v for v in cases._derived.values() if isinstance(v, AskedColumns)]
        found += [v.ready[1] for v in kept]
        found += [v.boxed for v in cases._derived.values() if hasattr(v, "boxed")]
        return any(own is not None and own._boxes._tree for own in found)


CHOICES = [(ties, w) for ties in ("share", "all") for w in ("uniform", "distance")]


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(KINDS),
    st.integers(1, 4),
    st.sampled_from(CHOICES),
    st.integers(0, 9999),
)
def test_votes_are_those_of_all_rows(kind, d, choice, seed):
    rng = np.random.default_rng(seed)
    X = numbers(rng, kind, (int(rng.integers(60, 300)), d))
    queries = np.concatenate([X[:6], numbers(rng, kind, (6, d))])
    if seed % 3 == 0:
        queries[-1, 0] = np.nan
    k = int(rng.integers(1, 1 + len(X) // 20))
    way = {"ties": choice[0], "weights": choice[1], "selection": "none"}
    model = sklazy.LazyKNeighborsClassifier(k, discretize=False, **way)

    def ask(model):
        said = model.predict_proba(queries), model.loo_predict_proba()
        return [own.tobytes() for own in said]

    by_tree, plain = both_ways(model, X, rng.integers(0, 3, len(X)), ask)
    assert by_tree == plain


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(KINDS),
    st.integers(1, 4),
    st.sampled_from(CHOICES),
    st.integers(0, 9999),
)
def test_means_are_those_of_all_rows(kind, d, choice, seed):
    rng = np.random.default_rng(seed)
    X = numbers(rng, kind, (int(rng.integers(60, 300)), d))
    queries = np.concatenate([X[:6], numbers(rng, kind, (6, d))])
    k = int(rng.integers(1, 1 + len(X) // 20))
    way = {"ties": choice[0], "weights": choice[1], "selection": "none"}
    model = sklazy.LazyKNeighborsRegressor(k, discretize=False, **way)

    def ask(model):
        said = model.predict(queries), model.loo_predict()
        return [own.tobytes() for own in said]

    by_tree, plain = both_ways(model, X, rng.standard_normal(len(X)).round(1), ask)
    assert by_tree == plain


@pytest.mark.parametrize("kind", ["Classifier", "Regressor"])
def test_a_tree_is_asked_and_made_anew_for_rows_that_come(kind):
    rng = np.random.default_rng(0)
    X, queries = rng.standard_normal((400, 2)), rng.standard_normal((50, 2))
    y = (X[:, 0] > 0).astype(int)
    make = getattr(sklazy, f"LazyKNeighbors{kind}")
    model, other = (make(3, selection="none", discretize=False) for _ in range(2))
    model.fit(X, y).predict(queries)
    assert has_tree(model)
    model.partial_fit(queries[:9], y[:9]).forget([0, 5])
    both, targets = np.r_[X, queries[:9]], np.r_[y, y[:9]]
    kept = np.delete(np.arange(409), [0, 5])
    other.fit(both[kept], targets[kept])
    assert model.predict(queries).tobytes() == other.predict(queries).tobytes()
    assert has_tree(model)


def test_queries_that_use_some_attributes_are_searched_among_all_rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 3))
    y = (X[:, 0] > 0).astype(int)
    model = sklazy.LazyKNeighborsClassifier(3, 1, discretize=False).fit(X, y)
    model.predict(X[:40])
    assert not has_tree(model)
