"""Law 8: places change nothing. However rows are divided, all is the same."""

import copy
import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sklazy
from discovery import every_keeper, one_keeper_of_each
from lawful import few, fitted, left_out, quiet, says, splits, truth
from sklazy.casebase.parted import PartedBase
from sklazy.neighbors import levels, mixed, nominal, tree

pytestmark = quiet

N_CHUNK = 100


def neighbors(chance, **parameters):
    return sklazy.LazyKNeighborsClassifier(
        chance.choice([1, 3, 5, 40]),
        chance.choice([1, 2, 0.5, 1.0]),
        ties=chance.choice(["share", "all"]),
        weights=chance.choice(["uniform", "distance"]),
        **parameters,
    )


SEARCHERS = [
    lambda chance: neighbors(chance, discretize=True),
    lambda chance: neighbors(chance, discretize=False),
    lambda chance: sklazy.LazyKNeighborsClassifier(
        chance.choice([1, 3, 5]), chance.choice(["auto", "vote"])
    ),
    lambda chance: sklazy.LazyNBClassifier(
        chance.choice([1, 0.5, "auto"]), discretize=chance.choice([True, False])
    ),
    lambda chance: sklazy.LazyLearningRegressor(
        n_neighbors=chance.choice([(2, 5), (3, 8)])
    ),
]


def cut(model, owners, n_parts):
    """The same model, its cases in parts."""
    twin = copy.copy(model)
    twin.cases_ = PartedBase.cut(model.cases_, owners, n_parts)
    return twin


def random_table(rng, n_rows):
    """Numbers and labels with gaps and ties."""
    columns = {}
    for j in range(int(rng.integers(1, 6))):
        if rng.random() < 0.5:
            numbers = np.round(rng.standard_normal(n_rows), int(rng.integers(0, 3)))
            numbers *= rng.choice([1, 1, 1e-3, 1e6])
            columns[f"n{j}"] = np.where(rng.random(n_rows) < 0.1, np.nan, numbers)
        else:
            labels = list("abcdef")[: int(rng.integers(1, 6))]
            cells = rng.choice(labels, n_rows).astype(object)
            cells[rng.random(n_rows) < 0.1] = None
            columns[f"l{j}"] = pd.Series(cells, dtype=object)
    return pd.DataFrame(columns)


def found(model, queries):
    """All that a model says of some queries, bit for bit, and its receipts of two."""
    methods = ("predict", "predict_proba", "select_attributes")
    said = [getattr(model, m)(queries) for m in methods if hasattr(model, m)]
    receipts = [receipt.to_dict() for receipt in model.explain(queries[:2])]
    exact = [s.tobytes() if s.dtype.kind == "f" else s.tolist() for s in said]
    return model.digest(), exact, receipts, model.ids_.tolist()


def check_table(seed):
    """Compare a model of a random table with itself in parts, through changes."""
    rng, chance = np.random.default_rng(seed), random.Random(seed)
    n_rows = int(rng.integers(12, 90))
    frame = random_table(rng, n_rows + 12)
    first, more = frame[:n_rows], frame[n_rows : n_rows + 4]
    queries, model = frame[n_rows + 4 :], SEARCHERS[seed % len(SEARCHERS)](chance)
    y = rng.integers(0, 3, n_rows + 4)
    if isinstance(model, sklazy.LazyLearningRegressor):
        y = rng.standard_normal(n_rows + 4).round(1)
    elif isinstance(model.n_attributes, int):
        model.set_params(n_attributes=min(model.n_attributes, frame.shape[1]))
    weights = (
        rng.choice([0.0, 0.5, 1.0, 2.0, 3.3], n_rows) if rng.random() < 0.4 else None
    )
    one = model.fit(first, y[:n_rows], sample_weight=weights)
    n_parts = int(rng.integers(1, 6))
    other = cut(one, np.sort(rng.integers(0, n_parts, n_rows)), n_parts)
    assert found(one, queries) == found(other, queries)
    gone = rng.choice(n_rows, int(rng.integers(0, n_rows // 2)), replace=False)
    for each in (one, other):
        each.partial_fit(more, y[n_rows:])
        each.forget(gone)
    assert found(one, queries) == found(other, queries)
    assert one.loo_predict([0, 1]).tolist() == other.loo_predict([0, 1]).tolist()


@pytest.mark.parametrize("seed", range(40))
def test_parts_change_no_answer_of_random_tables(seed):
    check_table(seed)


@pytest.fixture
def _as_if_many(monkeypatch):
    """Small jobs go the way of large ones: by kernels, and by trees."""
    searches = mixed.search_mixed, mixed.measure_rows, nominal.match_nominal
    for kernel in (*searches, levels.merge_listed, levels.merge_tallied):
        monkeypatch.setattr(kernel, "is_due", lambda _: True)
    monkeypatch.setattr(tree, "FEWEST_ROWS", 1)
    monkeypatch.setattr(tree, "WORTH_BUILDING", 0)


@pytest.mark.usefixtures("_as_if_many")
@pytest.mark.parametrize("seed", range(40, 70))
def test_parts_change_no_answer_of_random_tables_by_kernels(seed):
    check_table(seed)


@pytest.mark.parametrize("seed", range(6))
def test_ranges_without_a_weighted_case_are_those_of_all_parts(seed):
    """The number of attributes is found by leaving out rows at the edges of parts."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((60, 3)).round(1), rng.integers(0, 3, 60)
    one = sklazy.LazyKNeighborsClassifier(1, "auto")
    one.fit(X, y, sample_weight=rng.choice([0.5, 1.0, 3.3], 60))
    other = cut(one, np.arange(60) // 12, 5)
    assert found(one, X[:9] + 0.05) == found(other, X[:9] + 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["small", "as if many"])
@pytest.mark.parametrize("chunk", range(10_000 // N_CHUNK))
def test_parts_change_no_answer_of_ten_thousand_tables(chunk, way, request):
    if way == "as if many":
        request.getfixturevalue("_as_if_many")
    for seed in range(chunk * N_CHUNK, (chunk + 1) * N_CHUNK):
        check_table(seed)


@pytest.mark.slow
@every_keeper
@few
@given(st.data(), st.randoms(use_true_random=False))
def test_parts_change_no_answer(setting, data, chance):
    cases, queries = data.draw(splits(setting, more=2))
    check_setting(setting, cases, queries, chance)


@one_keeper_of_each
def test_parts_change_no_answer_of_one_of_each(setting):
    X = np.array([[i % 5, i % 3, i % 7] for i in range(16)], float)
    y, queries = (X[:, 0] > 2).astype(int), X[:3] + 0.5
    one = copy.copy(setting.model).fit(X, y)
    other = cut(one, np.arange(16) % 4 // 2 * 2, 4)  # two of the parts are empty
    assert one.digest() == other.digest()
    assert one.predict(queries).tobytes() == other.predict(queries).tobytes()


def check_setting(setting, cases, queries, chance):
    n_parts, n_rows = chance.randint(1, 5), len(cases.rows)
    first = max(setting.min_rows, n_rows - 3)
    one = fitted(setting.model, cases.take(range(first)))
    owners = sorted(chance.choices(range(n_parts), k=first))
    other = cut(one, owners, n_parts)
    assert everything(one, queries) == everything(other, queries)
    rest = cases.take(range(first, n_rows))
    gone = chance.sample(range(n_rows), min(chance.randint(0, 3), n_rows - 2))
    for model in (one, other):
        if len(rest.rows):
            model.partial_fit(rest.frame, truth(model, rest))
        if len(gone) < len(model.ids_) - setting.min_rows:
            model.forget(gone)
    assert everything(one, queries) == everything(other, queries)
    rows = [0, len(one.ids_) - 1]
    assert left_out(one, rows).tobytes() == left_out(other, rows).tobytes()


def everything(model, queries):
    """All that a model says, receipts and digest included."""
    receipts = [receipt.to_dict() for receipt in model.explain(queries.frame)]
    return model.digest(), says(model, queries), receipts, model.ids_.tolist()
