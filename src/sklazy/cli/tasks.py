"""Files as tasks: attributes, a target and its type."""

import os
import shlex
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, cast

import click
import numpy as np
from numpy.typing import NDArray

from sklazy.cli.console import Console
from sklazy.cli.options import READING
from sklazy.errors import BadInputError, suggest
from sklazy.tables import Column, Table, as_target, label_array, read_table
from sklazy.tables.labels import encode
from sklazy.tables.naming import names_rows

Kind = Literal["classification", "regression"]

_MOST_CLASSES = 20  # more different whole numbers are not classes


class Aim(NamedTuple):
    """What is predicted, and the reason for saying so."""

    kind: Kind
    why: str

    @property
    def classifies(self) -> bool:
        """Whether the target is a label."""
        return self.kind == "classification"


@dataclass(frozen=True, eq=False)
class Task:
    """Attributes and a target to learn.

    Attributes
    ----------
    table : Table
        The attributes.
    target : array of shape (n_rows,)
        Labels or numbers.
    kind : {"classification", "regression"}
    name : str
        The target's name.
    why : str
        The reason for the kind.
    rows : int64 array of shape (n_rows,)
        The positions of the rows in the file; those without a target are left out.
    like : Table
        The columns of the file, as they were read.
    ids : array of shape (n_rows,), or None
        The rows' names, where a column names them.
    """

    table: Table
    target: NDArray[Any]
    kind: Kind
    name: str
    why: str
    rows: NDArray[np.int64]
    like: Table
    ids: NDArray[Any] | None = None

    @property
    def names(self) -> list[Any]:
        """What rows are called: their names, or their places in the file."""
        return (self.rows if self.ids is None else self.ids).tolist()

    @property
    def classifies(self) -> bool:
        """Whether the target is a label."""
        return self.kind == "classification"

    def named_target(self) -> Column:
        """The target under its own name, which receipts show."""
        if self.classifies:
            return encode(self.name, self.target.tolist())
        return Column(self.name, "numeric", self.target)

    def take(self, rows: NDArray[Any]) -> "Task":
        """The task on some of the rows."""
        table, target, kept = self.table.take(rows), self.target[rows], self.rows[rows]
        ids = None if self.ids is None else self.ids[rows]
        return replace(self, table=table, target=target, rows=kept, ids=ids)


def read_task(
    console: Console,
    path: str,
    target: str | None,
    kind: str,
    ignore: Sequence[str] = (),
    id_column: str | None = None,
) -> Task:
    """Read a file and separate the target, and names of rows, from the attributes."""
    whole = read_rows(path, id_column=id_column)
    if target is None:
        raise BadInputError(
            f"give the column to predict with --target, one of "
            f"{', '.join(map(repr, whole.names))}."
        )
    others = [target, *ignore] + [id_column] * (id_column is not None)
    for name in others:
        check_column(whole, str(name), path)
    missing = whole[target].missing
    if missing.all():
        raise BadInputError(f"{path}: the target {target!r} is missing in every row.")
    if missing.any():
        console.note(f"note: {missing.sum()} rows without {target!r} are left out.")
        whole = whole.take(~missing)
    kept = [c.name for c in whole if not _is_left_out(c, whole.named)]
    table = whole.select([n for n in kept if n not in others])
    if not table.columns:
        raise BadInputError(f"{path}: there is no column but the target {target!r}.")
    _note_names(console, table)
    found, why = find_aim(whole[target], len(whole), kind)
    values = _values(whole[target], found)
    if len(set(values.tolist())) == 1:
        console.note(f"note: {target!r} is the same in every row: nothing to learn.")
    rows, ids = np.flatnonzero(~missing), row_names(whole, id_column)
    return Task(table, values, found, target, why, rows, whole, ids)


def row_names(whole: Table, id_column: str | None) -> NDArray[Any] | None:
    """The names of the rows, each its own; None without a column of names."""
    if id_column is None:
        return None
    names = whole[id_column].cells()
    counts = Counter(names)
    again = [name for name in names if name is None or counts[name] > 1]
    if again:
        what = "is missing" if again[0] is None else f"has {again[0]!r} twice"
        raise BadInputError(
            f"--id {id_column}: the column {what}; names of rows must be there and "
            "differ. Take another column, or leave --id out."
        )
    return label_array(names)


def _is_left_out(column: Column, named: bool) -> bool:
    """Whether a column is set aside; without names all stay in their places."""
    return named and column.reading is not None and column.reading.style == "aside"


def _note_names(console: Console, table: Table) -> None:
    """Warn of columns that name the rows: they are not informative."""
    names = [column.name for column in table if names_rows(column)]
    if names:
        way = " ".join(f"--ignore {shlex.quote(name)}" for name in names)
        console.note(
            f"note: {', '.join(map(repr, names))}: nearly every cell is another one, "
            f"which names the rows and tells nothing. Leave out with {way}."
        )


def read_rows(
    path: str, like: Table | None = None, id_column: str | None = None
) -> Table:
    """Read a file that must have rows, its columns like those of another."""
    context = click.get_current_context(silent=True)
    options = dict(context.meta.get(READING, {}) if context else {})
    if like is not None and like.named:
        options["kinds"] = {}  # as the other file was read
        options["like"] = like
    if id_column is not None:
        options["kinds"] = {**options.get("kinds", {}), id_column: "nominal"}
    whole = read_table(path, **options)
    if not len(whole):
        raise BadInputError(f"{path}: the file has no rows.")
    return whole


def check_out(out: str | None, *sources: str | None) -> None:
    """Refuse to overwrite an input file, and to read standard input twice."""
    given = [source for source in sources if source is not None]
    if given.count("-") > 1:
        raise BadInputError("standard input, -, can be read once; give a file as well.")
    for source in set(given) - {"-"}:
        if out is not None and os.path.exists(out) and os.path.samefile(out, source):
            raise BadInputError(f"{out} is an input file; write to another one.")


def check_folds(task: Task, n_folds: int) -> int:
    """The number of folds, no more than there are rows."""
    if n_folds < 2:
        raise BadInputError(f"--folds {n_folds}; expected 2 or more.")
    if len(task.target) < 2:
        raise BadInputError(
            "one row alone cannot be predicted from others; expected 2 rows or more."
        )
    return min(n_folds, len(task.target))


def check_column(table: Table, name: str, path: str) -> None:
    """Refuse a column that is not there, with suggestions."""
    if name not in table:
        raise BadInputError(
            f"{path} has no column {name!r}.{suggest(name, table.names)}"
        )


def find_aim(column: Column, n_rows: int, wanted: str) -> Aim:
    """What is predicted, by the different cells of the target."""
    if wanted != "auto":
        return Aim(cast(Kind, wanted), "by --task")
    if column.kind == "nominal":
        return Aim("classification", f"{column.name!r} holds labels")
    numbers = np.unique(column.data)
    is_whole = bool((numbers == np.round(numbers)).all())
    if is_whole and len(numbers) <= min(_MOST_CLASSES, max(2, n_rows // 5)):
        amount = "one" if len(numbers) == 1 else f"{len(numbers)} different"
        why = f"{column.name!r} holds {amount} whole number{'s'[: len(numbers) - 1]}"
        return Aim("classification", why)
    return Aim("regression", f"{column.name!r} holds numbers")


def _values(column: Column, kind: Kind) -> NDArray[Any]:
    if kind == "regression":
        return as_target(column, "numeric")
    labels = as_target(column, "nominal").cells()
    values = np.empty(len(labels), object)
    values[:] = labels
    same = len({type(label) for label in labels}) == 1
    return label_array(labels) if same else values


def match_columns(
    console: Console,
    test: Table,
    names: Sequence[str],
    known: Collection[str],
    path: str,
) -> Table:
    """The columns of these names from a test file; missing ones are an error.

    Others are left out with a note, unless they are `known`.
    """
    lacking = [name for name in names if name not in test]
    others = [n for n in test.names if n not in names and n not in known]
    if lacking:
        hints = "".join(suggest(name, others) for name in lacking[:1] if others)
        raise BadInputError(
            f"{path} lacks {len(lacking)} column(s) of the training file: "
            f"{', '.join(map(repr, lacking))}.{hints} To learn without it, give "
            f"--kind {lacking[0]}=ignore where the training file is read."
        )
    if others:
        console.note(
            f"note: {path} has columns that the training file lacks, left out: "
            f"{', '.join(map(repr, others))}."
        )
    return test.select(names)
