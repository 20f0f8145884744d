"""How well an audit ranks labels that were made wrong, against cleanlab.

    python benchmarks/audit_labels.py results.json [folder [set ...]]
    python benchmarks/audit_labels.py sizes 2000 5000 10000

Of each set (at most 800 rows) 5 and 10 % of the labels are changed: to any other class
(`uniform`), or to the class that the row's class is most often taken for (`confused`,
by cross-validated logistic regression on the true labels). Every method ranks all rows;
the figure is the average precision of that ranking. The peer is cleanlab (a library of
its own licence, so it is no extra of ours: install it beside), which ranks by the
quality of labels from class probabilities: those of a random forest of 100 trees and of
logistic regression, each cross-validated in 5 folds. Without cleanlab one minus the
probability of the own label stands in for it, which is what it computes by default.
Times are of the processor (one thread), with all that is compiled warm, and of a
ranking from the frame on, for every method; `whole` is a whole audit with all its
findings: the cases behind each label, duplicates, novel rows, columns. Sets already in
the file of results are not run again. `sizes` times audits of made-up tables of 20
attributes.
"""

import json
import os
import pathlib
import sys
import time

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sklazy import audit
from sklazy.cli.folds import class_folds
from sklazy_studies.harness.catalog import find_known
from sklazy_studies.harness.data import data_folder, load_set

try:
    from cleanlab.rank import get_label_quality_scores
except ModuleNotFoundError:
    get_label_quality_scores = None

NAMES = """
anneal balance-scale breast-w car credit-a dermatology diabetes ecoli heart-c
ionosphere segment soybean vehicle vote wine
"""
MOST_ROWS = 800
SHARES, KINDS = (0.05, 0.10), ("uniform", "confused")
METHODS = ("audit", "forest", "logistic")


def load(name, folder):
    """A frame and its classes, at most 800 rows in the classes' proportions."""
    data = load_set(find_known(name), folder)
    classes, frame = np.asarray(data.classes.data), data.table.to_pandas()
    if len(classes) > MOST_ROWS:
        parts = class_folds(classes, int(np.ceil(len(classes) / MOST_ROWS * 20)), 7)
        kept = np.flatnonzero(parts < 20)[:MOST_ROWS]
        classes, frame = classes[kept], frame.iloc[kept]
    return frame, classes


def make_peer(name):
    """An eager classifier for mixed tables."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    labels = OneHotEncoder(handle_unknown="ignore")
    columns = make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (labels, make_column_selector(dtype_exclude="number")),
    )
    if name == "forest":
        return make_pipeline(columns, RandomForestClassifier(100, random_state=0))
    return make_pipeline(columns, LogisticRegression(max_iter=1000))


def cross_validate(name, frame, labels):
    """Class probabilities of each row by the other folds."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    model = make_peer(name)
    return cross_val_predict(model, frame, labels, cv=folds, method="predict_proba")


def rank(name, frame, labels):
    """How doubtful each label is."""
    if name == "audit":
        return audit(frame, labels, task="classification", n_jobs=1).doubts
    shares = cross_validate(name, frame, labels)
    if get_label_quality_scores is None:
        return 1 - shares[np.arange(len(labels)), labels]
    return 1 - get_label_quality_scores(labels, shares)


def spoil(classes, share, kind, confusion, seed):
    """Labels of which a share is wrong, and which ones these are."""
    rng = np.random.default_rng(seed)
    wrong = np.zeros(len(classes), bool)
    wrong[rng.choice(len(classes), round(share * len(classes)), False)] = True
    labels, n_classes = classes.copy(), len(confusion)
    shifts = rng.integers(1, n_classes, len(classes))
    other = (classes + shifts) % n_classes if kind == "uniform" else None
    labels[wrong] = (confusion[classes] if other is None else other)[wrong]
    return labels, wrong


def find_confusion(frame, classes):
    """The class that each class is most often taken for."""
    shares = cross_validate("logistic", frame, classes)
    means = np.array([shares[classes == c].mean(axis=0) for c in np.unique(classes)])
    np.fill_diagonal(means, -1)
    return means.argmax(axis=1)


def prepare(name, folder):
    """A frame, and classes that have ten rows at least, numbered from 0."""
    frame, classes = load(name, folder)
    kept = np.bincount(classes)[classes] >= 10
    frame = frame[kept].reset_index(drop=True)
    return frame, np.unique(classes[kept], return_inverse=True)[1]


def measure(name, folder):
    """Average precision and seconds of each method, by share and kind."""
    frame, classes = prepare(name, folder)
    confusion, runs = find_confusion(frame, classes), []
    rank("audit", frame, classes)  # compiles
    for seed, (share, kind) in enumerate((s, k) for s in SHARES for k in KINDS):
        labels, wrong = spoil(classes, share, kind, confusion, seed)
        figures = {"share": share, "kind": kind}
        for method in METHODS:
            begin = time.process_time()
            doubts = rank(method, frame, labels)
            figures[f"{method}_seconds"] = time.process_time() - begin
            figures[method] = average_precision_score(wrong, doubts)
        begin = time.process_time()
        assert audit(frame, labels, task="classification", n_jobs=1).findings
        figures["whole_seconds"] = time.process_time() - begin
        runs.append(figures)
    return {"rows": len(classes), "classes": len(confusion), "runs": runs}


def show(results):
    """Print a line for each set, then means and wins."""
    print(f"cleanlab: {'yes' if get_label_quality_scores else 'stood in for'}")
    titles = [f"{m[:6]} {k[:4]}{s:.0%}" for s in SHARES for k in KINDS for m in METHODS]
    print(f"{'':16s}", *[f"{t:>14s}" for t in titles], "   seconds", sep="")
    table = []
    for name, measured in results.items():
        runs = measured["runs"]
        timed = (*METHODS, "whole")
        times = [min(run[f"{m}_seconds"] for run in runs) for m in timed]
        table.append([run[m] for run in runs for m in METHODS] + times)
        print(f"{name:16s}", *[f"{x:14.3f}" for x in table[-1]], sep="")
    means = np.mean(table, axis=0)
    print(f"{'mean':16s}", *[f"{x:14.3f}" for x in means], sep="")
    print(
        f"ranking takes {means[-4] / means[-3]:.2f} of the forest's time, "
        f"{means[-4] / means[-2]:.2f} of that of logistic regression"
    )
    for j, method in enumerate(METHODS[1:], 1):
        cells = np.array(table)[:, :-4].reshape(len(table), -1, 3)
        by_set = cells.mean(axis=1)
        print(
            f"better than {method}: {(by_set[:, 0] > by_set[:, j]).sum()} of "
            f"{len(table)} sets, {(cells[:, :, 0] > cells[:, :, j]).sum()} of "
            f"{cells[:, :, 0].size} runs"
        )


def time_sizes(*sizes):
    """Print the seconds that an audit takes, for numbers of rows."""
    for n_rows in map(int, ("500", *sizes)):  # the first compiles
        X, y = make_classification(n_rows, 20, n_informative=8, random_state=0)
        X = X.round(2)
        begin = time.process_time()
        audited = audit(X, y, task="classification", n_jobs=1)
        ranked = time.process_time() - begin
        summary = repr(audited)  # makes the findings
        took = time.process_time() - begin
        print(f"{n_rows:6d} rows {ranked:7.1f} s, {took:.1f} s whole  {summary}")


def main(path, folder=None, *names):
    """Run what is not yet in the file, then print all of it."""
    file = pathlib.Path(path)
    results = json.loads(file.read_text()) if file.exists() else {}
    for name in names or NAMES.split():
        if name not in results:
            results[name] = measure(name, data_folder(folder))
            file.write_text(json.dumps(results, indent=1))
            print(name, flush=True)
    show(results)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    run = time_sizes if sys.argv[1] == "sizes" else main
    run(*sys.argv[2 if run is time_sizes else 1 :])
