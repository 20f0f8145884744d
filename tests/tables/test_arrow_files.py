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
    assert read_table(path, max_bytes=33_000_000).shape == (2_000_000, 2)


LONG = "long " * 100_000
KINDS = {
    "parquet": lambda table, path: parquet.write_table(table, path),
    "plain.parquet": lambda table, path: parquet.write_table(
        table, path, use_dictionary=False, compression="zstd"
    ),
    "feather": lambda table, path: feather.write_feather(table, path, "zstd"),
    "lz4.feather": lambda table, path: feather.write_feather(table, path, "lz4"),
}
PEAK = """
import sys, resource
from sklazy import read_table
from sklazy.errors import BadFileError
start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    table = read_table(sys.argv[1], max_bytes=int(sys.argv[2]))
    print(*table.shape, len(table.columns[0].categories), end=" ")
except BadFileError as error:
    assert "max_bytes=" in str(error), error
    print("refused", end=" ")
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start) // 1024)
"""


def read_apart(path, max_bytes):
    """What came of reading a file in a process of its own, and the MiB it took."""
    arguments = [sys.executable, "-c", PEAK, str(path), str(max_bytes)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    *outcome, peak = done.stdout.split()
    return " ".join(outcome), int(peak)


@pytest.mark.parametrize("kind", KINDS)
def test_long_texts_that_come_often_are_refused_or_take_little(kind, tmp_path):
    path = tmp_path / f"long.{kind}"
    column = pa.array([LONG + "0", None, LONG + "1", LONG + "0"] * 150)  # 215 MiB
    KINDS[kind](pa.table({"a": column}), path)
    assert path.stat().st_size < 4_000_000
    outcome, peak = read_apart(path, 10_000_000)
    # Parquet writes a text once; the others have it once a cell when unpacked.
    assert outcome == ("600 1 2" if kind == "parquet" else "refused")
    assert peak < 120


@pytest.mark.parametrize("kind", KINDS)
def test_ordinary_files_are_read_as_before(kind, tmp_path):
    path = tmp_path / f"plain.{kind}"
    words = pa.array(["b", None, "a", "b"] * 50)
    chunks = pa.chunked_array([words, pa.array(["", "c"])])
    numbers = pa.array([1.5, None] * 101)
    codes = pa.DictionaryArray.from_arrays(
        pa.array([2, None, 0, 0, 3, 2] * 33 + [0] * 4, pa.int8()),
        pa.array(["v", "never", "u", None if "feather" in kind else "w"]),
    )
    KINDS[kind](pa.table({"a": chunks, "n": numbers, "c": codes}), path)
    table = read_table(path)
    assert table.kinds == ["nominal", "numeric", "nominal"]
    assert table["a"].cells() == chunks.to_pylist()
    assert table["n"].cells() == numbers.to_pylist()
    assert table["c"].cells() == codes.to_pylist()
    assert table["a"].categories == ("", "a", "b", "c")
    assert table["c"].categories == (
        ("u", "v") if "feather" in kind else ("u", "v", "w")
    )


def test_a_column_of_nothing_has_as_many_cells_as_rows(tmp_path):
    path = tmp_path / "nothing.feather"
    feather.write_feather(pa.table({"a": pa.nulls(10**9)}), path)
    assert path.stat().st_size < 3_000_000
    with pytest.raises(BadFileError, match=r"bytes or more.*max_bytes=4294967296"):
        read_table(path, max_bytes=2**32, max_cells=float("inf"))
    with pytest.raises(BadFileError, match=r"cells, more than max_cells=1000000\."):
        read_table(path, max_cells=1_000_000)


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([[1], [2, 3]]),
        pa.array(["a", "b"], pa.string_view()),
        pa.RunEndEncodedArray.from_arrays([2**31 - 1], ["a"]),
    ],
)
def test_types_whose_cells_may_share_memory_are_refused(cells, tmp_path):
    path = tmp_path / "shared.feather"
    schema = pa.schema([("a", cells.type)])
    with pa.ipc.new_file(str(path), schema) as file:
        file.write_batch(pa.RecordBatch.from_arrays([cells], schema=schema))
    with pytest.raises(BadFileError, match="column 'a' has the type"):
        read_table(path)


def test_files_of_polars_are_refused_with_a_way_out(tmp_path):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame, path = polars.DataFrame({"a": [1.0, 2.0]}), tmp_path / "a.arrow"
    frame.write_ipc(path)
    begin = path.read_bytes()[8:12]
    if begin == b"\xff\xff\xff\xff":  # as polars wrote them before version 2
        assert read_table(path).names == ["a"]
        return
    with pytest.raises(
        BadFileError, match=r"a.arrow: .*write_ipc. Write it as Parquet"
    ):
        read_table(path)


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
