"""How the defaults of lazy bagging and stacking of numbers were chosen.

    python benchmarks/number_ensemble_defaults.py choose|report [draws [folder]]

`choose` compares settings on every second of the regression sets of the RACSAM paper,
`report` on the others: 600 rows to learn from, or two thirds, and 150 to predict. Root
mean squared errors, targets of unit variance, and their geometric mean over the sets.
"""

import sys

import numpy as np

from sklazy import LazyBaggingRegressor, LazyStackingRegressor
from sklazy_studies.harness.catalog import find_known
from sklazy_studies.harness.data import data_folder, load_set

HALVES = {
    "choose": ("wisconsin", "house_16H", "ailerons", "pol"),
    "report": ("triazines", "house_8L", "elevators"),
}
N_LEARNED, N_ASKED = 600, 150


def bagging(**settings):
    """What makes lazy bagging of these settings."""
    return lambda: LazyBaggingRegressor(**settings)


def stacking(*kinds, n_estimators=48, max_features=0.5):
    """What makes lazy stacking of these members."""
    settings = {"n_estimators": n_estimators, "max_features": max_features}
    return lambda: LazyStackingRegressor(list(kinds), **settings)


FOUR = "tree", "neighbors", "linear", "rule"
RIVALS = {
    "bagging, paper": LazyBaggingRegressor.paper,
    "bagging 100, all": bagging(max_features=None),
    "bagging 100, 0.5 (default)": bagging(),
    "bagging 100, random, sqrt": bagging(splits="random"),
    "bagging 100, random, all": bagging(splits="random", max_features=None),
    "stacking, paper": LazyStackingRegressor.paper,
    "stacking 48, all": stacking(*FOUR, max_features=None),
    "stacking 48, 3 trees, linear": stacking(*["tree"] * 3, "linear"),
    "stacking 48, tree, neighbors, linear": stacking("tree", "neighbors", "linear"),
    "stacking 48, 4 trees, neighbors, linear (default)": LazyStackingRegressor,
}


def find_error(make, data, draw):
    """The error of a model on one draw of rows."""
    targets = data.numbers / np.std(data.numbers)
    order = np.random.default_rng(draw).permutation(len(targets))
    n_learned = min(N_LEARNED, 2 * len(targets) // 3)
    learn, ask = np.split(order[: n_learned + N_ASKED], [n_learned])
    model = make().fit(data.table.take(learn), targets[learn])
    apart = model.predict(data.table.take(ask)) - targets[ask]
    return np.sqrt(np.mean(apart**2))


def main(half, n_draws="1", folder=None):
    """Print a line for each rival."""
    sets = [load_set(find_known(n), data_folder(folder)) for n in HALVES[half]]
    print(f"{'':50s}", *HALVES[half], "mean")
    for name, make in RIVALS.items():
        errors = [
            np.mean([find_error(make, data, draw) for draw in range(int(n_draws))])
            for data in sets
        ]
        mean = np.exp(np.mean(np.log(errors)))
        print(f"{name:50s}", *[f"{e:.4f}" for e in errors], f"{mean:.4f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
