"""How the defaults of lazy bagging and stacking were chosen, and what they are worth.

    python benchmarks/ensemble_defaults.py choose [folder of data sets]
    python benchmarks/ensemble_defaults.py report [folder of data sets]

`choose` compares settings on one half of the sets of Homayouni, Hashemi and Hamzeh;
`report` puts the defaults beside the published settings and what scikit-learn has, on
the other half, which took no part in the choice. Five folds, three times; every rival
sees the same folds. Accuracies in percent, and the mean rank over the sets.
"""

import sys

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scipy.stats import rankdata
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from sklazy import LazyBaggingClassifier, LazyStackingClassifier
from sklazy.cli.folds import class_folds
from sklazy.estimators.encoded import EncodedModel
from sklazy_studies.harness.catalog import find_known
from sklazy_studies.harness.data import data_folder, load_set

HALVES = {
    "choose": ("audiology", "labor", "balance-scale", "diabetes", "bupa", "car"),
    "report": ("hayes-roth", "colic", "glass", "sonar", "ecoli", "kr-vs-kp", "lymph"),
}
SEEDS, N_FOLDS = range(100, 103), 5


def settings():
    """What could be the default, by name."""
    made = {"lazy bagging, paper": LazyBaggingClassifier.paper}
    for features in (None, "sqrt", 0.35):
        for rules, how in RULES.items():
            name = f"lazy bagging 100, {features or 'all'}, {rules}, vote"
            made[name] = lambda f=features, h=how: LazyBaggingClassifier(
                100, max_features=f, combine="vote", **h
            )
    made["lazy bagging 100, 0.35, C4.5, probability"] = lambda: LazyBaggingClassifier(
        100, max_features=0.35, combine="probability", **RULES["C4.5"]
    )
    made["lazy stacking, paper"] = LazyStackingClassifier.paper
    for members in MEMBERS:
        for combine in ("vote", "probability"):
            name = f"lazy stacking {' '.join(members)}, {combine}"
            made[name] = lambda m=members, c=combine: LazyStackingClassifier(
                list(m),
                n_estimators=10 * len(m),
                max_features=0.35,
                combine=c,
                **RULES["C4.5"],
            )
    return made


RULES = {
    "C4.5": {
        "min_branch_weight": 2.0,
        "c45_min_side": True,
        "penalize_numeric_splits": True,
        "penalize_nominal_splits": False,
        "split_at_values": True,
    },
    "free": {
        "min_branch_weight": 1.0,
        "c45_min_side": False,
        "penalize_numeric_splits": False,
        "penalize_nominal_splits": False,
        "split_at_values": False,
    },
}

MEMBERS = (
    ("tree", "bayes", "neighbors", "linear", "rule"),
    ("tree", "tree", "tree", "bayes", "linear"),
    ("tree", "tree", "bayes", "linear"),
    ("tree", "neighbors", "linear"),
    ("tree", "linear"),
)


def rivals():
    """The defaults, the published settings, and what a user would take today."""
    return {
        "lazy bagging": LazyBaggingClassifier,
        "lazy stacking": LazyStackingClassifier,
        "lazy bagging, paper": LazyBaggingClassifier.paper,
        "lazy stacking, paper": LazyStackingClassifier.paper,
        "random forest, 500": lambda: EncodedModel(
            RandomForestClassifier(500, n_jobs=-1, random_state=0)
        ),
        "extra trees, 500": lambda: EncodedModel(
            ExtraTreesClassifier(500, n_jobs=-1, random_state=0)
        ),
        "HistGradientBoosting": lambda: EncodedModel(
            HistGradientBoostingClassifier(random_state=0), categories=True
        ),
        "scikit-learn stacking": lambda: EncodedModel(stacking(), scaled=True),
    }


def stacking():
    """Members of the kinds that lazy stacking has."""
    members = [
        ("tree", DecisionTreeClassifier(random_state=0)),
        ("bayes", GaussianNB()),
        ("neighbors", KNeighborsClassifier(5)),
        ("linear", LogisticRegression(max_iter=1000)),
    ]
    return StackingClassifier(members, LogisticRegression(max_iter=1000))


def main(half, folder):
    makers = settings() if half == "choose" else rivals()
    cells = [(name, seed) for name in HALVES[half] for seed in SEEDS]
    right = {name: np.zeros(len(makers)) for name in HALVES[half]}
    for name, seed in track(cells, "sets and repetitions"):
        right[name] += accuracies(makers, load_set(find_known(name), folder), seed)
    percents = np.array([100 * right[name] / len(SEEDS) for name in HALVES[half]])
    ranks = rankdata(-percents.round(6), axis=1).mean(axis=0)
    table = Table(half, *HALVES[half], "mean", "mean rank", box=None)
    for i, rival in enumerate(makers):
        figures = [*percents[:, i], percents[:, i].mean(), ranks[i]]
        table.add_row(rival, *(f"{figure:.2f}" for figure in figures))
    Console(width=200).print(table)


def accuracies(makers, data, seed):
    """The accuracy of every rival, over all folds."""
    classes = data.classes
    folds = class_folds(classes.data, N_FOLDS, seed)
    right = np.zeros(len(makers))
    for fold in range(N_FOLDS):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        X, y = data.table.take(train), classes.take(train)
        truth = np.array(classes.categories, dtype=object)[classes.data[test]]
        for i, make in enumerate(makers.values()):
            predicted = make().fit(X, y).predict(data.table.take(test))
            right[i] += np.sum(np.asarray(predicted, dtype=object) == truth)
    return right / len(classes)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in HALVES:
        sys.exit(__doc__)
    main(sys.argv[1], data_folder(sys.argv[2] if sys.argv[2:] else None))
