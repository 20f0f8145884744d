"""Searches on a device against those on the CPU, which are tested against the oracle.

The device is emulated: the CUDA sources compiled by g++.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coded import as_cases, coded_tables, draw_selection, make_coded
from emulated import EmulatedDevice, needs_compiler
from sklazy.flow import Columns, Queries
from sklazy.kernels.columns import METRICS, NOMINAL, NUMERIC, NUMERIC_MISSING
from sklazy.measures import rank_values, select_lowest
from sklazy.neighbors import (
    MixedSearch,
    NominalSearch,
    Voting,
    find_nearest,
    finish_votes,
    prepare_columns,
)
from sklazy.neighbors.cuda import lists
from sklazy.neighbors.cuda.mixed import DeviceMixedSearch, put_columns
from sklazy.neighbors.cuda.nearest import find_nearest_on, put_placed
from sklazy.neighbors.cuda.nominal import DeviceNominalSearch
from sklazy.neighbors.cuda.pointing import GivenOnDevice, put_ranks
from sklazy.neighbors.cuda.sets import put_sets

pytestmark = needs_compiler

SEEDS = st.integers(0, 2**32 - 1)
some = settings(max_examples=25)
DEVICE = EmulatedDevice()


# --- labels ---------------------------------------------------------------------------


def check_labels(device, table, selected, k, excluded=None, most_sets=64):
    cases, n_queries = as_cases(table, most_sets), len(table.queries)
    way = {"by_distance": True, "tally": True}
    expected = NominalSearch(cases, table.queries, selected, k, excluded, **way)
    expected.run(0, n_queries)
    pointing = GivenOnDevice(selected)
    asked = put_sets(device, cases), table.queries, pointing, k, excluded
    found = DeviceNominalSearch(*asked, **way)
    middle = n_queries // 2
    found.run(0, middle)  # in two parts
    found.run(middle, n_queries)
    np.testing.assert_array_equal(found.thresholds, expected.thresholds)
    levels = np.arange(expected.tallies.shape[1])
    complete = levels >= expected.thresholds[:, None]
    tallies = np.where(complete[:, :, None], found.tallies, 0)
    np.testing.assert_array_equal(tallies, expected.tallies)
    check_votes(found, expected, k)
    return found


def check_votes(found, expected, k):
    """The same counts and, however cases vote, the same votes."""
    np.testing.assert_array_equal(found.votes, expected.votes)
    np.testing.assert_array_equal(found.tied, expected.tied)
    for shares in (False, True):
        for by_distance in (False, True):
            voting = Voting(k, shares, by_distance)
            finished = [finish_votes(search, voting) for search in (found, expected)]
            np.testing.assert_array_equal(*finished)


@some
@given(coded_tables(), st.integers(1, 200), SEEDS, st.data())
def test_labels_get_the_votes_of_the_cpu(table, k, seed, data):
    table = table._replace(n_classes=4)  # each number of classes is compiled
    rng = np.random.default_rng(seed)
    excluded = None
    if data.draw(st.booleans(), label="exclude rows"):
        excluded = rng.integers(-1, table.n_rows, len(table.queries))
    most_sets = data.draw(st.sampled_from([64, 3, 0]), label="values with bits")
    selected = draw_selection(table, rng)
    check_labels(DEVICE, table, selected, k, excluded, most_sets)


@pytest.mark.parametrize("n_rows", [1, 63, 64, 129, 4097, 20_011])
@pytest.mark.parametrize("k", [1, 30, 6000])
def test_odd_numbers_of_rows(n_rows, k):
    rng = np.random.default_rng(n_rows)
    table = make_coded(rng, n_rows, rng.integers(2, 6, 9), 4, 20, missing=0.1)
    check_labels(DEVICE, table, draw_selection(table, rng), k)


@pytest.mark.parametrize("shared_bytes", [0, 1 << 20])
def test_with_and_without_shared_memory(shared_bytes):
    rng = np.random.default_rng(0)
    table = make_coded(rng, 3000, rng.integers(2, 6, 9), 4, 150, missing=0.1)
    device = EmulatedDevice(most_blocks=1000, shared_bytes=shared_bytes)
    check_labels(device, table, draw_selection(table, rng), 5)


def test_many_classes_and_attributes():
    rng = np.random.default_rng(1)
    table = make_coded(rng, 2500, rng.integers(2, 4, 40), 19, 12, missing=0.1)
    check_labels(DEVICE, table, draw_selection(table, rng), 7)


def test_sorted_rows():
    """The sample that bounds the search is not of the first rows alone."""
    table = make_coded(np.random.default_rng(2), 40_000, [3, 4, 5], 4, 5)
    order = np.lexsort(table.codes)
    table = table._replace(codes=np.ascontiguousarray(table.codes[:, order]))
    check_labels(DEVICE, table, draw_selection(table, np.random.default_rng(0)), 9)


@some
@given(coded_tables(), st.integers(1, 20), SEEDS)
def test_attributes_chosen_by_rank(table, k, seed):
    table, rng = table._replace(n_classes=4), np.random.default_rng(seed)
    scores = rng.integers(0, 3, table.offsets[-1]).astype(float)
    ranks = rank_values(scores, rng.random(table.n_attributes), table.offsets)
    n_most = int(rng.integers(1, table.n_attributes + 1))
    selected = select_lowest(table.queries, ranks, n_most)
    sets = put_sets(DEVICE, as_cases(table))
    chosen = put_ranks(DEVICE, ranks.starts, ranks.ranks, n_most)
    found = DeviceNominalSearch(sets, table.queries, chosen, k, by_distance=True)
    found.run(0, len(table.queries))
    check_votes(found, check_labels(DEVICE, table, selected, k), k)


@some
@given(coded_tables(), st.integers(1, 20), SEEDS)
def test_voters_are_the_rows_that_reach_the_threshold(table, k, seed):
    table, rng = table._replace(n_classes=4), np.random.default_rng(seed)
    selected, cases = draw_selection(table, rng), as_cases(table)
    sets, pointing = put_sets(DEVICE, cases), GivenOnDevice(selected)
    search = DeviceNominalSearch(sets, table.queries, pointing, k)
    search.run(0, len(table.queries))
    seen = 0
    for query, rows, distances in search.voters(0, len(table.queries)):
        used = selected.attributes[query, : selected.counts[query]]
        own = table.queries[query, used]
        agree = (own == table.codes[used].T) & (own >= 0)
        expected = used.size - agree.sum(axis=1)
        np.testing.assert_array_equal(distances, expected[rows])
        least = search.thresholds[query]
        near = np.flatnonzero(used.size - expected >= least)
        assert sorted(rows.tolist()) == near.tolist()
        seen += 1
    assert seen == len(table.queries)


# --- numbers --------------------------------------------------------------------------


def make_mixed(rng, n_rows, n_numeric, n_nominal, n_queries, grid, missing):
    """Numbers on a grid, so that ties abound, of all sizes; then codes."""
    sizes = np.r_[np.ones(n_numeric, int), rng.integers(1, 5, n_nominal)]
    table = make_coded(rng, n_rows, sizes, 3, n_queries, missing)
    cases = as_cases(table)
    scale = 10.0 ** rng.integers(-9, 9, (n_numeric, 1))
    drawn = np.floor(rng.random((n_numeric, n_rows + n_queries)) * grid) / grid
    drawn = drawn * scale + 10.0 ** rng.integers(-3, 9, (n_numeric, 1))
    drawn[rng.random(drawn.shape) < missing] = np.nan
    if rng.random() < 0.3:
        drawn[:1, :n_rows] = 7.0
    numbers = np.zeros((n_numeric, cases.codes.shape[1]))
    numbers[:, :n_rows] = drawn[:, :n_rows]
    values = np.full((n_queries, len(sizes)), np.nan)
    far = rng.choice([1.0, 1.0, 1.0, -7.0, 1e150], (n_queries, 1))
    values[:, :n_numeric] = drawn[:, n_rows:].T * far
    numeric = np.full(len(sizes), -1)
    numeric[:n_numeric] = np.arange(n_numeric)
    lows = np.fmin.reduce(drawn[:, :n_rows], axis=1, initial=np.nan)
    highs = np.fmax.reduce(drawn[:, :n_rows], axis=1, initial=np.nan)
    ranges = np.column_stack([lows, highs])
    cases = cases._replace(numeric=numeric, numbers=numbers, ranges=ranges)
    return table, cases, Queries(table.queries, values)


def check_numbers(device, problem, selected, k, excluded=None):
    _, cases, queries = problem
    columns, n_queries = prepare_columns(cases), len(queries.codes)
    asked = columns, queries, selected, k, excluded
    expected = MixedSearch(cases, *asked, by_distance=True)
    there = put_columns(device, cases, columns)
    found = DeviceMixedSearch(there, *asked[1:], by_distance=True)
    for search in (found, expected):
        search.list_nearest()
        search.run(0, n_queries)
    check_votes(found, expected, k)
    np.testing.assert_array_equal(found.kths, expected.kths)
    np.testing.assert_array_equal(in_order(found.near), in_order(expected.near))


def in_order(near):
    """Pairs of square and class of each query, sorted."""
    return [sorted(map(tuple, own)) for own in near.tolist()]


@some
@given(st.integers(1, 200), st.integers(0, 4), st.integers(1, 3), SEEDS, st.data())
def test_numbers_get_the_votes_of_the_cpu(n_rows, n_numeric, n_nominal, seed, data):
    rng = np.random.default_rng(seed)
    grid = data.draw(st.sampled_from([2, 10, 10**6]), label="grid")
    missing = data.draw(st.sampled_from([0.0, 0.2]), label="missing")
    problem = make_mixed(rng, n_rows, n_numeric, n_nominal, 6, grid, missing)
    k = data.draw(st.sampled_from([1, 3, 20, 300]), label="k")
    excluded = None
    if data.draw(st.booleans(), label="exclude rows"):
        excluded = rng.integers(-1, n_rows, 6)
    check_numbers(DEVICE, problem, draw_selection(problem[0], rng), k, excluded)


@pytest.mark.parametrize("grid", [2, 50, 10**9])
@pytest.mark.parametrize("k", [5, 300])
def test_samples_and_long_lists(grid, k, monkeypatch):
    """Several samples; with few different numbers, lists that must be made again."""
    monkeypatch.setattr(lists, "_FIRST_SAMPLE", 64)
    rng = np.random.default_rng(grid)
    problem = make_mixed(rng, 9000, 3, 1, 8, grid, 0.05)
    check_numbers(DEVICE, problem, draw_selection(problem[0], rng), k)


def test_more_columns_than_shared_memory_holds():
    rng = np.random.default_rng(3)
    problem = make_mixed(rng, 700, 12, 3, 5, 10**6, 0.0)
    selected = draw_selection(problem[0], rng)
    for shared_bytes in (15 * 4 * 4, 100):  # the smallest tile fits, or none does
        device = EmulatedDevice(shared_bytes=shared_bytes)
        check_numbers(device, problem, selected, 4)


# --- the nearest in order -------------------------------------------------------------


def make_placed(rng, n_rows, n_columns, n_queries, metric, grid):
    kinds = rng.choice([NUMERIC, NUMERIC_MISSING, NOMINAL], n_columns)
    values = np.round(rng.standard_normal((n_columns, n_rows + n_queries)) * grid)
    values /= grid / 10.0 ** rng.integers(-6, 6, (n_columns, 1))
    values[kinds == NOMINAL] = rng.integers(0, 4, values.shape)[kinds == NOMINAL]
    gone = rng.random(values.shape) < 0.1
    gone[kinds == NUMERIC, :n_rows] = False
    values[gone] = np.nan
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], n_columns)
    columns = Columns(
        np.ascontiguousarray(values[:, :n_rows]),
        kinds,
        weights,
        rng.choice([1.0, 2.5], n_columns),
        METRICS[metric].code,
    )
    return columns, np.ascontiguousarray(values[:, n_rows:].T)


ON_DEVICE = sorted(metric.name for metric in METRICS.values() if metric.on_device)


@some
@given(st.integers(1, 300), st.integers(1, 5), st.integers(1, 40), SEEDS, st.data())
def test_nearest_rows_are_those_of_the_cpu(n_rows, n_columns, k, seed, data):
    rng = np.random.default_rng(seed)
    metric = data.draw(st.sampled_from(ON_DEVICE), label="metric")
    grid = data.draw(st.sampled_from([1.0, 1e6]), label="grid")
    columns, queries = make_placed(rng, n_rows, n_columns, 6, metric, grid)
    groups = None
    if data.draw(st.booleans(), label="groups"):
        groups = rng.integers(0, 3, n_rows), rng.integers(0, 3, 6)
    expected = find_nearest(columns, queries, k, groups=groups)
    found = find_nearest_on(put_placed(DEVICE, columns), queries, k, groups=groups)
    np.testing.assert_array_equal(found.rows, expected.rows)
    np.testing.assert_array_equal(found.distances, expected.distances)


@pytest.mark.parametrize("grid", [1.0, 1e9])
def test_nearest_of_many_rows(grid, monkeypatch):
    monkeypatch.setattr(lists, "_FIRST_SAMPLE", 64)
    monkeypatch.setattr(lists, "_MOST_BYTES", 1 << 15)  # queries in parts
    rng = np.random.default_rng(4)
    columns, queries = make_placed(rng, 9000, 3, 9, "euclidean", grid)
    expected = find_nearest(columns, queries, 30)
    found = find_nearest_on(put_placed(DEVICE, columns), queries, 30)
    np.testing.assert_array_equal(found.rows, expected.rows)
    np.testing.assert_array_equal(found.distances, expected.distances)


@pytest.mark.parametrize("size", [1e-160, 1e-25, 1e25, 1e45])
def test_nearest_beyond_single_precision(size):
    """Squares that no float32 holds leave all rows to the exact pass."""
    rng = np.random.default_rng(5)
    columns, queries = make_placed(rng, 300, 3, 5, "euclidean", 1e6)
    columns = columns._replace(values=columns.values * size)
    expected = find_nearest(columns, queries * size, 7)
    found = find_nearest_on(put_placed(DEVICE, columns), queries * size, 7)
    np.testing.assert_array_equal(found.rows, expected.rows)
    np.testing.assert_array_equal(found.distances, expected.distances)


def test_an_emulated_device_shows_what_was_not_written():
    assert DEVICE.empty(2, np.uint8).tolist() == [0xA5, 0xA5]
