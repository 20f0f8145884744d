"""Journals of a server are whole or refused by name: no acknowledged change is lost."""

import contextlib
import hashlib
import json
import os
import struct

import pytest

from killing import COLUMNS, make_model
from sklazy.errors import BadFileError, DataWarning
from sklazy.storage import records
from sklazy.web.problems import Problem
from sklazy.web.serve import store as store_module
from sklazy.web.serve.journal import create_journal, open_journal
from sklazy.web.serve.store import Store

ROWS = {f"r{i}": ([float(i), "red"], "ab"[i % 2]) for i in range(6)}
CHANGES = [{"a": 1.1}, {"b": ["é\ud800", None]}, {}]


def add(store, name):
    store.add([dict(zip(COLUMNS, [2.5, "green"], strict=True))], ["a"], [name])


@pytest.fixture
def folder(tmp_path):
    """A folder of a server that added three rows."""
    make_model(ROWS).save(tmp_path / "model")
    with contextlib.closing(Store.open(tmp_path / "model", tmp_path / "folder")) as one:
        for name in ("x", "y", "z"):
            add(one, name)
    return tmp_path / "folder"


@pytest.fixture
def log(folder):
    return folder / "journal-1.log"


def names_in(folder, **options):
    """The ids of rows that a folder has."""
    with contextlib.closing(Store.open(folder, **options)) as store:
        return set(store.model.ids_)


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# --- changes as records ---------------------------------------------------------------


def test_a_journal_has_what_was_appended(tmp_path):
    journal = create_journal(tmp_path / "log")
    for change in CHANGES:
        journal.append(change)
    assert journal.n_records == 3
    journal.close()
    changes, journal = open_journal(tmp_path / "log")
    journal.close()
    assert changes == CHANGES


# --- damage ---------------------------------------------------------------------------


def test_a_flipped_bit_loses_no_acknowledged_change(folder, log):
    check_flips(folder, log, 149)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_no_flipped_bit_loses_an_acknowledged_change(folder, log):
    check_flips(folder, log, 1)


def check_flips(folder, log, step):
    """Every so-manieth bit of a journal: the server refuses to start, by name."""
    data, before = log.read_bytes(), files_of(folder)
    for bit in range(0, 8 * len(data), step):
        altered = bytearray(data)
        altered[bit // 8] ^= 1 << bit % 8
        log.write_bytes(altered)
        with pytest.raises(BadFileError, match=r"journal-1\.log: .* --salvage"):
            Store.open(folder)
        log.write_bytes(data)
        assert files_of(folder) == before
    assert names_in(folder) == {*ROWS, "x", "y", "z"}


def test_a_cut_journal_is_refused(folder, log):
    data = log.read_bytes()
    for length in (0, 9, 34, 60, len(data) // 2, len(data) - 1):
        log.write_bytes(data[:length])
        with pytest.raises(BadFileError, match=r"journal-1\.log: .* --salvage"):
            Store.open(folder)
        assert log.read_bytes() == data[:length]


def test_an_error_names_file_record_byte_fault_and_way_out(folder, log):
    data = bytearray(log.read_bytes())
    length = struct.unpack_from("<Q", data, 34 + 8)[0]
    second = 34 + 32 + length + 32
    data[second + 8] ^= 4
    log.write_bytes(data)
    with pytest.raises(BadFileError) as caught:
        Store.open(folder)
    assert str(caught.value) == (
        f"{log}: record 2, at byte {second}, has a header that does not match its "
        "checksum; 3 were acknowledged. Nothing was changed. Restore the journal's "
        "folder from a copy, or start once with --salvage: it goes on from what is "
        "whole before the damage, and keeps a copy."
    )


def test_what_is_whole_is_salvaged(folder, log):
    data = bytearray(log.read_bytes())
    data[data.index(b'"y"')] ^= 1
    log.write_bytes(data)
    with pytest.warns(DataWarning, match=r"record 2, .* Salvaged: 1 records"):
        assert names_in(folder, salvage=True) == {*ROWS, "x"}
    assert (folder / "journal-1.log.cut-1").read_bytes() == data
    assert names_in(folder) == {*ROWS, "x"}


def test_a_journal_that_is_gone_is_noticed(folder, log):
    log.unlink()
    before = files_of(folder)
    with pytest.raises(BadFileError, match=r"journal-1\.log: .* missing"):
        Store.open(folder)
    assert files_of(folder) == before
    assert names_in(folder, salvage=True) == {*ROWS}
    assert names_in(folder) == {*ROWS}


def test_a_snapshot_that_is_gone_does_not_begin_the_journal_anew(folder, tmp_path):
    (folder / "snapshot-1.sklazy").unlink()
    before = files_of(folder)
    with pytest.raises(
        BadFileError, match=r"journal-1\.log: .* snapshot that is missing"
    ):
        Store.open(tmp_path / "model", folder)
    assert files_of(folder) == before


def test_a_folder_whose_first_snapshot_never_came_is_begun_anew(folder, tmp_path):
    (folder / "snapshot-1.sklazy").unlink()
    (folder / "journal-1.log").unlink()
    create_journal(folder / "journal-1.log").close()
    with contextlib.closing(Store.open(tmp_path / "model", folder)) as store:
        assert set(store.model.ids_) == {*ROWS}


# --- a server that ended in mid-write -------------------------------------------------


def tear(log):
    """Let the last change be one that was being written; the bytes of it."""
    data = log.read_bytes()
    end = data.rindex(b'"z"')
    first = data.rindex(struct.pack("<Q", 3), 0, end)
    log.write_bytes(records._pack_head(2) + data[34:end] + b'"z')
    return data[first:end] + b'"z'


def test_a_torn_change_is_cut_off_and_kept_until_rows_are_forgotten(folder, log):
    torn = tear(log)
    with pytest.warns(DataWarning, match=r"record 3, .* kept in journal-1\.log\.cut-1"):
        store = Store.open(folder)
    assert set(store.model.ids_) == {*ROWS, "x", "y"}
    assert (folder / "journal-1.log.cut-1").read_bytes() == torn
    add(store, "z")
    store.close()
    with contextlib.closing(Store.open(folder)) as store:
        assert (folder / "journal-1.log.cut-1").read_bytes() == torn
        store.forget(["z"])
        assert not any(b'"z' in data for data in files_of(folder).values())


# --- journals of format 1 -------------------------------------------------------------


def first_format(changes):
    """A journal as sklazy wrote it before records had numbers."""
    data = last = b"SKLAZYJ\x1a\x01\n"
    for change in changes:
        text = json.dumps(change).encode()
        body = struct.pack("<I", len(text)) + text
        last = hashlib.sha256(last + body).digest()
        data += body + last
    return data


def as_first_format(log):
    changes, journal = open_journal(log)
    journal.close()
    log.write_bytes(first_format(changes))
    return log.read_bytes()


def test_a_journal_of_format_1_is_read_and_replaced(folder, log):
    as_first_format(log)
    assert names_in(folder) == {*ROWS, "x", "y", "z"}
    assert not log.exists()
    assert names_in(folder) == {*ROWS, "x", "y", "z"}


def test_an_empty_journal_of_format_1_is_replaced(folder, log):
    log.write_bytes(first_format([]))
    with contextlib.closing(Store.open(folder)) as store:
        add(store, "new")
    assert names_in(folder) == {*ROWS, "new"}


def test_a_damaged_journal_of_format_1_is_refused(folder, log):
    data = as_first_format(log)
    damages = [data[:-1], data[:-40], data + b"\0", data[:13] + b"\x04" + data[14:]]
    damages += [data[:11] + bytes([data[11] ^ 4]) + data[12:]]
    for altered in damages:
        log.write_bytes(altered)
        with pytest.raises(BadFileError, match=r"record \d, at byte .* --salvage"):
            Store.open(folder)
        assert log.read_bytes() == altered
    log.write_bytes(data[:-1])
    with pytest.warns(DataWarning, match="Salvaged: 2 records"):
        assert names_in(folder, salvage=True) == {*ROWS, "x", "y"}
    assert (folder / "journal-1.log.cut-1").read_bytes() == data[:-1]


# --- generations ----------------------------------------------------------------------


@pytest.mark.parametrize("is_there", [True, False])
def test_nothing_is_added_if_it_is_not_known_which_journal_counts(
    folder, monkeypatch, is_there
):
    monkeypatch.setattr(store_module, "_MOST_RECORDS", 2)
    store = Store.open(folder)
    save = type(store.model).save

    def interrupted(model, path):
        if is_there:
            save(model, path)
        raise KeyboardInterrupt

    add(store, "p")
    with monkeypatch.context() as patch:
        patch.setattr(type(store.model), "save", interrupted)
        with pytest.raises(KeyboardInterrupt):
            add(store, "q")
    with pytest.raises(Problem, match="changes are refused"):
        add(store, "lost")
    store.close()
    assert names_in(folder) == {*ROWS, *"xyzpq"}


def test_a_journal_is_on_the_disk_before_its_snapshot(folder, monkeypatch):
    store = Store.open(folder)
    events, save, sync = [], type(store.model).save, os.fsync

    def note(model, path):
        events.append("save")
        save(model, path)

    monkeypatch.setattr(type(store.model), "save", note)
    monkeypatch.setattr(os, "fsync", lambda file: events.append("sync") or sync(file))
    store.forget(["x"])
    store.close()
    assert events.index("save") >= 2  # the file and its name
