"""Measures: equal to their plain twins, to Weka, and blind to order."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from coded import coded_tables, make_coded
from sklazy import measures
from sklazy.errors import BadInputError
from sklazy.measures import MEASURES
from weka_sets import SETS, coded_by_cuts, read_columns, read_outputs, train_rows

ALL = sorted(MEASURES)


def counts_of(table):
    counts = oracle.count_values(
        table.codes, table.offsets, table.classes, table.n_classes
    )
    return np.array(counts, dtype=np.int64).reshape(-1, table.n_classes)


def by_attribute(counts, offsets):
    return [counts[first:last].tolist() for first, last in pairwise(offsets)]


def assert_close(ours, plain):
    np.testing.assert_allclose(ours, plain, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("measure", ALL)
@given(table=coded_tables())
def test_scores_equal_the_plain_twin(measure, table):
    counts = counts_of(table)
    rows = by_attribute(counts, table.offsets)
    cells = [(part, i) for part in rows for i in range(len(part))]
    assert_close(
        measures.attribute_scores(counts, table.offsets, measure),
        [oracle.attribute_figure(part, measure) for part in rows],
    )
    assert_close(
        measures.value_scores(counts, table.offsets, measure),
        [oracle.value_figure(part, i, measure) for part, i in cells],
    )
    assert_close(
        measures.lazy_scores(counts, table.offsets, measure),
        [oracle.lazy_figure(part, i, measure) for part, i in cells],
    )


@pytest.mark.parametrize("measure", ALL)
@given(table=coded_tables())
def test_discounted_scores_equal_the_plain_twin(measure, table):
    counts, rule = counts_of(table), MEASURES[measure]
    rows = by_attribute(counts, table.offsets)
    plain = [(oracle.discounted(part), oracle.columns_of(part)) for part in rows]
    found = measures.discount_rare_values(measures.CountTable(counts, table.offsets))
    assert_close(found.counts, [row for part, _ in plain for row in part] or counts)
    assert_close(
        rule.attributes(found),
        [oracle.attribute_figure(part, measure, own) for part, own in plain],
    )
    assert_close(
        rule.values(found),
        [
            oracle.value_figure(part, i, measure, own)
            for part, own in plain
            for i in range(len(part))
        ],
    )


@pytest.mark.parametrize("measure", ALL)
def test_a_serial_number_says_as_much_as_a_constant(measure):
    classes = np.array([0, 0, 1, 2, 0, 1])
    serial = np.eye(3, dtype=np.int64)[classes]
    counts = np.vstack([serial, serial.sum(axis=0)])
    table = measures.CountTable(counts, np.array([0, 6, 7]))
    found = measures.discount_rare_values(table)
    names, constant = MEASURES[measure].attributes(found)
    assert names == constant
    assert (MEASURES[measure].values(found) == constant).all()


@given(table=coded_tables())
def test_eager_figures_have_their_usual_direction(table):
    counts = counts_of(table)
    rows = by_attribute(counts, table.offsets)
    for name in ALL:
        if MEASURES[name].of_classes is not None:  # the eager figure is a difference
            continue
        figure = measures.eager_scores(counts, table.offsets, name)
        plain = [-oracle.attribute_figure(part, name) for part in rows]
        assert_close(figure, [0.0 if math.isinf(x) else x for x in plain])
        assert not np.signbit(figure).any()


@given(table=coded_tables())
def test_relevance_ranks_as_the_scores_do(table):
    counts = counts_of(table)
    class_counts = np.bincount(table.classes, minlength=table.n_classes)
    for measure in MEASURES.values():
        count_table = measures.CountTable(counts, table.offsets)
        scores = measure.attributes(count_table)
        relevance = measure.relevance(count_table, class_counts)
        better = scores[:, None] < scores[None, :]
        assert (relevance[:, None] > relevance[None, :])[better].all()


@given(table=coded_tables(), seed=st.integers(0, 1000), spread=st.booleans())
def test_no_score_depends_on_the_order_of_values_or_classes(table, seed, spread):
    rng = np.random.default_rng(seed)
    counts, offsets = counts_of(table), table.offsets
    if spread:
        lost = np.array(
            [
                np.bincount(table.classes[codes == -1], minlength=table.n_classes)
                for codes in table.codes
            ]
        )
        counts = measures.spread_missing(counts, offsets, lost)
    order = np.concatenate(
        [rng.permutation(np.arange(first, last)) for first, last in pairwise(offsets)]
    )
    shuffled = counts[order][:, rng.permutation(table.n_classes)]
    for name in ALL:
        assert np.array_equal(
            measures.attribute_scores(shuffled, offsets, name),
            measures.attribute_scores(counts, offsets, name),
        )
        for function in (measures.value_scores, measures.lazy_scores):
            assert np.array_equal(
                function(shuffled, offsets, name),
                function(counts, offsets, name)[order],
            )


class_rows = st.lists(
    st.lists(st.integers(0, 40), min_size=3, max_size=3), min_size=1, max_size=4
)


@pytest.mark.parametrize("measure", sorted({*ALL} - {"chi_square"}))
@given(rows=class_rows, factor=st.integers(2, 9))
def test_multiplied_counts_tie_exactly(measure, rows, factor):
    counts = np.array(rows + [[factor * n for n in row] for row in rows])
    offsets = np.array([0, len(rows), 2 * len(rows)])
    first, second = measures.value_scores(counts, offsets, measure).reshape(2, -1)
    assert np.array_equal(first, second)


@pytest.mark.parametrize(
    "measure", ["entropy", "gini", "information_gain", "chi_square"]
)
def test_values_split_into_like_parts_tie_exactly(measure):
    # Equal in mathematics, summed up differently. At most one pair in 10 000 lies on
    # the edge of the grid; without a grid 25 to 40 % of all pairs differ.
    rng = np.random.default_rng(0)
    tables = []
    for _ in range(5000):
        rows = rng.integers(0, 41, (rng.integers(1, 5), 3))
        parts = rng.integers(1, 10, rng.integers(2, 6))
        split = np.concatenate([part * rows for part in parts])
        tables += [split, parts.sum() * rows]
    offsets = np.cumsum([0, *map(len, tables)])
    counts = np.concatenate(tables)
    scores = measures.attribute_scores(counts, offsets, measure)
    first, second = scores.reshape(-1, 2).T
    assert (first != second).sum() <= 2


def test_the_lazy_figure_falls_back_on_the_attribute():
    counts = np.array([[12, 8], [10, 0], [0, 0]])
    offsets = np.array([0, 3])
    for name in ALL:
        own, lazy = (
            f(counts, offsets, name)
            for f in (measures.value_scores, measures.lazy_scores)
        )
        attribute = measures.attribute_scores(counts, offsets, name)[0]
        assert lazy.tolist() == [attribute, own[1], attribute]
        assert own[1] < attribute < own[0]
        assert own[2] == np.inf


@given(table=coded_tables(), weighted=st.booleans())
def test_v_equals_the_plain_twin(table, weighted):
    counts = counts_of(table)
    rows = by_attribute(counts, table.offsets)
    assert_close(
        measures.v_by_attribute(counts, table.offsets, weighted),
        [oracle.v_of_attribute(part, weighted) for part in rows],
    )


@pytest.mark.parametrize("missing", ["omit", "spread"])
@given(table=coded_tables(most_rows=30), other=st.integers(0, 8))
def test_counts_of_two_columns_equal_the_plain_twin(missing, table, other):
    other %= table.n_attributes
    sizes = np.diff(table.offsets)
    second, n_second = table.codes[other], int(sizes[other])
    ours = measures.count_known(table.codes, table.offsets, second, n_second, missing)
    plain = [
        row
        for codes, size in zip(table.codes, sizes, strict=True)
        for row in oracle.cross_table(
            codes.tolist(), second.tolist(), size, n_second, missing
        )
    ]
    np.testing.assert_allclose(ours, np.reshape(plain, ours.shape), rtol=1e-12)


@pytest.mark.parametrize(
    ("given_", "available", "expected"),
    [(1, 1, 1), (7, 9, 7), (0.5, 5, 3), (0.3, 13, 4), (1e-9, 9, 1), (1.0, 9, 9)],
)
def test_counts_and_fractions(given_, available, expected):
    assert measures.how_many(given_, available) == expected
    assert measures.how_many(np.asarray(given_)[()], available) == expected


@pytest.mark.parametrize(
    "bad", [0, -1, 14, 1.5, 0.0, -0.2, float("nan"), True, "all", None]
)
def test_an_impossible_number_of_attributes_is_explained(bad):
    message = r"n_attributes=.*give a count of 1 to 13 or a fraction in \(0, 1\]"
    with pytest.raises(BadInputError, match=message):
        measures.how_many(bad, 13)


def test_bad_tables_and_measures_are_refused():
    counts, offsets = np.ones((4, 2), int), np.array([0, 2, 4])
    with pytest.raises(BadInputError, match="measure='ent' is not known"):
        measures.value_scores(counts, offsets, "ent")
    for wrong in ([0, 2, 5], [1, 4], [0, 3, 2, 4], []):
        with pytest.raises(BadInputError):
            measures.value_scores(counts, np.array(wrong, dtype=int), "entropy")
    with pytest.raises(BadInputError):
        measures.value_scores(counts[0], offsets, "entropy")


# --- sets of attributes ---------------------------------------------------------------


def evaluators(table, missing, zero_correlation):
    """Our evaluators beside the plain merit of a set, by name."""
    arguments = table.codes, table.offsets, table.classes, table.n_classes
    columns, classes = table.codes.tolist(), table.classes.tolist()
    sizes = np.diff(table.offsets).tolist()
    cfs = measures.CfsMerit(*arguments, missing, zero_correlation)

    def cfs_merit(subset):
        merit = oracle.cfs_merit(
            subset, columns, sizes, classes, table.n_classes, missing, zero_correlation
        )
        return round(merit, 12)

    def consistency(subset):
        return oracle.consistency(subset, columns, classes)

    return (cfs, cfs_merit), (measures.Consistency(*arguments), consistency)


@given(
    table=coded_tables(most_rows=40, most_attributes=5),
    missing=st.sampled_from(["omit", "spread"]),
    zero_correlation=st.sampled_from([0.0, 1.0]),
    max_stale=st.integers(1, 5),
)
def test_searches_equal_their_plain_twins(table, missing, zero_correlation, max_stale):
    d = table.n_attributes
    for ours, plain in evaluators(table, missing, zero_correlation):
        for subset in [(), (0,), tuple(range(d - 1))]:
            merits = ours.with_one_more(subset)
            for j in set(range(d)) - set(subset):
                assert merits[j] == pytest.approx(plain((*subset, j)), abs=1e-11)
        assert measures.greedy(ours).subset == oracle.greedy(plain, d)[0]
        found = measures.best_first(ours, max_stale)
        subset, merit = oracle.best_first(plain, d, max_stale)
        assert found.subset == subset
        assert found.merit == pytest.approx(merit, abs=1e-11)


def test_consistency_of_many_sparse_groups():
    # More cells than eight a row: counted by sorting instead of in a full table.
    table = make_coded(np.random.default_rng(3), 50, [40, 40, 3], 30, 1, 0.1)
    (_, _), (ours, plain) = evaluators(table, "omit", 0.0)
    assert ours.with_one_more((0,))[1:].tolist() == [plain((0, 1)), plain((0, 2))]


# --- Weka -----------------------------------------------------------------------------

WEKA = {
    "InfoGainAttributeEval": "information_gain",
    "GainRatioAttributeEval": "gain_ratio",
    "SymmetricalUncertAttributeEval": "symmetric_uncertainty",
}


@pytest.mark.parametrize("name", SETS)
def test_figures_on_weka_s_own_cuts_equal_weka_s(name):
    schema, columns = read_columns(name)
    outputs, _ = read_outputs(name)
    names = [field["name"] for field in schema[:-1]]
    everything = np.arange(len(columns[-1]))
    for part, cuts, rows in [
        ("train_discretised", "mdl_cuts_train", train_rows(len(everything))),
        ("all", "mdl_cuts_all_better_encoding", everything),
    ]:
        codes, offsets, classes, k = coded_by_cuts(schema, columns, outputs[cuts], rows)
        counts = measures.count_known(codes, offsets, classes, k, "spread")
        for weka, measure in WEKA.items():
            theirs = outputs[f"rank_{part}"][weka]
            np.testing.assert_allclose(
                measures.eager_scores(counts, offsets, measure),
                [theirs[n] for n in names],
                rtol=0,
                atol=1e-9,
            )
