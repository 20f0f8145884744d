"""Files as tasks: attributes, a target and its type."""

import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast, get_args

import click
import numpy as np
from numpy.typing import NDArray

from sklazy.cli.console import Console
from sklazy.errors import BadInputError, suggest
from sklazy.tables import Column, Table, as_target, label_array, read_table
from sklazy.tables.read import Format
from sklazy.tables.table import Wish

Kind = Literal["classification", "regression"]

_MOST_CLASSES = 20  # more different whole numbers are not classes
_FEWEST_NAMES = 10  # fewer different labels do not count as names of rows

Decorator = Callable[[Callable[..., None]], Callable[..., None]]

OUT_FILE = click.Path(dir_okay=False)
"""A file to write."""

IN_FILE = click.Path(exists=True, dir_okay=False, allow_dash=True)
"""A file to read; a dash is standard input."""

_FORMATS = get_args(Format)
_READING = "sklazy.reading"  # key of the reading options in a command's context


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
    """

    table: Table
    target: NDArray[Any]
    kind: Kind
    name: str
    why: str
    rows: NDArray[np.int64]
    like: Table

    @property
    def classifies(self) -> bool:
        """Whether the target is a label."""
        return self.kind == "classification"

    def take(self, rows: NDArray[Any]) -> "Task":
        """The task on some of the rows."""
        table, target, kept = self.table.take(rows), self.target[rows], self.rows[rows]
        return replace(self, table=table, target=target, rows=kept)


def task_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the training file, the target and the options to read files to a command."""
    path = IN_FILE
    options: list[Decorator] = [
        click.argument("train", type=path),
        click.option("--target", "-t", required=True, help="Column to predict."),
        click.option(
            "--task",
            "kind",
            type=click.Choice(["auto", "classification", "regression"]),
            default="auto",
            show_default=True,
            help="Target type; inferred if omitted.",
        ),
        click.option(
            "--ignore", multiple=True, help="Column to leave out; repeat for several."
        ),
        _reading("format", "Format of the files; by their names if omitted.", _FORMATS),
        _reading(
            "encoding", "Encoding of text files, for example latin-1; default: utf-8."
        ),
        _reading(
            "delimiter", "Delimiter of CSV, for example ';'; inferred if omitted."
        ),
        _reading("decimal", "Decimal mark of CSV; default: '.'.", (".", ",")),
        click.option(
            "--kind",
            "kinds",
            multiple=True,
            callback=_keep_kinds,
            expose_value=False,
            metavar="NAME=KIND",
            help=f"What a column is: {', '.join(get_args(Wish))}; repeat for several.",
        ),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def _keep_kinds(
    context: click.Context, _: click.Parameter, given: Sequence[str]
) -> None:
    """Keep what columns are said to be for `read_rows`."""
    pairs = [pair.rpartition("=") for pair in given]
    wrong = [pair for pair in pairs if not pair[0] or pair[2] not in get_args(Wish)]
    if wrong:
        raise click.BadParameter(
            f"{''.join(wrong[0])!r}; expected NAME=KIND with a kind of "
            f"{', '.join(get_args(Wish))}."
        )
    if pairs:
        kinds = {name: kind for name, _, kind in pairs}
        context.meta.setdefault(_READING, {})["kinds"] = kinds


def _reading(name: str, text: str, choices: Sequence[str] | None = None) -> Decorator:
    """An option that `read_rows` passes to `read_table` for all files of a command."""

    def keep(context: click.Context, _: click.Parameter, value: str | None) -> None:
        if value is not None:
            context.meta.setdefault(_READING, {})[name] = value

    kind = None if choices is None else click.Choice(choices)
    return click.option(
        f"--{name}", type=kind, help=text, callback=keep, expose_value=False
    )


def read_task(
    console: Console, path: str, target: str, kind: str, ignore: Sequence[str] = ()
) -> Task:
    """Read a file and separate the target from the attributes."""
    whole = read_rows(path)
    for name in (target, *ignore):
        check_column(whole, name, path)
    missing = whole[target].missing
    if missing.all():
        raise BadInputError(f"{path}: the target {target!r} is missing in every row.")
    if missing.any():
        console.note(f"note: {missing.sum()} rows without {target!r} are left out.")
        whole = whole.take(~missing)
    kept = [c.name for c in whole if not _is_left_out(c, whole.named)]
    table = whole.select([n for n in kept if n not in (target, *ignore)])
    if not table.columns:
        raise BadInputError(f"{path}: there is no column but the target {target!r}.")
    _note_names(console, table)
    found, why = _kind(whole[target], kind)
    values = _values(whole[target], found)
    if len(set(values.tolist())) == 1:
        console.note(f"note: {target!r} is the same in every row: nothing to learn.")
    return Task(table, values, found, target, why, np.flatnonzero(~missing), whole)


def _is_left_out(column: Column, named: bool) -> bool:
    """Whether a column is set aside; without names all stay in their places."""
    return named and column.reading is not None and column.reading.style == "aside"


def _note_names(console: Console, table: Table) -> None:
    """Warn of columns that name the rows: they are not informative."""
    names = [column.name for column in table if _is_name(column)]
    if names:
        way = " ".join(f"--ignore {shlex.quote(name)}" for name in names)
        console.note(
            f"note: {', '.join(map(repr, names))}: a different label in every row, "
            f"which is not informative. Leave out with {way}."
        )


def _is_name(column: Column) -> bool:
    known = column.data[~column.missing]
    several = len(known) >= _FEWEST_NAMES and column.kind == "nominal"
    return several and len(np.unique(known)) == len(known)


def read_rows(path: str, like: Table | None = None) -> Table:
    """Read a file that must have rows, its columns like those of another."""
    context = click.get_current_context(silent=True)
    options = dict(context.meta.get(_READING, {}) if context else {})
    if like is not None and like.named:
        options["kinds"] = {}  # as the other file was read
        options["like"] = like
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


def _kind(column: Column, wanted: str) -> tuple[Kind, str]:
    if wanted != "auto":
        return cast(Kind, wanted), "by --task"
    if column.kind == "nominal":
        return "classification", f"{column.name!r} holds labels"
    numbers = np.unique(column.data)
    is_whole = bool((numbers == np.round(numbers)).all())
    if is_whole and len(numbers) <= min(_MOST_CLASSES, max(2, len(column) // 5)):
        amount = "one" if len(numbers) == 1 else f"{len(numbers)} different"
        why = f"{column.name!r} holds {amount} whole number{'s'[: len(numbers) - 1]}"
        return "classification", why
    return "regression", f"{column.name!r} holds numbers"


def _values(column: Column, kind: Kind) -> NDArray[Any]:
    if kind == "regression":
        return as_target(column, "numeric")
    labels = as_target(column, "nominal").cells()
    values = np.empty(len(labels), object)
    values[:] = labels
    same = len({type(label) for label in labels}) == 1
    return label_array(labels) if same else values


def match_columns(console: Console, test: Table, task: Task, path: str) -> Table:
    """The columns of the task from a test file; missing ones are an error."""
    names = task.table.names
    if not (test.named and task.table.named):
        return test  # matched by position
    lacking = [name for name in names if name not in test]
    others = [n for n in test.names if n not in names and n not in task.like]
    if lacking:
        hints = "".join(suggest(name, others) for name in lacking[:1] if others)
        raise BadInputError(
            f"{path} lacks {len(lacking)} column(s) of the training file: "
            f"{', '.join(map(repr, lacking))}.{hints}"
        )
    if others:
        console.note(
            f"note: {path} has columns that the training file lacks, left out: "
            f"{', '.join(map(repr, others))}."
        )
    return test.select(names)
