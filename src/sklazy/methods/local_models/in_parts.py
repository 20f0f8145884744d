"""Local regression among parts of the cases: neighbors are gathered, then fitted.

Every part finds its nearest cases. The nearest of these, ties in canonical order, are
the neighbors among all cases; their parts hand them out as the models see them, and the
same kernel on the same neighbors gives the same bits. Copies of a row are equally near,
so where cases tie, all that are as near settle the numbers of the copies.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.threads import run_chunks
from sklazy.casebase import CaseBase
from sklazy.casebase.canonical import number_copies, spread_copies
from sklazy.casebase.parted_head import PartedHead
from sklazy.casebase.rows import Ids
from sklazy.flow import LocalCases, Neighbors, Pools, Queries
from sklazy.methods.local_models.cuda import find_nearest_there
from sklazy.methods.local_models.placed_parts import LocalFrame, PlacedPart, place_part
from sklazy.methods.local_models.pools_in_parts import pool_parts
from sklazy.neighbors import TreeSearch

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_NANOSECONDS = 0.2  # that a cell takes in a search


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


class LocalWithin(NamedTuple):
    """A part's cases that are near enough to queries, in no order.

    Attributes
    ----------
    queries : int64 array of shape (n,)
        Which query each is near to.
    distances : float64 array of shape (n,)
    cases : int64 array of shape (n,)
        Where they stand among the cases of the part.
    places : uint64 array of shape (n,)
        Hashes of their content, or their numbers in order of arrival.
    names : array of shape (n,)
        Distinguish rows of equal content.
    """

    queries: Ints
    distances: Floats
    cases: Ints
    places: NDArray[np.uint64]
    names: Ids


def find_local(
    part: CaseBase,
    before: list[LocalNear | None],
    frame: LocalFrame,
    queries: Floats,
    n_nearest: int,
    device: str | None = None,
) -> list[LocalNear | None]:
    """A part's nearest cases of placed queries behind those before; None for none."""
    placed = place_part(part, frame)
    if not len(placed.rows):
        return [*before, None]
    n_found = min(n_nearest, len(placed.rows))
    bounds = _find_bounds(before, len(queries), n_nearest)
    near = _search(part, placed, frame, queries, n_found, bounds, device)
    return [*before, LocalNear(near.distances, near.rows)]


def _search(
    part: CaseBase,
    placed: PlacedPart,
    frame: LocalFrame,
    queries: Floats,
    n_found: int,
    bounds: Floats,
    device: str | None,
) -> Neighbors:
    """The nearest cases of a part, on a device if there is one."""
    if device is None:
        return _find(part, placed.search, queries, n_found, bounds)
    columns, key = placed.search.columns, frame.key
    return find_nearest_there(part, columns, key, device, queries, n_found)


def _find_bounds(
    before: Sequence[LocalNear | None], n_queries: int, n_nearest: int
) -> Floats:
    """How far the last neighbor is at most, by what other parts have found."""
    distances = [near.distances for near in before if near is not None]
    if sum(near.shape[1] for near in distances) < n_nearest:
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
        near = search.find(queries[here], n_found, bounds=bounds[here])
        rows[here], distances[here] = near

    cells = queries.size * part.n_rows
    run_chunks(run, len(queries), part.n_threads, _NANOSECONDS * cells)
    return Neighbors(rows, distances)


def read_local(
    part: CaseBase, wanted: tuple[LocalFrame, Ints]
) -> tuple[LocalCases, Ints]:
    """Some cases of a part, and their rows, numbered over all parts."""
    frame, chosen = wanted
    placed = place_part(part, frame)
    regressors, targets, weights = placed.cases
    chosen_weights = weights[chosen] if len(weights) else weights
    cases = LocalCases(regressors[chosen], targets[chosen], chosen_weights)
    return cases, placed.rows[chosen] + part.first_row


def find_within(
    part: CaseBase,
    frame: LocalFrame,
    queries: Floats,
    edges: Floats,
    n_nearest: int,
    device: str | None = None,
) -> LocalWithin:
    """All cases of a part that are no farther from queries than their edges."""
    placed = place_part(part, frame)
    n_rows, n_found, is_open = len(placed.rows), 0, True
    near = Neighbors(np.zeros((len(queries), 0), np.int64), np.zeros((len(queries), 0)))
    unbound = np.full(len(queries), np.inf)
    while n_found < n_rows and is_open:
        n_found = min(n_rows, max(2 * n_found, n_nearest + 1))
        near = _search(part, placed, frame, queries, n_found, unbound, device)
        is_open = bool((near.distances[:, -1] <= edges).any())
    query, column = np.nonzero(near.distances <= edges[:, None])
    cases = near.rows[query, column]
    rows = placed.rows[cases]
    return LocalWithin(
        query,
        near.distances[query, column],
        cases,
        placed.places[cases],
        part.tie_breakers()[rows],
    )


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
    pools : Pools, or None where no case is like another
    """

    cases: LocalCases
    rows: Ints
    neighbors: Neighbors
    pools: Pools | None


def gather_local(
    base: PartedHead,
    frame: LocalFrame,
    cells: Queries,
    queries: Floats,
    n_nearest: int,
    device: str | None = None,
) -> Gathered:
    """Find neighbors in every part, and fetch those that are nearest of all.

    Parameters
    ----------
    base : PartedHead
    frame : LocalFrame
    cells : Queries
    queries : float64 array of shape (n_queries, n_columns)
        The same, placed.
    n_nearest : int
    device : str, or None for the CPU
    """
    # One more than are wanted shows whether the last one is alone.
    told = base.ask_in_turn(find_local, frame, queries, n_nearest + 1, device)
    nothing = LocalNear(np.zeros((len(queries), 0)), np.zeros((len(queries), 0), int))
    near, distances, tied = merge_local(
        [nothing if listed is None else listed for listed in told], n_nearest
    )
    if len(tied):
        edges = distances[tied, -1]
        question = (frame, queries[tied], edges, n_nearest, device)
        settle_ties(near, tied, base.ask(find_within, *question))
    cases, rows = _fetch(base, frame, near)
    numbers, pools = np.arange(len(rows)).reshape(distances.shape), None
    if len(tied) and not frame.by_arrival:  # cases alike are equally near
        is_tied = np.isin(np.arange(len(queries)), tied)
        pools = pool_parts(base, frame, cells, is_tied, cases, near.owners, near.cases)
    return Gathered(cases, rows, Neighbors(numbers, distances), pools)


class PartedNearest(NamedTuple):
    """The nearest cases of all parts; the axes are queries and cases, near to far.

    Attributes
    ----------
    owners : int64 array
        The part of each.
    cases : int64 array
        Where they stand among the cases of the part.
    """

    owners: Ints
    cases: Ints


def merge_local(
    lists: Sequence[LocalNear], n_nearest: int
) -> tuple[PartedNearest, Floats, Ints]:
    """The nearest of what parts have found.

    Returns
    -------
    nearest : PartedNearest
    distances : float64 array of shape (n_queries, n_nearest)
    tied : int64 array
        The queries whose order is open, since cases are equally distant.
    """
    distances = np.concatenate([part.distances for part in lists], axis=1)
    cases = np.concatenate([part.cases for part in lists], axis=1)
    order = np.argsort(distances, axis=1, kind="stable")[:, : n_nearest + 1]
    near = np.take_along_axis(distances, order, axis=1)
    tied = np.flatnonzero((near[:, 1:] == near[:, :-1]).any(axis=1))
    order = order[:, :n_nearest]
    owners = np.repeat(np.arange(len(lists)), [part.cases.shape[1] for part in lists])
    nearest = PartedNearest(owners[order], np.take_along_axis(cases, order, axis=1))
    return nearest, near[:, :n_nearest], tied


def settle_ties(
    nearest: PartedNearest, tied: Ints, within: Sequence[LocalWithin]
) -> None:
    """Order the cases of some queries by distance, and ties as in one place.

    Parameters
    ----------
    nearest : PartedNearest
        Changed for these queries.
    tied : int64 array
    within : sequence of LocalWithin
        All cases of each part that are near enough.
    """
    some = [part for part in within if len(part.cases)]
    queries, distances, cases, places, names = (
        np.concatenate(column) for column in zip(*some, strict=True)
    )
    sizes = [len(part.cases) for part in within]
    owners = np.repeat(np.arange(len(within)), sizes)
    ranks = np.unique(names, return_inverse=True)[1]
    by_content = np.lexsort((ranks, places, queries))
    for query, rows in zip(tied, _split(by_content, queries, len(tied)), strict=True):
        keys = spread_copies(places[rows], number_copies(places[rows]))
        chosen = rows[np.lexsort((keys, distances[rows]))[: nearest.cases.shape[1]]]
        nearest.owners[query], nearest.cases[query] = owners[chosen], cases[chosen]


def _split(order: Ints, queries: Ints, n_queries: int) -> list[Ints]:
    """Cut an order by queries where these change."""
    return np.split(
        order, np.searchsorted(queries[order], np.arange(1, n_queries), side="left")
    )


def _fetch(
    base: PartedHead, frame: LocalFrame, near: PartedNearest
) -> tuple[LocalCases, Ints]:
    """Cases of parts, and their rows."""
    owners, chosen = near.owners.ravel(), near.cases.ravel()
    here = [np.flatnonzero(owners == p) for p in range(len(base.sizes))]
    told = base.ask_each(read_local, [(frame, chosen[there]) for there in here])
    whole = [np.empty((len(chosen), *array.shape[1:])) for array in told[0][0]]
    rows = np.empty(len(chosen), np.int64)
    for places, (local, numbers) in zip(here, told, strict=True):
        rows[places] = numbers
        for to, array in zip(whole, local, strict=True):
            if len(array):
                to[places] = array
    weights = whole[2] if frame.weight_unit else np.zeros(0)
    return LocalCases(whole[0], whole[1], weights), rows
