"""Rows of any number on their way into a file: coded as they come, kept on the disk.

Labels are numbered as they appear; once all rows are there, and so all labels, they get
their final codes. In memory are the labels, never the rows.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.coder import Coder
from sklazy.casebase.cuts import sorted_cuts
from sklazy.casebase.files import naming, spool_file
from sklazy.casebase.incoming import Target, check_incoming, recoded
from sklazy.casebase.moments import NO_TIMES
from sklazy.casebase.rows import CLASSES, CodedRows, Ids
from sklazy.casebase.schema import Attribute, Schema
from sklazy.errors import BadInputError
from sklazy.kernels.sorting import sort_pairs
from sklazy.tables import Column, Label, Table

Floats = NDArray[np.float64]


@dataclass
class _Batch:
    """Rows as they lie in the spool: arrays one after the other."""

    n_rows: int
    numbers: Floats
    codes: NDArray[np.int32]
    targets: Floats
    ids: Ids


class Spool:
    """Rows that are kept on the disk until all have come; a ``with`` block.

    Parameters
    ----------
    out : Path
        The file that they go to; what is kept meanwhile lies beside it.
    """

    def __init__(self, out: Path) -> None:
        self.out, self.n_rows, self.n_targets = out, 0, 0
        self._sizes: list[int] = []
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._context.__exit__(kind, error, trace)

    def add(self, table: Table, target: Target, ids: Ids) -> None:
        """Take in some rows."""
        if not self._columns:
            self._begin(table, target)
        incoming = check_incoming(table, self._numeric(), target, None, NO_TIMES, ids)
        codes = np.empty((len(self._labels), len(table)), np.int32)
        for i, (j, known) in enumerate(self._labels.items()):
            column = target if j == CLASSES else table.columns[j]
            assert isinstance(column, Column)
            codes[i] = _coded(column, known)
        targets = np.zeros((0, len(table)))
        if not isinstance(target, Column):
            targets = target.reshape(len(table), -1).T + 0.0
        is_text = ids.dtype == object
        if is_text:
            self._texts.append(ids)
        elif len(ids):
            self._last_id = max(self._last_id, int(ids.max()))
        numbers = np.zeros(len(ids), np.int64) if is_text else ids
        with naming(self.out):
            for array in (incoming.numbers, codes, targets, numbers):
                self._file.write(np.ascontiguousarray(array).data)
            self._file.flush()
        self._sizes.append(len(table))
        self.n_rows += len(table)

    def _begin(self, table: Table, target: Target) -> None:
        self._columns = [column.take(np.zeros(0, np.intp)) for column in table]
        self._named = table.named
        nominal = [j for j, c in enumerate(table) if c.kind == "nominal"]
        self._labels = {
            j: {label: i for i, label in enumerate(_declared(table.columns[j]))}
            for j in nominal
        }
        if isinstance(target, Column):
            self._labels[CLASSES] = {}
        else:
            self.n_targets = 1

    def _numeric(self) -> list[int]:
        return [j for j, c in enumerate(self._columns) if c.kind == "numeric"]

    @property
    def text_ids(self) -> NDArray[np.object_] | None:
        """The ids of all rows where they are text."""
        return np.concatenate(self._texts) if self._texts else None

    @property
    def next_id(self) -> int:
        """The number behind the highest id."""
        return self._last_id + 1

    # --- once all rows are there ------------------------------------------------------

    def attributes(self) -> tuple[Attribute, ...]:
        """What the columns are; one without a value is numeric."""
        found = []
        for j, column in enumerate(self._columns):
            declared = column.categories if column.declared else ()
            is_nominal = bool(self._labels.get(j))
            kind = "nominal" if is_nominal else "numeric"
            found.append(Attribute(column.name, kind, declared))  # type: ignore[arg-type]
        return tuple(found)

    @property
    def named(self) -> bool:
        """Whether the names are the user's."""
        return self._named

    def coder(self, schema: Schema) -> Coder:
        """The labels of all rows in their final order."""
        coder = Coder(schema, has_classes=not self.n_targets)
        for j, vocabulary in coder.vocabularies.items():
            vocabulary.admit(self._labels[j])
        return coder

    def cuts(self, coder: Coder, criterion: str) -> list[Floats]:
        """The cuts of numbers by the classes of the rows, one column at a time."""
        if not coder.n_classes:
            return [np.zeros(0) for _ in coder.numeric]
        classes = np.concatenate([rows.classes for rows in self.batches(coder)])
        found = []
        for i in range(len(coder.numeric)):
            column = np.concatenate([r.numbers[i] for r in self.batches(coder)])
            values, own = sort_pairs(column, classes)
            found.append(sorted_cuts(values, own, coder.n_classes, criterion))
        return found

    def batches(self, coder: Coder) -> Iterator[CodedRows]:
        """The rows in the order in which they came, in their final codes."""
        final = {
            j: np.append(v.lookup(self._labels[j]), np.int32(-1))
            for j, v in coder.vocabularies.items()
        }
        self._file.seek(0)
        first = 0
        for number, n_rows in enumerate(self._sizes):
            batch = self._read(number, n_rows)
            yield self._final(batch, coder, final, first)
            first += n_rows

    def _read(self, number: int, n_rows: int) -> _Batch:
        def take(kind: type, n_columns: int) -> NDArray[Any]:
            n_bytes = n_columns * n_rows * np.dtype(kind).itemsize
            data: NDArray[Any] = np.frombuffer(self._file.read(n_bytes), kind)
            return data.reshape(n_columns, n_rows)

        numbers = take(np.float64, len(self._numeric()))
        codes = take(np.int32, len(self._labels))
        targets, ids = take(np.float64, self.n_targets), take(np.int64, 1)[0]
        names: Ids = self._texts[number] if self._texts else ids
        return _Batch(n_rows, numbers, codes, targets, names)

    def _final(
        self, batch: _Batch, coder: Coder, final: dict[int, Any], first: int
    ) -> CodedRows:
        n_rows, given = (
            batch.n_rows,
            dict(zip(self._numeric(), batch.numbers, strict=True)),
        )
        nothing = np.full(n_rows, np.nan)
        numbers = [given.get(j, nothing) for j in coder.numeric]
        codes = np.full((len(self._columns), n_rows), -1, np.int32)
        classes = np.zeros(n_rows, np.int32)
        for own, j in zip(batch.codes, self._labels, strict=True):
            if j == CLASSES:
                classes = final[j][own]
            elif j in final:
                codes[j] = final[j][own]
        return CodedRows(
            np.array(numbers).reshape(len(numbers), n_rows),
            codes,
            classes,
            batch.targets,
            np.ones(n_rows),
            np.zeros((0, n_rows)),
            np.arange(first, first + n_rows),
            np.zeros((0, n_rows), np.uint64),
            batch.ids,
        )


def _declared(column: Column) -> tuple[Label, ...]:
    return column.categories if column.declared else ()


def _coded(column: Column, known: dict[Label, int]) -> NDArray[np.int32]:
    """A column in numbers of first appearance; new labels get the next ones."""
    used = set(np.unique(column.data).tolist())
    codes = [
        known.setdefault(label, len(known)) if code in used else -1
        for code, label in enumerate(column.categories)
    ]
    return recoded(column, np.array(codes, np.int32))


def check_texts(ids: NDArray[np.object_]) -> None:
    """Refuse ids that two rows have."""
    if len(set(ids.tolist())) < len(ids):
        raise BadInputError("ids name two rows; give every row an id of its own.")
