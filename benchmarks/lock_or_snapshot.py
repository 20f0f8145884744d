"""What questions from several threads cost: snapshots beside a readers-writer lock.

    python benchmarks/lock_or_snapshot.py

The same estimator is asked and changed as it is, with snapshots that are copied when a
change finds them in use, and with its snapshots replaced by a readers-writer lock. The
size, 20 000 rows of 16 attributes, makes a copy cost something and a batch of as
many questions last for a while. Prints the best of several rounds, taken in turn.
"""

import contextlib
import math
import threading
import time

import numpy as np

from sklazy import LazyKNeighborsClassifier, LazyLearningRegressor

N_ROWS, N_ATTRIBUTES, N_QUERIES = 20_000, 16, 20_000
ROUNDS, SINGLE = 5, 200


class Lock:
    """Many readers or one writer; a writer who waits goes before new readers."""

    def __init__(self):
        self._changed, self._n_readers, self._n_writers = threading.Condition(), 0, 0
        self._writing = False

    @contextlib.contextmanager
    def read(self):
        with self._changed:
            self._changed.wait_for(lambda: not (self._writing or self._n_writers))
            self._n_readers += 1
        try:
            yield
        finally:
            with self._changed:
                self._n_readers -= 1
                self._changed.notify_all()

    @contextlib.contextmanager
    def write(self):
        with self._changed:
            self._n_writers += 1
            self._changed.wait_for(lambda: not (self._writing or self._n_readers))
            self._n_writers -= 1
            self._writing = True
        try:
            yield
        finally:
            with self._changed:
                self._writing = False
                self._changed.notify_all()


class Locked:
    """A model whose snapshots are the cases themselves, behind a lock."""

    def __init__(self, model):
        cases = model.cases_
        self.model, self.lock = model, Lock()
        cases.snapshot = lambda: contextlib.nullcontext(cases)

    def predict(self, X):
        with self.lock.read():
            return self.model.predict(X)

    def partial_fit(self, X, y):
        with self.lock.write():
            self.model.partial_fit(X, y)


def problem(kind):
    """A table of labels and classes, or of numbers, with queries behind the cases."""
    rng = np.random.default_rng(0)
    shape = N_ROWS + N_QUERIES + ROUNDS, N_ATTRIBUTES
    if kind is LazyKNeighborsClassifier:
        X = rng.integers(0, 6, shape)
        model = kind(categorical_features=list(range(N_ATTRIBUTES)), n_jobs=1)
        return model, X, (X[:, 0] + X[:, 1] + rng.integers(0, 4, shape[0])) // 5
    X = rng.standard_normal(shape)
    model = kind(degrees=0, n_jobs=1)
    return model, X, X[:, 0] + X[:, 1] ** 2 + rng.standard_normal(shape[0])


def single_question(model, X):
    """Seconds per question of one row, nobody else there."""
    begin = time.perf_counter()
    for i in range(SINGLE):
        model.predict(X[i : i + 1])
    return (time.perf_counter() - begin) / SINGLE


def lone_change(model, X, y):
    """Seconds that adding a row takes, nobody else there."""
    begin = time.perf_counter()
    model.partial_fit(X, y)
    return time.perf_counter() - begin


def change_during_a_question(model, queries, X, y):
    """Seconds that adding a row takes while a batch is being answered."""
    asking = threading.Thread(target=model.predict, args=(queries,))
    asking.start()
    time.sleep(0.05)
    waited = lone_change(model, X, y) if asking.is_alive() else math.nan
    asking.join()
    return waited


def compare(kind):
    models = {}
    for name in ("snapshot", "lock"):
        model, X, y = problem(kind)
        model.fit(X[:N_ROWS], y[:N_ROWS])
        models[name] = Locked(model) if name == "lock" else model
    queries = X[N_ROWS : N_ROWS + N_QUERIES]
    times = {name: [] for name in models}
    for i in range(-ROUNDS, 0):
        for name, model in models.items():
            model.predict(queries[:SINGLE])
            single = single_question(model, queries)
            waited = change_during_a_question(model, queries, X[i, None], y[i, None])
            model.predict(queries[:1])
            lone = lone_change(model, X[i, None], y[i, None])
            times[name].append((single, lone, waited))
    for name, rows in times.items():
        best = np.min(rows, axis=0) * 1e3
        print(f"{kind.__name__:26} {name:9}", *(f"{x:9.3f} ms" for x in best))


def main():
    print(f"{'':36} one question   one change   a change during a batch")
    for kind in (LazyKNeighborsClassifier, LazyLearningRegressor):
        compare(kind)


if __name__ == "__main__":
    main()
