"""Which sets of the cases the queries read, on a device: by attributes or by ranks."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Selected
from sklazy.kernels.cuda.device import THREADS, Device, DeviceArray, Kernels, spread
from sklazy.neighbors.cuda.sets import DeviceSets

Ints = NDArray[np.int64]


class Places(NamedTuple):
    """Where the sets of all values lie; `n_empty` is that of values no case has."""

    sets: DeviceSets
    set_of_value: DeviceArray
    n_empty: int


class Pointing(Protocol):
    """The attributes that queries use, and the kernel that points at their sets."""

    @property
    def n_most(self) -> int:
        """How many attributes a query uses at most."""

    def count_used(self, n_queries: int) -> NDArray[np.int32]:
        """How many attributes each query uses."""

    def point(
        self,
        kernels: Kernels,
        queries: slice,
        codes: DeviceArray,
        places: Places,
        out: DeviceArray,
    ) -> None:
        """Write the sets of the attributes of some queries to `out`."""


class GivenOnDevice(NamedTuple):
    """Attributes that were selected for each query."""

    selected: Selected

    @property
    def n_most(self) -> int:
        """How many attributes a query uses at most."""
        return self.selected.attributes.shape[1]

    def count_used(self, n_queries: int) -> NDArray[np.int32]:
        """How many attributes each query uses."""
        return self.selected.counts

    def point(
        self,
        kernels: Kernels,
        queries: slice,
        codes: DeviceArray,
        places: Places,
        out: DeviceArray,
    ) -> None:
        """Write the sets of the attributes of some queries to `out`."""
        put = places.sets.device.put
        chosen = (
            put(self.selected.attributes[queries]),
            put(self.selected.counts[queries]),
        )
        run = "point_at_sets", spread(out.size, THREADS)
        _point(kernels, run, codes, (*chosen, self.n_most), places, (out,))


class DeviceRanks(NamedTuple):
    """Ranks that select attributes, on a device; see `sklazy.measures.RankTable`.

    Attributes
    ----------
    starts : int64 array of shape (n_attributes,)
    ranks : int32 array of shape (n_cells,)
    n_most : int
        How many attributes a query uses.
    """

    starts: DeviceArray
    ranks: DeviceArray
    n_most: int

    def count_used(self, n_queries: int) -> NDArray[np.int32]:
        """How many attributes each query uses."""
        return np.full(n_queries, self.n_most, np.int32)

    def point(
        self,
        kernels: Kernels,
        queries: slice,
        codes: DeviceArray,
        places: Places,
        out: DeviceArray,
    ) -> None:
        """Write the sets of the attributes of some queries to `out`."""
        lanes = places.sets.device.lanes
        run = "point_by_rank", spread(len(codes), THREADS // lanes)
        chosen = self.starts, self.ranks
        _point(kernels, run, codes, chosen, places, (self.n_most, out))


def _point(
    kernels: Kernels,
    run: tuple[str, tuple[int, int]],
    codes: DeviceArray,
    chosen: tuple[Any, ...],
    places: Places,
    ending: tuple[Any, ...],
) -> None:
    """Run a kernel, named with its blocks, on what was chosen for the queries."""
    sets, (name, n_blocks) = places.sets, run
    lying = sets.starts, sets.offsets, places.set_of_value, places.n_empty
    read = codes, codes.shape[1], *chosen, *lying, len(codes)
    kernels.run(name, n_blocks, THREADS, *read, *ending)


def put_ranks(
    device: Device, starts: Ints, ranks: NDArray[np.int32], n_most: int = 0
) -> DeviceRanks:
    """Copy ranks to a device."""
    found = DeviceRanks(device.put(starts), device.put(ranks), n_most)
    device.wait()
    return found
