"""Messages about files that name a way out: each is met, and the way is taken.

A line has the files, the options that are refused, words of the message, and the files
and options that the message names.
"""

import pytest

from sklazy.errors import SklazyError
from sklazy.tables import Source, read_table

ARFF = "@relation r\n@attribute {name} {kind}\n@data\n{cell}\n"
LATIN = "name,n\nMüller,1\nMeyer,2\n".encode("latin-1")
JSON = '{"n": 1, "pair": [1, 2]}\n{"n": 2, "pair": [3, 4]}\n'
CSV = "n,word\n1,a\n2,b\n"


def arff(name="n", kind="numeric", cell="1"):
    return ARFF.format(name=name, kind=kind, cell=cell)


# (file, text, options that are refused, words, another text or None, options)
READ = [
    ("a.arff", arff(name="''"), {}, "an attribute without a name", arff(), {}),
    (
        "a.arff",
        arff(kind="relational"),
        {},
        "relational attributes are not supported; flatten them",
        arff(),
        {},
    ),
    (
        "a.arff",
        arff(kind="numbers"),
        {},
        "expected numeric, real, integer, string, date or",
        arff(kind="real"),
        {},
    ),
    (
        "a.arff",
        "@what\n",
        {},
        "expected @relation, @attribute or @data",
        arff(),
        {},
    ),
    ("a.csv", arff(), {}, "pass format='arff'", None, {"format": "arff"}),
    ("a.csv", CSV, {"decimal": ";"}, r"expected '\.' or ','", None, {"decimal": "."}),
    (
        "a.csv",
        "a,a\n1,2\n",
        {},
        "rename it, or pass header=False",
        None,
        {"header": False},
    ),
    (
        "a.csv",
        LATIN,
        {},
        "name its encoding, for example encoding='latin-1'",
        None,
        {"encoding": "latin-1"},
    ),
    (
        "a.csv",
        CSV.encode("utf-16"),
        {},
        "name its encoding, for example encoding='utf-16'",
        None,
        {"encoding": "utf-16"},
    ),
    (
        "a.csv",
        f"n\n{2**53 + 1}\n{2**53 + 3}\n",
        {"kinds": {"n": "numeric"}},
        "make the column nominal",
        None,
        {"kinds": {"n": "nominal"}},
    ),
    (
        "a.csv",
        CSV,
        {"kinds": {"m": "nominal"}},
        r"name \['m'\]; the file has \['n', 'word'\]",
        None,
        {"kinds": {"n": "nominal"}},
    ),
    (
        "a.csv",
        CSV,
        {"kinds": {"word": "date"}},
        "Fix them, or choose 'nominal'",
        None,
        {"kinds": {"word": "nominal"}},
    ),
    ("a.jsonl", "[1, 2]\n", {}, "expected an object, from names", '{"n": 1}\n', {}),
    (
        "a.jsonl",
        JSON,
        {},
        "holds a list; flatten it, or drop it",
        '{"n": 1, "first": 1}\n',
        {},
    ),
    (
        "a.json",
        '{"n": {"0": 1, "1": 2}}',
        {},
        r"array of objects, as frame\.to_json\(path, orient='records'\)",
        '[{"n": 1}, {"n": 2}]',
        {},
    ),
    ("a.jsonl", '{"n": 1}\n{"n": \n', {}, "an object in each line", '{"n": 1}\n', {}),
    (
        "a.csv",
        "name;price\nTür;5 €\nTor;6 €\n".encode("cp1252"),
        {},
        "name its encoding, for example encoding='cp1252'",
        None,
        {"encoding": "cp1252"},
    ),
    ("a.csv", "a;b\n1,5;2\n3;4,5;6\n", {}, "Correct the line", "a;b\n1,5;2\n", {}),
    (
        "a.csv",
        'a,b\n1,"x, y"\n2,z, w\n',
        {},
        "quote a cell that has the delimiter in it",
        'a,b\n1,"x, y"\n2,"z, w"\n',
        {},
    ),
    (
        "a.csv",
        "Report of 2024\na,b\n1,2\n",
        {},
        "expected 1 field, as in line 1, found 2 .*Delete lines above the names",
        "a,b\n1,2\n",
        {},
    ),
    ("a.csv", 'a,b\n1,"x\n', {}, "Close the quotes", 'a,b\n1,"x"\n', {}),
    ("a.csv", "n\n1\ninf\n", {}, "leave the cell empty", "n,m\n1,2\n,3\n", {}),
    ("a.doc", CSV, {}, "pass format= one of csv", None, {"format": "csv"}),
    ("a.csv", CSV, {"format": "cvs"}, "expected one of csv", None, {"format": "csv"}),
    ("a.csv", CSV, {"sheet": 1}, "leave them out", None, {}),
    (
        "a.csv",
        CSV,
        {"missing": "none"},
        r"expected a list of strings: \['none'\]",
        None,
        {"missing": ["none"]},
    ),
]


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("name", "text", "wrong", "words", "other", "right"),
    READ,
    ids=lambda x: str(x)[:30],
)
@pytest.mark.filterwarnings("ignore::sklazy.errors.DataWarning")
def test_the_way_out_of_a_file_leads_out(
    tmp_path, name, text, wrong, words, other, right
):
    path = write(tmp_path / name, text)
    with pytest.raises(SklazyError, match=words):
        read_table(path, **wrong)
    if other is not None:
        write(path, other)
    assert len(read_table(path, **right)) >= 1


def batches(rows, **options):
    return list(Source(rows, **options).batches())


def test_an_open_file_gives_bytes(tmp_path):
    path = write(tmp_path / "a.csv", CSV)
    with (
        path.open() as text,
        pytest.raises(SklazyError, match="open it with mode 'rb'"),
    ):
        batches(text)
    with path.open("rb") as raw:
        assert batches(raw)


def test_files_of_one_format_are_named_by_a_pattern(tmp_path):
    first = write(tmp_path / "a.csv", CSV)
    second = write(tmp_path / "b.jsonl", '{"n": 1, "word": "a"}\n')
    with pytest.raises(SklazyError, match="give files of one format, for example by"):
        batches([first, second])
    assert batches(f"{tmp_path}/*.csv")


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_files_in_parts_are_read_in_their_encoding(tmp_path, encoding):
    path = write(tmp_path / "a.csv", LATIN)
    if encoding == "utf-8":
        with pytest.raises(SklazyError, match="save it as UTF-8 or name its encoding"):
            batches([path, path])
    else:
        assert batches([path, path], encoding=encoding)


def test_columns_of_several_files_are_named_as_they_are(tmp_path):
    path = write(tmp_path / "a.csv", CSV)
    with pytest.raises(SklazyError, match=r"kinds, nominal or numeric name \['m'\]"):
        batches([path, path], kinds={"m": "nominal"})
    assert batches([path, path], kinds={"n": "nominal"})


def test_a_column_of_too_many_labels_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr("sklazy.tables.seen_cells.MOST_LABELS", 3)
    words = "\n".join(f"{i},w{i % 5}x" for i in range(40))
    path = write(tmp_path / "a.csv", f"n,word\n{words}\n")
    with pytest.raises(SklazyError, match=r"leave it out with kinds=.*'ignore'"):
        batches([path, path])
    assert batches([path, path], kinds={"word": "ignore"})
