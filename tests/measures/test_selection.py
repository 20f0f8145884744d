"""The attributes of each query, against sorting them one query at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from coded import coded_tables, make_coded
from sklazy import measures
from sklazy.flow import Selected
from sklazy.measures import choose


def draw_scores(table, seed, levels):
    """Scores on a coarse grid, so that ties abound."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, levels, table.offsets[-1]) / levels
    attributes = rng.integers(0, levels, table.n_attributes) / levels
    return values, attributes


@pytest.fixture(params=["kernel", "sorting"])
def path(request, monkeypatch):
    usable = request.param == "kernel"
    monkeypatch.setattr(choose.select_by_rank, "is_due", lambda _: usable)
    return request.param


@pytest.mark.usefixtures("path")
class TestSelect:
    @given(coded_tables(), st.integers(0, 2**32 - 1), st.sampled_from([1, 3, 1000]))
    def test_equals_the_plain_sort(self, table, seed, levels):
        scores = draw_scores(table, seed, levels)
        ranks = measures.rank_values(*scores, table.offsets)
        for n_selected in range(1, table.n_attributes + 1):
            selected = measures.select_lowest(table.queries, ranks, n_selected)
            for query, chosen in zip(table.queries, selected.attributes, strict=True):
                expected = oracle.select(query, *scores, table.offsets, n_selected)
                assert chosen.tolist() == expected
            assert (selected.counts == n_selected).all()

    @given(coded_tables(), st.integers(0, 2**32 - 1))
    def test_eager_ranks_ignore_the_query(self, table, seed):
        _, scores = draw_scores(table, seed, 3)
        ranks = measures.rank_attributes(scores, table.offsets)
        expected = sorted(range(table.n_attributes), key=lambda j: (scores[j], j))
        for chosen in measures.select_lowest(
            table.queries, ranks, table.n_attributes
        ).attributes:
            assert chosen.tolist() == expected

    @given(coded_tables())
    def test_no_selection_keeps_the_column_order(self, table):
        ranks = measures.rank_columns(table.offsets)
        selected = measures.select_lowest(table.queries, ranks, table.n_attributes)
        assert (selected.attributes == np.arange(table.n_attributes)).all()


def test_both_paths_agree_on_a_large_batch(monkeypatch):
    table = make_coded(
        np.random.default_rng(0), 10, np.full(200, 7), 3, 700, missing=0.2
    )
    ranks = measures.rank_values(*draw_scores(table, 1, 50), table.offsets)
    by_kernel = measures.select_lowest(table.queries, ranks, 60)
    monkeypatch.setattr(choose.select_by_rank, "is_due", lambda _: False)
    by_sorting = measures.select_lowest(table.queries, ranks, 60)
    assert np.array_equal(by_kernel.attributes, by_sorting.attributes)


def test_mask_marks_only_what_is_in_use():
    selected = Selected(
        np.array([[2, 0, -1], [1, -1, -1]], np.int32), np.array([2, 1], np.int32)
    )
    mask = measures.to_mask(selected, 4)
    assert mask.tolist() == [[True, False, True, False], [False, True, False, False]]
