"""Tables 2 to 5, 11 and 12 of the paper, figure 1 in figures, and the cost."""

from collections.abc import Mapping, Sequence

import numpy as np

from sklazy.estimators.advice.advantage import PERCENTAGES
from sklazy.measures import how_many
from sklazy_studies.document import Table
from sklazy_studies.harness.catalog import find_known
from sklazy_studies.harness.unit import Plain, Unit
from sklazy_studies.lazy_selection.results import Results, curve
from sklazy_studies.lazy_selection.run import HOSTS

NEIGHBORS = ("1-NN", "3-NN", "5-NN")

WORKED = {"wine": 3, "heart-h": 4, "vowel": 5}
"""The sets that the paper shows in detail, and its tables."""

THRESHOLDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)


def sets_table(names: Sequence[str], name: str, words: str) -> Table:
    """Tables 2 and 11: the sets."""
    rows = []
    for one in names:
        known = find_known(one)
        shape = (known.n_attributes, known.n_classes, known.n_rows)
        rows.append([one, *map(str, shape)])
    return Table(name, ["set", "attributes", "classes", "rows"], rows, words)


def worked_tables(run: Results) -> list[Table]:
    """Tables 3, 4 and 5: accuracy by percentage of attributes and k."""
    return [_worked_table(run, name) for name in WORKED if name in run.sets]


def _worked_table(run: Results, name: str) -> Table:
    i, hosts = run.sets.index(name), [list(HOSTS).index(host) for host in NEIGHBORS]
    lazy = [run.accuracy(run.lazy[h])[i] for h in hosts]
    eager = [run.accuracy(run.eager[h])[i] for h in hosts]
    none = [run.accuracy(run.none[h])[i] for h in hosts]
    n, rows, strong = int(run.n_attributes[i]), [], set()
    for j, x in enumerate(PERCENTAGES):
        cells = []
        for k in range(len(hosts)):
            pair = (eager[k][j], lazy[k][j])
            strong |= {
                (j, 1 + 2 * k + side)
                for side in (0, 1)
                if pair[side] > pair[1 - side] + 1e-9
            }
            cells += [f"{figure:.2f}" for figure in pair]
        rows.append([f"{x} % ({how_many(x / 100, n)})", *cells])
    rows.append([f"100 % ({n})", *(f"{x:.2f}" for x in none for _ in (0, 1))])
    header = [f"{host}, {side}" for host in NEIGHBORS for side in ("eager", "lazy")]
    return Table(
        f"table-{WORKED[name]}-{name}",
        ["attributes", *header],
        rows,
        f"Table {WORKED[name]} of the paper: accuracy on {name} in percent. How many "
        "attributes a percentage is, rounded half up, is our reading; the paper's "
        "figures are lost.",
        strong=frozenset(strong),
    )


def curve_table(run: Results) -> Table:
    """Both curves of figure 1."""
    rows = []
    for host in HOSTS:
        place = list(HOSTS).index(host)
        for sure, words in ((False, "better"), (True, "better beyond chance")):
            shares = curve(run, place, np.array(THRESHOLDS), sure=sure)
            cells = ["-" if np.isnan(x) else f"{100 * x:.1f} %" for x in shares]
            rows.append([host, words, *cells])
    counts = [str(int((run.v >= threshold).sum())) for threshold in THRESHOLDS]
    rows.append(["cases", "", *counts])
    return Table(
        "curves",
        [
            "host",
            "lazy",
            *(f"V \N{GREATER-THAN OR EQUAL TO} {x:g}" for x in THRESHOLDS),
        ],
        rows,
        "Figure 1 in figures: the share of the cases of at least this V(D, x) in which "
        "lazy selection is better (curve 1) and better beyond chance (curve 2).",
        left=2,
    )


def large_sums(runs: Mapping[str, Results], names: Mapping[str, str]) -> Table:
    """The sums of table 12: wins over all large sets and percentages."""
    rows = []
    for place, host in enumerate(HOSTS):
        for protocol, run in runs.items():
            tally = run.tally(place)
            rows.append([host, names[protocol], *(str(x) for x in tally)])
    return Table(
        "large-sums",
        ["host", "figures", "lazy", "eager", "ties", "lazy, sure", "eager, sure"],
        rows,
        "The sums of table 12: how often each is more accurate over the large sets and "
        "nine percentages. The paper's counts are lost; its text has a major "
        "predominance of lazy selection.",
        left=2,
    )


def cost_table(results: Mapping[Unit, Plain]) -> list[Table]:
    """The time of a selection beside that of an answer."""
    rows = []
    for unit, result in results.items():
        if unit.setting["part"] == "cost":
            name = unit.setting["set"]
            ours = [result["seconds_selecting"], result["seconds_answering"]]
            cells = [f"{1000 * x:.3f}" for x in ours]
            rows.append([name, *cells, *(_COST.get(name, ("", "")))])
    if not rows:
        return []
    words = (
        "Milliseconds for each row, on one thread, in a batch of all rows: to select "
        "attributes, and to answer by 3-NN with 30 % of them. Paper: a 2 GHz Core 2."
    )
    header = ["set", "selecting", "3-NN", "selecting, paper", "3-NN, paper"]
    return [Table("cost", header, rows, words)]


_COST = {"autos": ("0.08", "1.7"), "lymph": ("0.31", "10.4")}
"""From the paper's text."""
