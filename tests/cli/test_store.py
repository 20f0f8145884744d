"""`sklazy store`: the file that `fit` writes, from rows that are read as they come."""

import csv
import io
import os
import re
import resource
import subprocess
import sys
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sklazy
from sklazy.casebase.schema import Schema
from sklazy.errors import BadFileError, BadInputError, DataWarning
from sklazy.estimators.storing import RowBatch, store_rows
from sklazy.report.progress import Progress
from sklazy.storage import opening, outline
from sklazy.storage.spooling import Spool
from sklazy.storage.stored import check_stored
from sklazy.tables import Column, Source, Table, seen_cells, streams


@pytest.fixture
def few_at_once(monkeypatch):
    monkeypatch.setattr(streams, "ROWS", 7)
    monkeypatch.setattr(seen_cells, "FEW_NUMBERS", 5)
    monkeypatch.setattr(outline, "SEGMENT", 64)


def frame_of(rng, n_rows):
    """Columns of all sorts, of which some say dates, amounts, ids, yes and no."""
    days = pd.Series(
        pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, n_rows), "D")
    )
    late = np.array(list(map(str, range(n_rows))), object)
    late[-1] = "a word"
    return pd.DataFrame(
        {
            "color": rng.choice(["red", "blue", None], n_rows),
            "size": rng.choice([1.5, 2.0, np.nan, 1e6], n_rows),
            "day": days.dt.strftime("%d.%m.%Y"),
            "price": [f"{i % 7 + 1},50 EUR" for i in range(n_rows)],
            "sure": rng.choice(["yes", "Y", "no"], n_rows),
            "zip": [f"0{i % 9}123" for i in range(n_rows)],
            "note": [f"text {i}" for i in range(n_rows)],
            "late": late,
            "empty": [None] * n_rows,
            "weight": rng.normal(size=n_rows).round(3),
            "y": rng.choice(["m", "n", None], n_rows, p=[0.5, 0.4, 0.1]),
            "z": rng.normal(size=n_rows).round(2),
        }
    )


def to_arff(frame, path):
    kinds = {"color": "{red,blue,unused}", "size": "numeric", "y": "{m,n}", "z": "real"}
    names = [*kinds, "sure"]
    lines = ["@relation r"]
    lines += [f"@attribute {n} {kinds.get(n, 'string')}" for n in names]
    rows = frame[names].astype(object).where(frame[names].notna(), "?")
    lines += ["@data", *(",".join(map(str, row)) for row in rows.to_numpy().tolist())]
    path.write_text("\n".join(lines) + "\n")


WRITERS = {
    "rows.csv": lambda frame, path: frame.to_csv(path, index=False),
    "rows.tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "rows.csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    "rows.arff": to_arff,
    "rows.parquet": lambda frame, path: frame.to_parquet(path, row_group_size=50),
    "rows.feather": lambda frame, path: frame.to_feather(path),
}
TASKS = [
    ("-t", "y", "-m", "lazy-knn"),
    ("-t", "y", "-m", "lazy-nb", "-s", "cuts=frozen"),
    ("-t", "z", "-m", "lazy-learning"),
]


@pytest.mark.parametrize(
    ("name", "task"),
    [
        *((name, TASKS[0]) for name in WRITERS),
        *(("rows.csv", own) for own in TASKS[1:]),
    ],
)
def test_it_writes_the_file_that_fit_writes(run, tmp_path, few_at_once, name, task):
    frame = frame_of(np.random.default_rng(1), 150)
    WRITERS[name](frame, tmp_path / name)
    code, _, err = run("fit", name, *task, "-o", "fitted")
    assert code == 0, err
    code, out, err = run("store", name, *task, "-o", "stored")
    assert code == 0, err
    n_rows = int(frame["y"].notna().sum()) if task[1] == "y" else 150
    assert f"with {n_rows} rows: stored" in out
    assert (tmp_path / "stored").read_bytes() == (tmp_path / "fitted").read_bytes()
    assert sorted(os.listdir(tmp_path)) == sorted([name, "fitted", "stored"])


def test_ids_of_a_column_and_other_options_are_those_of_fit(flats, tmp_path):
    asked = ["-t", "heating", "--ignore", "rent", "--id", "flat", "-m", "lazy-knn"]
    assert flats("fit", "flats.csv", *asked, "-o", "fitted")[0] == 0
    assert flats("store", "flats.csv", *asked, "-o", "stored")[0] == 0
    assert (tmp_path / "stored").read_bytes() == (tmp_path / "fitted").read_bytes()
    _, direct, _ = flats("predict", "fitted", "new-flats.csv", "--id", "flat")
    code, stored, _ = flats("predict", "stored", "new-flats.csv", "--id", "flat")
    assert (code, stored) == (0, direct)
    code, shown, _ = flats("explain", "stored", "new-flats.csv", "--row", "0")
    assert code == 0
    assert "Answer: " in shown


CELLS = st.sampled_from(
    [
        "",
        "a",
        "b",
        "1",
        "2.5",
        "007",
        "1e3",
        "inf",
        "x,y",
        'q"q',
        " ",
        "2024-01-05",
        "3 kg",
        "yes",
        "No",
        "é",
    ]
)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=40),
    st.lists(st.sampled_from(["p", "q", "1", "row_id", ""]), min_size=3, max_size=3),
    st.sampled_from([",", ";", "\t"]),
)
def test_columns_are_read_as_a_whole_file_is(few_at_once, tmp_path, rows, top, mark):
    path = tmp_path / "rows.csv"
    with open(path, "w", newline="") as file:
        csv.writer(file, delimiter=mark).writerows([top, *rows])

    def whole():
        table = sklazy.read_table(path)
        return table if len(table) else None

    def streamed():
        surveyed = Source(str(path)).survey(lambda n: None)
        return list(surveyed.batches())

    def attempt(way):
        try:
            return way()
        except (BadFileError, BadInputError):
            return None

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        table, batches = attempt(whole), attempt(streamed)
    assert (table is None) == (batches is None)
    if table is not None:
        assert sum(map(len, batches)) == len(table)
        for j, column in enumerate(table):
            parts = [batch.columns[j] for batch in batches]
            assert {(p.name, p.kind, p.reading) for p in parts} == {
                (column.name, column.kind, column.reading)
            }
            cells = [cell for part in parts for cell in part.cells()]
            assert cells == column.cells()


def test_what_cannot_be_stored_is_refused(run, tmp_path):
    frame = frame_of(np.random.default_rng(0), 30)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.to_json(tmp_path / "rows.jsonl", orient="records", lines=True)
    (tmp_path / "none.csv").write_text("a,y\n")
    (tmp_path / "short.csv").write_text("a,y\n1,m\n2\n")
    for asked, why in [
        (["rows.jsonl", "-t", "y"], "read as a whole"),
        (["-", "-t", "y"], "standard input"),
        (["rows.csv", "-t", "nothing"], "has no column 'nothing'"),
        (["rows.csv", "-t", "empty"], "missing in every row"),
        (["rows.csv", "-t", "y", "-m", "svm"], "cannot be written to a file"),
        (["rows.csv", "-t", "y", "--id", "color"], "--id color"),
        (["rows.csv", "-t", "y", "--id", "sure"], "row an id of its own"),
        (["rows.csv", "-t", "z", "-s", "n_neighbors=0"], "n_neighbors"),
        (["none.csv", "-t", "y"], "no rows"),
        (["short.csv", "-t", "y"], "expected 2 fields"),
    ]:
        code, out, err = run("store", *asked, "-o", "out")
        assert code == 2, (asked, out, err)
        assert why in err, (asked, err)
    code, _, err = run("store", "rows.csv", "-t", "y", "-o", "rows.csv")
    assert code == 2
    assert sorted(os.listdir(tmp_path)) == sorted(
        ["rows.csv", "rows.jsonl", "none.csv", "short.csv"]
    )


def big_file(path, n_rows=70_000):
    rng = np.random.default_rng(0)
    words = np.array(["v0", "v1", "v2"])[rng.integers(0, 3, (n_rows, 4))]
    path.write_text("\n".join(["a,b,c,d", *map(",".join, words.tolist())]) + "\n")


def store_command(*more):
    arguments = ["store", "rows.csv", "-t", "a", "-o", "out.sklazy", *more]
    return [sys.executable, "-c", "from sklazy.cli import main; main()", *arguments]


@pytest.mark.parametrize("where", ["add", "batches"])
def test_an_interrupt_leaves_nothing_behind(run, tmp_path, monkeypatch, where):
    big_file(tmp_path / "rows.csv", 200)
    (tmp_path / "out.sklazy").write_text("what was there")
    beside = []

    def interrupt(*_):
        beside.extend(os.listdir(tmp_path))
        raise KeyboardInterrupt

    monkeypatch.setattr(Spool, where, interrupt)
    code, _, _ = run("store", "rows.csv", "-t", "a", "-o", "out.sklazy")
    assert code == 130
    assert len(beside) == 3  # rows were kept beside the file until then
    assert sorted(os.listdir(tmp_path)) == ["out.sklazy", "rows.csv"]
    assert (tmp_path / "out.sklazy").read_text() == "what was there"


def long_ids(path):
    """Rows whose ids take more room in the file than they do beside it before."""
    lines = [f"v{i % 2},w{i % 3},{i:0100}x" for i in range(5000)]
    path.write_text("\n".join(["a,b,id", *lines]) + "\n")


@pytest.mark.parametrize("when", ["rows are read", "they are written"])
def test_a_disk_that_is_full_leaves_nothing_behind(tmp_path, when):
    if when == "rows are read":
        big_file(tmp_path / "rows.csv")
        command, room = store_command(), 90_000
    else:
        long_ids(tmp_path / "rows.csv")
        command, room = store_command("--id", "id"), 250_000
    (tmp_path / "out.sklazy").write_text("what was there")
    process = subprocess.run(
        command,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
    )
    assert process.returncode == 1, process.stderr
    assert "out.sklazy" in process.stderr
    assert sorted(os.listdir(tmp_path)) == ["out.sklazy", "rows.csv"]
    assert (tmp_path / "out.sklazy").read_text() == "what was there"


def batches_of(n_rows, *, step=4096):
    """Rows of labels and a number, some at a time, numbered as they come."""
    rng = np.random.default_rng(0)
    for first in range(0, n_rows, step):
        codes = rng.integers(0, 3, (2, step)).astype(np.int32)
        table = Table(
            (
                Column("a", "nominal", codes[0], ("u", "v", "w")),
                Column("b", "numeric", rng.normal(size=step)),
            )
        )
        target = Column("y", "nominal", codes[1], ("l", "m", "n"))
        yield RowBatch(table, target, np.arange(first, first + step))


def most_memory(work):
    """The most bytes that were in memory at once."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "_FEW_CELLS", 0)  # of which copies are made

    def store(n_rows):
        model = sklazy.LazyLearningRegressor(n_neighbors=3)
        batches = (
            batch._replace(target=batch.table["b"].data) for batch in batches_of(n_rows)
        )
        store_rows(model, batches, tmp_path / "out", target="y")

    store(1 << 14)
    few, many = (most_memory(lambda n=n: store(n)) for n in (1 << 17, 1 << 19))
    assert many - few < 3 * (1 << 17)  # not a byte for each further row


def test_cuts_read_each_column_once(tmp_path):
    n_read = []

    class Counting(io.FileIO):
        def read(self, size=-1):
            n_read.append(size)
            return super().read(size)

    with Spool(tmp_path / "out") as spool:
        for table, target, ids in batches_of(1 << 14):
            spool.add(table, target, ids)
        coder = spool.coder(Schema(spool.attributes(), spool.named))
        spool._file = Counting(spool._file.name)
        cuts = list(spool.cuts(coder, "fayyad"))
        spool._file.close()
    assert len(cuts) == 1
    assert sum(n_read) == (1 + 8) * (1 << 14)  # a class and a number for each row


def test_progress_is_told_in_every_phase(run, tmp_path, monkeypatch):
    told = {}

    class Noted(Progress):
        def advance(self, steps=1, note=""):
            super().advance(steps, note)
            told[self.label] = self.done, self.total

    for where in ("sklazy.estimators.storing", "sklazy.report.progress"):
        monkeypatch.setattr(f"{where}.Progress", Noted)
    monkeypatch.setattr("sklazy.cli.fit.Progress", Noted)
    lines = [f"v{i % 2},{i % 7}.5,{i % 5}" for i in range(200)]
    (tmp_path / "rows.csv").write_text("\n".join(["a,b,c", *lines]) + "\n")
    assert run("store", "rows.csv", "-t", "a", "-o", "out.sklazy")[0] == 0
    assert told == {
        "reading columns": (200, None),
        "reading rows": (200, 200),
        "finding cuts": (2, 2),
        "writing rows": (200, 200),
    }


@pytest.mark.parametrize(
    "ids", [[0, 1, 5, 6], [3, 2, 1, 0], [7, 9, 100, 101], [2, 3, 4, 5]]
)
def test_ids_that_are_numbers_are_kept_as_fit_keeps_them(tmp_path, ids):
    table, target, _ = next(batches_of(1, step=8))
    ids = np.array([*ids, *range(200, 204)])
    halves = [np.arange(0, 3), np.arange(0), np.arange(3, 8)]
    batches = [RowBatch(table.take(h), target.take(h), ids[h]) for h in halves]
    model = sklazy.LazyNBClassifier()
    store_rows(model, batches, tmp_path / "stored", target="y")
    model.fit(table, pd.Series(target.cells(), name="y"), ids=ids).save(tmp_path / "f")
    assert (tmp_path / "stored").read_bytes() == (tmp_path / "f").read_bytes()
    twice = [*batches[:2], batches[2]._replace(ids=ids[[0, 4, 5, 6, 7]])]
    with pytest.raises(BadInputError, match="two rows"):
        store_rows(model, twice, tmp_path / "again", target="y")


def test_a_file_that_is_open_to_be_changed_is_not_written_over(run, tmp_path):
    big_file(tmp_path / "rows.csv", 200)
    assert run("store", "rows.csv", "-t", "a", "-o", "out.sklazy")[0] == 0
    before = (tmp_path / "out.sklazy").read_bytes()
    stored = sklazy.load(tmp_path / "out.sklazy", mmap_mode="r+")
    code, _, said = run("store", "rows.csv", "-t", "b", "-o", "out.sklazy")
    assert code
    assert "only one can at a time" in said
    assert (tmp_path / "out.sklazy").read_bytes() == before
    stored.cases_.held.close()


def test_verify_checks_every_block_of_a_model(run, tmp_path):
    big_file(tmp_path / "rows.csv")
    assert run("store", "rows.csv", "-t", "a", "-o", "out.sklazy")[0] == 0
    stored = sklazy.load(tmp_path / "out.sklazy", mmap_mode="r+")
    stored.partial_fit(pd.DataFrame([["v0", "v1", "v2"]], columns=[*"bcd"]), ["v0"])
    stored.cases_.held.close()
    code, said, _ = run("verify", "out.sklazy")
    assert code == 0
    assert "70001 cases" in said
    whole = (tmp_path / "out.sklazy").read_bytes()
    for place in (len(whole) // 2, len(whole) - 500, 40, len(whole) - 20):
        data = bytearray(whole)
        data[place] ^= 1
        (tmp_path / "out.sklazy").write_bytes(data)
        code, _, said = run("verify", "out.sklazy")
        assert code
        assert "altered" in said
        if place == len(whole) // 2:
            told = re.search(r"bytes (\d+) to (\d+)", said)
            assert int(told[1]) <= place <= int(told[2])
            sklazy.load(tmp_path / "out.sklazy", mmap_mode="c")  # does not look there
    (tmp_path / "out.sklazy").write_bytes(whole)
    code, _, said = run("verify", "out.sklazy", "rows.csv")
    assert code
    assert "receipt first" in said


def test_verify_reads_no_model_into_memory(tmp_path):
    model = sklazy.LazyNBClassifier()
    store_rows(model, batches_of(1 << 18), tmp_path / "out", target="y")
    check_stored(tmp_path / "out")
    most = most_memory(lambda: check_stored(tmp_path / "out"))
    assert most < (tmp_path / "out").stat().st_size / 10


def both(run, tmp_path, name, *asked):
    """The files that `fit` and `store` write from another."""
    for command in ("fit", "store"):
        code, _, said = run(command, name, "-m", "lazy-knn", *asked, "-o", command)
        assert code == 0, said
    return [(tmp_path / command).read_bytes() for command in ("fit", "store")]


def test_the_first_row_may_be_without_a_target(run, tmp_path):
    rows = "".join(f"{i % 3},{'mn'[i % 2]}\n" for i in range(200))
    (tmp_path / "rows.csv").write_text(f"a,y\n1,\n{rows}")
    fitted, stored = both(run, tmp_path, "rows.csv", "-t", "y")
    assert stored == fitted


@pytest.mark.parametrize("mark", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_only_line_ends_end_a_row(run, tmp_path, mark):
    rows = "".join(f"u{mark}{i % 3},{'mn'[i % 2]}\n" for i in range(30))
    (tmp_path / "rows.csv").write_text(f"a,y\n{rows}", encoding="utf-8")
    fitted, stored = both(run, tmp_path, "rows.csv", "-t", "y")
    assert stored == fitted


@pytest.mark.parametrize(
    ("name", "cell"),
    [("id", str), ("plant", lambda i: f"0{i % 1500}"), ("day", lambda i: 20240000 + i)],
)
def test_many_numbers_that_are_no_numbers_are_read_as_fit_reads_them(
    run, tmp_path, name, cell
):
    rows = "".join(f"{cell(i)},{i % 7},{'mn'[i % 2]}\n" for i in range(3000))
    (tmp_path / "rows.csv").write_text(f"{name},a,y\n{rows}")
    fitted, stored = both(run, tmp_path, "rows.csv", "-t", "y")
    assert stored == fitted


@pytest.mark.parametrize("target", ["y", "x"])
def test_a_decimal_comma_is_read_as_fit_reads_it(run, tmp_path, target):
    rows = "".join(f"{i % 9},5;{i % 4}.5;{'mn'[i % 2]}\n" for i in range(60))
    (tmp_path / "rows.csv").write_text(f"x;version;y\n{rows}")
    asked = ["-t", target, "--decimal", ",", "--delimiter", ";"]
    fitted, stored = both(run, tmp_path, "rows.csv", *asked)
    assert stored == fitted
    kinds = [a.kind for a in sklazy.load(tmp_path / "store").cases_.schema.attributes]
    assert kinds == (["numeric", "nominal"] if target == "y" else ["nominal"] * 2)


@pytest.mark.parametrize("cell", ["{} EUR", "2024-01-{:02} 12:00"])
def test_a_target_that_is_read_from_text_is_that_of_fit(run, tmp_path, cell):
    rows = "".join(f"{i % 3},{cell.format(i % 20 + 1)}\n" for i in range(60))
    (tmp_path / "rows.csv").write_text(f"a,y\n{rows}")
    fitted, stored = both(run, tmp_path, "rows.csv", "-t", "y")
    assert stored == fitted


def test_columns_of_frames_are_what_they_are_said_to_be(run, tmp_path):
    frame = pd.DataFrame({"b": [True, False] * 9, "n": ["1", "2", "3"] * 6})
    frame["y"] = ["0.5", "1.5"] * 9
    frame.to_parquet(tmp_path / "rows.parquet")
    asked = ["-t", "y", "--kind", "b=numeric", "--kind", "n=numeric"]
    fitted, stored = both(run, tmp_path, "rows.parquet", *asked)
    assert stored == fitted
