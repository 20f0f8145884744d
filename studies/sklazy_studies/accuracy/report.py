"""The report on accuracy: means, pairs, every set, and where the lazy learners lose."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import stats

from sklazy.report.blocks import Heading, Paragraph
from sklazy.report.plots import draw_dots
from sklazy.report.words import pluralize
from sklazy_studies.accuracy.methods import CLASSIFIERS, REGRESSORS
from sklazy_studies.accuracy.results import (
    Results,
    Runs,
    collect,
    find_runs,
    split_methods,
)
from sklazy_studies.document import Document, Figure, Part, Table, signed
from sklazy_studies.harness.ranking import rank_figure
from sklazy_studies.harness.significance import mean_ranks
from sklazy_studies.harness.unit import Plain, Unit

BLEND, KERNEL = "lazy blend", "lazy kernel"

_PARTS = {
    "report": "Sets that took no part in any choice",
    "choose": "Sets that settings were chosen by",
    "large": "Large sets, one fold of five",
}


def make_document(
    results: Mapping[Unit, Plain], facts: Sequence[tuple[str, str]]
) -> Document:
    """The report on what was run."""
    lead = [
        "Every method with its defaults, on the same folds, one thread. Random forests "
        "and extra trees have 500 trees."
    ]
    parts: list[Part] = []
    for part, title in _PARTS.items():
        runs = find_runs(results, part)
        everywhere, somewhere = split_methods(runs, list(CLASSIFIERS))
        run = collect(runs, everywhere)
        if run is None:
            continue
        parts += [Heading(title), *_class_parts(run, part)]
        if part == "report":
            lead += _words(run)
        for method in somewhere:
            parts += _some_sets(runs, part, method)
    numbers = collect(find_runs(results, "numbers"), list(REGRESSORS))
    if numbers is not None:
        parts += [Heading("Numbers"), *_number_parts(numbers)]
    return Document("Accuracy beside forests and boosting", lead, parts, facts)


def _words(run: Results) -> list[str]:
    means = 100 * run.means("right").mean(axis=0)
    named = [f"{m} {x:.2f}" for m, x in zip(run.methods, means, strict=True)]
    return [
        f"Accuracy in percent, mean over {pluralize(len(run.sets), 'set')}: "
        f"{', '.join(named)}."
    ]


def _class_parts(run: Results, part: str) -> list[Part]:
    shown: list[Part] = [_overall(run, part), _pairs(run, part), _sets(run, part)]
    if part == "report":
        shown += [_losses(run), *_figures(run)]
    return shown


def _some_sets(runs: Runs, part: str, method: str) -> list[Part]:
    """The lazy learners beside a method that was run on some of the sets only."""
    run = collect(runs, [BLEND, KERNEL, method])
    if run is None:
        return []
    name = f"{part}-{method.lower()}"
    text = f"{method} takes long on some sets and was run on these alone."
    return [Paragraph(text), _overall(run, name), _pairs(run, name), _sets(run, name)]


def _overall(run: Results, part: str) -> Table:
    """Means over the sets."""
    right = run.means("right")
    columns = [
        100 * right.mean(axis=0),
        mean_ranks(right),
        run.means("log_loss").mean(axis=0),
        run.means("brier").mean(axis=0),
        100 * run.calibration.mean(axis=0),
        run.sums("fit").mean(axis=(0, 2)),
        1e3 * run.sums("query").mean(axis=(0, 2)),
    ]
    formats = ("{:.2f}", "{:.2f}", "{:.3f}", "{:.3f}", "{:.1f}", "{:.2f}", "{:.2f}")
    rows = [
        [m, *(f.format(column[j]) for f, column in zip(formats, columns, strict=True))]
        for j, m in enumerate(run.methods)
    ]
    return Table(
        f"means-{part}",
        [
            "method",
            "accuracy, %",
            "mean rank",
            "log loss",
            "Brier",
            "calibration error, %",
            "fit, s",
            "query, ms",
        ],
        rows,
        f"Means over {pluralize(len(run.sets), 'set')}. Probabilities are kept off "
        "zero by 0.001 shared by the classes. Calibration error: of 15 bins of "
        "confidence. Fit includes the first question.",
    )


def _pairs(run: Results, part: str) -> Table:
    """The lazy learners against each other method."""
    rows = []
    for method in (m for m in (BLEND, KERNEL) if m in run.methods):
        for other in run.methods:
            if other not in (BLEND, KERNEL):
                rows.append([method, other, *_compare(run, method, other)])
    return Table(
        f"pairs-{part}",
        [
            "method",
            "against",
            "won / tied / lost",
            "beyond chance",
            "mean gain",
            "median gain",
            "Wilcoxon p",
            "log loss lower on",
        ],
        rows,
        "Sets won, tied and lost by accuracy; how many of these beyond chance (t-test "
        "over the folds, corrected for rows that folds share, 0.05); gains in points; "
        "signed-rank test over the sets.",
        left=2,
        signed=frozenset({4, 5}),
    )


def _compare(run: Results, method: str, other: str) -> list[str]:
    first, second = run.methods.index(method), run.methods.index(other)
    right, loss = 100 * run.means("right"), run.means("log_loss")
    gains = right[:, first] - right[:, second]
    won, tied, lost, surely_won, surely_lost = run.better(method, other)
    lower = int((loss[:, first] < loss[:, second]).sum())
    p = stats.wilcoxon(gains).pvalue if gains.any() else 1.0
    return [
        f"{won} / {tied} / {lost}",
        f"{surely_won} / {surely_lost}",
        signed(float(gains.mean())),
        signed(float(np.median(gains))),
        "<0.001" if p < 1e-3 else f"{p:.3f}",
        f"{lower} of {len(gains)}",
    ]


def _sets(run: Results, part: str) -> Table:
    right = 100 * run.means("right")
    best = right >= right.max(axis=1, keepdims=True) - 5e-3
    return Table(
        f"accuracies-{part}",
        ["set", *run.methods],
        [
            [name, *(f"{x:.2f}" for x in percents)]
            for name, percents in zip(run.sets, right, strict=True)
        ],
        "Accuracy in percent by set; bold: the best.",
        strong=frozenset((int(i), int(j) + 1) for i, j in np.argwhere(best)),
    )


def _losses(run: Results) -> Table:
    """The sets on which another method is ahead of the blend, worst first."""
    right = 100 * run.means("right")
    blend_right = right[:, run.methods.index(BLEND)]
    behind = right.max(axis=1) - blend_right
    rows = [
        [
            run.sets[i],
            f"{blend_right[i]:.2f}",
            f"{right[i].max():.2f}",
            run.methods[int(right[i].argmax())],
            signed(-float(behind[i])),
        ]
        for i in np.argsort(-behind, kind="stable")
        if behind[i] > 0
    ]
    return Table(
        "losses",
        ["set", BLEND, "best", "which is", "difference"],
        rows,
        "Where another method is ahead of the blend, picked in hindsight for each set.",
        signed=frozenset({4}),
    )


def _figures(run: Results) -> list[Part]:
    if len(run.sets) < 4:
        return []
    right = run.means("right")
    label = "mean ranks by accuracy over the sets"
    ranks = rank_figure(
        run.methods, right, label, "Bars join what cannot be told apart (Nemenyi)."
    )
    shown = [m for m in run.methods if m in (BLEND, "random forest", "CatBoost")]
    places = [run.methods.index(m) for m in shown]
    rows = {name: (100 * right[i, places]).tolist() for i, name in enumerate(run.sets)}
    canvas = draw_dots(rows, shown, "accuracy by set", "accuracy, %")
    return [ranks, Figure("accuracy-by-set", canvas)]


def _number_parts(run: Results) -> list[Part]:
    errors = run.errors
    best = errors <= errors.min(axis=1, keepdims=True) + 5e-5
    rows = [
        [name, *(f"{x:.4f}" for x in set_errors)]
        for name, set_errors in zip(run.sets, errors, strict=True)
    ]
    overall = np.exp(np.log(errors).mean(axis=0))
    rows.append(["geometric mean", *(f"{x:.4f}" for x in overall)])
    rows.append(["fit, s", *(f"{x:.2f}" for x in run.sums("fit").mean(axis=(0, 2)))])
    query = 1e3 * run.sums("query").mean(axis=(0, 2))
    rows.append(["query, ms", *(f"{x:.2f}" for x in query)])
    return [
        Table(
            "errors",
            ["set", *run.methods],
            rows,
            "Root of the mean squared error over the target's standard deviation; "
            "bold: the least.",
            strong=frozenset((int(i), int(j) + 1) for i, j in np.argwhere(best)),
        ),
        Paragraph("Of large sets 1 200 rows, drawn once."),
    ]
