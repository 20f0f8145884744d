"""What columns hold: kinds, missing cells, relevance, histograms by class."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.magnitudes import find_unit
from sklazy.measures import attribute_scores, entropy
from sklazy.measures.leaks import tell_number_by_label
from sklazy.receipts.plain import number
from sklazy.web.explore.state import Floats, Ints, State

Plain = dict[str, Any]

SAMPLED = 20_000
"""Rows that histograms and the relevance for numbers are found from."""

_BARS = 16  # of a histogram of numbers
_MOST_LABELS = 12  # listed of a nominal column
_MOST_CLASSES = 8  # drawn apart


def sample(state: State, most: int = SAMPLED) -> Ints:
    """Rows that stand for all, whatever the order they came in."""
    return np.sort(state.order[:most])


def describe_columns(state: State) -> list[Plain]:
    """All attributes, in the order of the columns."""
    rows, told = sample(state), relevances(state)
    groups = group_targets(state, rows)
    found = []
    for j, name in enumerate(state.names):
        numeric = bool(state.base.cases.numeric[j] >= 0)
        found.append(
            {
                "name": name,
                "kind": "numeric" if numeric else "nominal",
                "n_missing": _count_missing(state, j),
                "relevance": told[j],
                "histogram": histogram(state, j, rows, groups),
            }
        )
    return found


def _count_missing(state: State, j: int) -> int:
    cases = state.base.cases
    if cases.numeric[j] >= 0:
        return int(np.isnan(cases.numbers[cases.numeric[j], : cases.n_rows]).sum())
    return int((cases.codes[j, : cases.n_rows] < 0).sum())


# --- relevance ------------------------------------------------------------------------


def relevances(state: State) -> list[float]:
    """How much of the target each attribute tells by itself, from 0 to 1.

    Of classes the share of their entropy that goes when the value, or bin, is known;
    of numbers the share of variance that tenths of the attribute, or labels, tell, each
    row left out.
    """
    return state.base.derive(relevances, lambda: _find_relevances(state))


def _find_relevances(state: State) -> list[float]:
    if not state.classifies:
        rows = sample(state)
        return [_share_of_variance(state, j, rows) for j in range(len(state.names))]
    cases = state.base.cases
    whole = float(entropy(cases.class_counts))
    if whole <= 0:
        return [0.0] * len(state.names)
    left = attribute_scores(cases.counts, cases.offsets)
    return [float(min(max(1 - own / whole, 0.0), 1.0)) for own in left]


def _share_of_variance(state: State, j: int, rows: Ints) -> float:
    targets = state.truths[rows]
    targets = targets * find_unit(targets)
    cells = state.cells(j, rows)
    if state.base.cases.numeric[j] >= 0:
        cells = _tenths(cells)
    return float(min(max(tell_number_by_label(cells, targets), 0.0), 1.0))


def _tenths(numbers: Floats) -> Ints:
    """The tenth of the known numbers that each lies in, -1 where it is missing."""
    known = ~np.isnan(numbers)
    tenths = np.full(len(numbers), -1)
    if known.any():
        ends = np.unique(np.quantile(numbers[known], np.arange(1, 10) / 10))
        tenths[known] = np.searchsorted(ends, numbers[known])
    return tenths


def most_relevant(state: State, most: int) -> list[str]:
    """The attributes that tell most, in the order of the columns."""
    best = np.argsort(-np.asarray(relevances(state)), kind="stable")[:most]
    return [state.names[j] for j in sorted(best.tolist())]


# --- histograms -----------------------------------------------------------------------


class Groups:
    """Rows by target: by class, or in thirds of the numbers.

    Attributes
    ----------
    codes : int array of shape (n_rows,)
    names : list of label or str
    """

    def __init__(self, codes: NDArray[Any], names: list[Any]) -> None:
        self.codes, self.names = codes, names


def group_targets(state: State, rows: Ints) -> Groups:
    """Rows by class, the many small ones together, or by thirds of the target."""
    truths = state.truths[rows]
    if not state.classifies:
        ends = np.quantile(truths, [1 / 3, 2 / 3])
        names = [f"up to {ends[0]:.4g}", "between", f"above {ends[1]:.4g}"]
        return Groups(np.searchsorted(ends, truths), names)
    labels: list[Any] = list(state.base.class_labels)
    if len(labels) <= _MOST_CLASSES:
        return Groups(truths, labels)
    counts = state.base.cases.class_counts
    first = np.argsort(-counts, kind="stable")[: _MOST_CLASSES - 1]
    codes = np.full(len(labels), len(first))
    codes[first] = np.arange(len(first))
    return Groups(codes[truths], [*[labels[c] for c in first.tolist()], "all others"])


def histogram(state: State, j: int, rows: Ints, groups: Groups) -> Plain:
    """How often an attribute has its values, in all and by group."""
    cells, n_groups = state.cells(j, rows), len(groups.names)
    if state.base.cases.numeric[j] >= 0:
        known = ~np.isnan(cells)
        ends = edges(cells[known])
        if ends is None:
            return {"kind": "empty"}
        bars = np.clip(np.searchsorted(ends, cells[known], "right") - 1, 0, _BARS - 1)
        counts = _cross(bars, groups.codes[known], _BARS, n_groups)
        return {"kind": "numeric", "edges": ends.tolist(), "counts": counts.tolist()}
    return _nominal(state, j, cells, groups)


def edges(values: Floats) -> Floats | None:
    """Where the bars of a histogram begin and end; None without values."""
    if not len(values):
        return None
    low, high = float(values.min()), float(values.max())
    if low == high:
        return np.linspace(low - 0.5, high + 0.5, _BARS + 1)
    with np.errstate(over="ignore"):
        steps = low + (high - low) * np.arange(_BARS + 1) / _BARS
    return steps if np.isfinite(steps).all() else np.linspace(low / 2, high / 2, 17) * 2


def _nominal(state: State, j: int, codes: NDArray[Any], groups: Groups) -> Plain:
    labels = state.base.categories(j)
    known = codes >= 0
    counts = _cross(codes[known], groups.codes[known], len(labels), len(groups.names))
    order = np.argsort(-counts.sum(axis=1), kind="stable")
    top = np.sort(order[:_MOST_LABELS])
    rest = counts.sum(axis=0) - counts[top].sum(axis=0)
    return {
        "kind": "nominal",
        "labels": [labels[c] for c in top.tolist()],
        "counts": counts[top].tolist(),
        "n_more": len(labels) - len(top),
        "more": rest.tolist(),
    }


def _cross(
    first: NDArray[Any], second: NDArray[Any], n_first: int, n_second: int
) -> Ints:
    joint = first.astype(np.int64) * n_second + second
    return np.bincount(joint, minlength=n_first * n_second).reshape(n_first, n_second)


def limits(state: State, j: int) -> tuple[float | None, float | None]:
    """The smallest and largest number of an attribute."""
    low, high = state.base.cases.ranges[state.base.cases.numeric[j]]
    return number(low), number(high)
