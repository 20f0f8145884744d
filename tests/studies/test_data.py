"""The papers' sets: found, checked, trimmed, fetched."""

import types

import numpy as np
import pandas as pd
import pytest

from data_sets import folder_of
from sklazy.cli.writing import replacing_text, write_text
from sklazy.errors import BadFileError, BadInputError, MissingDataError, suggest
from sklazy_studies.harness.catalog import CATALOG, Known, find_known
from sklazy_studies.harness.data import (
    BESIDE,
    checksum,
    find_file,
    load_set,
    load_unit_set,
    require_sets,
)
from sklazy_studies.harness.data import data_folder as find_folder
from sklazy_studies.harness.fetching import fetch_missing
from sklazy_studies.harness.unit import Unit

SMALL = [
    name
    for name, known in CATALOG.items()
    if known.n_rows * known.n_attributes < 30_000
]


@pytest.mark.parametrize("name", SMALL)
def test_sets_have_the_shape_of_the_catalog(name):
    known = find_known(name)
    data = load_set(known, folder_of(name))
    assert data.table.shape == (known.n_rows, known.n_attributes)
    if known.n_classes:
        assert len(np.unique(data.classes.data)) == known.n_classes
        assert not data.classes.missing.any()
    else:
        assert np.isfinite(data.numbers).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(CATALOG) - set(SMALL) - {"gisette"}))
def test_large_sets_have_the_shape_of_the_catalog(name):
    load_set(find_known(name), folder_of(name))


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("splice", "Instance_name"),
        ("zoo", "animal"),
        ("flags", "name"),
        ("flags", "religion"),
        ("sponge", "Name"),
        ("bridges-version1", "IDENTIF"),
    ],
)
def test_ids_and_targets_are_no_attributes(data_folder, name, column):
    assert column not in load_set(find_known(name), data_folder).table


def test_the_last_column_of_flags_is_an_attribute(data_folder):
    assert "botright" in load_set(find_known("flags"), data_folder).table


def test_missing_files_are_named_with_the_way_to_get_them(tmp_path):
    sets = [find_known("zoo"), find_known("sponge"), find_known("wine")]
    with pytest.raises(MissingDataError) as caught:
        require_sets(sets, tmp_path)
    message = str(caught.value)
    assert "zoo: classification/zoo.arff (OpenML 62)" in message
    assert "wine" not in message  # scikit-learn has it
    assert "sponge: classification/sponge.arff (not at OpenML)" in message
    assert "--fetch" in message
    assert str(tmp_path) in message


def test_a_file_of_another_shape_is_refused(tmp_path):
    write_text(
        tmp_path / "iris.arff",
        "@relation iris\n@attribute a numeric\n@attribute c {x,y}\n@data\n1,x\n2,y\n",
    )
    with pytest.raises(BadFileError, match=r"not the set 'iris': it has 2 rows"):
        load_set(find_known("iris"), tmp_path)


def test_a_wrong_name_is_answered_with_the_near_one():
    with pytest.raises(BadInputError, match="Did you mean 'hypothyroid'"):
        find_known("hypo-thyroid")
    assert find_known("Wine").name == "wine"


def test_suggestions_are_few():
    text = suggest("zzz", [f"name{i}" for i in range(50)])
    assert text.count("name") == 12
    assert text.endswith("and 38 more.")


def test_the_folder_is_where_one_says(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKLAZY_DATA", "there")
    assert str(find_folder("here")) == "here"
    assert str(find_folder()) == "there"
    monkeypatch.delenv("SKLAZY_DATA")
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "home"))
    assert find_folder() == tmp_path / "home" / "sklazy"
    (tmp_path / BESIDE).mkdir(parents=True)
    assert find_folder() == BESIDE


def test_a_changed_file_has_another_checksum(tmp_path):
    known = find_known("wine")
    sums = {checksum(known, tmp_path)}
    for text in ("1", "2"):
        write_text(tmp_path / "wine.arff", text)
        sums.add(checksum(known, tmp_path))
    assert len(sums) == 3
    with pytest.raises(MissingDataError):
        checksum(find_known("zoo"), tmp_path)


def test_a_file_changed_during_a_run_is_noticed(tmp_path):
    unit = Unit("any", 1, "another checksum", {"set": "wine"})
    with pytest.raises(BadFileError, match="has changed since the run began"):
        load_unit_set(unit, tmp_path)


@pytest.mark.parametrize("name", ["wine", "iris", "wdbc"])
def test_scikit_learns_copies_stand_in(data_folder, tmp_path, name):
    known = find_known(name)
    copy, file = load_set(known, tmp_path), load_set(known, data_folder)
    assert copy.table.shape == file.table.shape
    assert sorted(np.bincount(copy.classes.data)) == sorted(
        np.bincount(file.classes.data)
    )
    sums = [sorted(c.data.sum() for c in data.table) for data in (copy, file)]
    assert sums[0] == pytest.approx(sums[1], rel=0.01)


class Fake:
    """OpenML as far as it is asked here."""

    def __init__(self, data, target):
        self.answer = types.SimpleNamespace(data=data, target=target)
        self.asked = []

    def __call__(self, **question):
        self.asked.append(question)
        return self.answer


def small_set(**changes):
    shape = {"n_rows": 4, "n_attributes": 3, "n_classes": 2, "openml": 7}
    return Known("small", **{**shape, **changes})


def frame():
    return pd.DataFrame(
        {
            "it's a\tname, {odd}": [1.5, np.nan, -3e-7, 4.0],
            "color %": pd.Categorical(
                ["light 'red'", "?", None, "b\\n"],
                categories=["?", "b\\n", "light 'red'", "never"],
            ),
            "flag": pd.Categorical(["True", "False", "True", "True"]),
            "name": pd.Categorical(["a", "b", "c", "d"]),
        }
    )


CLASSES = pd.Series(pd.Categorical(["x", "y", "x", "x"], categories=["w", "x", "y"]))


def test_a_fetched_set_is_the_one_that_was_sent(tmp_path):
    fetch = Fake(frame(), CLASSES)
    known = small_set(dropped=("name",), openml_target="shade")
    assert fetch_missing([known], tmp_path, fetch) == ["small"]
    assert fetch.asked == [{"data_id": 7, "as_frame": True, "target_column": "shade"}]
    assert find_file(known, tmp_path) == tmp_path / "classification" / "small.arff"
    data = load_set(known, tmp_path)
    sent = frame().drop(columns="name")
    assert data.table.names == list(sent)
    for column in data.table:
        cells = [None if pd.isna(cell) else cell for cell in sent[column.name]]
        assert column.cells() == cells
    assert data.table["color %"].categories == ("?", "b\\n", "light 'red'", "never")
    assert data.classes.cells() == list(CLASSES)


def test_what_is_there_is_not_fetched(tmp_path):
    known = small_set(dropped=("name",))
    fetch_missing([known], tmp_path, Fake(frame(), CLASSES))
    again = Fake(frame(), CLASSES)
    assert fetch_missing([known], tmp_path, again) == []
    assert again.asked == []


def test_a_fetched_set_of_another_shape_is_refused(tmp_path):
    with pytest.raises(MissingDataError, match="4 rows, 4 attributes, 2 classes"):
        fetch_missing([small_set()], tmp_path, Fake(frame(), CLASSES))
    assert not list(tmp_path.rglob("*"))


def test_numbers_can_be_fetched_as_targets(tmp_path):
    known = small_set(n_attributes=4, n_classes=0, group="regression")
    values = pd.Series([0.1, 2.0, -1e-9, 3.0])
    fetch_missing([known], tmp_path, Fake(frame(), values))
    assert load_set(known, tmp_path).numbers.tolist() == values.tolist()


def test_one_failure_does_not_stop_the_other_sets(tmp_path):
    good = small_set(n_attributes=4)
    unknown = Known("nowhere", 1, 1, 2)

    def fetch(**question):
        if question["data_id"] == 8:
            raise ConnectionError("no route")
        return types.SimpleNamespace(data=frame(), target=CLASSES)

    broken = Known("broken", 1, 1, 2, openml=8)
    with pytest.raises(MissingDataError) as caught:
        fetch_missing([broken, unknown, good], tmp_path, fetch)
    assert "broken: ConnectionError: no route" in str(caught.value)
    assert "nowhere: OpenML has no set" in str(caught.value)
    assert find_file(good, tmp_path)


def write_half(path):
    with replacing_text(path) as file:
        file.write("half")
        raise KeyboardInterrupt


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "a.txt"
    write_text(path, "old")
    with pytest.raises(KeyboardInterrupt):
        write_half(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
