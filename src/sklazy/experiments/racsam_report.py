"""RACSAM: does it find the inputs that matter, and how well does it predict."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import stats

from sklazy.experiments import racsam_paper as paper
from sklazy.experiments.racsam import METHODS, N_FOLDS, N_INPUTS, STARTS, unpack
from sklazy.experiments.racsam_problem import Floats
from sklazy.experiments.significance import (
    LEVEL,
    critical_difference,
    indistinct_groups,
    mean_ranks,
)
from sklazy.experiments.unit import Plain, Unit
from sklazy.report.blocks import Heading, Paragraph
from sklazy.report.document import Document, Figure, Part, Table
from sklazy.report.plots import draw_dots, draw_panels, draw_ranks
from sklazy.report.words import counted

Found = Mapping[Unit, Plain]
Errors = dict[str, dict[str, Floats]]
"""The absolute error of every row, by set and method."""


def make_document(
    found: Found, names: Sequence[str], facts: Sequence[tuple[str, str]]
) -> Document:
    """The report on these sets and on the runs of table 1."""
    errors = gather_errors(found, names)
    parts: list[Part] = [*_recovery(found)]
    if errors:
        parts += [*_errors(errors), *_tests(errors), *_ranks(errors)]
    lead = [
        f"{paper.REFERENCE} Sets of attributes race on growing sub-samples; a lazy "
        "learner judges them row by row, since nothing needs to be trained.",
        *_recovery_words(found),
        *_error_words(errors),
    ]
    return Document("Racing for attributes: RACSAM", lead, parts, facts)


# --- table 1 --------------------------------------------------------------------------


def runs_of(found: Found, **wanted: object) -> list[Plain]:
    """The results of all units with these settings."""
    return [
        result
        for unit, result in found.items()
        if all(unit.setting.get(name) == value for name, value in wanted.items())
    ]


def _recovery(found: Found) -> list[Part]:
    rows = []
    for n_inputs in N_INPUTS:
        for start in STARTS:
            runs = runs_of(found, part="race", n_inputs=n_inputs, start=start)
            if runs:
                rows.append(_race_row(n_inputs, start, runs))
        runs = runs_of(found, part="forward", n_inputs=n_inputs)
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
        "test rows a set",
    ]
    table = Table(
        "recovery",
        header,
        rows,
        "Success as in the paper: the ten inputs, and no other, are among the winning "
        "sets; then how often they are the set chosen. Sets until found: how many had "
        "been in a race when the true one first won (mean ± standard deviation). "
        "Training rows: behind a prediction, on average.",
        left=2,
    )
    text = Paragraph(
        "Ten inputs matter, the others are noise: Friedman's function of x1..x5 plus "
        "the same of x6..x10 plus standard normal noise, 1000 rows. The paper's own "
        "formula, and all cells of its table but one, are lost in our copy. Forward "
        "selection has 270 rows to learn from and 500 to test on, as in the paper."
    )
    return [Heading("Ten inputs among many"), text, table, *_traces(found)]


def _race_row(n_inputs: int, start: str, runs: Sequence[Plain]) -> list[str]:
    until = [run["n_until"] for run in runs if run["n_until"] is not None]
    return [
        str(n_inputs),
        f"RACSAM, {start}",
        str(len(runs)),
        _percent([run["success"] for run in runs]),
        str(paper.SUCCESS),
        _percent([run["selected"] for run in runs]),
        f"{np.mean(until):.0f} ± {np.std(until):.0f}" if until else "-",
        f"{np.mean([run['n_candidates'] for run in runs]):.0f}",
        f"{np.mean([run['n_training'] for run in runs]):.0f}",
        f"{np.mean([run['n_test'] for run in runs]):.0f}",
    ]


def _forward_row(n_inputs: int, runs: Sequence[Plain]) -> list[str]:
    success = _percent([run["success"] for run in runs])
    sets = f"{np.mean([run['n_candidates'] for run in runs]):.0f}"
    head = [str(n_inputs), "forward selection", str(len(runs)), success]
    rows = [str(runs[0]["n_training"]), str(runs[0]["n_test"])]
    return [*head, "lost", success, "-", sets, *rows]


def _percent(hits: Sequence[bool]) -> str:
    return f"{100 * np.mean(hits):.0f}"


def _traces(found: Found) -> list[Part]:
    """How the best set's loss falls while sets are raced."""
    panels = {}
    for n_inputs in N_INPUTS:
        for start in STARTS:
            runs = runs_of(found, part="race", n_inputs=n_inputs, start=start)
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


def _recovery_words(found: Found) -> list[str]:
    runs = runs_of(found, part="race")
    forward = runs_of(found, part="forward")
    if not runs or not forward:
        return []
    return [
        f"Of {counted(len(runs), 'run')}, RACSAM finds the ten inputs among its "
        f"winners in {_percent([run['success'] for run in runs])} % (paper: "
        f"{paper.SUCCESS} %) and selects them in "
        f"{_percent([run['selected'] for run in runs])} %; forward selection finds "
        f"them in {_percent([run['success'] for run in forward])} %."
    ]


# --- table 2 --------------------------------------------------------------------------


def gather_errors(found: Found, names: Sequence[str]) -> Errors:
    """Errors by set and method, all folds together, where all are there."""
    packed: dict[tuple[str, str], dict[int, Floats]] = {}
    for unit, result in found.items():
        for method, text in result.get("errors", {}).items():
            own = packed.setdefault((unit.setting["set"], method), {})
            own[unit.setting["fold"]] = unpack(text)
    whole = {
        key: np.concatenate([folds[fold] for fold in range(N_FOLDS)])
        for key, folds in packed.items()
        if len(folds) == N_FOLDS
    }
    return {
        name: {method: whole[name, method] for method in METHODS}
        for name in names
        if all((name, method) in whole for method in METHODS)
    }


def figure(number: float) -> str:
    """An error with three digits that count.

    Examples
    --------
    >>> figure(9.71e-5), figure(26.5), figure(13472.9)
    ('9.71e-05', '26.5', '1.35e+04')
    """
    return f"{number:#.3g}".removesuffix(".")


def _errors(errors: Errors) -> list[Part]:
    rows: list[list[str]] = []
    strong = set()
    for name, own in errors.items():
        means = [float(own[method].mean()) for method in METHODS]
        strong.add((len(rows), 2 + int(np.argmin(means))))
        rows.append([name, "ours", *map(figure, means)])
        theirs = dict(zip(paper.COLUMNS, paper.ERRORS[name], strict=True))
        cells = [figure(theirs[m]) if m in theirs else "" for m in METHODS]
        rows.append(["", "paper", *cells])
    table = Table(
        "errors",
        ["set", "figures", *METHODS],
        rows,
        "Mean absolute errors over five folds. The paper's Census is on another scale "
        "than house_16H and house_8L: compare ratios.",
        left=2,
        strong=frozenset(strong),
    )
    return [Heading("Six sets"), table, _ratio_figure(errors)]


def _ratio_figure(errors: Errors) -> Figure:
    """Errors in terms of LL-RAC2's, which puts all sets on one scale."""
    shown = ["LL-RAC1", "svm", "tree", "random-forest", "gradient-boosting"]
    rows, theirs = {}, {}
    for name, own in errors.items():
        base = own["LL-RAC2"].mean()
        rows[name] = [min(5.0, float(own[m].mean() / base)) for m in shown]
        told = dict(zip(paper.COLUMNS, paper.ERRORS[name], strict=True))
        theirs[name] = [
            min(5.0, told[m] / told["LL-RAC2"]) if m in told else None for m in shown
        ]
    canvas = draw_dots(
        rows,
        shown,
        "mean absolute error in terms of that of LL-RAC2",
        "error divided by that of LL-RAC2; right of 1: LL-RAC2 is better",
        theirs,
    )
    caption = "Rings: the paper's figures. What is beyond 5 is drawn at 5."
    return Figure("ratios", canvas, caption)


def paired_over_rows(first: Floats, second: Floats) -> float:
    """The p-value of a paired t-test over all rows."""
    differences = first - second
    if not differences.std():
        return 1.0
    return float(stats.ttest_1samp(differences, 0.0).pvalue)


def _tests(errors: Errors) -> list[Part]:
    rows = [_test_row(errors, m) for m in METHODS if m != "LL-RAC2"]
    table = Table(
        "tests",
        ["LL-RAC2 against", "better", "worse", "paper", "worse on"],
        rows,
        f"Sets of {len(errors)} on which LL-RAC2 is significantly better or worse: "
        "paired t-tests over the test rows at 0.05.",
    )
    return [table]


def _test_row(errors: Errors, rival: str) -> list[str]:
    better, worse = 0, []
    for name, own in errors.items():
        apart = own["LL-RAC2"].mean() - own[rival].mean()
        if paired_over_rows(own["LL-RAC2"], own[rival]) < LEVEL:
            better += bool(apart < 0)
            worse += [name] if apart > 0 else []
    told = f"{paper.WINS[rival]} of 6, 0" if rival in paper.WINS else "-"
    return [rival, str(better), str(len(worse)), told, ", ".join(worse) or "-"]


def _ranks(errors: Errors) -> list[Part]:
    if len(errors) < 4:
        return []
    means = [[-own[method].mean() for method in METHODS] for own in errors.values()]
    ranks = mean_ranks(means)
    difference = critical_difference(len(METHODS), len(errors))
    groups = indistinct_groups(ranks, difference)
    label = "mean ranks by error over the sets"
    canvas = draw_ranks(METHODS, ranks.tolist(), difference, groups, label)
    caption = "Bars join what cannot be told apart (Nemenyi, 0.05)."
    return [Figure("ranks", canvas, caption)]


def _error_words(errors: Errors) -> list[str]:
    if not errors:
        return []
    best = [f"{name} {_best_method(own)}" for name, own in errors.items()]
    return [f"Lowest error on each set: {', '.join(best)}."]


def _best_method(own: Mapping[str, Floats]) -> str:
    return min(METHODS, key=lambda method: float(own[method].mean()))
