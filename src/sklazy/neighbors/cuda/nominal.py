"""Nearest neighbors by agreement, on a device; see `sklazy.neighbors.nominal`."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.cuda.device import (
    THREADS,
    Device,
    DeviceArray,
    Kernels,
    Lane,
    spread,
)
from sklazy.kernels.votes import weigh_all_levels
from sklazy.neighbors.cuda.pointing import Places, Pointing
from sklazy.neighbors.cuda.sets import WORDS, DeviceSets, plan_groups
from sklazy.neighbors.cuda.weighted import Voters, cut_by_size

Ints = NDArray[np.int64]

_MATCH_THREADS = 384
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
    """Pending results of some queries, on the device."""

    queries: slice
    votes: DeviceArray
    tied: DeviceArray
    thresholds: DeviceArray
    levels: DeviceArray | None


class DeviceNominalSearch:
    """`NominalSearch` on a device: the same arguments, the same answers.

    Parameters
    ----------
    sets : DeviceSets
    codes, n_neighbors, excluded
        As in `NominalSearch`.
    pointing : Pointing
        The attributes of each query, or the ranks they are chosen by.
    by_distance, tally : bool
        As in `NominalSearch`.

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
        pointing: Pointing,
        n_neighbors: int,
        excluded: Ints | None = None,
        *,
        by_distance: bool = False,
        tally: bool = False,
    ) -> None:
        self.sets, self.codes, self.pointing = sets, codes, pointing
        self.n_neighbors, self.excluded = n_neighbors, excluded
        self.by_distance, self.tally = by_distance, tally
        self._n_classes = sets.class_bits.shape[0]
        self._begun: list[_Begun] = []
        self._under_way: list[Lane] = []
        self._fetched: dict[str, NDArray[np.int32]] = {}

    @property
    def votes(self) -> NDArray[np.int32]:
        """Votes of the rows at or above the threshold."""
        return self._fetch("votes")

    @property
    def tied(self) -> NDArray[np.int32]:
        """Votes of the rows at the threshold."""
        return self._fetch("tied")

    @property
    def thresholds(self) -> NDArray[np.int32]:
        """On how many attributes the k-th neighbor agrees."""
        return self._fetch("thresholds")

    @property
    def weighted(self) -> NDArray[np.float64] | None:
        """Votes of the nearer rows, weighed by distance, and a tied one's weight."""
        if not self.by_distance:
            return None
        thresholds = self.thresholds
        weighted = np.zeros((len(thresholds), self._n_classes + 1))
        levels = self._fetch("levels")
        counts = self.pointing.count_used(len(self.codes))
        weigh_all_levels(levels, thresholds, counts, weighted)
        return weighted

    @property
    def tallies(self) -> NDArray[np.int32] | None:
        """Rows by number of agreements and class, complete from the threshold up."""
        return self._fetch("levels") if self.tally else None

    @property
    def device(self) -> Device:
        """Where the cases are."""
        return self.sets.device

    def run(self, first: int, last: int) -> None:
        """Begin to answer the queries ``first..last - 1``."""
        lane = self.sets.device.beside()
        with lane:
            self._begun += [self._match(part) for part in self._parts(first, last)]
        self._under_way.append(lane)
        self._fetched.clear()

    def _fetch(self, name: str) -> NDArray[np.int32]:
        """Fetch a result of all queries that were run."""
        if name not in self._fetched:
            self._wait()
            self._fetched[name] = self._gather(name)
        return self._fetched[name]

    def _wait(self) -> None:
        """Wait for all lanes, and give them back."""
        while self._under_way:
            lane = self._under_way.pop()
            with lane:
                self.sets.device.wait()
            lane.leave()

    def _gather(self, name: str) -> NDArray[np.int32]:
        """Fetch an array of every part; one part of all queries, as it is."""
        fetch, n_queries = self.sets.device.fetch, len(self.codes)
        parts = [(part.queries, fetch(getattr(part, name))) for part in self._begun]
        if len(parts) == 1 and len(parts[0][1]) == n_queries:
            return parts[0][1]
        shape = self._shapes[name]
        found = np.zeros((n_queries, *shape), np.int32)
        for queries, own in parts:
            found[queries] = own
        return found

    @property
    def _shapes(self) -> dict[str, tuple[int, ...]]:
        """Shape of each result of a query, by name."""
        by_class = (self._n_classes,)
        levels = (self.pointing.n_most + 1, self._n_classes)
        return {"votes": by_class, "tied": by_class, "thresholds": (), "levels": levels}

    def voters(self, first: int, last: int) -> Iterator[Voters]:
        """The rows that vote for each query, run before, in no order."""
        for part in self._parts(first, last):
            yield from self._list(part, self._match(part))

    def _match(self, part: _Part) -> _Begun:
        """Begin to answer a part."""
        device, shapes = self.sets.device, self._shapes
        n_queries, n_levels = len(part.sets), self.pointing.n_most + 1
        k = min(self.n_neighbors, 2**31 - 1)
        levels = device.zeros((n_queries, *shapes["levels"]), np.int32)
        thresholds = device.empty(n_queries, np.int32)  # bounds on them at first
        votes, tied = device.empty((2, n_queries, *shapes["votes"]), np.int32)
        stride = np.int64(part.bits.shape[1])
        part.kernels.run(
            "bound_levels",
            spread(n_queries, THREADS // device.lanes),
            THREADS,
            part.bits,
            self.sets.live,
            part.sets,
            self._leaves_out,
            part.excluded,
            stride,
            n_queries,
            k,
            thresholds,
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
            thresholds,
            self._leaves_out,
            part.excluded,
            len(part.bits),
            stride,
            n_queries,
            n_levels,
            levels,
            shared=self._shared_bytes(part),
        )
        part.kernels.run(
            "decide",
            spread(n_queries, THREADS),
            THREADS,
            levels,
            n_queries,
            n_levels,
            k,
            votes,
            tied,
            thresholds,
        )
        kept = levels if self.by_distance or self.tally else None
        return _Begun(part.queries, votes, tied, thresholds, kept)

    def _list(self, part: _Part, begun: _Begun) -> Iterator[Voters]:
        """The voters of the queries of a part, as many at once as fit."""
        counts_used = self.pointing.count_used(len(self.codes))
        device = self.sets.device
        counts = device.fetch(begun.votes).sum(axis=1, dtype=np.int64)
        for begin, end in cut_by_size(counts, _MOST_BYTES // 8):
            starts = np.concatenate([[0], np.cumsum(counts[begin:end])])
            levels = begun.thresholds[begin:end]
            rows, agreeing = self._list_some(part, slice(begin, end), levels, starts)
            for i, query in enumerate(range(begin, end)):
                own = slice(starts[i], starts[i + 1])
                number = part.queries.start + query
                used = int(counts_used[number])
                yield Voters(number, rows[own], (used - agreeing[own]).astype(float))

    def _list_some(
        self, part: _Part, queries: slice, levels: DeviceArray, starts: Ints
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        device, n_queries = self.sets.device, len(levels)
        rows = device.empty(max(1, int(starts[-1])), np.int32)
        agreeing = device.empty(max(1, int(starts[-1])), np.int32)
        part.kernels.run(
            "list_voters",
            self._grid(part),
            _MATCH_THREADS,
            part.bits,
            self.sets.live,
            part.sets[queries],
            levels,
            self._leaves_out,
            part.excluded[queries],
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
        per_query = 4 * (self.pointing.n_most + 16) * max(1, self._n_classes)
        per_query += len(sets.wide) * 8 * int(sets.bits.shape[1])
        step = max(1, _MOST_BYTES // per_query)
        for begin in range(first, last, step):
            yield self._make_part(slice(begin, min(last, begin + step)))

    def _make_part(self, queries: slice) -> _Part:
        """Put queries on the device and let them point at their sets."""
        device = self.sets.device
        codes = self._shorten(self.codes[queries])
        excluded = None if self.excluded is None else self.excluded[queries]
        bits, set_of_value = self.sets.widen(codes)
        macros = plan_groups(self.pointing.n_most)
        kernels = device.compile(
            "planes.cu",
            **macros,
            CLASSES=self._n_classes,
            BYTES=codes.dtype.itemsize,
            SHARED=int(self._shares(len(codes), len(bits))),
        )
        own = device.empty((len(codes), macros["GROUPS"] * 8), np.uint32)
        places = Places(self.sets, set_of_value, len(bits) - 1)
        self.pointing.point(kernels, queries, device.put(codes), places, own)
        hidden = own if excluded is None else device.put(excluded)
        return _Part(queries, kernels, bits, own, hidden)

    def _shorten(self, codes: NDArray[np.int32]) -> NDArray[Any]:
        """Codes in as few bytes as hold them all: that many go to the device."""
        return codes.astype(np.int8 if self.sets.n_most_values < 127 else np.int32)

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
