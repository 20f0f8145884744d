"""Law 8: places change nothing. However rows are divided, all is the same."""

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sklazy
from discovery import every_keeper, one_keeper_of_each
from lawful import few, fitted, left_out, quiet, says, splits, truth
from places import cut, in_parts
from same_answers import check_table, found
from sklazy.neighbors import levels, mixed, nearest, nominal

pytestmark = quiet

N_CHUNK = 100


@pytest.mark.parametrize("seed", range(40))
def test_parts_change_no_answer_of_random_tables(seed):
    check_table(seed, in_parts)


@pytest.fixture
def _as_if_many(monkeypatch):
    """Small jobs go the way of large ones: by kernels, and by trees."""
    searches = mixed.search_mixed, nominal.match_nominal
    for kernel in (*searches, levels.merge_listed, levels.merge_tallied):
        monkeypatch.setattr(kernel, "is_due", lambda _: True)
    monkeypatch.setattr(nearest, "FEWEST_ROWS", 1)
    monkeypatch.setattr(nearest, "WORTH_BUILDING", 0)


@pytest.mark.usefixtures("_as_if_many")
@pytest.mark.parametrize("seed", range(40, 70))
def test_parts_change_no_answer_of_random_tables_by_kernels(seed):
    check_table(seed, in_parts)


@pytest.mark.parametrize("seed", range(6))
def test_ranges_without_a_weighted_case_are_those_of_all_parts(seed):
    """The number of attributes is found by leaving out rows at the edges of parts."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((60, 3)).round(1), rng.integers(0, 3, 60)
    one = sklazy.LazyKNeighborsClassifier(1, "auto")
    one.fit(X, y, sample_weight=rng.choice([0.5, 1.0, 3.3], 60))
    other = cut(one, np.arange(60) // 12, 5)
    assert found(one, X[:9] + 0.05) == found(other, X[:9] + 0.05)


@pytest.mark.parametrize("ids", [range(8, 0, -1), list("hgfedcba")])
def test_equal_rows_that_fade_differ_by_arrival_whatever_their_ids(ids):
    X, y = np.zeros((8, 1)), [1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 3.0]
    one = sklazy.LazyLearningRegressor(degrees=0, n_neighbors=6, half_life=2.0)
    one.fit(X, y, ids=list(ids))
    other = cut(one, [0, 0, 0, 1, 1, 1, 1, 1], 2)
    assert found(one, X[:1]) == found(other, X[:1])


@pytest.mark.slow
@pytest.mark.parametrize("way", ["small", "as if many"])
@pytest.mark.parametrize("chunk", range(10_000 // N_CHUNK))
def test_parts_change_no_answer_of_ten_thousand_tables(chunk, way, request):
    if way == "as if many":
        request.getfixturevalue("_as_if_many")
    for seed in range(chunk * N_CHUNK, (chunk + 1) * N_CHUNK):
        check_table(seed, in_parts)


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
