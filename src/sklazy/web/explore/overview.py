"""The first page: facts about the cases, and the quality of predictions."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError
from sklazy.methods.plain import number
from sklazy.web.explore.columns import (
    SAMPLED,
    cross_tabulate,
    describe_columns,
    edges,
    group_targets,
    join_rare_classes,
    sample,
)
from sklazy.web.explore.left_out import LeftOut
from sklazy.web.explore.state import State, plain_id

Plain = dict[str, Any]

_MOST_CELLS = 12  # classes of a confusion matrix; rarer ones are joined
_MOST_POINTS = 600  # drawn of truth against prediction
_MOST_WORST = 5  # cases listed by their error


def describe_overview(state: State, source: str) -> Plain:
    """Facts about the cases that need no prediction."""
    return {
        "source": source,
        "target": state.target,
        "classifies": state.classifies,
        "estimator": type(state.model).__name__,
        "version": state.version,
        "n_rows": state.n_rows,
        "n_attributes": len(state.features),
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
    """The quality of the leave-one-out predictions so far."""
    known = np.flatnonzero(left_out.known)
    counts: Plain = {
        "n_known": len(known),
        "n_rows": state.n_rows,
        "exact": left_out.exact,
    }
    if not len(known):
        return counts
    truths, answers = state.truths[known], left_out.answers[known]
    if state.classifies:
        matrix = _confusion(state, left_out)
        return {**counts, **_accuracy(truths, answers), "confusion": matrix}
    return {
        **counts,
        **_errors(truths, answers),
        "margin": left_out.find_margin(),
        "residuals": _describe_residuals(truths - answers),
        "points": _list_points(state, left_out),
        "worst": _list_worst(state, left_out, known),
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


# --- numbers --------------------------------------------------------------------------


def _describe_residuals(residuals: NDArray[Any]) -> Plain:
    """The histogram of truth less prediction."""
    ends = edges(residuals)
    if ends is None:
        return {"edges": [], "counts": []}
    counts, _ = np.histogram(residuals, ends)
    return {"edges": ends.tolist(), "counts": counts.tolist()}


def _list_points(state: State, left_out: LeftOut) -> list[Plain]:
    """Truth and prediction of a random sample of the predicted cases."""
    rows = state.order[left_out.known[state.order]][:_MOST_POINTS]
    return [_point(state, left_out, row) for row in rows.tolist()]


def _list_worst(state: State, left_out: LeftOut, known: NDArray[Any]) -> list[Plain]:
    """The cases with the largest errors."""
    order = np.argsort(-left_out.doubts[known], kind="stable")[:_MOST_WORST]
    return [_point(state, left_out, row) for row in known[order].tolist()]


def _point(state: State, left_out: LeftOut, row: int) -> Plain:
    return {
        "id": plain_id(state.ids[row]),
        "truth": number(state.truths[row]),
        "answer": number(left_out.answers[row]),
    }


# --- the confusion matrix -------------------------------------------------------------


class ConfusionGroups:
    """Truths and answers in groups, which a confusion matrix counts.

    Attributes
    ----------
    names : list of str, label
    truths, answers : int arrays of shape (n_rows,)
        The groups; -1 where there is no answer yet.
    """

    def __init__(self, state: State, left_out: LeftOut) -> None:
        if not state.classifies:
            raise BadInputError("numbers have no confusion matrix; filter by doubt.")
        self.names, group = _by_class(state)
        self.truths = group(state.truths)
        self.answers = np.where(left_out.known, group(left_out.answers), -1)


Grouping = tuple[list[Any], Callable[[NDArray[Any]], NDArray[Any]]]
"""The names of groups, and a function from targets to groups."""


def _by_class(state: State) -> Grouping:
    lookup, labels = join_rare_classes(state, _MOST_CELLS, in_order=True)
    return labels, lambda codes: lookup[codes]


def _confusion(state: State, left_out: LeftOut) -> Plain:
    groups = ConfusionGroups(state, left_out)
    known, n = groups.answers >= 0, len(groups.names)
    counts = cross_tabulate(groups.truths[known], groups.answers[known], n, n)
    return {"names": groups.names, "counts": counts.tolist()}
