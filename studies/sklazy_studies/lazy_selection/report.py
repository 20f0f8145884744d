"""The report on lazy selection: the totals of the paper and ours, and details."""

from collections.abc import Mapping, Sequence

import numpy as np

from sklazy.estimators.advice.advantage import PERCENTAGES
from sklazy.report.blocks import Heading, Paragraph
from sklazy.report.plots import draw_curves, draw_panels, percent
from sklazy.report.words import pluralize
from sklazy_studies.document import Document, Figure, Part, Table, signed
from sklazy_studies.harness.deviations import deviation_table
from sklazy_studies.harness.ranking import rank_figure
from sklazy_studies.harness.significance import Tally
from sklazy_studies.harness.unit import Plain, Unit
from sklazy_studies.lazy_selection import paper
from sklazy_studies.lazy_selection.claims import claims
from sklazy_studies.lazy_selection.details import (
    cost_table,
    curve_table,
    large_sums,
    sets_table,
    worked_tables,
)
from sklazy_studies.lazy_selection.deviations import count_deviations
from sklazy_studies.lazy_selection.results import Results, curve, gather
from sklazy_studies.lazy_selection.run import HOSTS, NIPS
from sklazy_studies.lazy_selection.sets import (
    best_table,
    large_table,
    set_figure,
    wins_table,
)

Runs = dict[str, Results]
"""Results by protocol."""

_CUTS = {
    "honest": "cuts from the training fold alone",
    "paper": "cuts from all rows, as the paper seems to have it",
}
_NAMES = {"honest": "ours, honest", "paper": "ours, paper's protocol"}


def make_document(
    results: Mapping[Unit, Plain],
    names: Sequence[str],
    protocols: Sequence[str],
    facts: Sequence[tuple[str, str]],
) -> Document:
    """The report on these sets."""
    runs = _runs(results, [n for n in names if n not in NIPS], protocols)
    large = _runs(results, [n for n in names if n in NIPS], protocols)
    parts: list[Part] = []
    if runs:
        main = next(iter(runs.values()))
        parts += [*_totals(runs), *_advantage(runs), *_differences(main)]
        parts += [*_sets(runs), *_worked(runs), *cost_table(results), *_ranks(main)]
    if large:
        parts += _large(large)
    return Document(
        "Lazy attribute selection against eager", _lead(runs, large), parts, facts
    )


def _runs(
    results: Mapping[Unit, Plain], names: Sequence[str], protocols: Sequence[str]
) -> Runs:
    gathered = {protocol: gather(results, names, protocol) for protocol in protocols}
    return {protocol: run for protocol, run in gathered.items() if run is not None}


def _lead(runs: Runs, large: Runs) -> list[str]:
    lead = [
        f"{paper.REFERENCE} Attributes are chosen for each row when it is classified; "
        "the rival chooses them once, by information gain. Ten folds, nine percentages "
        "of attributes."
    ]
    for protocol, run in runs.items():
        tally, n = run.tally(0), pluralize(len(run.sets), "set")
        lead.append(
            f"{n}, {_CUTS[protocol]}, 1-NN: lazy selection is better in "
            f"{tally.better} of {tally.n} comparisons ({100 * tally.share:.0f} %), "
            f"eager in {tally.worse}; beyond chance lazy in "
            f"{tally.significantly_better}, eager in {tally.significantly_worse}."
        )
    lead.append("The paper: 220 of 360 (61 %) and 87; beyond chance 87 and 7.")
    if not runs and large:
        lead.append(f"Large sets alone: {', '.join(next(iter(large.values())).sets)}.")
    return lead


def _totals(runs: Runs) -> list[Part]:
    header = ["host", "figures", "lazy", "eager", "ties", "lazy, sure", "eager, sure"]
    rows = []
    for i, host in enumerate(HOSTS):
        theirs = paper.TALLIES.get(host)
        if theirs is not None:
            rows.append([host, "paper", *_cells(theirs)])
        for protocol, run in runs.items():
            ours = run.tally(i)
            rows.append([host, _NAMES[protocol], *_cells(ours)])
            if theirs is not None and theirs.n == ours.n:
                rows.append([host, "difference", *_apart(ours, theirs)])
    totals = Table(
        "totals",
        header,
        rows,
        "How often each is more accurate, over all sets and nine percentages; sure: by "
        "a paired t-test over the ten folds at 0.05. The paper calls its figures for "
        "3-NN and 5-NN similar to those of 1-NN. Its sets are 40, of which 15 are "
        "known by name.",
        left=2,
    )
    parts: list[Part] = [Heading("Totals"), _RIVAL, totals, _best_totals(runs)]
    by_paper = runs.get("paper")
    if by_paper is not None and len(by_paper.sets) == paper.N_SETS:
        parts.append(_far(by_paper))
    return parts


_RIVAL = Paragraph(
    "The rival is information gain, as in Weka's InfoGainAttributeEval but for missing "
    "cells: Weka spreads them over the values of the attribute, here they are left out "
    "of it. How many attributes a percentage is, rounded half up, is our reading."
)


def _far(run: Results) -> Table:
    table = deviation_table(count_deviations(run), ("host", "count"))
    words = (
        f"{table.caption} Counts over 40 sets by the paper's protocol; the standard "
        "error comes from the spread over sets, of which the paper has others."
    )
    return table._replace(caption=words)


def _cells(tally: Tally) -> list[str]:
    return [
        f"{tally.better} ({100 * tally.share:.0f} %)" if tally.n else "0",
        str(tally.worse),
        str(tally.ties),
        str(tally.significantly_better),
        str(tally.significantly_worse),
    ]


def _apart(ours: Sequence[int], theirs: Sequence[int]) -> list[str]:
    """Differences of counts over equally many comparisons."""
    return [signed(a - b, 0) for a, b in zip(ours, theirs, strict=True)]


def _best_totals(runs: Runs) -> Table:
    rows = []
    for i, host in enumerate(HOSTS):
        lazy, eager = paper.BEST_OF_NINE[host]
        rows.append([host, "paper", str(lazy), str(eager), "about 10"])
        for protocol, run in runs.items():
            best_counts = run.best_counts(i)
            counts = [best_counts[name] for name in ("lazy", "eager", "none")]
            rows.append([host, _NAMES[protocol], *map(str, counts)])
            if len(run.sets) == paper.N_SETS:
                apart = _apart(counts[:2], (lazy, eager))
                rows.append([host, "difference", *apart, ""])
    return Table(
        "best-of-nine",
        ["host", "figures", "lazy", "eager", "all attributes"],
        rows,
        "In how many sets each has the best accuracy, the best of nine percentages "
        "taken for both; sets where several share the best count for each of them.",
        left=2,
    )


def _advantage(runs: Runs) -> list[Part]:
    rows = []
    for threshold, better, n in paper.CURVE:
        rows.append([f"≥ {threshold:g}", "paper", str(n), f"{100 * better / n:.1f} %"])
        for protocol, run in runs.items():
            for v, words in ((run.v, ""), (run.v_unweighted, ", unweighted")):
                tally = run.tally(0, v >= threshold)
                share = f"{100 * tally.share:.1f} %" if tally.n else "no cases"
                name = f"{_NAMES[protocol]}{words}"
                rows.append([f"≥ {threshold:g}", name, str(tally.n), share])
    table = Table(
        "advantage",
        ["V(D, x)", "figures", "cases", "lazy better"],
        rows,
        "1-NN: the higher V(D, x), the likelier lazy selection is the better one.",
        left=2,
    )
    return [
        Heading("Will it pay? V(D, x)"),
        Paragraph(
            "V(D, x) is the mean distance of the values' entropies from their "
            "attribute's, over the x percent of attributes where it is largest. The "
            "formula is lost in our copy of the paper, whose words are 'the average of "
            "the differences'; our reading weighs values by their rows, and the "
            "unweighted one, nearer to those words, stands beside it in the table."
        ),
        table,
        curve_table(next(iter(runs.values()))),
        _curve_figure(next(iter(runs.values()))),
    ]


def _curve_figure(run: Results) -> Figure:
    # Up to the V that one case in twenty has, and at least ten cases.
    few = max(10, run.v.size // 20)
    most = float(np.sort(run.v, axis=None)[-min(few, run.v.size)])
    thresholds = np.linspace(0.0, most, 41)
    curves = {}
    for i, host in enumerate(HOSTS):
        shares = curve(run, i, thresholds, sure=False)
        curves[host] = list(zip(thresholds.tolist(), shares.tolist(), strict=True))
    sure = curve(run, 0, thresholds, sure=True).tolist()
    curves["1-NN, sure"] = list(zip(thresholds.tolist(), sure, strict=True))
    marks = [
        (v, better / n, f"paper, 1-NN: {better} of {n}")
        for v, better, n in paper.CURVE
        if v <= most
    ]
    canvas = draw_curves(
        curves,
        "share of cases in which lazy selection is better, by V(D, x)",
        "V(D, x) at least",
        "lazy better",
        marks,
        y_written=percent,
    )
    caption = "Rings: the paper's figures for 1-NN. The cases grow few on the right."
    return Figure("v-curve", canvas, caption)


def _differences(run: Results) -> list[Part]:
    shares = [float(x) for x in PERCENTAGES]
    panels, means = {}, {}
    for i, host in enumerate(HOSTS):
        apart = run.accuracy(run.lazy[i]) - run.accuracy(run.eager[i])
        panels[host] = [list(zip(shares, row, strict=True)) for row in apart.tolist()]
        means[host] = list(zip(shares, apart.mean(axis=0).tolist(), strict=True))
    rows = [[host, *(signed(y) for _, y in points)] for host, points in means.items()]
    table = Table(
        "difference",
        ["host", *(f"{x} %" for x in PERCENTAGES)],
        rows,
        "Mean difference in accuracy over the sets, lazy minus eager, in points.",
        signed=frozenset(range(1, 10)),
    )
    canvas = draw_panels(
        panels,
        means,
        "lazy minus eager accuracy by percentage of attributes",
        "% of attributes",
        "lazy \N{MINUS SIGN} eager, points",
        (-10.0, 20.0),
    )
    figure = Figure(
        "difference",
        canvas,
        "Each gray line is a set, the blue one their mean; cut off at 10 below and 20 "
        "above. The fewer attributes, the more it matters that each row has its own.",
    )
    return [Heading("By percentage of attributes"), figure, table]


def _sets(runs: Runs) -> list[Part]:
    main = next(iter(runs.values()))
    parts: list[Part] = [Heading("Set by set"), set_figure(main, 0)]
    parts.append(claims(runs))
    for protocol, run in runs.items():
        parts.append(wins_table(run, protocol))
    parts.append(best_table(main))
    if main is not runs.get("paper", main):
        by_paper = best_table(runs["paper"])
        words = f"The same with {_CUTS['paper']}. {by_paper.caption}"
        parts.append(by_paper._replace(name="best-accuracy-paper", caption=words))
    return parts


def _worked(runs: Runs) -> list[Part]:
    """What the paper shows in detail, by its own protocol where it was run."""
    run = runs.get("paper") or next(iter(runs.values()))
    words = (
        "Table 2: the sets. Fifteen are named in the paper's text; the others are ours."
    )
    sets = sets_table(run.sets, "sets", words)
    return [
        Heading("Three sets in detail, and all in short"),
        *worked_tables(run),
        sets,
    ]


def _ranks(run: Results) -> list[Part]:
    if len(run.sets) < 5:
        return []
    names, scores = [], []
    place = PERCENTAGES.index(30)
    for i, host in enumerate(HOSTS):
        if host in ("1-NN", "5-NN", "naive Bayes"):
            names += [f"{host} lazy", f"{host} eager"]
            scores.append(run.accuracy(run.lazy[i])[:, place])
            scores.append(run.accuracy(run.eager[i])[:, place])
    label = "mean ranks over the sets with 30 % of the attributes"
    caption = (
        "Mean ranks by accuracy with 30 % of the attributes; bars join what cannot be "
        "told apart (Nemenyi, 0.05)."
    )
    figure = rank_figure(names, np.stack(scores, axis=1), label, caption)
    return [Heading("Ranks"), figure]


def _large(runs: Runs) -> list[Part]:
    parts: list[Part] = [
        Heading("Large sets"),
        Paragraph(
            "The sets of the NIPS 2003 challenge that are at hand; attributes of one "
            "bin are taken out, as in the paper. Dexter and Dorothea are their "
            "training parts alone. mnist-4v9 stands in for Gisette, which is made of "
            "the same digits, and is not comparable. In the paper lazy selection has "
            "the best accuracy on Arcene, Gisette and Dexter, eager on Dorothea; "
            "Madelon gains from neither."
        ),
    ]
    for protocol, run in runs.items():
        text = f"Best accuracy, {_CUTS[protocol]}: {', '.join(best_strategies(run))}."
        parts += [Paragraph(text), large_table(run, protocol)]
    names = next(iter(runs.values())).sets
    words = "Table 11: the large sets that are at hand, as they are here."
    return [*parts, large_sums(runs, _NAMES), sets_table(names, "large-sets", words)]


def best_strategies(run: Results) -> list[str]:
    """For each set the strategy that has the best accuracy of any host."""
    sides = {"lazy": run.lazy, "eager": run.eager, "all attributes": run.none}
    # From (host, set[, percentage], fold) to the most rows right of each set.
    most = {
        name: counts.sum(axis=-1)
        .reshape(len(HOSTS), len(run.sets), -1)
        .max(axis=(0, 2))
        for name, counts in sides.items()
    }
    highest = np.max(list(most.values()), axis=0)
    return [
        f"{one} {' and '.join(name for name in sides if most[name][i] == highest[i])}"
        for i, one in enumerate(run.sets)
    ]
