"""Several values become one."""

from sklazy.combine.blending import (
    find_power,
    own_class,
    temper,
    weigh_by_likelihood,
    weigh_by_squares,
)
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
    "find_power",
    "interrater_kappa",
    "majority_shares",
    "own_class",
    "q_statistic",
    "temper",
    "to_shares",
    "vote_entropy",
    "weigh_by_likelihood",
    "weigh_by_squares",
    "weighted_shares",
]
