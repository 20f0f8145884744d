"""The report on the number of attributes: wrapper, vote and fixed numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.report.blocks import Heading, Paragraph
from sklazy.report.plots import draw_dots
from sklazy.report.words import pluralize
from sklazy_studies.document import Document, Figure, Part, Table, signed
from sklazy_studies.harness.significance import paired_t, tally
from sklazy_studies.harness.unit import Plain, Unit
from sklazy_studies.lazy_amounts.run import FIXED, WAYS
from sklazy_studies.lazy_selection.run import HOSTS, N_FOLDS

Floats = NDArray[np.float64]

REFERENCE = (
    "R. B. Pereira, A. Plastino, B. Zadrozny, L. H. C. Merschmann, A. A. Freitas: "
    "Improving lazy attribute selection. Journal of Information and Data Management "
    "2(3), 2011."
)

BEST = "best of nine"
"""The best fixed percentage of each set, known only afterwards."""

RIVALS = (
    ("wrapper", "30 %"),
    ("wrapper", "all"),
    ("wrapper", "eager wrapper"),
    ("vote", "30 %"),
    ("vote", "all"),
    ("vote", "wrapper"),
    ("local", "wrapper"),
    ("cfs", "wrapper"),
    ("consistency", "wrapper"),
)
"""Which ways are compared, set by set."""


@dataclass(frozen=True, eq=False)
class Results:
    """All folds of some sets.

    Attributes
    ----------
    sets : list of str
    right : mapping of (host, way) to int64 array of shape (n_sets, n_folds)
    used : mapping of (host, way) to float64 array of shape (n_sets, n_folds)
        The shares of attributes that wrappers found.
    n_rows : int64 array of shape (n_sets, n_folds)
    """

    sets: list[str]
    right: Mapping[tuple[str, str], NDArray[np.int64]]
    used: Mapping[tuple[str, str], Floats]
    n_rows: NDArray[np.int64]

    def accuracy(self, host: str, way: str) -> Floats:
        """Accuracy in percent of each set, (n_sets,)."""
        if way == BEST:
            return np.max([self.accuracy(host, one) for one in FIXED], axis=0)
        return 100.0 * self.right[host, way].sum(axis=1) / self.n_rows.sum(axis=1)


def gather(results: Mapping[Unit, Plain], names: Sequence[str]) -> Results:
    """Combine the results of units; incomplete sets are left out."""
    by_place = {
        tuple(unit.setting[key] for key in ("set", "host", "fold")): result
        for unit, result in results.items()
    }
    folds = range(N_FOLDS)
    sets = [
        name
        for name in names
        if all((name, host, fold) in by_place for host in HOSTS for fold in folds)
    ]
    cells = {
        host: [[by_place[name, host, fold] for fold in folds] for name in sets]
        for host in HOSTS
    }
    return Results(
        sets,
        {(h, w): _array(cells[h], "right", w) for h in HOSTS for w in WAYS},
        {(h, w): _array(cells[h], "used", w) for h in HOSTS for w in _WRAPPERS},
        np.array([[cell["n"] for cell in row] for row in next(iter(cells.values()))]),
    )


_WRAPPERS = ("wrapper", "eager wrapper")


def _array(rows: Sequence[Sequence[Plain]], field: str, way: str) -> NDArray[Any]:
    return np.array([[cell[field][way] for cell in row] for row in rows])


def make_document(
    results: Mapping[Unit, Plain],
    names: Sequence[str],
    facts: Sequence[tuple[str, str]],
) -> Document:
    """The report on these sets."""
    run = gather(results, names)
    parts: list[Part] = []
    lead = [
        f"{REFERENCE} How many attributes a query uses is found by trying all numbers "
        "on training rows (wrapper), or each number has a vote. Its tables are not at "
        "hand: no figure of the article stands beside ours."
    ]
    if run.sets:
        lead += _words(run)
        parts = [
            Heading("Mean accuracy"),
            _SETTING,
            _means(run),
            Heading("Set by set"),
            _duels(run),
            _figure(run),
            *(_set_table(run, host) for host in HOSTS),
        ]
    return Document("The number of attributes in lazy selection", lead, parts, facts)


def _words(run: Results) -> list[str]:
    n = pluralize(len(run.sets), "set")
    words = []
    for host in HOSTS:
        ways = ("30 %", "wrapper", "vote", "all", BEST)
        means = [f"{way} {run.accuracy(host, way).mean():.2f}" for way in ways]
        words.append(f"{host}: {', '.join(means)}")
    return [f"Mean accuracy in percent over {n}, ten folds. {'; '.join(words)}."]


_SETTING = Paragraph(
    "Sets, folds, cuts (from the training fold alone) and hosts are those of "
    "lazy-selection. Wrapper: the number of attributes with the best leave-one-out "
    "accuracy on at most 1000 training rows, the smallest of equally good ones; how "
    "the article validates a number is not at hand, so this is ours. Vote: every "
    "number from one to all casts a vote of equal weight. Local: the wrapper on the 20 "
    "nearest training rows of each query, which is ours. Eager wrapper: the same "
    "wrapper with attributes selected once. Cfs and consistency: sets of attributes "
    "that are chosen as a whole for each query, which the first article leaves to "
    "future work. The best of nine percentages is known only "
    "afterwards: no method can have it."
)


def _means(run: Results) -> Table:
    ways = [*WAYS, BEST]
    rows, strong = [], set()
    for i, host in enumerate(HOSTS):
        means = [float(run.accuracy(host, way).mean()) for way in ways]
        strong.add((i, 1 + int(np.argmax(means[:-1]))))
        shares = [f"{100 * run.used[host, way].mean():.0f} %" for way in _WRAPPERS]
        rows.append([host, *(f"{x:.2f}" for x in means), *shares])
    return Table(
        "means",
        ["host", *ways, *(f"{way} uses" for way in _WRAPPERS)],
        rows,
        "Mean accuracy in percent over the sets, bold the best that can be had; then "
        "the share of the attributes that wrappers use on average.",
        strong=frozenset(strong),
    )


def _duels(run: Results) -> Table:
    rows = []
    for host in HOSTS:
        for one, other in RIVALS:
            first, second = run.right[host, one], run.right[host, other]
            p = paired_t(first / run.n_rows, second / run.n_rows)
            counts = tally(first.sum(axis=1), second.sum(axis=1), p)
            gain = (run.accuracy(host, one) - run.accuracy(host, other)).mean()
            cells = [str(x) for x in counts]
            rows.append([host, f"{one} against {other}", *cells, signed(float(gain))])
    return Table(
        "duels",
        ["host", "ways", "better", "worse", "ties", "better, sure", "worse, sure", "Δ"],
        rows,
        "On how many sets the first is more accurate than the second; sure: by a "
        "paired t-test over the ten folds at 0.05. Δ is the mean difference in points.",
        left=2,
        signed=frozenset({7}),
    )


def _figure(run: Results) -> Figure:
    ways = ("wrapper", "vote", "30 %", BEST)
    columns = [run.accuracy("1-NN", way).tolist() for way in ways]
    rows = {name: [column[i] for column in columns] for i, name in enumerate(run.sets)}
    canvas = draw_dots(rows, ways, "accuracy of 1-NN by set", "accuracy, %")
    return Figure("accuracy-by-set", canvas, "1-NN, lazy selection, by set.")


def _set_table(run: Results, host: str) -> Table:
    ways = [*(way for way in WAYS if way not in FIXED), "30 %", BEST]
    columns = [run.accuracy(host, way) for way in ways]
    rows, strong = [], set()
    for i, name in enumerate(run.sets):
        figures = [float(column[i]) for column in columns]
        best = max(figures)
        strong |= {(i, 1 + j) for j, x in enumerate(figures) if x == best}
        share = f"{100 * run.used[host, 'wrapper'][i].mean():.0f} %"
        rows.append([name, *(f"{x:.1f}" for x in figures), share])
    return Table(
        f"sets-{host.replace(' ', '-').lower()}",
        ["set", *ways, "wrapper uses"],
        rows,
        f"{host}: accuracy in percent, bold the best of a row, and the share of the "
        "attributes that the wrapper uses.",
        strong=frozenset(strong),
    )
