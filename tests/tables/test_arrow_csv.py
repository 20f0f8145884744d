"""CSV cut by Arrow: the table of the strict reader, or nothing."""

import csv
import io
import math
import pathlib
import tempfile
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import sklazy
from sklazy.errors import BadInputError
from sklazy.tables import arrow_csv, streams
from sklazy.tables.arrow_csv import read_csv_by_arrow
from sklazy.tables.budget import Budget, ReadLimits
from sklazy.tables.cells import readers_like
from sklazy.tables.delimited import CsvOptions, read_csv
from sklazy.tables.text import TextFile

CELLS = [
    *("1", "2.5", "-3", "1e5", "+4", ".5", "5.", "007", "-01", "0", "0.5", "00.5"),
    *("9007199254740993", "1e400", "inf", "nan", "NA", "", " ", " 6", "7 ", "1_0"),
    *("a", "b", "yes", "No", "2024-05-01", "12 %", "é", "a,b", 'q"q', '"', "x\ny"),
    *("a;b", "\t", "x\ry", "?", "0x1f", "None", "True", "a" * 70),
]
NAMES = ["a", "row_id", "c", "1", ""]


@pytest.fixture
def any_size(monkeypatch):
    monkeypatch.setattr(arrow_csv, "FEWEST_BYTES", 0)


def read_both(text, options=None, kinds=None, readers=None):
    arguments = (
        TextFile("x.csv", text),
        options or CsvOptions(),
        kinds or {},
        Budget("x.csv", ReadLimits()),
        readers or {},
    )
    quick = read_csv_by_arrow(*arguments)
    try:
        return quick, read_csv(*arguments)
    except BadInputError:
        return quick, None


def assert_same(quick, strict):
    assert strict is not None
    (table, notes), (expected, remarks) = quick, strict
    assert notes == remarks
    assert (table.names, table.kinds, table.named, len(table)) == (
        expected.names,
        expected.kinds,
        expected.named,
        len(expected),
    )
    for column, other in zip(table, expected, strict=True):
        assert column.categories == other.categories
        assert np.array_equal(
            column.data, other.data, equal_nan=column.kind == "numeric"
        )
        assert column.data.dtype == other.data.dtype


columns = st.lists(
    st.lists(st.sampled_from(CELLS), min_size=1, max_size=3), min_size=1, max_size=3
)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    columns,
    st.integers(1, 30),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONE]),
    st.booleans(),
    st.data(),
)
def test_a_table_is_that_of_the_strict_reader(
    any_size, columns, n_rows, mark, end, quoting, named, data
):
    # Python cannot write an empty cell that is alone in its row without quotes.
    assume(quoting != csv.QUOTE_NONE or len(columns) > 1)
    buffer = io.StringIO()
    writer = csv.writer(
        buffer, delimiter=mark, quoting=quoting, lineterminator=end, escapechar="\\"
    )
    if named:
        writer.writerow(NAMES[: len(columns)])
    for i in range(n_rows):
        writer.writerow([cells[i % len(cells)] for cells in columns])
    text = buffer.getvalue()
    if data.draw(st.booleans()):  # cut, or with something where it should not be
        place = data.draw(st.integers(0, len(text)))
        text = text[:place] + data.draw(st.sampled_from(["", '"', mark, end]))
    kinds = data.draw(
        st.dictionaries(
            st.sampled_from(NAMES), st.sampled_from(["numeric", "nominal", "date"])
        )
    )
    quick, strict = read_both(text, kinds=kinds)
    if quick is not None:
        assert_same(quick, strict)


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n" + "1.5,x\n2,y\nNA,z\n" * 9,
        'a,b\n"1,5","say ""so"""\n' * 1 + '3,"two\nlines"\n' * 9,
        "row_id;zip\n1;01234\n2;04567\n",
    ],
)
def test_plain_files_are_not_left_to_the_strict_reader(any_size, text):
    quick, strict = read_both(text)
    assert_same(quick, strict)


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2\n3\n",
        'a,b\n1,"2\n',
        'a,b\n1,"2"x\n',
        'a,b\n1, "2, 3"\n',
        "a,b\n1,2\n   \n3,4\n",
        "a\n1\n\n2\n",
        "a,b\n1," + "x" * 200_000 + "\n",
    ],
)
def test_others_are(any_size, text):
    assert read_both(text)[0] is None


def test_known_labels_are_read_as_such(any_size):
    like = sklazy.Table.from_any([["NA", 1.0], ["b", 2.0]], feature_names=["a", "b"])
    missing = CsvOptions().missing
    readers = readers_like(like, missing)
    kinds = {"a": "nominal", "b": "numeric"}
    text = "a,b\n" + "NA,1\nb,2\n,3\n" * 4
    quick, strict = read_both(text, kinds=kinds, readers=readers)
    assert_same(quick, strict)
    assert quick[0]["a"].cells()[:3] == ["NA", "b", None]


def test_a_large_file_names_its_bad_line(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n" + "1,2\n" * 40_000 + "3\n" + "1,2\n" * 9)
    with pytest.raises(sklazy.BadFileError, match=r"rows.csv:40002:2: expected 2"):
        sklazy.read_table(path)
    path.write_text("a,b\n" + "1,2\n" * 40_000 + "x,3\n")
    with pytest.raises(sklazy.BadFileError, match=r"rows.csv:40002:1: 'x' is not a"):
        sklazy.read_table(path, numeric=["a"])
    with warnings.catch_warnings(record=True, action="always") as remarks:
        assert sklazy.read_table(path).kinds == ["nominal", "numeric"]
    assert "all but 1 of its 40001 cells are numbers" in str(remarks[0].message)


def stored(path, fewest_bytes, block=64, **options):
    """The bytes that `store` writes and its remarks, or the text of its error."""
    out = path.with_suffix(".sklazy")
    with (
        pytest.MonkeyPatch.context() as patch,
        warnings.catch_warnings(record=True) as w,
    ):
        warnings.simplefilter("always")
        patch.setattr(streams, "FEWEST_BYTES", fewest_bytes)
        patch.setattr(arrow_csv, "BLOCK", block)
        try:
            source = sklazy.Source(path, **options)
            sklazy.store(sklazy.LazyKNeighborsClassifier(3), source, "y", out)
        except BadInputError as error:
            assert not out.exists()
            return str(error)
    content = out.read_bytes()
    out.unlink()
    return content, [str(remark.message) for remark in w]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(1, 12),
            st.lists(
                st.sampled_from([*CELLS, "1,5", "x" * 400]), min_size=2, max_size=2
            ),
        ),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.data(),
)
def test_store_writes_the_file_of_the_strict_reader(parts, end, quoting, code, data):
    buffer, mark = io.StringIO(), data.draw(st.sampled_from(",;|"))
    writer = csv.writer(buffer, delimiter=mark, quoting=quoting, lineterminator=end)
    writer.writerow(["y", "n", data.draw(st.sampled_from(["a", "row_id"])), "b"])
    decimal = data.draw(st.sampled_from(".,"))
    for n_rows, cells in parts:
        for i in range(n_rows):
            number = str(i / 4).replace(".", decimal)
            writer.writerow(["no" if i % 3 else "yes", number, *cells])
    text = buffer.getvalue()
    if data.draw(st.booleans()):
        place = data.draw(st.integers(20, len(text)))
        odd = data.draw(st.sampled_from(['"', ",", end, "\0", "a,b,c\n"]))
        text = text[:place] + odd + text[place:]
    kinds = data.draw(
        st.dictionaries(
            st.sampled_from(["a", "b"]),
            st.sampled_from(["numeric", "nominal", "date", "ignore"]),
            max_size=1,
        )
    )
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "rows.csv")
        path.write_text(text, code, newline="")
        options = {"kinds": kinds, "encoding": code, "delimiter": mark}
        options["decimal"] = decimal
        block = data.draw(st.integers(1, 300))  # lines end, and quotes open, anywhere
        quick = stored(path, 0, block, **options)
        assert quick == stored(path, math.inf, **options)


def test_store_cuts_plain_files_by_arrow_alone(tmp_path, monkeypatch):
    path = tmp_path / "rows.csv"
    path.write_text("y,a,b\n" + 'no,1.5,"x, z"\nyes,,"two\nlines"\n' * 50)
    expected = stored(path, math.inf)
    monkeypatch.setattr(streams, "_csv_column", None)  # of the strict reader
    assert stored(path, 0) == expected
