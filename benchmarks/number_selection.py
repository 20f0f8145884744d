"""What lazy attribute selection is worth for numbers, and how its defaults were chosen.

    python benchmarks/number_selection.py choose|report|noise [folder [results.json]]

`choose` compares settings on one half of the sets, `report` on the other beside
scikit-learn's k-NN: lazy, eager and no selection at nine percentages, then other
settings. Each set is split into at most 2000 rows to learn from and 500 to predict,
three times, to report by other seeds. Root mean squared
errors over those of the mean; the last column is their geometric mean over the sets.
`noise` says how often columns of noise are cut. With a file of results what is in it
is not computed again.
"""

import json
import pathlib
import sys

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_diabetes
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklazy import LazyKNeighborsRegressor, read_table
from sklazy.casebase.cuts import column_number_cuts
from sklazy.measures.spread import score_targets
from sklazy_studies.harness.data import data_folder

HALVES = {
    "choose": ("house_8L", "house_16H", "pol", "triazines"),
    "report": ("ailerons", "elevators", "wisconsin", "diabetes"),
}
SEEDS = {"choose": range(3), "report": range(100, 103)}
N_LEARNED, N_ASKED = 2000, 500
PERCENT = range(10, 100, 10)

BEFORE = {
    "n_neighbors": 5,
    "n_attributes": "auto",
    "selection": "lazy",
    "measure": "rank_variance",
    "discretize": False,
    "weights": "distance",
    "ties": "share",
    "discount_rare_values": True,
}
PLAIN = {"n_neighbors": 5, "n_attributes": 0.5, "weights": "uniform"}
SETTINGS = {
    **{
        f"{how} {percent} %": {
            **PLAIN,
            "selection": how,
            "n_attributes": percent / 100,
        }
        for how in ("lazy", "eager")
        for percent in PERCENT
    },
    "none": {**PLAIN, "selection": "none"},
    "as published for classes": {
        "n_attributes": 0.3,
        "discretize": True,
        "weights": "uniform",
        "ties": "all",
        "discount_rare_values": False,
    },
    **{
        f"{how} auto, {k} neighbors, {weights}": {
            "selection": how,
            "n_neighbors": k,
            "weights": weights,
        }
        for weights in ("uniform", "distance")
        for k in (3, 5, 10, 20)
        for how in ("lazy", "eager", "none")
    },
    **{
        f"lazy {words}": options
        for words, options in {
            "auto, variance": {"measure": "variance", "n_neighbors": 10},
            "auto, rare values as they are": {
                "discount_rare_values": False,
                "n_neighbors": 10,
            },
            "auto, bins": {"discretize": True, "n_neighbors": 10},
            "auto, all ties": {"ties": "all", "n_neighbors": 10},
            "local": {"n_attributes": "local", "n_neighbors": 10},
            "vote": {"n_attributes": "vote", "n_neighbors": 10},
            "vote, variance": {
                "n_attributes": "vote",
                "measure": "variance",
                "n_neighbors": 10,
            },
        }.items()
    },
    **{
        f"{how} vote, {k} neighbors": {
            "selection": how,
            "n_attributes": "vote",
            "n_neighbors": k,
        }
        for how, k in (("lazy", 5), ("lazy", 20), ("eager", 10))
    },
}


def scaled(model):
    return make_pipeline(StandardScaler(), model)


def tuned():
    grid = {
        "kneighborsregressor__n_neighbors": [3, 5, 10, 20],
        "kneighborsregressor__weights": ["uniform", "distance"],
    }
    return GridSearchCV(scaled(KNeighborsRegressor()), grid, cv=5)


PEERS = {
    "scikit-learn, scaled, 5 neighbors": lambda: scaled(KNeighborsRegressor()),
    "scikit-learn, scaled, 10 neighbors": lambda: scaled(KNeighborsRegressor(10)),
    "scikit-learn, scaled, k and weights by 5 folds": tuned,
}


def load_data(name, folder):
    if name == "diabetes":
        return load_diabetes(return_X_y=True)
    (path,) = (folder / "regression").glob(f"{name}.arff*")
    columns = [column.data for column in read_table(path)]
    return np.column_stack(columns[:-1]), columns[-1]


def split(X, y, seed):
    order = np.random.default_rng(seed).permutation(len(X))
    tested = order[: min(N_ASKED, len(X) // 5)]
    learned = order[len(tested) : len(tested) + N_LEARNED]
    return X[learned], y[learned], X[tested], y[tested]


def errors_of(data, seed, errors):
    """Add the errors of settings and peers on one split; one fit serves all settings.

    `errors` has those that are known.
    """
    X, y, queries, wanted = split(*data, seed)
    baseline = np.sqrt(np.mean((wanted - y.mean()) ** 2))

    def error(predicted):
        return float(np.sqrt(np.mean((predicted - wanted) ** 2)) / baseline)

    model = LazyKNeighborsRegressor(n_jobs=1).fit(X, y)
    for name, setting in SETTINGS.items():
        if name not in errors:
            model.set_params(**{**BEFORE, **setting})
            errors[name] = error(model.predict(queries))
    for name, make in PEERS.items():
        if name not in errors:
            errors[name] = error(make().fit(X, y).predict(queries))
    return errors


def compare(half, folder, kept):
    results = json.loads(kept.read_text()) if kept and kept.exists() else {}
    for name in HALVES[half]:
        data = load_data(name, folder)
        for seed in SEEDS[half]:
            known = results.get(f"{name} {seed}", {})
            results[f"{name} {seed}"] = errors_of(data, seed, known)
            if kept:
                kept.write_text(json.dumps(results))
    show(half, results)


def show(half, results):
    table = Table("method", *HALVES[half], "all", box=None)
    for method in [*SETTINGS, *PEERS]:
        means = [
            np.mean([results[f"{name} {seed}"][method] for seed in SEEDS[half]])
            for name in HALVES[half]
        ]
        cells = [f"{mean:.3f}" for mean in means]
        table.add_row(method, *cells, f"{np.exp(np.log(means).mean()):.4f}")
    Console(width=160).print(table)


NOISE = {
    "normal": lambda rng, n: rng.normal(size=n),
    "Cauchy": lambda rng, n: rng.standard_cauchy(n),
    "log-normal": lambda rng, n: np.exp(3 * rng.normal(size=n)),
    "two values": lambda rng, n: rng.integers(0, 2, n) * 1.0,
    "one in ten": lambda rng, n: (rng.random(n) < 0.1) * 1.0,
    "mostly zero": lambda rng, n: np.where(rng.random(n) < 0.7, 0.0, rng.random(n)),
}


def measure_noise(n_tried=4000):
    """Per cent of columns of noise that are cut, by the target and the rows."""
    sizes = (8, 12, 20, 50, 100, 1000)
    table = Table("target", *map(str, sizes), box=None)
    for name, draw in NOISE.items():
        cells = []
        for n_rows in sizes:
            rng, n_cut = np.random.default_rng(n_rows), 0
            for _ in range(n_tried):
                ranks = score_targets(draw(rng, n_rows), "rank_variance")
                n_cut += len(column_number_cuts(rng.random(n_rows), ranks)) > 0
            cells.append(f"{100 * n_cut / n_tried:.2f}")
        table.add_row(name, *cells)
    Console(width=160).print(table)


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "noise":
        measure_noise()
    else:
        where = data_folder(rest[0] if rest else None)
        compare(what, where, pathlib.Path(rest[1]) if rest[1:] else None)
