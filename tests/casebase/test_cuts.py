"""Cuts of a column: against the exact twin, against Weka, and by their laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from sklazy.casebase.cuts import (
    CRITERIA,
    bin_codes,
    column_cuts,
    interval_labels,
    intervals,
    sorted_cuts,
)
from sklazy.errors import BadInputError
from sklazy.flow import MISSING
from sklazy.kernels.long_cuts import long_column_cuts
from sklazy.kernels.mdl import log_terms
from sklazy.kernels.sorting import sort_pairs
from weka_sets import label_codes, read_outputs, weka_part

VARIANTS = [("fayyad", False), ("fayyad", True), ("kononenko", False)]
VARIANTS += [("kononenko", True)]

numbers = st.one_of(
    st.integers(-4, 4).map(float),  # ties
    st.sampled_from([float("nan"), 0.0, -0.0, 1.0, np.nextafter(1.0, 2.0)]),
    st.floats(-1e3, 1e3),
    st.floats(allow_nan=False, allow_infinity=False),
)


@st.composite
def columns(draw, max_rows=60):
    """Values with ties and gaps, and classes that may or may not follow them."""
    n_classes = draw(st.sampled_from([1, 2, 3, 5, 40]))
    values = draw(st.lists(numbers, min_size=1, max_size=max_rows))
    noise = draw(st.lists(st.integers(0, n_classes - 1), min_size=1, max_size=8))
    width = draw(st.sampled_from([1, 2, 7, 50]))
    follow = draw(st.booleans())
    ranks = np.argsort(np.argsort(values)) // width
    labels = [
        int(rank + (0 if follow and i % 5 else noise[i % len(noise)])) % n_classes
        for i, rank in enumerate(ranks)
    ]
    return np.array(values), np.array(labels, dtype=np.int32), n_classes


@pytest.mark.parametrize(("criterion", "better_encoding"), VARIANTS)
@settings(max_examples=150, deadline=None)
@given(column=columns())
def test_cuts_are_those_of_the_formulas(criterion, better_encoding, column):
    values, labels, n_classes = column
    cuts = column_cuts(
        values, labels, n_classes, criterion, better_encoding=better_encoding
    )
    expected = oracle.cut_points(
        values.tolist(), labels.tolist(), criterion, better_encoding
    )
    assert cuts.tolist() == expected


@pytest.mark.parametrize("criterion", ["fayyad", "kononenko"])
@pytest.mark.parametrize("n_blocks", [2, 3, 8, 64])
@settings(max_examples=100, deadline=None)
@given(column=columns())
def test_cuts_of_rows_in_blocks_are_those_of_the_formulas(criterion, n_blocks, column):
    values, labels, n_classes = column
    terms = log_terms(len(values))
    rule = CRITERIA[criterion], terms, n_blocks
    room = np.empty(len(values)), np.empty(len(values), np.int32)
    cuts = long_column_cuts(values, labels, n_classes, *rule, room)
    expected = oracle.cut_points(values.tolist(), labels.tolist(), criterion, False)
    assert cuts.tolist() == expected


@pytest.mark.parametrize("spread", ["evenly", "by size", "many equal"])
@pytest.mark.parametrize("criterion", ["fayyad", "kononenko"])
def test_a_long_column_in_any_order_has_the_cuts_of_the_sorted_one(criterion, spread):
    rng = np.random.default_rng(0)
    values = rng.normal(size=60_000)
    labels = (np.abs(values) + rng.normal(size=len(values)) > 1).astype(np.int32)
    if spread == "by size":
        values = np.exp(20 * values)
    elif spread == "many equal":
        values = np.where(rng.random(len(values)) < 0.5, 0.0, values.round(2))
    values[::50] = np.nan
    expected = sorted_cuts(*sort_pairs(values, labels), 2, criterion)
    assert len(expected) > 3
    cuts = column_cuts(values, labels, 2, criterion)
    assert cuts.tobytes() == expected.tobytes()


def many_rows(seed, n_rows=700, n_classes=4, decimals=1):
    """More rows than a few blocks, with several cuts at known places."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, n_rows).astype(np.int32)
    values = np.round(labels % 3 * 2.0 + rng.normal(size=n_rows), decimals)
    return values, labels, n_classes


@pytest.mark.parametrize(("criterion", "better_encoding"), VARIANTS)
@pytest.mark.parametrize("shape", [(700, 4, 1), (700, 2, 3), (300, 40, 2), (500, 3, 0)])
def test_passing_over_blocks_changes_nothing(criterion, better_encoding, shape):
    values, labels, n_classes = many_rows(0, *shape)
    cuts = column_cuts(
        values, labels, n_classes, criterion, better_encoding=better_encoding
    )
    expected = oracle.cut_points(
        values.tolist(), labels.tolist(), criterion, better_encoding
    )
    assert len(cuts) >= 1
    assert cuts.tolist() == expected


@pytest.mark.parametrize(
    "labels",
    [
        [1, 1, 2, 2, 1, 2, 0, 2, 0, 1, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 2, 0, 1, 1, 1, 1, 1, 2, 2, 2, 0, 2, 2, 2],
        [0, 0, 0, 0, 2, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 0, 2, 2, 2, 2, 2, 2],
    ],
)
def test_of_cuts_that_tie_by_other_counts_the_first_is_taken(labels):
    # Different counts of equal entropy, whose sums differ in the last digit.
    values = [float(row) for row in range(len(labels))]
    cuts = column_cuts(values, labels, 3, "kononenko")
    assert cuts.tolist() == oracle.cut_points(values, labels, "kononenko")


@settings(max_examples=100, deadline=None)
@given(column=columns(), seed=st.integers(0, 100), variant=st.sampled_from(VARIANTS))
def test_row_order_changes_nothing(column, seed, variant):
    values, labels, n_classes = column
    shuffle = np.random.default_rng(seed).permutation(len(values))
    cuts = column_cuts(values, labels, n_classes, *variant)
    shuffled = column_cuts(values[shuffle], labels[shuffle], n_classes, *variant)
    assert cuts.tobytes() == shuffled.tobytes()


@settings(max_examples=50, deadline=None)
@given(column=columns(), seed=st.integers(0, 100))
def test_names_of_the_classes_change_nothing(column, seed):
    values, labels, n_classes = column
    other = np.random.default_rng(seed).permutation(n_classes).astype(np.int32)
    cuts = column_cuts(values, labels, n_classes)
    assert cuts.tobytes() == column_cuts(values, other[labels], n_classes).tobytes()
    # Classes that no row has do not count.
    assert cuts.tobytes() == column_cuts(values, labels, n_classes + 7).tobytes()


@settings(max_examples=100, deadline=None)
@given(column=columns())
def test_a_cut_parts_its_neighbors(column):
    values, labels, n_classes = column
    cuts = column_cuts(values, labels, n_classes, "kononenko", True)
    codes = bin_codes(values, cuts)
    present = ~np.isnan(values)
    assert np.isfinite(cuts).all()
    assert (np.diff(cuts) > 0).all()
    assert len(np.unique(codes[present])) == (len(cuts) + 1 if present.any() else 0)


def test_neighboring_floats_are_parted_by_the_lower():
    low = np.nextafter(1.0, 2.0)
    high = np.nextafter(low, 2.0)
    assert (low + high) / 2 == high  # the midpoint would not part them
    values = np.array([low] * 10 + [high] * 10)
    cuts = column_cuts(values, np.repeat([0, 1], 10), 2)
    assert cuts.tolist() == [low]
    assert bin_codes(values, cuts).tolist() == [0] * 10 + [1] * 10


def test_huge_numbers_have_a_finite_cut():
    values = np.repeat([1.5e308, 1.7e308], 10)
    cuts = column_cuts(values, np.repeat([0, 1], 10), 2)
    assert cuts == pytest.approx([1.6e308])


def test_a_thousand_classes_do_not_overflow():
    labels = np.repeat(np.arange(1000), 40)
    cuts = column_cuts(np.arange(40_000.0), labels, 1000)
    assert len(cuts) == 999
    assert np.array_equal(bin_codes(np.arange(40_000.0), cuts), labels)


@pytest.mark.parametrize(
    "values", [[], [3.0], [2.0, 2.0, 2.0, 2.0], [np.nan] * 4, [np.nan, 1.0]]
)
def test_nothing_to_cut(values):
    labels = np.arange(len(values)) % 2
    assert len(column_cuts(values, labels, 2)) == 0


def test_one_class_is_not_cut():
    assert len(column_cuts(np.arange(100.0), np.zeros(100), 1)) == 0


def test_an_unknown_criterion_names_the_choices():
    with pytest.raises(BadInputError, match=r"criterion='mdl'.*fayyad.*kononenko"):
        column_cuts([1.0, 2.0], [0, 1], 2, criterion="mdl")


def test_the_table_of_terms_does_not_depend_on_its_length():
    assert np.array_equal(log_terms(10), log_terms(10_000)[: len(log_terms(10))])
    assert log_terms(10)[:5].tolist() == [
        round(n * np.log2(max(n, 1)) * 2**30) for n in range(5)
    ]


@settings(max_examples=100, deadline=None)
@given(values=st.lists(numbers, max_size=50), copies=st.sampled_from([1, 200]))
def test_sort_pairs_is_a_stable_sort_without_nan(values, copies):
    values = np.array(values * copies, dtype=np.float64)  # few rows and many
    order = np.argsort(values, kind="stable")
    order = order[~np.isnan(values[order])]
    rows = np.arange(len(values), dtype=np.int32)
    ascending, partners = sort_pairs(values, rows)
    assert np.array_equal(ascending, values[order])
    assert np.array_equal(partners, order)


def test_bins_and_their_bounds():
    cuts = np.array([1.0, 2.5])
    codes = bin_codes([-9.0, 1.0, 1.1, 2.5, 2.6, np.nan], cuts)
    assert codes.tolist() == [0, 0, 1, 1, 2, MISSING]
    assert codes.dtype == np.int32
    assert intervals(cuts).tolist() == [[-np.inf, 1], [1, 2.5], [2.5, np.inf]]
    assert intervals(np.array([])).tolist() == [[-np.inf, np.inf]]


def test_labels_differ_even_where_cuts_hardly_do():
    assert interval_labels(np.array([])) == ["(-inf, inf)"]
    assert interval_labels(np.array([0.1 + 0.2])) == ["(-inf, 0.3]", "(0.3, inf)"]
    close = np.array([0.3, 0.1 + 0.2])
    assert len(set(interval_labels(close))) == 3


# --- Weka -----------------------------------------------------------------------------

GOLDEN = {
    "mdl_cuts_all": ("fayyad", False),
    "mdl_cuts_train": ("fayyad", False),
    "mdl_cuts_all_kononenko": ("kononenko", False),
    "mdl_cuts_all_better_encoding": ("fayyad", True),
}


NUMERIC = {
    "credit-g": 7,
    "diabetes": 8,
    "glass": 9,
    "ionosphere": 34,
    "iris": 4,
    "labor": 8,
    "weather.numeric": 2,
}
"""The sets with numeric attributes, and how many these are."""


@pytest.mark.parametrize(("name", "n_numeric"), NUMERIC.items())
@pytest.mark.parametrize("variant", GOLDEN)
def test_cuts_are_wekas(variant, name, n_numeric):
    criterion, better_encoding = GOLDEN[variant]
    output = read_outputs(name)[0]
    X, y = weka_part(name, "train" if variant == "mdl_cuts_train" else "all")
    labels = label_codes(y, output["class_labels"])
    cuts = {
        column: column_cuts(
            X[column], labels, max(labels) + 1, criterion, better_encoding
        ).tolist()
        for column in X.select_dtypes("number")
    }
    assert len(cuts) == n_numeric
    assert cuts == {column: theirs or [] for column, theirs in output[variant].items()}


@given(st.lists(numbers, max_size=30), st.integers(0, 200))
def test_a_bin_is_the_number_of_cuts_below_whatever_their_number(some, n_cuts):
    cuts = np.linspace(-5, 5, n_cuts)
    values = np.resize(np.array([*some, 0.5]), 1100)
    expected = [
        MISSING if value != value else int(sum(cut < value for cut in cuts.tolist()))
        for value in values[:31].tolist()
    ]
    assert bin_codes(values, cuts)[:31].tolist() == expected
