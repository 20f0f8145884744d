"""RACSAM on data sets: errors of the paper and ours, tests of every pair, ranks."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import stats

from sklazy.report.blocks import Heading
from sklazy.report.plots import draw_dots
from sklazy_studies.document import Figure, Part, Table, signed
from sklazy_studies.harness.ranking import rank_figure
from sklazy_studies.harness.significance import LEVEL
from sklazy_studies.harness.unit import Plain, Unit
from sklazy_studies.racsam import paper
from sklazy_studies.racsam.problem import Floats
from sklazy_studies.racsam.run import METHODS, N_FOLDS, unpack

Errors = dict[str, dict[str, Floats]]
"""The absolute error of every row, by set and method."""


def error_parts(errors: Errors) -> list[Part]:
    """Table 2, its tests and its figures."""
    if not errors:
        return []
    return [*_errors(errors), *_tests(errors), *_ranks(errors)]


def gather_errors(results: Mapping[Unit, Plain], names: Sequence[str]) -> Errors:
    """Errors by set and method over all folds; incomplete sets are left out."""
    packed: dict[tuple[str, str], dict[int, Floats]] = {}
    for unit, result in results.items():
        for method, text in result.get("errors", {}).items():
            by_fold = packed.setdefault((unit.setting["set"], method), {})
            by_fold[unit.setting["fold"]] = unpack(text)
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
    """An error with three significant digits, or all before the point.

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
    for name, by_method in errors.items():
        means = [float(by_method[method].mean()) for method in METHODS]
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
    """Errors relative to LL-RAC2, which puts all sets on one scale."""
    shown = ["LL-RAC1", "svm", "tree", "random-forest", "gradient-boosting"]
    rows, theirs = {}, {}
    for name, by_method in errors.items():
        base = by_method["LL-RAC2"].mean()
        rows[name] = [min(5.0, float(by_method[m].mean() / base)) for m in shown]
        reported = dict(zip(paper.COLUMNS, paper.ERRORS[name], strict=True))
        theirs[name] = [
            min(5.0, reported[m] / reported["LL-RAC2"]) if m in reported else None
            for m in shown
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


def significantly_better(errors: Errors, first: str, second: str) -> list[str]:
    """The sets on which the error of the first is significantly lower."""
    return [
        name
        for name, by_method in errors.items()
        if by_method[first].mean() < by_method[second].mean()
        and paired_over_rows(by_method[first], by_method[second]) < LEVEL
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
    return "" if one == other else str(len(significantly_better(errors, one, other)))


def _test_row(errors: Errors, other: str) -> list[str]:
    better = significantly_better(errors, "LL-RAC2", other)
    worse = significantly_better(errors, other, "LL-RAC2")
    theirs = f"{paper.WINS[other]} of 6, 0" if other in paper.WINS else "-"
    return [other, str(len(better)), str(len(worse)), theirs, ", ".join(worse) or "-"]


def _ranks(errors: Errors) -> list[Part]:
    if len(errors) < 4:
        return []
    means = [
        [-by_method[method].mean() for method in METHODS]
        for by_method in errors.values()
    ]
    label = "mean ranks by error over the sets"
    caption = "Bars join what cannot be told apart (Nemenyi, 0.05)."
    return [rank_figure(METHODS, means, label, caption)]


def error_words(errors: Errors) -> list[str]:
    """The method of lowest error on each set, and the results of the tests."""
    if not errors:
        return []
    best = [f"{name} {_best_method(by_method)}" for name, by_method in errors.items()]
    verdicts = [
        f"{other} on {_pair(errors, 'LL-RAC2', other)} of {len(errors)} sets and worse "
        f"on {_pair(errors, other, 'LL-RAC2')}"
        for other in ("svm", "tree", "random-forest", "gradient-boosting")
    ]
    return [
        f"LL-RAC2 is significantly better than {', than '.join(verdicts)} (paper: than "
        "the SVM on 5 of 6, than the tree on 6 of 6, never worse).",
        f"Lowest error on each set: {', '.join(best)}.",
    ]


def _best_method(by_method: Mapping[str, Floats]) -> str:
    return min(METHODS, key=lambda method: float(by_method[method].mean()))
