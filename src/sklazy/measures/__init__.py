"""From counts to relevance: what values, attributes and sets of them are worth."""

from sklazy.measures.advantage import v_by_attribute
from sklazy.measures.amount import how_many
from sklazy.measures.contingency import (
    CountTable,
    check_countable,
    entropy,
    settle,
    spread_missing,
)
from sklazy.measures.pairs import correlate, count_known
from sklazy.measures.rare import discount_rare_values
from sklazy.measures.relevance import (
    MEASURES,
    Measure,
    attribute_scores,
    chi_square,
    find_measure,
    gain_ratio,
    information_gain,
    lazy_scores,
    symmetric_uncertainty,
    value_scores,
)
from sklazy.measures.search import Found, best_first, greedy
from sklazy.measures.subsets import CfsMerit, Consistency, Evaluator

__all__ = [
    "MEASURES",
    "CfsMerit",
    "Consistency",
    "CountTable",
    "Evaluator",
    "Found",
    "Measure",
    "attribute_scores",
    "best_first",
    "check_countable",
    "chi_square",
    "correlate",
    "count_known",
    "discount_rare_values",
    "entropy",
    "find_measure",
    "gain_ratio",
    "greedy",
    "how_many",
    "information_gain",
    "lazy_scores",
    "settle",
    "spread_missing",
    "symmetric_uncertainty",
    "v_by_attribute",
    "value_scores",
]
