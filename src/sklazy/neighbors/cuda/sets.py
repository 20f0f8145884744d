"""Cases on a device, as agreement sees them, and what attributes are chosen by."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import Cases
from sklazy.kernels.cuda.device import Device, DeviceArray, pad_words

Ints = NDArray[np.int64]

WORDS = 2
"""Words of 64 rows that a lane takes at a time."""


class DeviceSets(NamedTuple):
    """The cases on a device, as agreement sees them; made once for a state of them.

    Attributes
    ----------
    device : Device
    n_rows : int
    n_kept : int
        Sets of values, without the empty one behind them.
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
    bits: DeviceArray
    class_bits: DeviceArray
    live: DeviceArray
    classes: DeviceArray
    starts: DeviceArray
    offsets: DeviceArray
    wide: Ints
    wide_codes: DeviceArray


def put_sets(device: Device, cases: Cases, weighted: bool = False) -> DeviceSets:
    """Copy the cases to a device; with weights, rows of weight 0 cannot vote."""
    n_rows, wide = cases.n_rows, np.flatnonzero(cases.starts < 0)
    votes = np.zeros(cases.value_bits.shape[1] * 64, bool)
    votes[:n_rows] = cases.weights[:n_rows] > 0 if weighted else True
    live = np.packbits(votes, bitorder="little").view(np.uint64)
    tile = WORDS * device.lanes
    sets = DeviceSets(
        device,
        n_rows,
        len(cases.value_bits) - 1,
        pad_words(device, cases.value_bits, tile),
        pad_words(device, cases.class_bits, tile),
        pad_words(device, live[None], tile)[0],
        device.put(cases.classes[:n_rows]),
        device.put(cases.starts.astype(np.int32)),
        device.put(cases.offsets),
        wide,
        device.put(cases.codes[wide, :n_rows]),
    )
    device.wait()
    return sets


class DeviceRanks(NamedTuple):
    """What attributes are chosen by, on a device; see `sklazy.selection.RankTable`.

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


def put_ranks(
    device: Device, starts: Ints, ranks: NDArray[np.int32], n_most: int = 0
) -> DeviceRanks:
    """Copy ranks to a device."""
    found = DeviceRanks(device.put(starts), device.put(ranks), n_most)
    device.wait()
    return found
