"""The choices that parameters of estimators have, as types: editors offer them."""

from typing import Literal

Discretization = Literal["fayyad", "kononenko"]
Cuts = Literal["exact", "frozen"]
Selection = Literal["lazy", "eager", "none", "lazy-cfs", "lazy-consistency"]
Measure = Literal[
    "entropy",
    "gini",
    "information_gain",
    "gain_ratio",
    "symmetric_uncertainty",
    "chi_square",
]
Splits = Literal["best", "random"]
CombineVotes = Literal["vote", "accuracy", "probability"]
CombineNumbers = Literal["mean", "median", "error"]
Missing = Literal["omit", "spread"]
Metric = Literal["euclidean", "manhattan"]
Test = Literal[
    "friedman",
    "friedman-paper",
    "hoeffding",
    "brace",
    "t",
    "t-holm",
    "t-bonferroni",
]
