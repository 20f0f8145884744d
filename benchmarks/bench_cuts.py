"""Cuts of numeric columns against scikit-learn's quantile bins."""

import warnings

import numpy as np
from sklearn.preprocessing import KBinsDiscretizer

from sklazy import EntropyDiscretizer
from sklazy.casebase.cuts import column_cuts, sorted_cuts


def _table(n_rows=100_000, n_columns=20, n_classes=3, seed=0):
    """Columns that follow the class from not at all to clearly."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows)
    shift = np.linspace(0.0, 1.0, n_columns)
    return rng.normal(size=(n_rows, n_columns)) + y[:, np.newaxis] * shift, y


def _fit_quantiles(X, y):
    """The peer with its defaults, which some versions announce to be changing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        KBinsDiscretizer(strategy="quantile").fit(X, y)


def benchmarks():
    X, y = _table()
    ours, threads = EntropyDiscretizer(), EntropyDiscretizer(n_jobs=2)
    column, labels = X[:, 10].copy(), y.astype(np.int32)
    order = np.argsort(column)
    values, classes = column[order], labels[order]
    return [
        {
            "name": "EntropyDiscretizer.fit, 100 000 x 20, 3 classes",
            "why": "large enough for sorting to be the cost; a third is asked",
            "goal": 1 / 3,
            "ours": lambda: ours.fit(X, y),
            "peer": lambda: _fit_quantiles(X, y),
            "peer_name": "KBinsDiscretizer(strategy='quantile').fit",
        },
        {
            "name": "EntropyDiscretizer(n_jobs=2).fit, 100 000 x 20, 3 classes",
            "why": "the same table, its columns shared by two threads",
            "goal": None,
            "ours": lambda: threads.fit(X, y),
            "peer": lambda: _fit_quantiles(X, y),
            "peer_name": "KBinsDiscretizer(strategy='quantile').fit",
        },
        {
            "name": "cuts from maintained order, 100 000 rows",
            "why": "what exact cuts cost after a row came or went: no sort",
            "goal": 2.0,
            "ours": lambda: sorted_cuts(values, classes, 3),
            "peer": lambda: column_cuts(column, labels, 3),
            "peer_name": "sort and cut",
        },
    ]
