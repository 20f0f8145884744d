"""The cases of a part, placed as those of all parts are."""

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.casebase.columns import ColumnSums, Scale, sum_columns
from sklazy.flow import LocalCases
from sklazy.methods.space import Space, fill_space
from sklazy.neighbors import TreeSearch

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_NONE = np.zeros(0)


class LocalTotals(NamedTuple):
    """Totals of a part, over its rows of positive weight.

    Attributes
    ----------
    columns : ColumnSums
    largest : float64 array of shape (n_targets,)
        The largest target, whatever its sign.
    weights : float64 array of shape (2,)
        The smallest and the largest weight; infinite where there is no row.
    """

    columns: ColumnSums
    largest: Floats
    weights: Floats


class LocalFrame(NamedTuple):
    """Frame that parts share, to place their cases alike.

    Attributes
    ----------
    key : hashable
        Distinguishes frames of one state of the cases.
    space : Space
        Without cases.
    target_units : float64 array of shape (n_targets,)
    weight_unit : float
        The factor of the weights; 0 where all are 1.
    by_arrival : bool
        Whether ties are broken by order of arrival, not by content.
    """

    key: Hashable
    space: Space
    target_units: Floats
    weight_unit: float
    by_arrival: bool


class PlacedPart(NamedTuple):
    """The cases of a part in the space of all.

    Attributes
    ----------
    search : TreeSearch
    cases : LocalCases
    rows : int64 array of shape (n_cases,)
        Where they lie in the part.
    places : uint64 array of shape (n_cases,)
        Hashes of their content, or their numbers in order of arrival.
    """

    search: TreeSearch
    cases: LocalCases
    rows: Ints
    places: NDArray[np.uint64]


def count_local(part: CaseBase, scale: Scale) -> LocalTotals:
    """Compute the totals of a part."""
    cases, weights = part.cases, part.weights[: part.n_rows]
    rows = np.flatnonzero(weights > 0)
    targets = np.abs(find_targets(part, rows))
    chosen = weights[rows]
    ends = [chosen.min(initial=np.inf), chosen.max(initial=-np.inf)]
    return LocalTotals(
        sum_columns(cases, rows, scale),
        targets.max(axis=0, initial=0.0),
        np.array(ends),
    )


def find_targets(base: CaseBase, rows: Ints) -> Floats:
    """Numbers, or an indicator of each class; shape (n_rows, n_targets)."""
    cases = base.cases
    if not base.class_labels:
        return np.ascontiguousarray(cases.targets[:, rows].T)
    return np.eye(len(base.class_labels))[cases.classes[rows]]


def place_part(part: CaseBase, frame: LocalFrame) -> PlacedPart:
    """The cases of a part in the space of all; made once for a state."""
    return part.derive(("local", frame.key), lambda: _place(part, frame))


def _place(part: CaseBase, frame: LocalFrame) -> PlacedPart:
    cases = part.cases
    # A part numbers its own copies: which come first is settled among all parts.
    order = np.argsort(part.arrival) if frame.by_arrival else part.order
    rows = order[part.weights[order] > 0]
    space = fill_space(frame.space, cases, rows)
    weights = cases.weights[rows] * frame.weight_unit if frame.weight_unit else _NONE
    targets = find_targets(part, rows) * frame.target_units
    arrived = (part.arrival + part.first_row).astype(np.uint64)
    places = arrived if frame.by_arrival else part.hashes()
    local = LocalCases(space.regressors, targets, weights)
    return PlacedPart(TreeSearch(space.columns), local, rows, places[rows])
