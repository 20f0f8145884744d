"""`sklazy store`: the file that `fit` writes, from rows that are read as they come."""

import csv
import os
import resource
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sklazy
from sklazy.casebase import outline
from sklazy.casebase.spooling import Spool
from sklazy.errors import BadFileError, BadInputError, DataWarning
from sklazy.tables import streams, surveying
from sklazy.tables.read import survey_table


@pytest.fixture
def few_at_once(monkeypatch):
    monkeypatch.setattr(streams, "ROWS", 7)
    monkeypatch.setattr(surveying, "FEW_NUMBERS", 5)
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
    assert f"on {n_rows} cases in stored" in out
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
        surveyed = survey_table(str(path), lambda n: None)
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
        (["rows.csv", "-t", "y", "-m", "svm"], "cannot be stored"),
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


def test_a_disk_that_is_full_leaves_nothing_behind(tmp_path):
    big_file(tmp_path / "rows.csv")
    process = subprocess.run(
        store_command(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (90_000, 90_000)),
    )
    assert process.returncode == 1, process.stderr
    assert "out.sklazy" in process.stderr
    assert os.listdir(tmp_path) == ["rows.csv"]
