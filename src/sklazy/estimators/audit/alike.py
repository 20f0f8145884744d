"""Rows that are equal or unusually close, and rows far from all others."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import canonical_places
from sklazy.casebase import CaseBase
from sklazy.estimators.audit.finding import Finding, id_of, target_of_row
from sklazy.measures.novelty import find_unlike, usual_distance
from sklazy.neighbors.copies import (
    Nearest,
    differ_by_attribute,
    find_equal_rows,
    find_nearest_others,
)
from sklazy.report.progress import Progress

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_STEP = 512  # rows asked for at a time: progress is shown, and Ctrl-C works, between
_FENCE = 3.0  # ranges of the middle half: Tukey's "far out"
_TIMES = 2.0  # the median at least, or at most: ranges may be nil but for rounding
_NAMED = 3  # attributes


class RowComparison(NamedTuple):
    """How near the rows of a base are to each other.

    Attributes
    ----------
    groups : int64 array of shape (n_rows,)
        The first row, in canonical order, with the same inputs.
    distinct : int64 array of shape (n_distinct,)
        These first rows, in canonical order.
    nearest : Nearest
        The nearest distinct row of each.
    known : float64 array of shape (n_distinct,)
        Distance to any other row by the cells known in this one, 0 if one is equal: a
        missing cell makes no row novel.
    n_compared : int
        How many distinct rows each was compared with.
    """

    groups: Ints
    distinct: Ints
    nearest: Nearest
    known: Floats
    n_compared: int


def compare_rows(base: CaseBase, max_rows: int, progress: Progress) -> RowComparison:
    """Find equal rows, and the nearest other of each among at most `max_rows`."""
    cases, order = base.cases, base.order
    groups = find_equal_rows(cases, order)
    distinct = order[groups[order] == order]
    n_seen = min(max_rows, len(distinct))
    seen = distinct[np.arange(n_seen) * len(distinct) // n_seen]
    parts = []
    for first in range(0, len(distinct), _STEP):
        queries = distinct[first : first + _STEP]
        parts.append(find_nearest_others(cases, queries, seen))
        progress.advance(len(queries) / len(distinct))
    nearest = Nearest(*map(np.concatenate, zip(*parts, strict=True)))
    codes, numbers = cases.codes[cases.numeric < 0], cases.numbers
    n_missing = (codes[:, distinct] < 0).sum(axis=0)
    n_missing += np.isnan(numbers[:, distinct]).sum(axis=0)
    known = np.sqrt(np.maximum(nearest.distances**2 - n_missing, 0.0))
    known[np.bincount(groups, minlength=base.n_rows)[distinct] > 1] = 0.0
    return RowComparison(groups, distinct, nearest, known, n_seen)


def list_equal(base: CaseBase, alike: RowComparison) -> list[Finding]:
    """Findings for rows with equal inputs: conflicts, then plain duplicates."""
    order = base.order[np.argsort(canonical_places(base)[alike.groups[base.order]])]
    firsts = np.flatnonzero(np.diff(alike.groups[order], prepend=-1))
    findings = [
        _equal_finding(base, rows)
        for rows in np.split(order, firsts[1:])
        if len(rows) > 1
    ]
    return sorted(findings, key=lambda one: (one.kind != "conflict", -len(one.rows)))


def _equal_finding(base: CaseBase, rows: Ints) -> Finding:
    rows = rows[np.argsort(base.arrival[rows])]
    targets = [target_of_row(base, row) for row in rows.tolist()]
    n_different = len(set(targets))
    return Finding(
        "conflict" if n_different > 1 else "duplicate",
        tuple(base.ids[rows].tolist()),
        float(len(rows)),
        evidence={"targets": targets},
    )


def list_near(base: CaseBase, alike: RowComparison) -> list[Finding]:
    """Findings for pairs of rows that are unusually close, the nearest first.

    Unusual is a distance of less than half the median whose logarithm lies more than
    three times the range of the middle half below that half.
    """
    distances = alike.nearest.distances
    usual = distances[np.isfinite(distances) & (distances > 0)]
    if not len(usual):
        return []
    low, middle, high = np.quantile(np.log(usual), [0.25, 0.5, 0.75])
    fence = min(low - _FENCE * (high - low), middle - np.log(_TIMES))
    with np.errstate(divide="ignore"):
        near = np.flatnonzero(np.log(distances) < fence)
    pairs = dict.fromkeys(
        tuple(sorted((one, other)))
        for one, other in zip(
            alike.distinct[near].tolist(),
            alike.nearest.rows[near].tolist(),
            strict=True,
        )
    )
    findings = [_near_finding(base, *pair) for pair in pairs]
    return sorted(findings, key=lambda one: -one.score)


def _near_finding(base: CaseBase, one: int, other: int) -> Finding:
    rows = sorted((one, other), key=lambda row: int(base.arrival[row]))
    (apart,) = differ_by_attribute(base.cases, *np.array(rows)[:, None])
    distance = float(np.sqrt((apart**2).sum()))
    return Finding(
        "near duplicate",
        tuple(id_of(base, row) for row in rows),
        -distance,
        evidence={
            "distance": distance,
            "targets": [target_of_row(base, row) for row in rows],
            "attributes": list(_differing_attributes(base, apart)),
            "n_different": int((apart > 0).sum()),
        },
    )


def list_novel(base: CaseBase, alike: RowComparison) -> list[Finding]:
    """Findings for rows that are unlike all others, as `novelty` of queries has it.

    The farthest come first.
    """
    distances, n_equal = alike.known, base.n_rows - len(alike.known)
    known = np.concatenate([np.zeros(n_equal), np.sort(distances)])
    shares = np.searchsorted(known, distances) / (base.n_rows - 1)  # of the others
    places = np.flatnonzero(find_unlike(distances, shares, known))
    places = places[np.argsort(-distances[places], kind="stable")]
    usual = usual_distance(known)
    return [
        _novel_finding(base, alike, place, float(shares[place]), usual)
        for place in places.tolist()
    ]


def _novel_finding(
    base: CaseBase, alike: RowComparison, place: int, share: float, usual: float
) -> Finding:
    row, other = int(alike.distinct[place]), int(alike.nearest.rows[place])
    distance = float(alike.known[place])
    (apart,) = differ_by_attribute(base.cases, *np.array([[row], [other]]))
    return Finding(
        "novel",
        (id_of(base, row),),
        distance,
        evidence={
            "distance": distance,
            "usual": usual,
            "nearest": id_of(base, other),
            "novelty": share,
            "attributes": list(_differing_attributes(base, apart)),
        },
    )


def _differing_attributes(base: CaseBase, apart: Floats) -> Iterator[dict[str, Any]]:
    """The attributes in which two rows differ most."""
    for j in np.argsort(-apart, kind="stable")[:_NAMED].tolist():
        if apart[j] > 0:
            yield {"name": base.names[j], "difference": float(apart[j])}
