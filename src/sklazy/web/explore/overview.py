"""The first page: what there is, and how well it is learned."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.receipts.plain import number
from sklazy.web.explore.columns import (
    SAMPLED,
    describe_columns,
    edges,
    group_targets,
    sample,
)
from sklazy.web.explore.left_out import LeftOut
from sklazy.web.explore.state import Floats, State

Plain = dict[str, Any]

MOST_CELLS = 12  # classes of a confusion matrix; the rarer ones are taken together
_GROUPS = 5  # of numbers, each with as many rows


def describe(state: State, source: str) -> Plain:
    """All that is known without asking the learner anything."""
    return {
        "source": source,
        "target": state.target,
        "classifies": state.classifies,
        "estimator": type(state.model).__name__,
        "version": state.version,
        "n_rows": state.n_rows,
        "n_attributes": len(state.names),
        "n_sampled": min(SAMPLED, state.n_rows),
        "columns": describe_columns(state),
        "groups": group_targets(state, sample(state)).names,
        "balance": _balance(state),
    }


def _balance(state: State) -> Plain:
    """How the target is distributed."""
    if state.classifies:
        counts = state.base.cases.class_counts.tolist()
        pairs = zip(state.base.class_labels, counts, strict=True)
        return {"classes": [{"label": label, "rows": n} for label, n in pairs]}
    values = state.truths
    ends = edges(values)
    if ends is None:
        return {"edges": [], "counts": []}
    counts, _ = np.histogram(values, ends)
    return {"edges": ends.tolist(), "counts": counts.tolist()}


def describe_left_out(state: State, left_out: LeftOut) -> Plain:
    """How well the others answer for each case, by those known so far."""
    known = np.flatnonzero(left_out.known)
    told: Plain = {
        "n_known": len(known),
        "n_rows": state.n_rows,
        "exact": left_out.exact,
    }
    if not len(known):
        return told
    truths, answers = state.truths[known], left_out.answers[known]
    figures = _accuracy if state.classifies else _errors
    return {
        **told,
        **figures(truths, answers),
        "confusion": _confusion(state, left_out),
    }


def _accuracy(truths: NDArray[Any], answers: NDArray[Any]) -> Plain:
    right = truths == answers
    share = float(right.mean())
    return {
        "accuracy": share,
        "error": float(np.sqrt(share * (1 - share) / len(right))),
        "guess": float(np.bincount(truths).max() / len(truths)),
    }


def _errors(truths: NDArray[Any], answers: NDArray[Any]) -> Plain:
    residuals = answers - truths
    spread = float(((truths - truths.mean()) ** 2).sum())
    lost = float((residuals**2).sum())
    return {
        "mean_absolute_error": number(np.abs(residuals).mean()),
        "root_mean_squared_error": number(np.sqrt(lost / len(truths))),
        "guess": number(np.abs(truths - np.median(truths)).mean()),
        "explained": number(1 - lost / spread) if spread > 0 else None,
    }


# --- the confusion matrix -------------------------------------------------------------


class Cells:
    """Truths and answers in groups, which a confusion matrix counts.

    Attributes
    ----------
    names : list of str, label
    truths, answers : int arrays of shape (n_rows,)
        The groups; -1 where there is no answer yet.
    """

    def __init__(self, state: State, left_out: LeftOut) -> None:
        group = _by_class(state) if state.classifies else _by_number(state)
        self.names = group.names
        self.truths = group.of(state.truths)
        self.answers = np.where(left_out.known, group.of(left_out.answers), -1)


class _Grouping:
    """From classes or numbers to groups."""

    def __init__(self, names: list[Any], lookup: NDArray[Any], ends: Floats) -> None:
        self.names, self._lookup, self._ends = names, lookup, ends

    def of(self, targets: NDArray[Any]) -> NDArray[Any]:
        """The groups of targets."""
        if len(self._lookup):
            return self._lookup[targets]
        return np.searchsorted(self._ends, targets, "left")


def _by_class(state: State) -> _Grouping:
    labels: list[Any] = list(state.base.class_labels)
    lookup = np.arange(len(labels))
    if len(labels) > MOST_CELLS:
        counts = state.base.cases.class_counts
        first = np.sort(np.argsort(-counts, kind="stable")[: MOST_CELLS - 1])
        lookup = np.full(len(labels), len(first))
        lookup[first] = np.arange(len(first))
        labels = [*[labels[c] for c in first.tolist()], "all others"]
    return _Grouping(labels, lookup, np.zeros(0))


def _by_number(state: State) -> _Grouping:
    shares = np.arange(1, _GROUPS) / _GROUPS
    ends = np.unique(np.quantile(state.truths, shares))
    texts = [f"{end:.4g}" for end in ends.tolist()]
    middle = [f"{low} to {high}" for low, high in pairwise(texts)]
    names = [f"up to {texts[0]}", *middle, f"above {texts[-1]}"]
    return _Grouping(names, np.zeros(0, int), ends)


def _confusion(state: State, left_out: LeftOut) -> Plain:
    cells = Cells(state, left_out)
    n = len(cells.names)
    known = cells.answers >= 0
    joint = cells.truths[known] * n + cells.answers[known]
    counts = np.bincount(joint, minlength=n * n).reshape(n, n)
    return {"names": cells.names, "counts": counts.tolist()}
