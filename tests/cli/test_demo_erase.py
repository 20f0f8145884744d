"""`sklazy demo erase`: the search, the stores, the table and the certificate."""

import contextlib
import json
import os
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np
import pytest

from sklazy.cli import demo_erase, erasing_trials
from sklazy.cli.demo_erase import summarize_trials
from sklazy.cli.erasing_stores import (
    CLEAN_UP,
    DELETE,
    PUT_IN,
    REWRITE,
    STORES,
    ForgetfulStore,
    StoreStep,
)
from sklazy.cli.erasing_traces import find_blind, find_person, make_people
from sklazy.cli.erasing_trials import SearchedStep, Trial, search_after, try_store

BY_NAME = {store.name: store for store in STORES}
OTHERS = sorted(set(BY_NAME) - {"SQLite"})


@pytest.fixture
def only_sqlite(monkeypatch, tmp_path):
    """Leave the other stores out, and make temporary folders in one that is empty."""
    absent = ForgetfulStore(
        "Absent", "no_such_store", "no-such-store", BY_NAME["SQLite"].steps
    )
    monkeypatch.setattr(demo_erase, "STORES", (BY_NAME["SQLite"], absent))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path / "temporary"


# --- the search -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("name", lambda person: person.name.encode()),
        ("name", lambda person: person.name.encode("utf-16-le")),
        ("number", lambda person: struct.pack("<q", person.number)),
        ("number", lambda person: struct.pack(">q", person.number)),
        ("number", lambda person: struct.pack("<d", person.number)),
        ("number", lambda person: f"no. {person.number}".encode()),
        ("vector", lambda person: person.vector.tobytes()),
        ("vector", lambda person: person.vector[11:16].tobytes()),
        ("vector", lambda person: person.vector.astype(float).tobytes()),
        ("vector", lambda person: struct.pack("<d", person.vector[31])),
    ],
)
def test_each_form_is_found_where_it_is_and_nowhere_else(tmp_path, name, write):
    people = make_people()
    (tmp_path / "deep").mkdir()
    (tmp_path / "empty").touch()
    others = (np.delete(people.vectors, 150, axis=0) + 0).tobytes()
    (tmp_path / "others").write_bytes(others)
    (tmp_path / "deep" / "file").write_bytes(b"x" + write(people.person) + b"x")
    traces = find_person(tmp_path, people.person)
    assert traces.pop(name) == ["deep/file"]
    assert not any(traces.values())


def test_a_search_is_blind_where_those_who_stay_are_not_seen(tmp_path):
    people = make_people()
    (tmp_path / "names").write_text("\n".join(people.names))
    assert find_blind(tmp_path, people) == ["number", "vector"]
    left = [name for name in people.names if name != people.witnesses[3].name]
    (tmp_path / "names").write_text("\n".join(left))
    assert find_blind(tmp_path, people) == ["name", "number", "vector"]
    assert people.person.name not in [witness.name for witness in people.witnesses]


def test_a_delete_that_is_not_secure_is_noticed(tmp_path):
    people = make_people()
    put_in = next(BY_NAME["SQLite"].steps(tmp_path, people))
    assert put_in.kind == PUT_IN
    with contextlib.closing(sqlite3.connect(tmp_path / "people.sqlite")) as database:
        database.execute("PRAGMA secure_delete = OFF")
        database.execute("DELETE FROM people WHERE name = ?", [people.person.name])
        database.commit()
    step = search_after(StoreStep(DELETE, ""), tmp_path, people)
    assert step.held == ["name", "number", "vector"]
    assert not step.is_clean


# --- the stores -----------------------------------------------------------------------


def test_sqlite_forgets_after_its_clean_up(tmp_path):
    trial = try_store(BY_NAME["SQLite"], tmp_path)
    assert trial.version == sqlite3.sqlite_version
    assert [step.kind for step in trial.steps] == [PUT_IN, DELETE, CLEAN_UP]
    assert trial.steps[0].files == ["people.sqlite"]
    assert trial.steps[-1].is_clean
    assert not trial.steps[-1].blind


@pytest.mark.parametrize("name", OTHERS)
def test_other_stores_are_tried_where_they_are_installed(name, tmp_path):
    pytest.importorskip(BY_NAME[name].module)
    trial = try_store(BY_NAME[name], tmp_path)
    assert not trial.problem
    first, second, *_ = trial.steps
    assert (first.kind, second.kind) == (PUT_IN, DELETE)
    assert first.held  # else the search would prove nothing
    assert set(first.traces) == set(BY_NAME[name].keeps)


def test_a_store_that_is_not_installed_or_fails_is_listed_as_such(
    tmp_path, monkeypatch
):
    absent = BY_NAME["DuckDB"]._replace(module="no_such_store")
    assert try_store(absent, tmp_path).problem == "not installed: pip install duckdb"
    unknown = BY_NAME["SQLite"]._replace(
        name="Unknown"
    )  # the process has no such store
    trial = try_store(unknown, tmp_path)
    assert trial.problem == "failed (1): StopIteration"
    assert trial.forgot_by is None
    monkeypatch.setattr(erasing_trials, "MAX_SECONDS", 0.01)
    assert "more than 0.01 seconds" in try_store(BY_NAME["SQLite"], tmp_path).problem


def test_no_store_is_imported_before_it_is_tried():
    modules = {store.module for store in STORES} - {"sqlite3"}
    code = f"import sys, sklazy.cli.demo_erase; assert not {modules} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


# --- the command ----------------------------------------------------------------------


def test_the_table_ends_with_a_certificate(run, only_sqlite, tmp_path):
    code, out, err = run("demo", "erase", "--html", "gone.html")
    assert code == 0
    assert "SQLite" in err
    flat = " ".join(out.replace("│", " ").split())
    assert f"SQLite {sqlite3.sqlite_version}" in flat
    assert "not installed: pip install no-such-store" in flat
    assert "Erasure of 1 row: proved" in out
    assert out.rstrip().endswith("The certificate was checked with the model's file.")
    page = (tmp_path / "gone.html").read_text("utf-8")
    assert make_people().person.name not in page
    assert not list(only_sqlite.iterdir())
    assert not (tmp_path / "demo.html").exists()


def test_the_result_as_json(run, only_sqlite):
    code, out, _ = run("demo", "erase", "--json")
    assert code == 0
    result = json.loads(out)
    sqlite, absent, ours = result["stores"]
    assert sqlite["steps"][0]["traces"]["name"] == ["people.sqlite"]
    assert absent["problem"]
    assert set(ours["steps"][0]["traces"]) == {"name", "number", "vector"}
    assert all(ours["steps"][0]["traces"].values())
    assert not any(ours["steps"][1]["traces"].values())
    assert ours["steps"][1]["blind"] == []
    assert result["certificate"]["proved"]


def test_ctrl_c_leaves_nothing(run, only_sqlite, monkeypatch):
    def interrupt(store, folder):
        (folder / "half").write_text("written")
        raise KeyboardInterrupt

    monkeypatch.setattr(demo_erase, "try_store", interrupt)
    code, _, err = run("demo", "erase")
    assert code == 130
    assert "temporary folder is deleted" in err
    assert not list(only_sqlite.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_ctrl_c_from_a_terminal_leaves_nothing(tmp_path):
    # A shell makes programs in the background deaf to interrupts.
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code += "from sklazy_command import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "demo", "erase"],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + 60
    while not list(tmp_path.glob("sklazy-demo-*")) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert not list(tmp_path.glob("sklazy-demo-*"))


def test_the_summary_orders_stores_by_when_they_forgot():
    def step(kind, *held, blind=()):
        traces = {name: ["file"] * (name in held) for name in ("name", "number")}
        return SearchedStep(kind, "", traces, list(blind))

    put_in = step(PUT_IN, "name", "number")
    trials = [
        Trial("A", "1", [put_in, step(DELETE, "name"), step(REWRITE)]),
        Trial("B", "1", [put_in, step(DELETE, "number")]),
        Trial("C", "1", [put_in, step(DELETE, blind=["number"])]),
        Trial("D", "1", [put_in, step(DELETE, blind=["name", "number"])]),
        Trial("E", "", [], "not installed"),
    ]
    assert summarize_trials(trials) == [
        "Forgot when it was deleted: C (number not visible).",
        "Forgot when the rest was written anew: A.",
        "Did not forget: B.",
        "Cannot be judged by such a search: D (name, number not visible).",
    ]
