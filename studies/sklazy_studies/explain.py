"""Computations behind the explanations of deviations: ``python -m ... NAME [DATA]``.

``python -m sklazy_studies.explain`` lists the names.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import OrthogonalMatchingPursuit
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from sklazy.casebase import CaseBase
from sklazy.cli.folds import plain_folds
from sklazy.errors import DataWarning
from sklazy.estimators.ensembles.bagging import LazyBaggingClassifier
from sklazy.estimators.local_models.regressor import LazyLearningRegressor
from sklazy.measures import argmax_with_ties, majority_shares
from sklazy.methods.ensembles.data import ClassData
from sklazy.neighbors import find_nearest, place_queries, weigh_columns
from sklazy_studies.harness.catalog import find_known
from sklazy_studies.harness.data import DataSet, data_folder, load_set
from sklazy_studies.lazy_stacking import paper as stacking
from sklazy_studies.lazy_stacking.c45 import C45
from sklazy_studies.lazy_stacking.run import SETS, split
from sklazy_studies.racsam import paper as racsam
from sklazy_studies.racsam.r_svm import LinearSvm, RSvm
from sklazy_studies.racsam.r_tree import RTree

N_TRIALS = 10


def possible_p(name: str) -> tuple[float, float]:
    """The least and the largest p that a paired t-test over ten trials can have.

    The deviation of the differences of two methods lies between the difference and the
    sum of their own, whatever pairs of trials.

    Examples
    --------
    >>> low, high = possible_p("bupa")
    >>> round(low, 2)
    0.82
    """
    means, spreads = stacking.ACCURACIES[name][3:], stacking.DEVIATIONS[name][3:]
    bagging, stacked = (float(x or 0) for x in means)
    one, other = (float(x or 0) for x in spreads)
    apart = abs(stacked - bagging)
    p = [
        2 * stats.t.sf(apart / max(spread, 1e-12) * np.sqrt(N_TRIALS), N_TRIALS - 1)
        for spread in (abs(one - other), one + other)
    ]
    return float(min(p)), float(max(p))


def explain_p_values(_: Path) -> Iterator[str]:
    """The p-values of lazy stacking's table 3 beside those that are possible."""
    for name, text in stacking.P_VALUES.items():
        low, high = possible_p(name)
        stated = float(text.lstrip("<"))
        is_fine = low <= stated if text.startswith("<") else low <= stated <= high
        # Means and deviations are rounded to two digits, p-values to three.
        verdict = "possible" if is_fine else "IMPOSSIBLE"
        yield f"{name:15} p {text:>7}, possible {low:.3g} to {high:.3g}: {verdict}"


def explain_census(folder: Path) -> Iterator[str]:
    """The mean absolute deviation of the census sets in units of 100 000."""
    for name, unit in racsam.UNITS.items():
        y = load_set(find_known(name), folder).numbers
        spread = float(np.abs(y - np.median(y)).mean())
        yield f"{name}: a constant errs by {spread / unit:.3f} units of {unit:.0f}"
    yield f"paper: LL-RAC1, LL-RAC2, SVM, tree {racsam.ERRORS['house_16H']}"


def explain_pol_svm(folder: Path) -> Iterator[str]:
    """R's svm does not scale a set with constant columns."""
    data = load_set(find_known("pol"), folder)
    X = data.table.to_pandas().to_numpy(np.float64)
    constant = int((X.std(axis=0) == 0).sum())
    testing = plain_folds(len(X), 5, 1) == 0
    model = SVR(gamma=1 / X.shape[1], cache_size=500).fit(
        X[~testing], data.numbers[~testing]
    )
    error = float(np.abs(model.predict(X[testing]) - data.numbers[testing]).mean())
    yield f"pol: {constant} of {X.shape[1]} columns are constant"
    yield f"SVR on raw columns and target, fold 0: {error:.2f} (paper 26.5)"


def explain_svm_kernel(folder: Path) -> Iterator[str]:
    """Fold 0 of RACSAM's sets by a support vector machine with a linear kernel."""
    machines = {"linear": LinearSvm(), "e1071's default": RSvm()}
    yield from _compare_peers(folder, machines, racsam.COLUMNS.index("svm"))


def explain_tree_rule(folder: Path) -> Iterator[str]:
    """Fold 0 of RACSAM's sets by R's tree, as in its source and as on its help page."""
    trees = {"source": RTree(), "help page": RTree(within=True)}
    yield from _compare_peers(folder, trees, racsam.COLUMNS.index("tree"))


def explain_census_tree(folder: Path) -> Iterator[str]:
    """House_8L, fold 0, by R's tree: finer trees, medians of leaves, logarithms."""
    data = load_set(find_known("house_8L"), folder)
    X, y = data.table.to_pandas().to_numpy(np.float64), data.numbers / 1e5
    testing = plain_folds(len(X), 5, 1) == 0
    X_test, truth, X, y = X[testing], y[testing], X[~testing], y[~testing]
    for least in (0.01, 0.005, 0.002, 0.001):
        trees = [RTree(least, within=way).fit(X, y) for way in (False, True)]
        errors = [np.abs(tree.predict(X_test) - truth).mean() for tree in trees]
        yield f"mindev {least}: source {errors[0]:.3f}, help page {errors[1]:.3f}"
    tree = RTree().fit(X, y)
    leaves = tree.predict(X)
    medians = {leaf: np.median(y[leaves == leaf]) for leaf in np.unique(leaves)}
    found = np.array([medians[leaf] for leaf in tree.predict(X_test)])
    yield f"medians of leaves: {np.abs(found - truth).mean():.3f}"
    found = np.exp(RTree().fit(X, np.log(y + 1e-5)).predict(X_test))
    yield f"logarithms of prices: {np.abs(found - truth).mean():.3f} (paper 0.17)"


def explain_ailerons(folder: Path) -> Iterator[str]:
    """Ailerons, fold 0: answers rounded as its targets are, and local parabolas."""
    data = load_set(find_known("ailerons"), folder)
    X, y = data.table.to_pandas().to_numpy(np.float64), data.numbers * 1e4
    testing = plain_folds(len(X), 5, 1) == 0
    boosted = HistGradientBoostingRegressor(max_iter=150, random_state=0)
    greedy = OrthogonalMatchingPursuit(n_nonzero_coefs=8)
    greedy.fit(StandardScaler().fit_transform(X[~testing]), y[~testing])
    likely = np.flatnonzero(greedy.coef_)
    asked = np.flatnonzero(testing)[:600]
    yield f"targets have {len(np.unique(y))} values, whole multiples of 1e-4"
    for words, model, rows, columns in (
        ("boosting", boosted, testing, slice(None)),
        ("local lines of 8 inputs", LazyLearningRegressor(), asked, likely),
        ("parabolas of 8 inputs", LazyLearningRegressor(degrees=2), asked, likely),
    ):
        model.fit(X[~testing][:, columns], y[~testing])
        found = model.predict(X[rows][:, columns])
        errors = [
            np.abs(answer - y[rows]).mean() for answer in (found, np.round(found))
        ]
        yield f"{words}: {errors[0]:.3f}e-4, rounded {errors[1]:.3f}e-4"
    yield "paper: LL-RAC1 0.97e-4, LL-RAC2 0.90e-4"


def _compare_peers(folder: Path, models: dict[str, Any], column: int) -> Iterator[str]:
    for name, theirs in racsam.ERRORS.items():
        data = load_set(find_known(name), folder)
        X = data.table.to_pandas().to_numpy(np.float64)
        testing = plain_folds(len(X), 5, 1) == 0
        unit, cells = racsam.UNITS.get(name, 1.0), []
        for words, model in models.items():
            model.fit(X[~testing], data.numbers[~testing])
            apart = np.abs(model.predict(X[testing]) - data.numbers[testing])
            cells.append(f"{words} {apart.mean() / unit:.3g}")
        yield f"{name:10} paper {theirs[column]:.3g}, {', '.join(cells)}"


def explain_triazines(folder: Path) -> Iterator[str]:
    """Triazines by R's lazy on sets of inputs drawn at random: single wild answers."""
    data = load_set(find_known("triazines"), folder)
    X, y = data.table.to_pandas().to_numpy(np.float64), data.numbers
    folds, rng = plain_folds(len(y), 5, 1), np.random.default_rng(1)
    constant = np.abs(y - np.median(y)).mean()
    yield f"a constant errs by {constant:.3f}; targets are {y.min()} to {y.max()}"
    for size in (5, 30):
        apart = np.empty((12, len(y)))
        for errors in apart:
            columns = X[:, rng.choice(X.shape[1], size, replace=False)]
            for fold in range(5):
                test = folds == fold
                with warnings.catch_warnings():  # of fewer rows than it asks for
                    warnings.simplefilter("ignore", DataWarning)
                    model = LazyLearningRegressor.r_lazy().fit(columns[~test], y[~test])
                errors[test] = np.abs(model.predict(columns[test]) - y[test])
        means = apart.mean(axis=1)
        yield (
            f"12 sets of {size} inputs: mean errors {means.min():.3f} to "
            f"{means.max():.3f}, the largest error of a row {apart.max():.2f}"
        )


def explain_bags(folder: Path) -> Iterator[str]:
    """Lazy bagging by numbers of neighbors and of bags, which are not in the text."""
    plain = stacking.METHODS.index("bagging")
    for name in ("colic", "ecoli", "kr-vs-kp"):
        data = load_set(find_known(name), folder)
        bagging, lazy = stacking.ACCURACIES[name][plain : plain + 2]
        yield f"{name}: paper's bagging {bagging}, lazy bagging {lazy}"
        for words, near in (("K = 1", {"n_neighbors": 1}), ("beta = 0.99", {})):
            right = {n: _bagging_accuracy(data, n, near) for n in (5, 10, 30)}
            cells = [f"{n} bags {x:.2f}" for n, x in right.items()]
            yield f"  lazy bagging, {words}: {', '.join(cells)}"


def _bagging_accuracy(data: DataSet, n_bags: int, near: dict[str, int]) -> float:
    """Lazy bagging's accuracy over three repetitions; K = 1 is nearly plain bagging."""
    right = []
    for repetition in range(3):
        for (table, classes), (queries, truth) in split(data, repetition):
            labels = np.asarray(classes.categories, object)
            model = LazyBaggingClassifier.paper(
                n_estimators=n_bags, random_state=repetition, **near
            )
            answers = model.fit(table, labels[classes.data]).predict(queries)
            right.append(answers == labels[truth.data])
    return float(100 * np.concatenate(right).mean())


def explain_pruned(folder: Path) -> Iterator[str]:
    """C4.5 with and without its pruning, three repetitions of five folds."""
    place = stacking.METHODS.index("C4.5")
    for name in ("balance-labels", "colic", "labor", "glass"):
        data = load_set(find_known(name), folder)
        cells = []
        for words, pruned in (("pruned", True), ("unpruned", False)):
            right = []
            for repetition in range(3):
                for (table, classes), (queries, truth) in split(data, repetition):
                    tree = C45(pruned)
                    tree.fit(table, classes.data, len(classes.categories))
                    right.append(tree.predict(queries) == truth.data)
            cells.append(f"{words} {100 * np.concatenate(right).mean():.2f}")
        theirs = stacking.ACCURACIES[name][place]
        yield f"{name:15} paper {theirs}, {', '.join(cells)}"


def explain_knn(folder: Path) -> Iterator[str]:
    """Accuracy of k-NN by number of neighbors, one repetition of five folds."""
    ks = (1, 3, 5, 10, 15, 20, 30)
    yield f"{'set':15} paper  " + "  ".join(f"k={k:<3}" for k in ks)
    for name in SETS:
        theirs = stacking.ACCURACIES[name][0]
        if theirs is not None:
            data = load_set(find_known(name), folder)
            cells = _accuracies_by_k(list(split(data, 0)), ks)
            yield f"{name:15} {theirs:5.1f}  " + "  ".join(f"{x:5.1f}" for x in cells)


def _accuracies_by_k(folds: list, ks: tuple[int, ...]) -> list[float]:  # type: ignore[type-arg]
    right, n = np.zeros(len(ks)), 0
    for train, (table, truth) in folds:
        base = CaseBase(*train)
        data = ClassData(base)
        columns = weigh_columns(data.cases, data.order, np.ones(len(data.weights)))
        placed = place_queries(columns, base.encode(table))
        rows = find_nearest(columns.columns, placed, max(ks)).rows
        n += len(truth.data)
        for i, k in enumerate(ks):
            votes = data.targets[rows[:, :k]].astype(np.int64)
            shares = majority_shares(votes, data.n_outputs)
            decided = argmax_with_ties(shares, data.priors)
            right[i] += (decided == truth.data).sum()
    return (100 * right / n).tolist()


EXPLAINED: dict[str, Callable[[Path], Iterator[str]]] = {
    "p-values": explain_p_values,
    "census": explain_census,
    "pol-svm": explain_pol_svm,
    "svm-kernel": explain_svm_kernel,
    "tree-rule": explain_tree_rule,
    "census-tree": explain_census_tree,
    "ailerons": explain_ailerons,
    "triazines": explain_triazines,
    "knn": explain_knn,
    "bags": explain_bags,
    "pruned": explain_pruned,
}
"""The computations by name."""


def main(arguments: list[str]) -> None:
    """Print an explanation."""
    if not arguments or arguments[0] not in EXPLAINED:
        for name, function in EXPLAINED.items():
            sys.stdout.write(f"{name}: {function.__doc__}\n")
        return
    folder = data_folder(arguments[1] if len(arguments) > 1 else None)
    for line in EXPLAINED[arguments[0]](folder):
        sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
