"""Nearest neighbors by the HEOM difference, on a device; see `neighbors.mixed`."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Cases, Queries, Selected
from sklazy.kernels.cuda.device import THREADS, Device, DeviceArray, pad_rows, spread
from sklazy.neighbors.cuda.lists import (
    Asked,
    FirstPass,
    ListedColumns,
    Lists,
    pad_columns,
)
from sklazy.neighbors.cuda.sets import put_codes
from sklazy.neighbors.cuda.weighted import Voters
from sklazy.neighbors.levels import list_rows
from sklazy.neighbors.mixed import MixedSearch, ScaledColumns
from sklazy.neighbors.voting import weigh_rows

Ints = NDArray[np.int64]


class DeviceColumns(NamedTuple):
    """The cases on a device, twice: for the first pass and as they are.

    Attributes
    ----------
    cases : Cases
    columns : ScaledColumns
        Both on the host.
    listed : ListedColumns
    lows, widths : float64 arrays of shape (n_attributes,)
    codes : int32 array of shape (n_nominal, n_rows)
    numbers : float64 array of shape (n_numeric, n_rows)
    nominal, numeric : int32 arrays of shape (n_attributes,)
        The rows of an attribute in these, -1 for none.
    classes : int32 array of shape (n_rows,)
    """

    cases: Cases
    columns: ScaledColumns
    listed: ListedColumns
    lows: DeviceArray
    widths: DeviceArray
    codes: DeviceArray
    numbers: DeviceArray
    nominal: DeviceArray
    numeric: DeviceArray
    classes: DeviceArray


def count_column_bytes(cases: Cases) -> float:
    """Bytes of a row on a device: cells in float32, as they are, and its class."""
    n_attributes, n_numeric = len(cases.numeric), len(cases.numbers)
    return 4.0 * (n_attributes + (n_attributes - n_numeric) + 2 * n_numeric + 1)


def put_columns(device: Device, cases: Cases, columns: ScaledColumns) -> DeviceColumns:
    """Copy the cases to a device."""
    n_rows, is_nominal = cases.n_rows, cases.numeric < 0
    nominal = np.where(is_nominal, np.cumsum(is_nominal) - 1, -1)
    listed = ListedColumns(
        device,
        n_rows,
        pad_columns(device, columns.scaled[:, :n_rows]),
        device.put(columns.kinds.astype(np.int32)),
        device.put(np.ones(len(nominal), np.float32)),
    )
    found = DeviceColumns(
        cases,
        columns,
        listed,
        device.put(columns.lows),
        device.put(columns.widths),
        put_codes(device, cases.codes.kept[is_nominal, :n_rows]),
        pad_rows(device, cases.numbers[:, :n_rows]),
        device.put(nominal.astype(np.int32)),
        device.put(cases.numeric.astype(np.int32)),
        put_codes(device, cases.classes.kept[:n_rows]),
    )
    device.wait()
    return found


class Elected(NamedTuple):
    """Results of the second pass, on the device.

    Attributes
    ----------
    distances : float64 array of shape (n_queries, capacity)
        Squares, of the rows listed.
    kths : float64 array of shape (n_queries,)
        The k-th smallest, infinite if there are fewer.
    votes, tied : int32 arrays of shape (n_queries, n_classes)
    """

    distances: DeviceArray
    kths: DeviceArray
    votes: DeviceArray
    tied: DeviceArray


class DeviceMixedSearch(MixedSearch):
    """`MixedSearch` on a device: the same votes.

    Parameters
    ----------
    on_device : DeviceColumns
    queries, selected, n_neighbors, excluded, by_distance, own_widths
        As in `MixedSearch`.
    """

    def __init__(
        self,
        on_device: DeviceColumns,
        queries: Queries,
        selected: Selected,
        n_neighbors: int,
        excluded: Ints | None = None,
        *,
        by_distance: bool = False,
        own_widths: dict[int, NDArray[np.float64]] | None = None,
    ) -> None:
        asked = *on_device[:2], queries, selected, n_neighbors, excluded
        super().__init__(*asked, by_distance=by_distance, own_widths=own_widths)
        self.on_device = on_device
        hide = int(excluded is not None)
        self.first_pass = FirstPass(on_device.listed, own=True, hide=hide)

    @property
    def device(self) -> Device:
        """Where the cases are."""
        return self.on_device.listed.device

    def run(self, first: int, last: int) -> None:
        """Answer the queries ``first..last - 1``."""
        device = self.device
        lane = device.beside()
        with lane:
            for part in self._parts(first, last):
                for queries, asked, lists in self._list(part):
                    elected = self._elect(asked, lists)
                    self.votes[part.start + queries] = device.fetch(elected.votes)
                    self.tied[part.start + queries] = device.fetch(elected.tied)
                    self._note_nearer(part.start + queries, lists, elected)
        lane.leave()
        self._measure_apart(first, last)  # a row that shapes a range is left out

    def _note_nearer(self, queries: Ints, lists: Lists, elected: Elected) -> None:
        """List the rows nearer than the k-th, or weigh them, if that is asked for.

        Queries whose lists are too short come once more.
        """
        if self.weighted is None and not len(self.near):
            return
        device, distances = self.device, elected.distances
        places = device.put(np.arange(lists.capacity, dtype=np.int32))
        nearer = (places < lists.counts[:, None]) & (distances < elected.kths[:, None])
        found = nearer.nonzero()[0], lists.rows[nearer], distances[nearer]
        numbers, rows, squares, kths = map(device.fetch, (*found, elected.kths))
        classes = self.cases.classes[rows]
        if self.weighted is not None:
            self.weighted[queries] = weigh_rows(
                numbers, squares, classes, kths, self.votes.shape[1]
            )
        if len(self.near):
            shape = len(queries), self.near.shape[1]
            self.near[queries] = list_rows(shape, numbers, squares, classes)
            self.kths[queries] = kths

    def voters(self, first: int, last: int) -> Iterator[Voters]:
        """The rows that vote for each query, in no order.

        A query may come twice; the second time counts.
        """
        fetch = self.device.fetch
        for part in self._parts(first, last):
            for queries, asked, lists in self._list(part):
                distances, kths, *_ = map(fetch, self._elect(asked, lists))
                rows, counts = fetch(lists.rows), fetch(lists.counts)
                for i in np.flatnonzero(counts <= lists.capacity).tolist():
                    own = distances[i, : counts[i]]
                    near = np.flatnonzero((own <= kths[i]) & np.isfinite(own))
                    number = part.start + int(queries[i])
                    yield Voters(number, rows[i, near], own[near])
        for query in self.own_widths:
            if first <= query < last:
                squares = self.measure(np.array([query]))[0]
                rows = np.flatnonzero(np.isfinite(squares))
                yield Voters(query, rows, squares[rows])

    def _parts(self, first: int, last: int) -> Iterator[slice]:
        step = self.first_pass.queries_at_once(self._k)
        for begin in range(first, last, step):
            yield slice(begin, min(last, begin + step))

    @property
    def _k(self) -> int:
        """The neighbors asked for, no more than there are rows."""
        return min(self.n_neighbors, self.cases.n_rows)

    def _list(self, part: slice) -> Iterator[tuple[Ints, Asked, Lists]]:
        return self.first_pass.run(self._ask(part), self._k)

    def _ask(self, part: slice) -> Asked:
        """Put queries on the device, their columns lined up."""
        cases, device = self.on_device, self.device
        own = (self.queries.codes, self.queries.values, *self.selected, self.excluded)
        codes, values, attributes, counts, hidden = [
            device.put(np.ascontiguousarray(array[part])) for array in own
        ]
        n_queries, n_most = attributes.shape
        asked = Asked(
            device.zeros((n_queries, n_most), np.int32),
            device.zeros((n_queries, n_most), np.float32),
            device.empty((n_queries, 2), np.int32),
            device.empty(n_queries, np.float32),
            device.empty(n_queries, np.float64),
            hidden,
            (codes, values, attributes, counts),
        )
        self.first_pass.kernels.run(
            "plan_own_columns",
            spread(n_queries, THREADS),
            THREADS,
            codes,
            values,
            codes.shape[1],
            attributes,
            counts,
            n_most,
            cases.listed.kinds,
            cases.lows,
            cases.widths,
            n_queries,
            *asked[:5],
        )
        return asked

    def _elect(self, asked: Asked, lists: Lists) -> Elected:
        """Measure the rows listed, and let the nearest vote."""
        cases, device = self.on_device, self.device
        codes, values, attributes, counts = asked.exact
        n_queries, n_classes = len(codes), self.votes.shape[1]
        grid = spread(n_queries, THREADS // device.lanes)
        distances = device.empty((n_queries, lists.capacity), np.float64)
        kths = device.empty(n_queries, np.float64)
        votes = device.zeros((n_queries, n_classes), np.int32)
        tied = device.zeros((n_queries, n_classes), np.int32)
        self.first_pass.kernels.run(
            "measure_own_columns",
            grid,
            THREADS,
            codes,
            values,
            codes.shape[1],
            attributes,
            counts,
            attributes.shape[1],
            cases.codes,
            cases.nominal,
            cases.numbers,
            cases.numeric,
            cases.widths,
            np.int64(cases.listed.n_rows),
            n_queries,
            lists.capacity,
            lists.counts,
            lists.rows,
            distances,
        )
        self.first_pass.kernels.run(
            "elect",
            grid,
            THREADS,
            lists.counts,
            lists.rows,
            distances,
            lists.capacity,
            min(self.n_neighbors, self.cases.n_rows + 1),
            cases.classes,
            n_queries,
            n_classes,
            kths,
            votes,
            tied,
        )
        return Elected(distances, kths, votes, tied)
