"""Lazy bagging and lazy stacking: the protocol of Homayouni et al. (2010)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from sklazy.casebase import CaseBase
from sklazy.cli.folds import class_folds
from sklazy.cli.methods import PEER_CLASSIFIERS
from sklazy.estimators.ensembles.bagging import LazyBaggingClassifier
from sklazy.estimators.ensembles.base import LazyEnsemble
from sklazy.estimators.ensembles.member_kinds import named_kinds
from sklazy.estimators.ensembles.stacking import LazyStackingClassifier
from sklazy.estimators.parameters import CombineVotes
from sklazy.flow import Queries
from sklazy.measures.diversity import diversity_measures
from sklazy.methods.ensembles.data import ClassData
from sklazy.tables import Column, Table
from sklazy_studies.harness.catalog import Known
from sklazy_studies.harness.data import DataSet, checksum, find_sets, load_unit_set
from sklazy_studies.harness.unit import Plain, Unit
from sklazy_studies.lazy_stacking.baselines import (
    Predicted,
    predict_by_bagging,
    predict_by_neighbors,
    predict_by_tree,
)
from sklazy_studies.lazy_stacking.weka_kinds import MEMBERS, WekaStackingClassifier

NAME = "lazy-stacking"
PROTOCOL = 2
N_FOLDS = 5
N_REPETITIONS, N_QUICK_REPETITIONS = 10, 2
N_MEASURED = 3
"""Repetitions in which the diversity of members is measured."""

SETS = (
    "audiology",
    "labor",
    "balance-labels",
    "diabetes",
    "bupa",
    "car",
    "hayes-132",
    "colic",
    "glass",
    "sonar",
    "ecoli",
    "kr-vs-kp",
    "lymph",
)
"""The twelve sets of table 2, and one that stands in table 3 alone."""

CHOSEN_ON = SETS[:6]
"""The sets on which the defaults of our ensembles were chosen, by other folds."""

QUICK = ("labor", "hayes-132", "glass", "lymph")

Predict = Callable[[ClassData, Queries, int], Predicted]
Make = Callable[[int], LazyEnsemble]

_BASELINES: dict[str, Predict] = {
    "k-NN": predict_by_neighbors,
    "C4.5": predict_by_tree,
    "bagging": predict_by_bagging,
}

_PUBLISHED: dict[str, Make] = {
    "lazy bagging": lambda seed: LazyBaggingClassifier.paper(random_state=seed),
    "lazy stacking": lambda seed: LazyStackingClassifier.paper(random_state=seed),
}

WEKA = "lazy stacking, Weka's kinds"
"""The members by which the paper's figures are most plausible."""

_MEMBERS: dict[str, Make] = {
    WEKA: lambda seed: WekaStackingClassifier.paper(
        estimators=list(MEMBERS), random_state=seed
    ),
    "lazy stacking, learned": lambda seed: _combining("stacked", seed),
    "lazy stacking, KNORA-E": lambda seed: _combining("knora-e", seed),
    "lazy stacking, KNORA-U": lambda seed: _combining("knora-u", seed),
}


def _combining(how: CombineVotes, seed: int) -> LazyStackingClassifier:
    """Our five plain kinds, combined by their record on the nearest cases."""
    return LazyStackingClassifier.paper(combine=how, random_state=seed)


_DEFAULTS: dict[str, Make] = {
    "lazy bagging, ours": lambda seed: LazyBaggingClassifier(random_state=seed),
    "lazy stacking, ours": lambda seed: LazyStackingClassifier(random_state=seed),
}

_PEERS = ("random-forest", "gradient-boosting")

_ENSEMBLES: dict[str, Make] = {**_PUBLISHED, **_MEMBERS, **_DEFAULTS}

METHODS = (*_BASELINES, *_ENSEMBLES, *_PEERS)


def make_units(names: Iterable[str], folder: Path, *, quick: bool) -> list[Unit]:
    """All units: five folds of a set, by one method, in one repetition."""
    repetitions = N_QUICK_REPETITIONS if quick else N_REPETITIONS
    units = []
    for known in find_sets(names, folder):
        data = checksum(known, folder)
        for method in METHODS:
            for repetition in range(repetitions):
                setting = {
                    "set": known.name,
                    "method": method,
                    "repetition": repetition,
                    "folds": N_FOLDS,
                    **_parameters(method),
                }
                units.append(Unit(NAME, PROTOCOL, data, setting, _cost(known, method)))
    return units


def _parameters(method: str) -> dict[str, dict[str, str]]:
    """The parameters of an ensemble, so that a change gives new units."""
    if method not in _ENSEMBLES:
        return {}
    model = _ENSEMBLES[method](0)
    parameters = model.get_params(deep=False)
    if isinstance(model, LazyStackingClassifier):
        kinds = model._kinds
        parameters["estimators"] = named_kinds(
            model.estimators, kinds.all, kinds.default
        )
    kept = {
        n: repr(v) for n, v in parameters.items() if n not in ("random_state", "n_jobs")
    }
    return {"parameters": kept}


def _cost(known: Known, method: str) -> float:
    """Seconds, roughly."""
    n, d, c = known.n_rows, known.n_attributes, known.n_classes
    costs = {
        "gradient-boosting": 0.2 * (c if c > 2 else 1) + 1e-5 * n * d,
        "random-forest": 0.6 + 5e-6 * n * d,
        WEKA: 0.02 + n * (0.005 + 3e-5 * n),
        **dict.fromkeys(_BASELINES, 0.02 + 3e-6 * n * d),
        **dict.fromkeys(_PUBLISHED, 0.02 + 1e-5 * n * d),
        **dict.fromkeys(_DEFAULTS, 0.02 + 3e-5 * n * d),
    }
    return costs.get(method, 0.02 + n * (2e-3 + 2e-6 * n))


def work(unit: Unit, folder: Path) -> Plain:
    """Do one unit."""
    _, data = load_unit_set(unit, folder)
    return run_folds(data, unit.setting["method"], unit.setting["repetition"])


def run_folds(data: DataSet, method: str, repetition: int) -> Plain:
    """Correct predictions of each fold, and the diversity of the members."""
    right, votes, truths = [], [], []
    for train, test in split(data, repetition):
        predicted = predict(method, train, test[0], repetition, repetition < N_MEASURED)
        right.append(int((predicted.decisions == test[1].data).sum()))
        truths.append(test[1].data)
        if predicted.votes is not None:
            votes.append(predicted.votes)
    outcome: Plain = {"n": [len(truth) for truth in truths], "right": right}
    if votes:
        measures = diversity_measures(np.concatenate(truths), np.concatenate(votes))
        outcome["diversity"] = measures
    return outcome


Part = tuple[Table, Column]
"""Rows and their classes."""


def split(data: DataSet, repetition: int) -> Iterator[tuple[Part, Part]]:
    """Training and test parts of the folds of a repetition."""
    folds = class_folds(data.classes.data, N_FOLDS, seed=repetition + 1)
    for fold in range(N_FOLDS):
        test = folds == fold
        yield (
            (data.table.take(~test), data.classes.take(~test)),
            (data.table.take(test), data.classes.take(test)),
        )


def predict(
    method: str, train: Part, table: Table, seed: int, members: bool = False
) -> Predicted:
    """The predictions of a method fitted on the training part, and its members'."""
    if method in _BASELINES:
        base = CaseBase(*train)
        return _BASELINES[method](ClassData(base), base.encode(table), seed)
    labels = np.asarray(train[1].categories, object)[train[1].data]
    places = {label: code for code, label in enumerate(train[1].categories)}
    if method in _ENSEMBLES:
        model = _ENSEMBLES[method](seed).fit(train[0], labels)
        asked = ("decisions", "votes") if members else ("decisions",)
        decided, *votes = model._answer(table, *asked)  # both of one computation
        codes = _codes(votes[0], places) if votes else None
        return Predicted(_codes(decided, places), codes)
    texts = {str(label): code for label, code in places.items()}
    with threadpool_limits(1):  # threads do not pay on so few rows
        model = PEER_CLASSIFIERS[method](seed).fit(train[0], labels.astype(str))
        return Predicted(_codes(model.predict(table), texts))


def _codes(labels: NDArray[Any], places: Mapping[Any, int]) -> NDArray[np.int64]:
    """Labels as the codes of the whole set, of which a fold may lack some."""
    flat = [places[label] for label in labels.ravel().tolist()]
    return np.array(flat, np.int64).reshape(labels.shape)
