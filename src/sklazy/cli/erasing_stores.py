"""Stores that are to forget a person: how each is filled, asked and cleaned up.

A store is a generator, run in a folder of its own. After each step its files are
written, and it yields the commands that it ran. The first step puts people in, the
second deletes one the documented way, all further ones are clean-ups that the store's
documentation has, ever stronger.
"""

import contextlib
import datetime
import importlib
import importlib.util
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.cli.erasing_traces import N_VALUES, TRACES, People

PUT_IN, DELETE, CLEAN_UP = "put in", "delete", "clean up"
OVERWRITE, REWRITE = "overwrite", "write anew"
"""Kinds of steps, from the first to the strongest."""


class StoreStep(NamedTuple):
    """A step of a store: its kind, and the commands that were run."""

    kind: str
    commands: str


Steps = Iterator[StoreStep]
Connect = Callable[[str], Any]

_COLUMNS = "people (id INTEGER PRIMARY KEY, name TEXT, number BIGINT, vector {})"
_INSERT = "INSERT INTO people VALUES (?, ?, ?, ?)"
_DELETE = "DELETE FROM people WHERE number = ?"
_VECTORS = ("number", "vector")  # where a row is a vector and its key
_COUNT = "SELECT count(*) FROM people"


class ForgetfulStore(NamedTuple):
    """A store: its name, the module and package that it needs, and its steps.

    `keeps` lists the properties of a person that are put in.
    """

    name: str
    module: str
    package: str
    steps: Callable[[Path, People], Steps]
    keeps: tuple[str, ...] = TRACES


def _sqlite(folder: Path, people: People) -> Steps:
    path = folder / "people.sqlite"
    vectors = [vector.tobytes() for vector in people.vectors]
    yield StoreStep(PUT_IN, _fill(sqlite3.connect, path, "BLOB", people, vectors))
    with contextlib.closing(sqlite3.connect(path)) as database:
        (secure,) = database.execute("PRAGMA secure_delete").fetchone()
    deleted = _delete(sqlite3.connect, path, people)
    yield StoreStep(DELETE, f"{deleted} (secure_delete is {secure} in this build)")
    clean_up = ("PRAGMA secure_delete = ON", "VACUUM")
    yield StoreStep(CLEAN_UP, _execute(sqlite3.connect, path, *clean_up))


def _duckdb(folder: Path, people: People) -> Steps:
    connect = importlib.import_module("duckdb").connect
    path, new = folder / "people.duckdb", folder / "new.duckdb"
    kind = f"FLOAT[{N_VALUES}]"
    yield StoreStep(PUT_IN, _fill(connect, path, kind, people, people.vectors.tolist()))
    yield StoreStep(DELETE, _delete(connect, path, people))
    yield StoreStep(CLEAN_UP, _execute(connect, path, "VACUUM", "FORCE CHECKPOINT"))
    attach, copy = "ATTACH '{}' AS new", "COPY FROM DATABASE people TO new"
    _execute(connect, path, attach.format(new.as_posix()), copy)
    path.unlink()
    yield StoreStep(REWRITE, f"{attach.format(new.name)}; {copy}; old file deleted")


def _fill(
    connect: Connect, path: Path | str, kind: str, people: People, vectors: list[Any]
) -> str:
    """Put people into a new database, by SQL."""
    ids = range(len(people.names))
    rows = list(zip(ids, people.names, people.numbers, vectors, strict=True))
    with contextlib.closing(connect(str(path))) as database:
        database.execute(f"CREATE TABLE {_COLUMNS.format(kind)}")
        database.executemany(_INSERT, rows)
        database.commit()
    return _INSERT


def _delete(connect: Connect, path: Path | str, people: People) -> str:
    """Delete the person, by SQL."""
    with contextlib.closing(connect(str(path))) as database:
        database.execute(_DELETE, [people.person.number])
        database.commit()
        (n_rows,) = database.execute(_COUNT).fetchone()
    return _check_deleted(n_rows, people, _DELETE)


def _check_deleted(n_rows: int, people: People, commands: str) -> str:
    """Refuse to go on where a store did not delete: its files would prove nothing."""
    if n_rows != len(people.names) - 1:
        raise RuntimeError(f"{n_rows} rows are left after {commands}")
    return commands


def _execute(connect: Connect, path: Path | str, *commands: str) -> str:
    """Run commands of SQL, and close the database."""
    with contextlib.closing(connect(str(path))) as database:
        for command in commands:
            database.execute(command)
            database.commit()
    return "; ".join(commands)


def _lancedb(folder: Path, people: People) -> Steps:
    database = importlib.import_module("lancedb").connect(str(folder))
    names, numbers, vectors = people.names, people.numbers, people.vectors.tolist()
    rows = [
        {"name": name, "number": number, "vector": vector}
        for name, number, vector in zip(names, numbers, vectors, strict=True)
    ]
    table = database.create_table("people", rows)
    yield StoreStep(PUT_IN, "db.create_table('people', rows)")
    table.delete(f"number = {people.person.number}")
    deleted = "table.delete('number = ...')"
    yield StoreStep(DELETE, _check_deleted(table.count_rows(), people, deleted))
    none = datetime.timedelta(0)
    table.optimize(cleanup_older_than=none, delete_unverified=True)
    optimize = "table.optimize(cleanup_older_than=timedelta(0), delete_unverified=True)"
    compact = "table.compact_files(materialize_deletions_threshold=0.0)"
    if not importlib.util.find_spec("lance"):  # which compact_files needs
        yield StoreStep(
            CLEAN_UP, f"{optimize} ({compact} was not tried: needs pylance)"
        )
        return
    yield StoreStep(CLEAN_UP, optimize)
    table.compact_files(materialize_deletions_threshold=0.0)
    table.optimize(cleanup_older_than=none, delete_unverified=True)
    yield StoreStep(CLEAN_UP, f"{compact}; {optimize}")


def _usearch(folder: Path, people: People) -> Steps:
    path, number = folder / "people.usearch", people.person.number
    index = _fill_usearch(people.numbers, people.vectors)
    index.save(path)
    yield StoreStep(PUT_IN, "index.add(numbers, vectors); index.save(path)")
    index.remove(number)
    index.save(path)
    deleted = "index.remove(number); index.save(path)"
    yield StoreStep(DELETE, _check_deleted(len(index), people, deleted))
    index = _fill_usearch(people.numbers, people.vectors)
    index.remove(number, compact=True)
    index.save(path)
    deleted = "index.remove(number, compact=True); index.save(path)"
    yield StoreStep(CLEAN_UP, _check_deleted(len(index), people, deleted))
    left = [one for one in people.numbers if one != number]
    vectors = np.stack(index.get(np.array(left, np.uint64)))
    _fill_usearch(left, vectors).save(path)
    yield StoreStep(
        REWRITE, "new.add(numbers left, index.get(numbers left)); new.save(path)"
    )


def _fill_usearch(numbers: list[int], vectors: NDArray[np.float32]) -> Any:  # noqa: ANN401 - an index
    make = importlib.import_module("usearch.index").Index
    index = make(ndim=N_VALUES, metric="l2sq", dtype="f32")
    index.add(np.array(numbers, np.uint64), vectors)
    return index


def _faiss(folder: Path, people: People) -> Steps:
    faiss = importlib.import_module("faiss")
    path = str(folder / "people.faiss")
    index = faiss.IndexIDMap2(faiss.IndexFlatL2(N_VALUES))
    index.add_with_ids(people.vectors, np.array(people.numbers, np.int64))
    faiss.write_index(index, path)
    yield StoreStep(
        PUT_IN,
        "index = IndexIDMap2(IndexFlatL2(32)); index.add_with_ids(vectors, numbers); "
        "write_index(index, path)",
    )
    index.remove_ids(np.array([people.person.number], np.int64))
    faiss.write_index(index, path)
    deleted = "index.remove_ids([number]); write_index(index, path)"
    yield StoreStep(DELETE, _check_deleted(index.ntotal, people, deleted))


def _hnswlib(folder: Path, people: People) -> Steps:
    path, (_, number, vector) = str(folder / "people.hnsw"), people.person
    n_people = len(people.names)
    index = importlib.import_module("hnswlib").Index(space="l2", dim=N_VALUES)
    index.init_index(max_elements=n_people, allow_replace_deleted=True)
    index.add_items(people.vectors, people.numbers)
    index.save_index(path)
    yield StoreStep(PUT_IN, "index.add_items(vectors, numbers); index.save_index(path)")
    index.mark_deleted(number)
    index.save_index(path)
    is_gone = index.knn_query(vector[None], k=1)[0].item() != number
    deleted = "index.mark_deleted(number); index.save_index(path)"
    yield StoreStep(DELETE, _check_deleted(n_people - is_gone, people, deleted))
    index.add_items(-vector[None], [1], replace_deleted=True)
    index.save_index(path)
    yield StoreStep(
        OVERWRITE,
        "index.add_items(newcomer, replace_deleted=True); index.save_index(path)",
    )


STORES = (
    ForgetfulStore("SQLite", "sqlite3", "", _sqlite),
    ForgetfulStore("DuckDB", "duckdb", "duckdb", _duckdb),
    ForgetfulStore("LanceDB", "lancedb", "lancedb", _lancedb),
    ForgetfulStore("usearch", "usearch", "usearch", _usearch, _VECTORS),
    ForgetfulStore("faiss", "faiss", "faiss-cpu", _faiss, _VECTORS),
    ForgetfulStore("hnswlib", "hnswlib", "hnswlib", _hnswlib, _VECTORS),
)
"""The stores of the demo, in the order of its table."""
