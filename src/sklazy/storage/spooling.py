"""Rows of any number on their way into a file: coded as they come, kept on the disk.

Labels are numbered as they appear; once all rows are there, and so all labels, they get
their final codes. In memory are the labels, never the rows.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.coder import Coder
from sklazy.casebase.cuts import column_cuts
from sklazy.casebase.incoming import (
    Target,
    check_target,
    finite_numbers,
    recoded,
)
from sklazy.casebase.rows import CLASSES, CodedRows, Ids, narrowest
from sklazy.casebase.schema import Attribute, Schema
from sklazy.errors import BadInputError
from sklazy.flow import MISSING
from sklazy.storage.outline import Named, kind_of_ids
from sklazy.storage.packed import STEP
from sklazy.storage.placing import naming_file, spool_file
from sklazy.storage.stored_ids import width_of
from sklazy.tables import Column, Label, Table

Floats = NDArray[np.float64]


_MOST_CELLS = 1 << 24  # of a piece


class _Piece(NamedTuple):
    """Rows on their way into the spool."""

    numbers: Floats
    codes: NDArray[np.int32]
    targets: Floats
    ids: NDArray[np.int64]  # (1, n_rows), zeros where ids are text

    def first(self, n_rows: int) -> "_Piece":
        """The first of the rows."""
        numbers, codes, targets, ids = self
        first = slice(n_rows)
        return _Piece(
            numbers[:, first], codes[:, first], targets[:, first], ids[:, first]
        )


class _Kept(NamedTuple):
    """Rows in the spool: numbers, codes, targets, ids, one array after the other."""

    place: int
    n_rows: int
    codes: np.dtype[np.signedinteger[Any]]  # the smallest type for the labels so far
    first_id: int | None  # ids that count up from it are not kept


class Spool:
    """Rows that are kept beside the file that they go to until all have come."""

    def __init__(self, out: Path) -> None:
        self.out, self.n_rows, self.n_targets = out, 0, 0
        self._pieces: list[_Kept] = []
        self._n_waiting = 0  # rows of the next piece
        self._waiting: _Piece
        self._labels: dict[int, dict[Label, int]] = {}
        self._columns: list[Column] = []
        self._named = True
        self._texts: list[Ids] = []  # ids that are text cannot lie in arrays
        self._last_id = -1
        self._file: IO[bytes]

    def __enter__(self) -> Self:
        self._context = spool_file(self.out)
        self._file = self._context.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:  # noqa: ANN401 - as of any context
        self._context.__exit__(*error)

    def add(self, table: Table, target: Target, ids: Ids) -> None:
        """Take in some rows."""
        if not self._columns:
            self._begin(table, target)
        check_target(target)
        columns: list[NDArray[Any]] = []
        columns += [finite_numbers(table.columns[j]) for j in self._numeric()]
        for j, known in self._labels.items():
            column = target if j == CLASSES else table.columns[j]
            assert isinstance(column, Column)
            columns.append(_coded(column, known))
        if not isinstance(target, Column):
            columns += [*target.reshape(len(table), -1).T]
        self._keep([*columns, self._take_ids(ids)], len(table))
        self.n_rows += len(table)

    def _take_ids(self, ids: Ids) -> NDArray[np.int64]:
        """Ids as they are kept; those that are text stay in memory."""
        if ids.dtype == object:
            self._texts.append(ids)
            return np.zeros(len(ids), np.int64)
        if len(ids):
            self._last_id = max(self._last_id, int(ids.max()))
        return np.asarray(ids, np.int64)

    def _keep(self, columns: list[NDArray[Any]], n_rows: int) -> None:
        """Put rows behind those that wait; all pieces but the last are of one size."""
        first, size = 0, self._waiting.ids.shape[1]
        rooms = [room for array in self._waiting for room in array]
        while first < n_rows:
            last = min(n_rows, first + size - self._n_waiting)
            end = self._n_waiting + last - first
            for room, column in zip(rooms, columns, strict=True):
                # Copied; -0.0 becomes 0.0.
                np.add(column[first:last], 0, out=room[self._n_waiting : end])
            self._n_waiting, first = end, last
            if end == size:
                self._write_waiting()

    def _write_waiting(self) -> None:
        """Put the rows that wait into the file."""
        if not self._n_waiting:
            return
        rows = self._waiting.first(self._n_waiting)
        largest = max(map(len, self._labels.values()), default=0)
        kind, ids = narrowest(largest), rows.ids[0]
        counts_up = bool((np.diff(ids) == 1).all())
        with naming_file(self.out):
            place = self._file.tell()
            for array in (rows.numbers, rows.codes.astype(kind), rows.targets):
                self._file.write(np.ascontiguousarray(array).data)
            if not counts_up:
                self._file.write(ids.data)
            self._file.flush()
        first_id = int(ids[0]) if counts_up else None
        self._pieces.append(_Kept(place, self._n_waiting, kind, first_id))
        self._n_waiting = 0

    def _begin(self, table: Table, target: Target) -> None:
        self._columns = [column.take(np.zeros(0, np.intp)) for column in table]
        self._named = table.named
        self._labels = {
            j: {label: i for i, label in enumerate(Attribute.of(column).declared)}
            for j, column in enumerate(table)
            if column.kind == "nominal"
        }
        if isinstance(target, Column):
            self._labels[CLASSES] = {}
        else:
            self.n_targets = 1
        n_numeric, n_labels = len(self._numeric()), len(self._labels)
        n_rows = max(1, min(STEP, _MOST_CELLS // (n_numeric + n_labels + 1)))
        self._waiting = _Piece(
            np.empty((n_numeric, n_rows)),
            np.empty((n_labels, n_rows), np.int32),
            np.empty((self.n_targets, n_rows)),
            np.empty((1, n_rows), np.int64),
        )

    def _numeric(self) -> list[int]:
        return [j for j, c in enumerate(self._columns) if c.kind == "numeric"]

    @property
    def next_id(self) -> int:
        """The number behind the highest id."""
        return self._last_id + 1

    # --- once all rows are there ------------------------------------------------------

    def attributes(self) -> tuple[Attribute, ...]:
        """The columns; one without a value is numeric."""
        attributes = []
        for j, column in enumerate(self._columns):
            declared = column.categories if column.declared else ()
            is_nominal = bool(self._labels.get(j))
            kind = "nominal" if is_nominal else "numeric"
            attributes.append(Attribute(column.name, kind, declared))  # type: ignore[arg-type]
        return tuple(attributes)

    @property
    def named(self) -> bool:
        """Whether the names are the user's."""
        return self._named

    def coder(self, schema: Schema) -> Coder:
        """The labels of all rows in their final order."""
        self._write_waiting()
        coder = Coder(schema, has_classes=not self.n_targets)
        for j, vocabulary in coder.vocabularies.items():
            vocabulary.admit(self._labels[j])
        return coder

    def cuts(self, coder: Coder, criterion: str) -> Iterator[Floats]:
        """The cuts of numbers by the classes of the rows, one column at a time."""
        if not coder.n_classes:
            yield from (np.zeros(0) for _ in coder.numeric)
            return
        numeric, place = self._numeric(), list(self._labels).index(CLASSES)
        kept = self._column(np.int32, (self._codes(p, place) for p in self._pieces))
        final = self._final_codes(coder)
        classes = final[CLASSES][kept] if CLASSES in final else kept
        column = np.empty(self.n_rows)  # one after the other: new memory takes time
        for j in coder.numeric:
            if j not in numeric:  # no row has a value of it
                yield np.zeros(0)
                continue
            number = numeric.index(j)
            _fill(column, (self._numbers(piece, number) for piece in self._pieces))
            yield column_cuts(column, classes, coder.n_classes, criterion)

    def names(self) -> tuple[Named, int, int]:
        """The kind of ids, see `Outline`; those that two rows have are refused."""
        if self._texts:
            names: NDArray[np.object_] = np.concatenate(self._texts)
            self._texts = [names]
            _check_different(names.tolist())
            return "text", 1, width_of(names.tolist())
        n_runs, rises, last = 0, True, -1
        for ids in map(self._ids, self._pieces):
            steps = np.diff(ids, prepend=last)
            n_runs += int((steps[1:] != 1).sum()) + bool(steps[0] != 1 or not n_runs)
            rises = rises and bool((steps > 0).all())
            last = ids[-1]
        if not rises:
            _check_different(self._column(np.int64, map(self._ids, self._pieces)))
        return *kind_of_ids(self.n_rows, n_runs, rises=rises), 0

    def _column(self, kind: type, parts: Iterable[NDArray[Any]]) -> NDArray[Any]:
        """A column of all rows from its parts."""
        return _fill(np.empty(self.n_rows, kind), parts)

    def _numbers(self, piece: _Kept, first: int, n_columns: int = 1) -> Floats:
        """Numbers of a piece, one column after the other."""
        place = piece.place + 8 * first * piece.n_rows
        return self._read(place, np.dtype(np.float64), n_columns * piece.n_rows)

    def _codes(self, piece: _Kept, first: int, n_columns: int = 1) -> NDArray[Any]:
        """Codes of a piece, likewise."""
        before = 8 * len(self._numeric()) + piece.codes.itemsize * first
        place = piece.place + before * piece.n_rows
        return self._read(place, piece.codes, n_columns * piece.n_rows)

    def _targets(self, piece: _Kept) -> Floats:
        place = self._behind_codes(piece)
        return self._read(place, np.dtype(np.float64), self.n_targets * piece.n_rows)

    def _ids(self, piece: _Kept) -> NDArray[np.int64]:
        if piece.first_id is not None:
            return np.arange(piece.first_id, piece.first_id + piece.n_rows)
        place = self._behind_codes(piece) + 8 * self.n_targets * piece.n_rows
        return self._read(place, np.dtype(np.int64), piece.n_rows)

    def _behind_codes(self, piece: _Kept) -> int:
        of_codes = piece.codes.itemsize * len(self._labels)
        return piece.place + piece.n_rows * (8 * len(self._numeric()) + of_codes)

    def _read(self, place: int, kind: np.dtype[Any], n_cells: int) -> NDArray[Any]:
        self._file.seek(place)
        return np.frombuffer(self._file.read(n_cells * kind.itemsize), kind)

    def _final_codes(self, coder: Coder) -> dict[int, NDArray[np.int32]]:
        """From codes as they are kept to final ones, missing cells the last.

        Columns whose codes stay as they are have none.
        """
        final = {}
        for j, vocabulary in coder.vocabularies.items():
            codes = vocabulary.lookup(self._labels[j])
            if not np.array_equal(codes, np.arange(len(codes))):
                final[j] = np.append(codes, np.int32(MISSING))
        return final

    def batches(self, coder: Coder) -> Iterator[CodedRows]:
        """The rows in the order in which they came, in their final codes."""
        final, first = self._final_codes(coder), 0
        for piece in self._pieces:
            yield self._final(piece, coder, final, first)
            first += piece.n_rows

    def _final(
        self, piece: _Kept, coder: Coder, final: dict[int, Any], first: int
    ) -> CodedRows:
        n_rows, n_numeric = piece.n_rows, len(self._numeric())
        ids: Ids = self._ids(piece)
        if self._texts:
            ids = self._texts[0][first : first + n_rows]
        numbers = self._numbers(piece, 0, n_numeric).reshape(n_numeric, n_rows)
        if len(coder.numeric) > len(numbers):  # no row has a value of some
            by_attribute = dict(zip(self._numeric(), numbers, strict=True))
            nothing = np.full(n_rows, np.nan)
            numbers = np.array([by_attribute.get(j, nothing) for j in coder.numeric])
        codes = np.full((len(self._columns), n_rows), -1, np.int32)
        classes = np.zeros(n_rows, np.int32)
        kept = self._codes(piece, 0, len(self._labels)).reshape(-1, n_rows)
        for known, j in zip(kept, self._labels, strict=True):
            if j in coder.vocabularies:
                room = classes if j == CLASSES else codes[j]
                room[:] = final[j][known] if j in final else known
        return CodedRows(
            numbers,
            codes,
            classes,
            self._targets(piece).reshape(self.n_targets, n_rows),
            np.ones(n_rows),
            np.zeros((0, n_rows)),
            np.arange(first, first + n_rows),
            np.zeros((0, n_rows), np.uint64),
            ids,
        )


def _fill(column: NDArray[Any], parts: Iterable[NDArray[Any]]) -> NDArray[Any]:
    """Put parts one after the other into a column."""
    first = 0
    for part in parts:
        column[first : first + len(part)] = part
        first += len(part)
    return column


def _coded(column: Column, known: dict[Label, int]) -> NDArray[np.int32]:
    """A column in numbers of first appearance; new labels get the next ones."""
    codes = [
        known.setdefault(label, len(known)) if used else -1
        for used, label in zip(column.is_used.tolist(), column.categories, strict=True)
    ]
    if codes == [*range(len(codes))] and column.data.min(initial=0) >= MISSING:
        return column.data
    return recoded(column, np.array(codes, np.int32))


def _check_different(ids: Sequence[str] | NDArray[np.int64]) -> None:
    """Refuse ids that two rows have."""
    n_ids = len(np.unique(ids)) if isinstance(ids, np.ndarray) else len({*ids})
    if n_ids < len(ids):
        raise BadInputError("ids name two rows; give every row an id of its own.")
