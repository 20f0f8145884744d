"""The lazy classifiers through their front door against scikit-learn's.

Both sides are given the same matrix and validate it. Ours selects half of the
attributes for each query; the peer uses all of them alike.
"""

import functools
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from sklearn.naive_bayes import CategoricalNB
from sklearn.neighbors import KNeighborsClassifier

from sklazy import LazyKNeighborsClassifier, LazyNBClassifier

N_CLASSES = 5

# rows, queries, attributes, goals (nominal, numeric), why
SIZES = [
    (20_000, 5000, 16, 25, 3, "letter: many rows, few attributes"),
    (5000, 5000, 60, 10, 1.5, "splice: a few thousand rows and 60 attributes"),
    (1000, 1000, 5000, 2, 1.2, "gisette: more attributes than rows"),
    (200_000, 1000, 16, 50, 4.5, "beyond the cache"),
    (1_000_000, 1000, 28, 50, 2.5, "higgs: a million rows"),
]


def benchmarks():
    items = []
    for n_rows, n_queries, d, nominal_goal, numeric_goal, why in SIZES:
        for kind, goal in ("nominal", nominal_goal), ("numeric", numeric_goal):
            name = f"{kind} k-NN predict, {n_rows} x {d}"
            build = functools.partial(neighbors, kind, n_rows, n_queries, d)
            items.append(contest(name, why, goal, build, "brute k-NN predict"))
    one = functools.partial(neighbors, "nominal", 20_000, 1, 16, repeat=100)
    why = "validation is most of it; once validated: see bench_neighbors"
    name = "nominal k-NN predict, one query, a hundred times"
    items.append(contest(name, why, 5, one, "brute k-NN predict"))
    for d, n_classes in (16, 26), (60, 3), (500, 5):
        name = f"naive Bayes predict, 5000 x {d}, {n_classes} classes"
        build = functools.partial(bayes, d, n_classes)
        why = "a table of counts is small: the queries are the work"
        items.append(contest(name, why, 3, build, "CategoricalNB.predict"))
    return items + special()


def contest(name, why, goal, build, peer_name):
    """Contestants are built when first run, and once."""
    built = functools.cache(build)
    return {
        "name": name,
        "why": why,
        "goal": goal,
        "ours": lambda: built()[0](),
        "peer": lambda: built()[1](),
        "peer_name": peer_name,
    }


def draw(n_rows, n_queries, n_attributes, n_classes=N_CLASSES):
    """Whole numbers 0 to 9 in the rows and queries; the first one tells the class."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(2, 11, n_attributes)
    rows = (rng.random((n_rows, n_attributes)) * sizes).astype(np.int64)
    classes = rng.integers(0, n_classes, n_rows)
    rows[:, 0] = classes % sizes[0]
    queries = (rng.random((n_queries, n_attributes)) * sizes).astype(np.int64)
    return rows, classes, queries, sizes


def neighbors(kind, n_rows, n_queries, n_attributes, repeat=1):
    rows, classes, queries, _ = draw(n_rows, n_queries, n_attributes)
    settings = {"categorical_features": list(range(n_attributes))}
    if kind == "numeric":
        rng = np.random.default_rng(1)
        rows = rng.standard_normal(rows.shape)
        rows[:, 0] += classes
        queries = rng.standard_normal(queries.shape)
        settings = {"discretize": False}
    half = {"n_attributes": n_attributes // 2}
    ours = LazyKNeighborsClassifier.paper(**half, **settings).fit(rows, classes)
    peer = KNeighborsClassifier(5, algorithm="brute").fit(rows.astype(float), classes)
    plain_queries = queries.astype(float)
    return (
        lambda: [ours.predict(queries) for _ in range(repeat)],
        lambda: [peer.predict(plain_queries) for _ in range(repeat)],
    )


def bayes(n_attributes, n_classes):
    rows, classes, queries, sizes = draw(5000, 5000, n_attributes, n_classes)
    nominal = list(range(n_attributes))
    half = {"n_attributes": n_attributes // 2}
    ours = LazyNBClassifier.paper(**half, categorical_features=nominal)
    ours.fit(rows, classes)
    peer = CategoricalNB(min_categories=sizes).fit(rows, classes)
    return lambda: ours.predict(queries), lambda: peer.predict(queries)


def special():
    """What is measured in a process of its own, against a limit."""
    return [
        *[
            {
                "name": f"memory of 1000000 x 28 {kind} rows",
                "why": "at most 0.6 GB, answers included",
                "goal": 1,
                "measure": functools.partial(limit, MEMORY, kind, 0.6, "GB"),
            }
            for kind in ("nominal", "numeric")
        ],
        *[
            {
                "name": f"first answer of {model}, {state} cache",
                "why": "a new machine waits for seconds, a new process for nothing",
                "goal": 1,
                "measure": functools.partial(limit, FIRST, model, most, "s", state),
            }
            for model in ("LazyKNeighborsClassifier", "LazyNBClassifier")
            for state, most in (("cold", 8.0), ("warm", 0.1))
        ],
    ]


MEMORY = """
import ctypes, gc, sys
import numpy as np
from sklazy import LazyKNeighborsClassifier

def resident():
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    text = open("/proc/self/status").read()
    return int(text.split("VmRSS:")[1].split()[0]) / 1e6

rng, nominal = np.random.default_rng(0), sys.argv[1] == "nominal"
y = rng.integers(0, 2, 1_000_000)
X = rng.integers(0, 8, (len(y), 28)) if nominal else rng.standard_normal((len(y), 28))
settings = {"categorical_features": list(range(28))} if nominal else {}
settings.update(n_attributes=14, discretize=nominal)
model = LazyKNeighborsClassifier.paper(**settings)
model.fit(X[:1000], y[:1000]).predict(X[:100])
before = resident()
model.fit(X, y).predict(X[:64])
print(resident() - before)
"""

FIRST = """
import sys, time
import numpy as np
import sklazy
X = np.random.default_rng(0).integers(0, 5, (200, 8)).astype(float)
model = getattr(sklazy, sys.argv[1])()
start = time.perf_counter()
model.fit(X, X[:, 0] > 2).predict(X[:5])
print(time.perf_counter() - start)
"""


def limit(script, argument, most, unit, state="shared"):
    """What a script measures, in a process of its own, and its limit."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ)
        if state != "shared":
            environment["NUMBA_CACHE_DIR"] = folder
        if state == "warm":
            run(script, argument, environment)
        measured = run(script, argument, environment)
    return {"ours": measured, "peer": most, "unit": unit, "peer_name": "the limit"}


def run(script, argument, environment):
    source = str(pathlib.Path(__file__).parents[1] / "src")
    environment["PYTHONPATH"] = source
    command = [sys.executable, "-c", script, argument]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    )
    return float(done.stdout)
