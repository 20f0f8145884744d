"""What it is worth that nominal splits pay for chance, and what random splits are.

    python benchmarks/many_categories.py choose|invent|report [folds [folder]]

Lazy bagging as in C4.5, with `penalize_nominal_splits`, and with random splits, on the
same folds of at most 800 rows. The rule was chosen on every second set (`choose`) and
on these with two columns of made-up categories added, half and a sixth as many as there
are rows (`invent`); `report` has the other sets. Accuracies in percent.
"""

import sys

import numpy as np
import pandas as pd

from sklazy import LazyBaggingClassifier
from sklazy.cli.folds import class_folds
from sklazy_studies.harness.catalog import find_known
from sklazy_studies.harness.data import data_folder, load_set

NAMES = """
anneal audiology autos balance-scale breast-cancer breast-w bridges-version1 bupa
car cmc colic credit-a credit-g cylinder-bands dermatology diabetes ecoli flags
glass haberman hayes-roth heart-c heart-h heart-statlog hepatitis hypothyroid
ionosphere iris kr-vs-kp lymph primary-tumor promoters segment sick solar-flare2
sonar soybean spect splice tae tic-tac-toe vehicle vote vowel wdbc wine zoo
"""
MODELS = {
    "C4.5": {"penalize_nominal_splits": False},
    "default": {},
    "random": {"splits": "random"},
}
MOST_ROWS, N_FOLDS, SEED = 800, 5, 200


def load(name, folder, invent):
    """A frame and its classes, at most 800 rows in the classes' proportions."""
    data = load_set(find_known(name), folder)
    classes, frame = np.asarray(data.classes.data), data.table.to_pandas()
    if len(classes) > MOST_ROWS:
        parts = class_folds(classes, int(np.ceil(len(classes) / MOST_ROWS * 20)), 7)
        kept = np.flatnonzero(parts < 20)[:MOST_ROWS]
        classes, frame = classes[kept], frame.iloc[kept]
    if invent:
        rng, n_rows = np.random.default_rng(1), len(classes)
        for parts in (2, 6):
            codes = rng.integers(0, n_rows // parts, n_rows)
            frame = frame.assign(**{f"made up {parts}": pd.Categorical(codes)})
    return frame, classes


def measure(frame, classes, n_folds):
    """The accuracy of each model over the first so many of five folds."""
    folds, right = class_folds(classes, N_FOLDS, SEED), []
    for fold in range(n_folds):
        learn, ask = folds != fold, folds == fold
        for settings in MODELS.values():
            model = LazyBaggingClassifier(**settings)
            model.fit(frame[learn], classes[learn])
            right.append(100 * model.score(frame[ask], classes[ask]))
    return np.mean(np.reshape(right, (n_folds, -1)), axis=0)


def main(half, n_folds="2", folder=None):
    """Print a line for each set, then the means."""
    names, figures = NAMES.split()[int(half == "report") :: 2], []
    print(f"{'':18s}", *[f"{name:>8s}" for name in MODELS])
    for name in names:
        frame, classes = load(name, data_folder(folder), half == "invent")
        figures.append(measure(frame, classes, int(n_folds)))
        print(f"{name:18s}", *[f"{x:8.2f}" for x in figures[-1]], flush=True)
    print(f"{'mean':18s}", *[f"{x:8.2f}" for x in np.mean(figures, axis=0)])


if __name__ == "__main__":
    main(*sys.argv[1:])
