"""HEOM neighbors on numbers, categories and missing cells, against plain loops."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from coded import as_cases, draw_selection, make_coded
from sklazy import neighbors
from sklazy.flow import Narrow, Queries, Selected
from sklazy.neighbors import mixed
from voted import check_votes


@pytest.fixture(params=["kernel", "numpy"], autouse=True, scope="module")
def way(request):
    """Both ways to answer; small jobs do not wait for the compiler."""
    names = ("search_mixed", "vote_nested_mixed")
    by_kernel = request.param == "kernel"
    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            patch.setattr(getattr(mixed, name), "is_due", lambda _: by_kernel)
        yield


def make_mixed(
    rng, n_rows, n_numeric, n_nominal, n_queries, missing, grid, n_classes=3
):
    """A table whose first columns are numbers: on a coarse grid, so that ties abound.

    Returns the coded table, the case base and the queries.
    """
    sizes = np.r_[np.ones(n_numeric, int), rng.integers(1, 5, n_nominal)]
    table = make_coded(rng, n_rows, sizes, n_classes, n_queries, missing)
    cases = as_cases(table)
    scale = 10.0 ** rng.integers(-3, 9, (n_numeric, 1))
    shift = 10.0 ** rng.integers(-3, 9, (n_numeric, 1))
    numbers = np.zeros((n_numeric, cases.codes.shape[1]))
    drawn = rng.random((n_numeric, n_rows + n_queries))
    drawn = np.floor(drawn * grid) / grid * scale + shift
    drawn[rng.random(drawn.shape) < missing] = np.nan
    if n_numeric and rng.random() < 0.3:
        drawn[0, :n_rows] = shift[0]
    numbers[:, :n_rows] = drawn[:, :n_rows]
    values = np.full((n_queries, len(sizes)), np.nan)
    values[:, :n_numeric] = (
        drawn[:, n_rows:].T * rng.choice([1, 1, 1, -7], n_queries)[:, None]
    )
    numeric = np.full(len(sizes), -1)
    numeric[:n_numeric] = np.arange(n_numeric)
    live = numbers[:, :n_rows]
    lows = np.fmin.reduce(live, axis=1, initial=np.nan)
    highs = np.fmax.reduce(live, axis=1, initial=np.nan)
    cases = cases._replace(
        numeric=numeric, numbers=numbers, ranges=np.column_stack([lows, highs])
    )
    return table, cases, Queries(table.queries, values)


def check(table, cases, search, queries):
    n_numeric = cases.numbers.shape[0]
    columns = [*cases.numbers[:, : table.n_rows].tolist()]
    columns += [None] * (table.n_attributes - n_numeric)
    for query in queries:
        used = search.selected.attributes[query, : search.selected.counts[query]]
        distances = oracle.heom_squares(
            columns,
            table.codes,
            search.queries.values[query],
            search.queries.codes[query],
            used,
            search.excluded[query],
        )
        rows = oracle.nearest_with_ties(
            distances, search.n_neighbors, search.excluded[query]
        )
        expected = oracle.count_classes(rows, table.classes, table.n_classes)
        assert search.votes[query].tolist() == expected
        if search.weighted is not None:
            check_votes(search, query, distances, table.classes, table.n_classes)
        measured = search.measure(np.array([query]))[0]
        assert measured[rows].tolist() == [distances[row] for row in rows]
        others = np.delete(measured, rows)
        assert others.min(initial=math.inf) > max(measured[rows], default=-1.0)


@given(
    st.integers(1, 60),
    st.integers(0, 12),
    st.integers(0, 4),
    st.sampled_from([0.0, 0.2, 0.9]),
    st.sampled_from([2, 5, 10**6]),
    st.integers(1, 70),
    st.booleans(),
    st.integers(0, 2**32 - 1),
    st.data(),
)
def test_votes_are_those_of_all_rows_tied_with_the_kth(
    n_rows, n_numeric, n_nominal, missing, grid, k, exclude, seed, data
):
    rng = np.random.default_rng(seed)
    n_nominal = max(n_nominal, 1 - n_numeric)
    table, cases, queries = make_mixed(
        rng, n_rows, n_numeric, n_nominal, 4, missing, grid
    )
    excluded = rng.integers(-1, n_rows, 4) if exclude else None
    search = neighbors.MixedSearch(
        cases,
        neighbors.prepare_columns(cases),
        queries,
        draw_selection(table, rng),
        k,
        excluded,
        by_distance=data.draw(st.booleans(), label="by distance"),
    )
    search.run(0, 4)
    check(table, cases, search, range(4))


@given(
    st.integers(1, 40),
    st.integers(1, 5),
    st.integers(0, 2),
    st.sampled_from([2, 10**6]),
    st.integers(1, 50),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_votes_with_one_attribute_two_and_so_on(
    n_rows, n_numeric, n_nominal, grid, k, exclude, seed
):
    rng = np.random.default_rng(seed)
    table, cases, queries = make_mixed(rng, n_rows, n_numeric, n_nominal, 3, 0.1, grid)
    order = [rng.permutation(table.n_attributes) for _ in range(3)]
    order, columns = np.array(order, np.int32), neighbors.prepare_columns(cases)
    excluded = rng.integers(-1, n_rows, 3) if exclude else None
    ks, whole = [k, 1, k + 5], np.full(3, table.n_attributes, np.int32)
    for shares, by_distance in itertools.product((True, False), repeat=2):
        way = {"by_distance": by_distance}
        given = cases, columns, queries
        every = neighbors.MixedSearch(
            *given, Selected(order, whole), k, excluded, **way
        )
        found = every.vote_with_each(order, np.array(ks), shares=shares)
        for (i, own), r in itertools.product(enumerate(ks), range(table.n_attributes)):
            selected = Selected(
                np.ascontiguousarray(order[:, : r + 1]), np.full(3, r + 1, np.int32)
            )
            search = neighbors.MixedSearch(*given, selected, own, excluded, **way)
            search.run(0, 3)
            voting = neighbors.Voting(own, shares, by_distance)
            finished = neighbors.finish_votes(search, voting)
            assert np.array_equal(found[i, :, r], finished)


@pytest.mark.parametrize(
    ("n_rows", "n_numeric", "grid", "k"),
    [
        (3000, 9, 10**9, 5),
        (3000, 9, 10**9, 300),  # every row is measured exactly
        (5000, 2, 3, 5),  # far more ties than are kept
        (1100, 300, 10**9, 5),  # columns in tiles
        (1100, 300, 2, 1),
    ],
)
def test_many_rows_and_columns(n_rows, n_numeric, grid, k):
    rng = np.random.default_rng(n_rows + n_numeric)
    table, cases, queries = make_mixed(rng, n_rows, n_numeric, 2, 3, 0.001, grid)
    selected = draw_selection(table, rng)
    search = neighbors.MixedSearch(
        cases, neighbors.prepare_columns(cases), queries, selected, k
    )
    search.run(0, 3)
    distances = search.measure(np.arange(3))
    for query in range(3):
        threshold = np.sort(distances[query])[k - 1]
        near = distances[query] <= threshold
        votes = np.bincount(table.classes[near], minlength=table.n_classes)
        assert search.votes[query].tolist() == votes.tolist()
    check(table, cases, search, [0] if n_rows * n_numeric < 30_000 else [])


def test_rows_that_differ_in_the_last_bit_of_a_double_do_not_tie():
    rng = np.random.default_rng(0)
    table, cases, queries = make_mixed(rng, 50, 1, 1, 1, 0.0, 10**6)
    live = np.full(50, 1.0)
    live[:2] = 0.0, 2.0
    live[2] = np.nextafter(1.0, 2.0)
    cases.numbers[0, :50] = live
    cases = cases._replace(ranges=np.array([[0.0, 2.0]]))
    queries.values[0, 0] = np.nextafter(1.0, 2.0)
    selected = draw_selection(table, rng)._replace(counts=np.ones(1, np.int32))
    selected = selected._replace(attributes=np.zeros((1, 1), np.int32))
    search = neighbors.MixedSearch(
        cases, neighbors.prepare_columns(cases), queries, selected, 1
    )
    search.run(0, 1)
    assert search.measure(np.zeros(1, int)).argmin() == 2
    assert search.votes.sum() == 1


@given(st.integers(2, 200), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_neither_batches_nor_the_order_of_rows_matter(n_rows, n_numeric, seed):
    rng = np.random.default_rng(seed)
    table, cases, queries = make_mixed(rng, n_rows, n_numeric, 2, 5, 0.1, 4)
    selected = draw_selection(table, rng)
    columns = neighbors.prepare_columns(cases)
    whole = neighbors.MixedSearch(cases, columns, queries, selected, 3)
    whole.run(0, 5)
    order = rng.permutation(n_rows)
    shuffled = cases._replace(
        codes=Narrow(np.ascontiguousarray(cases.codes[:, order])),
        numbers=np.ascontiguousarray(cases.numbers[:, order]),
        classes=Narrow(cases.classes[order]),
    )
    parts = neighbors.MixedSearch(
        shuffled, neighbors.prepare_columns(shuffled), queries, selected, 3
    )
    for query in reversed(range(5)):
        parts.run(query, query + 1)
    assert np.array_equal(whole.votes, parts.votes)


@given(
    st.integers(1, 200),
    st.integers(0, 20),
    st.integers(1, 6),
    st.sampled_from([2, 5, 10**6]),
    st.integers(1, 12),
    st.integers(0, 2**32 - 1),
)
def test_rows_elsewhere_are_listed_with_those_here(
    n_rows, n_more, n_numeric, grid, k, seed
):
    rng = np.random.default_rng(seed)
    table, cases, queries = make_mixed(rng, n_rows, n_numeric, 1, 5, 0.1, grid)
    selected = draw_selection(table, rng)
    columns = neighbors.prepare_columns(cases)
    search = neighbors.MixedSearch(cases, columns, queries, selected, k)
    measured = search.measure(np.arange(5))
    squares = rng.choice(measured.ravel(), (5, n_more)) * rng.choice([1, 1, 0.5, 2])
    classes = rng.integers(table.n_classes, size=(5, n_more))
    if n_more:
        search.list_nearest(list_plainly(squares, classes, k, table.n_classes))
    else:
        search.list_nearest()
    search.run(0, 5)
    here = np.tile(table.classes[:n_rows], (5, 1))
    both = np.hstack([measured, squares]), np.hstack([here, classes])
    expected = list_plainly(*both, k, table.n_classes)
    order = np.lexsort(search.near.transpose(2, 0, 1)[::-1], axis=1)
    near = np.take_along_axis(search.near, order[:, :, None], axis=1)
    assert near.tolist() == expected.near.tolist()
    assert search.kths.tolist() == expected.kths.tolist()
    assert search.tied.tolist() == expected.tied.tolist()


def list_plainly(squares, classes, k, n_classes):
    """The rows nearer than the k-th, and those as far, from all distances."""
    n_queries, n_rows = squares.shape
    near = np.full((n_queries, min(k, n_rows), 2), neighbors.NOBODY)
    kths, tied = np.full(n_queries, np.inf), np.zeros((n_queries, n_classes), int)
    for query in range(n_queries):
        if k <= n_rows:
            kths[query] = np.sort(squares[query])[k - 1]
        rows = sorted(zip(squares[query], classes[query], strict=True))
        nearer = [row for row in rows if row[0] < kths[query]]
        near[query, : len(nearer)] = np.reshape(nearer, (-1, 2))
        for square, own in rows:
            tied[query, own] += square == kths[query]
    return neighbors.Near(near, kths, tied)


@pytest.mark.parametrize("n_numeric", [3, 8, 40, 300])
def test_distances_that_float32_cannot_tell_apart(n_numeric):
    rng = np.random.default_rng(n_numeric)
    table, cases, queries = make_mixed(rng, 2500, n_numeric, 1, 4, 0.0, 10**6)
    near = 0.5 + 1e-8 * rng.standard_normal((n_numeric, 2500))
    near[:, 0], near[:, 1] = 0.0, 1.0  # the range
    cases.numbers[:, :2500] = near
    cases = cases._replace(ranges=np.tile([0.0, 1.0], (n_numeric, 1)))
    queries.values[:, :n_numeric] = rng.random((4, n_numeric))
    attributes = np.tile(np.arange(n_numeric, dtype=np.int32), (4, 1))
    search = neighbors.MixedSearch(
        cases,
        neighbors.prepare_columns(cases),
        queries,
        Selected(attributes, np.full(4, n_numeric, np.int32)),
        7,
    )
    search.run(0, 4)
    for query in range(4):
        nearest = np.argsort(search.measure(np.array([query]))[0], kind="stable")[:7]
        votes = np.bincount(table.classes[nearest], minlength=table.n_classes)
        assert search.votes[query].tolist() == votes.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_columns_begin_with_a_cache_line(seed):
    rng = np.random.default_rng(seed)
    _, cases, _ = make_mixed(rng, 20 + 7 * seed, 2, 1, 1, 0.1, 8)
    assert neighbors.prepare_columns(cases).scaled.ctypes.data % 64 == 0
