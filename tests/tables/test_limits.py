"""Cells such as <0.05 and "-" among numbers are read as numbers, with a note."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sklazy
from sklazy.cli.hints import for_a_shell
from sklazy.errors import BadInputError, BadTypeError, DataWarning
from sklazy.tables import as_table, read_table
from sklazy.tables.cells import make_reader
from sklazy.tables.limits import MARKS

LAB = ["0.1", "0.25", "<0.05", "3", "> 100", "-", "1.5", "≤ 2"]
HALF = [0.1, 0.25, 0.025, 3, 100, np.nan, 1.5, 1]
WHOLE = [0.1, 0.25, 0.05, 3, 100, np.nan, 1.5, 2]


def of_file(tmp_path, cells, **options):
    path = tmp_path / "lab.csv"
    rows = "\n".join(f"{i};{cell}" for i, cell in enumerate(cells))
    path.write_text(f"n;sulfur\n{rows}\n", "utf-8")
    with pytest.warns(DataWarning) as noted:
        column = read_table(path, delimiter=";", **options)["sulfur"]
    return column, str(noted[0].message)


def same(column, numbers):
    assert column.kind == "numeric"
    np.testing.assert_array_equal(column.data, numbers)


def test_limits_of_a_file_are_half_with_a_note(tmp_path):
    column, note = of_file(tmp_path, LAB)
    same(column, HALF)
    assert "'<0.05', '≤ 2' as half of its limit ('at-limit' takes the limit)" in note
    assert "'> 100' as its limit, '-' as missing" in note


@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
def test_the_way_out_of_the_note_is_taken():
    frame = pd.DataFrame({"sulfur": LAB})
    same(as_table(frame, kinds={"sulfur": "at-limit"})["sulfur"], WHOLE)
    kept = as_table(frame, kinds={"sulfur": "nominal"})["sulfur"]
    assert kept.categories == tuple(sorted(LAB))
    same(as_table(frame, kinds={"sulfur": "numeric"})["sulfur"], HALF)


def test_sheets_mix_numbers_and_texts(tmp_path):
    cells = [0.1, 0.25, "<0.05", 3, "> 100", "-", 1.5, "≤ 2"]
    path = tmp_path / "lab.xlsx"
    pd.DataFrame({"sulfur": cells}).to_excel(path, index=False)
    with pytest.warns(DataWarning, match="half of its limit"):
        same(read_table(path)["sulfur"], HALF)
    with pytest.warns(DataWarning, match="half of its limit"):
        same(as_table(pd.DataFrame({"sulfur": cells}))["sulfur"], HALF)


@pytest.mark.parametrize("mark", sorted(MARKS))
@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
def test_marks_among_numbers_are_missing(mark):
    frame = pd.DataFrame({"x": ["1.5", "2", "3", "4", "5", mark.upper()]})
    assert as_table(frame)["x"].missing.tolist() == [False] * 5 + [True]


@pytest.mark.parametrize(
    "cells",
    [
        ["<18", "18-65", ">65"],  # groups
        ["<18", ">65", "<18"],
        ["-", "+", "-"],
        ["a", "-", "."],
        ["1", "2", "-"],  # too few numbers to be measurements
        ["007", "-", "012", "099", "123", "456"],  # codes
        ["<b>", "1", "2", "3"],
    ],
)
@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
def test_labels_stay_labels(cells):
    assert as_table(pd.DataFrame({"x": cells}))["x"].kind == "nominal"


@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
def test_later_rows_are_read_likewise(tmp_path):
    frame = pd.DataFrame({"sulfur": LAB * 4, "b": np.arange(32.0)})
    model = sklazy.LazyKNeighborsClassifier().fit(frame, ["x", "y"] * 16)
    later = pd.DataFrame({"sulfur": ["<0.2", "n.d.", "0.1"], "b": [1.0, 2.0, 3.0]})
    numbers = pd.DataFrame({"sulfur": [0.1, np.nan, 0.1], "b": [1.0, 2.0, 3.0]})
    expected = model.predict_proba(numbers).tolist()
    assert model.predict_proba(later).tolist() == expected
    model.save(tmp_path / "lab.sklazy")
    again = sklazy.load(tmp_path / "lab.sklazy")
    assert again.predict_proba(later).tolist() == expected
    with pytest.raises(BadInputError, match=r"'about 3'.*or leave it missing"):
        model.predict(later.assign(sulfur="about 3"))


@given(st.permutations(LAB))
@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
def test_the_order_of_rows_does_not_matter(cells):
    by_cell = dict(zip(LAB, HALF, strict=True))
    column = as_table(pd.DataFrame({"x": cells}))["x"]
    np.testing.assert_array_equal(column.data, [by_cell[cell] for cell in cells])


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as writer:
        pd.DataFrame({"about": ["a file"]}).to_excel(writer, sheet_name="Info")
        pd.DataFrame({"x": [1.5, 2.0], "y": ["a", "b"]}).to_excel(
            writer, sheet_name="Data", index=False, startrow=3
        )
        pd.DataFrame({"title": ["Flats of 2024"]}).to_excel(
            writer, sheet_name="Data", index=False, header=False
        )
    return path


@pytest.mark.parametrize("sheet", ["Data", 1, "1"])
def test_a_sheet_is_chosen_below_its_title(book, sheet):
    with pytest.warns(DataWarning, match=r"'Info' is read, not 'Data' \(choose with"):
        read_table(book)
    table = read_table(book, sheet=sheet, skip_rows=3)
    assert table.names == ["x", "y"]
    assert table["x"].data.tolist() == [1.5, 2.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sheet": "Dats"}, "no sheet 'Dats'. Did you mean 'Data'"),
        ({"sheet": 2}, "give its place, from 0 to 1"),
        ({"sheet": "Data", "skip_rows": 9}, "all its rows are skipped"),
        ({"skip_rows": -1}, "skip_rows=-1"),
    ],
)
def test_wrong_sheets_are_refused(book, options, message):
    with pytest.raises(BadInputError, match=message):
        read_table(book, **options)


def test_sheets_are_for_excel(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pytest.raises(BadInputError, match="for Excel files, but this is csv"):
        read_table(tmp_path / "a.csv", sheet="Data")


GARAGE = ["Yes", "yes", "no", "-"] * 3


def test_a_dash_among_words_is_pointed_out(tmp_path):
    column, note = of_file(tmp_path, GARAGE)
    assert column.kind == "nominal"
    assert "'-' is a label here; if it means missing, replace it by None" in note
    assert "missing=['-']" in note
    column, note = of_file(tmp_path, GARAGE, missing=["-"])
    assert "spellings of yes and no are taken as one" in note
    assert column.missing.sum() == 3


def test_signs_and_words_that_are_labels_bring_no_note(recwarn):
    as_table(pd.DataFrame({"sign": ["+", "-"] * 6, "balcony": ["none", "large"] * 6}))
    assert not recwarn.list


def test_the_note_of_a_dash_names_the_option_of_the_shell(tmp_path):
    note = of_file(tmp_path, GARAGE)[1]
    assert "if it means missing, give --missing -" in for_a_shell(note)


def test_limits_are_named_only_where_there_are_some(tmp_path):
    _, note = of_file(tmp_path, ["1", "2", "-", "3", "4", "5"])
    assert "'sulfur': numbers (decimal-point), '-' as missing" in note
    assert "half" not in note


def test_of_many_columns_each_has_a_line(tmp_path):
    path = tmp_path / "lab.csv"
    path.write_text("a;b;c\n" + "\n".join(f"{i} kg;{i} m;{i} s" for i in range(9)))
    with pytest.warns(DataWarning) as noted:
        read_table(path, delimiter=";")
    lines = str(noted[0].message).split("\n")
    assert [line.split(":")[0] for line in lines[1:4]] == ["  'a'", "  'b'", "  'c'"]
    assert lines[0] == f"{path}:"
    assert lines[4].startswith("Set the kind")


# --- marks in rows that come later ----------------------------------------------------

LABELS = ["low"] * 10 + ["high"] * 10
SIZES = [float(i) for i in range(20)]
FIRST = {
    "numbers": SIZES,
    "amounts": [f"{size} kg" for size in SIZES],
    "dates": [f"2024-01-{i + 1:02}" for i in range(20)],
}
LATER = {
    "numbers": [2.0, "n/a"],
    "text of numbers": ["2.0", "-"],
    "amounts": ["2.0 kg", "n/a"],
    "dates": ["2024-01-03", "-"],
}


def fitted(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        frame = pd.DataFrame({"size": FIRST[kind], "other": list("ab") * 10})
        return sklazy.LazyNBClassifier().fit(frame, LABELS)


def rows(cells, other=("a", "b")):
    return pd.DataFrame({"size": cells, "other": other[: len(cells)]}, dtype=object)


@pytest.mark.parametrize("kind", sorted(LATER))
def test_a_mark_in_later_rows_is_missing_with_a_note(kind):
    model = fitted(kind.split()[-1])
    with pytest.warns(DataWarning, match="'(n/a|-)' as missing"):
        answers = model.predict_proba(rows(LATER[kind]))
    known = LATER[kind][0] if kind != "text of numbers" else 2.0
    np.testing.assert_array_equal(answers, model.predict_proba(rows([known, None])))
    with pytest.warns(DataWarning, match="as missing"):
        alone = model.predict_proba(rows(LATER[kind][1:], "b"))
    np.testing.assert_array_equal(answers[1:], alone)


def test_texts_and_marks_of_one_column_are_both_noted():
    with pytest.warns(DataWarning, match=r"such as '2' as numbers and '-' as missing"):
        fitted("numbers").predict(rows(["2", "-"]))


@pytest.mark.parametrize("kind", sorted(FIRST))
def test_a_mark_in_added_rows_is_missing(kind):
    cells = LATER[kind]
    model, other = fitted(kind), fitted(kind)
    with pytest.warns(DataWarning, match="as missing"):
        model.partial_fit(rows(cells), ["low", "high"])
    other.partial_fit(rows([cells[0], None]), ["low", "high"])
    assert model.digest() == other.digest()
    with pytest.warns(DataWarning, match="as missing"):
        model.partial_fit(rows(cells[1:]), ["low"])


def test_a_mark_among_the_first_numbers_or_dates_is_missing():
    numbers, dates = ["n/a", *SIZES[1:]], ["-", *FIRST["dates"][1:]]
    for cells in (numbers, dates):
        with pytest.warns(DataWarning, match="as missing"):
            model = sklazy.LazyNBClassifier().fit(rows(cells, list("ab") * 10), LABELS)
        other = sklazy.LazyNBClassifier()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            other.fit(rows([None, *cells[1:]], list("ab") * 10), LABELS)
        assert model.digest() == other.digest()


def test_other_words_in_later_rows_are_still_refused():
    model = fitted("numbers")
    with pytest.raises(BadTypeError, match="holds the string 'warm'"):
        model.predict(rows(["warm", "n/a"]))
    with pytest.raises(BadTypeError, match=r"holds numbers and strings such as '2\.0'"):
        model.partial_fit(rows(["2.0"]), ["low"])


# --- limits in rows that come later ---------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "cells", "numbers"),
    [
        ("numbers", [2.0, "<3"], [2.0, 1.5]),
        ("numbers", ["2.0", "< 3"], [2.0, 1.5]),
        ("numbers", ["<3", "> 7"], [1.5, 7.0]),
        ("amounts", ["2 kg", "<3 kg"], [2.0, 1.5]),
    ],
)
def test_a_limit_in_later_rows_is_halved_with_a_note(kind, cells, numbers):
    model = fitted(kind)
    with pytest.warns(DataWarning, match="'< ?3( kg)?' as half of its limit"):
        answers = model.predict_proba(rows(cells))
    np.testing.assert_array_equal(answers, model.predict_proba(rows(numbers)))
    with pytest.warns(DataWarning, match="as half of its limit|as its limit"):
        alone = model.predict_proba(rows(cells[1:], "b"))
    np.testing.assert_array_equal(answers[1:], alone)


@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
@pytest.mark.parametrize("cells", [[2.0, "<3"], ["<3", "-"]])
def test_a_limit_in_added_rows_is_halved_and_forgotten(cells):
    model, other, first = fitted("numbers"), fitted("numbers"), fitted("numbers")
    model.partial_fit(rows(cells), ["low", "high"], ids=[70, 71])
    numbers = [{"<3": 1.5, "-": None}.get(cell, cell) for cell in cells]
    other.partial_fit(rows(numbers), ["low", "high"], ids=[70, 71])
    assert model.digest() == other.digest()
    model.forget([70, 71])
    assert model.predict_proba(rows([1.5])).tolist() == (
        first.predict_proba(rows([1.5])).tolist()
    )


@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
@pytest.mark.parametrize(("kind", "expected"), [("numeric", 1.5), ("at-limit", 3.0)])
def test_a_declared_column_of_plain_numbers_takes_limits(kind, expected, tmp_path):
    frame = pd.DataFrame({"size": SIZES, "other": list("ab") * 10})
    model = sklazy.LazyNBClassifier(categorical_features={"size": kind})
    model.fit(frame, LABELS)
    answers = model.predict_proba(rows([expected])).tolist()
    assert model.predict_proba(rows(["<3"])).tolist() == answers
    model.partial_fit(rows([2.0, "<3"]), ["low", "high"])
    path = tmp_path / "first.csv"
    frame.to_csv(path, index=False)
    like = read_table(path, kinds={"size": kind})
    path.write_text("size,other\n2.5,a\n<3,a\n")
    later = model.predict_proba(read_table(path, like=like)).tolist()
    assert later == model.predict_proba(rows([2.5, expected], "aa")).tolist()


def test_limits_are_read_by_a_file_and_a_server_alike(tmp_path):
    path = tmp_path / "later.csv"
    path.write_text("x,y\n<3,1\n-,2\n")
    like = as_table([[1.0, 2.0]], feature_names=["x", "y"])
    with pytest.warns(DataWarning, match="'<3' as half of its limit.*'-' as missing"):
        column = read_table(path, like=like)["x"]
    same(column, [1.5, np.nan])
    assert make_reader("numeric", None).read(" <3") == 1.5


def test_a_limit_beside_a_first_number_is_no_label():
    frame = pd.DataFrame({"size": [0.1, "<0.05"] * 10, "b": SIZES})
    with pytest.raises(BadTypeError, match=r"holds numbers such as .* and strings"):
        sklazy.LazyNBClassifier().fit(frame, LABELS)
    frame["size"] = [0.1, 0.2, "<0.05", 3.0] * 5
    with pytest.warns(DataWarning, match="half of its limit"):
        sklazy.LazyNBClassifier().fit(frame, LABELS)


def test_the_message_names_the_cell_at_fault():
    model = fitted("numbers")
    with pytest.raises(BadTypeError, match=r"'foo', row 2 .*Write a number") as error:
        model.predict(rows(["2.5", "<3", "foo"], "aba"))
    assert "nominal" not in for_a_shell(str(error.value))
    frame = pd.DataFrame({"size": ["7", "foo"]})
    for features in ({"size": "numeric"}, []):
        with pytest.raises(BadTypeError, match=r"row 1 .*'foo'|'foo', row 1"):
            as_table(frame, categorical_features=features)


def test_a_word_among_numbers_names_the_option_that_helps(tmp_path):
    path = tmp_path / "lab.csv"
    path.write_text("x,y\n1,1\nabout 90,2\n3,3\n")
    with pytest.raises(BadInputError, match="'about 90' is not a number") as error:
        read_table(path, kinds={"x": "numeric"})
    assert "--missing 'about 90'" in for_a_shell(str(error.value))
    table = read_table(path, missing=["about 90"], kinds={"x": "numeric"})
    same(table["x"], [1.0, np.nan, 3.0])


def test_an_iso_date_is_read_in_every_column_of_dates():
    for cells in (["13.05.2024", "14.05.2024"], ["05/13/2024", "05/14/2024"]):
        with pytest.warns(DataWarning, match="-first"):
            like = as_table(pd.DataFrame({"sold": cells}))
        iso = as_table(pd.DataFrame({"sold": ["2024-05-13"]}), like=like)
        assert iso["sold"].data.tolist() == like["sold"].data[:1].tolist()


def test_text_of_numbers_in_a_frame_is_pointed_out(recwarn):
    as_table(pd.DataFrame({"code": ["07", "1.5"] * 9, "stars": ["1", "2"] * 9}))
    assert not recwarn.list
    frame = pd.DataFrame({"crp": ["1.5", "2", "30"] * 9})
    with pytest.warns(DataWarning, match="'crp': text that writes numbers") as noted:
        assert as_table(frame)["crp"].kind == "nominal"
    assert "categorical_features={'crp': 'numeric'}" in str(noted[0].message)
    same(as_table(frame, kinds={"crp": "numeric"})["crp"], [1.5, 2.0, 30.0] * 9)


def test_a_target_of_amounts_in_a_frame_is_read_as_that_of_a_file(tmp_path):
    prices = [f"€{1000 * (i + 1):,}" for i in range(20)]
    frame = pd.DataFrame({"size": SIZES, "price": prices})
    numbers = frame.assign(price=[1000.0 * (i + 1) for i in range(20)])
    expected = sklazy.LazyKNeighborsRegressor().fit(numbers, "price")
    for X, y in ((frame, "price"), (frame[["size"]], frame["price"])):
        with pytest.warns(DataWarning, match="'price': numbers of '€'"):
            model = sklazy.LazyKNeighborsRegressor().fit(X, y)
        assert model.digest() == expected.digest()
    with pytest.raises(BadTypeError, match="a regressor predicts numbers"):
        sklazy.LazyKNeighborsRegressor().fit(frame.assign(price="cheap"), "price")


COMMAS = "size;other\n0,5;a\n0,25;b\n3,0;a\n7;b\n"


@pytest.mark.parametrize(
    ("cell", "number", "note"),
    [
        ("<0,05", 0.025, "'<0,05' as half of its limit"),
        ("> 1.000,5", 1000.5, "as its limit"),
        ("n.a.", np.nan, "'n.a.' as missing"),
    ],
)
def test_limits_with_a_decimal_comma_are_read_like_earlier_numbers(
    tmp_path, cell, number, note
):
    path = tmp_path / "first.csv"
    path.write_text(COMMAS)
    like = read_table(path, decimal=",")
    path.write_text(f"size;other\n0,5;a\n{cell};b\n")
    for rows in (path, [path, path]):  # as a whole, and one after the other
        with pytest.warns(DataWarning, match=f"column 'size': .*{note}"):
            later = read_table(rows, decimal=",", like=like)
        same(later["size"], [0.5, number] * (len(later) // 2))
    with pytest.warns(DataWarning, match=f"column 'size': .*{note}"):
        (part,) = sklazy.Source(path, decimal=",").batches_like(like)
    same(part["size"], [0.5, number])
    model = sklazy.LazyNBClassifier().fit(like, list("abab"))
    assert len(model.predict(later)) == len(later)


def test_limits_with_a_point_are_read_like_earlier_numbers(tmp_path):
    path = tmp_path / "later.csv"
    path.write_text("x,y\n0.5,1\n<0.05,2\n")
    like = as_table([[1.0, 2.0]], feature_names=["x", "y"])
    with pytest.warns(DataWarning, match="'<0.05' as half of its limit"):
        same(read_table(path, like=like)["x"], [0.5, 0.025])


def test_a_comma_without_the_option_is_named():
    model = fitted("numbers")
    with pytest.raises(BadTypeError, match=r"read the file with decimal=','") as error:
        model.predict(rows(["2,5"]))
    assert "--decimal ," in for_a_shell(str(error.value))
