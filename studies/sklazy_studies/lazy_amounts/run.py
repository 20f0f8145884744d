"""How many attributes lazy selection uses: the protocol of Pereira et al. (JIDM 2011).

Of the article its summary is at hand: the number of attributes is found "in a
wrapper-based manner", or different numbers are combined "in a voting approach". Sets,
folds and hosts are those of the first article.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sklazy.answer import answer_queries
from sklazy.casebase import CaseBase
from sklazy.cli.folds import class_folds
from sklazy.methods.selection.learner import ChoiceLearner
from sklazy_studies.harness.catalog import Known
from sklazy_studies.harness.data import DataSet, checksum, find_sets, load_unit_set
from sklazy_studies.harness.unit import Plain, Unit
from sklazy_studies.lazy_selection.run import (
    HOSTS,
    N_FOLDS,
    QUICK,
    SEED,
    SHARES,
    UCI,
    Make,
)

NAME = "lazy-amounts"
PROTOCOL = 1
SETS = UCI

WAYS: dict[str, dict[str, Any]] = {
    "wrapper": {"n_attributes": "auto"},
    "vote": {"n_attributes": "vote"},
    "local": {"n_attributes": "local"},
    "eager wrapper": {"n_attributes": "auto", "selection": "eager"},
    "cfs": {"selection": "lazy-cfs", "n_attributes": 1.0},
    "consistency": {"selection": "lazy-consistency", "n_attributes": 1.0},
    "all": {"selection": "none", "n_attributes": 1.0},
    **{f"{100 * share:.0f} %": {"n_attributes": share} for share in SHARES},
}
"""Ways to find the number of attributes: the article's two; the best near each query,
which is ours; the wrapper with eager selection; sets chosen as a whole for each query,
which the first article leaves to future work; and fixed numbers to compare with."""

FIXED = tuple(name for name in WAYS if name.endswith("%"))

__all__ = ["FIXED", "NAME", "QUICK", "SETS", "WAYS", "make_units", "work"]


def make_units(names: Iterable[str], folder: Path) -> list[Unit]:
    """All units: each fold of each set, by each host."""
    units = []
    for known in find_sets(names, folder):
        data, cost = checksum(known, folder), _cost(known)
        for host in HOSTS:
            for fold in range(N_FOLDS):
                setting = {"set": known.name, "host": host, "fold": fold}
                whole = {**setting, "folds": N_FOLDS, "seed": SEED, "ways": list(WAYS)}
                units.append(Unit(NAME, PROTOCOL, data, whole, cost))
    return units


def _cost(known: Known) -> float:
    """Seconds, roughly."""
    n, d = known.n_rows, known.n_attributes
    return 0.02 + 2e-6 * n * d + 4e-11 * n * n * d


def work(unit: Unit, folder: Path) -> Plain:
    """Do one unit."""
    _, data = load_unit_set(unit, folder)
    return run_fold(data, HOSTS[unit.setting["host"]], unit.setting["fold"])


def run_fold(data: DataSet, host: Make, fold: int) -> Plain:
    """Correct predictions of a fold by each way, and the numbers that wrappers find."""
    testing = class_folds(data.classes.data, N_FOLDS, SEED) == fold
    base = CaseBase(data.table.take(~testing), data.classes.take(~testing))
    truth = data.classes.data[testing]
    queries = base.encode(data.table.take(testing))
    right, used = {}, {}
    for name, setting in WAYS.items():
        learner = host(**setting, n_jobs=1)._learner()
        (decisions,) = answer_queries(learner, base, queries, ["decisions"], n_jobs=1)
        right[name] = int((decisions == truth).sum())
        if setting["n_attributes"] == "auto":
            chooser = ChoiceLearner(learner.recipe, learner.host)
            (mask,) = answer_queries(chooser, base, queries, ["mask"], n_jobs=1)
            used[name] = float(mask.mean())
    return {"n": len(truth), "right": right, "used": used}
