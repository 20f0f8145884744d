"""Local regression among parts of the cases: neighbors are gathered, then fitted.

Every part says how far its nearest cases are. The nearest of these, ties in canonical
order, are the neighbors among all cases; their parts hand them out as the models see
them, and the same kernel on the same neighbors gives the same bits.
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.local_models.nearest_on_device import find_nearest_there
from sklazy.backends import run_chunks
from sklazy.casebase import CaseBase
from sklazy.casebase.columns import ColumnSums, Scale, sum_columns
from sklazy.casebase.parted_head import PartedHead
from sklazy.casebase.rows import Ids
from sklazy.flow import LocalCases, Neighbors
from sklazy.local.local_models.space import Space, fill_space
from sklazy.neighbors import TreeSearch

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_NANOSECONDS = 0.2  # that a cell takes in a search


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
    """A part's nearest cases; the axes are queries and cases, near to far.

    Attributes
    ----------
    distances : float64 array
        Infinite where there are fewer cases.
    cases : int64 array
        Where they stand among the cases of the part.
    """

    distances: Floats
    cases: Ints


class _Placed(NamedTuple):
    """The cases of a part in the space of all."""

    search: TreeSearch
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
    before: list[LocalNear | None],
    frame: LocalFrame,
    queries: Floats,
    n_nearest: int,
    device: str | None = None,
) -> list[LocalNear | None]:
    """A part's nearest cases of placed queries behind those before; None for none."""
    placed = _placed(part, frame)
    if not len(placed.rows):
        return [*before, None]
    n_found = min(n_nearest, len(placed.rows))
    if device is not None:
        columns, key = placed.search.columns, frame.key
        found = find_nearest_there(part, columns, key, device, queries, n_found)
    else:
        bounds = _find_bounds(before, len(queries), n_nearest)
        found = _find(part, placed.search, queries, n_found, bounds)
    return [*before, LocalNear(found.distances, found.rows)]


def _find_bounds(
    before: Sequence[LocalNear | None], n_queries: int, n_nearest: int
) -> Floats:
    """How far the last neighbor is at most, by what other parts have found."""
    distances = [own.distances for own in before if own is not None]
    if sum(own.shape[1] for own in distances) < n_nearest:
        return np.full(n_queries, np.inf)
    whole, last = np.concatenate(distances, axis=1), n_nearest - 1
    return np.partition(whole, last, axis=1)[:, last]


def _find(
    part: CaseBase, search: TreeSearch, queries: Floats, n_found: int, bounds: Floats
) -> Neighbors:
    """Search by as many threads as the part has."""
    if part.n_threads == 1:
        return search.find(queries, n_found, bounds=bounds)
    rows = np.empty((len(queries), n_found), np.int64)
    distances = np.empty(rows.shape)

    def run(first: int, last: int) -> None:
        here = slice(first, last)
        own = search.find(queries[here], n_found, bounds=bounds[here])
        rows[here], distances[here] = own

    cells = queries.size * part.n_rows
    run_chunks(run, len(queries), part.n_threads, _NANOSECONDS * cells)
    return Neighbors(rows, distances)


def read_local(
    part: CaseBase, wanted: tuple[LocalFrame, Ints]
) -> tuple[LocalCases, Ints]:
    """Some cases of a part, and their rows, numbered over all parts."""
    frame, chosen = wanted
    placed = _placed(part, frame)
    regressors, targets, weights = placed.cases
    own = weights[chosen] if len(weights) else weights
    cases = LocalCases(regressors[chosen], targets[chosen], own)
    return cases, placed.rows[chosen] + part.first_row


def name_local(
    part: CaseBase, wanted: tuple[LocalFrame, Ints]
) -> tuple[NDArray[np.uint64], Ids]:
    """What breaks ties between some cases of a part: places, then names."""
    frame, chosen = wanted
    placed = _placed(part, frame)
    if not len(placed.rows):
        return np.zeros(chosen.shape, np.uint64), chosen
    return placed.places[chosen], part.tie_breakers()[placed.rows[chosen]]


def _placed(part: CaseBase, frame: LocalFrame) -> _Placed:
    """The cases of a part in the space of all; made once for a state."""
    return part.derive(("local", frame.key), lambda: _place(part, frame))


def _place(part: CaseBase, frame: LocalFrame) -> _Placed:
    cases = part.cases
    order = np.argsort(part.arrival) if frame.by_arrival else part.order
    rows = order[part.weights[order] > 0]
    space = fill_space(frame.space, cases, rows)
    weights = cases.weights[rows] * frame.weight_unit if frame.weight_unit else _NONE
    targets = find_targets(part, rows) * frame.target_units
    arrived = (part.arrival + part.first_row).astype(np.uint64)
    places = arrived if frame.by_arrival else part.hashes()
    local = LocalCases(space.regressors, targets, weights)
    return _Placed(TreeSearch(space.columns), local, rows, places[rows])


_NONE = np.zeros(0)


class Gathered(NamedTuple):
    """The neighbors of queries among all parts, as cases of their own.

    Attributes
    ----------
    cases : LocalCases
        The neighbors of the first query, then those of the second, ...
    rows : int64 array
        Their numbers over all parts.
    neighbors : Neighbors
        By their place among these cases.
    """

    cases: LocalCases
    rows: Ints
    neighbors: Neighbors


def gather_local(
    base: PartedHead,
    frame: LocalFrame,
    queries: Floats,
    n_nearest: int,
    device: str | None = None,
) -> Gathered:
    """Find neighbors in every part, and fetch those that are nearest of all."""
    told = base.ask_in_turn(find_local, frame, queries, n_nearest, device)
    nothing = LocalNear(np.zeros((len(queries), 0)), np.zeros((len(queries), 0), int))
    found = [nothing if own is None else own for own in told]
    order, distances, tied = merge_local(found, n_nearest)
    if len(tied):
        wanted = [(frame, own.cases[tied]) for own in found]
        names = base.ask_each(name_local, wanted)
        order[tied] = order_tied(found, names, tied)[:, :n_nearest]
    cases, rows = _fetch(base, frame, found, order)
    numbers = np.arange(order.size).reshape(order.shape)
    return Gathered(cases, rows, Neighbors(numbers, distances))


def merge_local(
    found: Sequence[LocalNear], n_nearest: int
) -> tuple[Ints, Floats, Ints]:
    """The nearest of what parts have found.

    Returns
    -------
    order : int64 array of shape (n_queries, n_nearest)
        Their places in what all parts have found, one part after the other.
    distances : float64 array of shape (n_queries, n_nearest)
    tied : int64 array
        The queries whose order is open, since cases are equally distant.
    """
    distances = np.concatenate([own.distances for own in found], axis=1)
    order = np.argsort(distances, axis=1, kind="stable")[:, : n_nearest + 1]
    near = np.take_along_axis(distances, order, axis=1)
    tied = np.flatnonzero((near[:, 1:] == near[:, :-1]).any(axis=1))
    return order[:, :n_nearest], near[:, :n_nearest], tied


def order_tied(
    found: Sequence[LocalNear],
    names: Sequence[tuple[NDArray[np.uint64], Ids]],
    tied: Ints,
) -> Ints:
    """The order of what parts found for some queries, by distance, content and name."""
    distances = np.concatenate([own.distances[tied] for own in found], axis=1)
    places = np.concatenate([own for own, _ in names], axis=1)
    told = np.concatenate([own for _, own in names if own.size], axis=1)
    ranks = np.unique(told.ravel(), return_inverse=True)[1].reshape(told.shape)
    return np.lexsort((ranks, places, distances))


def _fetch(
    base: PartedHead, frame: LocalFrame, found: Sequence[LocalNear], order: Ints
) -> tuple[LocalCases, Ints]:
    """Cases by their places in what all parts have found, and their rows."""
    sizes = [own.cases.shape[1] for own in found]
    owners = np.repeat(np.arange(len(found)), sizes)[order].ravel()
    cases = np.concatenate([own.cases for own in found], axis=1)
    chosen = np.take_along_axis(cases, order, axis=1).ravel()
    here = [np.flatnonzero(owners == p) for p in range(len(found))]
    told = base.ask_each(read_local, [(frame, chosen[own]) for own in here])
    whole = [np.empty((len(chosen), *own.shape[1:])) for own in told[0][0]]
    rows = np.empty(len(chosen), np.int64)
    for places, (local, numbers) in zip(here, told, strict=True):
        rows[places] = numbers
        for to, own in zip(whole, local, strict=True):
            if len(own):
                to[places] = own
    weights = whole[2] if frame.weight_unit else _NONE
    return LocalCases(whole[0], whole[1], weights), rows
