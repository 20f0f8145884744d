"""Local PLS against scikit-learn's PLSRegression, fitted to the same neighbors.

Both on one thread. The peer's neighbors are found in one call for all queries.
"""

import functools
import time

import numpy as np
from sklearn.cross_decomposition import PLSRegression
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from sklazy import LazyPLSRegressor

K, COMPONENTS, QUERIES = 60, 10, 200


def benchmarks():
    return [
        {
            "name": "local PLS, 1000 x 400, ten components",
            "why": "400 wavelengths, k = 60: what a laboratory asks of one spectrum",
            "goal": 10,
            "ours": functools.partial(ask, 400, COMPONENTS, "ours"),
            "peer": functools.partial(ask, 400, COMPONENTS, "peer"),
            "peer_name": "PLSRegression(10) a query",
        },
        {
            "name": "local PLS, 1000 x 4000, ten components",
            "why": "thousands of wavelengths: two thirds of it is the search",
            "goal": 1.5,
            "ours": functools.partial(ask, 4000, COMPONENTS, "ours"),
            "peer": functools.partial(ask, 4000, COMPONENTS, "peer"),
            "peer_name": "PLSRegression(10) a query",
        },
        {
            "name": "local PLS, 1000 x 400, components by leave-one-out",
            "why": "1 to 10 of 60 neighbors: 60 fits, each of which gives all smaller",
            "goal": 30,
            "measure": leave_one_out,
        },
    ]


@functools.cache
def data(n_columns):
    """Spectra of twelve substances, and what follows from their contents."""
    rng = np.random.default_rng(0)
    contents = rng.random((1000 + QUERIES, 12)) * np.logspace(0, -2, 12)
    shapes = np.cumsum(rng.standard_normal((12, n_columns)), axis=1)
    X = contents @ shapes + 1e-3 * rng.standard_normal((1000 + QUERIES, n_columns))
    y = np.sin(3 * contents[:, 0]) + contents[:, 1]
    return X[:1000], y[:1000], X[1000:]


@functools.cache
def ours(n_columns, n_components):
    X, y, _ = data(n_columns)
    model = LazyPLSRegressor(
        n_components, K, combine="best", localization=0.0, n_jobs=1
    )
    return model.fit(X, y)


@functools.cache
def search(n_columns):
    return NearestNeighbors(n_neighbors=K, algorithm="brute").fit(data(n_columns)[0])


def ask(n_columns, n_components, who):
    """Predict all queries."""
    X, y, queries = data(n_columns)
    with threadpool_limits(1):
        if who == "ours":
            return ours(n_columns, n_components).predict(queries)
        near = search(n_columns).kneighbors(queries, return_distance=False)
        return [
            PLSRegression(n_components, scale=False)
            .fit(X[rows], y[rows])
            .predict(query[None])[0]
            for rows, query in zip(near, queries, strict=True)
        ]


def leave_one_out():
    """Times of a query, and of 60 fits, of which each gives all smaller models."""
    X, y, queries = data(400)
    model = ours(400, (1, COMPONENTS))
    predicted, near = model.predict(queries), search(400).kneighbors(queries[:1])[1][0]
    mine = peer = np.inf
    for _ in range(3):
        begin = time.perf_counter()
        model.predict(queries)
        mine = min(mine, (time.perf_counter() - begin) / QUERIES)
        begin = time.perf_counter()
        with threadpool_limits(1):
            errors = left_out_errors(X[near], y[near])
        peer = min(peer, time.perf_counter() - begin)
    best = 1 + int(np.argmin(errors))
    expected = PLSRegression(best, scale=False).fit(X[near], y[near])
    np.testing.assert_allclose(
        predicted[0], expected.predict(queries[:1])[0], rtol=1e-8
    )
    return {"ours": mine, "peer": peer, "peer_name": "60 fits of PLSRegression(10)"}


def left_out_errors(X, y):
    """The mean squared error of the rows left out, for 1 to 10 components."""
    squares = np.zeros(COMPONENTS)
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        model = PLSRegression(COMPONENTS, scale=False).fit(X[others], y[others])
        away = (X[i] - X[others].mean(axis=0)) @ model.x_rotations_
        predicted = y[others].mean() + np.cumsum(away * model.y_loadings_[0])
        squares += (y[i] - predicted) ** 2
    return squares / len(X)
