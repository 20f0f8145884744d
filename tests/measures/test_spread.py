"""Spreads of numbers, and cuts by them, equal those of the slow twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import number_selection as slow
from sklazy.casebase.cuts import NumberBins, column_number_cuts
from sklazy.measures.spread import score_spreads, score_targets, sum_spreads

TARGETS = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-1e308, 1e308),
    st.sampled_from([5e-324, -5e-324, 1e-300, 1e300, 0.1, 0.2, 0.3]),
)
MEASURES = ["rank_variance", "variance"]


@given(st.lists(TARGETS, min_size=1, max_size=20), st.sampled_from(MEASURES))
def test_targets_count_what_the_twin_says(targets, measure):
    found = score_targets(np.array(targets), measure)
    assert found.tolist() == slow.scores_of(targets, measure)


@given(cells=st.lists(st.tuples(st.integers(-1, 3), TARGETS), min_size=1, max_size=15))
@pytest.mark.parametrize("discounts", [False, True])
@pytest.mark.parametrize("measure", MEASURES)
def test_figures_are_those_of_the_twin(cells, measure, discounts):
    codes, targets = zip(*cells, strict=True)
    twin = slow.LazyNumbers(
        [[None if c < 0 else str(c)] for c in codes],
        ["nominal"],
        list(targets),
        {"measure": measure, "discount_rare_values": discounts},
    )
    rows = list(range(len(cells)))
    scores = score_targets(np.array(targets), measure)
    table = sum_spreads(np.array([codes], np.int32), np.array([0, 4]), scores)
    found = score_spreads(table, discounts=discounts)
    for value in range(4):
        lazy, whole = twin.figures(0, twin.code(0, str(value)), rows)
        assert found.lazy[value] == pytest.approx(lazy, abs=2e-12)
        assert found.attributes[0] == pytest.approx(whole, abs=2e-12)


@given(st.lists(st.tuples(st.integers(0, 2), TARGETS), min_size=2, max_size=9))
def test_a_row_left_out_was_never_counted(cells):
    codes, targets = (np.array(part) for part in zip(*cells, strict=True))
    scores, offsets = score_targets(targets, "rank_variance"), np.array([0, 3])
    table = sum_spreads(codes[None].astype(np.int32), offsets, scores)
    left = sum_spreads(codes[None, 1:].astype(np.int32), offsets, scores[1:])
    found = table.without(codes[:1], int(scores[0]))
    for one, other in zip(found, left, strict=True):
        assert np.array_equal(one, other)


COLUMNS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0, 1e308]), TARGETS), max_size=25
)


@settings(max_examples=200)
@given(COLUMNS)
def test_cuts_are_those_of_the_twin(cells):
    values = [value for value, _ in cells]
    ranks = slow.midranks([target for _, target in cells])
    found = column_number_cuts(np.array(values), np.array(ranks, np.int64))
    assert found.tolist() == slow.cut_points(values, ranks)


@given(st.integers(0, 10**6), st.integers(5, 60))
def test_cuts_of_steps_are_those_of_the_twin(seed, n_rows):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 12, n_rows) / 4
    targets = np.floor(values) + rng.normal(scale=rng.choice([0.0, 0.3]), size=n_rows)
    ranks = slow.midranks(targets.tolist())
    found = column_number_cuts(values, np.array(ranks, np.int64))
    assert found.tolist() == slow.cut_points(values.tolist(), ranks)


@pytest.mark.parametrize("by_kernel", [True, False])
def test_bins_count_the_cuts_below(by_kernel, monkeypatch):
    path = "sklazy.casebase.cuts.code_bins.is_due"
    monkeypatch.setattr(path, lambda seconds: by_kernel)
    bins = NumberBins.of(np.array([0, 2]), [np.array([0.0, 1.0]), np.zeros(0)])
    values = np.array([[0.0, 5.0, 9.0], [np.nan, 5.0, np.nan], [2.0, np.nan, -1.0]])
    codes = np.full((3, 3), 7, np.int32)
    bins.code(values, codes)
    assert codes.tolist() == [[0, 7, 0], [-1, 7, -1], [2, 7, 0]]


NOISE = {
    "normal": lambda rng, n: rng.normal(size=n),
    "cauchy": lambda rng, n: rng.standard_cauchy(n),
    "log-normal": lambda rng, n: np.exp(3 * rng.normal(size=n)),
    "binary": lambda rng, n: rng.integers(0, 2, n) * 1.0,
    "mostly zero": lambda rng, n: np.where(rng.random(n) < 0.7, 0.0, rng.random(n)),
}


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("n_rows", [12, 100, 1000])
def test_columns_of_noise_are_not_cut(noise, n_rows):
    """In no more than 5 % of the columns, whatever the target's tails."""
    rng, n_cut, n_tried = np.random.default_rng(n_rows), 0, 300
    for _ in range(n_tried):
        targets = NOISE[noise](rng, n_rows)
        ranks = score_targets(targets, "rank_variance")
        n_cut += len(column_number_cuts(rng.normal(size=n_rows), ranks)) > 0
    assert n_cut / n_tried <= 0.05


@pytest.mark.parametrize("heavy", [False, True])
def test_a_step_is_cut_where_it_is(heavy):
    rng, found = np.random.default_rng(0), []
    for _ in range(100):
        values = rng.uniform(size=120)
        noise = rng.standard_cauchy(120) if heavy else rng.normal(size=120)
        ranks = score_targets(4.0 * (values > 0.4) + noise, "rank_variance")
        found.append(column_number_cuts(values, ranks))
    assert sum(len(cuts) >= 1 for cuts in found) == 100
    nearest = [np.abs(cuts - 0.4).min() for cuts in found]
    assert np.median(nearest) < 0.02


def test_a_slope_has_no_more_bins_than_its_rows_can_pay_for():
    values = np.linspace(0, 1, 1000)
    ranks = score_targets(values, "rank_variance")
    assert 8 <= len(column_number_cuts(values, ranks)) + 1 <= 32
