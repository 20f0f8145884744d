"""From an experiment's name to its report: plan, run what is missing, write."""

import datetime
import functools
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy
import sklearn

import sklazy
from sklazy.errors import BadInputError, suggest
from sklazy.experiments.harness.catalog import find_known
from sklazy.experiments.harness.data import is_at_hand, require_sets
from sklazy.experiments.harness.fetching import fetch_missing
from sklazy.experiments.harness.runner import Note, run_units
from sklazy.experiments.harness.store import Store
from sklazy.experiments.harness.unit import Plain, Unit
from sklazy.experiments.harness.workers import Work
from sklazy.experiments.harness.writing import write_text
from sklazy.experiments.lazy_selection import report as lazy_selection_report
from sklazy.experiments.lazy_selection import run as lazy_selection
from sklazy.experiments.lazy_stacking import report as lazy_stacking_report
from sklazy.experiments.lazy_stacking import run as lazy_stacking
from sklazy.experiments.racsam import report as racsam_report
from sklazy.experiments.racsam import run as racsam
from sklazy.report.document import Document, to_csv, to_markdown, to_page

Found = Mapping[Unit, Plain]
Facts = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Request:
    """What is to be reproduced, and how.

    Attributes
    ----------
    data : path
        The folder of the data sets.
    out : path
        Where results and reports go.
    sets : tuple of str
        Those asked for; empty for all that belong to the experiment.
    protocols : tuple of str
    jobs : int
    quick : bool
        A small part of it, in minutes.
    fetch : bool
        Whether sets that are missing may be had from OpenML.
    command : str
        What the user typed, for the report.
    """

    data: Path
    out: Path
    sets: tuple[str, ...] = ()
    protocols: tuple[str, ...] = lazy_selection.PROTOCOLS
    jobs: int = 1
    quick: bool = False
    fetch: bool = False
    command: str = ""


class WorkOnData(Protocol):
    """What does a unit, given the folder of the data."""

    def __call__(self, unit: Unit, folder: Path) -> Plain:
        """Do it."""


@dataclass(frozen=True)
class Experiment:
    """A paper's experiment.

    Attributes
    ----------
    name, summary : str
    paper : str
        Its reference.
    sets : tuple of str
        The data sets it needs.
    extra : tuple of str
        Those it takes along if they are at hand.
    quick : tuple of str
        Those of a quick run.
    make_units : callable of (sets, request)
    work : callable of (unit, data folder)
    make_document : callable of (results by unit, sets, request, facts)
    """

    name: str
    summary: str
    paper: str
    sets: tuple[str, ...]
    quick: tuple[str, ...]
    make_units: Callable[[Sequence[str], Request], list[Unit]]
    work: WorkOnData
    make_document: Callable[[Found, Sequence[str], Request, Facts], Document]
    extra: tuple[str, ...] = field(default=())


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
            lambda found, sets, request, facts: lazy_selection_report.make_document(
                found, sets, request.protocols, facts
            ),
            extra=lazy_selection.NIPS,
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
            lambda found, sets, request, facts: racsam_report.make_document(
                found, sets, facts
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
            lambda found, sets, request, facts: lazy_stacking_report.make_document(
                found, sets, facts
            ),
        ),
    )
}
"""All that can be reproduced, by name."""


class Reproduced(NamedTuple):
    """What came of it: the report and the files written, the page first."""

    document: Document
    files: list[Path]


def find_experiment(name: str) -> Experiment:
    """The experiment of that name, or an error that names the nearest."""
    if name not in EXPERIMENTS:
        raise BadInputError(
            f"there is no experiment {name!r}.{suggest(name, EXPERIMENTS)}"
        )
    return EXPERIMENTS[name]


def choose_sets(experiment: Experiment, request: Request) -> list[str]:
    """The sets of a run: those asked for, or the experiment's own."""
    own = (*experiment.sets, *experiment.extra)
    if request.sets:
        asked = [find_known(name).name for name in request.sets]
        strange = [name for name in asked if name not in own]
        if strange:
            raise BadInputError(
                f"{experiment.name} has no set {strange[0]!r}."
                f"{suggest(strange[0], own)}"
            )
        return list(dict.fromkeys(asked))
    if request.quick:
        # What is there of them, so that it runs on a machine without any data.
        return _at_hand(experiment.quick, request)
    return [*experiment.sets, *_at_hand(experiment.extra, request)]


def left_out(name: str, request: Request) -> list[str]:
    """The sets of a quick run that it does without, since they are not there."""
    if request.sets or not request.quick:
        return []
    own = find_experiment(name).quick
    return [one for one in own if one not in _at_hand(own, request)]


def _at_hand(names: Sequence[str], request: Request) -> list[str]:
    if request.fetch and request.quick:
        return list(names)
    return [name for name in names if is_at_hand(find_known(name), request.data)]


def reproduce(name: str, request: Request, note: Note | None = None) -> Reproduced:
    """Run what of an experiment is not recorded yet, and write its report.

    Parameters
    ----------
    name : str
        One of `EXPERIMENTS`.
    request : Request
    note : callable, optional
        Told a line for each unit of work.
    """
    experiment = find_experiment(name)
    sets = choose_sets(experiment, request)
    known = [find_known(one) for one in sets]
    if request.fetch:
        fetch_missing(known, request.data)
    require_sets(known, request.data)
    units = experiment.make_units(sets, request)
    if not units:  # a report on nothing would take the place of an earlier one
        require_sets([find_known(one) for one in experiment.quick], request.data)
    work: Work = functools.partial(experiment.work, folder=request.data)
    with Store(request.out / "results.sqlite") as store:
        found = run_units(
            work, units, store, jobs=request.jobs, label=experiment.name, note=note
        )
        facts = describe(request, len(units), store.seconds(units))
    document = experiment.make_document(found, sets, request, facts)
    return Reproduced(document, write_report(document, name, request.out))


def describe(request: Request, n_units: int, seconds: float) -> list[tuple[str, str]]:
    """How a report was made, in words."""
    today = datetime.datetime.now(datetime.UTC).date()
    minutes = (
        f"{seconds / 60:.1f} minutes" if seconds >= 90 else f"{seconds:.1f} seconds"
    )
    facts = [
        ("command", request.command),
        ("date", today.isoformat()),
        ("computing", f"{n_units} units of work, {minutes} added up"),
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
