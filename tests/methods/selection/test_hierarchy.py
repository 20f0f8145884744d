"""Lazy selection in a hierarchy of attributes, beside its slow twin."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
import sklazy
from sklazy import (
    LazyKNeighborsClassifier,
    LazyNBClassifier,
    LazySelectionClassifier,
    Receipt,
)
from sklazy.errors import BadInputError
from sklazy.measures import find_ancestors, find_redundant

HIERARCHY = {"dog": ["mammal"], "cat": ["mammal"], "mammal": "animal"}
MODELS = {
    "bins": LazyNBClassifier(selection="lazy-hip", hierarchy=HIERARCHY),
    "numbers": LazyNBClassifier(
        selection="lazy-hip", hierarchy=HIERARCHY, discretize=False
    ),
    "3-NN": LazyKNeighborsClassifier(3, selection="lazy-hip", hierarchy=HIERARCHY),
}


def animals(n=60, seed=0):
    rng = np.random.default_rng(seed)
    dog = rng.random(n) < 0.3
    cat = (rng.random(n) < 0.3) & ~dog
    mammal = dog | cat | (rng.random(n) < 0.2)
    animal = mammal | (rng.random(n) < 0.3)
    X = pd.DataFrame({"animal": animal, "mammal": mammal, "dog": dog, "cat": cat})
    X["size"] = rng.normal(size=n).round(1)
    return X, np.where(dog | (X["size"] > 0.8), "a", "b")


@st.composite
def graphs(draw):
    """Parents of at most eight attributes without a cycle, and states of queries."""
    n = draw(st.integers(1, 8))
    parents = {
        child: draw(st.lists(st.integers(0, child - 1), unique=True, max_size=3))
        for child in range(1, n)
    }
    cells = st.lists(st.sampled_from([1, 0, None]), min_size=n, max_size=n)
    return parents, draw(st.lists(cells, min_size=1, max_size=5))


@settings(max_examples=100)
@given(graphs())
def test_what_is_implied_is_that_of_the_twin(problem):
    parents, rows = problem
    ancestors = find_ancestors(parents, range(len(rows[0])))
    states = np.array([[-1 if x is None else x for x in row] for row in rows], np.int8)
    redundant = find_redundant(states, ancestors)
    for row, mask in zip(rows, redundant, strict=True):
        assert np.flatnonzero(~mask).tolist() == oracle.not_implied(row, parents)


@settings(max_examples=25)
@given(graphs(), st.integers(0, 99))
def test_answers_are_those_of_the_host_on_the_columns_kept(problem, seed):
    parents, rows = problem
    rng = np.random.default_rng(seed)
    n = len(rows[0])
    X, y = rng.integers(0, 2, size=(25, n)).astype(float), rng.integers(0, 3, 25)
    X[rng.random(X.shape) < 0.1] = np.nan
    queries = np.array(
        [[np.nan if x is None else x for x in row] for row in rows], float
    )
    model = LazyNBClassifier(selection="lazy-hip", hierarchy={0: [], **parents})
    model.fit(X, y)
    shares, mask = model.predict_proba(queries), model.select_attributes(queries)
    for query, row, used, answer in zip(queries, rows, mask, shares, strict=True):
        kept = oracle.not_implied(row, parents)
        assert np.flatnonzero(used).tolist() == kept
        host = LazyNBClassifier(selection="none").fit(X[:, kept], y)
        expected = host.predict_proba(query[None, kept])[0]
        assert answer == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_the_laws_hold(name, tmp_path):
    X, y = animals()
    model = MODELS[name].fit(X, y)
    asked, more = X[:20], animals(9, seed=1)
    answers, digest = model.predict_proba(asked), model.digest()
    order = np.random.default_rng(1).permutation(len(X))
    other = type(model)(**model.get_params()).fit(X.iloc[order], y[order])
    assert np.array_equal(other.predict_proba(asked), answers)
    single = [model.predict_proba(asked[i : i + 1])[0] for i in range(20)]
    assert np.array_equal(single, answers)
    model.partial_fit(*more, ids=range(100, 109))
    model.forget(range(100, 109))
    assert model.digest() == digest
    assert np.array_equal(model.predict_proba(asked), answers)
    left_out = model.loo_predict_proba(rows=[3, 7])
    for row, shares in zip((3, 7), left_out, strict=True):
        without = type(model)(**model.get_params())
        without.fit(X.drop(index=row), np.delete(y, row))
        expected = without.predict_proba(X[row : row + 1])[0]
        assert shares == pytest.approx(expected, abs=1e-12)
    model.save(tmp_path / "model")
    loaded = sklazy.load(tmp_path / "model")
    assert np.array_equal(loaded.predict_proba(asked), answers)
    (receipt,) = model.explain(asked[:1])
    assert model.verify(Receipt.from_json(receipt.to_json()))
    assert "not implied by" in " ".join(str(receipt).split())


def test_words_and_numbers_mean_present_and_absent():
    X, y = animals()
    mask = LazyNBClassifier(selection="lazy-hip", hierarchy=HIERARCHY).fit(X, y)
    mask = mask.select_attributes(X)
    words = X.copy()
    for name in ("animal", "mammal", "dog", "cat"):
        words[name] = np.where(X[name], "Yes", "No")
    model = LazyNBClassifier(selection="lazy-hip", hierarchy=HIERARCHY).fit(words, y)
    assert np.array_equal(model.select_attributes(words), mask)
    by_place, numbers = {2: [1], 3: 1, 1: [0]}, X.to_numpy(float)
    model = LazyNBClassifier(selection="lazy-hip", hierarchy=by_place).fit(numbers, y)
    assert np.array_equal(model.select_attributes(numbers), mask)


@pytest.mark.parametrize(
    ("hierarchy", "words"),
    [
        (None, "needs a hierarchy"),
        ({}, "needs a hierarchy"),
        (5, "expected a mapping"),
        ({"dog": ["mamal"]}, "'mamal', which is not a column"),
        ({"dog": ["cat"], "cat": ["dog"]}, "is an ancestor of itself"),
        ({"name": ["animal"]}, "'name' with the label 'rex'"),
    ],
)
def test_a_hierarchy_that_does_not_fit(hierarchy, words):
    X, y = animals(8)
    X["name"] = "rex"
    with pytest.raises(BadInputError, match=words):
        LazyNBClassifier(selection="lazy-hip", hierarchy=hierarchy).fit(X, y)


def test_any_model_has_no_hierarchy():
    with pytest.raises(BadInputError, match="LazyNBClassifier or"):
        LazySelectionClassifier(selection="lazy-hip").fit(*animals(20))
