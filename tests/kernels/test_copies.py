"""Copies on a device: kept while there is room, the oldest give way."""

import numpy as np
import pytest

from emulated import EmulatedDevice
from sklazy.errors import DeviceError
from sklazy.kernels.cuda.copies import Copy, copies_on
from sklazy.kernels.cuda.device import pad_rows


def keep(device, copy, n_bytes):
    return copies_on(device).keep(
        copy, n_bytes, lambda: device.zeros(n_bytes, np.uint8)
    )


def test_the_oldest_give_way():
    device, copies = EmulatedDevice(n_bytes=1000), [Copy() for _ in range(4)]
    for copy in copies[:2]:
        assert len(keep(device, copy, 350)) == 350
    keep(device, copies[0], 350)  # used again: the other one is older now
    keep(device, copies[2], 350)
    assert [copy.content is None for copy in copies[:3]] == [False, True, False]
    assert device.used == 700
    assert keep(device, copies[3], 800) is None
    assert device.used == 700  # nobody gave way in vain
    assert keep(device, copies[3], 750) is not None
    assert device.used == 750


def test_what_nobody_keeps_takes_no_room():
    device = EmulatedDevice(n_bytes=1000)
    keep(device, Copy(), 700)
    assert device.used == 0
    assert copies_on(device).room() == 750


@pytest.mark.parametrize(
    ("n_rows", "step"), [(10, 64), (150, 128), (400, 128), (1000, 128), (128, 128)]
)
def test_pieces_are_alike(n_rows, step):
    device, kept = EmulatedDevice(n_bytes=1000), Copy()
    keep(device, kept, 300)
    with copies_on(device).passing(n_rows, 2.0, 64) as found:
        assert found == step
    assert kept.content is None


def test_a_piece_that_does_not_fit():
    device = EmulatedDevice(n_bytes=100)
    with (
        pytest.raises(DeviceError, match=r"room for 75 bytes .* 2 x 64 rows take 512;"),
        copies_on(device).passing(500, 4.0, 64),
    ):
        pass


@pytest.mark.parametrize("at_once", [1, 40, 1 << 20])
def test_rows_are_filled_up(at_once, monkeypatch):
    monkeypatch.setattr("sklazy.kernels.cuda.device._AT_ONCE", at_once)
    rows = np.arange(35, dtype=np.uint64).reshape(5, 7)[:, 1:6]
    found = pad_rows(EmulatedDevice(), rows, 4)
    np.testing.assert_array_equal(found, np.pad(rows, ((0, 0), (0, 3))))
