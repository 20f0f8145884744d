"""Parquet and Feather files that are damaged or too large are refused."""

import subprocess
import sys

import numpy as np
import pytest

from sklazy import read_table
from sklazy.errors import BadFileError

pa = pytest.importorskip("pyarrow")
feather = pytest.importorskip("pyarrow.feather")
parquet = pytest.importorskip("pyarrow.parquet")


def test_a_parquet_file_is_measured_before_it_is_read(tmp_path):
    path = tmp_path / "large.parquet"
    cells = pa.array(np.zeros(2_000_000))
    parquet.write_table(pa.table({"a": cells, "b": cells}), path)
    assert path.stat().st_size < 100_000
    with pytest.raises(BadFileError, match=r"32000000 bytes.*max_bytes=1000000"):
        read_table(path, max_bytes=1_000_000)
    assert read_table(path, max_bytes=32_000_000).shape == (2_000_000, 2)


def write_invalid(path):
    """Texts whose places lie far outside of the data."""
    places = np.array([0, 1, 2**30, 3], np.int32)
    buffers = [None, pa.py_buffer(places.tobytes()), pa.py_buffer(b"abc")]
    column = pa.Array.from_buffers(pa.utf8(), 3, buffers)
    schema = pa.schema([("a", pa.utf8())])
    batch = pa.RecordBatch.from_arrays([column], schema=schema)
    with pa.ipc.new_file(str(path), schema) as file:
        file.write_batch(batch)


def write_invalid_codes(path):
    """Categories by codes that no category has."""
    codes = pa.array([0, 1, 1_000_000], pa.int32())
    column = pa.DictionaryArray.from_arrays(codes, pa.array(["x", "y"]), safe=False)
    with pa.ipc.new_file(str(path), pa.schema([("a", column.type)])) as file:
        file.write_batch(pa.RecordBatch.from_arrays([column], ["a"]))


@pytest.mark.parametrize("write", [write_invalid, write_invalid_codes])
def test_an_invalid_feather_file_is_refused(write, tmp_path):
    path = tmp_path / "invalid.feather"
    write(path)
    code = (
        "import sys, sklazy\n"
        "try:\n    sklazy.read_table(sys.argv[1])\n"
        "except sklazy.errors.BadFileError as error:\n    sys.exit('refused')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr.strip()) == (1, "refused")
