"""Columns that nearly are numbers or dates: messages name the words, and a way out."""

import ast
import re

import pandas as pd
import pytest

from sklazy import Source, read_table
from sklazy.cli.hints import for_a_shell
from sklazy.errors import BadInputError, DataWarning
from sklazy.tables import as_table

COMMAS = [f"{90 + i},{i % 10}" for i in range(20)]
DATES = [f"{i + 1:02}.05.2024" for i in range(20)]


def write(tmp_path, cells, name="area"):
    path = tmp_path / "houses.csv"
    lines = [f"{cell};{i}" for i, cell in enumerate(cells)]
    path.write_text("\n".join([f"{name};rooms", *lines]) + "\n")
    return path


def named_in(message):
    """The value of ``missing=`` that a message names."""
    return ast.literal_eval(re.search(r"missing=(\[.*?\])", message)[1])


@pytest.mark.parametrize(
    ("cells", "what"),
    [
        (COMMAS, "numbers"),
        ([*COMMAS[:12], *(str(i) for i in range(70, 90))], "numbers"),
        ([f"{c} kg" for c in COMMAS], "amounts"),
        (DATES, "dates"),
    ],
)
@pytest.mark.parametrize("words", [["unknown"], ["see file", "ask"]])
def test_a_note_names_the_words_and_the_way_out(tmp_path, cells, what, words):
    path = write(tmp_path, [*cells, *words])
    with pytest.warns(DataWarning, match=f"nearly all its cells are {what}") as noted:
        assert read_table(path)["area"].kind == "nominal"
    note = str(noted[0].message)
    assert named_in(note) == sorted(words)
    with pytest.warns(
        DataWarning, match=what.removesuffix("s").replace("amount", "kg")
    ):
        table = read_table(path, missing=named_in(note))
    assert table["area"].kind == "numeric"
    assert table["area"].missing.sum() == len(words)
    shell = for_a_shell(note)
    for word in words:
        assert f"--missing {word if ' ' not in word else repr(word)}" in shell
    assert "missing=" not in shell


@pytest.mark.parametrize(
    ("kind", "cells"),
    [
        ("numeric", COMMAS),
        ("decimal-comma", COMMAS),
        ("at-limit", COMMAS),
        ("numeric", [c.replace(",", ".") for c in COMMAS]),
        ("decimal-point", [c.replace(",", ".") for c in COMMAS]),
        ("date", DATES),
        ("day-first", DATES),
    ],
)
def test_an_error_shows_the_cell_that_does_not_fit(tmp_path, kind, cells):
    path = write(tmp_path, [*cells[:3], "unknown", *cells[3:]])
    with pytest.raises(BadInputError, match="'unknown'") as error:
        read_table(path, kinds={"area": kind})
    message = str(error.value)
    assert cells[0] not in message
    assert named_in(message) == ["unknown"]
    assert "--missing unknown" in for_a_shell(message)
    table = read_table(path, kinds={"area": kind}, missing=named_in(message))
    assert table["area"].missing.sum() == 1
    frame = pd.DataFrame({"area": [*cells[:3], "unknown"]})
    with pytest.raises(BadInputError, match=r"row 3 .*'unknown'"):
        as_table(frame, kinds={"area": kind})


def test_a_good_number_is_never_called_missing(tmp_path):
    path = write(tmp_path, ["1,250", "3,125", "7,500"])
    with pytest.raises(BadInputError, match="'1,250' is not written like") as error:
        read_table(path, kinds={"area": "numeric"})
    assert "missing" not in str(error.value)
    shell = for_a_shell(str(error.value))
    assert "--decimal ," in shell
    assert "--kind area=decimal-comma" in shell
    first = read_table(path, decimal=",", kinds={"area": "numeric"})["area"].cells()
    second = read_table(path, kinds={"area": "decimal-comma"})["area"].cells()
    assert first == second == [1.25, 3.125, 7.5]


def test_words_are_shown_as_they_stand_beside_decimal_commas(tmp_path):
    path = write(tmp_path, [*COMMAS, "ca. 7"])
    with pytest.warns(DataWarning, match=r"but not 'ca\. 7'"):
        read_table(path, decimal=",")
    path = write(tmp_path, [*COMMAS, "<0,5", "n.d."])
    column = read_table(path, decimal=",", kinds={"area": "numeric"})["area"]
    assert column.cells()[-2:] == [0.25, None]


@pytest.mark.parametrize("mark", ["n.v.t.", "N.V.T.", "nvt"])
def test_a_dutch_mark_is_missing_among_numbers(tmp_path, mark):
    path = write(tmp_path, [*COMMAS, mark])
    with pytest.warns(DataWarning, match=f"'{re.escape(mark)}' as missing"):
        column = read_table(path)["area"]
    assert column.kind == "numeric"
    assert column.missing.sum() == 1


MARKS = ["", "?", "NA", "x", "1"]


@pytest.mark.parametrize("reader", [read_table, lambda p, **o: Source(p, **o).read()])
def test_marks_add_to_the_usual_ones_unless_these_are_left_out(tmp_path, reader):
    path = write(tmp_path, [*MARKS, "b"])
    assert reader(path, missing=["x"])["area"].cells() == [*[None] * 4, "1", "b"]
    own = reader(path, missing=["x"], usual_missing=False)["area"].cells()
    assert own == ["", "?", "NA", None, "1", "b"]
    none = reader(path, usual_missing=False)["area"].cells()
    assert none == [*MARKS, "b"]
    with pytest.raises(BadInputError, match="usual_missing='no'; expected True or"):
        reader(path, usual_missing="no")
    with pytest.raises(BadInputError, match="but this is jsonl"):
        reader(path, usual_missing=False, format="jsonl")


def test_the_note_of_a_frame_is_taken_literally(tmp_path):
    cells = ["A", "B", "-", "A"] * 3
    with pytest.warns(DataWarning, match="'-' is a label here") as noted:
        as_table(pd.read_csv(write(tmp_path, cells), sep=";"))
    path = write(tmp_path, [*cells, "?", ""])
    column = read_table(path, missing=named_in(str(noted[0].message)))["area"]
    assert column.categories == ("A", "B")
