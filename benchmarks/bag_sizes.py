"""How many draws a bag of many rows needs.

    python benchmarks/bag_sizes.py RESULTS.json [folder of data sets]

Lazy bagging of more than 20 000 rows draws bags of 5000 (`max_samples="auto"`), so that
a query's cost is bounded. Here bags of 1000 to all rows answer the same queries, on
letter and on three made tables of 24 000 rows: a smooth border, a checkerboard that
only small neighborhoods tell, and labels of which a fifth are wrong. Accuracy in
percent, log loss and milliseconds of processor per query, as Markdown. Results are kept
as soon as they are there, and a second run goes on where the first one ended.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np

from sklazy import LazyBaggingClassifier
from sklazy_studies.harness.catalog import find_known
from sklazy_studies.harness.data import data_folder, load_set

DRAWS = 1000, 2500, 5000, 10_000, None
N_ROWS, N_QUERIES = 24_000, 150


def main(path, folder):
    kept = json.loads(path.read_text()) if path.exists() else {}
    for draws in DRAWS:
        for name, make in problems(folder).items():
            key = f"{name}, {draws or 'all'}"
            if key not in kept:
                kept[key] = measure(*make(), draws)
                path.write_text(json.dumps(kept, indent=1))
    show(kept)


def problems(folder):
    """Functions that give rows, classes and queries with theirs, by name."""
    return {
        "letter": lambda: split(*letter(folder)),
        "smooth": lambda: split(*made(lambda X: X[:, 0] + X[:, 1] * X[:, 2] > 0)),
        "checkerboard": lambda: split(
            *made(lambda X: (np.floor(3 * X[:, :2]).sum(axis=1) % 2) > 0)
        ),
        "wrong labels": lambda: split(
            *made(lambda X: X[:, 0] + X[:, 1] * X[:, 2] > 0, wrong=0.2)
        ),
    }


def letter(folder):
    data = load_set(find_known("letter"), folder)
    return data.table.to_pandas().to_numpy(), data.classes.data


def made(rule, wrong=0.0):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS + N_QUERIES, 8))
    y = rule(X).astype(int)
    return X, np.where(rng.random(len(y)) < wrong, 1 - y, y)


def split(X, y):
    order = np.random.default_rng(1).permutation(len(y))
    tested, seen = order[:N_QUERIES], order[N_QUERIES:]
    return X[seen], y[seen], X[tested], y[tested]


def measure(X, y, queries, classes, draws):
    """Share of right answers, log loss, and milliseconds of processor per query."""
    model = LazyBaggingClassifier(max_samples=draws, random_state=0, n_jobs=1)
    model.fit(X, y).predict(queries[:2])
    begin = time.process_time()
    shares = model.predict_proba(queries)
    spent = time.process_time() - begin
    class_shares = shares[
        np.arange(len(classes)), np.searchsorted(model.classes_, classes)
    ]
    right = (model.classes_[shares.argmax(axis=1)] == classes).mean()
    loss = -np.log(np.maximum(class_shares, 1e-3)).mean()
    return [float(right), float(loss), 1e3 * spent / len(classes)]


def show(kept):
    names = list(dict.fromkeys(key.rsplit(", ", 1)[0] for key in kept))
    print("| draws |", " | ".join(names), "|")
    print("|---|" + "---|" * len(names))
    for draws in DRAWS:
        cells = []
        for name in names:
            right, loss, spent = kept[f"{name}, {draws or 'all'}"]
            cells.append(f"{100 * right:.1f} / {loss:.3f} / {spent:.0f} ms")
        print(f"| {draws or 'all'} |", " | ".join(cells), "|")


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), data_folder(sys.argv[2] if sys.argv[2:] else None))
