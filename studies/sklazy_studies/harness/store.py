"""Results in one SQLite file, each written as soon as it is there."""

import contextlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from sklazy.errors import ResultsFileError
from sklazy_studies.harness.unit import Plain, Unit

Facts = Sequence[tuple[str, str]]
"""Names and values."""

FORMAT = 1
"""The version of the file's layout."""

_APPLICATION = 0x736B6C7A  # "sklz", which marks SQLite files of this library
_MAGIC = b"SQLite format 3\0"
_LAYOUT = """
CREATE TABLE units (
    key TEXT PRIMARY KEY,
    experiment TEXT NOT NULL,
    protocol INTEGER NOT NULL,
    data TEXT NOT NULL,
    setting TEXT NOT NULL,
    result TEXT NOT NULL,
    seconds REAL NOT NULL,
    finished TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) WITHOUT ROWID
"""
_RUNS = """
CREATE TABLE IF NOT EXISTS runs (
    experiment TEXT NOT NULL,
    code TEXT NOT NULL,
    facts TEXT NOT NULL
)
"""
_MOST_KEYS = 500  # in one query

_WAYS_OUT = {
    "SQLITE_FULL": "the disk is full. Free some space and run the same command again",
    "SQLITE_READONLY": "it may not be written. Choose another folder with -o",
    "SQLITE_CANTOPEN": "it cannot be opened or made there. Choose another folder (-o)",
    "SQLITE_CORRUPT": "it is damaged. Move it away, or restore it from a copy",
    "SQLITE_BUSY": "another process is writing it. Wait until that one has finished",
    "SQLITE_IOERR": "the disk failed to read or write. See whether it is full or gone",
}


class Store:
    """The results of experiments, by unit.

    A result is committed before `record` returns, so a process that is killed loses
    none that was recorded. Several processes may use the file at the same time.

    Parameters
    ----------
    path : str or path
        Created if it is not there. A file of another version, or of another program,
        is refused and not changed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "results.sqlite")
    >>> unit = Unit("demo", 1, "", {"fold": 0})
    >>> with Store(path) as store:
    ...     store.record(unit, {"correct": 17}, seconds=0.1)
    >>> with Store(path) as store:
    ...     store.find([unit])
    {demo: fold=0: {'correct': 17}}
    >>> folder.cleanup()
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        with self._errors():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._check_kind()
            # No implicit transactions: each statement is one of its own.
            self._file = sqlite3.connect(self.path, timeout=30, isolation_level=None)
            try:
                self._prepare()
            except BaseException:
                self._file.close()
                raise

    def record(self, unit: Unit, result: Plain, seconds: float) -> None:
        """Write the result of a unit; it is on the disk when this returns."""
        # repr round-trips floats, and NaN is kept: Python reads back what it wrote.
        row = (
            unit.key,
            unit.experiment,
            unit.protocol,
            unit.data,
            json.dumps(dict(unit.setting)),
            json.dumps(result),
            seconds,
        )
        with self._errors():
            self._file.execute(
                "INSERT OR REPLACE INTO units"
                " (key, experiment, protocol, data, setting, result, seconds)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                row,
            )

    def find(self, units: Iterable[Unit]) -> dict[Unit, Plain]:
        """The recorded results of these units, in their order."""
        by_key = {unit.key: unit for unit in units}
        texts: dict[str, str] = {}
        keys = list(by_key)
        with self._errors():
            for first in range(0, len(keys), _MOST_KEYS):
                part = keys[first : first + _MOST_KEYS]
                marks = ", ".join("?" * len(part))
                query = f"SELECT key, result FROM units WHERE key IN ({marks})"
                texts.update(self._file.execute(query, part))
            results = {key: json.loads(text) for key, text in texts.items()}
        return {unit: results[key] for key, unit in by_key.items() if key in results}

    def seconds(self, units: Iterable[Unit]) -> float:
        """The total time of the recorded units among these."""
        with self._errors():
            known = dict(self._file.execute("SELECT key, seconds FROM units"))
        return sum(known.get(unit.key, 0.0) for unit in units)

    def record_run(self, experiment: str, code: str, facts: Facts) -> None:
        """Write how results were computed: command, date, versions, machine."""
        row = (experiment, code, json.dumps([list(fact) for fact in facts]))
        with self._errors():
            self._file.execute("INSERT INTO runs VALUES (?, ?, ?)", row)

    def last_run(self, experiment: str, code: str) -> list[tuple[str, str]]:
        """How results of this code were computed last; empty if it is not recorded."""
        query = (
            "SELECT facts FROM runs WHERE experiment = ? AND code = ? "
            "ORDER BY rowid DESC LIMIT 1"
        )
        with self._errors():
            row = self._file.execute(query, (experiment, code)).fetchone()
            return [(name, fact) for name, fact in json.loads(row[0])] if row else []

    def __len__(self) -> int:
        return int(self._file.execute("SELECT count(*) FROM units").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _check_kind(self) -> None:
        """Refuse a file that is not a database; SQLite would overwrite a short one."""
        if self.path.exists() and self.path.stat().st_size:
            with open(self.path, "rb") as file:
                if file.read(len(_MAGIC)) != _MAGIC:
                    raise ResultsFileError(
                        f"{self.path} is not a file of results. Move it away, or "
                        "choose another folder with -o."
                    )

    def _prepare(self) -> None:
        """Create the layout; refuse a file of another program or version."""
        self._file.execute("BEGIN IMMEDIATE")
        with self._file:
            if not self._pragma("schema_version"):
                self._file.execute(_LAYOUT)
                self._file.execute(f"PRAGMA application_id = {_APPLICATION}")
                self._file.execute(f"PRAGMA user_version = {FORMAT}")
        self._check_version()
        self._file.execute(_RUNS)  # which files of earlier versions lack

    def _check_version(self) -> None:
        if self._pragma("application_id") != _APPLICATION:
            raise ResultsFileError(
                f"{self.path} is a database of another program. Move it away, or "
                "choose another folder with -o."
            )
        version = self._pragma("user_version")
        if version != FORMAT:
            raise ResultsFileError(
                f"{self.path} holds results of another version of sklazy (format "
                f"{version}, this one has {FORMAT}). Nothing was changed. Use that "
                "version, or choose another folder with -o."
            )

    def _pragma(self, name: str) -> int:
        return int(self._file.execute(f"PRAGMA {name}").fetchone()[0])

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Give the errors of SQLite and of the disk messages with a way out."""
        try:
            yield
        except sqlite3.Error as error:
            # Extended names such as SQLITE_IOERR_WRITE begin with the plain one.
            name = getattr(error, "sqlite_errorname", "")
            plain = "_".join(name.split("_")[:2])
            way_out = _WAYS_OUT.get(plain, f"{error}. Choose another folder with -o")
            raise ResultsFileError(
                f"{self.path}: {way_out}. What was recorded before is safe."
            ) from error
        except ValueError as error:  # bytes that are not text, text that is not JSON
            raise ResultsFileError(
                f"{self.path}: {_WAYS_OUT['SQLITE_CORRUPT']}."
            ) from error
        except OSError as error:
            raise ResultsFileError(
                f"{self.path.parent} cannot be used for results ({error.strerror}). "
                "Choose another folder with -o."
            ) from error
