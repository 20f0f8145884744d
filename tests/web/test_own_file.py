"""The user's own file, written again with only the changed cells changed."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklazy.tables import read_table
from sklazy.tables.delimited import CsvOptions
from sklazy.tables.reading import Reading
from sklazy.web.explore.own_file import OwnFile, find_fields, keep_file

TEXT = (
    '\ufeffid;price;"sold";note\r\n'
    '1; "1.234,50 €";31.12.2023;"a; ""b"""\r\n'
    "\r\n"
    "2;999,00 €;1.1.2024;\r\n"
    '3;"2.000,00 €";2.1.2024;"two\r\nlines"\r\n'
    "4;12,00 €;3.1.2024;end"
)
PRICES = [1234.5, 999.0, 2000.0, 12.0]
EUROS = Reading("amount", "decimal-comma", "€")


def own(text=TEXT, target="price", rows=range(4), **options):
    chosen = {"reading": EUROS, "encoding": "utf-8", **options}
    return OwnFile("a.csv", text.encode(chosen["encoding"]), target, rows, **chosen)


def test_without_changes_every_byte_stays():
    assert own().write(PRICES, {}) == TEXT.encode()
    assert own(encoding="utf-16").write(PRICES, {}).decode("utf-16") == TEXT


def test_only_the_changed_cells_change():
    written = own().write(PRICES, {0: 1500.25, 1: None, 3: 1012.0}).decode()
    expected = TEXT.replace("1.234,50", "1.500,25").replace("12,00 €", "1.012,00 €")
    assert written == expected.replace("2;999,00 €;1.1.2024;\r\n", "")
    gone = own().write(PRICES, {2: None, 3: None}).decode()
    assert gone == TEXT[: TEXT.index('3;"2')]


def test_rows_that_were_not_learned_from_stay():
    written = own(rows=[0, 2]).write([1234.5, 2000.0], {1: None}).decode()
    assert written == TEXT[: TEXT.index('3;"2')] + TEXT[TEXT.index("4;12") :]


@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
@pytest.mark.parametrize(
    ("cells", "after", "expected"),
    [
        (["$ 1,000.00", "$ 5.25"], 2500.0, "$ 2,500.00"),
        (["5", "7.25"], 3.125, "3.125"),
        (["-5", "7"], 6.0, "6"),
        (["5 kg", "7 kg"], -2.5, "-2.5 kg"),
        (["10", "20"], 1e9, "1000000000"),
    ],
)
def test_numbers_are_written_like_those_around_them(cells, after, expected, tmp_path):
    file = tmp_path / "a.tsv"
    file.write_text("x\ty\n" + "".join(f"a\t{cell}\n" for cell in cells))
    column = read_table(file)["y"]
    kept = keep_file(str(file), "y", [0, 1], {"delimiter": "\t"}, column.reading)
    file.write_bytes(kept.write(column.cells(), {0: after}))
    assert file.read_text().splitlines()[1:] == [f"a\t{expected}", f"a\t{cells[1]}"]
    assert read_table(file, like=read_table(file))["y"].cells()[0] == after


def test_classes_are_written_as_they_mostly_are():
    text = "x,y\n1,yes\n2,Yes\n3,Yes\n4,no\n5, no\n"
    truths = [True, True, True, False, False]
    changed = own(text, "y", range(5), reading=None).write(truths, {3: True, 0: False})
    assert changed.decode() == "x,y\n1,no\n2,Yes\n3,Yes\n4,Yes\n5, no\n"


def test_files_that_are_no_plain_text_are_not_kept(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"\x1f\x8b\x08\x00")
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    for name in ("a.csv", "a.parquet", "none.csv"):
        assert keep_file(str(tmp_path / name), "y", [], {}) is None
    assert keep_file("-", "y", [], {}) is None


@given(st.text(st.sampled_from('ab," \n\r'), max_size=30))
def test_fields_lie_where_the_csv_module_finds_them(text):
    lines = io.StringIO(text, newline="")
    try:
        expected = list(csv.reader(lines, strict=True, skipinitialspace=True))
    except csv.Error:
        return
    start, found = 0, []
    while start < len(text):
        spans, start = find_fields(text, start, ",")
        found.append([read_field(text[a:b]) for a, b in spans])
    assert found == [row or [""] for row in expected]


def read_field(text):
    core = text.lstrip(" ")
    return core[1:-1].replace('""', '"') if core.startswith('"') else core


@given(st.data())
def test_a_changed_file_is_read_as_the_changed_cases(data):
    names = st.sampled_from(["red", "blue, dark", 'gr"een'])
    rows = data.draw(st.lists(st.tuples(st.integers(0, 99), names), min_size=1))
    changes = data.draw(
        st.dictionaries(st.integers(0, len(rows) - 1), st.none() | names)
    )
    text = io.StringIO()
    csv.writer(text).writerows([("number", "color"), *rows])
    truths = [color for _, color in rows]
    raw = text.getvalue().encode()
    options = CsvOptions(delimiter=",", header=True)
    file = OwnFile("a.csv", raw, "color", range(len(rows)), options=options)
    written = file.write(truths, changes).decode()
    expected = [
        [str(number), changes.get(i, color)]
        for i, (number, color) in enumerate(rows)
        if changes.get(i, color) is not None
    ]
    assert list(csv.reader(io.StringIO(written, newline="")))[1:] == expected
