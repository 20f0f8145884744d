"""Cases on a device, as agreement sees them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Cases
from sklazy.kernels.cuda.device import (
    THREADS,
    Device,
    DeviceArray,
    pad_rows,
    spread,
)

Ints = NDArray[np.int64]

_GROUP = 7  # sets that are added at once

WORDS = 2
"""Words of 64 rows that a lane takes at a time."""


def plan_groups(n_most: int) -> dict[str, int]:
    """Constants to compile in for `n_most` sets, added seven at once and the rest.

    Three sizes of the last group leave few variants to compile.

    Examples
    --------
    >>> plan_groups(8)
    {'GROUPS': 2, 'REST': 1, 'PLANES': 4}
    """
    groups = max(1, -(-n_most // _GROUP))
    left = n_most - _GROUP * (groups - 1)
    rest = next(size for size in (1, 3, _GROUP) if left <= size)
    n_sets = _GROUP * (groups - 1) + rest
    return {"GROUPS": groups, "REST": rest, "PLANES": max(3, n_sets.bit_length())}


class DeviceSets(NamedTuple):
    """The cases on a device, as agreement sees them; made once for a state of them.

    Attributes
    ----------
    device : Device
    n_rows : int
    n_kept : int
        Sets of values, without the empty one behind them.
    n_most_values : int
        Values of the attribute that has most of them.
    bits : uint64 array of shape (n_kept + 1, n_words)
    class_bits : uint64 array of shape (n_classes, n_words)
    live : uint64 array of shape (n_words,)
        The rows that can vote.
    classes : int32 array of shape (n_rows,)
    starts, offsets : arrays of shapes (n_attributes,) and (n_attributes + 1,)
        As in `Cases`.
    wide : int64 array on the host
        The attributes with too many values to keep their sets.
    wide_codes : int32 array of shape (n_wide, n_rows)
    """

    device: Device
    n_rows: int
    n_kept: int
    n_most_values: int
    bits: DeviceArray
    class_bits: DeviceArray
    live: DeviceArray
    classes: DeviceArray
    starts: DeviceArray
    offsets: DeviceArray
    wide: Ints
    wide_codes: DeviceArray

    def widen(
        self, codes: NDArray[np.signedinteger]
    ) -> tuple[DeviceArray, DeviceArray]:
        """The sets kept and those of further values, and where the latter are."""
        device = self.device
        if not len(self.wide):
            return self.bits, self.starts
        offsets = device.fetch(self.offsets)
        own = codes[:, self.wide]
        wanted = np.unique((offsets[self.wide] + own)[own >= 0]).astype(np.int64)
        n_sets = self.n_kept + len(wanted)
        set_of_value = np.full(offsets[-1], n_sets, np.int32)
        set_of_value[wanted] = np.arange(self.n_kept, n_sets)
        bits = device.zeros((n_sets + 1, self.bits.shape[1]), np.uint64)
        bits[: self.n_kept] = self.bits[: self.n_kept]
        if len(wanted):
            self._mark(bits[self.n_kept :], offsets, wanted)
        return bits, device.put(set_of_value)

    def _mark(self, bits: DeviceArray, offsets: Ints, wanted: Ints) -> None:
        """Make the sets of values that keep none."""
        device = self.device
        starts = offsets[self.wide]
        owners = np.searchsorted(starts, wanted, side="right") - 1
        macros = {"CLASSES": 1, "SHARED": 0, "BYTES": 4}
        kernels = device.compile("planes.cu", **plan_groups(1), **macros)
        n_words = -(-self.n_rows // 64)
        kernels.run(
            "mark_values",
            spread(len(wanted) * n_words, THREADS // device.lanes),
            THREADS,
            self.wide_codes,
            np.int64(self.n_rows),
            device.put(owners.astype(np.int32)),
            device.put((wanted - starts[owners]).astype(np.int32)),
            len(wanted),
            self.n_rows,
            np.int64(bits.shape[1]),
            bits,
        )


def count_set_bytes(cases: Cases) -> float:
    """Bytes of a row on a device, for counting agreements."""
    n_kept, n_wide = len(cases.value_bits), int((cases.starts < 0).sum())
    n_sets = n_kept * (2 if n_wide else 1)  # those kept go beside those made
    return (n_sets + len(cases.class_bits) + 1) / 8 + 4 * (1 + n_wide)


def put_sets(device: Device, cases: Cases, weighted: bool = False) -> DeviceSets:
    """Copy the cases to a device; with weights, rows of weight 0 cannot vote."""
    n_rows, wide = cases.n_rows, np.flatnonzero(cases.starts < 0)
    live = _find_live(cases, weighted)
    tile = WORDS * device.lanes
    sets = DeviceSets(
        device,
        n_rows,
        len(cases.value_bits) - 1,
        int(np.diff(cases.offsets).max(initial=0)),
        pad_rows(device, cases.value_bits, tile),
        pad_rows(device, cases.class_bits, tile),
        pad_rows(device, live[None], tile)[0],
        put_codes(device, cases.classes.kept[:n_rows]),
        device.put(cases.starts.astype(np.int32)),
        device.put(cases.offsets),
        wide,
        put_codes(device, cases.codes.kept[wide, :n_rows]),
    )
    device.wait()
    return sets


def put_codes(device: Device, codes: NDArray[np.signedinteger[Any]]) -> DeviceArray:
    """Copy codes to a device as they are kept, and read them as int32 there."""
    return device.put(codes).astype(np.int32)


def _find_live(cases: Cases, weighted: bool) -> NDArray[np.uint64]:
    """The rows that can vote, as a bit set."""
    n_rows, n_words = cases.n_rows, cases.value_bits.shape[1]
    if weighted:
        votes = np.zeros(n_words * 64, bool)
        votes[:n_rows] = cases.weights[:n_rows] > 0
        return np.packbits(votes, bitorder="little").view(np.uint64)
    live = np.zeros(n_words, np.uint64)
    live[: n_rows // 64] = ~np.uint64(0)
    if n_rows % 64:
        live[n_rows // 64] = (1 << n_rows % 64) - 1
    return live
