"""Several values become one."""

from sklazy.combine.diversity import (
    disagreement,
    diversity_measures,
    double_fault,
    interrater_kappa,
    q_statistic,
    vote_entropy,
)
from sklazy.combine.ties import argmax_with_ties
from sklazy.combine.votes import (
    average_probabilities,
    cast_votes,
    majority_shares,
    to_shares,
    weighted_shares,
)

__all__ = [
    "argmax_with_ties",
    "average_probabilities",
    "cast_votes",
    "disagreement",
    "diversity_measures",
    "double_fault",
    "interrater_kappa",
    "majority_shares",
    "q_statistic",
    "to_shares",
    "vote_entropy",
    "weighted_shares",
]
