"""Accuracy beside forests and boosting: the protocol.

Sets to choose by and sets to report, at most 800 rows of each; three times five folds;
every method on the same folds, with its defaults and one thread. Large sets are used
whole, and one fold of five is asked.
"""

import math
import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from sklazy.cli.folds import class_folds, plain_folds
from sklazy.tables import Column
from sklazy_studies.accuracy import sets
from sklazy_studies.accuracy.methods import (
    CLASSIFIERS,
    LAZY_CLASSIFIERS,
    LAZY_REGRESSORS,
    REGRESSORS,
)
from sklazy_studies.accuracy.scores import score_classes, score_numbers
from sklazy_studies.harness.catalog import Known
from sklazy_studies.harness.data import DataSet, checksum, find_sets, load_unit_set
from sklazy_studies.harness.unit import Plain, Unit

NAME = "accuracy"
PROTOCOL = 1
N_FOLDS, N_REPETITIONS = 5, 3
_SHARES = 20  # of the rows wanted, in which classes are drawn
_LARGE_METHODS = ("lazy blend", "lazy kernel", "random forest", "extra trees")

SETS = (*sets.CHOOSE, *sets.REPORT, *sets.NUMBERS)
EXTRA = tuple(name for name in sets.LARGE if name not in SETS)
QUICK = sets.QUICK

Rows = NDArray[np.bool_]


def make_units(names: Iterable[str], folder: Path, *, quick: bool) -> list[Unit]:
    """All units: the folds of a set in one repetition, by one method."""
    units = []
    for known in find_sets(names, folder):
        data = checksum(known, folder)
        for part, n_repetitions in _parts(known.name, quick):
            for method in _methods(known, part):
                for repetition in range(n_repetitions):
                    setting = {
                        "set": known.name,
                        "part": part,
                        "method": method,
                        "repetition": repetition,
                        **_parameters(known, method),
                    }
                    cost = _cost(known, method, part)
                    units.append(Unit(NAME, PROTOCOL, data, setting, cost))
    return units


def _parts(name: str, quick: bool) -> Iterator[tuple[str, int]]:
    """What a set is used for, and how many times."""
    times = 1 if quick else N_REPETITIONS
    for part, members in (("choose", sets.CHOOSE), ("report", sets.REPORT)):
        if name in members:
            yield part, times
    if name in sets.NUMBERS:
        yield "numbers", times
    if name in sets.LARGE and not quick:
        yield "large", 1


def _methods(known: Known, part: str) -> Iterable[str]:
    if part == "large":
        return [m for m in CLASSIFIERS if m in _LARGE_METHODS or "Boost" in m]
    return CLASSIFIERS if known.n_classes else REGRESSORS


def _parameters(known: Known, method: str) -> dict[str, dict[str, str]]:
    """The parameters of our own learners, so that a change gives new units."""
    learners = LAZY_CLASSIFIERS if known.n_classes else LAZY_REGRESSORS
    if method not in learners:
        return {}
    parameters = learners[method](0).get_params(deep=False)
    return {"parameters": {n: repr(v) for n, v in parameters.items() if n != "n_jobs"}}


def _cost(known: Known, method: str, part: str) -> float:
    """Seconds, roughly."""
    n = known.n_rows if part == "large" else min(known.n_rows, sets.MOST_NUMBERS)
    cells = n * known.n_attributes
    if method == "CatBoost":
        return 30.0 + 2e-3 * cells * max(1, known.n_classes - 1)
    if "Boost" in method or "GBM" in method:
        return 2.0 + 1e-4 * cells * max(1, known.n_classes - 1)
    return 5.0 + 3e-4 * cells


def work(unit: Unit, folder: Path) -> Plain:
    """Do one unit."""
    known, data = load_unit_set(unit, folder)
    setting = unit.setting
    whole = setting["part"] == "large"
    data = data if whole else _draw(data)
    folds = [0] if whole else range(N_FOLDS)
    makes = CLASSIFIERS if known.n_classes else REGRESSORS
    make, repetition = makes[setting["method"]], setting["repetition"]
    scored = [
        _run_fold(data, make(repetition), test)
        for fold, test in enumerate(_tests(data, repetition))
        if fold in folds
    ]
    return {"folds": scored}


def _draw(data: DataSet) -> DataSet:
    """At most so many rows, classes in proportion, always the same ones."""
    target, n = data.target, len(data.table)
    is_nominal = isinstance(target, Column)
    most = sets.MOST_ROWS if is_nominal else sets.MOST_NUMBERS
    if n <= most:
        return data
    labels = data.classes.data if is_nominal else np.zeros(n, np.int64)
    parts = class_folds(labels, math.ceil(n / most * _SHARES), seed=7)
    kept = np.flatnonzero(parts < _SHARES)[:most]
    taken = target.take(kept) if isinstance(target, Column) else target[kept]
    if isinstance(taken, Column):
        taken = replace(taken.occurring(), declared=True)
    return replace(data, table=data.table.take(kept), target=taken)


def _tests(data: DataSet, repetition: int) -> Iterator[Rows]:
    """The test rows of each fold."""
    seed = 200 + repetition
    if isinstance(data.target, Column):
        folds = class_folds(data.classes.data, N_FOLDS, seed)
    else:
        folds = plain_folds(len(data.table), N_FOLDS, seed)
    for fold in range(N_FOLDS):
        yield folds == fold


def _run_fold(data: DataSet, model: Any, test: Rows) -> Plain:  # noqa: ANN401 - a model
    """Fit, ask, score; both timed."""
    targets = _plain_targets(data)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        model.fit(data.table.take(~test), targets[~test])
        queries = data.table.take(test)
        if isinstance(data.target, Column):
            # What is left until the first question belongs to learning.
            model.predict_proba(queries.take(np.arange(1)))
            middle = time.perf_counter()
            probabilities = _all_classes(model, model.predict_proba(queries), data)
            scores = score_classes(probabilities, targets[test])
        else:
            model.predict(queries.take(np.arange(1)))
            middle = time.perf_counter()
            scores = score_numbers(model.predict(queries), targets[test])
            scores["variance"] = float(targets.var())
        end = time.perf_counter()
    return {**scores, "fit": middle - start, "query": (end - middle) / test.sum()}


def _plain_targets(data: DataSet) -> NDArray[Any]:
    """Classes as codes of the whole set, or numbers."""
    if isinstance(data.target, Column):
        return data.classes.data.astype(np.int64)
    return np.asarray(data.target, np.float64).ravel()


def _all_classes(
    model: Any,  # noqa: ANN401 - of any library
    probabilities: NDArray[np.float64],
    data: DataSet,
) -> NDArray[np.float64]:
    """Probabilities with a column for every class of the set; a fold may lack some."""
    classes = getattr(model, "model", model).classes_
    wide = np.zeros((len(probabilities), len(data.classes.categories)))
    wide[:, np.asarray(classes, np.int64)] = probabilities
    return wide
