"""What races find, and at what share of the usual cost, over several seeds.

Run: python benchmarks/racing_quality.py WHAT [seeds], WHAT being subsets, recovery,
many, sequential, search or iterated.
"""

import sys
import time
import warnings
from itertools import product

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import loguniform
from sklearn.base import is_classifier
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
    make_friedman1,
)
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    KFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sklazy import LazyLearningRegressor, RaceFeatureSelector, RaceSearchCV, race
from sklazy.flow import Columns
from sklazy.kernels.columns import EUCLIDEAN, NUMERIC
from sklazy.neighbors import find_nearest
from sklazy.racing.masks import members

# --- all subsets of ten inputs, raced row by row --------------------------------------


def subset_losses(seed, n_rows=2000, n_neighbors=10):
    """Leave-one-out errors of k-NN with each of the 1023 subsets, row by row."""
    X, y = make_friedman1(n_rows, 10, noise=1.0, random_state=seed)
    values = np.ascontiguousarray((X / X.std(axis=0)).T)
    rows = np.arange(n_rows)
    losses = np.empty((n_rows, 1023))
    for mask in range(1, 1024):
        columns = list(members(mask))
        ones = np.ones(len(columns))
        kinds = np.full(len(columns), NUMERIC)
        cases = Columns(values[columns], kinds, ones, ones, EUCLIDEAN)
        queries = np.ascontiguousarray(values[columns].T)
        near = find_nearest(cases, queries, n_neighbors, groups=(rows, rows)).rows
        losses[:, mask - 1] = np.abs(y[near].mean(axis=1) - y)
    return losses


def race_subsets(seed):
    """Return whether the race found the best subset, and its share of predictions."""
    losses = subset_losses(seed)
    order = np.random.default_rng(seed).permutation(len(losses))
    result = race(lambda alive, row: losses[row, alive], range(1023), order, alpha=0.01)
    is_best = result.best == int(np.argmin(losses.mean(axis=0)))
    return is_best, result.n_evaluations / losses.size


# --- ten relevant inputs among many ---------------------------------------------------


def twice_friedman(n_rows, n_inputs, seed):
    """Friedman's function of five inputs, plus the same of five others."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows, n_inputs))

    def friedman(a, b, c, d, e):
        return 10 * np.sin(np.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e

    signal = friedman(*X[:, :5].T) + friedman(*X[:, 5:10].T)
    return X, signal + rng.normal(size=n_rows)


def recover(seed, n_inputs, n_rows=1000, **settings):
    """Return whether the ten were selected, were among the winners, and the cost."""
    X, y = twice_friedman(n_rows, n_inputs, seed)
    selector = RaceFeatureSelector(random_state=seed, **settings).fit(X, y)
    true = np.arange(n_inputs) < 10
    return (
        bool((selector.support_ == true).all()),
        bool((selector.winners_ == true).all(axis=1).any()),
        selector.n_predictions_,
    )


def recovery(n_inputs, n_runs, n_rows=1000, **settings):
    """Return rates, and the share of an exhaustive and of a forward search's cost."""
    runs = Parallel(n_jobs=-1)(
        delayed(recover)(seed, n_inputs, n_rows, **settings) for seed in range(n_runs)
    )
    selected, among, predictions = np.mean(runs, axis=0)
    # A forward search by leave-one-out adds ten inputs and finds no eleventh.
    forward = sum(n_inputs - step for step in range(11)) * n_rows
    return selected, among, predictions / 2.0**n_inputs / n_rows, predictions / forward


# --- five relevant inputs among thousands ---------------------------------------------


def recover_of_many(seed, n_inputs=5000, n_rows=500):
    """Return whether the five inputs of Friedman's function were selected; seconds."""
    X, y = make_friedman1(n_rows, n_inputs, noise=0.5, random_state=seed)
    started = time.perf_counter()
    selector = RaceFeatureSelector(random_state=seed).fit(X, y)
    is_exact = selector.get_support(indices=True).tolist() == list(range(5))
    return is_exact, time.perf_counter() - started


# --- against a sequential selection ---------------------------------------------------


def against_sequential(seed):
    """Return seconds and held-out errors of the sequential and the raced selection."""
    X, y = make_friedman1(3000, 30, noise=1.0, random_state=seed)
    X = StandardScaler().fit_transform(X)
    selectors = [
        SequentialFeatureSelector(
            KNeighborsRegressor(5),
            n_features_to_select=5,
            cv=10,
            scoring="neg_mean_absolute_error",
        ),
        RaceFeatureSelector(
            LazyLearningRegressor(degrees=0, n_neighbors=5, n_best=1),
            max_candidates=150,
            n_start=30,
            n_winners=3,
            random_state=seed,
        ),
    ]
    return [selection_cost(selector, X, y) for selector in selectors]


def selection_cost(selector, X, y, n_rows=1000):
    started = time.perf_counter()
    support = selector.fit(X[:n_rows], y[:n_rows]).get_support()
    seconds = time.perf_counter() - started
    model = KNeighborsRegressor(5).fit(X[:n_rows, support], y[:n_rows])
    return seconds, np.abs(model.predict(X[n_rows:, support]) - y[n_rows:]).mean()


def sequential(n_seeds):
    """Return the ratio of times and the mean errors, sequential first."""
    warm_up = LazyLearningRegressor(degrees=0, n_neighbors=5, n_best=1)
    RaceFeatureSelector(warm_up, max_candidates=5).fit(np.eye(20), np.arange(20.0))
    runs = np.array([against_sequential(seed) for seed in range(n_seeds)])
    seconds, errors = runs.sum(axis=0)[:, 0], runs.mean(axis=0)[:, 1]
    return seconds[0] / seconds[1], errors


# --- grids of 36 on six sets ----------------------------------------------------------


def grids():
    """Six small sets, each with an estimator and a grid of 36."""
    tree = {
        "max_depth": [2, 4, 6, 8, 10, None],
        "min_samples_leaf": [1, 2, 4, 8, 16, 32],
    }
    digits = load_digits(return_X_y=True)
    return {
        "wine": (
            make_pipeline(StandardScaler(), SVC()),
            {"svc__C": np.logspace(-2, 3, 6), "svc__gamma": np.logspace(-4, 1, 6)},
            *load_wine(return_X_y=True),
        ),
        "iris": (
            KNeighborsClassifier(),
            {
                "n_neighbors": [1, 3, 5, 7, 9, 11, 15, 20, 30],
                "weights": ["uniform", "distance"],
                "p": [1, 2],
            },
            *load_iris(return_X_y=True),
        ),
        "cancer": (
            make_pipeline(StandardScaler(), SVC()),
            {"svc__C": np.logspace(-2, 3, 6), "svc__gamma": np.logspace(-4, 1, 6)},
            *load_breast_cancer(return_X_y=True),
        ),
        "diabetes": (
            make_pipeline(StandardScaler(), SVR()),
            {"svr__C": np.logspace(-1, 4, 6), "svr__gamma": np.logspace(-5, 0, 6)},
            *load_diabetes(return_X_y=True),
        ),
        "digits": (
            DecisionTreeClassifier(random_state=0),
            tree,
            digits[0][:500],
            digits[1][:500],
        ),
        "friedman": (
            DecisionTreeRegressor(random_state=0),
            tree,
            *make_friedman1(400, 10, noise=1.0, random_state=0),
        ),
    }


def search_regret(name, n_seeds, n_repeats):
    """Return regrets and shares of fits: grid, race and halving, a row per seed.

    Regret is in standard deviations of a fold's score; the truth is the mean over
    independent folds. A halving search's fits on part of the rows count in part.
    """
    model, grid, X, y = grids()[name]
    classes = is_classifier(model)
    repeated = RepeatedStratifiedKFold if classes else RepeatedKFold
    folds = StratifiedKFold if classes else KFold
    independent = repeated(n_splits=10, n_repeats=n_repeats, random_state=999)
    known = GridSearchCV(model, grid, cv=independent, refit=False).fit(X, y).cv_results_
    truth, spread = known["mean_test_score"], known["std_test_score"].mean()
    rows = []
    for seed in range(n_seeds):
        cv = folds(10, shuffle=True, random_state=seed)
        fitted = [search.fit(X, y) for search in searches(model, grid, cv, seed)]
        chosen = [known["params"].index(search.best_params_) for search in fitted]
        regret = [(truth.max() - truth[index]) / spread for index in chosen]
        raced, halving = fitted[1].cv_results_, fitted[2].cv_results_
        parts = halving["n_resources"] / len(y)
        rows.append([*regret, raced["n_splits_run"].sum() / 360, parts.sum() / 36])
    return rows


def quiet_regret(*task):
    """Halving begins with folds of two rows, whose R^2 scikit-learn warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return search_regret(*task)


def searches(model, grid, cv, seed):
    shared = {"cv": cv, "refit": False}
    return (
        GridSearchCV(model, grid, **shared),
        RaceSearchCV(model, grid, **shared),
        HalvingGridSearchCV(model, grid, random_state=seed, **shared),
    )


def regrets(n_seeds, n_repeats=10):
    """Return mean regrets and shares of fits by set, the last row over all."""
    rows = Parallel(n_jobs=-1)(
        delayed(quiet_regret)(name, n_seeds, n_repeats) for name in grids()
    )
    table = np.mean(rows, axis=1)
    return np.vstack([table, table.mean(axis=0)])


# --- iterated races ------------------------------------------------------------------

SPACE = {"svm__C": loguniform(1e-3, 1e4), "svm__gamma": loguniform(1e-6, 1e1)}
ITERATED = {
    "12 candidates": {"n_iter": 12},
    "30 candidates": {"n_iter": 30},
    "3 races of 12": {"n_iter": 12, "n_rounds": 3},
}
"""Searches of a machine's two parameters; the last two have 30 candidates in all."""


def machines():
    """Sets of up to 569 rows, for a machine on scaled columns."""
    numbers = make_friedman1(300, noise=1.0, random_state=0)
    return {
        "wine": (SVC(), *load_wine(return_X_y=True)),
        "iris": (SVC(), *load_iris(return_X_y=True)),
        "cancer": (SVC(), *load_breast_cancer(return_X_y=True)),
        "diabetes": (SVR(), *load_diabetes(return_X_y=True)),
        "friedman": (SVR(), *numbers),
    }


def iterated_against_one(name, seed):
    """Scores on independent folds and fits, for each of `ITERATED`."""
    machine, X, y = machines()[name]
    model = Pipeline([("scale", StandardScaler()), ("svm", machine)])
    folds = StratifiedKFold if is_classifier(machine) else KFold
    independent = folds(10, shuffle=True, random_state=999 - seed)
    cells = []
    for settings in ITERATED.values():
        cv = folds(10, shuffle=True, random_state=seed)
        search = RaceSearchCV(model, SPACE, cv=cv, random_state=seed, **settings)
        best = search.fit(X, y).best_estimator_
        score = cross_val_score(best, X, y, cv=independent).mean()
        cells.append((score, search.race_.n_evaluations))
    return np.array(cells)


# --- from a shell ---------------------------------------------------------------------


def print_subsets(n_seeds):
    for seed in range(n_seeds):
        is_best, share = race_subsets(seed)
        print(f"seed {seed}: best subset {is_best}, {share:.2%} of the predictions")


def print_recovery(n_seeds):
    for n_inputs, start in product((20, 50), ("gram-schmidt", "random")):
        rates = recovery(n_inputs, n_seeds, start=start)
        print(
            f"{n_inputs} inputs, start {start}: selected {rates[0]:.0%}, among the "
            f"winners {rates[1]:.0%}; {rates[2]:.2g} of the predictions of an "
            f"exhaustive and {rates[3]:.0%} of a forward search"
        )


def print_many(n_seeds):
    for seed in range(n_seeds):
        is_exact, seconds = recover_of_many(seed)
        print(f"seed {seed}: exactly the five of 5000 {is_exact}, {seconds:.1f} s")


def print_sequential(n_seeds):
    ratio, errors = sequential(n_seeds)
    print(f"{ratio:.1f} times faster, errors {errors[0]:.4f} and {errors[1]:.4f}")


def print_search(n_seeds):
    print("          regret: grid    race  halving   fits: race  halving")
    for name, row in zip([*grids(), "mean"], regrets(n_seeds), strict=True):
        print("{:10}{:14.3f}{:8.3f}{:9.3f}{:13.0%}{:9.0%}".format(name, *row))


def print_iterated(n_seeds):
    print("score, fits   " + "   ".join(f"{words:>16}" for words in ITERATED))
    for name in machines():
        cells = [iterated_against_one(name, seed) for seed in range(n_seeds)]
        means = np.mean(cells, axis=0)
        figures = "   ".join(f"{score:.4f}, {fits:8.0f}" for score, fits in means)
        print(f"{name:12}  {figures}")


PRINTED = {
    "subsets": print_subsets,
    "recovery": print_recovery,
    "many": print_many,
    "sequential": print_sequential,
    "search": print_search,
    "iterated": print_iterated,
}


if __name__ == "__main__":
    PRINTED[sys.argv[1]](int(sys.argv[2]) if len(sys.argv) > 2 else 3)
