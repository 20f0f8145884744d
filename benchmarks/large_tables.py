"""Accuracy, log loss or error, and times on real tables of 2 400 to 60 000 rows.

Two folds of each table, one core (start it with OMP_NUM_THREADS=1). Tables whose place
in the alphabet is odd are there to choose by, even ones to report. Prints a line for
each model and fold, and writes the same to a file:

    python benchmarks/large_tables.py DATA --half odd --models blend,kernel,hgb --out F

LightGBM takes part where it is installed. Errors are over the standard deviation of the
targets; a query's price is that of a batch of all rows of the other fold, or of
`--most-queries` of them.
"""

import argparse
import csv
import os
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.model_selection import KFold, StratifiedKFold

from sklazy import (
    LazyBlendClassifier,
    LazyBlendRegressor,
    LazyKernelClassifier,
    LazyKernelRegressor,
)

FIELDS = ["table", "fold", "model", "n_rows", "n_columns", "accuracy", "log_loss"]
FIELDS += ["error", "fit_s", "query_ms", "weights"]
MOST_CATEGORIES = 250


def read(path):
    """Read a table, its text as categories, and its targets."""
    frame = pd.read_csv(path)
    targets = frame.pop("target").to_numpy()
    for name in frame:
        if not pd.api.types.is_numeric_dtype(frame[name]) or frame[name].dtype == bool:
            frame[name] = frame[name].astype("category")
    return frame, targets


def as_codes(frame):
    """Codes of categories; those of very many values count as numbers."""
    coded = frame.copy()
    for name in frame.select_dtypes("category"):
        coded[name] = frame[name].cat.codes
        if len(frame[name].cat.categories) <= MOST_CATEGORIES:
            coded[name] = coded[name].astype("category")
    return coded


def make_models(is_class):
    """Make the models by name, each with how it takes a table."""
    keep = lambda frame: frame  # noqa: E731
    lazy = (
        (LazyBlendClassifier, LazyKernelClassifier)
        if is_class
        else (LazyBlendRegressor, LazyKernelRegressor)
    )
    boosted = (
        HistGradientBoostingClassifier if is_class else HistGradientBoostingRegressor
    )
    hgb = boosted(categorical_features="from_dtype", random_state=0)
    models = {
        "blend": (lazy[0](n_jobs=1), keep),
        "kernel": (lazy[1](n_jobs=1), keep),
        "hgb": (hgb, as_codes),
    }
    try:
        import lightgbm
    except ImportError:
        return models
    kind = lightgbm.LGBMClassifier if is_class else lightgbm.LGBMRegressor
    return {**models, "lightgbm": (kind(n_jobs=1, verbose=-1), as_codes)}


def measure(name, frame, targets, parts, is_class, most):
    """Fit and ask one model; returns its figures."""
    model, take = make_models(is_class)[name]
    learned, asked = parts
    asked = asked[:most]
    table = take(frame)
    start = time.process_time()
    model.fit(table.iloc[learned], targets[learned])
    model.predict(table.iloc[asked[:1]])  # lazy models choose their settings here
    fit_s = time.process_time() - start
    start = time.process_time()
    ask = model.predict_proba if is_class else model.predict
    answers = ask(table.iloc[asked])
    query_ms = 1e3 * (time.process_time() - start) / len(asked)
    figures = {"fit_s": round(fit_s, 2), "query_ms": round(query_ms, 4)}
    weights = getattr(model, "weights_", {})
    figures["weights"] = " ".join(f"{k}={v:.2f}" for k, v in weights.items())
    truth = targets[asked]
    if not is_class:
        error = np.sqrt(np.mean((answers - truth) ** 2)) / targets.std()
        return {**figures, "error": round(float(error), 5)}
    own = answers[np.arange(len(truth)), np.searchsorted(model.classes_, truth)]
    n_classes = len(model.classes_)
    right = model.classes_[answers.argmax(axis=1)] == truth
    losses = -np.log(0.999 * own + 0.001 / n_classes)
    return {
        **figures,
        "accuracy": round(100 * float(right.mean()), 3),
        "log_loss": round(float(losses.mean()), 5),
    }


def find_tables(folder, half):
    """The tables of one half, by their place in the alphabet, or all, or by name."""
    names = sorted(
        path.name.removesuffix(".csv.gz") for path in folder.glob("*.csv.gz")
    )
    halves = {"odd": names[::2], "even": names[1::2], "all": names}
    return halves.get(half) or half.split(",")


def main():
    """Run what the command line names."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", default="odd")
    parser.add_argument("--models", default="blend,kernel,hgb,lightgbm")
    parser.add_argument("--folds", type=int, default=2)
    parser.add_argument("--most-queries", type=int, default=None)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if os.environ.get("OMP_NUM_THREADS") != "1":
        print(
            "times are those of several cores: set OMP_NUM_THREADS=1", file=sys.stderr
        )
    rows = []
    for table in find_tables(options.folder, options.half):
        frame, targets = read(options.folder / f"{table}.csv.gz")
        is_class = table.startswith("c-")
        folds = (StratifiedKFold if is_class else KFold)(
            2, shuffle=True, random_state=0
        )
        for fold, parts in enumerate(folds.split(frame, targets)):
            if fold >= options.folds:
                break
            for name in options.models.split(","):
                how = frame, targets, parts, is_class, options.most_queries
                if name not in make_models(is_class):
                    continue
                shape = {"n_rows": len(parts[0]), "n_columns": frame.shape[1]}
                row = {"table": table, "fold": fold, "model": name, **shape}
                rows.append({**row, **measure(name, *how)})
                print(rows[-1], flush=True)
                write(options.out, rows)


def write(path, rows):
    """Write all lines so far."""
    if path is not None:
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS)
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
