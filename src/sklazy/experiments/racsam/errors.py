"""RACSAM on data sets: errors beside the paper's, tests of every pair, ranks."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import stats

from sklazy.experiments.harness.significance import (
    LEVEL,
    critical_difference,
    indistinct_groups,
    mean_ranks,
)
from sklazy.experiments.harness.unit import Plain, Unit
from sklazy.experiments.racsam import paper
from sklazy.experiments.racsam.problem import Floats
from sklazy.experiments.racsam.run import METHODS, N_FOLDS, unpack
from sklazy.report.blocks import Heading
from sklazy.report.document import Figure, Part, Table, signed
from sklazy.report.plots import draw_dots, draw_ranks

Errors = dict[str, dict[str, Floats]]
"""The absolute error of every row, by set and method."""


def error_parts(errors: Errors) -> list[Part]:
    """Table 2, its tests and its pictures."""
    if not errors:
        return []
    return [*_errors(errors), *_tests(errors), *_ranks(errors)]


def gather_errors(found: Mapping[Unit, Plain], names: Sequence[str]) -> Errors:
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
    """An error with three digits that count, or all before the point.

    Examples
    --------
    >>> figure(9.71e-5), figure(26.5), figure(13472.9)
    ('9.71e-5', '26.5', '13473')
    """
    if number < 1e-3:
        digits, exponent = f"{number:.2e}".split("e")
        return f"{digits}e{int(exponent)}"
    if number >= 1e3:
        return f"{number:.0f}"
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
        if name not in paper.OTHER_SCALE:
            both = zip(METHODS, means, strict=True)
            rows.append(
                ["", "difference", *(_apart(x, theirs.get(m)) for m, x in both)]
            )
    table = Table(
        "errors",
        ["set", "figures", *METHODS],
        rows,
        "Mean absolute errors over five folds, bold the lowest of ours; the difference "
        "is in percent of the paper's figure. Its Census is on another scale than "
        "house_16H and house_8L, either of which it may be: compare ratios.",
        left=2,
        strong=frozenset(strong),
    )
    return [Heading("Six sets"), table, _ratio_figure(errors)]


def _apart(ours: float, theirs: float | None) -> str:
    return "" if theirs is None else f"{signed(100 * (ours / theirs - 1), 0)} %"


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


def surely_better(errors: Errors, first: str, second: str) -> list[str]:
    """The sets on which the first has a lower error, and not by chance."""
    return [
        name
        for name, own in errors.items()
        if own[first].mean() < own[second].mean()
        and paired_over_rows(own[first], own[second]) < LEVEL
    ]


def _tests(errors: Errors) -> list[Part]:
    rows = [_test_row(errors, m) for m in METHODS if m != "LL-RAC2"]
    table = Table(
        "tests",
        ["LL-RAC2 against", "better", "worse", "paper", "worse on"],
        rows,
        f"Sets of {len(errors)} on which LL-RAC2 is significantly better or worse: "
        "paired t-tests over the test rows at 0.05. The paper has six sets.",
    )
    pairs = Table(
        "pairs",
        ["better than", *METHODS],
        [[one, *(_pair(errors, one, other) for other in METHODS)] for one in METHODS],
        "Every pair: on how many sets the method of the row is significantly better "
        "than that of the column.",
    )
    return [table, pairs]


def _pair(errors: Errors, one: str, other: str) -> str:
    return "" if one == other else str(len(surely_better(errors, one, other)))


def _test_row(errors: Errors, rival: str) -> list[str]:
    better = surely_better(errors, "LL-RAC2", rival)
    worse = surely_better(errors, rival, "LL-RAC2")
    told = f"{paper.WINS[rival]} of 6, 0" if rival in paper.WINS else "-"
    return [rival, str(len(better)), str(len(worse)), told, ", ".join(worse) or "-"]


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


def error_words(errors: Errors) -> list[str]:
    """Who has the lowest error where, and what the tests say."""
    if not errors:
        return []
    best = [f"{name} {_best_method(own)}" for name, own in errors.items()]
    verdicts = [
        f"{rival} on {len(surely_better(errors, 'LL-RAC2', rival))} of {len(errors)} "
        f"sets and worse on {len(surely_better(errors, rival, 'LL-RAC2'))}"
        for rival in ("svm", "tree", "random-forest", "gradient-boosting")
    ]
    return [
        f"LL-RAC2 is significantly better than {', than '.join(verdicts)} (paper: than "
        "the SVM on 5 of 6, than the tree on 6 of 6, never worse).",
        f"Lowest error on each set: {', '.join(best)}.",
    ]


def _best_method(own: Mapping[str, Floats]) -> str:
    return min(METHODS, key=lambda method: float(own[method].mean()))
