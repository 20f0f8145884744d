"""JSON lines, Excel and standard input."""

import datetime as dt
import gzip
import io
import json
import zipfile

import pandas as pd
import pytest

import sklazy
from sklazy.errors import BadFileError, BadInputError, DataWarning
from sklazy.tables import as_table, read_table

FRUIT = [
    {"name": "apple", "weight": 150.5, "ripe": True},
    {"name": "pear", "weight": None},
    {"weight": 3, "name": "plum", "color": "blue"},
]


def check_fruit(table):
    assert table.names == ["name", "weight", "ripe", "color"]
    assert [c.cells() for c in table] == [
        ["apple", "pear", "plum"],
        [150.5, None, 3.0],
        [True, None, None],
        [None, None, "blue"],
    ]


# --- JSON -----------------------------------------------------------------------------


def test_json_lines_and_arrays(tmp_path):
    lines = "\n".join(map(json.dumps, FRUIT)) + "\n\n"
    for name, text in (("a.jsonl", lines), ("a.json", json.dumps(FRUIT, indent=1))):
        (tmp_path / name).write_text(text)
        check_fruit(read_table(tmp_path / name))
    (tmp_path / "a.ndjson.gz").write_bytes(gzip.compress(lines.encode()))
    check_fruit(read_table(tmp_path / "a.ndjson.gz"))
    check_fruit(as_table(FRUIT))
    table = read_table(
        tmp_path / "a.jsonl", nominal=["weight"], kinds={"name": "ignore"}
    )
    assert table["weight"].cells() == [150.5, None, 3]
    assert table["name"].reading.style == "aside"


def test_text_in_json_is_understood(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"day": "2024-05-31", "p": "5 %"}\n{"day": null, "p": "7 %"}\n')
    with pytest.warns(DataWarning, match=r"'day': date \(iso\); 'p': numbers of '%'"):
        table = read_table(path)
    assert [c.cells() for c in table] == [[19874.0, None], [5.0, 7.0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"a\.jsonl:1: the file holds no rows"),
        ("[]", r"a\.jsonl:1: the file holds no rows"),
        ('{"a": 1}\n{"a": }\n', r"a\.jsonl:2:7: not JSON \(Expecting value\)"),
        ('{"a": NaN}', r"a\.jsonl:1: not JSON \(NaN is not a number; write null"),
        ("3", r"a\.jsonl:1: expected an object"),
        ('{"a": [1]}', r"a\.jsonl:1: 'a' holds a list; flatten it"),
        ('[{"a": {}}]', r"a\.jsonl: 'a' holds a dict"),
        ('{"a": 1e999}', r"a\.jsonl: column 'a' contains infinity"),
        ("[" * 100_000, r"a\.jsonl"),
    ],
)
def test_json_that_is_no_table_is_refused_with_its_place(tmp_path, text, message):
    path = tmp_path / "a.jsonl"
    path.write_text(text)
    with pytest.raises(BadFileError, match=message):
        read_table(path)


def test_options_of_csv_are_refused(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"a": 1}')
    with pytest.raises(BadInputError, match="this is jsonl"):
        read_table(tmp_path / "a.jsonl", header=True)


# --- standard input -------------------------------------------------------------------


def pipe(monkeypatch, raw):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(raw)))


def test_standard_input_in_every_format(monkeypatch):
    csv = b"name,weight\napple,150.5\npear,\n"
    arff = b"% fruit\n@relation f\n@attribute weight real\n@data\n3\n"
    lines = "\n".join(map(json.dumps, FRUIT)).encode()
    for raw, shape in (
        (csv, (2, 2)),
        (b"\xef\xbb\xbf" + csv, (2, 2)),
        (gzip.compress(csv), (2, 2)),
        (arff, (1, 1)),
        (b"@RELATION f" + arff[19:], (1, 1)),
        (lines, (3, 4)),
    ):
        pipe(monkeypatch, raw)
        assert read_table("-").shape == shape
    for name in ("parquet", "feather"):
        buffer = io.BytesIO()
        getattr(pd.DataFrame(FRUIT), f"to_{name}")(buffer)
        pipe(monkeypatch, buffer.getvalue())
        assert read_table("-").shape == (3, 4)
    pipe(monkeypatch, b"{1},{2}\n")
    assert read_table("-", format="csv").names == ["{1}", "{2}"]
    pipe(monkeypatch, b"a,b\n1,2,3\n")
    with pytest.raises(BadFileError, match="-:2:5: expected 2 fields"):
        read_table("-")


# --- Excel ----------------------------------------------------------------------------


@pytest.fixture
def book(tmp_path):
    """Write sheets of rows to an Excel file and give its path."""
    openpyxl = pytest.importorskip("openpyxl")

    def make(*sheets):
        workbook = openpyxl.Workbook()
        workbook.remove(workbook.active)
        for i, rows in enumerate(sheets):
            sheet = workbook.create_sheet(f"sheet {i}")
            for row in rows:
                sheet.append(row)
        workbook.save(tmp_path / "book.xlsx")
        return tmp_path / "book.xlsx"

    return make


def test_a_sheet_as_it_comes(book):
    path = book(
        [
            [None, "name", "sold", "price", "share", "paid", None],
            [None, "apple", dt.datetime(2024, 5, 31), "$1,234.50", 12.5, True, None],
            [None, None, None, None, None, None, None],
            [None, " pear ", None, "$7", "#DIV/0!", False, None],
        ]
    )
    with pytest.warns(DataWarning, match=r"'price': numbers of '\$'"):
        table = read_table(path)
    assert table.names == ["name", "sold", "price", "share", "paid"]
    assert [c.cells() for c in table] == [
        ["apple", "pear"],
        [19874.0, None],
        [1234.5, 7.0],
        [12.5, None],
        [True, False],
    ]
    assert table["sold"].reading.style == "date"
    later = read_table(path, like=table)
    assert [c.reading for c in later] == [c.reading for c in table]


def test_what_can_be_told_about_a_sheet(book):
    path = book([["a", "b"], ["1", 5], ["x", 6]])
    assert read_table(path, header=False).shape == (3, 2)
    assert read_table(path, missing=["x"])["a"].cells() == [1.0, None]
    assert read_table(path, nominal=["b"])["b"].categories == (5, 6)
    with pytest.raises(BadFileError, match=r"'x' is not a number.*\(column 'a', row 2"):
        read_table(path, numeric=["a"])
    with pytest.raises(BadInputError, match="this is excel"):
        read_table(path, delimiter=";")
    assert read_table(book([[1, 2], [3, 4]])).names == ["x0", "x1"]


def test_sheets_that_cannot_be_read(book, tmp_path):
    # Nothing was found out about columns, so no kind is spoken of.
    with pytest.warns(DataWarning, match=r"only the sheet 'sheet 0' is read[^.]*\.$"):
        read_table(book([["a"], [1]], [["b"], [2]]))
    with pytest.raises(BadFileError, match="'a' occurs more than once"):
        read_table(book([["a", "a"], [1, 2]]), header=True)
    with pytest.raises(BadFileError, match="the sheet is empty"):
        read_table(book([]))
    path = book([["a"], [1]])
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(BadFileError, match="not a readable Excel file"):
        read_table(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/workbook.xml", b" " * 2**27)
    with pytest.raises(BadFileError, match="unpacks to 134217728 bytes"):
        read_table(path)


def test_excel_without_openpyxl(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    (tmp_path / "a.xlsx").write_bytes(b"PK")
    with pytest.raises(BadInputError, match=r"pip install 'sklazy\[excel\]'"):
        sklazy.read_table(tmp_path / "a.xlsx")
