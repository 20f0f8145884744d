"""How long the first answer takes: `python benchmarks/first_use.py [estimator ...]`.

Each estimator answers in processes of its own, whose folder of compiled code is empty
at first (cold) and filled by then (warm). Measured are the seconds, of the processor
and by the clock, from the end of the imports to the first answer, `fit` included, and
those of the import beyond that of scikit-learn; shown is the least of several. The
table is large enough that no job is too small for compiled code: 2000 rows of ten
columns, half of them labels, of which 200 are asked; local PLS gets numbers.

    --runs 3              warm processes of each, and cold ones
    --against FOLDER      another tree's folder `src`, asked in turn with this one
    --json FILE           write the figures, too
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

HERE = Path(__file__).parents[1] / "src"
N_ROWS, N_QUERIES = 2000, 200
ENSEMBLES = "LazyBagging", "LazyStacking", "LazyClassifier", "LazyRegressor"


def main(words):
    """Measure the estimators named, or all, and print a line for each."""
    options = read(words)
    trees = [*([options.against] if options.against else []), str(HERE)]
    print(
        f"{'seconds of processor (by the clock)':36}    cold          warm       import"
    )
    figures = {}
    for name in options.estimators or names():
        for tree in trees:
            figures[f"{name} {tree}"] = best = measure(name, tree, options.runs)
            label = name if tree == str(HERE) else f"{name}, before"
            print(f"{label:36} {show(best)}", flush=True)
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=1) + "\n")


def read(words):
    """The options of the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("estimators", nargs="*")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--against")
    parser.add_argument("--json")
    return parser.parse_args(words)


def names():
    """The lazy estimators of the package."""
    import sklazy

    kinds = {name: getattr(sklazy, name) for name in sklazy.__all__}
    return [name for name, kind in kinds.items() if hasattr(kind, "partial_fit")]


def measure(name, tree, runs):
    """The least of several cold and warm starts."""
    cold, warm = [], []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(run_child(name, tree, folder))
            warm += [run_child(name, tree, folder) for _ in range(2)]
    return {"cold": least(cold, "answer"), "warm": least(warm, "answer")} | {
        "import": least(warm, "import")
    }


def least(runs, what):
    """The least seconds of the processor, and by the clock."""
    return [min(one[what][clock] for one in runs) for clock in (0, 1)]


def show(best):
    """The figures of a line."""
    return "   ".join(f"{cpu:5.2f} ({wall:5.2f})" for cpu, wall in best.values())


def run_child(name, tree, folder):
    """What a process of its own needed."""
    places = {"NUMBA_CACHE_DIR": folder, "PYTHONPATH": tree}
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, __file__, "--child", name],
        env={**os.environ, **places, **threads},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def run_as_child(name):
    """Import, learn and answer, and print how long that took."""
    warnings.simplefilter("ignore")
    import sklearn.utils.validation  # noqa: F401 - not part of our import

    clock = [now()]
    import sklazy

    kind = getattr(sklazy, name)
    X, y = draw(name)
    clock.append(now())
    kind().fit(X, y).predict(X[:N_QUERIES])
    clock.append(now())
    steps = [
        [b - a for a, b in zip(*pair, strict=True)]
        for pair in itertools.pairwise(clock)
    ]
    print(json.dumps(dict(zip(("import", "answer"), steps, strict=True))))


def now():
    """Seconds of the processor, and by the clock."""
    return time.process_time(), time.perf_counter()


def draw(name):
    """A table, and its classes or numbers."""
    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 10)).round(2)
    y = X[:, 0] + X[:, 5] + rng.normal(size=N_ROWS)
    if "PLS" not in name:
        X = X.astype(object)
        X[:, 5:] = np.char.add("v", rng.integers(0, 4, (N_ROWS, 5)).astype(str))
    return X, (y if name.endswith("Regressor") else (y > 0).astype(int))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        run_as_child(sys.argv[2])
    else:
        main(sys.argv[1:])
