"""The report on RACSAM: relevant inputs found, and errors of prediction."""

from collections.abc import Mapping, Sequence

import numpy as np

from sklazy.report.blocks import Heading, Paragraph
from sklazy.report.plots import draw_panels
from sklazy.report.words import pluralize
from sklazy_studies.document import Document, Figure, Part, Table
from sklazy_studies.harness.unit import Plain, Unit
from sklazy_studies.racsam import paper
from sklazy_studies.racsam.errors import error_parts, error_words, gather_errors
from sklazy_studies.racsam.run import N_INPUTS, STARTS

UnitResults = Mapping[Unit, Plain]


def make_document(
    results: UnitResults, names: Sequence[str], facts: Sequence[tuple[str, str]]
) -> Document:
    """The report on these sets and on the runs of table 1."""
    errors = gather_errors(results, names)
    parts = [*_recovery(results), *error_parts(errors)]
    lead = [
        f"{paper.REFERENCE} Sets of attributes race on growing sub-samples; a lazy "
        "learner judges them row by row, since nothing needs to be trained.",
        *_recovery_words(results),
        *error_words(errors),
    ]
    return Document("Racing for attributes: RACSAM", lead, parts, facts)


def runs_of(results: UnitResults, **wanted: object) -> list[Plain]:
    """The results of all units with these settings."""
    return [
        result
        for unit, result in results.items()
        if all(unit.setting.get(name) == value for name, value in wanted.items())
    ]


def _recovery(results: UnitResults) -> list[Part]:
    rows = []
    for n_inputs in N_INPUTS:
        for start in STARTS:
            runs = runs_of(results, part="race", n_inputs=n_inputs, start=start)
            if runs:
                rows.append(_race_row(n_inputs, start, runs))
        runs = runs_of(results, part="forward", n_inputs=n_inputs)
        if runs:
            rows.append(_forward_row(n_inputs, runs))
    header = [
        "inputs",
        "method, start",
        "runs",
        "success, %",
        "paper, %",
        "the set itself, %",
        "sets until found",
        "sets in all",
        "training rows",
        "test rows per set",
    ]
    table = Table(
        "recovery",
        header,
        rows,
        "Success as in the paper: the ten inputs, and no other, are among the winning "
        "sets; then how often they are the set chosen. Sets until found: how many had "
        "been assessed when the true one first won a race; then how many were assessed "
        "in all. Rows: those behind a prediction, and those on which a set was judged. "
        "Means over the runs ± standard deviations.",
        left=2,
    )
    text = Paragraph(
        "Ten inputs matter, the others are noise: Friedman's function of x1..x5 plus "
        "the same of x6..x10 plus standard normal noise, 1000 rows. The paper's own "
        "formula, and all cells of its table but one, are lost in our copy. Forward "
        "selection has 270 rows to learn from and 500 to test on, as in the paper. "
        "Lost, too, are the number of runs, of winners and of sets to start with, and "
        "how fast the sub-samples grow; here 25, 5, 60, and from 30 % to all rows in "
        "30 steps. Ours alone is the last race, of the winners and the best one's "
        "neighbors on all rows, which is included in the figures."
    )
    return [Heading("Ten inputs among many"), text, table, *_traces(results)]


def _race_row(n_inputs: int, start: str, runs: Sequence[Plain]) -> list[str]:
    until = [run["n_until"] for run in runs if run["n_until"] is not None]
    return [
        str(n_inputs),
        f"RACSAM, {start}",
        str(len(runs)),
        _percent([run["success"] for run in runs]),
        str(paper.SUCCESS),
        _percent([run["selected"] for run in runs]),
        _spread(until),
        *(_spread([run[name] for run in runs]) for name in _COSTS),
    ]


_COSTS = ("n_candidates", "n_training", "n_test")


def _spread(figures: Sequence[float]) -> str:
    """Mean and standard deviation."""
    if not figures:
        return "-"
    return f"{np.mean(figures):.0f} ± {np.std(figures):.0f}"


def _forward_row(n_inputs: int, runs: Sequence[Plain]) -> list[str]:
    success = _percent([run["success"] for run in runs])
    sets = _spread([run["n_candidates"] for run in runs])
    head = [str(n_inputs), "forward selection", str(len(runs)), success]
    rows = [str(runs[0]["n_training"]), str(runs[0]["n_test"])]
    return [*head, "lost", success, "-", sets, *rows]


def _percent(hits: Sequence[bool]) -> str:
    return f"{100 * np.mean(hits):.0f}"


def _traces(results: UnitResults) -> list[Part]:
    """How the best set's loss falls while sets are raced."""
    panels = {}
    for n_inputs in N_INPUTS:
        for start in STARTS:
            runs = runs_of(results, part="race", n_inputs=n_inputs, start=start)
            if runs:
                title = f"{n_inputs} inputs, {start} start"
                panels[title] = [_trace(run["races"]) for run in runs]
    if not panels:
        return []
    canvas = draw_panels(
        panels,
        {},
        "mean absolute error of the best set against the sets raced",
        "sets raced",
        "best set's error",
    )
    caption = (
        "Each line is a run: the error of the best set after each race, on the rows of "
        "that race, against the sets raced so far. The last points are on all rows."
    )
    return [Figure("races", canvas, caption)]


def _trace(races: Sequence[Sequence[float]]) -> list[tuple[float, float]]:
    raced = np.cumsum([race[1] for race in races])
    losses = [race[3] for race in races]
    pairs = zip(raced.tolist(), losses, strict=True)
    return [(float(x), y) for x, y in pairs if np.isfinite(y)]


def _recovery_words(results: UnitResults) -> list[str]:
    runs = runs_of(results, part="race")
    forward = runs_of(results, part="forward")
    if not runs or not forward:
        return []
    return [
        f"Of {pluralize(len(runs), 'run')}, RACSAM finds the ten inputs among its "
        f"winners in {_percent([run['success'] for run in runs])} % (paper: "
        f"{paper.SUCCESS} %) and selects them in "
        f"{_percent([run['selected'] for run in runs])} %; forward selection finds "
        f"them in {_percent([run['success'] for run in forward])} %."
    ]
