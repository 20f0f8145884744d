"""Ranking attributes against scikit-learn's mutual information."""

import numpy as np
from sklearn.feature_selection import SelectKBest, mutual_info_classif

from sklazy import AttributeRanker


def benchmarks():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 5000)
    X = rng.normal(size=(5000, 20))
    X[:, :8] += y[:, None] * np.linspace(0.1, 1.0, 8)
    return [
        {
            "name": "rank numeric attributes",
            "why": "5 000 x 20: a table on which the neighbor-based estimate is felt",
            "goal": 30.0,
            "ours": lambda: AttributeRanker(n_attributes=5).fit(X, y),
            "peer": lambda: SelectKBest(mutual_info_classif, k=5).fit(X, y),
            "peer_name": "SelectKBest(mutual_info_classif)",
        }
    ]
