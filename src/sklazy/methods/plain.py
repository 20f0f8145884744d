"""Plain data that receipts of every family are made of."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.casebase.cuts import interval_labels
from sklazy.casebase.sums import (
    ExactSums,
    add_sums,
    deviation,
    nearest_float,
    sum_exactly,
)
from sklazy.flow import Queries
from sklazy.measures.magnitudes import find_unit
from sklazy.tables import Label, Table
from sklazy.tables.reading import CALENDAR

Plain = dict[str, Any]
Floats = NDArray[np.float64]

MOST_LISTED = 25
"""Cases, steps or terms listed in a part of a receipt; there may be more."""

MOST_NEAREST = 5
"""Nearest cases listed in a brief receipt."""


def number(value: float) -> float | None:
    """A number for JSON; what is not finite is None."""
    return float(value) if math.isfinite(value) else None


def numbers(values: Floats) -> list[float | None]:
    """Numbers for JSON."""
    return [float(v) if math.isfinite(v) else None for v in values.tolist()]


def spell_infinities(value: object) -> Any:  # noqa: ANN401 - plain data
    """Replace NaN and infinity in parameters by words, for JSON."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, list):
        return [spell_infinities(item) for item in value]
    if isinstance(value, Mapping):
        return {name: spell_infinities(item) for name, item in value.items()}
    return value


def describe_cases(base: CaseBase) -> Plain:
    """The cases of an answer: their fingerprint, their number, their target."""
    known: Plain = {"digest": base.digest(), "n_rows": base.n_rows}
    earlier = base.choices.describe() if base.choices.made else []
    if earlier:
        known["choices"] = [
            {"rows_since": n_rows, "digest": digest} for n_rows, digest in earlier
        ]
    if not base.class_labels:
        return {**known, "targets": _describe_targets(base)}
    counts = zip(base.class_labels, base.cases.class_counts.tolist(), strict=True)
    return {
        **known,
        "target": target_names(base)[0],
        "class_counts": [{"label": label, "rows": n} for label, n in counts],
    }


def describe_dates(base: CaseBase) -> Plain:
    """Which attributes are days since 1970-01-01, if there are any."""
    dates = [
        origin.name
        for origin in base.schema.origins
        if origin.reading is not None and origin.reading.style in CALENDAR
    ]
    return {"dates": dates} if dates else {}


def as_dates(days: NDArray[Any]) -> NDArray[Any]:
    """Days since 1970-01-01 as dates.

    Examples
    --------
    >>> as_dates(np.array([19845.5, np.nan])).tolist()
    [datetime.datetime(2024, 5, 2, 12, 0), None]
    """
    return np.round(np.asarray(days, np.float64) * 86400.0).astype("datetime64[s]")


def target_names(base: CaseBase) -> list[str]:
    """The targets' own names; y, or y0, y1, ... where they have none."""
    n_targets = max(1, base.count_targets())
    made_up = [f"y{t}" for t in range(n_targets)] if n_targets > 1 else ["y"]
    return list(base.schema.targets) or made_up


def _describe_targets(base: CaseBase) -> list[Plain]:
    summaries = base.derive(sum_targets, lambda: add_targets(base.ask(sum_targets)))
    keys = ("mean", "std", "min", "max")
    return [
        {"name": name, **dict(zip(keys, map(number, figures), strict=True))}
        for name, figures in zip(target_names(base), summaries, strict=True)
    ]


def describe_queries(
    base: CaseBase, queries: Queries, table: Table | None
) -> list[list[Plain]]:
    """Describe queries in the user's terms: for each a list of name, value, known.

    The table has their cells; without one all of them are numbers.
    """
    cells: list[Sequence[Label | None]]
    if table is None:
        cells = [numbers(column) for column in queries.values.T]
    else:
        cells = [column.cells() for column in base.matched(table).columns]
    columns = [
        [
            {"name": name, "value": value, "known": _KNOWN[value is None, code < 0]}
            for value, code in zip(values, codes, strict=True)
        ]
        for name, values, codes in zip(
            base.names, cells, queries.codes.T.tolist(), strict=True
        )
    ]
    return [list(row) for row in zip(*columns, strict=True)]


# By whether the cell is empty, and whether no case has its value. A value of a column
# without values has no code either.
_KNOWN = {
    (False, False): "yes",
    (False, True): "unseen",
    (True, False): "missing",
    (True, True): "missing",
}


def describe_rows(
    base: CaseBase, rows: NDArray[np.integer], attributes: Sequence[int]
) -> list[dict[str, Label | None]]:
    """The values of some rows of the base, by the attributes' names."""
    taken, columns = base.take(rows.astype(np.int64)), []
    for j in attributes:
        numeric = int(base.cases.numeric[j])
        if numeric >= 0:
            columns.append(numbers(taken.numbers[numeric]))
        else:
            labels = [*base.categories(j), None]  # a missing cell has the code -1
            columns.append([labels[code] for code in taken.codes[j].tolist()])
    known = base.names
    names = [known[j] for j in attributes]
    cells = zip(*columns, strict=True) if columns else [()] * len(rows)
    return [dict(zip(names, row, strict=True)) for row in cells]


def bin_labels(base: CaseBase) -> dict[int, list[str]]:
    """The names of the bins of each numeric attribute."""
    return base.derive(bin_labels, lambda: _label_bins(base))


def _label_bins(base: CaseBase) -> dict[int, list[str]]:
    numeric, cuts = np.flatnonzero(base.cases.numeric >= 0).tolist(), base.cuts
    return {j: interval_labels(cuts[j]) for j in numeric}


def describe_value(
    cells: Sequence[Plain], codes: Sequence[int], bins: dict[int, list[str]], j: int
) -> Plain:
    """A value of a query that cases were compared with: a label, or a number's bin."""
    return {
        "attribute": cells[j]["name"],
        "value": cells[j]["value"],
        "bin": bins[j][codes[j]] if j in bins else None,
    }


def count_along(
    base: CaseBase, codes: NDArray[np.int32], attributes: Sequence[int]
) -> list[list[int]]:
    """The classes of the cases that have a query's first value, its first two, ..."""
    cases, counts = base.cases, []
    inside = np.ones(cases.n_rows, bool)
    for j in attributes:
        inside &= cases.codes[j, : cases.n_rows] == codes[j]
        classes = cases.classes[: cases.n_rows][inside]
        counts.append(np.bincount(classes, minlength=cases.class_counts.size).tolist())
    return counts


def describe_decision(
    base: CaseBase, votes: NDArray[Any], probabilities: Floats, decision: int
) -> Plain:
    """Describe the answer to a query where the target is a class."""
    labels, shares = base.class_labels, numbers(probabilities)
    return {
        "votes": [
            {"label": label, "votes": n, "probability": share}
            for label, n, share in zip(labels, votes.tolist(), shares, strict=True)
        ],
        "answer": labels[decision],
        "probability": shares[decision],
    }


class TargetSums(NamedTuple):
    """Count, sums and ranges of the targets of a part of the cases."""

    n_rows: int
    totals: ExactSums
    squares: ExactSums
    lows: Floats
    highs: Floats


def sum_targets(part: CaseBase) -> TargetSums:
    """Compute the sums and ranges of the targets of a part of the cases."""
    targets = part.cases.targets[:, : part.n_rows]
    cells = np.broadcast_to(np.arange(len(targets))[:, None], targets.shape).ravel()
    totals, squares = (
        sum_exactly(targets.ravel(), cells, len(targets), squared=squared)
        for squared in (False, True)
    )
    lows, highs = targets.min(axis=1, initial=np.inf), targets.max(1, initial=-np.inf)
    return TargetSums(part.n_rows, totals, squares, lows, highs)


def add_targets(parts: Sequence[TargetSums]) -> list[tuple[float, ...]]:
    """Mean, deviation, least and most of each target."""
    n_rows = sum(part.n_rows for part in parts)
    totals = add_sums(part.totals for part in parts).whole()
    squares = add_sums(part.squares for part in parts).whole()
    lows = np.min([part.lows for part in parts], axis=0)
    highs = np.max([part.highs for part in parts], axis=0)
    figures: list[tuple[float, ...]] = []
    for total, square, low, high in zip(totals, squares, lows, highs, strict=True):
        unit = find_unit(np.array([low, high]))  # in which squares are floats
        spread = deviation(n_rows, total, square, unit) / unit
        figures.append((nearest_float(total / n_rows), spread, low, high))
    return figures
