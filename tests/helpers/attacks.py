"""Attacks on what a server answers, by its own path and without its files.

Each gives the advantage of an attacker who asks a server: the area under the ROC curve
(0.5 is guessing) or errors for cases beside those for rows that are no cases.
`attack_tables` writes the tables of docs/privacy.md.
"""

from typing import NamedTuple

import numpy as np
from sklearn import datasets
from sklearn.base import clone

import sklazy
from data_sets import folder_of
from sklazy.web.bodies import RequestLimits
from sklazy.web.serve.answers import Answers
from sklazy.web.serve.levels import Level, Privacy
from sklazy.web.serve.store import Store
from sklazy_studies.harness.catalog import find_known
from sklazy_studies.harness.data import load_set

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
    """Data sets with classes to choose by, one of them with wrong labels."""
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
    """Data sets with numbers to predict, to choose by."""
    made = datasets.make_friedman1(400, noise=1, random_state=0)
    return [
        Sample("diabetes", *datasets.load_diabetes(return_X_y=True)),
        Sample("made up, Friedman", *made),
    ]


REPORTED = ("glass", "heart-c", "credit-a", "sonar", "wisconsin", "triazines")
"""Data sets that nothing was chosen by; the last two have numbers to predict."""


def reported_set(name):
    """A data set that nothing was chosen by, as cells; tests skip without its file."""
    loaded = load_set(find_known(name), folder_of(name))
    columns = [column.cells() for column in loaded.table.columns]
    is_numeric = all(column.kind == "numeric" for column in loaded.table.columns)
    X = np.array(columns, dtype=float if is_numeric else object).T
    if isinstance(loaded.target, np.ndarray):
        return Sample(name, X, loaded.target)
    return Sample(name, X, np.array(loaded.target.cells()))


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
    by_class = dict(zip(classes, shares.T, strict=True))
    unknown = np.zeros(len(y))  # a class of too few cases
    true = np.array([by_class.get(c, unknown)[i] for i, c in enumerate(y.tolist())])
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


class Membership(NamedTuple):
    """How well an attacker tells cases from others, and how good answers are.

    `area` is that of the best statistic; `calibrated` that of the best one relative to
    what the same row gets from other servers, which an attacker with data like the
    server's can set up (the likelihood-ratio attack; Carlini and others, 2022).
    `quality` is the share of right answers about rows that are no cases, or their mean
    error, negative.
    """

    area: float
    calibrated: float
    quality: float


def attack_membership(estimator, sample, n_splits=4, **privacy):
    """Attack servers of halves of a set; the areas are over all of them."""
    figures, quality = {}, []
    is_case = np.zeros((n_splits, len(sample.y)), bool)
    for seed in range(n_splits):
        cases, others = halves(sample, seed)
        is_case[seed, cases] = True
        server = answers_of(_fit(estimator, sample, cases), **privacy)
        found = membership_statistics(server, sample.X, sample.y)
        for name, figure in found.items():
            figures.setdefault(name, []).append(figure)
        quality.append(found.get("right", found.get("error"))[others].mean())
    tables = [np.array(rows) for rows in figures.values()]
    plain = max(find_auc(table[is_case], table[~is_case]) for table in tables)
    relative = [calibrate(table, is_case) for table in tables]
    areas = [find_auc(table[is_case], table[~is_case]) for table in relative]
    return Membership(float(plain), float(max(areas)), float(np.mean(quality)))


def calibrate(table, is_case):
    """Figures of rows less the middle of what other servers have them, in and out."""
    relative = np.zeros_like(table)
    for seed in range(len(table)):
        others = np.arange(len(table)) != seed
        sides = [
            (table * side)[others].sum(axis=0) / np.maximum(1, side[others].sum(axis=0))
            for side in (is_case, ~is_case)
        ]
        relative[seed] = table[seed] - np.mean(sides, axis=0)
    return relative


def rows_of(sample, rows):
    """Some rows of a sample: a matrix of numbers, or lists of cells."""
    some = sample.X[rows]
    return some.tolist() if some.dtype == object else some


def recover_targets(estimator, sample, seed=0, **privacy):
    """Shares of targets that are told to a thousandth of their range."""
    cases, others = halves(sample, seed)
    server = answers_of(_fit(estimator, sample, cases), **privacy)
    near = np.ptp(sample.y) / 1000
    return [
        float(
            (np.abs(predict(server, sample.X[rows])[0] - sample.y[rows]) < near).mean()
        )
        for rows in (cases, others)
    ]


def attack_change(estimator, sample, change, n_rows=30, **privacy):
    """The area by which a changed case is told from others, by answers that change.

    A case is forgotten, or is added with four others, so that it takes part at once.
    The attacker has asked about everybody before and after.
    """
    order = np.random.default_rng(0).permutation(len(sample.y))[:200]
    sample = Sample(sample.name, sample.X[order], sample.y[order])
    everybody, moved, stayed = np.arange(len(order)), [], []
    more = _told(answers_of(_fit(estimator, sample, everybody), **privacy), sample.X)
    for row in range(n_rows):
        others = [(row + 37 * i) % len(order) for i in range(1, 5)]
        gone = [row, *others] if change == "add" else [row]
        kept = np.delete(everybody, gone)
        less = _told(answers_of(_fit(estimator, sample, kept), **privacy), sample.X)
        changes = np.abs(more - less).sum(axis=1)
        moved.append(changes[row])
        stayed.extend(changes[kept][:20])
    return find_auc(np.array(moved), np.array(stayed))


def _fit(estimator, sample, rows):
    return clone(estimator).fit(rows_of(sample, rows), sample.y[rows])


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
