"""Blends and kernel models: seconds of one core against the goals set for them.

There is no peer whose time would be fair; a ratio is the goal's time over ours, so it
does not travel between machines. Times are a core's own seconds, best of several:
other work on the machine must not count.
"""

import functools
import time

import numpy as np
from sklearn.datasets import make_classification, make_regression
from threadpoolctl import threadpool_limits

from sklazy import LazyBlendClassifier, LazyKernelClassifier, LazyKernelRegressor

N_CLASSES = {640: 3, 1000: 3, 20_000: 10}
N_COLUMNS = {640: 20, 1000: 20, 20_000: 16}


def benchmarks():
    first = "640 rows, 20 numbers, three classes: the study's folds"
    many = "16 numbers, ten classes: like letter, the largest set of the study"
    return [
        goal("blend, 640 x 20, first question", first, 1.0, lambda: ask_first(640)),
        goal("blend, 640 x 20, a single query", first, 3e-3, lambda: ask_each(640)),
        goal("blend, 640 x 20, a query of many", first, 3e-3, lambda: ask(640, 200)),
        goal("blend, 20 000 x 16, first question", many, 30.0, big_first),
        goal("blend, 20 000 x 16, a query", many, 20e-3, lambda: ask(20_000, 40)),
        goal(
            "blend, 1000 x 20, leave-one-out",
            "first question included",
            10.0,
            lambda: leave_out(LazyBlendClassifier),
        ),
        goal(
            "kernel, 1000 x 20, leave-one-out",
            "first question included",
            1.0,
            lambda: leave_out(LazyKernelClassifier),
        ),
        goal(
            "kernel regressor, 1000 x 20, leave-one-out",
            "first question included",
            1.0,
            lambda: leave_out(LazyKernelRegressor),
        ),
    ]


def goal(name, why, seconds, find):
    """A benchmark whose peer is the time wanted."""

    def measure():
        with threadpool_limits(1):
            took = find()
        return {"ours": took, "peer": seconds, "peer_name": "the time wanted"}

    return {"name": name, "why": why, "goal": 1, "measure": measure}


@functools.cache
def data(n_rows):
    return make_classification(
        n_rows + 200,
        N_COLUMNS[n_rows],
        n_informative=10,
        n_classes=N_CLASSES[n_rows],
        random_state=0,
    )


@functools.cache
def fitted(n_rows):
    """A blend that has answered its first question, and how long that took."""
    X, y = data(n_rows)
    model = LazyBlendClassifier(n_jobs=1)
    start = time.process_time()
    model.fit(X[:n_rows], y[:n_rows]).predict_proba(X[n_rows : n_rows + 1])
    return model, time.process_time() - start


def ask_first(n_rows):
    fitted(n_rows)  # compiles
    return best_time(lambda: fitted.__wrapped__(n_rows), 5)


def big_first():
    fitted(640)  # compiles
    return fitted(20_000)[1]


def ask_each(n_rows):
    model, X = fitted(n_rows)[0], data(n_rows)[0]
    rows = [X[i : i + 1] for i in range(n_rows, n_rows + 50)]
    return best_time(lambda: [model.predict_proba(row) for row in rows], 5) / 50


def ask(n_rows, n_queries):
    model, X = fitted(n_rows)[0], data(n_rows)[0]
    queries = X[n_rows : n_rows + n_queries]
    return best_time(lambda: model.predict_proba(queries), 5) / n_queries


def leave_out(kind):
    """Fit and leave every row out; numbers where the kind predicts them."""
    X, y = data(1000)
    if kind is LazyKernelRegressor:
        X, y = make_regression(1000, 20, n_informative=10, noise=5.0, random_state=0)
        y = y + 100.0 * np.sin(X[:, 0])
    X, y = X[:1000], y[:1000]
    return best_time(lambda: kind(n_jobs=1).fit(X, y).loo_predict(), 3)


def best_time(call, rounds):
    call()
    times = []
    for _ in range(rounds):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)
