"""Files that change with a model: interrupts, leftovers, other writers, questions."""

import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import sklazy
from lawful import quiet
from sklazy.errors import BadFileError, BadInputError, UnknownIdError
from sklazy.storage import locking, outline, placing, redo
from sklazy.storage.added import as_record, end_of_file, pack_rows
from sklazy.storage.files import parse_bytes, to_bytes
from sklazy.storage.packed import PackedRows
from sklazy.storage.stored import parts_of

pytestmark = quiet

RNG = np.random.default_rng(0)
X, Y = RNG.integers(0, 4, (60, 5)), RNG.integers(0, 2, 60)


@pytest.fixture(autouse=True)
def small_segments(monkeypatch):
    monkeypatch.setattr(outline, "SEGMENT", 64)


def fitted(n_rows=60):
    model = sklazy.LazyKNeighborsClassifier(3, categorical_features=[*range(5)])
    return model.fit(X[:n_rows], Y[:n_rows])


@pytest.fixture
def path(tmp_path):
    fitted().save(tmp_path / "cases")
    return tmp_path / "cases"


def opened(path):
    return sklazy.load(path, mmap_mode="r+")


def close(model):
    model.cases_.held.close()


def says(model):
    receipts = [one.to_dict() for one in model.explain(X[:2], reasons=False)]
    return model.predict_proba(X).tolist(), receipts, model.digest(), [*model.ids_]


def interrupt(monkeypatch, times=1, error=KeyboardInterrupt):
    """Let a change be cut short once its bytes are beside the file."""
    finish, left = redo.finish_change, [None] * times

    def cut_short(path):
        if left:
            left.pop()
            raise error
        finish(path)

    monkeypatch.setattr(redo, "finish_change", cut_short)
    monkeypatch.setattr("sklazy.storage.store.finish_change", cut_short)


def leave_a_change(path):
    """A file whose process was killed while it forgot a row."""
    model = opened(path)
    with pytest.MonkeyPatch.context() as patched:
        interrupt(patched, times=9)
        with pytest.raises(KeyboardInterrupt):
            model.forget([7])
    close(model)
    assert redo.redo_of(path).exists()


# --- an interrupt, and the object used on ---------------------------------------------

USED = {
    "forget": lambda model: model.forget([12]),
    "add": lambda model: model.partial_fit(X[:2], Y[:2]),
    "compact": lambda model: model.cases_.compact(),
    "freeze": lambda model: model.cases_.freeze(),
    "refresh": lambda model: model.cases_.refresh(),
    "settle cuts": lambda model: model.cases_.settle_cuts([]),
    "ask": lambda model: model.predict(X),
}


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(5, "no luck")])
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("used", USED)
def test_a_model_is_used_on_after_an_interrupt(path, monkeypatch, used, times, error):
    stored, expected = opened(path), fitted().forget([7])
    interrupt(monkeypatch, times, error)
    with pytest.raises((KeyboardInterrupt, OSError)):
        stored.forget([7])
    for model in (stored, expected):
        if used != "compact" or model is stored:
            USED[used](model)
    assert says(stored) == says(expected)
    assert says(sklazy.load(path)) == says(expected)
    close(stored)


@pytest.mark.parametrize("times", [1, 2])
def test_rows_that_were_being_added_at_an_interrupt_are_there(path, monkeypatch, times):
    stored, expected = opened(path), fitted().partial_fit(X[:2], Y[:2])
    interrupt(monkeypatch, times)
    with pytest.raises(KeyboardInterrupt):
        stored.partial_fit(X[:2], Y[:2])
    stored.forget([3, 61])
    assert says(stored) == says(expected.forget([3, 61]))
    assert says(sklazy.load(path)) == says(expected)
    close(stored)


def test_an_interrupt_of_tidying_up_leaves_nothing_behind(path, monkeypatch):
    stored = opened(path)

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(os, "replace", interrupt)
        patched.setattr(pathlib.Path, "unlink", interrupt)
        stored.cases_.compact()
    stored.forget([7])
    assert sorted(os.listdir(path.parent)) == [".cases.lock", "cases"]
    assert says(sklazy.load(path)) == says(fitted().forget([7]))
    close(stored)


def test_rows_that_are_refused_leave_all_as_it_was(path):
    stored, before = opened(path), path.read_bytes()
    with pytest.raises(BadInputError):
        stored.partial_fit(X[:1], [0.5])
    with pytest.raises(BadInputError):
        stored.partial_fit(X[:1], Y[:1], ids=[7])
    with pytest.raises(UnknownIdError):
        stored.forget([99])
    assert says(stored) == says(fitted())
    assert path.read_bytes() == before
    close(stored)


# --- a change that is left beside a file ----------------------------------------------


@pytest.mark.parametrize("n_rows", [20, 59, 60])
@pytest.mark.parametrize("mode", [None, "c", "r+"])
@pytest.mark.parametrize("is_removed", [True, False])
def test_a_change_left_beside_a_file_is_not_made_to_another(
    path, n_rows, mode, is_removed
):
    leave_a_change(path)
    left = redo.redo_of(path).read_bytes()
    other = fitted(n_rows)
    if n_rows == 60:
        other.forget([5]).partial_fit(X[5:6], 1 - Y[5:6])
    other.save(path)
    assert not redo.redo_of(path).exists()
    if not is_removed:  # as if the process had been killed in between
        redo.redo_of(path).write_bytes(left)
    assert says(sklazy.load(path, mmap_mode=mode)) == says(other)
    assert not redo.redo_of(path).exists()


def test_a_copy_of_a_file_and_what_lies_beside_it_is_finished(path, tmp_path):
    leave_a_change(path)
    shutil.copytree(path.parent, tmp_path / "copy")
    assert says(sklazy.load(tmp_path / "copy" / "cases")) == says(fitted().forget([7]))


def test_a_change_is_finished_whatever_of_it_was_done(path):
    leave_a_change(path)
    _, arrays = redo.read_file(redo.redo_of(path))
    left, before = redo.redo_of(path).read_bytes(), path.read_bytes()
    chance = np.random.default_rng(3)
    for share in (0.0, 0.3, 0.7, 1.0):
        half = np.frombuffer(before, np.uint8).copy()
        done = chance.random(len(arrays["places"])) < share
        half[arrays["places"][done]] = arrays["values"][done]
        path.write_bytes(half.tobytes())
        redo.redo_of(path).write_bytes(left)
        assert says(sklazy.load(path)) == says(fitted().forget([7]))


# --- others who write -----------------------------------------------------------------


def test_a_model_saves_to_the_file_it_is_in(path):
    stored, expected = opened(path), fitted().partial_fit(X[:5], Y[:5])
    stored.partial_fit(X[:5], Y[:5]).set_params(n_neighbors=4).save(path)
    assert path.read_bytes() == saved(expected.set_params(n_neighbors=4), path)
    stored.forget([7, 62])
    assert says(sklazy.load(path)) == says(stored) == says(expected.forget([7, 62]))
    close(stored)


def saved(model, path):
    model.save(path.with_name("anew"))
    return path.with_name("anew").read_bytes()


def test_nobody_writes_over_a_file_that_is_open_to_be_changed(path, tmp_path):
    stored, before = opened(path), path.read_bytes()
    (tmp_path / "link").symlink_to(path)
    for model in (fitted(20), copy.deepcopy(stored), sklazy.load(path, mmap_mode="c")):
        for where in (path, tmp_path / "link"):
            with pytest.raises(BadFileError, match="only one can at a time"):
                model.save(where)
    assert path.read_bytes() == before
    stored.forget([7])
    assert says(sklazy.load(path)) == says(fitted().forget([7]))
    close(stored)
    fitted(20).save(path)
    assert says(sklazy.load(path)) == says(fitted(20))


def test_a_file_that_is_opened_to_be_changed_while_another_is_written_stays(
    path, monkeypatch
):
    found = []
    write = os.fsync

    def open_it(descriptor):
        write(descriptor)
        monkeypatch.undo()
        monkeypatch.setattr(outline, "SEGMENT", 64)
        found.append(opened(path))

    monkeypatch.setattr(os, "fsync", open_it)
    with pytest.raises(BadFileError, match="only one can at a time"):
        fitted(20).save(path)
    assert says(found[0].forget([7])) == says(fitted().forget([7]))
    assert sorted(os.listdir(path.parent)) == [".cases.lock", "cases"]
    close(found[0])


@pytest.mark.parametrize("is_there", [True, False])
def test_a_file_that_was_replaced_is_not_changed(path, is_there):
    stored = opened(path)
    before = says(stored)
    path.unlink()
    if is_there:
        shutil.copy(saved_elsewhere(path), path)
    for change in (USED["forget"], USED["add"], USED["compact"]):
        with pytest.raises(BadFileError, match="taken its place"):
            change(stored)
    assert says(stored) == before
    assert path.exists() == is_there
    if is_there:
        assert says(sklazy.load(path)) == says(fitted(20))
    close(stored)


def saved_elsewhere(path):
    fitted(20).save(path.with_name("other"))
    return path.with_name("other")


# --- questions meanwhile --------------------------------------------------------------


def test_no_question_under_way_sees_rows_change(path):
    stored = opened(path)
    states, before = [], []
    for number in range(3):
        snapshot = stored.cases_.snapshot()
        states.append((snapshot, snapshot.__enter__()))
        before.append(states[-1][1].joined().to_table().to_pandas())
        stored.partial_fit(X[:3], Y[:3])
        stored.forget([0 + 10 * number, 3 + 10 * number])
    stored.partial_fit([[-1, 0, 0, 0, 0]], [1])  # a label before all others
    for (snapshot, state), table in zip(states, before, strict=True):
        state._derived.clear()
        pd.testing.assert_frame_equal(state.joined().to_table().to_pandas(), table)
        snapshot.__exit__(None, None, None)
    place = stored.cases_.place
    assert stored.forget([5]).cases_.place == place  # nobody asks any more
    close(stored)


def test_half_of_added_rows_is_never_read(path, monkeypatch):
    stored = opened(path)
    stored.partial_fit(X[:3], Y[:3])
    whole = path.read_bytes()
    sizes = []
    true_size = locking.size_of

    def size_of(file):  # the writer is at work between two looks at it
        sizes.append(true_size(file))
        path.write_bytes(whole)
        return sizes[-1]

    path.write_bytes(whole[: len(whole) - 100])
    monkeypatch.setattr(locking, "size_of", size_of)
    assert len(sklazy.load(path, mmap_mode="c").ids_) == 63
    assert sizes[0] < sizes[1]
    close(stored)


def test_who_waits_for_a_change_does_so_for_a_while(path, monkeypatch):
    monkeypatch.setattr(locking, "_PATIENCE", 0.1)
    with locking.alone_with_file(path) as is_alone:
        assert is_alone
        for mode in (None, "c"):
            with pytest.raises(BadFileError, match="has not finished a change"):
                sklazy.load(path, mmap_mode=mode)
    sklazy.load(path, mmap_mode="c")


def rows_of(base):
    """The rows of a file that a base, or a state of it, has."""
    parts = [part for part in parts_of(base) if isinstance(part.rows, PackedRows)]
    assert parts
    return [vars(part.rows) for part in parts]


@pytest.mark.parametrize("n_segments", [1, 3])
def test_what_is_mapped_keeps_no_codes_beside_its_bit_sets(
    tmp_path, monkeypatch, n_segments
):
    monkeypatch.setattr(outline, "SEGMENT", 60_032 // n_segments // 64 * 64)
    cells = np.random.default_rng(0).integers(0, 4, (60_000, 20))
    model = sklazy.LazyKNeighborsClassifier(categorical_features=[*range(20)])
    model.fit(cells, cells[:, 0] % 2).save(tmp_path / "cases")
    mapped = sklazy.load(tmp_path / "cases", mmap_mode="c")
    assert mapped.predict(cells[:1]) == model.predict(cells[:1])
    receipts = [
        one.explain(cells[:1], reasons=False)[0].to_dict() for one in (mapped, model)
    ]
    assert receipts[0] == receipts[1]
    with mapped.cases_.snapshot() as state:
        for rows in rows_of(mapped.cases_) + rows_of(state):
            assert "codes" not in rows


# --- made-up files --------------------------------------------------------------------


@pytest.mark.parametrize("names", ["numbers", "given", "text"])
def test_added_rows_that_have_the_id_of_another_row_are_refused(path, names):
    ids = {
        "numbers": np.arange(60),
        "given": np.arange(60)[::-1],
        "text": [f"row {i}" for i in range(60)],
    }[names]
    more = ["p", "q"] if names == "text" else [70, 71]
    fitted().fit(X, Y, ids=ids).save(path)
    stored = opened(path).partial_fit(X[:2], Y[:2], ids=more)
    close(stored)
    cut = len(stored.cases_.frame.data)
    rows = stored.cases_.parts.parts[-1].rows.take(np.arange(2))
    for made_up in ([more[0], more[0]], [ids[3], more[1]]):
        kind = object if names == "text" else np.int64
        content = pack_rows(replace(rows, ids=np.array(made_up, kind)))
        record = as_record(content)
        end = end_of_file(len(record), 72)
        path.write_bytes(path.read_bytes()[:cut] + record + end)
        for mode in (None, "c", "r+") if names == "numbers" else (None,):
            with pytest.raises(BadFileError, match="two rows") as caught:
                sklazy.load(path, mmap_mode=mode)
            assert str(caught.value).count("contradicts itself") == 1


MADE_UP = {
    "codes": lambda own: own | {"codes": own["codes"] + np.int32(2**31 - 9)},
    "negative codes": lambda own: own | {"codes": own["codes"] - 9},
    "classes": lambda own: own | {"classes": own["classes"] - 9},
    "weights": lambda own: own | {"weights": own["weights"] * np.nan},
    "few ids": lambda own: own | {"ids": own["ids"][:1]},
    "ids": lambda own: own | {"ids": own["ids"] + 0.5},
    "texts": lambda own: own | {"texts": np.ones((2, 4), np.uint8)},
    "flat texts": lambda own: own | {"texts": np.ones(4, np.uint8)},
    "times": lambda own: own | {"times": np.ones((1, 2))},
    "numbers": lambda own: own | {"numbers": np.ones((1, 2))},
    "no codes": lambda own: {n: a for n, a in own.items() if n != "codes"},
}


@pytest.mark.parametrize("name", MADE_UP)
def test_added_rows_that_make_no_sense_are_refused(path, name):
    stored = opened(path).partial_fit(X[:2], Y[:2])
    close(stored)
    own = stored.cases_.frame.data.tobytes()
    rows = pack_rows(stored.cases_.parts.parts[-1].rows.take(np.arange(2)))
    record = as_record(to_bytes({}, MADE_UP[name](parse_bytes(rows, path)[1])))
    path.write_bytes(own + record + end_of_file(len(record), 62))
    for mode in (None, "c", "r+"):
        with pytest.raises(BadFileError, match="contradicts itself") as caught:
            sklazy.load(path, mmap_mode=mode)
        assert str(caught.value).count("contradicts itself") == 1


# --- at any moment --------------------------------------------------------------------


def run(script, where, times, seed):
    path = pathlib.Path(__file__).parent.parent / "helpers" / script
    arguments = [sys.executable, str(path), str(where), str(times), str(seed)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def test_a_process_may_be_killed_at_any_moment(tmp_path):
    assert run("store_killing.py", tmp_path, 20, 0)["kills"] == 20


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_thousand_kills_lose_nothing_and_leave_nothing(tmp_path):
    assert run("store_killing.py", tmp_path, 1000, 1)["kills"] == 1000


def test_a_change_may_be_interrupted_at_any_line(tmp_path):
    assert run("store_interrupting.py", tmp_path, 40, 0)["cut short"] > 20


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_thousands_of_interrupts_lose_nothing_and_leave_nothing(tmp_path):
    assert run("store_interrupting.py", tmp_path, 4000, 1)["cut short"] > 2000


def test_only_rows_that_were_added_may_be_left(path):
    model, other = opened(path), fitted()
    for own in (model, other):
        own.partial_fit(X, Y).forget([*range(60)])
    assert says(model) == says(other) == says(sklazy.load(path))
    close(model)


@pytest.mark.parametrize("process", [os.getpid(), 1], ids=["own", "another"])
def test_what_was_left_by_a_process_of_a_number_in_use_goes(path, process):
    left = path.with_name(f".{path.name}.{process}.77.part")
    left.write_bytes(b"rows that are forgotten then")
    close(opened(path))
    assert not left.exists()


def test_what_another_process_writes_stays(path, monkeypatch):
    monkeypatch.setattr(placing, "_alive", lambda process: False)  # as in a container
    with placing.replacing_file(path) as file:
        file.write(b"new")
        close(opened(path))
    assert path.read_bytes() == b"new"


def test_a_private_file_has_no_readers_beside_it(path, monkeypatch):
    path.chmod(0o600)
    model, seen = opened(path), []
    real = redo.finish_change

    def look(path):
        beside = redo.redo_of(path)
        seen.extend([beside.stat().st_mode & 0o777] * beside.exists())
        real(path)

    monkeypatch.setattr(redo, "finish_change", look)
    model.partial_fit(X[:1], Y[:1])
    with placing.spool_file(path) as file:
        seen.append(os.fstat(file.fileno()).st_mode & 0o777)
    assert seen == [0o600, 0o600]
    close(model)


# --- other processes, other names -----------------------------------------------------


def in_a_fork(work):
    """What a process says that is forked now, once it is asked."""
    (read, write), (wait, go) = os.pipe(), os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads elsewhere
        process = os.fork()
    if not process:
        try:
            os.read(wait, 1)
            said = work()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(write, str(said).encode())
        os._exit(0)

    def ask():
        os.write(go, b"!")
        os.waitpid(process, 0)
        said = os.read(read, 1 << 20).decode()
        for descriptor in (read, write, wait, go):
            os.close(descriptor)
        return said

    return ask


def test_a_process_that_is_forked_does_not_change_the_file(path):
    model = opened(path)
    said = in_a_fork(lambda: model.partial_fit(X[:1], Y[:1]))()
    assert "BadFileError" in said
    assert "fork" in said
    model.partial_fit(X[1:2], Y[1:2])
    assert sklazy.load(path).digest() == fitted().partial_fit(X[1:2], Y[1:2]).digest()
    close(model)


def test_a_process_that_is_forked_keeps_the_rows_of_that_moment(path):
    model = opened(path)
    model.predict(X)
    before = str(model.predict_proba(X).tolist())
    ask = in_a_fork(lambda: model.predict_proba(X).tolist())
    model.forget([*range(20)])
    assert ask() == before
    place = os.stat(path).st_ino
    model.forget([30])  # nobody has the new file mapped
    assert os.stat(path).st_ino == place
    close(model)


def test_a_file_of_several_names_is_not_changed(path, tmp_path):
    os.link(path, tmp_path / "other name")
    for name in (path, tmp_path / "other name"):
        with pytest.raises(BadFileError, match="hard links"):
            opened(name)
    os.unlink(tmp_path / "other name")
    close(opened(path).forget([3]))
