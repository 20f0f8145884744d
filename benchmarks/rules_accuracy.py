"""What rules of a query are worth beside naive Bayes and the lazy tree.

    python benchmarks/rules_accuracy.py [folder of data sets]

Five folds, the same for all. Accuracies in percent, the mean over the sets, and on how
many sets each is better and worse than naive Bayes by a point or more.
"""

import sys

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from sklazy import (
    LazyAssociativeClassifier,
    LazyBayesRulesClassifier,
    LazyDecisionTreeClassifier,
    LazyNBClassifier,
)
from sklazy.cli.folds import class_folds
from sklazy_studies.harness.catalog import find_known
from sklazy_studies.harness.data import data_folder, load_set

SETS = (
    *("balance-scale", "breast-cancer", "car", "cmc", "credit-a", "credit-g"),
    *("dermatology", "glass", "heart-c", "hepatitis", "ionosphere", "kr-vs-kp"),
    *("lymph", "mushroom", "primary-tumor", "segment", "soybean", "spect"),
    *("splice", "tic-tac-toe", "vote", "zoo"),
)
N_FOLDS = 5
MODELS = {
    "naive Bayes": LazyNBClassifier(selection="none"),
    "Bayesian rules": LazyBayesRulesClassifier(),
    "lazy tree": LazyDecisionTreeClassifier(),
    "rules of 2 values": LazyAssociativeClassifier(),
    "of 2, by support": LazyAssociativeClassifier(rule_weights="support"),
    "of 3 values": LazyAssociativeClassifier(max_length=3),
}


def main(folder):
    figures = [
        accuracies(load_set(find_known(name), folder)) for name in track(SETS, "sets")
    ]
    table = Table("set", *MODELS, box=None)
    for name, row in zip(SETS, figures, strict=True):
        table.add_row(name, *(f"{figure:.1f}" for figure in row))
    table.add_row("mean", *(f"{figure:.2f}" for figure in np.mean(figures, axis=0)))
    gains = np.array(figures) - np.array(figures)[:, :1]
    counts = zip((gains >= 1).sum(axis=0), (gains <= -1).sum(axis=0), strict=True)
    table.add_row("better, worse", *(f"{won}, {lost}" for won, lost in counts))
    Console(width=120).print(table)


def accuracies(data):
    """The accuracy of every model, over all folds, in percent."""
    classes = data.classes
    folds = class_folds(classes.data, N_FOLDS, 0)
    labels = np.array(classes.categories, dtype=object)
    right = np.zeros(len(MODELS))
    for fold in range(N_FOLDS):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        X, y = data.table.take(train), classes.take(train)
        truth = labels[classes.data[test]]
        for i, model in enumerate(MODELS.values()):
            predicted = model.fit(X, y).predict(data.table.take(test))
            right[i] += np.sum(np.asarray(predicted, dtype=object) == truth)
    return 100 * right / len(classes)


if __name__ == "__main__":
    main(data_folder(sys.argv[1] if sys.argv[1:] else None))
