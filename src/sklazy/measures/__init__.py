"""Statistics of plain arrays: relevance, ranks, votes, ties, conformal."""

from sklazy.measures.blending import (
    find_power,
    own_class,
    temper_probabilities,
    weigh_by_likelihood,
    weigh_by_squares,
)
from sklazy.measures.choose import (
    how_many,
    pack_sets,
    select_lowest,
    select_range,
    to_mask,
)
from sklazy.measures.contingency import (
    CountTable,
    check_countable,
    discount_rare_values,
    entropy,
    round_figures,
    spread_missing,
)
from sklazy.measures.diversity import (
    diversity_measures,
    q_statistic,
)
from sklazy.measures.hierarchy import find_ancestors, find_redundant
from sklazy.measures.leave_one_out import (
    AllEntropies,
    find_all_entropies,
    rank_by_class,
    rank_without_own_row,
    select_without_own_row,
)
from sklazy.measures.pairs import correlate_columns, count_known
from sklazy.measures.query_sets import (
    select_by_consistency,
    select_by_correlation,
)
from sklazy.measures.ranks import (
    RankTable,
    rank_attributes,
    rank_columns,
    rank_values,
)
from sklazy.measures.relevance import (
    MEASURES,
    attribute_scores,
    eager_scores,
    find_measure,
    lazy_scores,
    v_by_attribute,
    value_scores,
)
from sklazy.measures.search import ScoredSet, best_first, greedy
from sklazy.measures.subsets import CfsMerit, Consistency, Evaluator
from sklazy.measures.votes import (
    argmax_with_ties,
    average_probabilities,
    cast_votes,
    majority_shares,
    to_shares,
    weighted_shares,
)

__all__ = [
    "MEASURES",
    "AllEntropies",
    "CfsMerit",
    "Consistency",
    "CountTable",
    "Evaluator",
    "RankTable",
    "ScoredSet",
    "argmax_with_ties",
    "attribute_scores",
    "average_probabilities",
    "best_first",
    "cast_votes",
    "check_countable",
    "correlate_columns",
    "count_known",
    "discount_rare_values",
    "diversity_measures",
    "eager_scores",
    "entropy",
    "find_all_entropies",
    "find_ancestors",
    "find_measure",
    "find_power",
    "find_redundant",
    "greedy",
    "how_many",
    "lazy_scores",
    "majority_shares",
    "own_class",
    "pack_sets",
    "q_statistic",
    "rank_attributes",
    "rank_by_class",
    "rank_columns",
    "rank_values",
    "rank_without_own_row",
    "round_figures",
    "select_by_consistency",
    "select_by_correlation",
    "select_lowest",
    "select_range",
    "select_without_own_row",
    "spread_missing",
    "temper_probabilities",
    "to_mask",
    "to_shares",
    "v_by_attribute",
    "value_scores",
    "weigh_by_likelihood",
    "weigh_by_squares",
    "weighted_shares",
]
