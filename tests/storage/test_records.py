"""Logs: what was written is there, torn ends are cut off, all other damage is refused.

In an intact log all records are acknowledged in the head; where a process ended in
mid-write the last one is not.
"""

import contextlib
import itertools
import os
import pathlib
import stat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklazy.errors import BadFileError, DataWarning
from sklazy.storage import records
from sklazy.storage.records import NO_RECORDS, RESTORE, Log, read_log

CONTENTS = [b"first", b"", b"\0\0 zeros around \0", b"the last one"]


def write(path, contents=CONTENTS):
    """Write a log; where its records begin, and where the last one ends."""
    Log.create(path)
    log, _ = Log.open(path)
    places = [path.stat().st_size]
    for content in contents:
        log.append(content)
        places.append(path.stat().st_size)
    log.close()
    return places


def read(path, **options):
    log, contents = Log.open(path, **options)
    log.close()
    return contents


def flips(data, first=0, last=None):
    """Every byte of some, and the data with each of its bits flipped."""
    for place in range(first, len(data) if last is None else last):
        for bit in range(8):
            yield (
                place,
                data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :],
            )


def unacknowledged(data):
    """A log as it is if the process ends before the last record is acknowledged."""
    return records._pack_head(len(CONTENTS) - 1) + data[NO_RECORDS:]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "log"


@pytest.fixture
def places(path):
    return write(path)


@pytest.fixture(scope="module")
def intact(tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "log"
    write(path)
    return path.read_bytes()


def check_refused(data, where="log: "):
    """Bytes are refused as a log, by name."""
    with pytest.raises(BadFileError) as caught:
        read_log(data, pathlib.Path("log"), RESTORE)
    text = str(caught.value)
    assert where in text
    assert text.startswith("log: ")
    assert text.endswith("Restore the file from a copy.")


def name_place(places, place):
    """The record in which a byte lies, as errors name it."""
    number = sum(first <= place for first in places[:-1])
    return f"record {number}, at byte {places[number - 1]}, " if number else "head"


def test_a_log_has_what_was_appended(path, places):
    assert read(path) == CONTENTS
    log, _ = Log.open(path)
    log.append(b"more")
    assert log.n_records == 5
    log.close()
    assert read(path) == [*CONTENTS, b"more"]


# --- damage ---------------------------------------------------------------------------


def test_every_flipped_bit_is_refused_by_name(path, places):
    for place, data in flips(path.read_bytes()):
        check_refused(data, name_place(places, place))


def test_every_truncation_is_refused_by_name(path, places):
    data = path.read_bytes()
    for length in range(len(data)):
        check_refused(data[:length], name_place(places, length))


def test_a_file_that_is_refused_stays_as_it_is(path, places, intact):
    for data in (intact[:-1], intact[:-40], intact[:9], intact[:40] + intact[41:]):
        path.write_bytes(data)
        with pytest.raises(BadFileError, match="Restore the file from a copy"):
            Log.open(path)
        assert path.read_bytes() == data
        assert os.listdir(path.parent) == [path.name]


def test_records_in_another_order_or_of_another_log_are_refused(path, places, tmp_path):
    data = path.read_bytes()
    pieces = [data[a:b] for a, b in itertools.pairwise(places)]
    for other in ([1, 0, 2, 3], [0, 1, 1, 3], [0, 2, 3, 3]):
        check_refused(data[:NO_RECORDS] + b"".join(pieces[i] for i in other), "record")
    write(tmp_path / "other", [b"other", *CONTENTS[1:]])
    elsewhere = (tmp_path / "other").read_bytes()
    assert len(elsewhere) == len(data)
    check_refused(data[: places[2]] + elsewhere[places[2] :], "record 3")


@pytest.mark.parametrize(
    "behind", [b"\n", b"\1", bytes(70) + b"\1"], ids=["line", "one", "zeros and one"]
)
def test_bytes_that_nobody_wrote_are_refused(path, places, behind):
    check_refused(path.read_bytes() + behind, "record 5")


@settings(max_examples=200)
@given(st.data())
def test_any_bytes_in_the_place_of_others_lose_no_record(intact, data):
    first = data.draw(st.integers(0, len(intact)))
    last = data.draw(st.integers(first, len(intact)))
    piece = data.draw(st.binary(max_size=80) | st.integers(0, 80).map(bytes))
    altered = intact[:first] + piece + intact[last:]
    with contextlib.suppress(BadFileError):
        assert read_log(altered, pathlib.Path("log"), "").contents == CONTENTS


def test_the_first_records_are_salvaged_if_that_is_wanted(path, places, intact):
    damages = [data for _, data in list(flips(intact))[::271]]
    damages += [intact[:length] for length in range(0, len(intact), 29)]
    for data in damages:
        path.write_bytes(data)
        with pytest.warns(DataWarning, match="Salvaged"):
            contents = read(path, salvage=True)
        assert contents == CONTENTS[: len(contents)]
        whole = sum(data[:end] == intact[:end] for end in places[1:])
        assert len(contents) >= whole
        copy = path.with_name("log.cut-1")
        assert copy.read_bytes() == data
        copy.unlink()
        assert read(path) == contents


# --- a process that ended in mid-write ------------------------------------------------


def test_a_torn_end_is_told_from_damage(path, places):
    data = unacknowledged(path.read_bytes())
    for length in range(places[-2] + 1, len(data)):
        torn = read_log(data[:length], path, "")
        assert (torn.contents, torn.end) == (CONTENTS[:-1], places[-2])
        assert torn.fault.is_torn
    for n_whole in (3, 4):
        whole = read_log(data[: places[n_whole]], path, "")
        assert (whole.contents, whole.fault) == (CONTENTS[:n_whole], None)
    for length in range(places[-2]):
        check_refused(data[:length], name_place(places, length))


@pytest.mark.parametrize("n_bytes", [1, 16, 31, 32, 40, 75])
def test_a_torn_end_is_cut_off_and_kept(path, places, n_bytes):
    data = unacknowledged(path.read_bytes())[: places[-2] + n_bytes]
    path.write_bytes(data)
    with pytest.warns(
        DataWarning, match=f"log: record 4, at byte {places[-2]}, is cut"
    ):
        assert read(path) == CONTENTS[:-1]
    assert path.with_name("log.cut-1").read_bytes() == data[places[-2] :]
    assert read(path) == CONTENTS[:-1]  # from now on without a warning
    assert sorted(os.listdir(path.parent)) == ["log", "log.cut-1"]


def test_no_flipped_bit_passes_for_a_torn_end(path, places):
    for place, data in flips(unacknowledged(path.read_bytes())):
        check_refused(data, name_place(places, place))


@pytest.mark.parametrize("n_behind", [0, 600])
def test_zeros_that_a_power_cut_left_pass_for_a_torn_end(path, places, n_behind):
    data = unacknowledged(path.read_bytes())
    for first in range(len(data)):
        zeros = data[:first] + bytes(len(data) - first + n_behind)
        if places[-2] <= first <= len(data) - 32:  # at least all of the checksum
            torn = read_log(zeros, path, "")
            assert (torn.contents, torn.end) == (CONTENTS[:-1], places[-2])
        else:
            check_refused(zeros)


def test_zeros_behind_all_records_are_cut_off(path, places):
    path.write_bytes(path.read_bytes() + bytes(500))
    with pytest.warns(DataWarning, match="record 5, at byte .*, is not there"):
        assert read(path) == CONTENTS
    assert path.stat().st_size == places[-1]
    assert path.with_name("log.cut-1").read_bytes() == bytes(500)


def test_what_was_cut_off_before_stays(path, places):
    path.chmod(0o600)
    for number in (1, 2):
        with open(path, "ab") as file:
            file.write(b"\5")
        with pytest.warns(DataWarning, match=rf"log\.cut-{number}"):
            read(path)
    for number in (1, 2):
        copy = path.with_name(f"log.cut-{number}")
        assert copy.read_bytes() == b"\5"
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600


def test_a_process_may_end_at_any_byte_of_a_write(path, places, monkeypatch):
    moments = []

    def byte_by_byte(descriptor, data):
        for one in data:
            moments.append(path.read_bytes())
            os.write(descriptor, bytes([one]))

    log, _ = Log.open(path)
    # The head is in one sector of the disk, which is written as a whole.
    monkeypatch.setattr(
        records,
        "_write_all",
        lambda descriptor, data: (
            os.write(descriptor, data)
            if len(data) == NO_RECORDS
            else byte_by_byte(descriptor, data)
        ),
    )
    log.append(b"new")
    log.close()
    monkeypatch.undo()
    moments.append(path.read_bytes())
    assert len(moments) == 64 + 3 + 1
    for data in moments[:-1]:
        assert read_log(data, path, "").contents == CONTENTS
    assert read_log(moments[-1], path, "").contents == [*CONTENTS, b"new"]


def test_a_record_is_on_the_disk_before_it_is_acknowledged(path, places, monkeypatch):
    events, write_all, sync = [], records._write_all, os.fsync

    def note(descriptor, data):
        events.append("head" if len(data) == NO_RECORDS else "record")
        write_all(descriptor, data)

    log, _ = Log.open(path)
    monkeypatch.setattr(records, "_write_all", note)
    monkeypatch.setattr(os, "fsync", lambda file: events.append("sync") or sync(file))
    log.append(b"new")
    log.close()
    assert events == ["record", "sync", "head"]


# --- writes that fail -----------------------------------------------------------------


def half(descriptor, data):
    os.write(descriptor, data[: len(data) // 2])
    raise OSError(28, "No space left on device")


def test_a_record_that_cannot_be_written_leaves_no_half(path, places, monkeypatch):
    before = path.read_bytes()
    log, _ = Log.open(path)
    with monkeypatch.context() as patch:
        patch.setattr(records, "_write_all", half)
        with pytest.raises(OSError, match="space"):
            log.append(b"lost")
    assert path.read_bytes() == before
    log.append(b"new")
    log.close()
    assert read(path) == [*CONTENTS, b"new"]


def test_a_half_that_cannot_be_removed_is_removed_later(path, places, monkeypatch):
    class Stuck:
        def __init__(self, file):
            self.file = file

        def __getattr__(self, name):
            return getattr(self.file, name)

        def truncate(self, _):
            raise OSError(5, "Input/output error")

    log, _ = Log.open(path)
    with monkeypatch.context() as patch:
        patch.setattr(records, "_write_all", half)
        patch.setattr(log, "_file", Stuck(log._file))
        with pytest.raises(OSError, match="Input"):
            log.append(b"long " * 90)
    assert path.stat().st_size > places[-1]
    log.append(b"new")
    log.close()
    assert read(path) == [*CONTENTS, b"new"]


@pytest.mark.parametrize("is_written", [True, False])
@pytest.mark.parametrize("goes_on", [True, False])
def test_an_interrupt_before_a_record_is_counted(
    path, places, monkeypatch, is_written, goes_on
):
    write_all = records._write_all

    def interrupted(descriptor, data):
        if is_written or len(data) != NO_RECORDS:
            write_all(descriptor, data)
        if len(data) == NO_RECORDS:
            raise KeyboardInterrupt

    log, _ = Log.open(path)
    with monkeypatch.context() as patch:
        patch.setattr(records, "_write_all", interrupted)
        with pytest.raises(KeyboardInterrupt):
            log.append(b"a long one, interrupted")
    if goes_on:  # whoever was interrupted takes it that nothing was written
        log.append(b"new")
    log.close()
    assert read(path) == [*CONTENTS, b"new" if goes_on else b"a long one, interrupted"]


def test_a_head_that_cannot_be_written_is_no_reason_to_refuse(
    path, places, monkeypatch
):
    def full(descriptor, data):
        if len(data) == NO_RECORDS:
            raise OSError(28, "No space left on device")
        os.write(descriptor, data)

    log, _ = Log.open(path)
    with monkeypatch.context() as patch:
        patch.setattr(records, "_write_all", full)
        log.append(b"new")
        log.append(b"newer")
    log.close()
    assert read(path) == [*CONTENTS, b"new", b"newer"]


def test_a_log_that_is_not_there_is_refused(path):
    with pytest.raises(BadFileError, match="cannot be read"):
        Log.open(path)
    assert not path.exists()
