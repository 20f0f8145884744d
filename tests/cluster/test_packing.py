"""What is sent to workers in one piece, and what is left to Dask."""

import numpy as np
import pytest

from sklazy.dask.engine import pack, unpack


@pytest.mark.parametrize("given", [b"bytes", None, ("ask", ([], 3)), b"x" * 2**21])
def test_small_things_come_back_as_they_were(given):
    packed = pack(given)
    assert isinstance(packed, bytes)
    assert unpack(packed) == given


def test_arrays_can_be_written_to_where_they_arrive():
    # Kernels are compiled for such arrays.
    rows = unpack(pack([np.arange(6).reshape(2, 3)]))[0]
    assert rows.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert rows.flags.writeable


def test_large_arrays_are_left_to_dask():
    given = {"rows": np.zeros(2**18)}
    assert pack(given) is given
    assert unpack(given) is given
