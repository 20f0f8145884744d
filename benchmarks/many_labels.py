"""Columns of hundreds of labels, and one positive in a hundred: what members see.

    python benchmarks/many_labels.py run --half choose --rows 3000 --out choose.csv
    python benchmarks/many_labels.py show choose.csv

Made tables of five numbers and a column of 200, 1000 or 2000 labels; the numbers act
by a wave and a product. Labels act as each kind names them: they raise or lower the
target (`effects`; `zipf` with a few frequent labels), belong to two unknown groups,
turn the sign of a number (`turns`), do both, lie in a second column of 30 regions
(`nested`), or mean nothing (`noise`). Targets are numbers, two classes, four, or two of
which one has 1 in 100 rows (`rare`). `choose` and `report` have kinds and seeds of
their own. 4 000 queries; 20 000 where positives are rare.
"""

import argparse
import csv
import itertools
from pathlib import Path

import numpy as np
import pandas as pd
from large_tables import measure

KINDS = {
    "choose": ("effects", "turns", "noise"),
    "report": ("zipf", "groups", "both", "nested", "plain"),
}
SEEDS = {"choose": 1, "report": 101}
TASKS = ("numbers", "classes", "four", "rare")
FIELDS = ["half", "kind", "task", "n_labels", "n_rows", "model", "accuracy", "log_loss"]
FIELDS += ["auc", "error", "fit_s", "query_ms", "weights", "memory_mb"]
N_REGIONS = 30


def make_signal(kind, n_labels, n_rows, seed):
    """A frame of numbers and labels, and the function that targets follow."""
    random, fixed = np.random.default_rng(seed), np.random.default_rng(seed + 5000)
    shares = np.ones(n_labels)
    if kind == "zipf":
        shares = (1.0 + np.arange(n_labels)) ** -0.9
    labels = random.choice(n_labels, n_rows, p=shares / shares.sum())
    numbers = random.normal(size=(n_rows, 5))
    effects, turns = fixed.normal(size=(2, n_labels))
    signal = np.sin(2 * numbers[:, 0]) + 0.5 * numbers[:, 1] * numbers[:, 2]
    frame = pd.DataFrame(numbers, columns=list("abcde"))
    if kind in ("effects", "zipf", "both"):
        signal += effects[labels]
    if kind == "groups":
        signal += 1.5 * np.sign(effects)[labels]
    if kind in ("turns", "both"):
        signal += turns[labels] * numbers[:, 3]
    if kind == "nested":
        regions = labels % N_REGIONS
        signal += effects[regions] + 0.5 * effects[labels]
        frame["region"] = pd.Categorical(regions.astype(str))
    if kind != "plain":
        frame["label"] = pd.Categorical(labels.astype(str))
    return frame, signal


def make_targets(task, signal, seed):
    """Numbers, or classes drawn by chances that follow the signal."""
    random = np.random.default_rng(seed + 9000)
    noisy = signal + 0.7 * random.normal(size=len(signal))
    if task == "numbers":
        return noisy
    if task == "four":
        return np.digitize(noisy, [-1.2, 0.0, 1.2])
    odds = 1.5 * signal
    shift = 0.0
    if task == "rare":  # one in a hundred
        low, high = -30.0, 10.0
        for _ in range(60):
            shift = 0.5 * (low + high)
            above = np.mean(1 / (1 + np.exp(-odds - shift))) > 0.01
            low, high = (low, shift) if above else (shift, high)
    chances = 1 / (1 + np.exp(-odds - shift))
    return (random.uniform(size=len(signal)) < chances).astype(int)


def run_unit(half, kind, task, n_labels, n_rows, name):
    """Fit and ask a model; its figures."""
    seed, n_queries = SEEDS[half] + n_labels, 20_000 if task == "rare" else 4000
    frame, signal = make_signal(kind, n_labels, n_rows + n_queries, seed)
    targets = make_targets(task, signal, seed)
    parts = np.arange(n_rows), np.arange(n_rows, n_rows + n_queries)
    figures = measure(name, frame, targets, parts, task != "numbers", n_queries)
    where = {"half": half, "kind": kind, "task": task, "n_labels": n_labels}
    return {**where, "n_rows": n_rows, "model": name, **figures}


def run(options):
    """Run all units of a half, and keep them as they come."""
    kinds = options.kinds.split(",") if options.kinds else KINDS[options.half]
    tasks, models = options.tasks.split(","), options.models.split(",")
    found = []
    for kind, task, n_labels in itertools.product(kinds, tasks, options.labels):
        if kind == "plain" and n_labels != options.labels[0]:
            continue
        for name in models:
            unit = options.half, kind, task, n_labels, options.rows, name
            found.append(run_unit(*unit))
            print(found[-1], flush=True)
            with options.out.open("w", newline="") as file:
                writer = csv.DictWriter(file, FIELDS)
                writer.writeheader()
                writer.writerows(found)


def show(options):
    """Print a table for each task: a line for each kind and number of labels."""
    table = pd.concat(map(pd.read_csv, options.files))
    for task, part in table.groupby("task", sort=False):
        names = ["error"] if task == "numbers" else ["log_loss"]
        names += ["auc"] * (task == "rare")
        shown = part.pivot_table(
            index=["n_rows", "kind", "n_labels"], columns="model", values=names
        )
        print(f"\n{task}\n{shown.round(4).to_string()}")


def main():
    """Run or show, as the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    running = commands.add_parser("run")
    running.add_argument("--half", default="choose")
    running.add_argument("--rows", type=int, default=3000)
    running.add_argument("--labels", type=int, nargs="+", default=[200, 1000, 2000])
    running.add_argument("--kinds", default="")
    running.add_argument("--tasks", default=",".join(TASKS))
    running.add_argument("--models", default="blend,hgb,rf")
    running.add_argument("--out", type=Path, required=True)
    running.set_defaults(do=run)
    showing = commands.add_parser("show")
    showing.add_argument("files", type=Path, nargs="+")
    showing.set_defaults(do=show)
    options = parser.parse_args()
    options.do(options)


if __name__ == "__main__":
    main()
