"""From an experiment's name to its report: plan, run what is missing, write."""

import datetime
import functools
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy
import sklearn

import sklazy
from sklazy.cli.writing import write_text
from sklazy.errors import BadInputError, suggest
from sklazy_studies.accuracy import report as accuracy_report
from sklazy_studies.accuracy import run as accuracy
from sklazy_studies.document import Document, to_csv, to_markdown, to_page
from sklazy_studies.harness.catalog import find_known
from sklazy_studies.harness.checking import check_file, find_changes, to_check
from sklazy_studies.harness.code import code_digest
from sklazy_studies.harness.data import is_available, require_sets
from sklazy_studies.harness.deviations import find_unexplained
from sklazy_studies.harness.fetching import fetch_missing
from sklazy_studies.harness.runner import Note, run_units
from sklazy_studies.harness.store import Store
from sklazy_studies.harness.unit import Plain, Unit
from sklazy_studies.harness.workers import Work
from sklazy_studies.lazy_amounts import report as lazy_amounts_report
from sklazy_studies.lazy_amounts import run as lazy_amounts
from sklazy_studies.lazy_selection import report as lazy_selection_report
from sklazy_studies.lazy_selection import run as lazy_selection
from sklazy_studies.lazy_stacking import report as lazy_stacking_report
from sklazy_studies.lazy_stacking import run as lazy_stacking
from sklazy_studies.racsam import report as racsam_report
from sklazy_studies.racsam import run as racsam

UnitResults = Mapping[Unit, Plain]
Facts = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Request:
    """What to reproduce, and how.

    Attributes
    ----------
    data : path
        The folder of the data sets.
    out : path
        Where results and reports go.
    sets : tuple of str
        The data sets to use; empty for all of the experiment.
    protocols : tuple of str
    jobs : int
    quick : bool
        Whether to run a small part only, in minutes.
    fetch : bool
        Whether missing sets are downloaded from OpenML.
    command : str
        The command as typed, for the report.
    max_seconds : float, optional
        The time to run for; the report is then on what has been recorded.
    """

    data: Path
    out: Path
    sets: tuple[str, ...] = ()
    protocols: tuple[str, ...] = lazy_selection.PROTOCOLS
    jobs: int = 1
    quick: bool = False
    fetch: bool = False
    command: str = ""
    max_seconds: float | None = None


class WorkOnData(Protocol):
    """A function that does a unit, given the folder of the data."""

    __module__: str

    def __call__(self, unit: Unit, folder: Path) -> Plain:
        """Return the result."""


@dataclass(frozen=True)
class Experiment:
    """A paper's experiment.

    Attributes
    ----------
    name, summary : str
    paper : str
        The reference.
    sets : tuple of str
        The data sets it needs.
    extra : tuple of str
        More data sets, used if they are there.
    quick : tuple of str
        The data sets of a quick run.
    make_units : callable of (sets, request)
    work : callable of (unit, data folder)
    make_document : callable of (results by unit, sets, request, facts)
    checked : mapping of settings to values
        Units with these settings are recorded beside the tables, and are run again by
        ``--check``.
    """

    name: str
    summary: str
    paper: str
    sets: tuple[str, ...]
    quick: tuple[str, ...]
    make_units: Callable[[Sequence[str], Request], list[Unit]]
    work: WorkOnData
    make_document: Callable[[UnitResults, Sequence[str], Request, Facts], Document]
    extra: tuple[str, ...] = field(default=())
    checked: tuple[Mapping[str, object], ...] = field(default=())

    @property
    def code(self) -> str:
        """The digest of the code that its results depend on."""
        return code_digest(self.work.__module__)

    def units(self, sets: Sequence[str], request: Request) -> list[Unit]:
        """All units, marked with the code that computes them."""
        units = self.make_units(sets, request)
        return [replace(unit, code=self.code) for unit in units]

    def checked_units(self, units: Sequence[Unit]) -> list[Unit]:
        """The units that are recorded to be run again."""
        return [unit for unit in units if any(_has(unit, one) for one in self.checked)]


def _has(unit: Unit, wanted: Mapping[str, object]) -> bool:
    return all(unit.setting.get(name) == value for name, value in wanted.items())


EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment(
            lazy_selection.NAME,
            "lazy against eager attribute selection on k-NN and naive Bayes",
            "Pereira et al. 2011",
            lazy_selection.UCI,
            lazy_selection.QUICK,
            lambda sets, request: lazy_selection.make_units(
                sets, request.data, request.protocols
            ),
            lazy_selection.work,
            lambda results, sets, request, facts: lazy_selection_report.make_document(
                results, sets, request.protocols, facts
            ),
            extra=lazy_selection.NIPS,
            checked=({"set": "labor", "fold": 0},),
        ),
        Experiment(
            racsam.NAME,
            "attributes for lazy regression, found by racing on sub-samples",
            "Bontempi et al. 2005",
            racsam.SETS,
            racsam.QUICK,
            lambda sets, request: racsam.make_units(
                sets, request.data, quick=request.quick
            ),
            racsam.work,
            lambda results, sets, request, facts: racsam_report.make_document(
                results, sets, facts
            ),
            checked=(
                {"set": "triazines", "fold": 0},
                {"part": "race", "n_inputs": 20, "start": "gram-schmidt", "run": 0},
            ),
        ),
        Experiment(
            lazy_stacking.NAME,
            "ensembles made for each query, of trees and of models of many kinds",
            "Homayouni et al. 2010",
            lazy_stacking.SETS,
            lazy_stacking.QUICK,
            lambda sets, request: lazy_stacking.make_units(
                sets, request.data, quick=request.quick
            ),
            lazy_stacking.work,
            lambda results, sets, request, facts: lazy_stacking_report.make_document(
                results, sets, facts
            ),
            checked=({"set": "labor", "repetition": 0},),
        ),
        Experiment(
            lazy_amounts.NAME,
            "the number of attributes of lazy selection by wrapper and by vote",
            "Pereira et al. 2011, second article",
            lazy_amounts.SETS,
            lazy_amounts.QUICK,
            lambda sets, request: lazy_amounts.make_units(sets, request.data),
            lazy_amounts.work,
            lambda results, sets, request, facts: lazy_amounts_report.make_document(
                results, sets, facts
            ),
            checked=({"set": "labor", "fold": 0},),
        ),
        Experiment(
            accuracy.NAME,
            "the lazy learners' defaults beside forests and boosting",
            "no paper: this library's own study",
            accuracy.SETS,
            accuracy.QUICK,
            lambda sets, request: accuracy.make_units(
                sets, request.data, quick=request.quick
            ),
            accuracy.work,
            lambda results, sets, request, facts: accuracy_report.make_document(
                results, facts
            ),
            extra=accuracy.EXTRA,
        ),
    )
}
"""The experiments by name."""


class Reproduced(NamedTuple):
    """The report and the files written, the page first."""

    document: Document
    files: list[Path]


def find_experiment(name: str) -> Experiment:
    """The experiment of that name, or an error with suggestions."""
    if name not in EXPERIMENTS:
        raise BadInputError(
            f"there is no experiment {name!r}.{suggest(name, EXPERIMENTS)}"
        )
    return EXPERIMENTS[name]


def choose_sets(experiment: Experiment, request: Request) -> list[str]:
    """The data sets of a run: those of the request, or of the experiment."""
    all_sets = (*experiment.sets, *experiment.extra)
    if request.sets:
        names = [find_known(name).name for name in request.sets]
        unknown = [name for name in names if name not in all_sets]
        if unknown:
            raise BadInputError(
                f"{experiment.name} has no set {unknown[0]!r}."
                f"{suggest(unknown[0], all_sets)}"
            )
        return list(dict.fromkeys(names))
    if request.quick:
        # Only those that are there, so that it runs on a machine without any data.
        return _available(experiment.quick, request)
    return [*experiment.sets, *_available(experiment.extra, request)]


def left_out(name: str, request: Request) -> list[str]:
    """The data sets of a quick run that are missing."""
    if request.sets or not request.quick:
        return []
    quick_sets = find_experiment(name).quick
    return [one for one in quick_sets if one not in _available(quick_sets, request)]


def _available(names: Sequence[str], request: Request) -> list[str]:
    if request.fetch and request.quick:
        return list(names)
    return [name for name in names if is_available(find_known(name), request.data)]


def reproduce(name: str, request: Request, note: Note | None = None) -> Reproduced:
    """Run the units of an experiment that are not recorded yet, and write its report.

    Parameters
    ----------
    name : str
        One of `EXPERIMENTS`.
    request : Request
    note : callable, optional
        Called with a line per unit of work.
    """
    experiment = find_experiment(name)
    sets = choose_sets(experiment, request)
    known = [find_known(one) for one in sets]
    if request.fetch:
        fetch_missing(known, request.data)
    require_sets(known, request.data)
    units = experiment.units(sets, request)
    if not units:  # an empty report would replace an earlier one
        require_sets([find_known(one) for one in experiment.quick], request.data)
    work: Work = functools.partial(experiment.work, folder=request.data)
    with Store(request.out / "results.sqlite") as store:
        n_before = len(store)
        results = run_units(
            work,
            units,
            store,
            jobs=request.jobs,
            label=experiment.name,
            note=note,
            max_seconds=request.max_seconds,
        )
        if len(store) > n_before:
            store.record_run(name, experiment.code, describe(request))
        facts = store.last_run(name, experiment.code) or describe(request)
        facts.insert(2, _extent_of_work(len(results), store.seconds(units)))
    if len(results) < len(units):
        extent = (
            f"{len(results)} of {len(units)} units; what lacks some is left out, or "
            "has the number of its repetitions"
        )
        facts.insert(1, ("extent", extent))
    facts.append(("code", f"{experiment.code[:16]} (a digest of what it runs)"))
    document = experiment.make_document(results, sets, request, facts)
    files = write_report(document, name, request.out)
    checked = experiment.checked_units(units)
    if checked and not request.quick:
        path = check_file(request.out, name)
        write_text(path, to_check(results, checked, experiment.code))
        files.append(path)
    return Reproduced(document, files)


def check(name: str, request: Request) -> list[str]:
    """Run the recorded part of an experiment again; a line for each change.

    Figures that are more than three standard errors from the paper's need an
    explanation with a command; there is a line for each that lacks one, too.

    Parameters
    ----------
    name : str
        One of `EXPERIMENTS`.
    request : Request
        `out` is the folder of the recorded report.
    """
    experiment = find_experiment(name)
    sets = {str(one["set"]) for one in experiment.checked if "set" in one}
    require_sets([find_known(one) for one in sets], request.data)
    units = experiment.units(sorted(sets), request)
    work = functools.partial(experiment.work, folder=request.data)
    changes = find_changes(check_file(request.out, name), units, work)
    return changes + find_unexplained(request.out / name / "deviations.csv")


def _extent_of_work(n_units: int, seconds: float) -> tuple[str, str]:
    minutes = (
        f"{seconds / 60:.1f} minutes" if seconds >= 90 else f"{seconds:.1f} seconds"
    )
    return "computing", f"{n_units} units of work, {minutes} added up"


def describe(request: Request) -> list[tuple[str, str]]:
    """How results are computed now."""
    today = datetime.datetime.now(datetime.UTC).date()
    facts = [
        ("command", request.command),
        ("date", today.isoformat()),
        (
            "versions",
            f"sklazy {sklazy.__version__}, scikit-learn {sklearn.__version__}, "
            f"numpy {numpy.__version__}, Python {platform.python_version()}",
        ),
        ("machine", f"{platform.machine()}, {os.cpu_count()} cores"),
    ]
    if request.quick:
        facts.insert(1, ("extent", "a quick run: a small part of the whole"))
    return facts


def write_report(document: Document, name: str, out: Path) -> list[Path]:
    """Write the page, the Markdown, and each table and figure; the files written."""
    files = {
        out / f"{name}.html": to_page(document),
        out / f"{name}.md": to_markdown(document, name),
    }
    for table in document.tables:
        files[out / name / f"{table.name}.csv"] = to_csv(table)
    for figure in document.figures:
        files[out / name / f"{figure.name}.svg"] = figure.canvas.alone()
    for path, text in files.items():
        write_text(path, text)
    return list(files)
