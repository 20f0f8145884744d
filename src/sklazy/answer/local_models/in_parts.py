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
    places : uint64 array
        What breaks ties: hashes of content, or numbers of arrival.
    names : array of ids
        What breaks them where places are the same.
    cases : int64 array
        Where they stand among the cases of the part.
    kths : float64 array of shape (n_queries,)
        How far the last is; infinite where there are fewer.
    """

    distances: Floats
    places: NDArray[np.uint64]
    names: Ids
    cases: Ints
    kths: Floats


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
    bounds: Floats,
    frame: LocalFrame,
    queries: Floats,
    n_nearest: int,
    device: str | None = None,
) -> LocalNear | None:
    """A part's nearest cases, within bounds, of placed queries; None if it has none."""
    placed = _placed(part, frame)
    if not len(placed.rows):
        return None
    n_found = min(n_nearest, len(placed.rows))
    if device is None:
        near = _find(part, placed.search, queries, n_found, bounds)
    else:
        columns = placed.search.columns
        near = find_nearest_there(part, columns, frame.key, device, queries, n_found)
    cases, distances = near
    kths = distances[:, -1] if n_found == n_nearest else np.full(len(queries), np.inf)
    names = part.ids[placed.rows[cases]]
    return LocalNear(distances, placed.places[cases], names, cases, kths)


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
    given = frame, queries, n_nearest, device
    found = base.ask_in_turn(find_local, len(queries), *given)
    owners, chosen, distances = merge_local(found, n_nearest)
    here = [np.flatnonzero(owners.ravel() == p) for p in range(len(found))]
    wanted = [(frame, chosen.ravel()[own]) for own in here]
    parts = base.ask_each(read_local, wanted)
    order = np.argsort(np.concatenate(here))
    cases = [own for own, _ in parts]
    rows = np.concatenate([own for _, own in parts])[order]
    whole = LocalCases(*(np.concatenate(own) for own in zip(*cases, strict=True)))
    weights = whole.weights[order] if len(whole.weights) else whole.weights
    local = LocalCases(whole.regressors[order], whole.targets[order], weights)
    numbers = np.arange(owners.size).reshape(owners.shape)
    return Gathered(local, rows, Neighbors(numbers, distances))


def merge_local(
    found: Sequence[LocalNear | None], n_nearest: int
) -> tuple[Ints, Ints, Floats]:
    """The nearest of what parts have found, near to far, ties in canonical order.

    Returns
    -------
    owners, chosen : int64 arrays of shape (n_queries, n_nearest)
        The part of each, and its place there.
    distances : float64 array of shape (n_queries, n_nearest)
    """
    parts = [(p, own) for p, own in enumerate(found) if own is not None]
    distances = np.concatenate([own.distances for _, own in parts], axis=1)
    order = np.argsort(distances, axis=1, kind="stable")[:, : n_nearest + 1]
    near = np.take_along_axis(distances, order, axis=1)
    tied = np.flatnonzero((near[:, 1:] == near[:, :-1]).any(axis=1))
    order = order[:, :n_nearest]
    if len(tied):
        near_there = [own for _, own in parts]
        order[tied] = _order_tied(near_there, distances[tied], tied)[:, :n_nearest]
    sizes = [own.cases.shape[1] for _, own in parts]
    owners = np.repeat([p for p, _ in parts], sizes)[order]
    cases = np.concatenate([own.cases for _, own in parts], axis=1)
    chosen = np.take_along_axis(cases, order, axis=1)
    return owners, chosen, near[:, :n_nearest]


def _order_tied(parts: Sequence[LocalNear], distances: Floats, tied: Ints) -> Ints:
    """The order of what parts found for some queries, by distance, content and id."""
    places = np.concatenate([part.places[tied] for part in parts], axis=1)
    names = np.concatenate([part.names[tied] for part in parts], axis=1)
    ranks = np.unique(names.ravel(), return_inverse=True)[1].reshape(names.shape)
    return np.lexsort((ranks, places, distances))
