"""Cases alike: what they add up to, and which neighbors stand for them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklazy import LazyLearningRegressor
from sklazy.flow import LocalCases, Neighbors
from sklazy.methods.local_models.alike import (
    Lookalikes,
    find_shares,
    pool_neighbors,
    summarize,
)

numbers = st.floats(-1e9, 1e9) | st.sampled_from([0.1, 1e16, -1e16])


@given(st.lists(st.tuples(numbers, st.sampled_from([0.1, 1.0, 3.0])), min_size=1))
def test_sums_do_not_depend_on_the_order(pairs):
    table = np.array(pairs)
    one = summarize(table[:, :1], table[:, 1])
    other = summarize(table[::-1, :1], table[::-1, 1])
    assert (one.means, one.spreads) == (other.means, other.spreads)
    mean, largest = np.average(table[:, 0], weights=table[:, 1]), abs(table).max()
    assert one.means[0] == pytest.approx(mean, abs=1e-14 * largest)


def test_the_mean_of_equal_targets_is_exact():
    found = summarize(np.full((3, 1), 0.1), np.array([0.1, 0.7, 0.3]))
    assert (found.means[0], found.spreads[0]) == (0.1, 0.0)


def make_cases(rng):
    """A model of few different rows that lack cells, and five queries of it."""
    frame = pd.DataFrame(
        {"kind": rng.choice(list("ab"), 24), "age": rng.integers(0, 2, 24) * 1.0}
    )
    frame = frame.mask(rng.random(frame.shape) < 0.1)
    model = LazyLearningRegressor(degrees=0).fit(frame, rng.normal(size=24))
    asked = frame.iloc[rng.permutation(24)[:5]].mask(rng.random((5, 2)) < 0.3)
    return frame, model, asked


def plain(frame):
    """Cells as they can be compared."""
    return [tuple(row) for row in frame.astype(object).fillna("?").to_numpy()]


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.booleans())
def test_neighbors_stand_for_all_cases_alike_that_are_seen(seed, hide):
    rng = np.random.default_rng(seed)
    frame, model, asked = make_cases(rng)
    base = model.cases_
    targets = np.ascontiguousarray(base.cases.targets[:, base.order].T)
    cases = LocalCases(np.zeros((24, 0)), targets, np.zeros(0))
    near = np.array([rng.permutation(24)[:10] for _ in range(5)])
    hidden = (np.arange(24) % 7, np.arange(5)) if hide else None
    if hidden is not None:
        near[hidden[0][near] == hidden[1][:, None]] = -1
    pools = pool_neighbors(
        Lookalikes(base, base.order, cases),
        base.encode(model._query_table(asked)),
        Neighbors(near, np.zeros(near.shape)),
        9,
        hidden,
    )
    inputs = [plain(frame)[i] for i in base.arrival[base.order]]
    for q, query in enumerate(plain(asked)):
        known = [j for j in (0, 1) if query[j] != "?"]
        keys = [tuple(row[j] for j in known) for row in inputs]
        seen = [i for i in range(24) if hidden is None or hidden[0][i] != q]
        check_pools(pools, q, near[q, :9].tolist(), keys, seen, targets[:, 0])


def check_pools(pools, q, near, keys, seen, targets):
    for place, own in enumerate(near):
        if own < 0:
            continue
        alike = [i for i in seen if keys[i] == keys[own]]
        chosen = [i for i in near if i >= 0 and keys[i] == keys[own]]
        assert pools.sizes[q, place] == len(alike)
        assert pools.means[q, place, 0] == pytest.approx(targets[alike].mean())
        spread = targets[alike].var()
        assert pools.spreads[q, place, 0] == pytest.approx(spread, abs=1e-12)
        assert near[pools.firsts[q, place]] == chosen[0]
        share = len(chosen) / len(alike)
        assert find_shares(pools)[q, place] == pytest.approx(share)


def test_queries_whose_neighbors_do_not_tie_have_no_pools():
    _, model, asked = make_cases(np.random.default_rng(0))
    base = model.cases_
    cases = LocalCases(np.zeros((24, 0)), np.zeros((24, 1)), np.zeros(0))
    near = Neighbors(np.tile(np.arange(4), (5, 1)), np.tile(np.arange(4.0), (5, 1)))
    queries = base.encode(model._query_table(asked))
    pools = pool_neighbors(Lookalikes(base, base.order, cases), queries, near, 3)
    assert not len(pools.sizes)
