"""Case bases in files that change with them: segments, added rows, erased bytes."""

import contextlib
import copy
import gc
import os
import pathlib
import struct
import tempfile
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sklazy
from lawful import quiet
from sklazy.errors import BadFileError, DataWarning
from sklazy.storage import files, outline, redo
from sklazy.storage.stored_ids import Runs

pytestmark = quiet


@pytest.fixture(autouse=True)
def small_segments(monkeypatch):
    monkeypatch.setattr(outline, "SEGMENT", 64)


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory() as name:
        yield pathlib.Path(name)


def frame_of(rng, n_rows):
    """Labels, one of them of many values, numbers and gaps."""
    words = np.array([f"w{i}" for i in range(100)])
    return pd.DataFrame(
        {
            "a": pd.Series(rng.choice(list("pqr"), n_rows), dtype="str"),
            "b": pd.Series(rng.choice(["x", "y", None], n_rows), dtype="str"),
            "wide": pd.Series(
                words[rng.integers(0, 80, n_rows) * (rng.random(n_rows) < 0.8)]
            ),
            "n": rng.choice([0.5, 1.5, np.nan, 2.5], n_rows),
        }
    )


MODELS = {
    "labels": lambda: sklazy.LazyKNeighborsClassifier(3, 0.5, cuts="frozen"),
    "exact cuts": lambda: sklazy.LazyKNeighborsClassifier(3, 2),
    "bayes": lambda: sklazy.LazyNBClassifier(cuts="frozen"),
    "numbers": lambda: sklazy.LazyLearningRegressor(n_neighbors=(3, 6)),
    "fading": lambda: sklazy.LazyLearningRegressor(n_neighbors=4, half_life=30.0),
}


def target_of(model, rng, n_rows):
    if isinstance(model, sklazy.LazyLearningRegressor):
        return rng.integers(0, 5, n_rows) + 0.25
    return rng.choice(["u", "v"], n_rows)


def says(model, queries):
    """All that a model answers, to compare digit for digit."""
    method = getattr(model, "predict_proba", model.predict)
    receipts = [one.to_dict() for one in model.explain(queries[:2], reasons=False)]
    return method(queries).tolist(), receipts, model.digest(), model.ids_.tolist()


def close(model):
    model.cases_.held.close()


IDS = [
    lambda n: None,
    lambda n: [f"row {i}" for i in range(n)],
    lambda n: [7 * i % 1009 for i in range(n)],
]


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=2, deadline=None)
@given(st.integers(0, 10**6), st.integers(4, 200), st.sampled_from(IDS))
def test_a_stored_base_follows_one_in_memory(name, seed, n_rows, ids):
    rng, more = np.random.default_rng(seed), 12
    X = frame_of(rng, n_rows + more)
    model = MODELS[name]()
    y, given = target_of(model, rng, len(X)), ids(len(X))

    def of(first, last):
        own = None if given is None else given[first:last]
        return X[first:last], y[first:last], own

    start, target, names = of(0, n_rows)
    model.fit(start, target, ids=names)
    with folder() as where, warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        path = where / "cases"
        model.save(path)
        for mode in (None, "c"):
            assert says(sklazy.load(path, mmap_mode=mode), X[:5]) == says(model, X[:5])
        stored = sklazy.load(path, mmap_mode="r+")
        for step in range(3):
            if step != 1:
                rows, target, names = of(
                    n_rows + 6 * (step // 2), n_rows + 6 + 6 * (step // 2)
                )
                model.partial_fit(rows, target, ids=names)
                stored.partial_fit(rows, target, ids=names)
            there = model.ids_.tolist()
            gone = rng.choice(len(there), min(3, len(there) - 1), replace=False)
            gone = [there[i] for i in gone]
            model.forget(gone)
            stored.forget(gone)
            assert says(stored, X[:5]) == says(model, X[:5])
        for mode in (None, "c"):
            assert says(sklazy.load(path, mmap_mode=mode), X[:5]) == says(model, X[:5])
        close(stored)
        sklazy.compact(path)
        model.save(where / "anew")
        assert path.read_bytes() == (where / "anew").read_bytes()
        assert says(sklazy.load(path), X[:5]) == says(model, X[:5])


NUMBER, TARGET = 7654.321098765, 4321.987654321


def marked(path, *, n_rows=150):
    """A file one row of which has a number, a target, an id and a label of its own."""
    rng = np.random.default_rng(0)
    X = frame_of(rng, n_rows)
    y = rng.integers(0, 5, n_rows) + 0.25
    X.loc[70, "n"], y[70] = NUMBER, TARGET
    X.loc[60:80, "wide"] = "w1"  # so that no label goes with a row, but one
    X.loc[71, "a"] = "a label to forget"
    ids = [f"id {i} of a row" for i in range(n_rows)]
    model = sklazy.LazyLearningRegressor(n_neighbors=3).fit(X, y, ids=ids)
    model.save(path)
    return model, X, y


def traces(where):
    """Which of the marks are in any file of a folder."""
    content = b"".join(path.read_bytes() for path in where.iterdir())
    marks = {
        "number": struct.pack("<d", NUMBER),
        "target": struct.pack("<d", TARGET),
        "label": b"a label to forget",
        "id": b"id 70 of a row",
        "other id": b"id 71 of a row",
        "new": struct.pack("<d", 1234.56789),
    }
    return {name for name, mark in marks.items() if mark in content}


def test_the_bytes_of_rows_that_are_forgotten_are_in_no_file(tmp_path, monkeypatch):
    model, X, _ = marked(tmp_path / "cases")
    stored = sklazy.load(tmp_path / "cases", mmap_mode="r+")
    texts = [f"id {i} of a row" for i in (70, 71)]
    assert traces(tmp_path) == {"number", "target", "label", "id", "other id"}
    rewritten = []
    write = files.create_file
    monkeypatch.setattr(
        "sklazy.storage.writing.create_file",
        lambda *given: rewritten.append(given) or write(*given),
    )
    stored.forget(texts[:1])
    assert not rewritten  # it was erased where it lay
    assert traces(tmp_path) == {"label", "other id"}
    stored.partial_fit(X[:2], [1234.56789, 1.0], ids=["new", "newer"])
    assert "new" in traces(tmp_path)
    stored.forget(["new"])
    assert not rewritten
    assert traces(tmp_path) == {"label", "other id"}
    stored.forget(texts[1:])  # no other row has its label
    assert rewritten
    assert traces(tmp_path) == set()
    model.partial_fit(X[:2], [1234.56789, 1.0], ids=["new", "newer"])
    assert says(stored, X[:3]) == says(model.forget(["new", *texts]), X[:3])
    close(stored)


def test_who_has_a_file_mapped_sees_the_rows_of_its_opening(tmp_path):
    _, X, _ = marked(tmp_path / "cases")
    reader = sklazy.load(tmp_path / "cases", mmap_mode="c")
    before = reader.predict(X).tolist()
    stored = sklazy.load(tmp_path / "cases", mmap_mode="r+")
    stored.forget([f"id {i} of a row" for i in range(0, 60, 2)])
    assert reader.predict(X).tolist() == before
    assert "id 0 of a row" in reader.ids_
    close(stored)


def test_a_question_under_way_has_the_rows_of_its_beginning(tmp_path):
    _, X, _ = marked(tmp_path / "cases")
    stored = sklazy.load(tmp_path / "cases", mmap_mode="r+")
    with stored.cases_.snapshot() as state:
        before = state.joined().to_table().to_pandas()
        stored.forget([f"id {i} of a row" for i in range(0, 60, 2)])
        stored.partial_fit(X[:3], [1.0, 2.0, 3.0], ids=["p", "q", "r"])
        state._derived.clear()
        pd.testing.assert_frame_equal(state.joined().to_table().to_pandas(), before)
    close(stored)


def test_one_process_at_a_time_can_change_a_file(tmp_path):
    marked(tmp_path / "cases")
    stored = sklazy.load(tmp_path / "cases", mmap_mode="r+")
    with pytest.raises(BadFileError, match="only one can at a time"):
        sklazy.load(tmp_path / "cases", mmap_mode="r+")
    with pytest.raises(BadFileError, match="only one can at a time"):
        sklazy.compact(tmp_path / "cases")
    sklazy.load(tmp_path / "cases")
    del stored
    gc.collect()
    close(sklazy.load(tmp_path / "cases", mmap_mode="r+"))


def added(path):
    """A file with rows behind its own."""
    _, X, _ = marked(path)
    stored = sklazy.load(path, mmap_mode="r+")
    stored.partial_fit(X[:2], [1.0, 2.0], ids=["new", "newer"])
    stored.partial_fit(X[2:3], [3.0], ids=["newest"])
    close(stored)
    return X


def test_a_file_that_lost_its_end_or_was_altered_is_refused(tmp_path):
    path = tmp_path / "cases"
    added(path)
    data = path.read_bytes()
    for length in (len(data) - 1, len(data) - 60, len(data) - 400, len(data) // 2, 100):
        path.write_bytes(data[:length])
        for mode in (None, "c", "r+"):
            with pytest.raises(BadFileError):
                sklazy.load(path, mmap_mode=mode)
    for place in (len(data) - 20, len(data) - 300, 30):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        for mode in (None, "c", "r+"):
            with pytest.raises(BadFileError):
                sklazy.load(path, mmap_mode=mode)
    path.write_bytes(data[:8] + struct.pack("<I", 9) + data[12:])
    with pytest.raises(BadFileError, match="format 9"):
        sklazy.load(path, mmap_mode="r+")
    path.write_bytes(data)
    assert "newest" in sklazy.load(path).ids_


def test_what_is_altered_is_not_blessed_by_a_change(tmp_path):
    path = tmp_path / "cases"
    marked(path)
    data = bytearray(path.read_bytes())
    place = data.index(struct.pack("<d", TARGET))
    data[place] ^= 1
    path.write_bytes(data)
    stored = sklazy.load(path, mmap_mode="r+")  # rows are not read at opening
    with pytest.raises(BadFileError, match="Nothing was erased"):
        stored.forget(["id 70 of a row"])
    assert path.read_bytes() == data
    close(stored)


@pytest.mark.parametrize("change", ["add", "forget", "rewrite", "save"])
def test_a_disk_that_is_full_leaves_all_as_it_was(tmp_path, monkeypatch, change):
    path = tmp_path / "cases"
    X = added(path)
    before, model = path.read_bytes(), sklazy.load(path)
    stored = sklazy.load(path, mmap_mode="r+")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "take_room", full)
    monkeypatch.setattr(files, "_pieces", full)
    ways = {
        "add": lambda: stored.partial_fit(X[:1], [1.0], ids=["more"]),
        "forget": lambda: stored.forget(["id 70 of a row"]),
        "rewrite": lambda: stored.forget(["id 71 of a row"]),
        "save": lambda: stored.save(path),
    }
    with pytest.raises(OSError, match="No space left"):
        ways[change]()
    monkeypatch.undo()
    monkeypatch.setattr(outline, "SEGMENT", 64)
    assert path.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == [".cases.lock", "cases"]
    assert says(stored, X[:3]) == says(model, X[:3])
    stored.forget(["id 70 of a row"])
    model.forget(["id 70 of a row"])
    assert says(stored, X[:3]) == says(model, X[:3])
    close(stored)


def test_a_disk_that_fills_up_while_rows_are_added_keeps_the_old_ones(
    tmp_path, monkeypatch
):
    path = tmp_path / "cases"
    X = added(path)
    before = path.read_bytes()
    stored = sklazy.load(path, mmap_mode="r+")

    def full(path):
        with open(path, "ab") as file:
            file.write(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(redo, "finish_change", full)
    with pytest.raises(OSError, match="No space left"):
        stored.partial_fit(X[:1], [1.0], ids=["more"])
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert "more" not in stored.ids_
    close(stored)


@pytest.mark.parametrize("mode", [None, "c", "r+"])
def test_a_change_that_was_cut_short_is_finished_by_who_opens_the_file_next(
    tmp_path, monkeypatch, mode
):
    path = tmp_path / "cases"
    model, X, _ = marked(path)
    stored = sklazy.load(path, mmap_mode="r+")
    monkeypatch.setattr(redo, "finish_change", lambda path: None)
    monkeypatch.setattr(type(stored.cases_), "_reopen", lambda base: None)
    stored.forget(["id 70 of a row"])  # it is written beside the file, and no more
    close(stored)
    monkeypatch.undo()
    assert (tmp_path / ".cases.redo").exists()
    again = sklazy.load(path, mmap_mode=mode)
    assert not (tmp_path / ".cases.redo").exists()
    assert says(again, X[:3]) == says(model.forget(["id 70 of a row"]), X[:3])
    assert traces(tmp_path) == {"label", "other id"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_to_can_be_read(tmp_path):
    marked(tmp_path / "cases")
    tmp_path.chmod(0o500)
    try:
        sklazy.load(tmp_path / "cases", mmap_mode="c")
        with pytest.raises(OSError, match="cannot be changed here"):
            sklazy.load(tmp_path / "cases", mmap_mode="r+")
    finally:
        tmp_path.chmod(0o700)


def test_a_copy_of_a_stored_model_leaves_the_file_alone(tmp_path):
    marked(tmp_path / "cases")
    before = (tmp_path / "cases").read_bytes()
    stored = sklazy.load(tmp_path / "cases", mmap_mode="r+")
    twin = copy.deepcopy(stored)
    twin.forget(["id 3 of a row"])
    assert (tmp_path / "cases").read_bytes() == before
    assert twin.digest() != stored.digest()
    close(stored)


def test_a_row_of_labels_takes_few_bytes(tmp_path, monkeypatch):
    monkeypatch.undo()
    rng = np.random.default_rng(0)
    widths = np.arange(28) % 9 + 2
    X = np.column_stack([rng.integers(0, width, 20_000) for width in widths])
    y = rng.integers(0, 2, 20_000)
    model = sklazy.LazyKNeighborsClassifier(categorical_features=[*range(28)])
    model.fit(X, y).save(tmp_path / "cases")
    assert (tmp_path / "cases").stat().st_size < 30 * 20_000


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 60), unique=True, max_size=30), st.data())
def test_runs_of_numbers_say_what_arrays_say(numbers, data):
    runs, array = Runs.of(np.array(numbers, np.int64)), np.array(numbers, np.int64)
    places = np.arange(len(array))
    assert runs.numbers(places).tolist() == numbers
    assert runs.ranks(places).tolist() == np.argsort(np.argsort(array)).tolist()
    asked = np.arange(-2, 63)
    expected = [numbers.index(n) if n in numbers else -1 for n in asked.tolist()]
    assert runs.find(asked).tolist() == expected
    gone = np.array(
        sorted(data.draw(st.sets(st.integers(0, max(len(array) - 1, 0)))))
        if numbers
        else [],
        np.int64,
    )
    left = len(array) - len(gone)
    tail = np.setdiff1d(np.arange(left, len(array)), gone)
    holes = gone[gone < left]
    moved = array.copy()
    moved[holes] = moved[tail]
    without = runs.without(tail, holes, left)
    assert without.numbers(np.arange(left)).tolist() == moved[:left].tolist()
    assert np.array_equal(without.starts, Runs.of(moved[:left]).starts)
    ordered = without.in_order()
    assert ordered.numbers(np.arange(left)).tolist() == sorted(moved[:left].tolist())
