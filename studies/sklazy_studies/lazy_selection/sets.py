"""Results of lazy selection set by set: tables and a figure."""

from sklazy.estimators.advice.advantage import PERCENTAGES
from sklazy.report.plots import draw_dots
from sklazy_studies.document import Figure, Table
from sklazy_studies.lazy_selection.results import Results
from sklazy_studies.lazy_selection.run import HOSTS

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
            tally = run.tally_set(host, i)
            if tally.better > tally.worse:
                strong.add((i, len(cells)))
            sure = f"{tally.significantly_better} : {tally.significantly_worse}"
            cells.append(f"{tally.better} : {tally.worse} ({sure})")
        rows.append(cells)
    return Table(
        f"wins-{protocol}",
        ["set", "attributes", *HOSTS],
        rows,
        "At how many of nine percentages lazy selection is more accurate, and at how "
        "many eager; the rest are ties. In parentheses those beyond chance. Bold: lazy "
        f"has more; {_CUTS[protocol]}.",
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


def large_table(run: Results, protocol: str) -> Table:
    """Wins and best accuracies of the large sets (tables 12 and 13)."""
    rows: list[list[str]] = []
    strong = set()
    for i, name in enumerate(run.sets):
        for h, host in enumerate(HOSTS):
            tally = run.tally_set(h, i)
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
                    f"{tally.better} ({tally.significantly_better})",
                    f"{tally.worse} ({tally.significantly_worse})",
                    str(tally.ties),
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
