"""Naive Bayes on a query's own attributes, against counting for each query anew."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from coded import coded_tables, draw_selection
from sklazy.flow import Selected
from sklazy.methods.naive_bayes import model as naive_bayes
from sklazy.methods.naive_bayes.without_own_row import (
    Tallied,
    count_right,
    find_left_out_terms,
    terms_without_own_row,
)


def fit(table, alpha=1.0):
    counts = np.array(
        oracle.count_values(table.codes, table.offsets, table.classes, table.n_classes),
        np.int64,
    ).reshape(-1, table.n_classes)
    class_counts = np.bincount(table.classes, minlength=table.n_classes)
    return counts, class_counts, table.offsets, alpha


def add(likelihoods, codes, selected):
    joint = np.empty((len(codes), likelihoods.priors.size))
    naive_bayes.add_likelihoods(likelihoods, codes, selected, joint, 0, len(codes))
    return joint


@given(coded_tables(most_rows=40), st.integers(0, 2**32 - 1), st.sampled_from([1, 0.1]))
def test_joint_log_probabilities(table, seed, alpha):
    selected = draw_selection(table, np.random.default_rng(seed))
    likelihoods = naive_bayes.estimate_likelihoods(*fit(table, alpha))
    joint = add(likelihoods, table.queries, selected)
    shares = naive_bayes.contributions(likelihoods, table.queries, selected)
    for query, codes in enumerate(table.queries):
        used = selected.attributes[query, : selected.counts[query]]
        expected = oracle.naive_bayes_joint(
            table.codes,
            table.offsets,
            table.classes,
            table.n_classes,
            alpha,
            codes,
            used,
        )
        assert joint[query] == pytest.approx(expected, rel=1e-12)
    assert joint == pytest.approx(likelihoods.priors + shares.sum(axis=1), rel=1e-12)
    chances = naive_bayes.to_probabilities(joint)
    assert chances.sum(axis=1) == pytest.approx(1)
    assert np.log(chances[:, :1] / chances) == pytest.approx(joint[:, :1] - joint)


@given(coded_tables(), st.integers(0, 2**32 - 1))
def test_numpy_and_the_kernel_agree_to_the_last_bit(table, seed):
    selected = draw_selection(table, np.random.default_rng(seed))
    likelihoods = naive_bayes.estimate_likelihoods(*fit(table))
    cells = naive_bayes.find_cells(table.queries, selected, table.offsets)
    by_numpy = naive_bayes._gather_and_add(
        likelihoods.values, likelihoods.priors, cells
    )
    by_kernel = np.empty_like(by_numpy)
    naive_bayes.sum_likelihoods(
        likelihoods.values,
        likelihoods.priors,
        table.offsets,
        table.queries,
        *selected,
        0,
        len(table.queries),
        by_kernel,
    )
    assert np.array_equal(by_numpy, by_kernel)


@given(coded_tables(), st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_selecting_while_adding_up_changes_no_digit(table, seed, n_classes):
    rng = np.random.default_rng(seed)
    sizes = np.diff(table.offsets)
    values = np.log(rng.random((sizes.sum() + 1, n_classes)))
    values[-1] = 0.0
    priors = np.log(rng.random(n_classes))
    likelihoods = naive_bayes.Likelihoods(table.offsets, values, priors)
    starts = table.offsets[:-1] + np.arange(1, sizes.size + 1)
    ranks = rng.permutation(sizes.sum() + sizes.size).astype(np.int32)
    n_selected = int(rng.integers(1, sizes.size + 1))
    order = np.argsort(ranks[starts + np.maximum(table.queries, -1)], axis=1)
    attributes = order[:, :n_selected].astype(np.int32)
    counts = np.full(len(attributes), n_selected, np.int32)
    expected = add(likelihoods, table.queries, Selected(attributes, counts))
    found = np.empty_like(expected)
    ranked = naive_bayes.rank_likelihoods(likelihoods, starts, ranks)
    size = len(found)
    naive_bayes.add_by_rank(ranked, table.queries, n_selected, found, 0, size)
    assert np.array_equal(found, expected)


@given(coded_tables(most_rows=20), st.integers(0, 2**32 - 1), st.data())
def test_leaving_a_row_out_is_estimating_without_it(table, seed, data):
    rng = np.random.default_rng(seed)
    rows = np.ascontiguousarray(table.codes.T)
    selected = draw_selection(table._replace(queries=rows), rng)
    undeclared = rng.random(table.n_attributes) < 0.5
    counts, class_counts, offsets, alpha = fit(table, 0.5)
    vanishing = np.repeat(undeclared, np.diff(offsets)) & (counts.sum(axis=1) == 1)
    tallied = Tallied(counts, class_counts, offsets, alpha, vanishing)
    ones = np.ones(table.n_rows, np.int64)
    priors, terms = terms_without_own_row(tallied, rows, table.classes, ones, selected)
    row = data.draw(st.integers(0, table.n_rows - 1))
    others = np.delete(np.arange(table.n_rows), row)
    used = selected.attributes[row, : selected.counts[row]]
    query = rows[row].copy()
    unknown = ~(table.codes[:, others] == query[:, None]).any(axis=1)
    query[unknown & undeclared] = -2
    expected = oracle.naive_bayes_joint(
        table.codes[:, others],
        table.offsets,
        table.classes[others],
        table.n_classes,
        0.5,
        query,
        used,
    )
    assert priors[row] + terms[row].sum(axis=0) == pytest.approx(expected, rel=1e-12)


@given(coded_tables(most_rows=20), st.integers(0, 2**32 - 1))
def test_counting_right_cases_is_deciding_each(table, seed):
    rng = np.random.default_rng(seed)
    rows = np.ascontiguousarray(table.codes.T)
    order = np.argsort(rng.random(rows.shape), axis=1).astype(np.int32)
    counts, class_counts, offsets, alpha = fit(table)
    undeclared = rng.random(table.n_attributes) < 0.5
    vanishing = np.repeat(undeclared, np.diff(offsets)) & (counts.sum(axis=1) == 1)
    tallied = Tallied(counts, class_counts, offsets, alpha, vanishing)
    fitted = naive_bayes.estimate_likelihoods(counts, class_counts, offsets, alpha)
    terms = find_left_out_terms(tallied, fitted)
    right = count_right(terms, offsets, rows, table.classes, order)
    expected = np.zeros(order.shape[1], int)
    for n_used in range(1, order.shape[1] + 1):
        for row, own in enumerate(table.classes):
            others = np.delete(np.arange(table.n_rows), row)
            query = rows[row].copy()
            unknown = ~(table.codes[:, others] == query[:, None]).any(axis=1)
            query[unknown & undeclared] = -2
            left = table.codes[:, others], offsets, table.classes[others]
            used = order[row, :n_used]
            joint = oracle.naive_bayes_joint(*left, table.n_classes, 1.0, query, used)
            priors = np.bincount(table.classes[others], minlength=table.n_classes)
            tied = np.array(joint) >= max(joint) - 1e-9 * max(1.0, abs(max(joint)))
            expected[n_used - 1] += own == np.where(tied, priors, -1).argmax()
    assert right.tolist() == expected.tolist()


def test_a_small_job_does_not_wait_for_the_compiler(monkeypatch):
    def refuse(*_):
        raise AssertionError

    refuse.is_due = lambda seconds: seconds > 0.01
    monkeypatch.setattr(naive_bayes, "sum_likelihoods", refuse)
    counts = np.array([[3, 0], [1, 2]])
    likelihoods = naive_bayes.estimate_likelihoods(
        counts, np.array([4, 2]), np.array([0, 2])
    )
    selected = Selected(np.zeros((1, 1), np.int32), np.ones(1, np.int32))
    joint = add(likelihoods, np.array([[1]], np.int32), selected)
    assert np.exp(joint[0]) == pytest.approx([5 / 8 * 2 / 6, 3 / 8 * 3 / 4])
