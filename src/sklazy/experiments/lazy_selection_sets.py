"""Lazy selection set by set: tables, a figure, and the paper's single claims."""

from collections.abc import Mapping

from sklazy.estimators.advantage import PERCENTAGES
from sklazy.experiments import lazy_selection_paper as paper
from sklazy.experiments.lazy_selection import HOSTS
from sklazy.experiments.lazy_selection_results import Results
from sklazy.report.document import Figure, Table
from sklazy.report.plots import draw_dots

_CUTS = {
    "honest": "cuts from the training fold alone",
    "paper": "the paper's protocol, cuts from all rows",
}


def wins_table(run: Results, protocol: str) -> Table:
    """Of the nine percentages, how many each strategy wins (table 6 of the paper)."""
    rows, strong = [], set()
    for i, name in enumerate(run.sets):
        cells = [name, str(run.n_attributes[i])]
        for host in range(len(HOSTS)):
            found = run.tally_set(host, i)
            if found.better > found.worse:
                strong.add((i, len(cells)))
            cells.append(f"{found.better} : {found.worse}")
        rows.append(cells)
    return Table(
        f"wins-{protocol}",
        ["set", "attributes", *HOSTS],
        rows,
        "At how many of nine percentages lazy selection is more accurate, and at how "
        f"many eager; the rest are ties. Bold: lazy has more; {_CUTS[protocol]}.",
        strong=frozenset(strong),
    )


def best_table(run: Results) -> Table:
    """The best accuracy of each strategy, and the percentage that gives it."""
    header = ["set"]
    header += [f"{host} {side}" for host in HOSTS for side in ("lazy", "eager", "all")]
    rows: list[list[str]] = [[name] for name in run.sets]
    strong = set()
    for host in range(len(HOSTS)):
        lazy, lazy_at = run.best(run.lazy[host])
        eager, eager_at = run.best(run.eager[host])
        none = run.accuracy(run.none[host])
        for i, row in enumerate(rows):
            figures = (lazy[i], eager[i], none[i])
            strong |= {
                (i, len(row) + j) for j, x in enumerate(figures) if x == max(figures)
            }
            row += [
                f"{lazy[i]:.1f} ({PERCENTAGES[lazy_at[i]]})",
                f"{eager[i]:.1f} ({PERCENTAGES[eager_at[i]]})",
                f"{none[i]:.1f}",
            ]
    return Table(
        "best-accuracy",
        header,
        rows,
        "The best accuracy in percent, and the percentage of attributes that gives it; "
        "with all attributes in the third column. Bold: the best of the three.",
        strong=frozenset(strong),
    )


def set_figure(run: Results, host: int) -> Figure:
    """Best accuracies by set."""
    lazy, _ = run.best(run.lazy[host])
    eager, _ = run.best(run.eager[host])
    none = run.accuracy(run.none[host])
    columns = zip(lazy.tolist(), eager.tolist(), none.tolist(), strict=True)
    rows = dict(zip(run.sets, columns, strict=True))
    name = list(HOSTS)[host]
    canvas = draw_dots(
        dict(sorted(rows.items(), key=lambda item: item[1][1] - item[1][0])),
        ["lazy", "eager", "all attributes"],
        f"best accuracy of {name} by set",
        "accuracy, %",
    )
    caption = f"{name}, the best of nine percentages; lazy's largest gains on top."
    return Figure("accuracy-by-set", canvas, caption)


def claims(runs: Mapping[str, Results]) -> Table:
    """Single statements of the paper, and what is found here."""
    rows = []
    for protocol, run in runs.items():
        place = {name: i for i, name in enumerate(run.sets)}
        for name in paper.ALL_NINE:
            if name in place:
                rows.append(_all_nine(run, protocol, name, place[name]))
        if "wine" in place:
            rows.append(_wine(run, protocol, place["wine"]))
        if "heart-h" in place:
            rows.append(_heart(run, protocol, place["heart-h"]))
        if "vowel" in place:
            rows.append(_vowel(run, protocol, place["vowel"]))
        rows.append(_mostly(run, protocol))
    return Table(
        "claims",
        ["protocol", "the paper says", "here"],
        rows,
        "Single statements of the paper's text.",
        left=3,
    )


def _all_nine(run: Results, protocol: str, name: str, place: int) -> list[str]:
    found = [run.tally_set(host, place).better for host in range(3)]
    claim = f"{name}: lazy better at all nine percentages for k = 1, 3, 5"
    return [protocol, claim, "{} of 9, {} of 9, {} of 9".format(*found)]


def _wine(run: Results, protocol: str, place: int) -> list[str]:
    share = PERCENTAGES.index(20)  # 3 of 13
    found = [run.accuracy(run.lazy[h])[place, share] for h in (1, 2)]
    claim = "wine: 100 % with 3 of 13 attributes, k = 3 and 5"
    return [protocol, claim, "{:.1f} % and {:.1f} %".format(*found)]


def _heart(run: Results, protocol: str, place: int) -> list[str]:
    lazy, eager = (run.accuracy(c[0])[place] for c in (run.lazy, run.eager))
    ahead = [str(x) for x, a, b in zip(PERCENTAGES, lazy, eager, strict=True) if b > a]
    claim = "heart-h: eager better up to 50 %, equal above 60 %"
    found = f"1-NN: eager better at {', '.join(ahead)} %" if ahead else "nowhere (1-NN)"
    return [protocol, claim, found]


def _vowel(run: Results, protocol: str, place: int) -> list[str]:
    best = max(run.best(c[0])[0][place] for c in (run.lazy, run.eager))
    none = run.accuracy(run.none[0])[place]
    claim = "vowel: no selection beats all attributes"
    return [protocol, claim, f"1-NN: best selection {best:.1f} %, all {none:.1f} %"]


def _mostly(run: Results, protocol: str) -> list[str]:
    tallies = [run.tally_set(0, i) for i in range(len(run.sets))]
    lazy = sum(t.better > max(t.worse, t.ties) for t in tallies)
    eager = sum(t.worse > max(t.better, t.ties) for t in tallies)
    claim = "1-NN: lazy has most of the nine comparisons in 28 of 40 sets, eager in 7"
    return [protocol, claim, f"{lazy} and {eager} of {len(run.sets)}"]


def large_table(run: Results, protocol: str) -> Table:
    """Wins and best accuracies of the large sets (tables 12 and 13)."""
    rows: list[list[str]] = []
    strong = set()
    for i, name in enumerate(run.sets):
        for h, host in enumerate(HOSTS):
            found = run.tally_set(h, i)
            (lazy, lazy_at), (eager, eager_at) = (
                run.best(run.lazy[h]),
                run.best(run.eager[h]),
            )
            figures = (lazy[i], eager[i], run.accuracy(run.none[h])[i])
            strong |= {
                (len(rows), 5 + j) for j, x in enumerate(figures) if x == max(figures)
            }
            rows.append(
                [
                    f"{name} ({run.n_attributes[i]})",
                    host,
                    f"{found.better} ({found.better_surely})",
                    f"{found.worse} ({found.worse_surely})",
                    str(found.ties),
                    f"{lazy[i]:.1f} ({PERCENTAGES[lazy_at[i]]})",
                    f"{eager[i]:.1f} ({PERCENTAGES[eager_at[i]]})",
                    f"{figures[2]:.1f}",
                ]
            )
    return Table(
        f"large-{protocol}",
        [
            "set (attributes)",
            "host",
            "lazy better (sure)",
            "eager better (sure)",
            "ties",
            "lazy, best",
            "eager, best",
            "all",
        ],
        rows,
        "Comparisons at nine percentages, and the best accuracy in percent with the "
        f"percentage of attributes that gives it; {_CUTS[protocol]}.",
        left=2,
        strong=frozenset(strong),
    )
