"""Nominal neighbors by bit planes, against counting differences row by row."""

import itertools
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from coded import as_cases, coded_tables, draw_selection, make_coded
from sklazy import neighbors
from sklazy.flow import Selected
from sklazy.measures import argmax_with_ties
from sklazy.neighbors import nominal
from voted import WAYS, check_votes


@pytest.fixture(params=["kernel", "row by row"], autouse=True, scope="module")
def way(request):
    """Both ways to answer; small jobs do not wait for the compiler."""
    with pytest.MonkeyPatch.context() as patch:
        by_kernel = request.param == "kernel"
        patch.setattr(nominal.match_nominal, "is_due", lambda _: by_kernel)
        yield


def make_search(table, selected, k, excluded=None, **options):
    cases = as_cases(table, **options)
    return neighbors.NominalSearch(
        cases, table.queries, selected, k, excluded, by_distance=True
    )


def test_both_ways_say_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    for n_rows in (1, 2, 7, 200):
        table = make_coded(rng, n_rows, rng.integers(1, 4, 5), 3, 20, missing=0.2)
        selected = draw_selection(table, rng)
        excluded = rng.integers(-1, n_rows, 20)
        for k in (1, 3, 500):
            found = []
            for by_kernel in (True, False):
                due = mock.Mock(return_value=by_kernel)
                monkeypatch.setattr(nominal.match_nominal, "is_due", due)
                search = make_search(table, selected, k, excluded)
                search.run(0, 20)
                found.append(search)
            for name in ("votes", "thresholds", "tied", "weighted"):
                np.testing.assert_array_equal(*(getattr(s, name) for s in found))


@given(
    coded_tables(),
    st.integers(1, 40),
    st.integers(0, 3000),
    st.integers(0, 2**32 - 1),
)
def test_rows_elsewhere_count_with_those_here(table, k, n_more, seed):
    rng = np.random.default_rng(seed)
    selected, n_queries = draw_selection(table, rng), len(table.queries)
    cases, n_levels = as_cases(table), selected.attributes.shape[1] + 1
    cells = n_levels, table.n_classes
    elsewhere, least = np.zeros((n_queries, *cells), np.int32), np.zeros(n_queries, int)
    for query, n_used in enumerate(selected.counts):
        own = (
            rng.binomial(n_used, rng.random(), n_more),
            rng.integers(cells[1], size=n_more),
        )
        least[query] = np.sort(own[0])[-k] if k <= n_more else 0
        kept = [part[own[0] >= least[query]] for part in own]
        np.add.at(elsewhere[query], tuple(kept), 1)
    search = neighbors.NominalSearch(cases, table.queries, selected, k, tally=True)
    if n_more:
        search.known = neighbors.Tallies(least, elsewhere.copy())
    search.run(0, n_queries)
    for query in range(n_queries):
        used = selected.attributes[query, : selected.counts[query]]
        agreements = neighbors.count_agreements(cases, table.queries[query], used)
        counts = elsewhere[query].copy()
        np.add.at(counts, (agreements, table.classes[: table.n_rows]), 1)
        levels = np.repeat(np.arange(n_levels), counts.sum(axis=1))
        kth = np.sort(levels)[-k] if k <= n_more + table.n_rows else 0
        counts[:kth] = 0
        assert search.thresholds[query] == kth
        assert search.tallies[query].tolist() == counts.tolist()


def check(table, search, queries=None):
    """Compare a finished search with the plain count."""
    selected = search.selected
    for query in range(len(table.queries)) if queries is None else queries:
        used = selected.attributes[query, : selected.counts[query]]
        distances = oracle.disagreements(table.codes, table.queries[query], used)
        rows = oracle.nearest_with_ties(
            distances, search.n_neighbors, search.excluded[query]
        )
        expected = oracle.count_classes(rows, table.classes, table.n_classes)
        assert search.votes[query].tolist() == expected
        agreements = neighbors.count_agreements(
            search.cases, table.queries[query], used
        )
        assert (used.size - agreements).tolist() == distances
        check_votes(search, query, distances, table.classes, table.n_classes)
        if len(rows) >= search.n_neighbors:
            farthest = distances[rows[-1]]
            assert search.thresholds[query] == used.size - farthest
            at_last = [row for row in rows if distances[row] == farthest]
            assert search.tied[query].sum() == len(at_last)


@given(coded_tables(), st.integers(1, 200), st.integers(0, 2**32 - 1), st.data())
def test_votes_are_those_of_all_rows_tied_with_the_kth(table, k, seed, data):
    rng = np.random.default_rng(seed)
    selected = draw_selection(table, rng)
    excluded = None
    if data.draw(st.booleans(), label="exclude rows"):
        excluded = rng.integers(-1, table.n_rows, len(table.queries))
    most_sets = data.draw(st.sampled_from([64, 3, 0]), label="values with bits")
    search = make_search(table, selected, k, excluded, most_sets=most_sets)
    search.run(0, len(table.queries))
    check(table, search)


@pytest.mark.parametrize("n_rows", [4095, 8192, 8193, 20_000])
@pytest.mark.parametrize("most_attributes", [6, 12, 31])
@pytest.mark.parametrize("k", [1, 30, 6000])
def test_many_blocks_of_rows(n_rows, most_attributes, k):
    rng = np.random.default_rng(n_rows + most_attributes)
    sizes = rng.integers(2, 6, most_attributes)
    table = make_coded(rng, n_rows, sizes, 3, 5, missing=0.1)
    selected = draw_selection(table, rng)
    search = make_search(table, selected, k, rng.integers(0, n_rows, 5))
    search.run(0, 5)
    check(table, search, queries=[0, 4])


def test_the_worst_order_of_rows_changes_nothing():
    """Each block nearer than the one before: the threshold rises all the time."""
    rng = np.random.default_rng(0)
    table = make_coded(rng, 9000, [2] * 9, 2, 1)
    matches = (table.codes == table.queries[0][:, None]).sum(axis=0)
    order = np.argsort(matches, kind="stable")
    table = table._replace(
        codes=np.ascontiguousarray(table.codes[:, order]), classes=table.classes[order]
    )
    selected = Selected(np.arange(9, dtype=np.int32)[None], np.array([9], np.int32))
    search = make_search(table, selected, 40)
    search.run(0, 1)
    check(table, search)


@given(coded_tables(), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_batches_do_not_matter(table, k, seed):
    selected = draw_selection(table, np.random.default_rng(seed))
    whole = neighbors.NominalSearch(as_cases(table), table.queries, selected, k)
    whole.run(0, len(table.queries))
    parts = neighbors.NominalSearch(as_cases(table), table.queries, selected, k)
    for query in reversed(range(len(table.queries))):
        parts.run(query, query + 1)
    assert np.array_equal(whole.votes, parts.votes)
    assert np.array_equal(whole.thresholds, parts.thresholds)


@given(coded_tables(), st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_columns_of_many_values_need_no_kept_bits(table, seed, k):
    rng = np.random.default_rng(seed)
    codes = table.codes.copy()
    codes[0] = rng.integers(0, 1000, table.n_rows)
    offsets = table.offsets.copy()
    offsets[1:] += 1000 - offsets[1]
    queries = table.queries.copy()
    queries[:, 0] = codes[0, rng.integers(0, table.n_rows, len(queries))]
    table = table._replace(codes=codes, offsets=offsets, queries=queries)
    search = make_search(table, draw_selection(table, rng), k)
    search.run(0, len(queries))
    check(table, search)


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=5),
    st.lists(st.integers(0, 3), min_size=5, max_size=5),
)
def test_vote_ties_go_to_the_larger_prior_then_the_lower_index(votes, counts):
    votes = np.array([votes])
    counts = np.array(counts[: votes.shape[1]])
    assert argmax_with_ties(votes, counts)[0] == oracle.decide(votes[0], counts)
    assert argmax_with_ties(votes, counts[None])[0] == oracle.decide(votes[0], counts)


@given(coded_tables(), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_a_weight_is_that_many_rows(table, k, seed):
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 4, table.n_rows)
    distances = np.array(
        oracle.disagreements(table.codes, table.queries[0], range(table.n_attributes)),
        float,
    )
    voting = neighbors.Voting(k, shares=False, by_distance=False)
    votes, farthest, _ = neighbors.vote_by_weight(
        distances, table.classes, weights.astype(float), table.n_classes, voting
    )
    repeated = np.repeat(np.arange(table.n_rows), weights)
    rows = oracle.nearest_with_ties(distances[repeated], k)
    voters = repeated[rows]
    expected = oracle.count_classes(voters, table.classes, table.n_classes)
    assert votes.tolist() == expected
    if voters.size:
        assert farthest == distances[voters[-1]]
    shuffled = rng.permutation(table.n_rows)
    again, *_ = neighbors.vote_by_weight(
        distances[shuffled],
        table.classes[shuffled],
        weights[shuffled] / 3,
        table.n_classes,
        voting,
    )
    straight, *_ = neighbors.vote_by_weight(
        distances, table.classes, weights / 3, table.n_classes, voting
    )
    assert np.array_equal(again, straight)


@given(coded_tables(), st.integers(1, 9), st.integers(0, 2**32 - 1))
@pytest.mark.parametrize(("ties", "by"), WAYS)
def test_weighted_votes_share_and_weigh(ties, by, table, k, seed):
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 9, table.n_rows) / 4
    distances = rng.integers(0, 4, table.n_rows) / 2
    votes, _, share = neighbors.vote_by_weight(
        distances**2,
        table.classes,
        weights,
        table.n_classes,
        neighbors.Voting(k, ties == "share", by == "distance"),
    )
    cast = oracle.cast_votes((distances**2).tolist(), weights.tolist(), k, ties, by)
    expected = oracle.add_votes(cast, table.classes, table.n_classes)
    assert votes.tolist() == pytest.approx(expected)
    assert 0 < share <= 1
    assert ties == "share" or share == 1


@given(coded_tables(), st.integers(1, 9), st.integers(0, 2**32 - 1), st.booleans())
def test_votes_with_one_attribute_two_and_so_on(table, k, seed, exclude):
    rng = np.random.default_rng(seed)
    n_queries = len(table.queries)
    order = [rng.permutation(table.n_attributes) for _ in range(n_queries)]
    order = np.array(order, np.int32)
    excluded = rng.integers(0, table.n_rows, n_queries) if exclude else None
    cases = as_cases(table, most_sets=rng.choice([64, 2]))
    ks = np.array([k, 1, k + 3])
    for shares, by_distance in itertools.product((True, False), repeat=2):
        way = {"shares": shares, "by_distance": by_distance}
        votes = neighbors.vote_with_each_count(
            cases, table.queries, order, ks, excluded, **way
        )
        for i, r in itertools.product(range(3), range(1, table.n_attributes + 1)):
            selected = Selected(
                np.ascontiguousarray(order[:, :r]), np.full(n_queries, r, np.int32)
            )
            own = int(ks[i])
            search = neighbors.NominalSearch(
                cases, table.queries, selected, own, excluded, by_distance=by_distance
            )
            search.run(0, n_queries)
            voting = neighbors.Voting(own, shares, by_distance)
            finished = neighbors.finish_votes(search, voting)
            assert np.array_equal(votes[i, :, r - 1], finished)
