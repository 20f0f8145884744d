"""Lazy selection for numbers against the same for classes, on tables of one size."""

import functools

import numpy as np
import pandas as pd

from sklazy import LazyKNeighborsClassifier, LazyKNeighborsRegressor

N_QUERIES = 1000


def benchmarks():
    sizes = {
        "numbers": (5000, 20, "the size of the larger sets of the paper"),
        "labels": (5000, 20, "where classes are counted by bit planes"),
        "many numbers": (20_000, 40, "more than the second-level cache holds"),
    }
    items = []
    for kind, (n_rows, n_columns, why) in sizes.items():
        contest = functools.cache(functools.partial(build, kind, n_rows, n_columns))
        for n_queries in (N_QUERIES, 1):
            items.append(
                {
                    "name": f"numbers by lazy k-NN, {n_queries} queries to {n_rows} x "
                    f"{n_columns} of {kind}",
                    "why": why,
                    "goal": 1,
                    "ours": lambda c=contest, n=n_queries: c()[0](n),
                    "peer": lambda c=contest, n=n_queries: c()[1](n),
                    "peer_name": "LazyKNeighborsClassifier, five classes",
                }
            )
    return items


def build(kind, n_rows, n_columns):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows + N_QUERIES, n_columns))
    y = X[:, 0] + X[:, 1] ** 2 + rng.normal(size=len(X))
    if kind == "labels":
        letters = np.array(list("abcde"))
        X = pd.DataFrame(letters[np.clip((X + 2.5).astype(int), 0, 4)])
        X.columns = [f"x{j}" for j in range(n_columns)]
    edges = np.quantile(y, [0.2, 0.4, 0.6, 0.8])
    how = {"n_attributes": 0.3, "n_jobs": 1}
    models = [
        LazyKNeighborsRegressor(**how).fit(X[:n_rows], y[:n_rows]),
        LazyKNeighborsClassifier(**how).fit(
            X[:n_rows], np.searchsorted(edges, y[:n_rows])
        ),
    ]
    queries = {n: X[n_rows : n_rows + n] for n in (N_QUERIES, 1)}
    return [lambda n, m=model: m.predict(queries[n]) for model in models]
