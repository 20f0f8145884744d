"""Lazy Bayesian rules against their slow twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from coded import as_cases, coded_tables, make_coded
from sklazy.methods.bayes_rules.model import (
    RuleSettings,
    find_rules,
    judge_cases,
    sign_test,
)

levels = st.sampled_from([0.05, 0.3, 0.6, 1.0])


def check(table, chosen, most_sets=64):
    cases = as_cases(table, most_sets)
    found = find_rules(cases, table.queries, judge_cases(cases, chosen.alpha), chosen)
    slow = oracle.LazyBayesRules(
        table.codes.tolist(),
        np.diff(table.offsets).tolist(),
        table.classes.tolist(),
        table.n_classes,
        *chosen,
    )
    for i, query in enumerate(table.queries.tolist()):
        antecedent, steps, _ = slow.rule(query)
        kept = found.antecedents[i][found.antecedents[i] >= 0]
        assert kept.tolist() == list(antecedent)
        figures = found.figures[i, : len(steps)].tolist()
        assert figures == [[righted, spoiled] for _, righted, spoiled, _ in steps]
        np.testing.assert_allclose(found.votes[i], slow.joint(query), rtol=1e-12)
    return found


@settings(max_examples=80, deadline=None)
@given(
    coded_tables(most_rows=90, most_attributes=5),
    st.sampled_from([0.3, 1.0, 2.5]),
    st.integers(1, 12),
    levels,
    st.sampled_from([2, 64]),
)
def test_rules_are_those_of_the_paper(table, alpha, min_support, level, most_sets):
    check(table, RuleSettings(alpha, min_support, level), most_sets)


@pytest.mark.parametrize("most_sets", [3, 64])
def test_rules_of_several_values_are_found(most_sets):
    """Classes that are a parity within each third of the cases."""
    rng = np.random.default_rng(0)
    table = make_coded(rng, 700, [3, 2, 2, 2, 4], 2, 40, missing=0.05)
    parity = (table.codes[1] + table.codes[2] * (table.codes[0] == 0)) % 2
    table = table._replace(classes=np.abs(parity).astype(np.int32))
    found = check(table, RuleSettings(1.0, 30, 0.05), most_sets)
    assert (found.antecedents[:, 1] >= 0).any()


def test_only_what_can_be_significant_is_tried():
    assert [RuleSettings(1.0, 1, s).least_wrong for s in (0.05, 1.0, 0.5)] == [5, 1, 2]
    assert RuleSettings(1.0, 1, 0.0).least_wrong > 10**9


@given(st.integers(0, 40), st.integers(0, 40))
def test_the_sign_test(righted, spoiled):
    found = sign_test(np.array([righted]), np.array([spoiled]))[0]
    expected = oracle.sign_test(spoiled, righted)
    assert found == pytest.approx(expected, rel=1e-9)
