"""One way to rows: whatever holds them, one table, one digest, or one clear error."""

import contextlib
import io
import os
import sqlite3
import warnings

import fsspec
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from pyarrow import feather, parquet
from sklearn.base import clone

import sklazy
from sklazy.errors import BadFileError, BadInputError, BadTypeError
from sklazy.tables import several, streams
from sklazy.tables.gathering import gather_rows

MODEL = sklazy.LazyKNeighborsClassifier(3)


def make_frame(n_rows=60):
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "size": rng.normal(size=n_rows).round(2),
            "rooms": rng.integers(1, 6, n_rows),
            "heat": rng.choice(["gas", "oil", None], n_rows),
            "built": [f"{1 + i % 28:02}.05.20{10 + i % 9}" for i in range(n_rows)],
            "country": rng.choice(["DE", "FR", "NO"], n_rows),
            "year": rng.choice([2023, 2024], n_rows),
            "y": rng.choice(["low", "high"], n_rows),
        }
    )


FRAME = make_frame()


@pytest.fixture(autouse=True)
def few_at_once(monkeypatch):
    monkeypatch.setattr(streams, "ROWS", 7)


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sklazy.DataWarning)
        yield


@pytest.fixture(scope="module")
def expected():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sklazy.DataWarning)
        return MODEL.fit(FRAME.drop(columns="y"), FRAME["y"]).digest()


def write_hive(folder):
    table = pa.Table.from_pandas(FRAME)
    parts = ds.partitioning(
        pa.schema([("country", pa.string()), ("year", pa.int64())]), flavor="hive"
    )
    ds.write_dataset(table, folder, format="parquet", partitioning=parts)
    (folder / "_SUCCESS").write_text("")


def write_parts(folder, write, ending, n_parts=3):
    folder.mkdir()
    for n, rows in enumerate(np.array_split(np.arange(len(FRAME)), n_parts)):
        write(FRAME.iloc[rows], folder / f"part-{n}{ending}")


def to_csv(frame, path):
    frame.to_csv(path, index=False)


def to_parquet(frame, path):
    frame.to_parquet(path, index=False)


def hive(tmp_path):
    write_hive(tmp_path / "lake")
    return str(tmp_path / "lake")


def directory_of_parquet(tmp_path):
    write_parts(tmp_path / "lake", to_parquet, ".parquet")
    return tmp_path / "lake"


def directory_of_csv(tmp_path):
    write_parts(tmp_path / "lake", to_csv, ".csv")
    return tmp_path / "lake"


def packed_csv(tmp_path):
    write_parts(tmp_path / "lake", to_csv, ".csv.gz")
    return tmp_path / "lake"


def directory_of_feather(tmp_path):
    write_parts(
        tmp_path / "lake",
        lambda frame, path: frame.reset_index(drop=True).to_feather(path),
        ".feather",
    )
    return tmp_path / "lake"


def pattern(tmp_path):
    write_parts(tmp_path / "lake", to_parquet, ".parquet")
    return f"{tmp_path}/lake/part-*.parquet"


def backwards(tmp_path):
    write_parts(tmp_path / "lake", to_parquet, ".parquet")
    return sorted(map(str, (tmp_path / "lake").iterdir()), reverse=True)


def url_of_this_machine(tmp_path):
    return f"file://{directory_of_parquet(tmp_path)}"


def url_in_memory(tmp_path):
    files = fsspec.filesystem("memory")
    directory_of_parquet(tmp_path)
    for path in (tmp_path / "lake").iterdir():
        files.pipe(f"/lake-{tmp_path.name}/{path.name}", path.read_bytes())
    return f"memory://lake-{tmp_path.name}"


def csv_in_memory(tmp_path):
    files = fsspec.filesystem("memory")
    files.pipe(f"/{tmp_path.name}.csv", FRAME.to_csv(index=False).encode())
    return f"memory://{tmp_path.name}.csv"


def open_file(tmp_path):
    buffer = io.BytesIO()
    FRAME.to_parquet(buffer, index=False)
    buffer.seek(0)
    return buffer


def open_text(tmp_path):
    return io.BytesIO(FRAME.to_csv(index=False).encode())


def arrow_dataset(tmp_path):
    write_hive(tmp_path / "lake")
    return ds.dataset(tmp_path / "lake", partitioning="hive")


def arrow_reader(tmp_path):
    return pa.Table.from_pandas(FRAME, preserve_index=False).to_reader(10)


class Stream:
    """Nothing but Arrow's protocol."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def arrow_stream(tmp_path):
    return Stream(pa.Table.from_pandas(FRAME, preserve_index=False))


def lazy_frame(tmp_path):
    return pl.from_pandas(FRAME).lazy()


def whole_frame(tmp_path):
    return FRAME


def whole_table(tmp_path):
    return pa.Table.from_pandas(FRAME, preserve_index=False)


def paths_in_a_tuple(tmp_path):
    return tuple(backwards(tmp_path))


def hive_files_in_a_list(tmp_path):
    write_hive(tmp_path / "lake")
    return sorted(map(str, (tmp_path / "lake").rglob("*.parquet")))


def relation(tmp_path):
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    frame = FRAME  # noqa: F841 - DuckDB finds it by its name
    return duckdb.sql("SELECT * FROM frame ORDER BY size DESC")


def duckdb_query(tmp_path):
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    connection = duckdb.connect()
    connection.register("flats", FRAME)
    return sklazy.Source("SELECT * FROM flats", connection=connection)


OPENED = contextlib.ExitStack()  # connections of a test, which Python 3.13 wants closed


@pytest.fixture(autouse=True)
def _close_connections():
    yield
    OPENED.close()


def connect(path):
    return OPENED.enter_context(contextlib.closing(sqlite3.connect(path)))


def sqlite_query(tmp_path):
    connection = connect(tmp_path / "flats.db")
    FRAME.to_sql("flats", connection, index=False)
    return sklazy.Source("SELECT * FROM flats", connection=connection)


def sqlalchemy_query(tmp_path):
    sqlalchemy = pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed")
    sqlite_query(tmp_path)
    engine = sqlalchemy.create_engine(f"sqlite:///{tmp_path}/flats.db")
    OPENED.callback(engine.dispose)
    return sklazy.Source("SELECT * FROM flats", connection=engine)


def adbc_query(tmp_path):
    reason = "the driver of ADBC for SQLite is not installed"
    dbapi = pytest.importorskip("adbc_driver_sqlite.dbapi", reason=reason)
    sqlite_query(tmp_path)
    connection = dbapi.connect(f"{tmp_path}/flats.db")
    return sklazy.Source("SELECT * FROM flats", connection=connection)


SOURCES = [
    *(hive, directory_of_parquet, directory_of_csv, packed_csv, directory_of_feather),
    *(pattern, backwards, url_of_this_machine, url_in_memory, csv_in_memory),
    *(open_file, open_text, arrow_dataset, arrow_reader, arrow_stream, lazy_frame),
    *(whole_frame, whole_table, paths_in_a_tuple, hive_files_in_a_list),
    *(relation, duckdb_query, sqlite_query, sqlalchemy_query, adbc_query),
]
each_source = pytest.mark.parametrize("make", SOURCES, ids=lambda one: one.__name__)


@each_source
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_every_source_gives_the_digest_of_one_frame(make, tmp_path, expected):
    assert MODEL.fit(make(tmp_path), "y").digest() == expected


@each_source
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_every_source_is_stored_in_batches_with_that_digest(make, tmp_path, expected):
    out = tmp_path / "cases.sklazy"
    assert sklazy.store(MODEL, make(tmp_path), "y", out) == len(FRAME)
    assert sklazy.load(out).digest() == expected


@each_source
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_every_source_is_predicted(make, tmp_path):
    model = MODEL.fit(FRAME.drop(columns="y"), FRAME["y"])
    rows = sklazy.read_table(make(tmp_path))
    again = tmp_path / "again"
    again.mkdir()
    queries = make(again)
    if isinstance(queries, pd.DataFrame | pa.Table):  # further columns are refused
        queries = sklazy.read_table(queries).drop(["y"])
    predicted = model.predict(queries)
    assert predicted.tolist() == model.predict(rows.drop(["y"])).tolist()


def test_an_audit_takes_a_source(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = sklazy.audit(directory_of_parquet(tmp_path), "y")
        expected = sklazy.audit(FRAME.drop(columns="y"), FRAME["y"])
    assert np.array_equal(found.doubts, expected.doubts)


def test_batches_are_those_of_the_whole(tmp_path):
    source = sklazy.Source(directory_of_csv(tmp_path))
    batches = list(source.batches())
    assert [len(batch) for batch in batches[:3]] == [7, 7, 6]
    whole = source.read()
    for column in whole:
        cells = [cell for batch in batches for cell in batch[column.name].cells()]
        assert cells == column.cells()
        assert {batch[column.name].reading for batch in batches} == {column.reading}


def test_folders_are_columns_as_their_texts_are_understood(tmp_path):
    for day, code, level in [("2024-05-01", "01", "1"), ("2024-05-03", "02", "2.5")]:
        folder = tmp_path / f"day={day}" / f"code={code}" / f"level={level}"
        folder.mkdir(parents=True)
        pd.DataFrame({"a": [1.0, 2.0]}).to_parquet(folder / "x.parquet")
    other = tmp_path / "day=__HIVE_DEFAULT_PARTITION__" / "code=A%2FB" / "level=7"
    other.mkdir(parents=True)
    pd.DataFrame({"a": [3.0]}).to_parquet(other / "x.parquet")
    table = sklazy.read_table(tmp_path)
    assert table.names == ["a", "day", "code", "level"]
    assert table["day"].reading.style == "date"
    assert table["day"].missing.tolist() == [False] * 4 + [True]
    assert table["code"].cells() == ["01", "01", "02", "02", "A/B"]
    assert table["level"].data.tolist() == [1, 1, 2.5, 2.5, 7]
    labels = sklazy.read_table(tmp_path, kinds={"level": "nominal"})["level"]
    assert labels.categories == ("1", "2.5", "7")


def test_folders_of_queries_are_read_as_those_of_the_cases(tmp_path):
    for code in ("1", "2", "A"):
        folder = tmp_path / "cases" / f"code={code}"
        folder.mkdir(parents=True)
        FRAME[["size", "y"]].to_parquet(folder / "x.parquet")
    (tmp_path / "queries").mkdir()
    (tmp_path / "cases" / "code=2").rename(tmp_path / "queries" / "code=2")
    model = MODEL.fit(tmp_path / "cases", "y")
    queries = FRAME[["size"]].assign(code="2")
    asked = tmp_path / "queries"  # on its own, its code would be a number
    assert model.predict(asked).tolist() == model.predict(queries).tolist()


LAST_TIME = pa.array([0, 86400, None], pa.timestamp("s"))
OTHER_TYPES = {
    "date": pa.array([0, 400, None], pa.date32()),
    "time": pa.array([0, 4000, None], pa.time32("s")),
    "moment": LAST_TIME,
    "zone": LAST_TIME.cast(pa.timestamp("s", "UTC")),
    "duration": pa.array([0, 4000, None], pa.duration("s")),
    "declared": pa.array(["lo", "hi", None]).dictionary_encode(),
}


@pytest.mark.parametrize("ending", ["parquet", "feather"])
@pytest.mark.parametrize("empty", ["first", "last", "typed"])
@pytest.mark.parametrize("name", OTHER_TYPES)
def test_a_file_without_a_cell_of_a_column_changes_no_type(
    name, empty, ending, tmp_path
):
    cells = OTHER_TYPES[name]
    nothing = pa.nulls(3, cells.type) if empty == "typed" else pa.nulls(3)
    rows = [
        pa.table({"t": t, "n": [1, 2, 3], "y": list("uvu")}) for t in (cells, nothing)
    ]
    whole = pa.concat_tables(rows, promote_options="permissive")
    for n, part in enumerate(rows if empty == "last" else reversed(rows)):
        write = parquet.write_table if ending == "parquet" else feather.write_feather
        write(part, f"{tmp_path}/{n}.{ending}")
    expected = MODEL.fit(whole, "y").digest()
    assert MODEL.fit(tmp_path, "y").digest() == expected
    sklazy.store(MODEL, f"{tmp_path}/*.{ending}", "y", tmp_path / "cases.sklazy")
    assert sklazy.load(tmp_path / "cases.sklazy").digest() == expected


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("kinds", [{}, {"heat": "ignore"}])
def test_columns_set_aside_are_stored_as_they_are_fitted(tmp_path, kinds, ending):
    frame = FRAME.assign(who=[f"person {i}" for i in range(len(FRAME))])
    write_file = to_csv if ending == ".csv" else to_parquet
    write_file(frame, tmp_path / f"flats{ending}")
    source = sklazy.Source(tmp_path / f"flats{ending}", kinds=kinds)
    sklazy.store(MODEL, source, "y", tmp_path / "stored")
    MODEL.fit(source, "y").save(tmp_path / "fitted")
    assert (tmp_path / "stored").read_bytes() == (tmp_path / "fitted").read_bytes()


def test_a_column_without_a_cell_in_some_files_has_the_kind_of_the_others(tmp_path):
    for n, cells in enumerate([[None, None], ["a", "b"], [None, None]]):
        frame = pd.DataFrame({"a": pd.Series(cells, dtype=object), "y": ["u", "v"]})
        frame.to_parquet(tmp_path / f"{n}.parquet")
    assert sklazy.read_table(tmp_path)["a"].kind == "nominal"
    out = tmp_path / "cases"
    sklazy.store(MODEL, f"{tmp_path}/*.parquet", "y", out)
    frame = sklazy.read_table(f"{tmp_path}/*.parquet")
    assert sklazy.load(out).digest() == MODEL.fit(frame, "y").digest()


# --- what is refused ------------------------------------------------------------------


def refused(source, match, kind=BadInputError, out=None):
    """Both ways to read refuse it, and nothing is left behind."""
    with pytest.raises(kind, match=match):
        sklazy.read_table(source)
    with pytest.raises(kind, match=match):
        sklazy.store(MODEL, source, "y", out)
    assert not [name for name in os.listdir(out.parent) if "cases.sklazy" in name]


@pytest.fixture
def out(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    return folder / "cases.sklazy"


def test_files_that_disagree_are_named(tmp_path, out):
    lake = directory_of_parquet(tmp_path)
    FRAME.drop(columns="heat").to_parquet(lake / "part-9.parquet")
    refused(
        lake,
        r"part-9.parquet: its columns are not those of .*lacks \['heat'\]",
        BadFileError,
        out,
    )
    FRAME.assign(rooms="many").to_parquet(lake / "part-9.parquet")
    refused(
        lake,
        r"part-9.parquet: column 'rooms' holds labels, but numbers in "
        r".*part-0.parquet",
        BadFileError,
        out,
    )
    os.remove(lake / "part-9.parquet")
    to_csv(FRAME, lake / "part-9.csv")
    refused(lake, r"part-9.csv is csv, but .*part-0.parquet is parquet", out=out)


def test_damaged_files_are_named(tmp_path, out):
    lake = directory_of_parquet(tmp_path)
    raw = (lake / "part-1.parquet").read_bytes()
    (lake / "part-1.parquet").write_bytes(raw[: len(raw) // 2])
    refused(lake, "part-1.parquet: not a readable parquet file", BadFileError, out)
    (lake / "part-1.parquet").write_bytes(b"")
    refused(lake, "part-1.parquet: not a readable parquet file", BadFileError, out)


LATE = pa.array(range(20), pa.timestamp("s", "UTC"))


@pytest.mark.parametrize(
    ("cells", "others", "match"),
    [
        (LATE, LATE.cast(pa.timestamp("s")), "type datetime, but .* datetime in UTC"),
        (LATE, pa.array(range(20), pa.date32()), "type date, but .* datetime in UTC"),
        (pa.array([True] * 20), pa.array(["u"] * 20), "labels, but the labels True"),
        (pa.array([2**60] * 20), None, "beyond 2.53: as a number it would lose"),
        (pa.array([[1]] * 20), None, r"has the type list<.*; expected numbers"),
        (pa.array([{"b": 1}] * 20), None, r"has the type struct<.*; expected numbers"),
        (pa.array([float("inf")] * 20), None, "infinity or a value too large"),
        (pa.array([b"\xff"] * 20), None, "got bytes"),
    ],
    ids=["zones", "dates", "bools", "huge", "lists", "structs", "infinite", "bytes"],
)
def test_cells_that_cannot_be_kept_are_named(tmp_path, out, cells, others, match):
    for n, column in enumerate([cells, cells if others is None else others]):
        rows = pa.table({"t": column, "y": ["u", "v"] * 10})
        parquet.write_table(rows, tmp_path / f"{n}.parquet")
    refused(f"{tmp_path}/*.parquet", rf"parquet: column 't'.*{match}", out=out)


@pytest.mark.parametrize("others", [pa.array([[1]] * 3), pa.array(["u"] * 3)])
def test_columns_of_other_types_can_be_left_out(tmp_path, out, others):
    rows = pa.table({"n": [1, 2, 3], "y": ["u", "v", "u"]})
    for n, column in enumerate([pa.array([True] * 3), others]):
        parquet.write_table(rows.add_column(1, "t", column), tmp_path / f"{n}.parquet")
    refused(f"{tmp_path}/*.parquet", r"leave it out: kinds={'t': 'ignore'}", out=out)
    source = sklazy.Source(f"{tmp_path}/*.parquet", kinds={"t": "ignore"})
    whole = source.read()
    assert whole.names == ["n", "t", "y"]
    sklazy.store(MODEL, source, "y", out)
    assert sklazy.load(out).digest() == MODEL.fit(source, "y").digest()


def test_two_columns_of_one_name_are_refused(tmp_path, out):
    column = pa.array([1.0, 2.0])
    rows = pa.Table.from_arrays([column, column, pa.array(["u", "v"])], ["t", "t", "y"])
    parquet.write_table(rows, tmp_path / "a.parquet")
    refused(f"{tmp_path}/*.parquet", "a.parquet: .*must be unique", out=out)


@pytest.mark.parametrize(
    ("cells", "others"),
    [
        (["u", "v"], ["w", "v"]),
        (["u", "v"], pa.array(["w", "u"]).dictionary_encode()),
        (
            pa.array(["x", "y"]).dictionary_encode(),
            pa.array(["y", "a"], pa.large_utf8()),
        ),
        ([1.5, 2.0], pa.array([1, 2], pa.int16())),
        (pa.array([1.5, 2.0], pa.float32()), pa.nulls(2)),
        (["u", "v"], pa.array(["w", "u"], pa.string_view())),
        ([1.5, 2.0], pa.array([2, 3], pa.decimal256(50, 2))),
        (pa.nulls(2), ["u", "v"]),
        (pa.nulls(2), pa.nulls(2)),
        ([True, False], pa.nulls(2)),
        (pa.array([0, 1], pa.timestamp("s")), pa.array([5, 6], pa.timestamp("ns"))),
    ],
)
def test_files_may_write_the_same_cells_in_several_ways(tmp_path, cells, others):
    tables = [pa.table({"t": c, "y": ["u", "v"]}) for c in (cells, others)]
    for n, rows in enumerate([*tables, tables[0].slice(0, 0)]):
        parquet.write_table(rows, tmp_path / f"{n}.parquet")
    path = tmp_path / "cases.sklazy"
    sklazy.store(MODEL, f"{tmp_path}/*.parquet", "y", path)
    whole = sklazy.read_table(f"{tmp_path}/*.parquet")
    assert whole["y"].cells() == ["u", "v"] * 2
    assert sklazy.load(path).digest() == MODEL.fit(whole, "y").digest()


def test_a_link_to_nothing_is_named(tmp_path, out):
    lake = directory_of_csv(tmp_path)
    (lake / "part-9.csv").symlink_to(lake / "nowhere.csv")
    refused(lake, "part-9.csv: there is no such file, or it is gone", out=out)
    refused(tmp_path / "nothing", "nothing: there is no such file", out=out)


@pytest.mark.parametrize("make", [directory_of_csv, directory_of_parquet])
def test_a_file_that_may_not_be_read_is_named(make, tmp_path, out, monkeypatch):
    lake = make(tmp_path)
    denied = str(next(lake.glob("part-1*")))
    open_file, open_parquet = open, parquet.ParquetFile

    def deny(opened):
        def opening(where, *arguments, **options):
            if str(where) == denied:
                raise PermissionError(13, "Permission denied", denied)
            return opened(where, *arguments, **options)

        return opening

    monkeypatch.setattr("builtins.open", deny(open_file))
    monkeypatch.setattr(parquet, "ParquetFile", deny(open_parquet))
    refused(lake, r"part-1.*: this user may not read it", BadFileError, out)


def test_folders_behind_links_are_read_and_circles_are_not(tmp_path, expected):
    write_hive(tmp_path / "lake")
    (tmp_path / "lake" / "country=FR").rename(tmp_path / "elsewhere")
    (tmp_path / "lake" / "country=FR").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "back").symlink_to(tmp_path / "lake")
    assert MODEL.fit(tmp_path / "lake", "y").digest() == expected


def test_a_folder_that_cannot_be_listed_is_named(tmp_path, out, monkeypatch):
    write_hive(tmp_path / "lake")
    denied, scandir = str(tmp_path / "lake" / "country=FR"), os.scandir

    def listing(path):
        if str(path) == denied:
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", listing)
    refused(tmp_path / "lake", "FR: the folder cannot be listed", BadFileError, out)


def test_a_bad_line_of_the_second_file_is_named(tmp_path, out):
    lake = directory_of_csv(tmp_path)
    with open(lake / "part-1.csv", "a") as file:
        file.write("1,2\n")
    refused(lake, r"part-1.csv:22:4: expected 7 fields", BadFileError, out)


def test_nothing_to_read_is_an_error(tmp_path, out):
    empty = tmp_path / "empty"
    empty.mkdir()
    refused(empty, "empty has no files", out=out)
    refused(f"{empty}/*.csv", "matches no file", out=out)
    refused("memory://nowhere/x.csv", "there is no such file", BadFileError, out)
    refused(f"{empty}/x.csv", "(?i)no such file", (BadFileError, OSError), out)
    refused(pa.table({"a": [], "y": []}).to_reader(), "it has no rows", out=out)
    pd.DataFrame({"a": [], "y": []}).to_parquet(empty / "x.parquet")
    refused(empty, "it has no rows", out=out)


WITHOUT_TEXT_DATES = FRAME.drop(columns="built")
NO_TARGET = FRAME["y"].where(np.arange(len(FRAME)) % 7 > 0)
LATE_DATES = FRAME["built"].where(np.arange(len(FRAME)) >= 20)


@pytest.mark.parametrize(
    ("frame", "n_looks"),
    [
        (WITHOUT_TEXT_DATES, 1),
        (WITHOUT_TEXT_DATES.assign(day=pd.to_datetime("2024-01-01")), 1),
        (WITHOUT_TEXT_DATES.assign(y=NO_TARGET), 1),
        (FRAME, 2),
        (FRAME.assign(built=LATE_DATES), 2),
    ],
    ids=["typed", "typed dates", "no target", "text dates", "late text dates"],
)
def test_typed_files_are_read_once_to_be_stored(
    frame, n_looks, tmp_path, out, monkeypatch
):
    looked = []
    read = several.read_batches

    def noting(file, *arguments):
        looked.append(file.path)
        return read(file, *arguments)

    monkeypatch.setattr(several, "read_batches", noting)
    schema = pa.Schema.from_pandas(frame, preserve_index=False)
    for first in range(0, len(frame), 20):
        rows = pa.Table.from_pandas(frame[first : first + 20], schema)
        parquet.write_table(rows, tmp_path / f"part-{first}.parquet")
    n_rows = sklazy.store(MODEL, f"{tmp_path}/*.parquet", "y", out)
    known = frame[frame["y"].notna()]
    fitted = clone(MODEL).fit(known.drop(columns="y"), known["y"])
    assert n_rows == len(known)
    assert sklazy.load(out).digest() == fitted.digest()
    assert looked == n_looks * sorted(looked[:3])


def test_a_stream_that_breaks_half_way_is_an_error(tmp_path, out):
    schema = pa.schema([("a", pa.int64()), ("y", pa.string())])

    def rows():
        yield pa.record_batch([[1], ["u"]], schema=schema)
        raise OSError("the line is cut")

    def reader():
        return pa.RecordBatchReader.from_batches(schema, rows())

    for use in (sklazy.read_table, lambda one: sklazy.store(MODEL, one, "y", out)):
        with pytest.raises(BadFileError, match=r"to their end: .*the line is cut"):
            use(reader())
    assert not os.listdir(out.parent)


def test_a_file_that_goes_while_it_is_read_is_named(tmp_path, out):
    lake = directory_of_csv(tmp_path)
    rows = sklazy.Source(lake).survey(lambda n_rows: None).batches()
    next(rows)
    os.remove(lake / "part-2.csv")
    with pytest.raises(BadFileError, match=r"part-2.csv: there is no such file"):
        list(rows)


def test_rows_that_change_between_two_looks_are_noticed(tmp_path):
    lake = directory_of_csv(tmp_path)
    surveyed = sklazy.Source(lake).survey(lambda n_rows: None)
    to_csv(FRAME.head(3), lake / "part-2.csv")
    with pytest.raises(BadInputError, match="it had 60 rows and now has 43"):
        list(surveyed.batches())


def test_errors_of_databases_come_through(tmp_path):
    connection = connect(":memory:")
    source = sklazy.Source("SELECT * FROM nowhere", connection=connection)
    with pytest.raises(BadFileError, match="no such table: nowhere"):
        source.read()
    with pytest.raises(BadTypeError, match="is not a source of rows"):
        sklazy.Source(3).read()
    with pytest.raises(BadTypeError, match="expected one of DuckDB, ADBC"):
        sklazy.Source("SELECT 1", connection=3).read()


def test_what_gives_rows_once_or_as_text_is_refused():
    for X in (iter([FRAME]), (frame for frame in [FRAME])):
        with pytest.raises(BadTypeError, match="gives its rows once"):
            MODEL.fit(X, "y")
    text = io.StringIO(FRAME.to_csv(index=False))
    for use in (sklazy.read_table, lambda one: MODEL.fit(one, "y")):
        with pytest.raises(BadTypeError, match="open it with mode 'rb'"):
            use(text)


def test_options_that_there_are_not_are_refused():
    with pytest.raises(BadTypeError, match=r"delimeter is no option .* 'delimiter'"):
        sklazy.Source("lake", delimeter=";")


def test_other_things_are_left_to_those_who_know_them():
    for X in (np.zeros((2, 2)), FRAME, [[1, 2]], ["a", "b"], {"a": 1}, None, 3):
        assert gather_rows(X) is X


def test_limits_hold_for_all_files_together(tmp_path):
    lake = directory_of_parquet(tmp_path)
    sklazy.read_table(lake, max_cells=420)
    with pytest.raises(sklazy.OverBudgetError, match="more than max_cells=419"):
        sklazy.read_table(lake, max_cells=419)
