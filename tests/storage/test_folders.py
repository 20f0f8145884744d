"""A model as a folder of files: the model of one file, or a clear error."""

import json
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import sklazy
from sklazy.errors import BadFileError, BadInputError
from sklazy.storage import folders, outline
from strategies import mixed_tables

MODELS = [
    sklazy.LazyKNeighborsClassifier(3),
    sklazy.LazyNBClassifier(),
    sklazy.LazyLearningClassifier(),
    sklazy.LazyKernelClassifier(),
]


def make_rows(n_rows=50):
    rng = np.random.default_rng(4)
    rows = [
        [float(rng.normal()), str(rng.choice(["a", "b", "c"])), float(i % 4)]
        for i in range(n_rows)
    ]
    rows[3][0], rows[5][1] = None, None
    return rows, rng.choice(["u", "v"], n_rows).tolist()


ROWS, LABELS = make_rows()


def fitted(model, **options):
    return clone(model).fit(ROWS, LABELS, **options)


@pytest.mark.parametrize("model", MODELS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("mmap_mode", [None, "c"])
def test_a_folder_answers_as_the_model_did(model, mmap_mode, tmp_path):
    one = fitted(model)
    one.save(tmp_path / "model", n_parts=3)
    other = sklazy.load(tmp_path / "model", mmap_mode=mmap_mode)
    assert other.digest() == one.digest()
    assert other.predict_proba(ROWS).tolist() == one.predict_proba(ROWS).tolist()
    assert other.ids_.tolist() == one.ids_.tolist()
    assert [r.to_json() for r in other.explain(ROWS[:3])] == [
        r.to_json() for r in one.explain(ROWS[:3])
    ]


@pytest.mark.parametrize("ids", [None, "numbers", "text"])
def test_rows_come_and_go_as_in_one_file(ids, tmp_path):
    names = {
        None: None,
        "numbers": [1000 - 3 * i for i in range(50)],
        "text": [f"row {i}" for i in range(50)],
    }[ids]
    one = fitted(MODELS[0], ids=names)
    one.save(tmp_path / "model", n_parts=4)
    other = sklazy.load(tmp_path / "model", mmap_mode="c")
    gone = one.ids_[[2, 17, 49]].tolist()
    new = ["x", "y"] if ids == "text" else [5000, 5001]
    for model in (one, other):
        model.partial_fit(ROWS[:2], LABELS[:2], ids=new).forget([*gone, new[0]])
    assert other.digest() == one.digest()
    assert other.ids_.tolist() == one.ids_.tolist()
    other.save(tmp_path / "model", n_parts=2)  # in the place of the old one
    again = sklazy.load(tmp_path / "model", mmap_mode="c")
    assert again.digest() == one.digest()
    assert again.ids_.tolist() == one.ids_.tolist()
    assert len(os.listdir(tmp_path / "model")) == 3
    sklazy.compact(tmp_path / "model")
    assert sklazy.load(tmp_path / "model").digest() == one.digest()
    assert len(os.listdir(tmp_path / "model")) == 3


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(mixed_tables(min_rows=2), st.integers(1, 5), st.booleans())
def test_any_table_in_any_number_of_files(tmp_path, problem, n_parts, mapped):
    table, labels = problem
    one = sklazy.LazyKNeighborsClassifier(2).fit(table, labels)
    one.save(tmp_path / "model", n_parts=n_parts)
    other = sklazy.load(tmp_path / "model", mmap_mode="c" if mapped else None)
    assert other.digest() == one.digest()
    assert other.predict(table).tolist() == one.predict(table).tolist()


def test_files_of_several_segments(tmp_path, monkeypatch):
    monkeypatch.setattr(outline, "SEGMENT", 8)
    one = fitted(MODELS[0])
    one.save(tmp_path / "model", n_parts=2)
    other = sklazy.load(tmp_path / "model", mmap_mode="c")
    assert len(other.cases_.sizes) == 9  # four segments each, and further rows
    assert other.digest() == one.digest()


# --- what is refused ------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    fitted(MODELS[0]).save(tmp_path / "model", n_parts=3)
    return tmp_path / "model"


def parts_of(folder):
    return sorted(name for name in os.listdir(folder) if name != folders.LIST)


def test_a_file_that_is_gone_cut_or_changed_is_named(folder):
    name = parts_of(folder)[1]
    raw = (folder / name).read_bytes()
    for damaged in (raw[:-9], raw[:-1] + bytes([raw[-1] ^ 1]), b""):
        (folder / name).write_bytes(damaged)
        for mmap_mode in (None, "c"):
            with pytest.raises(BadFileError, match=name):
                sklazy.load(folder, mmap_mode=mmap_mode)
    middle = bytearray(raw)
    middle[len(raw) // 2] ^= 1
    (folder / name).write_bytes(middle)
    with pytest.raises(BadFileError, match=name):
        sklazy.load(folder)
    os.remove(folder / name)
    with pytest.raises(BadFileError, match=f"{name}: a file of the model cannot be"):
        sklazy.load(folder, mmap_mode="c")


def test_a_file_of_another_model_is_refused(folder, tmp_path):
    rows = [[*row[:1], "d", *row[2:]] for row in ROWS]
    sklazy.LazyKNeighborsClassifier(3).fit(rows, LABELS).save(
        tmp_path / "other", n_parts=1
    )
    listed = json.loads((folder / folders.LIST).read_text())
    strange = json.loads((tmp_path / "other" / folders.LIST).read_text())["files"][0]
    os.rename(tmp_path / "other" / strange["name"], folder / strange["name"])
    listed["files"].append(strange)
    (folder / folders.LIST).write_text(json.dumps(listed))
    with pytest.raises(BadFileError, match="it belongs to another model than"):
        sklazy.load(folder, mmap_mode="c")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "not the list of a model"),
        ("[]", "not the list of a model"),
        ('{"format": 2, "files": []}', "format 2 is not known"),
        ('{"format": 1, "files": []}', "it lists no files"),
        (
            '{"format": 1, "files": [{"name": "../x", "n_rows": 1, "seal": ""}]}',
            "files of other folders",
        ),
    ],
)
def test_a_list_that_makes_no_sense_is_refused(folder, text, why):
    (folder / folders.LIST).write_text(text)
    with pytest.raises(BadFileError, match=why):
        sklazy.load(folder)


def test_a_save_that_fails_leaves_the_old_model(folder, monkeypatch):
    before = sklazy.load(folder).digest()

    def stop(*arguments):
        raise OSError("the disk is full")

    monkeypatch.setattr(folders, "finish_folder", stop)
    with pytest.raises(OSError, match="the disk is full"):
        fitted(MODELS[0]).forget([1]).save(folder, n_parts=2)
    assert sklazy.load(folder).digest() == before


def test_what_cannot_be_written_or_opened_is_refused(folder, tmp_path):
    model = fitted(MODELS[0])
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError, match="is a file"):
        model.save(tmp_path / "file", n_parts=2)
    with pytest.raises(BadInputError, match="has other files"):
        model.save(tmp_path, n_parts=2)
    with pytest.raises(BadInputError, match="n_parts=0; expected a whole number"):
        model.save(tmp_path / "new", n_parts=0)
    with pytest.raises(BadInputError, match="a folder of files, which are not changed"):
        sklazy.load(folder, mmap_mode="r+")
