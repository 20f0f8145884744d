"""The nearest cases in order, on a device; see `sklazy.neighbors.nearest`."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError
from sklazy.flow import Columns, Neighbors
from sklazy.kernels.columns import METRICS, NOMINAL, NUMERIC, metric_of
from sklazy.kernels.cuda.device import THREADS, Device, DeviceArray, pad_rows, spread
from sklazy.neighbors.cuda.lists import (
    Asked,
    FirstPass,
    ListedColumns,
    Lists,
    pad_columns,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class PlacedColumns(NamedTuple):
    """Columns on a device, twice: for the first pass and as they are.

    Attributes
    ----------
    listed : ListedColumns
        Numbers times the root of their weight.
    columns : Columns
        On the host.
    values : float64 array of shape (n_columns, n_rows)
    weights, absents : float64 arrays of shape (n_columns,)
    roots : float64 array of shape (n_columns,)
        The factors of cells in the first pass.
    reaches : float64 array of shape (n_columns,)
        The largest of them there; -1 for codes.
    """

    listed: ListedColumns
    columns: Columns
    values: DeviceArray
    weights: DeviceArray
    absents: DeviceArray
    roots: DeviceArray
    reaches: DeviceArray


def count_placed_bytes(columns: Columns) -> float:
    """Bytes of a row on a device: cells in float32 and float64, and its group."""
    return 12.0 * len(columns.kinds) + 8.0


def put_placed(device: Device, columns: Columns) -> PlacedColumns:
    """Copy columns to a device, if it has their metric."""
    norm = _check_metric(columns.metric)
    values, is_nominal = columns.values, columns.kinds == NOMINAL
    roots = np.where(is_nominal, 1.0, columns.weights ** (1.0 / norm))
    apart = np.abs(columns.absents) ** norm
    scaled = np.empty(values.shape, np.float32)
    with np.errstate(over="ignore"):
        np.multiply(
            values, roots[:, None], out=scaled, dtype=np.float64, casting="unsafe"
        )
        amounts = (columns.weights * apart).astype(np.float32)
    largest = np.fmax.reduce(values, axis=1, initial=0.0)
    largest = np.maximum(largest, -np.fmin.reduce(values, axis=1, initial=0.0))
    reaches = np.where(is_nominal, -1.0, largest * roots)
    kinds = device.put(columns.kinds.astype(np.int32))
    padded = pad_columns(device, scaled)
    found = PlacedColumns(
        ListedColumns(device, values.shape[1], padded, kinds, device.put(amounts)),
        columns,
        pad_rows(device, values),
        device.put(columns.weights),
        device.put(columns.absents),
        device.put(roots),
        device.put(reaches),
    )
    device.wait()
    return found


def _check_metric(code: int) -> int:
    """Return the norm of a metric; raise where devices do not have it."""
    metric = metric_of(code)
    if metric.norm is None or not metric.on_device:
        names = " or ".join(repr(m.name) for m in METRICS.values() if m.on_device)
        raise BadInputError(
            f"metric={metric.name!r} is not available on a device; expected {names}, "
            "or device=None, which searches on the CPU."
        )
    return metric.norm


def find_nearest_on(
    cases: PlacedColumns,
    queries: Floats,
    n_nearest: int,
    *,
    groups: tuple[Ints, Ints] | None = None,
) -> Neighbors:
    """`find_nearest` on a device: the same rows, the same distances.

    Parameters
    ----------
    cases : PlacedColumns
    queries, n_nearest, groups
        As in `find_nearest`.
    """
    device = cases.listed.device
    row_groups = None if groups is None else device.put(groups[0])
    first_pass = FirstPass(
        cases.listed,
        own=False,
        norm=_check_metric(cases.columns.metric),
        hide=0 if groups is None else 2,
        groups=row_groups,
    )
    step = first_pass.queries_at_once(n_nearest)
    parts = []
    for begin in range(0, max(1, len(queries)), step):
        own = None if groups is None else groups[1][begin : begin + step]
        asked = _ask(cases, first_pass, queries[begin : begin + step], own)
        parts.append(_find(cases, first_pass, asked, n_nearest))
    if len(parts) == 1:
        return parts[0]
    return Neighbors(*map(np.concatenate, zip(*parts, strict=True)))


def merge_nearest(
    pieces: Sequence[Neighbors], starts: Sequence[int], n_nearest: int
) -> Neighbors:
    """The nearest rows of all, from those of pieces that lie one behind the other."""
    distances = np.concatenate([piece.distances for piece in pieces], axis=1)
    numbered = zip(pieces, starts, strict=True)
    found = [np.where(own.rows < 0, -1, own.rows + start) for own, start in numbered]
    rows = np.concatenate(found, axis=1)
    order = np.argsort(distances, axis=1, kind="stable")[:, :n_nearest]
    return Neighbors(
        np.take_along_axis(rows, order, axis=1),
        np.take_along_axis(distances, order, axis=1),
    )


def _find(
    cases: PlacedColumns, first_pass: FirstPass, asked: Asked, k: int
) -> Neighbors:
    """The k nearest of some queries; those with long lists come last."""
    found: Neighbors | None = None
    for numbers, part, lists in first_pass.run(asked, k):
        own = _arrange(cases, first_pass, part, lists, k)
        if found is None:
            found = own
        else:
            found.rows[numbers], found.distances[numbers] = own
    assert found is not None
    return found


def _ask(
    cases: PlacedColumns, first_pass: FirstPass, queries: Floats, groups: Ints | None
) -> Asked:
    """Put queries on the device; all of them have the same columns."""
    device, (n_queries, n_columns) = cases.listed.device, queries.shape
    plain = (cases.columns.kinds == NUMERIC) & ~np.isnan(queries).any(axis=0)
    order = np.argsort(~plain, kind="stable").astype(np.int32)
    ends = np.full((1, 2), plain.sum(), np.int32)
    placed, slacks = device.put(queries), device.empty(n_queries, np.float64)
    targets = device.empty((n_queries, n_columns), np.float32)
    places = device.put(order[None])
    first_pass.kernels.run(
        "plan_all_columns",
        spread(n_queries, THREADS),
        THREADS,
        placed,
        n_columns,
        places,
        cases.roots,
        cases.reaches,
        n_queries,
        targets,
        slacks,
    )
    hidden = slacks if groups is None else device.put(groups)
    return Asked(places, targets, device.put(ends), slacks, slacks, hidden, (placed,))


def _arrange(
    cases: PlacedColumns, first_pass: FirstPass, asked: Asked, lists: Lists, k: int
) -> Neighbors:
    """The k nearest of the rows listed."""
    device, (placed,) = cases.listed.device, asked.exact
    n_queries, n_columns = placed.shape
    grid = spread(n_queries, THREADS // device.lanes)
    measured = device.empty((n_queries, lists.capacity), np.float64)
    first_pass.kernels.run(
        "measure_all_columns",
        grid,
        THREADS,
        cases.values,
        np.int64(cases.values.shape[1]),
        n_columns,
        cases.listed.kinds,
        cases.weights,
        cases.absents,
        placed,
        n_queries,
        lists.capacity,
        lists.counts,
        lists.rows,
        measured,
    )
    rows = device.empty((n_queries, k), np.int64)
    distances = device.empty((n_queries, k), np.float64)
    first_pass.kernels.run(
        "arrange",
        grid,
        THREADS,
        lists.counts,
        lists.rows,
        measured,
        lists.capacity,
        k,
        n_queries,
        device.empty((n_queries, k), np.int32),
        rows,
        distances,
    )
    return Neighbors(device.fetch(rows), device.fetch(distances))
