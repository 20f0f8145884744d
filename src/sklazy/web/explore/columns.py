"""Contents of columns: kinds, missing cells, relevance, histograms by class."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.measures import attribute_scores, entropy
from sklazy.measures.leaks import explained_by_label
from sklazy.measures.magnitudes import find_unit
from sklazy.methods.plain import number
from sklazy.web.explore.formats import describe_format, list_parts, spell_number
from sklazy.web.explore.state import Floats, Ints, State

Plain = dict[str, Any]

SAMPLED = 20_000
"""Rows in histograms, and in the relevance for numbers."""

_BARS = 16  # of a histogram of numbers
_MOST_LABELS = 12  # listed of a nominal column
_MOST_CLASSES = 8  # drawn apart


def sample(state: State, most: int = SAMPLED) -> Ints:
    """A random sample of rows, in their order."""
    return np.sort(state.order[:most])


def describe_columns(state: State) -> list[Plain]:
    """All features, in the order of the columns."""
    rows, relevance = sample(state), relevance_by_feature(state)
    groups = group_targets(state, rows)
    described = []
    for name in state.features:
        j, is_number = state.column(name)
        described.append(
            {
                "name": name,
                "kind": "numeric" if is_number else "nominal",
                **describe_format(state.base, name),
                "n_missing": _count_missing(state, j),
                "relevance": relevance[name],
                "histogram": histogram(state, j, rows, groups),
            }
        )
    return described


def _count_missing(state: State, j: int) -> int:
    cases = state.base.cases
    if cases.numeric[j] >= 0:
        return int(np.isnan(cases.numbers[cases.numeric[j], : cases.n_rows]).sum())
    return int((cases.codes[j, : cases.n_rows] < 0).sum())


# --- relevance ------------------------------------------------------------------------


def relevances(state: State) -> list[float]:
    """How much of the target each feature explains by itself, from 0 to 1.

    For classes, the share of their entropy that goes when the value, or bin, is known;
    for numbers, the share of variance that tenths of the feature, or labels, explain,
    with each row left out.
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
    rest = attribute_scores(cases.counts, cases.offsets)
    return np.clip(1 - rest / whole, 0.0, 1.0).tolist()


def _share_of_variance(state: State, j: int, rows: Ints) -> float:
    targets = state.truths[rows]
    targets = targets * find_unit(targets)
    cells = state.cells(j, rows)
    if state.base.cases.numeric[j] >= 0:
        cells = _tenths(cells)
    return float(min(max(explained_by_label(cells, targets), 0.0), 1.0))


def _tenths(numbers: Floats) -> Ints:
    """The tenth of the known numbers that each is in, -1 if it is missing."""
    known = ~np.isnan(numbers)
    tenths = np.full(len(numbers), -1)
    if known.any():
        ends = np.unique(np.quantile(numbers[known], np.arange(1, 10) / 10))
        tenths[known] = np.searchsorted(ends, numbers[known])
    return tenths


def relevance_by_feature(state: State) -> dict[str, float]:
    """The relevance of each of the user's columns: that of its most relevant part."""
    known = dict(zip(state.names, relevances(state), strict=True))
    parts = list_parts(state.base)
    return {name: max(known[part] for part in parts[name]) for name in state.features}


def most_relevant(state: State, most: int) -> list[str]:
    """The most relevant features, in the order of the columns."""
    known = relevance_by_feature(state)
    best = set(sorted(known, key=lambda name: -known[name])[:most])
    return [name for name in state.features if name in best]


# --- histograms -----------------------------------------------------------------------


class TargetGroups(NamedTuple):
    """Rows by target: the group of each row, and the names of the groups."""

    codes: NDArray[Any]
    names: list[Any]


def group_targets(state: State, rows: Ints) -> TargetGroups:
    """Rows by class, with rare classes joined, or by thirds of the target."""
    truths = state.truths[rows]
    if not state.classifies:
        ends = np.quantile(truths, [1 / 3, 2 / 3])
        low, high = (spell_number(end) for end in ends.tolist())
        names = [f"up to {low}", "between", f"above {high}"]
        return TargetGroups(np.searchsorted(ends, truths), names)
    lookup, labels = join_rare_classes(state, _MOST_CLASSES)
    return TargetGroups(lookup[truths], labels)


def join_rare_classes(
    state: State, most: int, *, in_order: bool = False
) -> tuple[Ints, list[Any]]:
    """The group of each class, and the groups' names: the most frequent and a rest.

    Groups come by frequency, or `in_order` of the classes; all classes if they are few.
    """
    labels: list[Any] = list(state.base.class_labels)
    if len(labels) <= most:
        return np.arange(len(labels)), labels
    counts = state.base.cases.class_counts
    first = np.argsort(-counts, kind="stable")[: most - 1]
    first = np.sort(first) if in_order else first
    lookup = np.full(len(labels), len(first))
    lookup[first] = np.arange(len(first))
    return lookup, [*[labels[c] for c in first.tolist()], "all others"]


def histogram(state: State, j: int, rows: Ints, groups: TargetGroups) -> Plain:
    """How often a feature has its values, by group."""
    cells, n_groups = state.cells(j, rows), len(groups.names)
    if state.base.cases.numeric[j] >= 0:
        known = ~np.isnan(cells)
        ends = edges(cells[known])
        if ends is None:
            return {"kind": "empty"}
        bars = np.clip(np.searchsorted(ends, cells[known], "right") - 1, 0, _BARS - 1)
        counts = cross_tabulate(bars, groups.codes[known], _BARS, n_groups)
        return {"kind": "numeric", "edges": ends.tolist(), "counts": counts.tolist()}
    return _count_labels(state, j, cells, groups)


def edges(values: Floats) -> Floats | None:
    """The ends of the bars of a histogram; None without values."""
    if not len(values):
        return None
    low, high = float(values.min()), float(values.max())
    if low == high:
        return np.linspace(low - 0.5, high + 0.5, _BARS + 1)
    with np.errstate(over="ignore"):
        steps = low + (high - low) * np.arange(_BARS + 1) / _BARS
    return steps if np.isfinite(steps).all() else np.linspace(low / 2, high / 2, 17) * 2


def _count_labels(
    state: State, j: int, codes: NDArray[Any], groups: TargetGroups
) -> Plain:
    labels = state.base.categories(j)
    known, n_groups = codes >= 0, len(groups.names)
    counts = cross_tabulate(codes[known], groups.codes[known], len(labels), n_groups)
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


def count_labels(state: State, j: int) -> Ints:
    """How many of the sampled rows have each label of a feature."""
    codes = state.cells(j, sample(state))
    return np.bincount(codes[codes >= 0], minlength=len(state.base.categories(j)))


def cross_tabulate(
    first: NDArray[Any], second: NDArray[Any], n_first: int, n_second: int
) -> Ints:
    """Count the pairs of two codes, as a table."""
    joint = first.astype(np.int64) * n_second + second
    return np.bincount(joint, minlength=n_first * n_second).reshape(n_first, n_second)


def limits(state: State, j: int) -> tuple[float | None, float | None]:
    """The smallest and largest number of a feature."""
    low, high = state.base.cases.ranges[state.base.cases.numeric[j]]
    return number(low), number(high)
