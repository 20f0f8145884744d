"""How the defaults of LazyLearningRegressor were chosen: rivals side by side.

    python benchmarks/regression_defaults.py [folder of data sets]

Each set is split five times into at most 2000 rows to learn from and 400 to predict;
errors are relative to predicting the median (mean absolute error) or the mean (root
mean squared error); the last columns are geometric means over the sets. Choices were
made on the seeds 0 to 2; these are others.
"""

import os
import pathlib
import sys
import warnings

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklazy import LazyLearningRegressor, read_table

SEEDS, N_TRAIN, N_TEST = range(100, 105), 2000, 400
ONE_LINE = {"degrees": 1, "n_best": 1, "ridge": 1e-6}

RIVALS = {
    "10 neighbors (scikit-learn, scaled)": lambda: make_pipeline(
        StandardScaler(), KNeighborsRegressor(10)
    ),
    "R's lazy": LazyLearningRegressor.r_lazy,
    "one line": lambda: LazyLearningRegressor(**ONE_LINE),
    "one line, manhattan": lambda: LazyLearningRegressor(
        **ONE_LINE, metric="manhattan"
    ),
    "one line, scaled by range": lambda: LazyLearningRegressor(
        **ONE_LINE, scale="range"
    ),
    "one line, ridge 0.1": lambda: LazyLearningRegressor(degrees=1, n_best=1),
    "one constant": lambda: LazyLearningRegressor(degrees=0, n_best=1),
    "best of constants and lines": lambda: LazyLearningRegressor(n_best=1),
    "ten best of all": lambda: LazyLearningRegressor(n_best=10),
    "twenty best of all": lambda: LazyLearningRegressor(n_best=20),
    "ridge 1e-6": lambda: LazyLearningRegressor(ridge=1e-6),
    "ridge 1": lambda: LazyLearningRegressor(ridge=1.0),
    "default: 3 constants, 7 lines, ridge 0.1": LazyLearningRegressor,
}


def main(folder):
    sets = dict(load_sets(folder))
    table = Table("rival", *sets, "all, absolute", "all, squared", box=None)
    for name, make in RIVALS.items():
        errors = np.array([mean_errors(make, *data) for data in sets.values()])
        means = np.exp(np.log(errors).mean(axis=0))
        cells = [f"{absolute:.3f}" for absolute, _ in errors]
        table.add_row(name, *cells, *(f"{mean:.4f}" for mean in means))
    Console(width=200).print(table)


def load_sets(folder):
    for path in sorted(folder.glob("*.arff*")):
        columns = [column.data for column in read_table(path)]
        yield path.name.split(".")[0], (np.column_stack(columns[:-1]), columns[-1])
    yield "diabetes", load_diabetes(return_X_y=True)
    yield "friedman", make_friedman1(2500, 10, noise=1.0, random_state=0)


def mean_errors(make, X, y):
    """Relative absolute and squared errors, over all splits."""
    errors = []
    for seed in SEEDS:
        order = np.random.default_rng(seed).permutation(len(X))
        test = order[: min(N_TEST, len(X) // 5)]
        train = order[len(test) : len(test) + N_TRAIN]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                predicted = make().fit(X[train], y[train]).predict(X[test])
            except ValueError:  # R refuses where there are fewer rows than it wants
                predicted = np.full(len(test), np.median(y[train]))
        error = y[test] - predicted
        absolute = np.abs(error).mean() / np.abs(y[test] - np.median(y[train])).mean()
        squared = np.sqrt((error**2).mean()) / y[test].std()
        errors.append((absolute, squared))
    return np.mean(errors, axis=0)


if __name__ == "__main__":
    beside = pathlib.Path(__file__).parent / ".." / ".." / "shared" / "data"
    data = sys.argv[1] if sys.argv[1:] else os.environ.get("SKLAZY_DATA", beside)
    main(pathlib.Path(data) / "regression")
