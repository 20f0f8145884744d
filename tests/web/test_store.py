"""Changes that outlive the process: journal, snapshots, kills, erasure."""

import contextlib
import json
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import sklazy
from killing import COLUMNS, make_model
from sklazy.errors import BadFileError, BadInputError, UnknownIdError
from sklazy.storage import records
from sklazy.web.problems import Problem
from sklazy.web.serve import store as store_module
from sklazy.web.serve.journal import open_journal
from sklazy.web.serve.store import Store

SCRIPT = Path(__file__).parents[1] / "helpers" / "killing.py"
ROWS = {f"r{i}": ([float(i), "red"], "ab"[i % 2]) for i in range(12)}
SECRET_NUMBER, SECRET_LABEL, SECRET_ID = 7654.321098765, "a label to forget", "gone-1"


def as_dicts(*cells):
    return [dict(zip(COLUMNS, row, strict=True)) for row in cells]


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.sklazy"
    make_model(ROWS).save(path)
    return path


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "journal"


def bytes_of(folder):
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


def changes_in(path):
    """The changes in a journal."""
    changes, journal = open_journal(path)
    journal.close()
    return changes


def reopened(folder):
    """The model in a folder."""
    with contextlib.closing(Store.open(folder)) as store:
        return store.model


# --- the store ------------------------------------------------------------------------


def test_changes_are_there_after_opening_again(model, folder):
    store = Store.open(model, folder)
    assert store.add(
        as_dicts([2.5, "green"], [None, None]), ["c", "a"], ["x", "y"]
    ) == [
        "x",
        "y",
    ]
    store.forget(["r3", "x"])
    store.add(as_dicts([9.5, "red"]), ["b"], ["z"])
    digest = store.model.digest()
    store.close()
    rows = {k: v for k, v in ROWS.items() if k != "r3"}
    rows |= {"y": ([None, None], "a"), "z": ([9.5, "red"], "b")}
    assert digest == make_model(rows).digest()
    for again in (model, folder, folder):
        store = Store.open(again, folder)
        assert store.model.digest() == digest
        assert set(store.model.ids_) == set(rows)
        store.close()


def test_numbers_as_ids_go_on_where_they_were(tmp_path, folder):
    model = sklazy.LazyKNeighborsClassifier().fit([[1.0], [2.0]] * 3, ["a", "b"] * 3)
    model.save(tmp_path / "model")
    store = Store.open(tmp_path / "model", folder)
    assert store.add([{"x0": 3.0}], ["a"]) == [6]
    store.forget([6])
    assert store.add([{"x0": 3.0}, {"x0": 4.0}], ["a", "b"]) == [7, 8]
    store.close()
    store = Store.open(folder)
    assert store.add([{"x0": 3.0}], ["a"]) == [9]
    store.close()


def test_a_change_that_is_refused_changes_nothing(model, folder):
    store = Store.open(model, folder)
    digest, before = store.model.digest(), bytes_of(folder)
    with pytest.raises(BadInputError, match="taken"):
        store.add(as_dicts([1.0, "red"]), ["a"], ["r1"])
    with pytest.raises(UnknownIdError):
        store.forget(["r1", "nobody"])
    with pytest.raises(BadInputError, match="times"):
        store.add(as_dicts([1.0, "red"]), ["a"], ["new"], times=[1])
    assert store.model.digest() == digest
    assert bytes_of(folder) == before
    store.close()


def test_an_add_that_cannot_be_written_was_never_there(model, folder, monkeypatch):
    store = Store.open(model, folder)
    digest = store.model.digest()

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(records, "_write_all", full)
        with pytest.raises(OSError, match="space"):
            store.add(as_dicts([1.0, "red"]), ["a"], ["new"])
    assert store.model.digest() == digest
    store.add(as_dicts([1.0, "red"]), ["a"], ["new"])
    store.close()


def test_a_forget_that_cannot_be_written_ends_all_changes(model, folder, monkeypatch):
    store = Store.open(model, folder)

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(type(store.model), "save", full)
        with pytest.raises(OSError, match="space"):
            store.forget(["r1"])
    assert store.is_broken
    with pytest.raises(Problem) as found:
        store.add(as_dicts([1.0, "red"]), ["a"], ["new"])
    assert found.value.status == 503
    store.close()
    assert "r1" in set(reopened(folder).ids_)  # it was never acknowledged


def test_what_is_forgotten_is_in_no_file(model, folder):
    store = Store.open(model, folder)
    marks = [SECRET_ID.encode(), SECRET_LABEL.encode(), b"7654.3210"]
    marks.append(struct.pack("<d", SECRET_NUMBER))
    store.add(as_dicts([SECRET_NUMBER, SECRET_LABEL]), ["a"], [SECRET_ID])
    assert sum(mark in bytes_of(folder) for mark in marks) == 3  # in the journal
    store.close()
    store = Store.open(folder)
    assert sum(mark in bytes_of(folder) for mark in marks) == 3  # in the snapshot
    store.add(as_dicts([1.0, "red"]), ["a"], ["another"])
    store.forget([SECRET_ID])
    assert not any(mark in bytes_of(folder) for mark in marks)
    assert len([*folder.glob("snapshot*")]) == len([*folder.glob("journal*")]) == 1
    store.close()
    assert b"another" in bytes_of(folder)


def test_what_a_killed_server_left_is_removed(model, folder):
    Store.open(model, folder).close()
    newest = next(iter(folder.glob("snapshot-*")))
    for name in ("snapshot-0.sklazy", "journal-0.log", ".snapshot-9.sklazy.1.0.part"):
        (folder / name).write_bytes(SECRET_LABEL.encode())
    (folder / "journal-9.log").write_bytes(b"half")
    (folder / ".snapshot-0.sklazy.lock").touch()
    (folder / ".refit-1").mkdir()  # of an erasure
    (folder / ".refit-1" / "refit").write_bytes(SECRET_LABEL.encode())
    scratch = folder / f".{newest.name}.1.0.part"
    scratch.mkdir()
    (scratch / "refit").write_bytes(SECRET_LABEL.encode())
    store = Store.open(folder)
    assert {path.name for path in folder.iterdir()} == {
        *("lock", "origin", newest.name, "journal-1.log")
    }
    store.close()


def test_a_long_journal_becomes_a_snapshot(model, folder, monkeypatch):
    monkeypatch.setattr(store_module, "_MOST_RECORDS", 3)
    store = Store.open(model, folder)
    for n in range(7):
        store.add(as_dicts([1.0, "red"]), ["a"], [f"n{n}"])
    digest = store.model.digest()
    store.close()
    assert (folder / "journal-3.log").exists()
    assert len(changes_in(folder / "journal-3.log")) == 1
    assert reopened(folder).digest() == digest


def test_a_folder_has_one_server(model, folder):
    store = Store.open(model, folder)
    with pytest.raises(BadInputError, match="another server uses"):
        Store.open(folder)
    store.close()
    Store.open(folder).close()


def test_a_journal_of_another_model_is_refused(model, folder, tmp_path):
    Store.open(model, folder).close()
    make_model(dict(list(ROWS.items())[:-1])).save(tmp_path / "other")
    with pytest.raises(BadInputError, match="did not begin with the model"):
        Store.open(tmp_path / "other", folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadFileError, match="no snapshot"):
        Store.open(tmp_path / "empty")


def test_without_a_journal_nothing_changes(model):
    store = Store.open(model)
    for change in (lambda: store.forget(["r1"]), lambda: store.add([], [])):
        with pytest.raises(Problem) as found:
            change()
        assert found.value.status == 409


# --- kills ----------------------------------------------------------------------------


def kill(folder, kills, seed):
    command = [sys.executable, str(SCRIPT), str(folder), str(kills), str(seed)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_a_killed_process_loses_nothing_that_it_acknowledged(tmp_path):
    found = kill(tmp_path, 8, 0)
    assert found["begun"] + found["acknowledged"] > 0


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_thousand_kills(tmp_path):
    found = kill(tmp_path, 1000, 1)
    assert found["acknowledged"] > 200
    assert found["begun"] > 200
