"""Attacks on made tables that nothing was chosen by; prints what docs/privacy.md has.

    PYTHONPATH=src:studies:tests/helpers python tests/helpers/more_attacks.py WHAT

members   membership where rows have signatures: rare labels, missing cells, extreme
          cells and targets, five copies each; and on 300 of scikit-learn's digits
last      the class of one case, by somebody who knows everything else and the code
person    the target of a person with several rows
timing    what the time of an answer tells of a label, or of a case
"""

import sys
import time
import warnings

import numpy as np
from sklearn import datasets
from sklearn.base import clone

import attacks
import sklazy
from attacks import Sample, answers_of, find_auc, predict
from sklazy.web.bodies import RequestLimits
from sklazy.web.serve.answers import Answers
from sklazy.web.serve.levels import Level, Privacy
from sklazy.web.serve.store import Store

CLASSIFIERS = [
    sklazy.LazyKNeighborsClassifier(n_neighbors=5),
    sklazy.LazyKernelClassifier(),
    sklazy.LazyNBClassifier(),
    sklazy.LazyBaggingClassifier(random_state=0),
    sklazy.LazyBlendClassifier(),
]
REGRESSORS = [
    sklazy.LazyKNeighborsRegressor(),
    sklazy.LazyKernelRegressor(),
    sklazy.LazyRidgeRegressor(),
]


def main(what):
    warnings.simplefilter("ignore")
    tasks = {"members": members, "last": last, "person": person, "timing": timing}
    for line in tasks[what](np.random.default_rng(7)):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


def classes_of(rng, x):
    return (x + rng.normal(size=len(x)) > 0).astype(int)


def make_tables(rng, n=240):
    """Tables in which a row has what no other has, or where it lies far away."""
    x = rng.normal(size=n)
    names = np.array([f"p{i // 2}" for i in range(n)], object)
    rows = np.array([x.tolist(), names, rng.choice(["r", "g", "b"], n)], object).T
    yield Sample("labels of two rows each", rows, classes_of(rng, x))
    gaps = rng.normal(size=(n, 10))
    gaps[rng.random(gaps.shape) < 0.4] = np.nan
    y = classes_of(rng, np.nan_to_num(gaps[:, 0]))
    yield Sample("missing cells as signature", gaps, y)
    far = rng.standard_cauchy(size=(n, 6))
    yield Sample("extreme cells (Cauchy)", far, classes_of(rng, far[:, 0]))
    copies = np.repeat(rng.normal(size=(60, 4)), 5, axis=0)
    yield Sample("each row five times", copies, classes_of(rng, copies[:, 0]))
    yield Sample("digits", *(a[:300] for a in datasets.load_digits(return_X_y=True)))
    yield Sample(
        "extreme targets (Pareto)",
        rng.normal(size=(n, 6)),
        rng.pareto(1.2, n),
    )


def members(rng):
    """The best statistic's area, and the calibrated one, by table and estimator."""
    for sample in make_tables(rng):
        for estimator in list_estimators(sample):
            found = [
                attacks.attack_membership(estimator, sample, 8, level=level)
                for level in ("values", "aggregate")
            ]
            cells = [f"{one.area:.3f} {one.calibrated:.3f}" for one in found]
            yield f"{sample.name}: {type(estimator).__name__}: {', '.join(cells)}"


def list_estimators(sample):
    if sample.y.dtype.kind == "f":
        return REGRESSORS
    return attacks.CLASSIFIERS if sample.name == "digits" else CLASSIFIERS


def last(rng):
    """Try each class for the last case, and take that whose answers are nearest."""
    made = datasets.make_classification(200, 6, flip_y=0.3, random_state=3)
    for X, y in (datasets.load_wine(return_X_y=True), made):
        for secret in (b"", b"x" * 32):
            own = [secret] if not secret else [bytes([k]) * 8 for k in range(12)]
            rows = range(0, len(y), len(y) // 15)
            hits = [guess_last(X, y, row, secret, own) == y[row] for row in rows]
            yield f"{len(X)} cases, secret {bool(secret)}: {sum(hits)} of {len(hits)}"


def guess_last(X, y, row, secret, own_secrets):
    """The class of a row by which own servers answer most like the one attacked."""
    answers = answer_all(X, y, secret)
    far = (((X - X[row]) / X.std(axis=0)) ** 2).sum(axis=1)
    near, errors = np.argsort(far)[:15], {}
    for label in np.unique(y):
        guessed = y.copy()
        guessed[row] = label
        expected = np.mean([answer_all(X, guessed, one) for one in own_secrets], axis=0)
        errors[label] = np.abs(answers - expected)[near].sum()
    return min(errors, key=errors.get)


def answer_all(X, y, secret):
    model = sklazy.LazyKNeighborsClassifier(n_neighbors=5).fit(X, y)
    privacy = Privacy(Level.AGGREGATE, secret=secret)
    return predict(Answers(Store(model), privacy, RequestLimits(rows=10_000)), X)[1]


def person(rng):
    """What is answered where a person has so many rows."""
    X, y = rng.normal(size=(200, 4)), rng.uniform(0, 1e4, 200)
    where = np.full((1, 4), 4.0)
    for n_rows in (1, 3, 5, 8):
        rows, targets = np.repeat(where, n_rows, axis=0), np.full(n_rows, 43217.0)
        for estimator in REGRESSORS:
            model = clone(estimator).fit(np.r_[X, rows], np.r_[y, targets])
            answer = predict(answers_of(model), where)[0][0]
            yield f"{n_rows} rows: {type(estimator).__name__}: {answer:.0f} of 43217"


def timing(rng, n=2000):
    """Times of answers, by what the label is; and the area of cases by their times."""
    x, labels = rng.normal(size=n), rng.choice(["r", "g", "b"], n).astype(object)
    labels[:3] = "seldom"
    rows = [{"x": a, "label": b} for a, b in zip(x.tolist(), labels, strict=True)]
    server = answers_of(sklazy.LazyKNeighborsClassifier().fit(rows, x > 0))
    times = {label: [] for label in ("r", "seldom", "never")}
    for a in x[:1500].tolist():
        for label, seen in times.items():
            seen.append(time_answer(server, {"x": a, "label": label}))
    yield {label: f"{1e6 * np.median(seen):.0f} us" for label, seen in times.items()}
    X, y = datasets.make_classification(400, 8, random_state=0)
    server = answers_of(sklazy.LazyKNeighborsClassifier().fit(X[:200], y[:200]))
    seconds = np.empty((20, 400))
    for turn in seconds:
        for row in rng.permutation(400):
            turn[row] = time_answer(server, X[row].tolist())
    middle = np.median(seconds, axis=0)
    yield f"cases by times: area {find_auc(middle[:200], middle[200:]):.3f}"


def time_answer(server, row):
    start = time.perf_counter()
    server.predict({"rows": [row]})
    return time.perf_counter() - start


if __name__ == "__main__":
    main(sys.argv[1])
