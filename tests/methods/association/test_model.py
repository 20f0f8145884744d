"""Association rules of a query against their enumeration."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from coded import as_cases, coded_tables
from sklazy.methods.association.model import Mining, RuleLimits

limits = st.builds(
    RuleLimits,
    st.integers(1, 9),
    st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    st.integers(1, 12),
    st.booleans(),
)


@settings(max_examples=100, deadline=None)
@given(
    coded_tables(most_rows=80, most_attributes=5),
    limits,
    st.sampled_from([2, 64]),
    st.booleans(),
    st.integers(0, 10**6),
)
def test_rules_are_those_of_an_enumeration(table, limits, most_sets, leaves_out, seed):
    rng, n_queries = np.random.default_rng(seed), len(table.queries)
    excluded = rng.integers(0, table.n_rows, n_queries) if leaves_out else None
    mining = Mining(as_cases(table, most_sets), table.queries, limits, excluded)
    scores, n_rules = mining.score()
    for i, query in enumerate(table.queries.tolist()):
        rows = [r for r in range(table.n_rows) if not leaves_out or r != excluded[i]]
        expected = oracle.association_rules(
            table.codes[:, rows].tolist(),
            table.classes[rows].tolist(),
            table.n_classes,
            query,
            limits.min_count,
            limits.min_confidence,
            min(limits.max_length, table.n_attributes),
        )
        found = mining.rules_of(i, int(n_rules[i].sum()))
        rules = [
            (tuple(j for j in own if j >= 0), *figures)
            for own, *figures in zip(
                found.attributes.tolist(),
                found.classes.tolist(),
                found.supports.tolist(),
                found.covered.tolist(),
                strict=True,
            )
        ]
        assert sorted(rules) == sorted(expected)
        said = oracle.association_scores(expected, table.n_classes, limits.by_support)
        np.testing.assert_allclose(scores[i], said, rtol=1e-12)
