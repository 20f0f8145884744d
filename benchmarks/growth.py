"""Cost and accuracy against the number of rows, from a hundred to a million.

    python benchmarks/growth.py run --most 1000000 --jobs 8 --out growth.csv --data DATA
    python benchmarks/growth.py plot growth.csv --out docs/growth
    python benchmarks/growth.py folds 10000 100000

One made table: eight columns (five numbers, a label of 5 and one of 40 values, a column
of noise), a smooth part, steps, an interaction with a label, and noise; classes are
drawn by the logistic of the same function. With `--data`, the flights of the large
tables, too: whether they are late, and how long they fly. 2 000 queries. Times are
processor seconds of one core; start it with OMP_NUM_THREADS=1 and
OPENBLAS_NUM_THREADS=1. A forest has no more than `--most-of-forest` rows, since it
takes longest. Memory is that of a process of its own with several `--jobs`. `plot`
writes OUT-accuracy.svg and OUT-cost.svg; `folds` times a five-fold evaluation of the
blend of classes.
"""

import argparse
import csv
import resource
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import numpy as np
import pandas as pd
from large_tables import make_model, read, score
from sklearn.model_selection import cross_val_score

from sklazy import LazyBlendClassifier

SIZES = (100, 300, 1000, 2000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
N_QUERIES = 2000
MODELS = ("blend", "kernel", "hgb", "rf")
REAL = ("c-flights", "r-flights-airtime")
LABELS = {"blend": "blend", "kernel": "kernel", "hgb": "HGB", "rf": "random forest"}
MOST_REAL = 58_000
FIELDS = ["kind", "n_rows", "model", "accuracy", "log_loss", "error", "fit_s"]
FIELDS += ["query_ms", "memory_mb", "failure"]


def make_table(n_rows, seed=0):
    """Make rows, numbers and classes."""
    random = np.random.default_rng(seed)
    numbers = random.normal(size=(n_rows, 6))
    few, many = random.integers(0, 5, n_rows), random.integers(0, 40, n_rows)
    heights = np.random.default_rng(99).normal(size=40)
    a, b, c, d, e, _ = numbers.T
    signal = np.sin(2 * a) + 0.5 * b * c + 0.8 * (d > 0.3) * (few == 1)
    signal += 0.4 * np.floor(2 * e) / 2 + 0.6 * heights[many]
    frame = pd.DataFrame(numbers, columns=list("abcdez"))
    frame["few"] = pd.Categorical(few.astype(str))
    frame["many"] = pd.Categorical(many.astype(str))
    targets = signal + 0.5 * random.normal(size=n_rows)
    chances = 1 / (1 + np.exp(-2 * signal))
    return frame, targets, (random.uniform(size=n_rows) < chances).astype(int)


def find_rows(kind, n_rows, data):
    """A frame of so many rows and of queries, and the targets."""
    if kind in REAL:
        frame, targets = read(data / "large" / f"{kind}.csv.gz")
        rows = np.random.default_rng(0).permutation(len(frame))[: n_rows + N_QUERIES]
        return frame.iloc[rows].reset_index(drop=True), targets[rows]
    frame, numbers, classes = make_table(n_rows + N_QUERIES)
    return frame, classes if kind == "classes" else numbers


def run_unit(kind, n_rows, name, data):
    """Fit and ask one model; its figures, or why there are none."""
    frame, targets = find_rows(kind, n_rows, data)
    is_class = kind.startswith("c")
    learned, asked = np.arange(n_rows), np.arange(n_rows, n_rows + N_QUERIES)
    row = {"kind": kind, "n_rows": n_rows, "model": name}
    try:
        model, take = make_model(name, is_class, frame)
        table = take(frame)
        start = time.process_time()
        model.fit(table.iloc[learned], targets[learned])
        model.predict(table.iloc[asked[:1]])
        row["fit_s"] = round(time.process_time() - start, 3)
        start = time.process_time()
        answers = (model.predict_proba if is_class else model.predict)(
            table.iloc[asked]
        )
        spent = time.process_time() - start
    except Exception as error:  # other models go on
        return {**row, "failure": " ".join(f"{error!r}".split())[:200]}
    row["query_ms"] = round(1e3 * spent / N_QUERIES, 4)
    row["memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    found = score(model, answers, targets, asked, is_class)
    return {**row, **{k: v for k, v in found.items() if k in FIELDS}}


def run(options):
    """Run all sizes, the largest first if several run at a time."""
    kinds = ["classes", "numbers", *(REAL if options.data else ())]
    if options.kinds:
        kinds = options.kinds.split(",")
    units = [
        (kind, n_rows, name, options.data)
        for n_rows in sorted(options.sizes, reverse=options.jobs > 1)
        for kind in kinds
        for name in options.models.split(",")
        if n_rows <= (options.most_of_forest if name == "rf" else options.most)
        and n_rows <= (MOST_REAL if kind in REAL else n_rows)
    ]
    if options.jobs == 1:
        keep(options.out, (run_unit(*unit) for unit in units))
        return
    with ProcessPoolExecutor(options.jobs, max_tasks_per_child=1) as pool:
        jobs = [pool.submit(run_unit, *unit) for unit in units]
        keep(options.out, (job.result() for job in as_completed(jobs)))


def keep(path, found):
    """Print and write what is found, as it comes."""
    rows = []
    for row in found:
        rows.append(row)
        print(row, flush=True)
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS)
            writer.writeheader()
            writer.writerows(rows)


def plot(options):
    """Draw accuracy and cost against rows."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "sklazy"
    table = pd.concat(map(pd.read_csv, options.files)).sort_values("n_rows")
    draw(f"{options.out}-accuracy.svg", table, [
        ("classes", "log_loss", "made classes: log loss"),
        ("numbers", "error", "made numbers: error / deviation"),
        ("c-flights", "log_loss", "late flights: log loss"),
        ("r-flights-airtime", "error", "time in the air: error / deviation"),
    ])  # fmt: skip
    draw(f"{options.out}-cost.svg", table, [
        ("classes", "fit_s", "made classes: first question, s of one core"),
        ("classes", "query_ms", "made classes: a query of a batch, ms"),
        ("c-flights", "fit_s", "late flights: first question, s of one core"),
        ("c-flights", "query_ms", "late flights: a query of a batch, ms"),
    ])  # fmt: skip


def draw(path, table, panels):
    """Draw a panel for each table and figure, a line for each model."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(9, 6.5), layout="constrained")
    for axis, (kind, field, title) in zip(axes.ravel(), panels, strict=True):
        for name, label in LABELS.items():
            part = table[(table.kind == kind) & (table.model == name)]
            if part.empty:
                continue
            axis.plot(part.n_rows, part[field], "o-", label=label, markersize=3)
        axis.set(xscale="log", xlabel="rows learned from")
        axis.set_title(title, fontsize=10)
        if field != "log_loss":
            axis.set_yscale("log")
        axis.grid(alpha=0.3)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0, 0].legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})


def folds(options):
    """Time five folds of the blend."""
    for n_rows in options.rows:
        frame, _, classes = make_table(n_rows)
        start = time.process_time()
        model = LazyBlendClassifier(n_jobs=1)
        scores = cross_val_score(model, frame, classes, scoring="neg_log_loss")
        spent = time.process_time() - start
        print(
            f"{n_rows} rows x 8, five folds: {spent:.1f} s of one core, log loss "
            f"{-scores.mean():.4f}",
            flush=True,
        )


def main():
    """Run, plot or time folds, as the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    running = commands.add_parser("run")
    running.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    running.add_argument("--kinds", default="", help="tables, by name")
    running.add_argument("--most", type=int, default=30_000)
    running.add_argument("--most-of-forest", type=int, default=30_000)
    running.add_argument("--data", type=Path)
    running.add_argument("--models", default=",".join(MODELS))
    running.add_argument("--jobs", type=int, default=1)
    running.add_argument("--out", type=Path, required=True)
    running.set_defaults(do=run)
    plotting = commands.add_parser("plot")
    plotting.add_argument("files", type=Path, nargs="+")
    plotting.add_argument("--out", default="docs/growth")
    plotting.set_defaults(do=plot)
    timing = commands.add_parser("folds")
    timing.add_argument("rows", type=int, nargs="+")
    timing.set_defaults(do=folds)
    options = parser.parse_args()
    options.do(options)


if __name__ == "__main__":
    main()
