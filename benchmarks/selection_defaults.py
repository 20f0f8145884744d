"""How the defaults of lazy selection were chosen, and what they are worth.

    python benchmarks/selection_defaults.py choose RESULTS.json [folder of data sets]
    python benchmarks/selection_defaults.py report RESULTS.json [folder of data sets]

`choose` compares settings on one half of 47 data sets; `report` puts the defaults
beside the published settings and scikit-learn on the other half, which took no part in
any choice (`sklazy_studies.accuracy.sets`). At most 800 rows of a set, five folds,
all rivals on the same folds. Results are kept as soon as they are there, and a second
run goes on where the first one ended. Accuracies in percent, as Markdown.
"""

import itertools
import json
import sys
import warnings
from pathlib import Path

import numpy as np
from rich.progress import track
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from sklazy import (
    LazyKNeighborsClassifier,
    LazyNBClassifier,
    LazySelectionClassifier,
)
from sklazy.casebase import CaseBase
from sklazy.cli.folds import class_folds
from sklazy.estimators.encoded import EncodedModel
from sklazy.tables import Column, Table
from sklazy.tables.origins import expand_columns
from sklazy_studies.accuracy.sets import CHOOSE, MOST_ROWS, REPORT
from sklazy_studies.harness.catalog import find_known
from sklazy_studies.harness.data import data_folder, load_set

HALVES = {"choose": CHOOSE, "report": REPORT}
N_FOLDS, SEED = 5, 200
NEIGHBORS = [1, 3, 5, 10, 20]
N_SERIAL = 12  # sets that are given a column of serial numbers

KNN, NB, ANY = LazyKNeighborsClassifier, LazyNBClassifier, LazySelectionClassifier


# --- what is compared -----------------------------------------------------------------


def lazy_settings():
    """Settings of our own, by name."""
    return {**neighbor_settings(), **bayes_settings(), **tree_settings()}


def neighbor_settings():
    made = {"k-NN, paper": KNN.paper(n_jobs=1)}
    for bins, weights, ties in itertools.product(
        (True, False), ("uniform", "distance"), ("all", "share")
    ):
        name = f"{'bins' if bins else 'numbers'}, {weights}, {ties}"
        rest = {"discretize": bins, "weights": weights, "ties": ties, "n_jobs": 1}
        made[f"k-NN auto, {name}"] = KNN(5, "auto", **rest)
    for amount in (0.3, 0.8, 1.0):
        made[f"k-NN {amount}, numbers, distance, share"] = KNN(5, amount, n_jobs=1)
    for k in (1, 3, 10, 20):
        made[f"k-NN auto, numbers, distance, share, k = {k}"] = KNN(k, n_jobs=1)
    for name, rest in {
        "numbers, distance, share": {},
        "numbers, uniform, share": {"weights": "uniform"},
        "numbers, distance, all": {"ties": "all"},
        "bins, distance, share": {"discretize": True},
        "numbers, distance, share, counts as they are": {"discount_rare_values": False},
    }.items():
        made[f"k-NN auto, {name}, k auto"] = KNN(n_jobs=1, **rest)
    return made


def bayes_settings():
    made = {"naive Bayes, paper": NB.paper(n_jobs=1)}
    for amount in (0.3, 0.8, "auto"):
        made[f"naive Bayes {amount}"] = NB(amount, n_jobs=1)
    made["naive Bayes auto, alpha = 0.3"] = NB(alpha=0.3, n_jobs=1)
    made["naive Bayes auto, normal"] = NB(discretize=False, n_jobs=1)
    made["naive Bayes auto, counts as they are"] = NB(
        discount_rare_values=False, n_jobs=1
    )
    return made


def tree_settings():
    made = {"any classifier, paper": ANY.paper(n_jobs=1)}
    for amount in (0.5, 0.8, 1.0):
        made[f"any classifier {amount}"] = ANY(n_attributes=amount, n_jobs=1)
    return made


def rivals():
    """Defaults, published settings, and scikit-learn."""
    uniform = {"weights": "uniform", "ties": "all"}
    return {
        "LazyKNeighborsClassifier()": KNN(n_jobs=1),
        "its paper()": KNN.paper(n_jobs=1),
        "no selection, as published else": KNN.paper(selection="none", n_jobs=1),
        "default, k = 5": KNN(5, n_jobs=1),
        "default, ties vote in full": KNN(ties="all", n_jobs=1),
        "default, weights uniform": KNN(weights="uniform", n_jobs=1),
        "default, both": KNN(n_jobs=1, **uniform),
        "default, counts as they are": KNN(discount_rare_values=False, n_jobs=1),
        "scikit-learn k-NN, 5, standardized": scaled(StandardScaler()),
        "scikit-learn k-NN, 5, in [0, 1]": scaled(MinMaxScaler()),
        "scikit-learn k-NN, by cross-validation": tuned(),
        "LazyNBClassifier()": NB(n_jobs=1),
        "its paper() ": NB.paper(n_jobs=1),
        "default, counts as they are ": NB(discount_rare_values=False, n_jobs=1),
        "CategoricalNB on bins": BinnedBayes(),
        "GaussianNB": EncodedModel(GaussianNB()),
        "LazySelectionClassifier()": ANY(n_jobs=1),
        "its paper()  ": ANY.paper(n_jobs=1),
        "its tree alone": ANY(selection="none", n_jobs=1),
    }


def with_serial():
    """Models that are given a column of serial numbers, as labels."""
    made = {}
    for amount in (0.3, "auto"):
        for rare in (False, True):
            counts = "discounted" if rare else "as they are"
            settings = {"n_attributes": amount, "discount_rare_values": rare}
            made[f"k-NN {amount}, {counts}"] = KNN(n_jobs=1, **settings)
            made[f"naive Bayes {amount}, {counts}"] = NB(n_jobs=1, **settings)
    return made


def scaled(scaler):
    model = Pipeline([("scale", scaler), ("knn", KNeighborsClassifier(5))])
    return EncodedModel(model)


def tuned():
    """k-NN whose scaling, k and weights are the best of 20 by five folds."""
    pipeline = Pipeline([("scale", StandardScaler()), ("knn", KNeighborsClassifier())])
    grid = {
        "scale": [StandardScaler(), MinMaxScaler()],
        "knn__n_neighbors": NEIGHBORS,
        "knn__weights": ["uniform", "distance"],
    }
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return EncodedModel(GridSearchCV(pipeline, grid, cv=folds, error_score=0.0))


class BinnedBayes(BaseEstimator):
    """scikit-learn's naive Bayes of categories, on the bins that ours sees."""

    def fit(self, X, y):
        labels, codes = np.unique(y, return_inverse=True)
        classes = Column("class", "nominal", codes.astype(np.int32), tuple(labels))
        self.base_ = CaseBase(X, classes)
        sizes = np.diff(self.base_.cases.offsets) + 1  # 0 is missing or unseen
        self.model_ = CategoricalNB(min_categories=sizes).fit(self._codes(X), y)
        return self

    def predict(self, X):
        return self.model_.predict(self._codes(X))

    def _codes(self, X):
        return np.maximum(self.base_.encode(X).codes, -1) + 1


# --- the runs -------------------------------------------------------------------------


def main(half, path, folder):
    plain = lazy_settings() if half == "choose" else rivals()
    serial = {f"serial number, {name}": model for name, model in with_serial().items()}
    store = Store(Path(path))
    for i, name in enumerate(track(HALVES[half], half)):
        data = draw(load_set(find_known(name), folder))
        tasks = [(plain, data[0]), (serial, with_numbers(*data))]
        for models, table in tasks[: 2 if i < N_SERIAL else 1]:
            todo = {k: m for k, m in models.items() if not store.has(name, k)}
            for key, right in accuracies(todo, table, data[1]):
                store.keep(name, key, right)
    show(plain, HALVES[half], store)
    show(serial, HALVES[half][:N_SERIAL], store)


class Store:
    """Accuracies by set and model, in a JSON file."""

    def __init__(self, path):
        self.path = path
        self.kept = json.loads(path.read_text()) if path.exists() else {}

    def has(self, name, key):
        return key in self.kept.get(name, {})

    def keep(self, name, key, right):
        self.kept.setdefault(name, {})[key] = right
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.kept, indent=1))
        new.replace(self.path)


def draw(data):
    """A table and its classes, at most so many rows, classes in proportion."""
    table, classes = expand_columns(data.table), data.classes
    if len(classes) > MOST_ROWS:
        parts = class_folds(classes.data, 20 * len(classes) // MOST_ROWS + 1, seed=7)
        kept = np.flatnonzero(parts < 20)[:MOST_ROWS]
        table, classes = table.take(kept), classes.take(kept)
    return table, classes


def with_numbers(table, classes):
    """The table with a column that names each row."""
    n = len(classes)
    codes, names = np.arange(n, dtype=np.int32), tuple(f"no. {i}" for i in range(n))
    serial = Column("serial", "nominal", codes, names)
    return Table((*table.columns, serial), n)


def accuracies(models, table, classes):
    """The share of correct predictions of each model, over all folds."""
    folds = class_folds(classes.data, N_FOLDS, SEED)
    labels = np.array(classes.categories, dtype=object)[classes.data]
    for name, model in models.items():
        right = 0
        for fold in range(N_FOLDS):
            train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fitted = clone(model).fit(table.take(train), labels[train].astype(str))
                predicted = fitted.predict(table.take(test))
            right += int((predicted == labels[test].astype(str)).sum())
        yield name, right / len(labels)


SHOWN = (
    "LazyKNeighborsClassifier()",
    "its paper()",
    "scikit-learn k-NN, by cross-validation",
    "LazyNBClassifier()",
    "its paper() ",
    "CategoricalNB on bins",
    "GaussianNB",
)
"""What is told set by set."""


# --- what was found -------------------------------------------------------------------


def show(models, names, store):
    """Every model's mean, and how often the defaults are better than it."""
    by_model = {
        key: np.array([store.kept[name][key] for name in names]) * 100 for key in models
    }
    ours = {"k-NN": "LazyKNeighborsClassifier()", "NB": "LazyNBClassifier()"}
    print("| | accuracy | default better / equal / worse: k-NN | naive Bayes |")
    print("|---|---:|---|---|")
    for key, percents in by_model.items():
        sides = []
        for default in ours.values():
            apart = by_model[default] - percents if default in by_model else np.zeros(0)
            counts = [(apart > 1e-9), (abs(apart) <= 1e-9), (apart < -1e-9)]
            sides.append(" / ".join(str(int(c.sum())) for c in counts))
        print(f"| {key} | {percents.mean():.2f} | {sides[0]} | {sides[1]} |")
    shown = {key: by_model[key] for key in SHOWN if key in by_model}
    if not shown:
        return
    print("\n| set |", " | ".join(shown), "|")
    print("|---|" + "---:|" * len(shown))
    for i, name in enumerate(names):
        print(f"| {name} |", " | ".join(f"{p[i]:.1f}" for p in shown.values()), "|")


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in HALVES:
        sys.exit(__doc__)
    main(*sys.argv[1:3], data_folder(sys.argv[3] if sys.argv[3:] else None))
