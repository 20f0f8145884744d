"""Accuracy, log loss or error, and times on real tables of 2 400 to 60 000 rows.

Two folds of each table, one core (start it with OMP_NUM_THREADS=1). Tables whose place
in the alphabet is odd are there to choose by, even ones to report. Prints a line for
each model and fold, and writes the same to a file:

    python benchmarks/large_tables.py DATA --half odd --models blend,kernel,hgb --out F

LightGBM, CatBoost, and RealMLP, TabM and xRFM of pytabkit take part where they are
installed; these three on a GPU where there is one. Errors are over the standard
deviation of the targets; a query's price is that of a batch of all rows of the other
fold, or of `--most-queries` of them. `--jobs` runs as many at a time, the longest
first; a model that fails leaves its reason. The means over folds of such files, those
of later files in place of earlier ones:

    python benchmarks/large_tables.py DATA --show F G
"""

import argparse
import csv
import os
import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold

from sklazy import (
    LazyBlendClassifier,
    LazyBlendRegressor,
    LazyKernelClassifier,
    LazyKernelRegressor,
)

FIELDS = ["table", "fold", "model", "n_rows", "n_columns", "accuracy", "log_loss"]
FIELDS += ["auc", "error", "fit_s", "query_ms", "memory_mb", "weights", "failure"]
MODELS = "blend,kernel,hgb,lightgbm,catboost,rf,et,realmlp,tabm,xrfm"
LONGEST = ("catboost", "realmlp", "tabm", "xrfm", "blend", "kernel", "et", "rf")
PLACES = {"accuracy": 2, "log_loss": 3, "error": 4}
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


def as_it_is(frame):
    """No change."""
    return frame


def as_texts(frame):
    """Categories as text, as CatBoost and the models of pytabkit take them."""
    coded = frame.copy()
    for name in frame.select_dtypes("category"):
        coded[name] = frame[name].astype(str).fillna("missing")
    return coded


LAZY = {
    "blend": (LazyBlendRegressor, LazyBlendClassifier),
    "kernel": (LazyKernelRegressor, LazyKernelClassifier),
}
FORESTS = {
    "rf": (RandomForestRegressor, RandomForestClassifier),
    "et": (ExtraTreesRegressor, ExtraTreesClassifier),
}


def make_model(name, is_class, frame):
    """Make a model, and how it takes a table; import what it needs only now."""
    if name in LAZY:
        return LAZY[name][is_class](n_jobs=1), as_it_is
    if name in FORESTS:
        return FORESTS[name][is_class](300, n_jobs=1, random_state=0), as_numbers
    if name in ("hgb", "lightgbm", "catboost"):
        return make_boosting(name, is_class, frame)
    return make_network(name, is_class), as_texts


def make_boosting(name, is_class, frame):
    """Make boosted trees, and how they take a table."""
    if name == "hgb":
        kind = (HistGradientBoostingRegressor, HistGradientBoostingClassifier)[is_class]
        return kind(categorical_features="from_dtype", random_state=0), as_codes
    if name == "lightgbm":
        import lightgbm

        kind = (lightgbm.LGBMRegressor, lightgbm.LGBMClassifier)[is_class]
        return kind(n_jobs=1, verbose=-1), as_codes
    import catboost

    kind = (catboost.CatBoostRegressor, catboost.CatBoostClassifier)[is_class]
    labels = list(frame.select_dtypes("category"))
    how = {"verbose": False, "allow_writing_files": False, "thread_count": 1}
    return kind(cat_features=labels, random_state=0, **how), as_texts


def make_network(name, is_class):
    """Make a model of pytabkit, on the GPU if there is one."""
    import pytabkit
    import torch

    names = {"realmlp": "RealMLP_TD", "tabm": "TabM_D", "xrfm": "XRFM_D"}
    kind = f"{names[name]}_{'Classifier' if is_class else 'Regressor'}"
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return getattr(pytabkit, kind)(device=device, n_threads=1, random_state=0)


def as_numbers(frame):
    """Codes of categories as numbers, empty cells as the median."""
    coded = as_codes(frame)
    for name in coded.select_dtypes("category"):
        coded[name] = coded[name].astype(float)
    return coded.astype(float).fillna(coded.astype(float).median())


def measure(name, frame, targets, parts, is_class, most):
    """Fit and ask one model; returns its figures."""
    model, take = make_model(name, is_class, frame)
    learned, asked = parts
    asked = asked[:most]
    table = take(frame)
    start = time.process_time()
    model.fit(table.iloc[learned], targets[learned])
    model.predict(table.iloc[asked[:1]])  # lazy models choose their settings here
    fit_s = time.process_time() - start
    start = time.process_time()
    ask = model.predict_proba if is_class else model.predict
    answers = np.asarray(ask(table.iloc[asked]))
    query_ms = 1e3 * (time.process_time() - start) / len(asked)
    figures = {"fit_s": round(fit_s, 2), "query_ms": round(query_ms, 4)}
    figures["memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    weights = getattr(model, "weights_", {})
    figures["weights"] = " ".join(f"{k}={v:.2f}" for k, v in weights.items())
    return {**figures, **score(model, answers, targets, asked, is_class)}


def score(model, answers, targets, asked, is_class):
    """Error, or accuracy, log loss and AUC (two classes)."""
    truth = targets[asked]
    if not is_class:
        error = np.sqrt(np.mean((answers.ravel() - truth) ** 2)) / targets.std()
        return {"error": round(float(error), 5)}
    own = answers[np.arange(len(truth)), np.searchsorted(model.classes_, truth)]
    n_classes = len(model.classes_)
    right = model.classes_[answers.argmax(axis=1)] == truth
    losses = -np.log(0.999 * own + 0.001 / n_classes)
    found = {
        "accuracy": round(100 * float(right.mean()), 3),
        "log_loss": round(float(losses.mean()), 5),
    }
    if n_classes == 2:
        auc = roc_auc_score(truth == model.classes_[1], answers[:, 1])
        found["auc"] = round(float(auc), 5)
    return found


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
    parser.add_argument("--models", default=MODELS)
    parser.add_argument("--folds", type=int, default=2)
    parser.add_argument("--most-queries", type=int, default=None)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--show", type=Path, nargs="+")
    options = parser.parse_args()
    if options.show:
        show(options.show)
        return
    if os.environ.get("OMP_NUM_THREADS") != "1":
        print(
            "times are those of several cores: set OMP_NUM_THREADS=1", file=sys.stderr
        )
    units = [
        (options.folder, table, fold, name, options.most_queries)
        for table in find_tables(options.folder, options.half)
        for fold in range(options.folds)
        for name in options.models.split(",")
    ]
    if options.jobs == 1:
        collect(options.out, map(run_unit, units))
        return
    places = {name: place for place, name in enumerate(LONGEST)}
    units.sort(key=lambda unit: places.get(unit[3], len(LONGEST)))
    with ProcessPoolExecutor(options.jobs, max_tasks_per_child=1) as pool:
        jobs = [pool.submit(run_unit, unit) for unit in units]
        collect(options.out, (job.result() for job in as_completed(jobs)))


def run_unit(unit):
    """Measure a model on a fold of a table; its figures, or why there are none."""
    folder, table, fold, name, most = unit
    frame, targets = read(folder / f"{table}.csv.gz")
    is_class = table.startswith("c-")
    kind = StratifiedKFold if is_class else KFold
    folds = kind(2, shuffle=True, random_state=0)
    parts = list(folds.split(frame, targets))[fold]
    shape = {"n_rows": len(parts[0]), "n_columns": frame.shape[1]}
    row = {"table": table, "fold": fold, "model": name, **shape}
    try:
        return {**row, **measure(name, frame, targets, parts, is_class, most)}
    except Exception as error:  # other models go on
        return {**row, "failure": " ".join(f"{error!r}".split())[:200]}


def collect(path, found):
    """Print and keep what comes back, as it comes."""
    rows = []
    for row in found:
        rows.append(row)
        print(row, flush=True)
        write(path, rows)


def show(paths):
    """Print a line for each table and a column for each model, and the means."""
    found = pd.concat(map(pd.read_csv, paths))
    found = found.drop_duplicates(["table", "fold", "model"], keep="last")
    models = found.model.drop_duplicates().tolist()
    means = found.groupby(["table", "model"]).mean(numeric_only=True)
    for kind, fields in (("c-", ["accuracy", "log_loss"]), ("r-", ["error"])):
        names = [n for n in means.index.levels[0] if n.startswith(kind)]
        part = means.loc[names, [*fields, "fit_s", "query_ms"]].unstack()
        part.loc["mean"] = part.mean()
        print(f"\n| table | {' | '.join(models)} | first question, s | query, ms |")
        print("|---|" + "---:|" * (len(models) + 2))
        for name, row in part.iterrows():
            cells = [
                ", ".join(f"{row[f, m]:.{PLACES[f]}f}" for f in fields) for m in models
            ]
            times = [
                f"{row['fit_s', models[0]]:.1f}",
                f"{row['query_ms', models[0]]:.3f}",
            ]
            print(f"| {name.removeprefix(kind)} | {' | '.join([*cells, *times])} |")


def write(path, rows):
    """Write all lines so far."""
    if path is not None:
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS)
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
