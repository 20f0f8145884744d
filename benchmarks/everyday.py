"""What people run: defaults, mixed frames, a fresh process, after a change.

    python benchmarks/everyday.py [--rows 1000 10000] [--only LazyNBClassifier ...]
    python benchmarks/everyday.py --cliffs
    python benchmarks/everyday.py --changes [--rows 100000]
    python benchmarks/everyday.py --doubt

Each line is a process of its own with compiled code on disk: seconds of processor time
to fit, to answer the first question, to add a row and ask, to explain and to find a
set or an interval after a change, and for one row as a dict. `--changes` adds 24 rows,
one at a time: milliseconds of the next question after each and of the receipt after
that, the median of all, the mean, and how many questions cost ten times the median,
since the row reached a draw that choices follow from. `--cliffs` doubles the
rows, then the columns, and fails where twice as much costs more than five times as
much; small costs, which an overhead hides, are not looked at. `--doubt` times the first
interval or set of a state, at sizes that have goals. `--river` times a stream
through a window of 1000 rows, asked in turn, beside river's k-NN (`pip install river`);
all kernels are compiled then, as where a stream has run for a while.
"""

import argparse
import itertools
import json
import subprocess
import sys
import time
import warnings
from functools import partial

import numpy as np
import pandas as pd

ESTIMATORS = [
    "LazyKNeighborsClassifier",
    "LazyNBClassifier",
    "LazyKernelClassifier",
    "LazyLogisticClassifier",
    "LazyLearningRegressor",
    "LazyKernelRegressor",
    "LazyRidgeRegressor",
]
CHANGING = [
    "LazyNBClassifier",
    "LazyKNeighborsClassifier",
    "LazyKernelClassifier",
    "LazyClassifier",
    "LazyRegressor",
]
ROWS, N_COLUMNS = [1000, 10_000], 16
ROWS_CHANGING, N_CHANGES = [100_000], 24
CLIFF_ROWS, CLIFF_COLUMNS = [500, 1000, 2000, 4000], [8, 16, 32, 64]
LARGEST_JUMP = 5.0  # of the cost, where rows or columns are twice as many
SMALLEST = 0.02  # seconds; what is less is mostly overhead
DOUBTS = [  # estimator, rows, seconds that are the goal
    ("LazyRegressor", 1000, 1.0),
    ("LazyKernelRegressor", 1000, 1.0),
    ("LazyKernelRegressor", 2500, None),
    ("LazyKernelRegressor", 10_000, 1.0),
    ("LazyRegressor", 10_000, None),
    ("LazyNBClassifier", 100_000, 2.0),
    ("LazyKNeighborsClassifier", 100_000, 10.0),
    ("LazyClassifier", 1000, None),
    ("LazyClassifier", 10_000, None),
]
WINDOW = 1000
PATIENCE = 900.0  # seconds for one process


def main() -> None:
    """Print a table, or look for cliffs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+")
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--cliffs", action="store_true")
    parser.add_argument("--changes", action="store_true")
    parser.add_argument("--river", action="store_true")
    parser.add_argument("--doubt", action="store_true")
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        work, name, n_rows, n_columns = given.child
        print(json.dumps(globals()[work](name, int(n_rows), int(n_columns))))
    elif given.doubt:
        show_doubts()
    elif given.river:
        time_streams()
    elif given.cliffs:
        sys.exit(find_cliffs(given.only or ESTIMATORS))
    elif given.changes:
        show_each(given.only or CHANGING, given.rows or ROWS_CHANGING, time_changes)
    else:
        show_each(given.only or ESTIMATORS, given.rows or ROWS, time_all)


def show_each(names, sizes, work) -> None:
    """Print a line for each estimator and number of rows."""
    for name in names:
        for n_rows in sizes:
            show(name, n_rows, N_COLUMNS, run_child(name, n_rows, N_COLUMNS, work))


def show_doubts() -> None:
    """Print a line for each first interval or set, with the goal."""
    for name, n_rows, goal in DOUBTS:
        costs = run_child(name, n_rows, N_COLUMNS, time_doubt)
        show(name, n_rows, N_COLUMNS, costs | ({"goal": goal} if goal else {}))


def find_cliffs(names) -> int:
    """Print all costs by size; the number of jumps."""
    n_jumps = 0
    for name in names:
        sizes = [(n, N_COLUMNS) for n in CLIFF_ROWS]
        n_jumps += follow(name, sizes)
        n_jumps += follow(name, [(CLIFF_ROWS[1], d) for d in CLIFF_COLUMNS])
    print(f"{n_jumps} jumps")
    return min(n_jumps, 1)


def follow(name, sizes) -> int:
    """Print the costs of sizes, each twice the one before; the number of jumps."""
    before, n_jumps = {}, 0
    for size in sizes:
        costs = run_child(name, *size)
        show(name, *size, costs)
        jumps = list_jumps(before, costs)
        for what, ratio in jumps:
            print(f"    JUMP of {what}: {ratio:.1f} x for twice the size")
        n_jumps, before = n_jumps + len(jumps), costs
    return n_jumps


def list_jumps(before, after) -> list[tuple[str, float]]:
    """Costs that grew by more than `LARGEST_JUMP`, and by how much."""
    ratios = [
        (what, after[what] / max(cost, SMALLEST)) for what, cost in before.items()
    ]
    return [(what, ratio) for what, ratio in ratios if ratio > LARGEST_JUMP]


def show(name, n_rows, n_columns, costs) -> None:
    """Print one line."""
    figures = "  ".join(f"{what} {seconds:.4f}" for what, seconds in costs.items())
    print(f"{name:28}{n_rows:8} x {n_columns:<4} {figures}", flush=True)


def run_child(name, n_rows, n_columns, work=None) -> dict:
    """The costs in a process of its own."""
    work = (work or time_all).__name__
    given = [work, name, str(n_rows), str(n_columns)]
    command = [sys.executable, __file__, "--child", *given]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=PATIENCE
    )
    return json.loads(done.stdout.splitlines()[-1])


def time_all(name, n_rows, n_columns) -> dict:
    """Seconds of each thing that people do; code that is not kept yet is compiled."""
    import sklazy

    warnings.simplefilter("ignore")
    X, classes, numbers = make_table(n_rows + 20, n_columns)
    model = getattr(sklazy, name)()
    y = numbers if name.endswith("Regressor") else classes
    costs = {"fit": seconds(lambda: model.fit(X[:n_rows], y[:n_rows]))}
    costs["first"] = seconds(lambda: model.predict(X[n_rows : n_rows + 1]))

    def add(row) -> None:
        model.partial_fit(X[row : row + 1], y[row : row + 1])

    def add_and_ask(row) -> None:
        add(row)
        model.predict(X[row : row + 1])

    new = iter(range(n_rows, n_rows + 20))
    costs["add, ask"] = min(seconds(lambda: add_and_ask(next(new))) for _ in range(3))
    add(next(new))
    costs["explain"] = seconds(lambda: model.explain(X[:1]))
    add(next(new))
    doubt = name_doubt(name)
    costs[doubt] = seconds(lambda: getattr(model, f"predict_{doubt}")(X[:1]))
    rows = X[:20].to_dict("records")
    model.predict(rows[0])
    one = min(seconds(partial(model.predict, row)) for row in rows)
    return {**costs, "one row": one}


def time_changes(name, n_rows, n_columns) -> dict:
    """Milliseconds of the next question after one change, and of the receipt then."""
    import sklazy

    warnings.simplefilter("ignore")
    X, classes, numbers = make_table(n_rows + N_CHANGES, n_columns)
    model, y = getattr(sklazy, name)(), classes
    if name.endswith("Regressor"):
        y = numbers
    ask = model.predict if name.endswith("Regressor") else model.predict_proba
    first = slice(0, n_rows)
    model.fit(X[first], y[first])
    ask(X[:1])
    model.explain(X[:1])
    asked, explained = [], []
    for row in range(n_rows, n_rows + N_CHANGES):
        model.partial_fit(X[row : row + 1], y[row : row + 1])
        asked.append(1e3 * seconds(lambda: ask(X[:1])))
        explained.append(1e3 * seconds(lambda: model.explain(X[:1])))
    usual = float(np.median(asked))
    return {
        "next question, ms": usual,
        "mean": float(np.mean(asked)),
        "rare ones": sum(cost > 10 * usual for cost in asked),
        "the most": max(asked),
        "receipt after it": float(np.median(explained)),
    }


def time_doubt(name, n_rows, n_columns) -> dict:
    """Seconds of the first question, then of the first interval or set; then others."""
    import sklazy

    warnings.simplefilter("ignore")
    X, classes, numbers = make_table(n_rows + 100, n_columns)
    y, doubt = numbers if name.endswith("Regressor") else classes, name_doubt(name)
    model = getattr(sklazy, name)().fit(X[:n_rows], y[:n_rows])
    find = getattr(model, f"predict_{doubt}")
    costs = {"first": seconds(lambda: model.predict(X[n_rows:]))}
    costs[f"first {doubt}"] = seconds(lambda: find(X[n_rows : n_rows + 1]))
    return {**costs, f"100 {doubt}s": seconds(lambda: find(X[n_rows:]))}


def name_doubt(name) -> str:
    """The kind of range that an estimator predicts."""
    return "interval" if name.endswith("Regressor") else "set"


def seconds(work) -> float:
    """Processor time of some work."""
    began = time.process_time()
    work()
    return time.process_time() - began


def make_table(n_rows, n_columns):
    """Half numbers, half categories, some cells missing; classes and numbers."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"n{j}": rng.normal(size=n_rows) for j in range(n_columns // 2)})
    for j in range(n_columns - n_columns // 2):
        X[f"c{j}"] = pd.Series(rng.choice(list("abcdef"), n_rows), dtype="str")
    score = X["n0"] + X["n1"] * X["n2"] + (X["c0"] == "a") + rng.normal(size=n_rows)
    X.iloc[::17, 3] = np.nan
    return X, np.where(score > 0, "yes", "no"), score.to_numpy()


def time_streams() -> None:
    """Rows a second, asked and then learned one at a time, beside river's k-NN."""
    import sklazy
    from sklazy.kernels.compiling import every_job_due

    X, y, _ = make_table(WINDOW + 600, N_COLUMNS)
    rows = X.to_dict("records")
    peer = stream_river(rows, y)
    print(f"{'river KNNClassifier, one-hot':28}{peer:8.0f} rows/s")
    names = "LazyNBClassifier", "LazyKNeighborsClassifier"
    for name, every in itertools.product(names, (1, 0.1)):
        model = getattr(sklazy, name)(window=WINDOW, refresh_every=every)
        model.fit(X[:WINDOW], y[:WINDOW])

        def step(row, model=model) -> None:
            model.predict(rows[row])
            model.partial_fit(rows[row], y[row : row + 1])

        with every_job_due():
            ours = time_rows(step, 100, 300)
        print(f"{name:28}{ours:8.0f} rows/s  {ours / peer:.2f} of river's, ", end="")
        print(f"refresh_every={every}", flush=True)


def stream_river(rows, y) -> float:
    """Rows a second of river's k-NN, its numbers scaled and its categories one-hot."""
    from river import compose, neighbors, preprocessing

    numbers = compose.SelectType(float) | preprocessing.MinMaxScaler()
    labels = compose.SelectType(str) | preprocessing.OneHotEncoder()
    search = neighbors.LazySearch(window_size=WINDOW)
    model = (numbers + labels) | neighbors.KNNClassifier(n_neighbors=5, engine=search)
    rows = [{k: 0.0 if v != v else v for k, v in row.items()} for row in rows]
    for row in range(WINDOW):
        model.learn_one(rows[row], y[row])

    def step(row) -> None:
        model.predict_one(rows[row])
        model.learn_one(rows[row], y[row])

    return time_rows(step, 100, 300)


def time_rows(step, n_first, n_rows) -> float:
    """Rows a second after some that are not counted."""
    for row in range(WINDOW, WINDOW + n_first):
        step(row)
    began = time.process_time()
    for row in range(WINDOW + n_first, WINDOW + n_first + n_rows):
        step(row)
    return n_rows / (time.process_time() - began)


if __name__ == "__main__":
    main()
