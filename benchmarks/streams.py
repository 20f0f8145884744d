"""Streams, predicted row by row and then learned: accuracy and rows a second.

Beside river's nearest neighbors and Hoeffding tree, in one process, on the streams that
river ships and on two that drift. River is a peer of this benchmark alone: install it
with `pip install river`. Rows a second of the processor's time, the better of two runs.
Run `python benchmarks/streams.py`.
"""

import argparse
import itertools
import time

import numpy as np
import pandas as pd
from sklearn.base import clone

from sklazy import LazyKNeighborsClassifier, prequential

WINDOW = 1000
N_FIRST = 10


def main() -> None:
    """Print a table of all streams and contestants."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=3000, help="of a stream at most")
    most = parser.parse_args().rows
    print(f"{'stream':22}{'contestant':34}{'accuracy':>9}{'rows/s':>9}{'ratio':>8}")
    for name, stream in streams().items():
        rows = list(itertools.islice(stream, most))
        results = {c: run(rows) for c, run in contestants().items()}
        for c, run in contestants().items():  # the better of two
            accuracy, speed = run(rows)
            results[c] = accuracy, max(speed, results[c][1])
        slow = results["river KNNClassifier"][1]
        for contestant, (accuracy, speed) in results.items():
            figures = f"{accuracy:9.2%}{speed:9.0f}{speed / slow:8.1f}"
            print(f"{name:22}{contestant:34}{figures}", flush=True)


def streams() -> dict:
    """Three streams that river ships, and two made ones whose rule moves."""
    from river import datasets
    from river.datasets import synth

    return {
        "Phishing": datasets.Phishing(),
        "Bananas": datasets.Bananas(),
        "ImageSegments": datasets.ImageSegments(),
        "SEA, turns at 1500": synth.ConceptDriftStream(
            synth.SEA(variant=0, seed=1),
            synth.SEA(variant=3, seed=2),
            position=1500,
            width=20,
            seed=3,
        ),
        "RBF, moves": synth.RandomRBFDrift(
            seed_model=1, seed_sample=2, n_classes=4, change_speed=0.002
        ),
    }


def contestants() -> dict:
    """What predicts and learns a list of rows: accuracy, and rows a second."""
    plain = {"selection": "none", "discretize": False, "window": WINDOW, "n_jobs": 1}
    nearest = LazyKNeighborsClassifier(n_neighbors=5, **plain)
    return {
        "river KNNClassifier": _river_neighbors,
        "river HoeffdingTreeClassifier": _river_tree,
        "lazy k-NN": lambda rows: _ours(nearest, rows),
        "lazy k-NN, asked in turn": lambda rows: _in_turn(nearest, rows),
    }


def _ours(model, rows) -> tuple[float, float]:
    X, y = _matrix(rows)
    prequential(model, X[:50], y[:50])  # compiled by now, as river is
    began = time.process_time()
    result = prequential(model, X, y, n_first=N_FIRST)
    return result.score, len(result.losses) / (time.process_time() - began)


def _in_turn(model, rows) -> tuple[float, float]:
    """As a service would: a row is asked, then learned, then the next one comes."""
    X, y = _matrix(rows)
    fitted = clone(model).fit(X[:N_FIRST], y[:N_FIRST])
    right, began = 0, time.process_time()
    for row in range(N_FIRST, len(y)):
        right += fitted.predict(X[row : row + 1])[0] == y[row]
        fitted.partial_fit(X[row : row + 1], y[row : row + 1])
    n_rows = len(y) - N_FIRST
    return right / n_rows, n_rows / (time.process_time() - began)


def _matrix(rows):
    X = pd.DataFrame([x for x, _ in rows]).astype(float).to_numpy()
    return X, np.array([str(label) for _, label in rows])


def _river_neighbors(rows) -> tuple[float, float]:
    from river import neighbors, preprocessing

    search = neighbors.LazySearch(window_size=WINDOW)
    nearest = neighbors.KNNClassifier(n_neighbors=5, engine=search)
    return _river(preprocessing.MinMaxScaler() | nearest, rows)


def _river_tree(rows) -> tuple[float, float]:
    from river import tree

    return _river(tree.HoeffdingTreeClassifier(), rows)


def _river(model, rows) -> tuple[float, float]:
    for x, label in rows[:N_FIRST]:
        model.learn_one(x, label)
    right, began = 0, time.process_time()
    for x, label in rows[N_FIRST:]:
        right += model.predict_one(x) == label
        model.learn_one(x, label)
    n_rows = len(rows) - N_FIRST
    return right / n_rows, n_rows / (time.process_time() - began)


if __name__ == "__main__":
    main()
