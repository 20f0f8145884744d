"""Rules of a query against plain Python that does the same.

The peers are the tests' slow twin of lazy Bayesian rules, and an enumeration of
association rules on Python's sets of rows. They take so long that few queries are put
to them: the ratio is that of the times per query.
"""

import functools
import itertools
import pathlib
import sys
import time

import numpy as np

from sklazy import LazyAssociativeClassifier, LazyBayesRulesClassifier

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE / ".." / "tests")]

N_CLASSES, N_VALUES, ROUNDS = 2, 4, 7


def benchmarks():
    return [
        {
            "name": f"{name}, {n_rows} x {d}, {n_queries} queries",
            "why": why,
            "goal": 20,
            "measure": functools.partial(measure, build, n_rows, d, n_queries, n_slow),
        }
        for name, build, n_rows, d, n_queries, n_slow, why in [
            ("lazy Bayesian rules", bayes, 300, 16, 150, 3, "vote, Weka's example"),
            ("lazy Bayesian rules", bayes, 1000, 20, 1, 1, "one query shares nothing"),
            ("lazy rules", association, 300, 16, 150, 10, "vote, Weka's example"),
            ("lazy rules", association, 5000, 60, 1000, 2, "splice: 1830 sets a query"),
        ]
    ]


def make_rows(n_rows, d, n_queries):
    """Labels whose first two columns depend on each other in each class."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, N_VALUES, (n_rows + n_queries, d))
    noise = rng.random(len(X)) < 0.2
    y = (X[:, 0] + X[:, 1] + noise) % N_CLASSES
    return X[:n_rows], y[:n_rows], X[n_rows:]


def measure(build, n_rows, d, n_queries, n_slow):
    """Our time and the peer's, both per query, best of several in turn."""
    X, y, queries = make_rows(n_rows, d, n_queries)
    ours, peer = build(X, y)
    ours(queries)
    rounds = [
        (seconds(ours, queries) / n_queries, seconds(peer, queries[:n_slow]) / n_slow)
        for _ in range(ROUNDS)
    ]
    best, slow = map(min, zip(*rounds, strict=True))
    name = "plain Python that does the same, per query"
    return {"ours": best, "peer": slow, "peer_name": name}


def seconds(work, queries):
    start = time.perf_counter()
    work(queries)
    return time.perf_counter() - start


def bayes(X, y):
    import oracle

    model = LazyBayesRulesClassifier(categorical_features=list(range(X.shape[1]))).fit(
        X, y
    )
    widths = [N_VALUES] * X.shape[1]

    def peer(queries):
        for query in queries.tolist():
            slow = oracle.LazyBayesRules(X.T.tolist(), widths, y.tolist(), N_CLASSES)
            slow.joint(query)

    return model.predict, peer


def association(X, y):
    model = LazyAssociativeClassifier(categorical_features=list(range(X.shape[1]))).fit(
        X, y
    )
    columns = [[set(np.flatnonzero(c == v)) for v in range(N_VALUES)] for c in X.T]
    classes = [set(np.flatnonzero(y == c)) for c in range(N_CLASSES)]
    least = int(np.ceil(0.01 * len(y)))

    def peer(queries):
        for query in queries.tolist():
            items = [columns[j][value] for j, value in enumerate(query)]
            pairs = (a & b for a, b in itertools.combinations(items, 2))
            confidences = [[] for _ in classes]
            for covered in itertools.chain(items, pairs):
                for c, of_class in enumerate(classes):
                    support = len(covered & of_class)
                    if support >= least and support >= 0.5 * len(covered):
                        confidences[c].append(support / len(covered))

    return model.predict, peer
