"""How many attributes have to be measured until answers are nearly as good as can be.

    python benchmarks/next_attribute.py results.json [folder [set ...]]

Two thirds of each set (at most 800 rows) are learned by naive Bayes, and 120 of the
other rows are asked for with nothing known at first. Attributes are then measured one
by one: as `suggest_attribute` says for each row, in one fixed order by information
gain, or in a random order of each row's own. The figure is how many it takes until the
share of right answers has come 95 % of the way from none known to all known: for the
first time, and for good; the mean of two splits. Sets already in the file of results
are not run again.
"""

import json
import pathlib
import sys

import numpy as np

from sklazy import AttributeRanker, LazyNBClassifier
from sklazy.answer.next_attribute import answer, hide
from sklazy.cli.folds import class_folds
from sklazy_studies.harness.catalog import find_known
from sklazy_studies.harness.data import data_folder, load_set

NAMES = """
anneal audiology credit-a dermatology heart-c lymph segment soybean vehicle vote wine
zoo
"""
ORDERS = ("suggested", "fixed", "random")
MOST_ROWS, N_QUERIES, SEEDS = 800, 120, (5, 6)


def load(name, folder):
    """A frame and its classes, at most 800 rows in the classes' proportions."""
    data = load_set(find_known(name), folder)
    classes, frame = np.asarray(data.classes.data), data.table.to_pandas()
    if len(classes) > MOST_ROWS:
        parts = class_folds(classes, int(np.ceil(len(classes) / MOST_ROWS * 20)), 7)
        kept = np.flatnonzero(parts < 20)[:MOST_ROWS]
        classes, frame = classes[kept], frame.iloc[kept]
    return frame, classes


def play(model, order, frame, classes):
    """The share of right answers with 0, 1, ... attributes in given orders."""
    cases, rows = model.cases_, np.arange(len(frame))
    queries = cases.encode(model._query_table(frame))
    known, scores = np.zeros(queries.codes.shape, bool), []
    for step in range(order.shape[1] + 1):
        shown = hide(queries, known)
        labels = answer(model._learner(), cases, shown, n_jobs=1).values
        scores.append(float((labels == classes).mean()))
        if step < order.shape[1]:
            known[rows, order[:, step]] = True
    return scores


def orders(frame, classes, n_queries, seed):
    """The fixed order of all rows, and a random one of each."""
    ranker = AttributeRanker(measure="entropy").fit(frame, classes)
    fixed = np.argsort(-ranker.scores_, kind="stable")
    rng = np.random.default_rng(seed)
    mixed = rng.permuted(np.tile(np.arange(len(fixed)), (n_queries, 1)), axis=1)
    return np.tile(fixed, (n_queries, 1)), mixed


def measure(name, folder, seed):
    """The curves of the three orders."""
    frame, classes = load(name, folder)
    folds = class_folds(classes, 3, seed)
    learn, ask = folds != 0, np.flatnonzero(folds == 0)[:N_QUERIES]
    model = LazyNBClassifier(selection="none", n_jobs=1)
    model.fit(frame[learn], classes[learn])
    queries, truth = frame.iloc[ask], classes[ask]
    played = model.acquire(queries)
    suggested = played.score(truth).tolist()
    n = frame.shape[1] + 1
    suggested += suggested[-1:] * (n - len(suggested))  # nothing more to be gained
    fixed, mixed = orders(frame[learn], classes[learn], len(ask), seed)
    curves = [suggested, *(play(model, o, queries, truth) for o in (fixed, mixed))]
    return dict(zip(ORDERS, curves, strict=True))


def needed(curve, goal):
    """How many attributes until the goal is reached: first, and for good."""
    reached = np.asarray(curve) >= goal - 1e-12
    below = np.flatnonzero(~reached)
    first = int(reached.argmax()) if reached.any() else len(curve) - 1
    return first, min(int(below[-1]) + 1 if len(below) else 0, len(curve) - 1)


def show(results):
    """Print a line for each set, then means."""
    print(f"{'':14s}attributes   none    all", end="")
    print("".join(f"{o + t:>17s}" for o in ORDERS for t in (" first", " for good")))
    table = []
    for name, runs in results.items():
        line = []
        for curves in runs:
            none, all_of_them = curves["fixed"][0], curves["fixed"][-1]
            goal = none + 0.95 * (all_of_them - none)
            line.append([n for o in ORDERS for n in needed(curves[o], goal)])
        n, none, last = len(runs[0]["fixed"]) - 1, none, all_of_them
        table.append(np.mean(line, axis=0))
        print(f"{name:14s}{n:10d}{none:7.3f}{last:7.3f}", end="")
        print("".join(f"{x:17.1f}" for x in table[-1]))
    print(
        f"{'mean':38s}", "".join(f"{x:17.2f}" for x in np.mean(table, axis=0)), sep=""
    )


def main(path, folder=None, *names):
    """Run what is not yet in the file, then print all of it."""
    file = pathlib.Path(path)
    results = json.loads(file.read_text()) if file.exists() else {}
    for name in names or NAMES.split():
        if name not in results:
            results[name] = [measure(name, data_folder(folder), s) for s in SEEDS]
            file.write_text(json.dumps(results, indent=1))
            print(name, flush=True)
    show(results)


if __name__ == "__main__":
    main(*sys.argv[1:])
