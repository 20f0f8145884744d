"""Local regression among parts of the cases: neighbors are gathered, then fitted.

Every part hands out its nearest cases as the models see them. The nearest of these,
ties in canonical order, are the neighbors among all cases, and the same kernel on the
same neighbors gives the same bits.
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.local_models.nearest_on_device import find_nearest_there
from sklazy.casebase import CaseBase
from sklazy.casebase.columns import ColumnSums, Scale, sum_columns
from sklazy.casebase.rows import Ids
from sklazy.flow import LocalCases, Neighbors
from sklazy.local.local_models.space import Space, fill_space
from sklazy.neighbors import find_nearest

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class LocalTotals(NamedTuple):
    """What a part has, of the rows that count.

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
    """What parts need to know of each other to place their cases alike.

    Attributes
    ----------
    key : hashable
        What tells frames of one state of the cases apart.
    space : Space
        Without cases.
    target_units : float64 array of shape (n_targets,)
    weight_unit : float
        What weights are multiplied by; 0 where all are 1.
    by_arrival : bool
        Whether ties are broken by order of arrival, not by content.
    """

    key: Hashable
    space: Space
    target_units: Floats
    weight_unit: float
    by_arrival: bool


class LocalNear(NamedTuple):
    """A part's nearest cases; the first two axes are queries and cases, near to far.

    Attributes
    ----------
    distances : float64 array
    places : uint64 array
        What breaks ties: hashes of content, or numbers of arrival.
    names : array of ids
    rows : int64 array
        Numbers over all parts, -1 where there are fewer cases.
    regressors, targets : float64 arrays with a third axis
    weights : float64 array, or empty
    """

    distances: Floats
    places: NDArray[np.uint64]
    names: Ids
    rows: Ints
    regressors: Floats
    targets: Floats
    weights: Floats


class _Placed(NamedTuple):
    """The cases of a part in the space of all."""

    space: Space
    cases: LocalCases
    rows: Ints
    places: NDArray[np.uint64]


def count_local(part: CaseBase, scale: Scale) -> LocalTotals:
    """What a part has."""
    cases, weights = part.cases, part.weights[: part.n_rows]
    rows = np.flatnonzero(weights > 0)
    targets = np.abs(find_targets(part, rows))
    own = weights[rows]
    ends = [own.min(initial=np.inf), own.max(initial=-np.inf)]
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


def find_local(
    part: CaseBase,
    frame: LocalFrame,
    queries: Floats,
    n_nearest: int,
    device: str | None = None,
) -> LocalNear | None:
    """A part's nearest cases of queries that are placed; None if it has none."""
    placed = part.derive(("local", frame.key), lambda: _place(part, frame))
    if not len(placed.rows):
        return None
    n_found = min(n_nearest, len(placed.rows))
    columns = placed.space.columns
    if device is None:
        near = find_nearest(columns, queries, n_found)
    else:
        near = find_nearest_there(part, columns, frame.key, device, queries, n_found)
    rows, cases = near.rows, placed.cases
    weights = cases.weights[rows] if len(cases.weights) else cases.weights
    return LocalNear(
        near.distances,
        placed.places[rows],
        part.ids[placed.rows[rows]],
        placed.rows[rows] + part.first_row,
        cases.regressors[rows],
        cases.targets[rows],
        weights,
    )


def _place(part: CaseBase, frame: LocalFrame) -> _Placed:
    cases = part.cases
    order = np.argsort(part.arrival) if frame.by_arrival else part.order
    rows = order[part.weights[order] > 0]
    space = fill_space(frame.space, cases, rows)
    weights = cases.weights[rows] * frame.weight_unit if frame.weight_unit else _NONE
    targets = find_targets(part, rows) * frame.target_units
    arrived = (part.arrival + part.first_row).astype(np.uint64)
    places = arrived if frame.by_arrival else part.hashes()
    return _Placed(
        space, LocalCases(space.regressors, targets, weights), rows, places[rows]
    )


_NONE = np.zeros(0)


def merge_local(
    parts: Sequence[LocalNear], n_nearest: int
) -> tuple[LocalCases, Ints, Neighbors]:
    """The neighbors among all parts, as cases of their own.

    Returns
    -------
    cases : LocalCases
        The neighbors of the first query, then those of the second, ...
    rows : int64 array
        Their numbers over all parts.
    neighbors : Neighbors
        By their place among these cases.
    """
    distances, places, rows = (
        np.concatenate([getattr(part, name) for part in parts], axis=1)
        for name in ("distances", "places", "rows")
    )
    names = np.concatenate([part.names for part in parts], axis=1)
    ranks = np.unique(names.ravel(), return_inverse=True)[1].reshape(names.shape)
    order = np.lexsort((ranks, places, distances))[:, :n_nearest]

    def pick(name: str) -> Floats:
        whole = np.concatenate([getattr(part, name) for part in parts], axis=1)
        index = order.reshape(*order.shape, *[1] * (whole.ndim - 2))
        chosen = np.take_along_axis(whole, index, axis=1)
        return np.ascontiguousarray(chosen.reshape(order.size, *whole.shape[2:]))

    weights = pick("weights") if parts[0].weights.size else _NONE
    cases = LocalCases(pick("regressors"), pick("targets"), weights)
    numbers = np.arange(order.size).reshape(order.shape)
    near = np.take_along_axis(distances, order, axis=1)
    found = np.take_along_axis(rows, order, axis=1)
    return cases, found.ravel(), Neighbors(numbers, near)
