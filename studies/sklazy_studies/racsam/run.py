"""RACSAM: the protocol of Bontempi, Birattari and Meyer (2005)."""

import base64
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from threadpoolctl import threadpool_limits

from sklazy.cli.folds import plain_folds
from sklazy.cli.methods import PEER_REGRESSORS
from sklazy.estimators.encoded import EncodedModel
from sklazy.estimators.local_models.regressor import LazyLearningRegressor
from sklazy.estimators.search.race_selector import (
    RaceFeatureSelector,
    make_estimator,
)
from sklazy.estimators.search.raced_regressor import RacedRegressor
from sklazy.tables import Table
from sklazy_studies.harness.catalog import Known
from sklazy_studies.harness.data import DataSet, checksum, find_sets, load_unit_set
from sklazy_studies.harness.unit import Plain, Unit
from sklazy_studies.racsam.problem import (
    OURS,
    TEXT,
    VARIANTS,
    Floats,
    race_records,
    run_forward,
    run_racsam,
)
from sklazy_studies.racsam.r_svm import LinearSvm, RSvm
from sklazy_studies.racsam.r_tree import RTree

NAME = "racsam"
PROTOCOL = 3
N_FOLDS = 5
SEED = 1

SETS = (
    "ailerons",
    "pol",
    "elevators",
    "triazines",
    "wisconsin",
    "house_16H",
    "house_8L",
)
"""The six sets; the paper's Census may be either of the last two."""

QUICK = ("triazines", "wisconsin")

PEERS = (
    "svm",
    "svm, scaled",
    "svm, linear",
    "tree",
    "random-forest",
    "gradient-boosting",
)
RACED = (TEXT, "text, scaled", OURS)
"""How sets of attributes are raced: by the text, which does not name a scaling; the
same with columns scaled; and by this library's defaults."""

METHODS = (
    *(f"{name}, {variant}" for variant in RACED for name in ("LL-RAC1", "LL-RAC2")),
    "lazy, all inputs",
    *PEERS,
)

N_INPUTS = (20, 50)
STARTS = ("random", "pearson", "gram-schmidt")
N_RUNS, N_QUICK_RUNS = 25, 2
MAX_CANDIDATES, QUICK_CANDIDATES = 1000, 300
MOST_TESTED = 500
"""Rows that sets are tested on by the text, as many as its forward selection has."""

_SECONDS = {20: 6.0, 50: 14.0}  # a race for that many inputs, roughly


def make_units(names: Iterable[str], folder: Path, *, quick: bool) -> list[Unit]:
    """All units: the runs of table 1, and each fold of table 2 by each method."""
    return [*_problem_units(quick), *_set_units(names, folder, quick)]


def _problem_units(quick: bool) -> list[Unit]:
    runs = range(N_QUICK_RUNS if quick else N_RUNS)
    most = QUICK_CANDIDATES if quick else MAX_CANDIDATES
    units = []
    for n_inputs, variant, start in _cells(quick):
        named = {"n_inputs": n_inputs, "variant": variant}
        cost = _SECONDS[n_inputs] * VARIANTS[variant].get("max_candidates", most) / most
        for run in runs:
            setting = {**named, "start": start, "run": run, "max_candidates": most}
            units.append(_unit("", cost, part="race", **setting))
    for n_inputs in N_INPUTS[: 1 if quick else None]:
        for variant in (TEXT, OURS):
            named = {"n_inputs": n_inputs, "variant": variant}
            units += [
                _unit("", n_inputs / 8, part="forward", **named, run=run)
                for run in runs
            ]
    return units


def _cells(quick: bool) -> list[tuple[int, str, str]]:
    """Inputs, variant and start: all of the two, and what was tried at 50 inputs."""
    whole = [
        (n_inputs, variant, start)
        for n_inputs in N_INPUTS[: 1 if quick else None]
        for variant in (TEXT, OURS)
        for start in STARTS
    ]
    tried = [(50, variant, "random") for variant in VARIANTS if variant not in WHOLE]
    return whole if quick else whole + tried


WHOLE = (TEXT, OURS)
"""The variants that are run in every cell."""


def _set_units(names: Iterable[str], folder: Path, quick: bool) -> list[Unit]:
    most = QUICK_CANDIDATES if quick else MAX_CANDIDATES
    units = []
    for known in find_sets(names, folder):
        data = checksum(known, folder)
        for fold in range(N_FOLDS):
            setting = {"set": known.name, "fold": fold, "folds": N_FOLDS, "seed": SEED}
            for name in PEERS:
                cost = _cost(known, name)
                units.append(_unit(data, cost, part="peer", method=name, **setting))
            setting["max_candidates"] = most
            for variant in RACED:
                cost = _cost(known)
                units.append(
                    _unit(data, cost, part="raced", variant=variant, **setting)
                )
    return units


def _unit(data: str, cost: float, **setting: object) -> Unit:
    return Unit(NAME, PROTOCOL, data, setting, cost)


def _cost(known: Known, method: str = "") -> float:
    """Seconds, roughly."""
    n, d = known.n_rows, known.n_attributes
    if method in ("svm", "svm, scaled"):
        return 0.1 + 2e-8 * n * n
    if method == "random-forest":
        return 0.2 + 2.5e-5 * n * d
    return 0.3 if method else 1.5 + 1.2e-5 * n * d


def work(unit: Unit, folder: Path) -> Plain:
    """Do one unit."""
    setting = unit.setting
    seed, variant = SEED + setting.get("run", 0), setting.get("variant", "")
    if setting["part"] == "race":
        return run_racsam(
            variant,
            setting["n_inputs"],
            setting["start"],
            seed,
            setting["max_candidates"],
        )
    if setting["part"] == "forward":
        return run_forward(variant, setting["n_inputs"], seed)
    _, data = load_unit_set(unit, folder)
    return run_fold(data, setting["fold"], setting)


def run_fold(data: DataSet, fold: int, setting: Mapping[str, Any]) -> Plain:
    """The absolute errors on one fold, of a peer or of the winners of a race."""
    y = data.numbers
    testing = plain_folds(len(y), N_FOLDS, SEED) == fold
    train, test = data.table.take(~testing), data.table.take(testing)
    if setting["part"] == "raced":
        details, predictions = run_race(
            setting["variant"], train, y[~testing], test, setting["max_candidates"]
        )
    else:
        with threadpool_limits(1):
            model = _peer(setting["method"]).fit(train, y[~testing])
            details, predictions = {}, {setting["method"]: model.predict(test)}
    errors = {name: pack(np.abs(p - y[testing])) for name, p in predictions.items()}
    return {"errors": errors, **details}


def pack(values: Floats) -> str:
    """Numbers as text, in single precision.

    Examples
    --------
    >>> unpack(pack(np.array([0.5, -2.0])))
    array([ 0.5, -2. ])
    """
    return base64.b64encode(values.astype("<f4").tobytes()).decode("ascii")


def unpack(text: str) -> Floats:
    """The numbers that `pack` encoded."""
    return np.frombuffer(base64.b64decode(text), "<f4").astype(np.float64)


def run_race(
    variant: str, train: Table, y: Floats, test: Table, max_candidates: int
) -> tuple[Plain, dict[str, Floats]]:
    """One race, and predictions with its best set, all winners, and all inputs.

    Those with all inputs are made once, beside the race by this library's defaults.
    """
    selector = _set_selector(variant, len(y), max_candidates)
    averaging = RacedRegressor(selector, combine="average").fit(train, y)
    race = averaging.selector_
    names = [train.names[j] for j in np.flatnonzero(race.support_)]
    alone = make_estimator(race).fit(train.select(names), y)
    predictions = {
        f"LL-RAC1, {variant}": np.asarray(alone.predict(test.select(names))),
        f"LL-RAC2, {variant}": np.asarray(averaging.predict(test)),
    }
    if variant == OURS:
        whole = LazyLearningRegressor().fit(train, y)
        predictions["lazy, all inputs"] = np.asarray(whole.predict(test))
    details = {
        "best": names,
        "n_winners": len(race.winners_),
        "n_candidates": race.n_candidates_,
        "n_predictions": race.n_predictions_,
        "races": race_records(race),
    }
    return details, predictions


def _set_selector(
    variant: str, n_rows: int, max_candidates: int
) -> RaceFeatureSelector:
    """The selector of a variant for so many training rows."""
    settings: dict[str, Any] = {"max_candidates": max_candidates, "random_state": SEED}
    if variant == OURS:
        return RaceFeatureSelector(prefer="best", **settings)
    published = RaceFeatureSelector.paper(
        test_size=min(MOST_TESTED, n_rows // 2), **settings
    )
    if variant != TEXT:
        published.estimator.set_params(scale=True)
    return published


def _peer(name: str) -> BaseEstimator:
    """The models of the paper with the defaults of R, and two of scikit-learn."""
    return _OWN_PEERS[name]() if name in _OWN_PEERS else PEER_REGRESSORS[name](SEED)


def _scaling_target(model: BaseEstimator) -> TransformedTargetRegressor:
    return TransformedTargetRegressor(model, transformer=StandardScaler())


_OWN_PEERS: dict[str, Callable[[], BaseEstimator]] = {
    "svm": RSvm,
    "svm, scaled": lambda: EncodedModel(
        _scaling_target(SVR(cache_size=500)), scaled=True
    ),
    "svm, linear": LinearSvm,
    "tree": lambda: EncodedModel(RTree()),
    # It stops when the loss falls by less than 1e-7. Where targets are as small as
    # those of ailerons, that is at once.
    "gradient-boosting": lambda: EncodedModel(
        _scaling_target(HistGradientBoostingRegressor(random_state=SEED))
    ),
}
