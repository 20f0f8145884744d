"""Lists of the rows that may be near: the first pass of every search on numbers.

It is as exact as `sklazy.kernels.mixed` and for the same reason: a float32 sum is off
by no more than a bound that is known, and what lies within it is measured again.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.cuda.device import (
    THREADS,
    Device,
    DeviceArray,
    Kernels,
    pad_rows,
    spread,
)
from sklazy.neighbors.cuda.weighted import cut_by_size

Ints = NDArray[np.int64]

PADDING = 32  # rows per lane that columns are filled up to

_OWN_THREADS, _COMMON_THREADS = 512, 256  # tried on an H200
_BLOCKS = 12  # per processor
_FIRST_SAMPLE = 2048  # rows; each further sample has eight times as many
_GROWTH = 8
_MOST_BYTES = 1 << 29  # of lists
_BYTES_PER_ROW = 16  # of a list: row, sum and distance


class ListedColumns(NamedTuple):
    """Columns on a device, as the first pass reads them.

    Attributes
    ----------
    device : Device
    n_rows : int
    columns : float32 array of shape (n_columns, stride), filled up with zeros
    kinds : int32 array of shape (n_columns,)
    amounts : float32 array of shape (n_columns,)
        The term of a missing cell or another code.
    """

    device: Device
    n_rows: int
    columns: DeviceArray
    kinds: DeviceArray
    amounts: DeviceArray


class Asked(NamedTuple):
    """Queries on a device; the first axis of every array is the query.

    Attributes
    ----------
    places : int32 array of shape (n_queries, n_most)
        Columns, plain ones first.
    targets : float32 array of shape (n_queries, n_most)
        The query's value in each.
    ends : int32 array of shape (n_queries, 2)
        Behind the last plain column, and the first of the others.
    constants : float32 array of shape (n_queries,)
        The sum of the terms of columns without a value.
    slacks : float64 array of shape (n_queries,)
        How far float32 differences can be off.
    hidden : int64 array of shape (n_queries,)
        The row, or the group of rows, that a query does not see.
    exact : tuple of arrays
        Input of the second pass.
    """

    places: DeviceArray
    targets: DeviceArray
    ends: DeviceArray
    constants: DeviceArray
    slacks: DeviceArray
    hidden: DeviceArray
    exact: tuple[DeviceArray, ...]

    def take(self, queries: DeviceArray) -> "Asked":
        """Some of the queries, by number."""
        n_queries = len(self.targets)  # columns may be those of all queries
        own = [a[queries] if len(a) == n_queries else a for a in self[:-1]]
        return Asked._make([*own, tuple(array[queries] for array in self.exact)])


class Lists(NamedTuple):
    """Rows that may be near some queries, and how many there are of each.

    Attributes
    ----------
    capacity : int
    counts : int32 array of shape (n_queries,)
    rows : int32 array of shape (n_queries, capacity)
    """

    capacity: int
    counts: DeviceArray
    rows: DeviceArray


class FirstPass:
    """Lists rows for queries.

    Parameters
    ----------
    cases : ListedColumns
    own : bool
        Whether every query has columns of its own.
    norm : {1, 2}
        The power of differences that is added.
    hide : {0, 1, 2}
        Whether a query does not see one row (1) or its group of rows (2).
    groups : int64 array of shape (n_rows,), optional
        The rows' groups, on the device.
    """

    def __init__(
        self,
        cases: ListedColumns,
        *,
        own: bool,
        norm: int = 2,
        hide: int = 0,
        groups: DeviceArray = None,
    ) -> None:
        self.cases, self.own, self.groups = cases, own, groups
        self.tile, macros = _choose_tile(cases.device, len(cases.kinds), own)
        self.shared = macros["SHARED"] * self.tile * len(cases.kinds) * 4
        self.per_warp = macros["QUERIES"]
        self.threads = _OWN_THREADS if own else _COMMON_THREADS
        self.kernels: Kernels = cases.device.compile(
            "nearest.cu", OWN=int(own), NORM=norm, HIDE=hide, **macros
        )

    def queries_at_once(self, k: int) -> int:
        """Queries whose lists fit the memory that is set aside for them."""
        return max(1, _MOST_BYTES // (_BYTES_PER_ROW * self._capacity(k)))

    def run(self, asked: Asked, k: int) -> Iterator[tuple[Ints, Asked, Lists]]:
        """List the rows that may be among the k nearest, or tie with the k-th.

        Yields numbers of queries, these queries, and their lists: all of them, then
        once more those whose lists were too short.
        """
        limits, lists = self._lower_limits(asked, k)
        every = np.arange(len(asked.targets))
        yield every, asked, lists
        counts = self.cases.device.fetch(lists.counts)
        long = np.flatnonzero(counts > lists.capacity)
        for begin, end in cut_by_size(counts[long] * _BYTES_PER_ROW, _MOST_BYTES):
            queries = long[begin:end]
            numbers = self.cases.device.put(queries)
            own, capacity = asked.take(numbers), int(counts[queries].max())
            sampled = self._n_tiles
            again, _ = self._list(own, limits[numbers], capacity, sampled)
            yield queries, own, again

    def _lower_limits(self, asked: Asked, k: int) -> tuple[DeviceArray, Lists]:
        """Limits from ever larger samples, and lists of all rows within the last."""
        device, n_queries = self.cases.device, len(asked.targets)
        limits = device.put(np.full(n_queries, np.inf, np.float32))
        capacity, sampled = self._capacity(k), self._first_sample(k)
        while 2 * sampled < self._n_tiles:
            lists, sums = self._list(asked, limits, capacity, sampled)
            self.kernels.run(
                "lower_limits",
                spread(n_queries, THREADS // device.lanes),
                THREADS,
                lists.counts,
                sums,
                capacity,
                k,
                asked.targets.shape[1],
                asked.slacks,
                n_queries,
                limits,
            )
            sampled *= _GROWTH
        return limits, self._list(asked, limits, capacity, self._n_tiles)[0]

    def _list(
        self, asked: Asked, limits: DeviceArray, capacity: int, sampled: int
    ) -> tuple[Lists, DeviceArray]:
        """List the rows within limits, in `sampled` tiles; and their sums."""
        cases, n_queries = self.cases, len(asked.targets)
        counts = cases.device.zeros(n_queries, np.int32)
        rows = cases.device.empty((n_queries, capacity), np.int32)
        sums = cases.device.empty((n_queries, capacity), np.float32)
        self.kernels.run(
            "list_near",
            self._grid(n_queries, sampled),
            self.threads,
            cases.columns,
            np.int64(cases.columns.shape[1]),
            len(cases.kinds),
            cases.kinds,
            cases.amounts,
            asked.places,
            asked.targets,
            asked.targets.shape[1],
            asked.ends,
            asked.constants,
            limits,
            asked.hidden,
            asked.hidden if self.groups is None else self.groups,
            cases.n_rows,
            self._n_tiles,
            sampled,
            n_queries,
            capacity,
            counts,
            rows,
            sums,
            shared=self.shared,
        )
        return Lists(capacity, counts, rows), sums

    @property
    def _n_tiles(self) -> int:
        return -(-self.cases.n_rows // self.tile)

    def _first_sample(self, k: int) -> int:
        """Tiles whose rows are all listed."""
        return -(-max(_FIRST_SAMPLE, 4 * k) // self.tile)

    def _capacity(self, k: int) -> int:
        """Room for the first sample, and twice what a further one is likely to list."""
        room = max(self._first_sample(k) * self.tile, 2 * _GROWTH * k + 512)
        return min(room, self._n_tiles * self.tile)

    def _grid(self, n_queries: int, n_tiles: int) -> tuple[int, int]:
        """Blocks for every tile; few tiles are shared by several blocks."""
        device = self.cases.device
        n_warps = self.threads // device.lanes
        wanted = -(-_BLOCKS * device.processors // n_tiles)
        most = max(1, n_queries // (2 * n_warps * self.per_warp))
        return n_tiles, min(wanted, most)


def pad_columns(device: Device, columns: NDArray[np.float32]) -> DeviceArray:
    """Put columns on a device, filled up to whole tiles."""
    return pad_rows(device, columns, device.lanes * PADDING)


def _choose_tile(
    device: Device, n_columns: int, own: bool
) -> tuple[int, dict[str, int]]:
    """Rows of a tile, two of which fit shared memory, and what else is compiled in."""
    per_lane, queries = (PADDING, 1) if own else (8, 8)
    rows = PADDING
    while rows > 4 and 8 * n_columns * rows * device.lanes > device.shared_bytes:
        rows //= 2
    shared = 4 * n_columns * rows * device.lanes <= device.shared_bytes
    rows = rows if shared else 8
    macros = {"QUERIES": queries, "PER_LANE": min(per_lane, rows)}
    macros |= {"ROWS": rows * device.lanes, "SHARED": int(shared)}
    return rows * device.lanes, macros
