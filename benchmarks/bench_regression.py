"""Local regression against numpy's least squares and scikit-learn's neighbors.

The peers of scikit-learn run on as many threads as ours: one.
"""

import functools
import time

import numpy as np
from sklearn.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
)
from threadpoolctl import threadpool_limits

from sklazy import (
    LazyKNeighborsClassifier,
    LazyKNeighborsRegressor,
    LazyLearningRegressor,
)

LINES = {"degrees": 1, "n_neighbors": (33, 55), "n_best": 1, "n_jobs": 1}
PARABOLAS = {"degrees": 2, "n_neighbors": (198, 330), "n_best": 1, "n_jobs": 1}
PLAIN = {"selection": "none", "discretize": False, "n_jobs": 1}
N_NAIVE = 5  # queries of the naive loop, which takes its time


def benchmarks():
    return [
        {
            "name": "lines, 5000 x 10, against lstsq",
            "why": "11 coefficients, k 33 to 55: R's range; one lstsq for each k",
            "goal": 30,
            "measure": lambda: against_naive(1, LINES),
        },
        {
            "name": "lines, 5000 x 10, against plain neighbors",
            "why": "1000 queries, k up to 55: the mean of 55 is all the peer does",
            "goal": 1 / 1.5,
            "ours": functools.partial(ask, 5000, 10, 1000, "ours"),
            "peer": functools.partial(ask, 5000, 10, 1000, "mean"),
            "peer_name": "KNeighborsRegressor(55, brute)",
        },
        {
            "name": "parabolas, 5000 x 10, against lstsq",
            "why": "66 coefficients, k 198 to 330: R's range",
            "goal": 30,
            "measure": lambda: against_naive(2, PARABOLAS),
        },
        {
            "name": "parabolas, 5000 x 10, queries a second over 800",
            "why": "one core; a goal in queries a second does not travel",
            "goal": 1,
            "measure": parabolas_a_second,
        },
        {
            "name": "lines, 200 000 x 20, against the search alone",
            "why": "1000 queries, k 63 to 105: the search is nearly all of it",
            "goal": 1 / 3,
            "ours": functools.partial(ask, 200_000, 20, 1000, "ours"),
            "peer": functools.partial(ask, 200_000, 20, 1000, "search"),
            "peer_name": "NearestNeighbors(105, brute)",
        },
        {
            "name": "lines, 1 000 000 x 3, against a tree of neighbors",
            "why": "1000 queries, k = 50: few columns, where a tree answers",
            "goal": 1,
            "ours": functools.partial(ask, 1_000_000, 3, 1000, "ours"),
            "peer": functools.partial(ask, 1_000_000, 3, 1000, "tree"),
            "peer_name": "KNeighborsRegressor(50, kd_tree)",
        },
        *(
            {
                "name": f"{who}, 1 000 000 x 3, against a tree of neighbors",
                "why": "1000 queries, k = 50: all attributes, nothing selected",
                "goal": 1,
                "ours": functools.partial(ask, 1_000_000, 3, 1000, who),
                "peer": functools.partial(ask, 1_000_000, 3, 1000, peer),
                "peer_name": "scikit-learn's k-NN of 50, kd_tree",
            }
            for who, peer in (("means", "tree"), ("votes", "tree of classes"))
        ),
    ]


@functools.cache
def data(n_rows, n_columns):
    rng = np.random.default_rng(0)
    X = rng.random((n_rows, n_columns))
    y = np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(n_rows)
    return X, y, rng.random((1000, n_columns))


@functools.cache
def fitted(n_rows, n_columns, who):
    X, y, _ = data(n_rows, n_columns)
    k = 5 * (n_columns + 1)
    lines = {**LINES, "n_neighbors": 50 if n_columns == 3 else (3 * (n_columns + 1), k)}
    made = {
        "mean": lambda: KNeighborsRegressor(k, algorithm="brute").fit(X, y).predict,
        "search": lambda: (
            NearestNeighbors(n_neighbors=k, algorithm="brute").fit(X).kneighbors
        ),
        "tree": lambda: KNeighborsRegressor(50, algorithm="kd_tree").fit(X, y).predict,
        "tree of classes": lambda: (
            KNeighborsClassifier(50, algorithm="kd_tree").fit(X, y > 1).predict
        ),
        "ours": lambda: LazyLearningRegressor(**lines).fit(X, y).predict,
        "means": lambda: LazyKNeighborsRegressor(50, **PLAIN).fit(X, y).predict,
        "votes": lambda: LazyKNeighborsClassifier(50, **PLAIN).fit(X, y > 1).predict,
    }
    return made[who]()


def ask(n_rows, n_columns, n_queries, who):
    queries = data(n_rows, n_columns)[2][:n_queries]
    with threadpool_limits(1):
        fitted(n_rows, n_columns, who)(queries)


def against_naive(degree, params):
    """Our time per query, and that of a loop over k with np.linalg.lstsq."""
    X, y, queries = data(5000, 10)
    model = LazyLearningRegressor(**params, ridge=1e-6, scale=False).fit(X, y)
    ours = best_time(lambda: model.predict(queries[:100]), 5) / 100
    with threadpool_limits(1):
        least, most = params["n_neighbors"]
        naive = functools.partial(loop, X, y, queries[:N_NAIVE], degree, least, most)
        peer = best_time(naive, 2) / N_NAIVE
    np.testing.assert_allclose(naive(), model.predict(queries[:N_NAIVE]), rtol=1e-4)
    name = "np.linalg.lstsq for each k, per query"
    return {"ours": ours, "peer": peer, "peer_name": name}


def loop(X, y, queries, degree, least, most):
    """The k of least leave-one-out error, by a fit for every k."""
    first, second = np.triu_indices(X.shape[1])
    predicted = []
    for query in queries:
        squares = ((X - query) ** 2).sum(axis=1)
        near = np.argsort(squares, kind="stable")[:most]
        centered = X[near] - query
        Z = np.column_stack([np.ones(most), centered])
        if degree == 2:
            Z = np.column_stack([Z, centered[:, first] * centered[:, second]])
        scores = []
        for k in range(least, most + 1):
            theta = np.linalg.lstsq(Z[:k], y[near[:k]])[0]
            spread = np.linalg.inv(Z[:k].T @ Z[:k])
            leverages = ((Z[:k] @ spread) * Z[:k]).sum(axis=1)
            loo = (y[near[:k]] - Z[:k] @ theta) / (1 - leverages)
            scores.append(((loo**2).mean(), theta[0]))
        predicted.append(min(scores)[1])
    return predicted


def parabolas_a_second():
    X, y, queries = data(5000, 10)
    model = LazyLearningRegressor(**PARABOLAS).fit(X, y)
    # The core's own seconds: other work on the machine must not count.
    took = best_time(lambda: model.predict(queries[:200]), 5, time.thread_time) / 200
    return {"ours": took, "peer": 1 / 800, "peer_name": "the limit, per query"}


def best_time(call, rounds, clock=time.perf_counter):
    call()
    times = []
    for _ in range(rounds):
        start = clock()
        call()
        times.append(clock() - start)
    return min(times)
