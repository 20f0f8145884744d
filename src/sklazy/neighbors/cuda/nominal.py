"""Nearest neighbors by agreement, on a device; see `sklazy.neighbors.nominal`."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Selected
from sklazy.kernels.cuda.device import DeviceArray, Kernels, Lane
from sklazy.kernels.votes import weigh_all_levels
from sklazy.neighbors.cuda.sets import WORDS, DeviceRanks, DeviceSets
from sklazy.neighbors.cuda.weighted import Voters, cut_by_size

Ints = NDArray[np.int64]

_GROUP = 7  # sets that are added at once
_THREADS, _MATCH_THREADS = 256, 384
_MOST_BYTES = 1 << 28  # of counters, and of sets made for a part of the queries
_WORTH_SHARING = 64  # queries that read a tile of all sets, rather than their own
_BLOCKS = 24  # per processor: several rounds of what fits, so that all end together


class _Part(NamedTuple):
    """Some queries of a batch, on the device with all that they point at."""

    queries: slice
    kernels: Kernels
    bits: DeviceArray
    sets: DeviceArray
    excluded: DeviceArray


class _Begun(NamedTuple):
    """What will be found for some queries, as `decide` of the kernels writes it."""

    queries: slice
    found: DeviceArray
    levels: DeviceArray | None


def _spread(n_items: int, per_block: int) -> tuple[int, int]:
    """Blocks for so many items."""
    return max(1, min(-(-n_items // per_block), 1 << 16)), 1


class DeviceNominalSearch:
    """`NominalSearch` on a device: the same arguments, the same answers.

    Parameters
    ----------
    sets : DeviceSets
    codes, n_neighbors, excluded
        As in `NominalSearch`.
    selected : Selected or DeviceRanks
        The attributes of each query, or what they are chosen by.
    by_distance : bool
        Whether to weigh votes by distance.

    Attributes
    ----------
    votes, thresholds, tied, weighted
        As in `NominalSearch`, counts in 32 bits; fetched from the device when asked
        for.
    """

    def __init__(
        self,
        sets: DeviceSets,
        codes: NDArray[np.int32],
        selected: Selected | DeviceRanks,
        n_neighbors: int,
        excluded: Ints | None = None,
        *,
        by_distance: bool = False,
    ) -> None:
        self.sets, self.codes, self.selected = sets, codes, selected
        self.n_neighbors, self.excluded = n_neighbors, excluded
        self.by_distance = by_distance
        self._n_classes = sets.class_bits.shape[0]
        self._found = np.zeros((0, 2 * self._n_classes + 1), np.int32)
        shape = len(codes) * by_distance, self._n_most + 1, self._n_classes
        self._levels = np.zeros(shape, np.int32)
        self._under_way: list[tuple[Lane, list[_Begun]]] = []

    @property
    def votes(self) -> NDArray[np.int32]:
        """Votes of the rows at or above the threshold."""
        return self._collect()[:, : self._n_classes]

    @property
    def tied(self) -> NDArray[np.int32]:
        """Votes of the rows at the threshold."""
        return self._collect()[:, self._n_classes : -1]

    @property
    def thresholds(self) -> NDArray[np.int32]:
        """On how many attributes the k-th neighbor agrees."""
        return self._collect()[:, -1]

    @property
    def weighted(self) -> NDArray[np.float64] | None:
        """Votes of the nearer rows, weighed by distance, and a tied one's weight."""
        if not self.by_distance:
            return None
        thresholds = self.thresholds
        weighted = np.zeros((len(thresholds), self._n_classes + 1))
        weigh_all_levels(self._levels, thresholds, self._counts, weighted)
        return weighted

    @property
    def _counts(self) -> NDArray[np.int32]:
        """How many attributes each query uses."""
        if isinstance(self.selected, Selected):
            return self.selected.counts
        return np.full(len(self.codes), self.selected.n_most, np.int32)

    @property
    def _n_most(self) -> int:
        if isinstance(self.selected, DeviceRanks):
            return self.selected.n_most
        return self.selected.attributes.shape[1]

    def run(self, first: int, last: int) -> None:
        """Begin to answer the queries ``first..last - 1``."""
        lane = self.sets.device.beside()
        with lane:
            found = [self._match(part) for part in self._parts(first, last)]
        self._under_way.append((lane, found))

    def _collect(self) -> NDArray[np.int32]:
        """What was found for all queries that were run."""
        while self._under_way:
            lane, parts = self._under_way.pop(0)
            with lane:
                for begun in parts:
                    self._finish(begun)
            lane.leave()
        return self._found

    def _finish(self, begun: _Begun) -> None:
        """Fetch what was found for some queries."""
        fetch = self.sets.device.fetch
        self._keep(begun.queries, fetch(begun.found))
        if begun.levels is not None:
            self._levels[begun.queries] = fetch(begun.levels)

    def _keep(self, queries: slice, found: NDArray[np.int32]) -> None:
        """Write down what was found for some queries; for all of them, as it is."""
        if len(found) == len(self.codes):
            self._found = found
            return
        if not len(self._found):
            self._found = np.zeros((len(self.codes), found.shape[1]), np.int32)
        self._found[queries] = found

    def voters(self, first: int, last: int) -> Iterator[Voters]:
        """The rows that vote for each query, run before, in no order."""
        for part in self._parts(first, last):
            self._finish(self._match(part))
            yield from self._list(part)

    def _match(self, part: _Part) -> _Begun:
        """Begin to answer a part."""
        device, n_classes = self.sets.device, self._n_classes
        n_queries, n_levels = len(part.sets), self._n_most + 1
        k = min(self.n_neighbors, 2**31 - 1)
        bounds = device.empty(n_queries, np.int32)
        tied = device.zeros((n_queries, n_classes), np.int32)
        levels = device.zeros((n_queries, n_levels, n_classes), np.int32)
        found = device.empty((n_queries, 2 * n_classes + 1), np.int32)
        stride = np.int64(part.bits.shape[1])
        part.kernels.run(
            "bound_levels",
            _spread(n_queries, _THREADS // device.lanes),
            _THREADS,
            part.bits,
            self.sets.live,
            part.sets,
            self._leaves_out,
            part.excluded,
            stride,
            n_queries,
            k,
            bounds,
        )
        part.kernels.run(
            "match",
            self._grid(part),
            _MATCH_THREADS,
            part.bits,
            self.sets.class_bits,
            self.sets.live,
            self.sets.classes,
            part.sets,
            bounds,
            self._leaves_out,
            part.excluded,
            len(part.bits),
            stride,
            n_queries,
            n_levels,
            tied,
            levels,
            shared=self._shared_bytes(part),
        )
        part.kernels.run(
            "decide",
            _spread(n_queries, _THREADS),
            _THREADS,
            bounds,
            tied,
            levels,
            n_queries,
            n_levels,
            k,
            found,
        )
        return _Begun(part.queries, found, levels if self.by_distance else None)

    def _list(self, part: _Part) -> Iterator[Voters]:
        """The voters of the queries of a part, so many at once as fit."""
        assert isinstance(self.selected, Selected)
        counts_used = self.selected.counts
        counts = self.votes[part.queries].sum(axis=1, dtype=np.int64)
        for begin, end in cut_by_size(counts, _MOST_BYTES // 8):
            starts = np.concatenate([[0], np.cumsum(counts[begin:end])])
            rows, agreeing = self._list_some(part, begin, end, starts)
            for i, query in enumerate(range(begin, end)):
                own = slice(starts[i], starts[i + 1])
                number = part.queries.start + query
                used = int(counts_used[number])
                yield Voters(number, rows[own], (used - agreeing[own]).astype(float))

    def _list_some(
        self, part: _Part, begin: int, end: int, starts: Ints
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        device, n_queries = self.sets.device, end - begin
        levels = self.thresholds[part.queries][begin:end].astype(np.int32)
        rows = device.empty(max(1, int(starts[-1])), np.int32)
        agreeing = device.empty(max(1, int(starts[-1])), np.int32)
        part.kernels.run(
            "list_voters",
            self._grid(part),
            _MATCH_THREADS,
            part.bits,
            self.sets.live,
            part.sets[begin:end],
            device.put(levels),
            self._leaves_out,
            part.excluded[begin:end],
            np.int64(part.bits.shape[1]),
            n_queries,
            device.put(starts),
            device.zeros(n_queries, np.int32),
            rows,
            agreeing,
        )
        return device.fetch(rows), device.fetch(agreeing)

    @property
    def _leaves_out(self) -> int:
        return int(self.excluded is not None)

    def _parts(self, first: int, last: int) -> Iterator[_Part]:
        """The queries in parts whose counters, and further sets, fit."""
        sets = self.sets
        per_query = 4 * (self._n_most + 16) * max(1, self._n_classes)
        per_query += len(sets.wide) * 8 * int(sets.bits.shape[1])
        step = max(1, _MOST_BYTES // per_query)
        for begin in range(first, last, step):
            yield self._make_part(slice(begin, min(last, begin + step)))

    def _make_part(self, queries: slice) -> _Part:
        """Put queries on the device and let them point at their sets."""
        sets, device = self.sets, self.sets.device
        codes = np.ascontiguousarray(self.codes[queries])
        excluded = None if self.excluded is None else self.excluded[queries]
        bits, set_of_value = self._add_sets(codes)
        groups = max(1, -(-self._n_most // _GROUP))
        kernels = device.compile(
            "planes.cu",
            GROUPS=groups,
            PLANES=(_GROUP * groups).bit_length(),
            CLASSES=self._n_classes,
            SHARED=int(self._shares(len(codes), len(bits))),
        )
        on_device, own = (
            device.put(codes),
            device.empty((len(codes), groups * 8), np.uint32),
        )
        attributes, counts = self._choose(kernels, queries, on_device)
        kernels.run(
            "point_at_sets",
            _spread(own.size, _THREADS),
            _THREADS,
            on_device,
            codes.shape[1],
            attributes,
            counts,
            self._n_most,
            sets.starts,
            sets.offsets,
            set_of_value,
            len(bits) - 1,
            len(codes),
            own,
        )
        hidden = own if excluded is None else device.put(excluded)
        return _Part(queries, kernels, bits, own, hidden)

    def _choose(
        self, kernels: Kernels, queries: slice, codes: DeviceArray
    ) -> tuple[DeviceArray, DeviceArray]:
        """The attributes of some queries, and how many, on the device."""
        device, selected = self.sets.device, self.selected
        if isinstance(selected, Selected):
            attributes = np.ascontiguousarray(selected.attributes[queries])
            return device.put(attributes), device.put(selected.counts[queries])
        n_queries, n_most = len(codes), selected.n_most
        chosen = device.empty((n_queries, n_most), np.int32)
        kernels.run(
            "choose",
            _spread(n_queries, _THREADS // device.lanes),
            _THREADS,
            codes,
            codes.shape[1],
            selected.starts,
            selected.ranks,
            n_queries,
            n_most,
            chosen,
        )
        return chosen, device.put(self._counts[queries])

    def _add_sets(self, codes: NDArray[np.int32]) -> tuple[DeviceArray, DeviceArray]:
        """The sets kept and those of further values, and where the latter are."""
        sets, device = self.sets, self.sets.device
        if not len(sets.wide):
            return sets.bits, sets.starts
        offsets = device.fetch(sets.offsets)
        own = codes[:, sets.wide]
        wanted = np.unique((offsets[sets.wide] + own)[own >= 0]).astype(np.int64)
        n_sets = sets.n_kept + len(wanted)
        set_of_value = np.full(offsets[-1], n_sets, np.int32)
        set_of_value[wanted] = np.arange(sets.n_kept, n_sets)
        bits = device.zeros((n_sets + 1, sets.bits.shape[1]), np.uint64)
        bits[: sets.n_kept] = sets.bits[: sets.n_kept]
        if len(wanted):
            self._mark(bits[sets.n_kept :], offsets, wanted)
        return bits, device.put(set_of_value)

    def _mark(self, bits: DeviceArray, offsets: Ints, wanted: Ints) -> None:
        """Make the sets of values that keep none."""
        sets, device = self.sets, self.sets.device
        starts = offsets[sets.wide]
        owners = np.searchsorted(starts, wanted, side="right") - 1
        macros = {"GROUPS": 1, "PLANES": 3, "CLASSES": 1, "SHARED": 0}
        kernels = device.compile("planes.cu", **macros)
        n_words = -(-sets.n_rows // 64)
        kernels.run(
            "mark_values",
            _spread(len(wanted) * n_words, _THREADS // device.lanes),
            _THREADS,
            sets.wide_codes,
            np.int64(sets.n_rows),
            device.put(owners.astype(np.int32)),
            device.put((wanted - starts[owners]).astype(np.int32)),
            len(wanted),
            sets.n_rows,
            np.int64(bits.shape[1]),
            bits,
        )

    def _shares(self, n_queries: int, n_sets: int) -> bool:
        """Whether a tile of all sets goes to shared memory: it fits, and it pays."""
        device = self.sets.device
        fits = self._tile_bytes(n_sets) <= device.shared_bytes
        return fits and n_queries >= _WORTH_SHARING

    def _shared_bytes(self, part: _Part) -> int:
        if not self._shares(len(part.sets), len(part.bits)):
            return 0
        return self._tile_bytes(len(part.bits))

    def _tile_bytes(self, n_sets: int) -> int:
        return n_sets * WORDS * self.sets.device.lanes * 8

    def _grid(self, part: _Part) -> tuple[int, int]:
        """Blocks for every tile of rows; few tiles are shared by several blocks."""
        device, n_warps = self.sets.device, _MATCH_THREADS // self.sets.device.lanes
        tiles = int(part.bits.shape[1]) // (WORDS * device.lanes)
        wanted = -(-_BLOCKS * device.processors // tiles)
        return tiles, max(1, min(wanted, len(part.sets) // (4 * n_warps)))
