"""Write the documentation's speed tables from docs/results/speed.json: `make tables`.

docs/results/speed.md has every row. docs/speed.md has the rows chosen here, between two
comments. With `--check` nothing is written, and what would change is an error.
"""

import re
import sys
from typing import NamedTuple

import speeds

BEGIN = "<!-- speed: begin, written by `make tables` -->"
END = "<!-- speed: end -->"
SITE = speeds.ROOT / "docs" / "speed.md"
WHOLE = speeds.ROOT / "docs" / "results" / "speed.md"

INTRO = """# Speed, every row

What `make bench` found last, row by row. A ratio is the peer's figure over ours: above
1 we are faster, or need less than the limit that is the peer. Both sides ran in one
process in turn, best of several. A bold ratio misses its goal.
"""


class Shown(NamedTuple):
    """A row of the short table: one benchmark, or several of one peer."""

    what: str
    peer: str
    names: tuple[str, ...]


SHOWN = [
    Shown(
        "`LazyKNeighborsClassifier.predict`, labels, 20 000 x 16 / 1 000 000 x 28",
        "scikit-learn's brute k-NN, no selection",
        ("nominal k-NN predict, 20000 x 16", "nominal k-NN predict, 1000000 x 28"),
    ),
    Shown(
        "the same, 5 000 x 60 / 1 000 x 5 000 / 200 000 x 16",
        "",
        (
            "nominal k-NN predict, 5000 x 60",
            "nominal k-NN predict, 1000 x 5000",
            "nominal k-NN predict, 200000 x 16",
        ),
    ),
    Shown(
        "numbers (HEOM), 20 000 x 16 / 200 000 x 16 / 1 000 000 x 28",
        "",
        (
            "numeric k-NN predict, 20000 x 16",
            "numeric k-NN predict, 200000 x 16",
            "numeric k-NN predict, 1000000 x 28",
        ),
    ),
    Shown(
        "a hundred single queries, labels, 20 000 x 16",
        "",
        ("nominal k-NN predict, one query, a hundred times",),
    ),
    Shown(
        "selecting 35 of 70 attributes for each of 5 000 queries",
        "numpy `take` and `argpartition`",
        ("select 35 of 70 attributes, 5000 queries",),
    ),
    Shown(
        "`LazyNBClassifier.predict`, 5 000 x 16 / 60 / 500",
        "`CategoricalNB.predict`, no selection",
        (
            "naive Bayes predict, 5000 x 16, 26 classes",
            "naive Bayes predict, 5000 x 60, 3 classes",
            "naive Bayes predict, 5000 x 500, 5 classes",
        ),
    ),
    Shown(
        "`LazyLearningRegressor`, lines, k 33 to 55, 5 000 x 10, per query",
        "`np.linalg.lstsq` for each k",
        ("lines, 5000 x 10, against lstsq",),
    ),
    Shown(
        "the same, 1 000 queries",
        "`KNeighborsRegressor(55)`, which takes a mean",
        ("lines, 5000 x 10, against plain neighbors",),
    ),
    Shown(
        "`LazyPLSRegressor`, ten components of 60 neighbors, 1 000 x 400, 200 queries",
        "`PLSRegression` fitted for each query",
        ("local PLS, 1000 x 400, ten components",),
    ),
    Shown(
        "`LazyBaggingClassifier`, ten bags a query, 1 728 x 6 / 3 196 x 36 labels",
        "ten `DecisionTreeClassifier` on the same bags",
        ("lazy bagging, 1728 x 6 nominal", "lazy bagging, 3196 x 36 nominal"),
    ),
    Shown(
        "the same, 20 000 x 16 integers / numbers",
        "",
        ("lazy bagging, 20000 x 16 integers", "lazy bagging, 20000 x 16 continuous"),
    ),
    Shown(
        "`LazyBayesRulesClassifier`, 150 queries to 300 x 16 / one to 1 000 x 20",
        "plain Python that does the same",
        (
            "lazy Bayesian rules, 300 x 16, 150 queries",
            "lazy Bayesian rules, 1000 x 20, 1 queries",
        ),
    ),
    Shown(
        "`LazyAssociativeClassifier`, 1 000 queries to 5 000 x 60",
        "plain Python that does the same",
        ("lazy rules, 5000 x 60, 1000 queries",),
    ),
    Shown(
        "a whole race of 1 000 candidates, 50 blocks",
        "the same with `scipy.stats.friedmanchisquare`",
        ("race: 1000 candidates, 50 blocks",),
    ),
    Shown(
        "`RaceFeatureSelector`, 5 of 30 inputs, held-out error no worse",
        "`SequentialFeatureSelector`",
        ("RACSAM: against sequential selection",),
    ),
    Shown(
        "`RaceSearchCV`, six grids of 36, regret no worse",
        "`GridSearchCV`, by fits",
        ("RaceSearchCV: grids of 36 on six sets",),
    ),
    Shown(
        "add or forget one row of 100 000 x 20: labels / numbers / exact cuts",
        "building the case base anew",
        (
            "add or forget a row, nominal",
            "add or forget a row, numeric kept numeric",
            "add or forget a row, exact cuts",
        ),
    ),
    Shown(
        "first question after it, exact cuts",
        "building the case base anew",
        ("first question after it, exact cuts",),
    ),
    Shown(
        "`EntropyDiscretizer.fit`, 100 000 x 20",
        "`KBinsDiscretizer(strategy='quantile')`",
        ("EntropyDiscretizer.fit, 100 000 x 20, 3 classes",),
    ),
    Shown(
        "`AttributeRanker`, 5 000 x 20",
        "`SelectKBest(mutual_info_classif)`",
        ("rank numeric attributes",),
    ),
    Shown(
        "first answer on a new machine, which compiles: k-NN / naive Bayes",
        "the limit",
        (
            "first answer of LazyKNeighborsClassifier, cold cache",
            "first answer of LazyNBClassifier, cold cache",
        ),
    ),
    Shown(
        "memory of 1 000 000 x 28 labels / numbers, answers included",
        "the limit",
        ("memory of 1000000 x 28 nominal rows", "memory of 1000000 x 28 numeric rows"),
    ),
    Shown(
        "on a GPU: labels, 10 000 queries to 1 000 000 x 28",
        "the same estimator on all cores",
        ("on a GPU: labels 1M x 28",),
    ),
]


def main(arguments):
    stored, changed = speeds.read(), []
    for path, text in make_pages(stored).items():
        if not path.exists() or path.read_text("utf-8") != text:
            changed.append(str(path.relative_to(speeds.ROOT)))
            if "--check" not in arguments:
                path.write_text(text, "utf-8")
    print("changed: " + ", ".join(changed) if changed else "nothing to change")
    if changed and "--check" in arguments:
        sys.exit("`make tables` writes them anew from docs/results/speed.json")


def make_pages(stored):
    """The text of every page that has speeds in it."""
    return {
        SITE: put_between(SITE.read_text("utf-8"), short_table(stored)),
        WHOLE: whole_page(stored),
    }


def put_between(text, table):
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{table}\n{END}{rest.split(END)[1]}"


def short_table(stored):
    """The chosen rows, and what they ran on."""
    known = {row["name"]: row for rows in stored["groups"].values() for row in rows}
    lines = ["| what | peer | ours | peer's | ratio |", "|---|---|---:|---:|---:|"]
    used = []
    for shown in SHOWN:
        rows = [known.get(name, {}) for name in shown.names]
        used += rows
        cells = [hold_numbers(shown.what), shown.peer, *join_cells(rows)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", *footer(stored, used)])


def hold_numbers(text):
    """Large numbers that do not break at the end of a line."""
    return re.sub(r"(?<=\d) (?=\d{3})", "\N{NO-BREAK SPACE}", text)


def join_cells(rows):
    """Ours, the peer's and the ratios of the benchmarks of one line."""
    sides = [
        [speeds.show_figure(row.get(side), row.get("unit", "s")) for row in rows]
        for side in ("ours", "peer")
    ]
    cells = [*sides, [speeds.show_ratio(row) for row in rows]]
    return [" / ".join(filter(None, cell)) for cell in cells]


def footer(stored, rows):
    """Where and when these rows were measured; runs alike in one sentence."""
    runs = [
        stored["runs"][name] for name in {row["run"] for row in rows if "ratio" in row}
    ]
    alike = {}
    for run in runs:
        alike.setdefault(describe(run), []).append(run["load"])
    missing = sorted({row["missing"] for row in rows if "missing" in row})
    lines = [
        f"{text} (load at the start: {' to '.join(ends(loads))}).  "
        for text, loads in sorted(alike.items())
    ]
    return [*lines, *(f"Not run there: {text}." for text in missing)]


def ends(loads):
    """The least and the most of some figures, one where they are equal."""
    return [f"{load:g}" for load in sorted({min(loads), max(loads)})]


def describe(run):
    versions = ", ".join(f"{name} {number}" for name, number in run["versions"].items())
    day = run["date"].split()[0]
    return f"Measured {day} on {run['machine']}; {versions}, commit {run['commit']}"


def whole_page(stored):
    parts = [INTRO]
    for group, rows in stored["groups"].items():
        parts.append(f"## {group.replace('_', ' ').capitalize()}\n")
        parts.append(whole_table(rows))
        parts.append("\n".join(footer(stored, rows)) + "\n")
    return "\n".join(parts)


def whole_table(rows):
    lines = [
        "| what, and why this size | peer | ours | peer's | ratio | goal |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for row in rows:
        ours, peer, ratio = join_cells([row])
        goal = row["goal"]
        short = goal is not None and row.get("ratio", goal) < goal
        cells = [
            f"{row['name']}: {row['why']}",
            row.get("missing") or row["peer_name"],
            ours,
            peer,
            f"**{ratio}**" if short else ratio,
            "" if goal is None else f"{goal:.3g}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
