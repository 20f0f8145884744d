"""Lazy attribute selection against eager: the protocol of Pereira et al. (2011)."""

import functools
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sklazy.answer import answer_queries
from sklazy.casebase import CaseBase
from sklazy.cli.folds import class_folds
from sklazy.estimators.advice.advantage import PERCENTAGES
from sklazy.estimators.selection.base import SelectingClassifier
from sklazy.estimators.selection.bayes import LazyNBClassifier
from sklazy.estimators.selection.neighbors import LazyKNeighborsClassifier
from sklazy.flow import Queries
from sklazy.measures import how_many, v_by_attribute
from sklazy.tables import Column, Table
from sklazy_studies.harness.catalog import Known
from sklazy_studies.harness.data import DataSet, checksum, find_sets, load_unit_set
from sklazy_studies.harness.unit import Plain, Unit

NAME = "lazy-selection"
PROTOCOL = 2
N_FOLDS = 10
SEED = 1

UCI = (
    "anneal",
    "anneal.ORIG",
    "audiology",
    "autos",
    "breast-cancer",
    "breast-w",
    "colic",
    "colic.ORIG",
    "credit-a",
    "credit-g",
    "diabetes",
    "glass",
    "heart-c",
    "heart-h",
    "heart-statlog",
    "hepatitis",
    "hypothyroid",
    "ionosphere",
    "kr-vs-kp",
    "labor",
    "letter",
    "lymph",
    "mushroom",
    "primary-tumor",
    "segment",
    "sick",
    "sonar",
    "soybean",
    "splice",
    "vehicle",
    "vote",
    "vowel",
    "waveform-5000",
    "zoo",
    "wine",
    "pendigits",
    "spambase",
    "optdigits",
    "dermatology",
    "page-blocks",
)
"""The 40 sets. 25 of the paper's are not known by name: these are Weka's own UCI sets
of 8 to 69 attributes, the others that the paper names, and three more; chosen before
any result was seen."""

NIPS = ("arcene", "madelon", "dexter", "dorothea", "gisette", "mnist-4v9")
"""The sets of the NIPS 2003 challenge, and one that stands in for Gisette."""

QUICK = ("wine", "labor", "heart-h", "zoo", "glass", "lymph")

PROTOCOLS = ("honest", "paper")
"""Cuts from the training fold alone, or from all rows before the folds are made."""

STRATEGIES = ("lazy", "eager")

Make = Callable[..., SelectingClassifier]

HOSTS: dict[str, Make] = {
    "1-NN": functools.partial(LazyKNeighborsClassifier.paper, n_neighbors=1),
    "3-NN": functools.partial(LazyKNeighborsClassifier.paper, n_neighbors=3),
    "5-NN": functools.partial(LazyKNeighborsClassifier.paper, n_neighbors=5),
    "naive Bayes": LazyNBClassifier.paper,
}


def make_units(
    names: Iterable[str], folder: Path, protocols: Sequence[str]
) -> list[Unit]:
    """All units of these sets: each fold with each protocol, and V once per set."""
    units = []
    for known in find_sets(names, folder):
        data, cost = checksum(known, folder), _cost(known)
        make = functools.partial(_unit, data, known.name)
        units.append(make(cost / 20, part="advantage"))
        units += [
            make(cost, part="fold", protocol=protocol, fold=fold, **_SETTING)
            for protocol in protocols
            for fold in range(N_FOLDS)
        ]
        if known.name in TIMED:
            units.append(make(cost, part="cost"))
    return units


TIMED = ("autos", "lymph")
"""The sets on which the paper gives the time of a selection."""


_SETTING = {
    "folds": N_FOLDS,
    "seed": SEED,
    "percentages": list(PERCENTAGES),
    "hosts": list(HOSTS),
}


def _unit(data: str, name: str, cost: float, **setting: object) -> Unit:
    return Unit(NAME, PROTOCOL, data, {"set": name, **setting}, cost)


def _cost(known: Known) -> float:
    """Seconds, roughly: building the case base, and agreements of rows by bits."""
    n, d = known.n_rows, known.n_attributes
    return 0.02 + 1e-6 * n * d + 2e-11 * n * n * d


def work(unit: Unit, folder: Path) -> Plain:
    """Do one unit."""
    setting = unit.setting
    known, data = load_unit_set(unit, folder)
    if setting["part"] == "advantage":
        return measure_advantage(known, data)
    if setting["part"] == "cost":
        return measure_cost(data)
    return run_fold(known, data, setting["protocol"], setting["fold"])


def measure_advantage(known: Known, data: DataSet) -> Plain:
    """V(D, x) of the whole set for each percentage x, by both readings."""
    table = data.table
    if _drops_constants(known):
        table = table.select(informative(table, data.classes))
    memory = CaseBase(table, data.classes).cases
    outcome: Plain = {"n_attributes": len(table.names)}
    for name, weighted in (("v", True), ("v_unweighted", False)):
        values = v_by_attribute(memory.counts, memory.offsets, weighted)
        highest = np.sort(values)[::-1]
        counts = [how_many(x / 100, len(highest)) for x in PERCENTAGES]
        outcome[name] = [float(highest[:count].mean()) for count in counts]
    return outcome


def measure_cost(data: DataSet) -> Plain:
    """Seconds of a selection and of an answer by 3-NN, for each row; best of five."""
    model = LazyKNeighborsClassifier.paper(n_neighbors=3, n_jobs=1)
    model.fit(data.table, np.asarray(data.classes.categories)[data.classes.data])
    steps = {
        "seconds_selecting": model.select_attributes,
        "seconds_answering": model.predict,
    }
    return {name: _best_time(step, data.table) for name, step in steps.items()}


def _best_time(step: Callable[[Table], object], table: Table) -> float:
    times = []
    for _ in range(6):  # the first one may compile
        start = time.perf_counter()
        step(table)
        times.append(time.perf_counter() - start)
    return min(times[1:]) / len(table)


def run_fold(known: Known, data: DataSet, protocol: str, fold: int) -> Plain:
    """Correct predictions of a fold by host, strategy and percentage."""
    table = _binned(data) if protocol == "paper" else data.table
    testing = class_folds(data.classes.data, N_FOLDS, SEED) == fold
    known_rows, known_classes = table.take(~testing), data.classes.take(~testing)
    if _drops_constants(known):
        known_rows = known_rows.select(informative(known_rows, known_classes))
    base = CaseBase(known_rows, known_classes)
    truth = data.classes.data[testing]
    queries = base.encode(table.take(testing).select(base.names))
    start = time.perf_counter()
    counts = {
        strategy: {
            name: [
                count_correct(base, queries, truth, strategy, x, host) for x in SHARES
            ]
            for name, host in HOSTS.items()
        }
        for strategy in STRATEGIES
    }
    seconds = time.perf_counter() - start
    whole = {
        name: count_correct(base, queries, truth, "none", 1.0, host)
        for name, host in HOSTS.items()
    }
    return {
        "n": len(truth),
        "n_attributes": len(base.names),
        "right": {**counts, "none": whole},
        "seconds_asking": seconds,
    }


SHARES = [x / 100 for x in PERCENTAGES]


def count_correct(
    base: CaseBase,
    queries: Queries,
    truth: NDArray[np.int32],
    strategy: str,
    share: float,
    host: Make,
) -> int:
    """How many queries the host classifies correctly."""
    learner = host(n_attributes=share, selection=strategy, n_jobs=1)._learner()
    (decisions,) = answer_queries(learner, base, queries, ["decisions"], n_jobs=1)
    return int((decisions == truth).sum())


@functools.lru_cache(maxsize=1)
def _binned(data: DataSet) -> Table:
    """All rows with each number replaced by its bin, cut by all rows."""
    base = CaseBase(data.table, data.classes)
    codes, cuts = base.encode(data.table).codes, base.cuts
    columns = [
        column
        if column.kind == "nominal"
        else Column(
            column.name,
            "nominal",
            np.ascontiguousarray(codes[:, j]),
            tuple(range(len(cuts[j]) + 1)),
            declared=True,
        )
        for j, column in enumerate(data.table.columns)
    ]
    return Table(tuple(columns), data.table.n_rows)


def _drops_constants(known: Known) -> bool:
    """Whether attributes of one bin are removed, as the paper does for large sets."""
    return known.group == "nips2003"


def informative(table: Table, classes: Column) -> list[str]:
    """The attributes of which more than one value or bin occurs."""
    nominal = [c for c in table.columns if c.kind == "nominal" and _varies(c)]
    numeric = [c for c in table.columns if c.kind == "numeric"]
    kept = {column.name for column in nominal}
    if numeric:
        base = CaseBase(Table(tuple(numeric)), classes)
        kept |= {n for n, cuts in zip(base.names, base.cuts, strict=True) if len(cuts)}
    return [name for name in table.names if name in kept]


def _varies(column: Column) -> bool:
    known = column.data[~column.missing]
    return bool(len(known) and (known != known[0]).any())
