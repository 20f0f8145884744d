"""Attacks on what a server answers, by its own path and without its files.

Each gives the advantage of an attacker who asks a server: the area under the ROC curve
(0.5 is guessing) or errors for cases beside those for rows that are no cases.
``PYTHONPATH=src:tests/helpers python tests/helpers/attacks.py`` prints the table of
docs/privacy.md.
"""

import sys
import warnings
from typing import NamedTuple

import numpy as np
from sklearn import datasets
from sklearn.base import clone

import sklazy
from sklazy.web.bodies import RequestLimits
from sklazy.web.serve.answers import Answers
from sklazy.web.serve.levels import Level, Privacy
from sklazy.web.serve.store import Store

CLASSIFIERS = [
    sklazy.LazyKNeighborsClassifier(),
    sklazy.LazyKNeighborsClassifier(n_neighbors=5),
    sklazy.LazyNBClassifier(),
    sklazy.LazyDecisionTreeClassifier(),
    sklazy.LazyBayesRulesClassifier(),
    sklazy.LazyAssociativeClassifier(),
    sklazy.LazyLogisticClassifier(),
    sklazy.LazyKernelClassifier(),
    sklazy.LazyBaggingClassifier(random_state=0),
    sklazy.LazyStackingClassifier(random_state=0),
    sklazy.LazyBlendClassifier(),
]
REGRESSORS = [
    sklazy.LazyKNeighborsRegressor(),
    sklazy.LazyLearningRegressor(),
    sklazy.LazyRidgeRegressor(),
    sklazy.LazyPLSRegressor(),
    sklazy.LazyKernelRegressor(),
    sklazy.LazyBlendRegressor(),
]


class Sample(NamedTuple):
    """A data set: its rows, and its targets."""

    name: str
    X: np.ndarray
    y: np.ndarray


def class_sets():
    """Four data sets with classes, one of them with wrong labels."""
    noisy = datasets.make_classification(
        400, 8, n_informative=4, flip_y=0.3, random_state=1
    )
    return [
        Sample("iris", *datasets.load_iris(return_X_y=True)),
        Sample("wine", *datasets.load_wine(return_X_y=True)),
        Sample("breast cancer", *datasets.load_breast_cancer(return_X_y=True)),
        Sample("made up, 15 % wrong labels", *noisy),
    ]


def number_sets():
    """Two data sets with numbers to predict."""
    made = datasets.make_friedman1(400, noise=1, random_state=0)
    return [
        Sample("diabetes", *datasets.load_diabetes(return_X_y=True)),
        Sample("made up, Friedman", *made),
    ]


def answers_of(model, level="aggregate", min_group=5, noise=0.0):
    """A server's answers, without HTTP."""
    limits = RequestLimits(rows=10_000)
    return Answers(
        Store(model), Privacy(Level[level.upper()], min_group, noise), limits
    )


def predict(server, X):
    """Predictions, and probabilities if there are classes, as a client gets them."""
    said = server.predict({"rows": X.tolist()})
    shares = np.array(said["probabilities"]) if "probabilities" in said else None
    return np.array(said["predictions"]), shares, said.get("classes")


def find_auc(some, others):
    """The area under the ROC curve, from whichever side it is larger."""
    wins = (some[:, None] > others).mean() + (some[:, None] == others).mean() / 2
    return max(wins, 1 - wins)


def membership_statistics(server, X, y):
    """Figures by which an attacker, who knows rows and targets, may tell cases."""
    predicted, shares, classes = predict(server, X)
    if shares is None:
        return {"error": -np.abs(predicted - y)}
    true = shares[np.arange(len(y)), [classes.index(one) for one in y.tolist()]]
    entropy = (shares * np.log(shares.clip(1e-12))).sum(axis=1)
    return {
        "right": (predicted == y).astype(float),
        "true class": true,
        "largest": shares.max(axis=1),
        "entropy": entropy,
        "likelihood": true + shares.max(axis=1),
    }


def halves(sample, seed):
    """Rows that are cases, and as many that are not."""
    order = np.random.default_rng(seed).permutation(len(sample.y))
    middle = len(order) // 2
    return order[:middle], order[middle:]


def attack_membership(estimator, sample, n_splits=4, **privacy):
    """The best statistic's area over all splits; how good answers are for others."""
    found, quality = {}, []
    for seed in range(n_splits):
        cases, others = halves(sample, seed)
        model = clone(estimator).fit(sample.X[cases], sample.y[cases])
        server = answers_of(model, **privacy)
        both = [
            membership_statistics(server, sample.X[rows], sample.y[rows])
            for rows in (cases, others)
        ]
        for name in both[0]:
            found.setdefault(name, []).append([one[name] for one in both])
        quality.append(both[1].get("right", both[1].get("error")).mean())
    areas = [
        find_auc(*map(np.concatenate, zip(*v, strict=True))) for v in found.values()
    ]
    return max(areas), float(np.mean(quality))


def recover_targets(estimator, sample, seed=0, **privacy):
    """Shares of targets that are told to a thousandth of their range."""
    cases, others = halves(sample, seed)
    model = clone(estimator).fit(sample.X[cases], sample.y[cases])
    server, near = answers_of(model, **privacy), np.ptp(sample.y) / 1000
    return [
        float(
            (np.abs(predict(server, sample.X[rows])[0] - sample.y[rows]) < near).mean()
        )
        for rows in (cases, others)
    ]


def attack_forgetting(estimator, sample, n_rows=30, seed=0, **privacy):
    """The area by which a forgotten case is told from others, by answers that change.

    The attacker has asked about everybody before and after.
    """
    rng = np.random.default_rng(seed)
    cases = halves(sample, seed)[0][:200]
    X, y = sample.X[cases], sample.y[cases]
    moved, stayed = [], []
    for row in rng.choice(len(cases), n_rows, replace=False):
        model = clone(estimator).fit(X, y)
        before = _told(answers_of(model, **privacy), X)
        after = _told(answers_of(model.forget([int(row)]), **privacy), X)
        changes = np.abs(before - after).sum(axis=1)
        moved.append(changes[row])
        stayed.extend(np.delete(changes, row)[:20])
    return find_auc(np.array(moved), np.array(stayed))


def _told(server, X):
    predicted, shares, _ = predict(server, X)
    return predicted[:, None] if shares is None else shares


def asks_server(server):
    """Rows to a server that explains: which are unlike all cases."""

    def ask(rows):
        told = server.explain({"rows": rows})["receipts"]
        return [one["unlike_all_cases"] for one in told]

    return ask


def scan_for_islands(ask, n_columns, column, grid, known):
    """Where a row is like the cases along one column, the others being as known."""
    rows = []
    for value in grid:
        row = dict.fromkeys((f"x{j}" for j in range(n_columns)), None) | known
        rows.append(row | {f"x{column}": float(value)})
    return ~np.asarray(ask(rows), bool)


def rebuild_outlier(ask, X, row, n_steps=200):
    """Rebuild the cells of an isolated case from yes and no: the study's attack.

    Each cell is the middle of the part of a scan, farthest from the crowd, in which
    rows are like a case. Returns errors as shares of the columns' ranges, NaN where
    nothing was found.
    """
    low, high = X.min(axis=0), X.max(axis=0)
    known, errors = {}, []
    for column in range(X.shape[1]):
        margin = (high - low)[column] / 4
        grid = np.linspace(low[column] - margin, high[column] + margin, n_steps)
        alike = scan_for_islands(ask, X.shape[1], column, grid, known)
        edges = np.flatnonzero(np.diff(np.r_[0, alike.astype(int), 0]))
        if not len(edges) or (column == 0 and len(edges) < 4):
            return np.full(X.shape[1], np.nan)  # no island beside the crowd
        middle = grid[edges[-2] : edges[-1]].mean()
        known[f"x{column}"] = float(middle)
        errors.append(abs(middle - X[row, column]) / (high - low)[column])
    return np.array(errors)


def _write(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(n_splits=4):
    """Print the tables of docs/privacy.md."""
    warnings.simplefilter("ignore")
    for title, estimators, sets in (
        ("classes", CLASSIFIERS, class_sets()),
        ("numbers", REGRESSORS, number_sets()),
    ):
        _write(
            f"\n| {title} | set | AUC, cases | AUC, groups | right, cases | groups |"
        )
        _write("|---|---|---:|---:|---:|---:|")
        for estimator in estimators:
            for sample in sets:
                open_, closed = (
                    attack_membership(estimator, sample, n_splits, level=level)
                    for level in ("values", "aggregate")
                )
                figures = " | ".join(
                    f"{x:.3f}" for x in (open_[0], closed[0], open_[1], closed[1])
                )
                name = repr(estimator).replace("\n", "")
                _write(f"| `{name}` | {sample.name} | {figures} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
