"""Files to tables: what real files hold, and what is refused and where."""

import contextlib
import csv
import datetime
import gzip
import io
import pathlib
import re
import sys
import tempfile
import time
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import oracle
from golden_files import INSIDE
from golden_parts import ARFF
from sklazy import read_table
from sklazy.errors import BadFileError, BadInputError, DataWarning
from sklazy.tables import Table, text
from sklazy.tables.infer import infer_kind
from strategies import mixed_problems
from weka_sets import read_columns

WEKA = INSIDE / "weka" / "inputs"


@pytest.fixture
def write(tmp_path):
    """Write a file (text or bytes) and give its path."""

    def make(content, name="file.csv"):
        path = tmp_path / name
        raw = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(raw)
        return path

    return make


@contextlib.contextmanager
def file_of(raw, name):
    """A file for tests that Hypothesis repeats."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, name)
        path.write_bytes(raw)
        yield path


def outcome(raw, name, **options):
    """The table of these bytes, or the error; anything else is a failure."""
    with file_of(raw, name) as path, warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            return read_table(path, **options)
        except BadFileError as error:
            refusal = error
    assert str(refusal).startswith(str(path))
    return refusal


def check_whole(result):
    """A table is complete in itself; an error has a message."""
    if isinstance(result, BadFileError):
        assert len(str(result)) > 10
        return
    assert isinstance(result, Table)
    for column in result:
        assert len(column) == result.n_rows
        if column.kind == "numeric":
            assert column.data.dtype == np.float64
            assert not np.isinf(column.data).any()
        else:
            assert column.data.dtype == np.int32
            assert column.data.max(initial=-1) < len(column.categories)
            assert column.data.min(initial=0) >= -1


# --- the data sets --------------------------------------------------------------------


@pytest.mark.parametrize("name", ARFF)
def test_arff_is_read_as_weka_reads_it(name):
    schema, columns = read_columns(name)
    table = read_table(WEKA / f"{name}.arff")
    assert table.names == [field["name"] for field in schema]
    assert table.kinds == [field["type"] for field in schema]
    for column, field, cells in zip(table, schema, columns, strict=True):
        assert list(column.categories or []) == (field["values"] or [])
        if field["type"] == "numeric":
            np.testing.assert_array_equal(column.data, cells)
        else:
            assert column.cells() == cells


def listed_sets(folder):
    """The lines of the README's table whose files are ARFF or CSV."""
    for line in (folder / "README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 8 and re.search(r"\.(arff|csv)(\.gz)?$", cells[2]):
            yield cells[2:7]


def test_every_data_set_is_as_its_readme_says(data_folder):
    sets = list(listed_sets(data_folder))
    assert len(sets) == 73
    for file, rows, attributes, classes, missing in sets:
        table = read_table(data_folder / file)
        inputs, target = table.select(table.names[:-1]), table.columns[-1]
        n_all, n_numeric, n_nominal = map(int, re.findall(r"\d+", attributes)[:3])
        assert table.shape == (int(rows.split()[0]), n_all + 1), file
        assert inputs.kinds.count("numeric") == n_numeric, file
        assert inputs.kinds.count("nominal") == n_nominal, file
        share = 100 * sum(inputs.missing.values()) / (table.n_rows * n_all)
        assert f"{share:.2f}" == missing, file
        if classes == "reg.":
            assert target.kind == "numeric"
            continue
        occurring = set(target.cells()) - {None}
        assert len(occurring) == int(classes.split()[0]), file
        # A class of a CSV file that is written as a number is one, until told.
        assert target.kind == ("nominal" if ".arff" in file else "numeric"), file


def test_classes_that_are_declared_but_do_not_occur(data_folder):
    declared = {"anneal": 6, "autos": 7, "glass": 7, "heart-c": 5, "primary-tumor": 22}
    for name, count in declared.items():
        table = read_table(data_folder / "classification" / f"{name}.arff")
        assert len(table.columns[-1].categories) == count
        assert len(table.columns[-1].occurring().categories) < count


def test_missing_counts_are_wekas(data_folder):
    folder = data_folder / "classification"
    for name, count in {"anneal.ORIG": 22175, "colic": 1927, "heart-h": 782}.items():
        table = read_table(folder / f"{name}.arff")
        assert sum(table.drop(table.names[-1:]).missing.values()) == count
    bridges = read_table(folder / "bridges-version1.arff")
    assert bridges.missing[bridges.names[-1]] == 2
    assert "?" in read_table(folder / "anneal.arff")["family"].categories


def test_class_counts_of_the_csv_sets(data_folder):
    path = data_folder / "nips2003" / "madelon.csv.gz"
    name = read_table(path).names[-1]
    target = read_table(path, nominal=[name])[name]
    assert np.bincount(target.data).tolist() == [1300, 1300]


def test_large_files_are_read_in_time(data_folder):
    for file in ("classification/letter.arff", "regression/pol.arff.gz"):
        start = time.perf_counter()
        read_table(data_folder / file)
        assert time.perf_counter() - start < 5  # a second on an idle machine


# --- ARFF -----------------------------------------------------------------------------

WEATHER = r"""% a comment
@RELATION 'the weather'

@Attribute outlook { sunny, 'over cast' ,"rainy" }
@attribute 'temp (C)' integer [-10,50]
@attribute "it's" REAL % trailing comment
@attribute mark {a,'?'}
@attribute name string
@data
sunny, 20 ,1.5,a,bob

% another comment
'over cast',?,-2e1,'?','it\'s me, \"really\" \u00e9\\'
?,5,?,?,? % end
"""


def test_arff_in_all_its_variety(write):
    table = read_table(write(WEATHER, "w.arff"))
    assert table.names == ["outlook", "temp (C)", "it's", "mark", "name"]
    assert table["outlook"].categories == ("sunny", "over cast", "rainy")
    assert table["outlook"].cells() == ["sunny", "over cast", None]
    assert table["outlook"].declared
    assert table["temp (C)"].cells() == [20.0, None, 5.0]
    assert table["it's"].cells() == [1.5, -20.0, None]
    assert table["mark"].cells() == ["a", "?", None]
    assert table["name"].cells() == ["bob", 'it\'s me, "really" é\\', None]
    assert not table["name"].declared


def test_line_endings_marks_and_gzip_do_not_matter(write):
    expected = repr(read_table(write(WEATHER, "w.arff")))
    for name, raw in {
        "a.arff": WEATHER.replace("\n", "\r\n").encode(),
        "b.arff": WEATHER.replace("\n", "\r").encode(),
        "c.arff": b"\xef\xbb\xbf" + WEATHER.encode(),
        "d.arff.gz": gzip.compress(WEATHER.encode()),
        "e.arff": gzip.compress(WEATHER.encode()),
        "F.ARFF.GZ": gzip.compress(WEATHER.encode()),
    }.items():
        assert repr(read_table(write(raw, name))) == expected
    assert repr(
        read_table(write(WEATHER.encode("utf-16"), "g.arff"), encoding="utf-16")
    )


HEAD = (
    "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@attribute c real\n@data\n"
)


def test_sparse_rows(write):
    table = read_table(
        write(HEAD + "{}\n{0 5, 1 y}\n{1 ?,2 'x'}\n", "s.arff"), kinds={"c": "nominal"}
    )
    assert table["a"].cells() == [0.0, 5.0, 0.0]
    assert table["b"].cells() == ["x", "y", None]
    assert table["c"].cells() == ["0", "0", "x"]


def test_rows_without_commas_are_cut_at_blanks(write):
    table = read_table(write(HEAD + "1 x 2\n3\ty\t?\n", "b.arff"))
    assert table["c"].cells() == [2.0, None]


def test_no_rows_are_a_table(write):
    table = read_table(write(HEAD, "n.arff"))
    assert table.shape == (0, 3)
    assert table["b"].categories == ("x", "y")


def test_dates_are_labels_and_said_so(write):
    content = "@relation r\n@attribute d date 'yyyy'\n@data\n2020\n1999\n"
    with pytest.warns(DataWarning, match="'d' holds dates"):
        table = read_table(write(content, "d.arff"))
    assert table["d"].categories == ("1999", "2020")
    assert read_table(write(content, "d.arff"), kinds={"d": "numeric"}).kinds == [
        "numeric"
    ]


@pytest.mark.parametrize(
    ("content", "line", "column", "message"),
    [
        ("", 1, 0, "no @data"),
        ("hello", 1, 1, "expected @relation"),
        ("@relation r\n@data\n", 2, 1, "before any @attribute"),
        ("@attribute a real\n@data\n", 2, 1, "before any @relation"),
        ("@relation r\n@attribute a real\n", 3, 0, "no @data"),
        ("@relation r\n@relation r\n", 2, 1, "expected @relation"),
        ("@relation r\n@attribute a reel\n", 2, 14, "found 'reel'"),
        ("@relation r\n@attribute a\n", 2, 13, "found ''"),
        ("@relation r\n@attribute 'a real\n", 2, 12, "never closed"),
        ("@relation r\n@attribute '' real\n", 2, 12, "without a name"),
        ("@relation r\n@attribute a {x,x}\n", 2, 17, "'x' is declared twice"),
        ("@relation r\n@attribute a {x y}\n", 2, 17, "comma before 'y}'"),
        ("@relation r\n@attribute a {x,y\n", 2, 18, "expected }"),
        ("@relation r\n@attribute a {}\n", 2, 15, "expected a value, found '}'"),
        ("@relation r\n@attribute a {x} y\n", 2, 17, "expected the end"),
        ("@relation r\n@attribute a real b\n", 2, 19, "expected the end"),
        ("@relation r\n@attribute a relational\n", 2, 14, "relational"),
        ("@relation r\n@attribute a real\n@attribute a real", 3, 12, "declared twice"),
        ("@relation r\n@attribute a real\n@data 5", 3, 7, "expected the end"),
        (HEAD + "1,x", 6, 4, "expected 3 values.*found 2"),
        (HEAD + "1,x,2,3", 6, 7, "expected 3 values.*found 4"),
        (HEAD + "1,x,2\n\n1,,2", 8, 3, "expected a value, found ','"),
        (HEAD + "1,x,", 6, 5, "end of the line"),
        (HEAD + "1,x,2\n 7 , z ,2", 7, 6, "'z' is not among the declared 'x', 'y'"),
        (HEAD + "one,x,2", 6, 1, "'one' is not a number"),
        (HEAD + "1,x,'2'\n1, 'x' ,1_000", 7, 9, "'1_000' is not a number"),
        (HEAD + "1,x,nan", 6, 5, "'nan' is not a number"),
        (HEAD + "1,x,1e999", 6, 5, "too large"),
        (HEAD + "1,x,9007199254740993", 6, 5, r"2\^53"),
        (HEAD + "1,'x,2", 6, 3, "never closed"),
        (HEAD + "1,x'y',2", 6, 4, "comma before"),
        (HEAD + "1,x y,2", 6, 5, "comma before 'y,2'"),
        (HEAD + "1,'\\101',2", 6, 4, "escape"),
        (HEAD + "1,'\\ud800',2", 6, 4, "escape"),
        (HEAD + "1,x,2,{5}", 6, 7, "instance weights"),
        (HEAD + "{0 1}, {5}", 6, 6, "instance weights"),
        (HEAD + "{0 1", 6, 5, "expected , or }"),
        (HEAD + "{1 x, 0 1}", 6, 6, "must increase"),
        (HEAD + "{0 1,}", 6, 6, "index and a value"),
        (HEAD + "{3 1}", 6, 4, "beyond the last attribute, 2"),
        (HEAD + "{1 z}", 6, 4, "'z' is not among"),
        (HEAD + "{2 x}", 6, 4, "'x' is not a number"),
        ("@relation r\n@attribute a string\n@data\n{}", 4, 1, "no zero"),
    ],
)
def test_malformed_arff_is_refused_with_its_place(
    write, content, line, column, message
):
    path = write(content, "bad.arff")
    with pytest.raises(BadFileError, match=message) as caught:
        read_table(path)
    place = "".join(f":{number}" for number in (line, column) if number)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).startswith(f"{path}{place}: ")


def quoted(value, style):
    """A value as ARFF, in one of three styles."""
    if value is None:
        return "?"
    bare = isinstance(value, float) or re.fullmatch(r"[A-Za-z0-9.]+", value)
    if style == 0 and bare:
        return str(value)
    mark = "'\""[style % 2]
    inner = str(value).replace("\\", "\\\\").replace(mark, "\\" + mark)
    return mark + inner.replace("\n", "\\n").replace("\r", "\\r") + mark


@given(mixed_problems(), st.lists(st.integers(0, 2), min_size=3), st.booleans())
def test_what_is_written_as_arff_is_read(problem, styles, is_sparse):
    expected = problem.table
    lines = ["@relation r"]
    for column in expected:
        labels = ",".join(quoted(label, 1) for label in column.categories) or "none"
        kind = "real" if column.kind == "numeric" else f"{{ {labels} }}"
        lines.append(f"@attribute {column.name} {kind}")
    lines.append("@data")
    for i, row in enumerate(problem.rows):
        cells = [quoted(v, styles[(i + j) % len(styles)]) for j, v in enumerate(row)]
        if is_sparse:
            cells = [f"{j} {cell}" for j, cell in enumerate(cells)]
        lines.append(f"{{{', '.join(cells)}}}" if is_sparse else ", ".join(cells))
    table = outcome("\n".join(lines).encode(), "r.arff")
    assert [c.cells() for c in table] == [c.cells() for c in expected]


# --- CSV ------------------------------------------------------------------------------

PEOPLE = 'name,age,note\nann,30,"a, b"\nbob,NA,"say ""hi"""\n"c\nd",2.5e1,\n'


def test_csv_with_quotes_and_missing_markers(write):
    table = read_table(write(PEOPLE))
    assert table["name"].cells() == ["ann", "bob", "c\nd"]
    assert table["age"].cells() == [30.0, None, 25.0]
    assert table["note"].cells() == ["a, b", 'say "hi"', None]


@pytest.mark.parametrize("mark", list(",;|\t"))
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_delimiters_are_found(write, mark, newline):
    content = newline.join([f"a{mark}b", f"1{mark}x y", "", f"2{mark}z", ""])
    table = read_table(write(content, "file.txt"))
    assert (table.shape, table.kinds) == ((2, 2), ["numeric", "nominal"])


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("a,b\n1,2\n", ["a", "b"]),
        ("1,2\n3,4\n", ["x0", "x1"]),
        ("id,2019,2020\n7,2,3\n", ["id", "2019", "2020"]),
        ("outlook,play\nsunny,yes\nrainy,no\n", ["outlook", "play"]),
        ("sunny,yes\nrainy,no\nsunny,yes\n", ["x0", "x1"]),
        ("p,p\nx,y\n", ["x0", "x1"]),
        ("?,p\nx,y\n", ["x0", "x1"]),
        ("a,b\n", ["a", "b"]),
        (",b\n1,2\n", ["column_1", "b"]),
        ("1,5;2,5\n2,5;7,5\n", ["x0", "x1"]),
    ],
)
@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
def test_headers_are_found(write, content, names):
    assert read_table(write(content)).names == names


def test_whatever_is_found_out_can_be_told(write):
    path = write("a;b\n1,5;x\n-;y\n")
    table = read_table(
        path, header=True, delimiter=";", decimal=",", missing=["-"], numeric=["a"]
    )
    assert table["a"].cells() == [1.5, None]
    table = read_table(path, header=False, delimiter="\t")
    assert table.shape == (3, 1)
    assert not table.named
    assert read_table(path, kinds={"a": "nominal"}).kinds == ["nominal", "nominal"]


@pytest.mark.parametrize(
    ("content", "kind", "message"),
    [
        ("zip\n02134\n10001\n", "nominal", "'02134' has a leading zero"),
        ("key\n9007199254740993\n1\n", "nominal", r"beyond 2\^53"),
        ("row_id\n3\n1\n", "nominal", "named like an id"),
        ("customerID\n3\n1\n", "nominal", "named like an id"),
        ("grid\n3\n1\n", "numeric", None),
        ("user_id\n3\n3\n", "nominal", "named like an id"),
        ("id\n3.5\n1\n", "numeric", None),
        ("v\n" + "1\n" * 20 + "oops\n", "nominal", "all but 1 of its 21.*'oops'"),
        ("v\n1,5\n2\n", "numeric", r"'v': numbers \(decimal-comma\)"),
        ("v\n1,500\n2\n", "nominal", r"'v'.*thousands or .* decimal comma"),
        ("v\nNA\n?\n", "numeric", None),
        ("v\n0.5\n0\n-0.25\n", "numeric", None),
    ],
)
def test_ids_and_codes_are_not_silently_numbers(write, content, kind, message):
    path = write(content)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = read_table(path, delimiter="\t")
    assert table.kinds == [kind]
    assert [w.category for w in caught] == [DataWarning] * bool(message)
    if message:
        assert re.search(message, str(caught[0].message))
        assert caught[0].filename == __file__


NUMBERISH = st.one_of(
    st.sampled_from(
        ["1", "2", "007", "-0", "1e5", ".5", "5.", "inf", "1_0", "٣", "+", ""]
    ),
    st.integers(-(2**60), 2**60).map(str),
    st.floats(allow_nan=False).map(str),
    st.text("0123456789+-.eE", max_size=5),
)


@given(
    st.sampled_from(["a", "id", "row_id", "IDa", "a.ID", "someId", "aid", "id-of x"]),
    st.lists(NUMBERISH, max_size=6),
)
def test_kinds_equal_the_slow_twin(name, texts):
    assert infer_kind(name, texts)[0] == oracle.kind_of_texts(name, texts)


@given(st.lists(st.one_of(st.none(), NUMBERISH)))
def test_numbers_equal_the_slow_twin(cells):
    known = [cell for cell in cells if cell is not None]
    fine = all(
        oracle.DECIMAL.fullmatch(c)
        and abs(float(c)) != float("inf")
        and not (c.lstrip("+-").isdigit() and abs(int(c)) > 2**53)
        for c in known
    )
    if fine:
        numbers = text.parse_numbers(cells).tolist()
        expected = [float(c) if c is not None else float("nan") for c in cells]
        assert str(numbers) == str(expected)
    else:
        with pytest.raises(text.BadCellError):
            text.parse_numbers(cells)


@pytest.mark.parametrize(
    ("content", "options", "line", "column", "message"),
    [
        ("", {}, 1, 0, "no rows"),
        ("a,b\n1,2\n1,2,3\n", {}, 3, 5, "expected 2 fields, as in line 1, found 3"),
        ("a,b\n\n1,2\n1\n", {}, 4, 2, "found 1"),
        ('a,b\n"x\ny",2\n"x,y",2,3\n', {}, 4, 9, "found 3"),
        ('a,b\n1,"x\n', {}, 2, 1, "malformed CSV"),
        ('a,b\n1,"x"y\n', {}, 2, 1, "malformed CSV"),
        ("a,a\n1,2\n", {"header": True}, 1, 1, "'a' occurs more than once"),
        ("\na,a,b\n1,2,z\n", {}, 2, 1, "'a' occurs more than once.*header=False"),
        ("@RELATION r\n@data\n1\n", {}, 1, 1, "format='arff'"),
        ("a,b\n1,x\n2,3\n", {"numeric": ["b"]}, 2, 3, "'x' is not a number"),
        ("a,b\n1,inf\n2,3\n", {}, 2, 3, "'inf' is not finite"),
        ("a,b\n1,-1e999\n2,3\n", {}, 2, 3, "too large"),
        ("a\n" + "9" * 20 + "\n", {"numeric": ["a"]}, 2, 1, r"2\^53"),
        (b"a,b\n1,\xff\n", {}, 2, 3, "not utf-8 text.*encoding='latin-1'"),
        (b"a,b\n1,\0\n", {}, 2, 3, "NUL"),
        ("a,b\n".encode("utf-16"), {}, 1, 1, "not utf-8.*encoding='utf-16'"),
        ("a,b\n1," + "x" * 140_000 + "\n", {}, 2, 1, "field larger than field limit"),
    ],
)
def test_malformed_csv_is_refused_with_its_place(
    write, content, options, line, column, message
):
    path = write(content)
    with pytest.raises(BadFileError, match=message) as caught:
        read_table(path, **options)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).startswith(f"{path}:{line}")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("f.xyz", {}, "'.xyz' is not a known format"),
        ("f.csv", {"format": "xls"}, "format='xls'"),
        ("f.csv", {"nominal": ["z"]}, r"name \['z'\]; the file has \['a', 'b'\]"),
        ("f.csv", {"nominal": "ab"}, r"list of names: \['ab'\]"),
        ("f.csv", {"nominal": ["a"], "numeric": ["a"]}, "'numeric' and 'nominal'"),
        ("f.csv", {"kinds": {"a": "ordinal"}}, "'ordinal'"),
        ("f.csv", {"delimiter": ",,"}, "delimiter="),
        ("f.csv", {"delimiter": ",", "decimal": ","}, "delimiter="),
        ("f.csv", {"decimal": "x"}, "decimal="),
        ("f.csv", {"missing": "NA"}, "missing="),
        ("f.csv", {"missing": [0]}, r"missing=\[0\]; expected .*\['0'\]"),
        ("f.csv", {"encoding": "klingon"}, "encoding='klingon'"),
        ("f.csv", {"encoding": "a\0b"}, "encoding="),
        ("f.csv", {"encoding": 8}, "encoding=8"),
        ("f.csv", {"header": "yes"}, "header='yes'"),
        ("f.csv", {"kinds": ["a"]}, r"kinds=\['a'\]; expected a mapping"),
        ("f.arff", {"delimiter": ";"}, "for CSV files"),
        ("f.arff", {"decimal": ","}, "for CSV files"),
    ],
)
def test_bad_options_are_refused(write, name, options, message):
    with pytest.raises(BadInputError, match=message):
        read_table(write("a,b\n1,2\n", name), **options)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_table(tmp_path / "none.csv")


@given(mixed_problems(), st.sampled_from(",;|\t"), st.booleans())
def test_what_is_written_as_csv_is_read(problem, mark, is_quoted):
    expected = problem.table
    quoting = csv.QUOTE_ALL if is_quoted else csv.QUOTE_MINIMAL
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=mark, quoting=quoting)
    writer.writerow(problem.names)
    for row in problem.rows:
        writer.writerow(["NA" if v is None else v for v in row])
    kinds = dict(zip(expected.names, expected.kinds, strict=True))
    table = outcome(
        stream.getvalue().encode(),
        "r.csv",
        delimiter=mark,
        header=True,
        missing=["NA"],
        usual_missing=False,
        kinds=kinds,
    )
    # Blanks around cells are left out, so the label " " is read as "".
    stripped = [
        [c.strip() if isinstance(c, str) else c for c in column.cells()]
        for column in expected
    ]
    assert [c.cells() for c in table] == stripped


# --- gzip and columnar files ----------------------------------------------------------


def test_a_columnar_file_with_dates(tmp_path):
    path = tmp_path / "f.parquet"
    days = pd.Series([datetime.date(2020, 1, 1)])
    pd.DataFrame({"day": days}).to_parquet(path)
    assert read_table(path)["day"].cells() == [18262.0]
    assert read_table(path, nominal=["day"])["day"].cells() == ["2020-01-01"]


def test_damaged_gzip_is_refused(write):
    raw = gzip.compress(PEOPLE.encode() * 50)
    for bad in (raw[:-1], raw[: len(raw) // 2], raw[:3], raw[:-8] + b"12345678"):
        with pytest.raises(BadFileError, match="damaged gzip"):
            read_table(write(bad, "f.csv.gz"))


def test_a_gzip_bomb_is_refused(write):
    bomb = gzip.compress(b"0," * 2**26)
    start = time.perf_counter()
    with pytest.raises(
        BadFileError, match=r"unpacks to .* more than max_bytes=67108864"
    ):
        read_table(write(bomb, "f.csv.gz"))
    assert time.perf_counter() - start < 20


def test_parquet_and_feather(tmp_path):
    frame = pd.DataFrame({"a": [1.5, None], "b": ["x", None], "c": [True, False]})
    frame.to_parquet(tmp_path / "f.parquet")
    frame.to_feather(tmp_path / "f.feather")
    for name in ("f.parquet", "f.feather"):
        table = read_table(tmp_path / name, numeric=["c"])
        assert table.kinds == ["numeric", "nominal", "numeric"]
        assert [c.cells() for c in table] == [[1.5, None], ["x", None], [1.0, 0.0]]
        raw = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(raw[:-20])
        with pytest.raises(BadFileError, match="not a readable"):
            read_table(tmp_path / name)


def test_parquet_without_pyarrow_names_the_extra(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(BadInputError, match=r"sklazy\[parquet\]"):
        read_table(write(b"PAR1", "f.parquet"))


# --- fuzz -----------------------------------------------------------------------------

FUZZ = settings(max_examples=300, deadline=2000)
PIECES = st.one_of(
    st.sampled_from(
        ["@relation r\n", "@attribute a real\n", "@attribute b {x,'y z'}\n", "@data\n"]
    ),
    st.sampled_from(["1,x\n", "{0 1}\n", "{1 ?}", "@attribute c string\n"]),
    st.sampled_from(list("{},'\"%?\\\n \t1@\u2028\x0b\r\ufeffé")),
)


@FUZZ
@given(st.one_of(st.text(), st.lists(PIECES).map("".join)))
def test_any_text_as_arff(content):
    check_whole(outcome(content.encode("utf-8", "replace"), "f.arff"))


@FUZZ
@given(st.lists(PIECES).map("".join))
def test_any_data_section(content):
    check_whole(outcome((HEAD + content).encode(), "f.arff"))


@FUZZ
@given(
    st.one_of(
        st.text(),
        st.text(",;\t|\"'\n\r 01a.-", max_size=60),
    )
)
@example('"')
@example("\r")
@example(" \n \n")
def test_any_text_as_csv(content):
    check_whole(outcome(content.encode("utf-8", "replace"), "f.csv"))


@FUZZ
@given(st.binary(), st.sampled_from(["f.csv", "f.arff"]))
def test_any_bytes(raw, name):
    check_whole(outcome(raw, name))
    check_whole(outcome(b"\x1f\x8b" + raw, name))


def mutated(raw, random):
    """The bytes with a few of them flipped, deleted, inserted, or the rest cut off."""
    raw = bytearray(raw)
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(raw) + 1)
        action = random.choice(["flip", "delete", "insert", "swap", "cut"])
        if action == "flip" and at < len(raw):
            raw[at] ^= 1 << random.randrange(8)
        elif action == "delete":
            del raw[at : at + random.choice([1, 1, 5, 100])]
        elif action == "insert":
            raw[at:at] = random.choice(
                [b"'", b'"', b",", b"{", b"}", b"%", b"\n", b"?"]
            )
        elif action == "swap":
            raw[at:at] = raw[: random.randrange(30)]
        elif random.random() < 0.2:
            del raw[at:]
    return bytes(raw)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_mutated_files_of_weka(random):
    check_mutated(WEKA / f"{random.choice(ARFF)}.arff", random)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_mutated_files_of_the_papers(data_folder, random):
    name = random.choice(["anneal", "colic", "labor", "sponge", "zoo", "iris", "vote"])
    check_mutated(data_folder / "classification" / f"{name}.arff", random)


def check_mutated(path, random):
    """Change a file as ARFF, gzipped and as CSV: it is read, or refused."""
    raw, original = path.read_bytes(), read_table(path)
    result = outcome(mutated(raw, random), "f.arff")
    check_whole(result)
    packed = mutated(gzip.compress(raw), random)
    again = outcome(packed, "f.arff.gz")
    # gzip has a checksum: a change is noticed, or it changed nothing that matters.
    if isinstance(again, Table):
        assert repr(again) == repr(original)
    frame = original.to_pandas()
    check_whole(outcome(mutated(frame.to_csv().encode(), random), "f.csv"))
