"""What reading may take: cells, bytes and seconds, the same for every format."""

import gc
import json
import math
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
import pytest

from sklazy import memory
from sklazy.errors import BadFileError, BadInputError, OverBudgetError
from sklazy.tables import budget, read_table

openpyxl = pytest.importorskip("openpyxl")
pytest.importorskip("pyarrow")

FRAME = pd.DataFrame(
    {"a": np.arange(60) / 4, "b": np.arange(60) % 7, "c": ["u", "v", "w"] * 20}
)


def write_arff(frame, path):
    top = ["@relation r", "@attribute a real", "@attribute b real"]
    rows = [",".join(map(str, row)) for row in frame.to_numpy().tolist()]
    path.write_text("\n".join([*top, "@attribute c {u,v,w}", "@data", *rows]))


WRITERS = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    "arff": write_arff,
    "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "json": lambda frame, path: frame.to_json(path, orient="records"),
    "parquet": lambda frame, path: frame.to_parquet(path),
    "feather": lambda frame, path: frame.to_feather(path),
    "xlsx": lambda frame, path: frame.to_excel(path, index=False),
}


@pytest.fixture
def write(tmp_path):
    def make(ending, frame=FRAME):
        path = tmp_path / f"table.{ending}"
        WRITERS[ending](frame, path)
        return path

    return make


def way_out(message):
    """The argument that a message says to give, as a name and a value."""
    name, value = re.search(r"give (\w+)=(float\('inf'\))", message).groups()
    return {name: eval(value)}


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize(
    ("limit", "value", "counted"),
    [
        ("max_cells", 100, r"\d\d\d cells"),
        ("max_bytes", 70, r"\d+ bytes or more"),
        ("max_seconds", 1e-9, "takes longer"),
    ],
)
def test_every_format_keeps_to_every_limit(write, ending, limit, value, counted):
    path = write(ending)
    with pytest.raises(OverBudgetError) as caught:
        read_table(path, **{limit: value})
    message = str(caught.value)
    assert re.search(
        rf"^{re.escape(str(path))}: .*{counted}.*{limit}={value:g}\.", message
    )
    table = read_table(path, **way_out(message))
    assert [column.cells() for column in table] == [
        column.cells() for column in read_table(path)
    ]
    assert table.shape == (60, 3)


@pytest.mark.parametrize("ending", WRITERS)
def test_what_fits_exactly_is_read(write, ending):
    has_header = ending == "xlsx"  # which is a row as any other while it is read
    assert read_table(write(ending), max_cells=180 + 3 * has_header).shape == (60, 3)
    with pytest.raises(OverBudgetError):
        read_table(write(ending), max_cells=179)


@pytest.mark.parametrize("value", [0, -1, math.nan, "many", True])
@pytest.mark.parametrize("limit", ["max_cells", "max_bytes", "max_seconds"])
def test_limits_are_numbers_above_0(write, limit, value):
    with pytest.raises(BadInputError, match=rf"{limit}=.*float\('inf'\) for no limit"):
        read_table(write("csv"), **{limit: value})


def test_the_default_follows_from_the_memory_of_the_machine(write, monkeypatch):
    assert memory.machine_bytes() > 2**26
    monkeypatch.setattr(budget, "machine_bytes", lambda: 10_000)
    with pytest.raises(OverBudgetError, match=r"max_cells=100 \(the default by this"):
        read_table(write("csv"))
    path = write("csv", pd.concat([FRAME] * 30))
    with pytest.raises(OverBudgetError, match=r"max_bytes=10000 \(the default by this"):
        read_table(path)


# --- few bytes that stand for many cells ----------------------------------------------


def far_sheet(path, row, column):
    """Write a sheet with a small table, and one cell far from it."""
    book = openpyxl.Workbook()
    sheet = book.active
    for values in (["a", "b"], [1, 2], [3, 4]):
        sheet.append(values)
    sheet.cell(row=row, column=column, value=7)
    book.save(path)


PEAK = """
import resource, sys
import openpyxl
from sklazy import read_table
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
begin = peak()
resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))  # not the whole machine
print(*read_table(sys.argv[1]).shape, peak() - begin)
"""


@pytest.mark.parametrize("column", [1, 16_384])
def test_a_lone_cell_at_the_end_of_a_sheet_takes_little(tmp_path, column):
    path = tmp_path / "far.xlsx"
    far_sheet(path, 1_048_576, column)
    assert path.stat().st_size < 5000
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    n_rows, n_columns, peak = map(int, done.stdout.split())
    assert (n_rows, n_columns) == (3, 2 + (column > 2))
    assert peak < 50  # MiB


def test_a_row_that_no_sheet_has_is_refused(tmp_path):
    import zipfile

    far_sheet(tmp_path / "far.xlsx", 1000, 1)
    forged = tmp_path / "forged.xlsx"
    with (
        zipfile.ZipFile(tmp_path / "far.xlsx") as old,
        zipfile.ZipFile(forged, "w") as new,
    ):
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"1000", b"99999999999"))
    with pytest.raises(BadFileError, match="a row after 1048576"):
        read_table(forged)


def write_diagonal_sheet(path):
    book = openpyxl.Workbook()
    for i in range(1, 301):
        book.active.cell(row=i, column=i, value=i)
    book.save(path)


def write_new_keys(path):
    path.write_text("\n".join(json.dumps({f"k{i}": i}) for i in range(300)))


def write_sparse_rows(path):
    top = "".join(f"@attribute a{i} real\n" for i in range(300))
    path.write_text(f"@relation r\n{top}@data\n" + "{0 1}\n" * 300)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.xlsx", write_diagonal_sheet),
        ("a.jsonl", write_new_keys),
        ("a.arff", write_sparse_rows),
    ],
)
def test_cells_that_are_not_written_are_counted(tmp_path, name, write):
    write(path := tmp_path / name)
    assert read_table(path).shape[1] == 300
    with pytest.raises(OverBudgetError, match=r"have \d+ cells.* max_cells=50000\."):
        read_table(path, max_cells=50_000)


# --- interrupts -----------------------------------------------------------------------


def longest_stretch(work):
    """The processor time between two signals that Python answered, at most."""
    moments = []
    before = signal.signal(
        signal.SIGVTALRM, lambda *_: moments.append(time.process_time())
    )
    gc.freeze()  # what other tests left is not looked through
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.002, 0.002)
    try:
        moments.append(time.process_time())
        work()
        moments.append(time.process_time())
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        gc.unfreeze()
    return float(np.diff(moments).max())


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers of POSIX")
@pytest.mark.parametrize("ending", ["csv", "arff", "json"])
def test_an_interrupt_never_waits_for_a_whole_column_or_file(write, ending):
    assert threading.current_thread() is threading.main_thread()
    rng = np.random.default_rng(0)
    n_rows = 400_000
    frame = pd.DataFrame({
        "a": rng.normal(size=n_rows).round(6),
        "b": rng.integers(0, 10**9, n_rows),
        "c": np.array(["u", "v", "w"])[rng.integers(0, 3, n_rows)],
    })  # fmt: skip
    path = write(ending, frame)
    assert longest_stretch(lambda: read_table(path)) < 0.15
