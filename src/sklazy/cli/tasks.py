"""Files as tasks: features, a target and the kind of prediction."""

import shlex
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, NoReturn, cast

import click
import numpy as np
from numpy.typing import NDArray

from sklazy.cli.console import Console
from sklazy.cli.options import READING, TrainingFile
from sklazy.errors import BadInputError, suggest
from sklazy.report.words import pluralize
from sklazy.tables import Column, Table, as_target, label_array, read_table
from sklazy.tables.labels import encode
from sklazy.tables.naming import names_rows
from sklazy.tables.reading import CALENDAR

Kind = Literal["classification", "regression"]

_MOST_CLASSES = 20  # more different whole numbers are not classes


class Aim(NamedTuple):
    """Kind of prediction, and the reason for it."""

    kind: Kind
    why: str

    @property
    def classifies(self) -> bool:
        """Whether the target is a label."""
        return self.kind == "classification"


@dataclass(frozen=True, eq=False)
class FileTask:
    """Features and a target to learn, read from a file.

    Attributes
    ----------
    table : Table
        The features.
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
        The cells of the column of ``--id``.
    id_column : str, or None
        Its name.
    """

    table: Table
    target: NDArray[Any]
    kind: Kind
    name: str
    why: str
    rows: NDArray[np.int64]
    like: Table
    ids: NDArray[Any] | None = None
    id_column: str | None = None

    @property
    def names(self) -> list[Any]:
        """The ids of the rows, or their positions in the file."""
        return (self.rows if self.ids is None else self.ids).tolist()

    @property
    def classifies(self) -> bool:
        """Whether the target is a label."""
        return self.kind == "classification"

    def target_column(self) -> Column:
        """The target with its name, which receipts show."""
        if self.classifies:
            return encode(self.name, self.target.tolist())
        return Column(self.name, "numeric", self.target)

    def take(self, rows: NDArray[Any]) -> "FileTask":
        """The task on some of the rows."""
        table, target, kept = self.table.take(rows), self.target[rows], self.rows[rows]
        ids = None if self.ids is None else self.ids[rows]
        return replace(self, table=table, target=target, rows=kept, ids=ids)


def read_task(
    console: Console,
    source: TrainingFile,
    *,
    needs_ids: bool = True,
    ids_may_repeat: bool = False,
) -> FileTask:
    """Read a file and separate the target, and ids of rows, from the features.

    A command that names no row of the file needs no ids. Where ids may repeat, rows
    are then named by their place in the file, with a note.
    """
    path, target, id_column = source.train, source.target, source.id_column
    whole = read_table_rows(path, id_column=id_column, ignore=source.ignore)
    if target is None:
        raise BadInputError(
            f"--target is missing; give the column to predict, one of "
            f"{', '.join(map(repr, whole.names))}."
        )
    others = [target, *ignored_columns(source)]
    for name in others:
        check_column(name, whole.names, path)
    missing = whole[target].missing
    if missing.all():
        raise BadInputError(
            f"{path}: the target {target!r} is missing in every row; choose another "
            "column with --target."
        )
    if missing.any():
        console.note(note_left_out(int(missing.sum()), target))
        whole = whole.take(~missing)
    kept = [c.name for c in whole if not _is_left_out(c, whole.named)]
    table = whole.select([n for n in kept if n not in others])
    if not table.columns:
        aside = [
            c.name
            for c in whole
            if _is_left_out(c, whole.named) and c.name not in others
        ]
        raise _nothing_to_learn(path, target, aside)
    _note_ids(console, table)
    kind, why = find_aim(whole[target], len(whole), source.kind)
    values = _target_values(whole[target], kind)
    if len(set(values.tolist())) == 1:
        console.note(
            f"note: {target!r} is the same in every row; there is nothing to learn."
        )
    rows = np.flatnonzero(~missing)
    noted = console if ids_may_repeat else None
    ids = _unique_ids(whole, id_column, noted) if needs_ids else None
    return FileTask(table, values, kind, target, why, rows, whole, ids, id_column)


def check_target(_: Console, source: TrainingFile | None = None, **__: object) -> None:
    """Refuse a target that a file does not have."""
    if source is not None and source.target is not None:
        whole = read_table_rows(
            source.train, id_column=source.id_column, ignore=source.ignore
        )
        check_column(source.target, whole.names, source.train)


def ignored_columns(source: TrainingFile) -> list[str]:
    """The columns that are not features, apart from the target."""
    return [*source.ignore, *([source.id_column] if source.id_column else [])]


def _unique_ids(
    whole: Table, id_column: str | None, console: Console | None
) -> NDArray[Any] | None:
    """The ids of rows; None, with a note on the console, or refused, if some repeat."""
    if id_column is None:
        return None
    ids = whole[id_column].cells()
    counts = Counter(ids)
    wrong = [one for one in ids if one is None or counts[one] > 1]
    if wrong and console is not None:
        console.note(
            f"note: --id {id_column}: the column {_describe_wrong(wrong[0])}, so rows "
            "are named by their place in the file, from 0."
        )
        return None
    if wrong:
        refuse_ids(id_column, wrong[0])
    return label_array(ids)


def refuse_ids(id_column: str, wrong: object) -> NoReturn:
    """Raise an error about an id that is missing (None) or occurs twice."""
    raise BadInputError(
        f"--id {id_column}: the column {_describe_wrong(wrong)}; every row needs an id "
        "of its own, also the rows of one person ('P7-1', 'P7-2'), which can be "
        "forgotten together. Choose another column, or put --ignore "
        f"{shlex.quote(id_column)} in place of it: rows are then named by their place "
        "in the file."
    )


def _describe_wrong(wrong: object) -> str:
    return "is missing in a row" if wrong is None else f"has {wrong!r} twice"


def _is_left_out(column: Column, named: bool) -> bool:
    """Whether a column is set aside; columns without names are all kept."""
    return named and column.reading is not None and column.reading.style == "aside"


def _note_ids(console: Console, table: Table) -> None:
    """Warn of columns that look like ids: they are not informative."""
    names = [column.name for column in table if names_rows(column)]
    if names:
        way = " ".join(f"--ignore {shlex.quote(name)}" for name in names)
        console.note(
            f"note: {', '.join(map(repr, names))}: nearly every cell is different, so "
            f"this looks like an id, not a feature. Leave it out with {way}."
        )


def reading_settings(id_column: str | None) -> dict[str, Any]:
    """The options for reading files; the cells of an id column are labels."""
    context = click.get_current_context(silent=True)
    settings = dict(context.meta.get(READING, {}) if context else {})
    if id_column is not None:
        settings["kinds"] = {**settings.get("kinds", {}), id_column: "nominal"}
    return settings


def read_table_rows(
    path: str,
    like: Table | None = None,
    id_column: str | None = None,
    ignore: Sequence[str] = (),
) -> Table:
    """Read a file that must have rows, its columns like those of another.

    Nothing is noted of columns that the user had ignored.
    """
    settings = reading_settings(id_column)
    aside = dict.fromkeys(set(ignore).difference([id_column]), "ignore")
    settings["kinds"] = {**aside, **settings.get("kinds", {})}
    if like is not None and like.named:  # as the other file was read
        settings["kinds"] = {} if id_column is None else {id_column: "nominal"}
        settings["like"] = like
    try:
        whole = read_table(path, **settings)
    except BadInputError:
        _explain_names(path, id_column, ignore, settings)
        raise
    if not len(whole):
        raise BadInputError(f"{path}: the file has no rows; expected at least one.")
    return whole


def _explain_names(
    path: str, id_column: str | None, ignore: Sequence[str], settings: dict[str, Any]
) -> None:
    """Refuse a column of ids, or an ignored one, that a file does not have."""
    named = [*ignore, *([] if id_column is None else [id_column])]
    if not named or path == "-":
        return
    kinds = {n: kind for n, kind in settings["kinds"].items() if n not in named}
    names = read_table(path, **{**settings, "kinds": kinds}).names
    if id_column is not None:
        check_id_column(id_column, names, path)
    for name in ignore:
        check_column(name, names, path)


def check_id_column(id_column: str, names: Collection[str], path: str) -> None:
    """Refuse an option --id that names no column of a file."""
    if id_column not in names:
        raise BadInputError(
            f"--id {id_column}: {path} has no such column."
            f"{suggest(id_column, names)} Choose another, or leave --id out."
        )


def check_folds(task: FileTask, n_folds: int) -> int:
    """The number of folds, at most the number of rows."""
    if n_folds < 2:
        raise BadInputError(f"--folds {n_folds}; expected 2 or more.")
    if len(task.target) < 2:
        raise BadInputError(
            "the file has 1 row, so there are no others to predict it from; expected "
            "2 rows or more."
        )
    return min(n_folds, len(task.target))


def _nothing_to_learn(path: str, target: str, aside: Sequence[str]) -> BadInputError:
    """The error for a file that has no features."""
    if aside:
        return BadInputError(
            f"{path}: all columns except the target {target!r} are set aside: "
            f"{list(aside)}. Keep one: kinds={{{aside[0]!r}: 'nominal'}}."
        )
    return BadInputError(
        f"{path}: there is no column except the target {target!r}; give a file that "
        "also has the columns to predict it from."
    )


def note_left_out(n_rows: int, target: str) -> str:
    """The note on rows whose target is missing."""
    many = "1 row without" if n_rows == 1 else f"{n_rows} rows without"
    return f"note: {many} {target!r} {'is' if n_rows == 1 else 'are'} left out."


def check_column(name: str, known: Collection[str], path: str) -> None:
    """Refuse a column that a file lacks, with suggestions."""
    if name not in known:
        raise BadInputError(f"{path} has no column {name!r}.{suggest(name, known)}")


def find_aim(column: Column, n_rows: int, wanted: str) -> Aim:
    """Find the kind of prediction from the distinct cells of the target."""
    if wanted != "auto":
        return Aim(cast(Kind, wanted), "set with --task")
    if column.kind == "nominal":
        return Aim("classification", f"{column.name!r} has labels")
    numbers = np.unique(column.data)
    is_whole = bool((numbers == np.round(numbers)).all())
    if is_whole and len(numbers) <= min(_MOST_CLASSES, max(2, n_rows // 5)):
        amount = "one" if len(numbers) == 1 else f"{len(numbers)} different"
        why = f"{column.name!r} has {amount} whole number{'s'[: len(numbers) - 1]}"
        return Aim("classification", why)
    style = column.reading.style if column.reading else None
    what = "dates" if style in CALENDAR else "numbers"
    return Aim("regression", f"{column.name!r} has {what}")


def _target_values(column: Column, kind: Kind) -> NDArray[Any]:
    if kind == "regression":
        return as_target(column, "numeric")
    labels = as_target(column, "nominal").cells()
    values = np.empty(len(labels), object)
    values[:] = labels
    same = len({type(label) for label in labels}) == 1
    return label_array(labels) if same else values


def match_columns(
    console: Console | None,
    test: Table,
    names: Sequence[str],
    known: Collection[str],
    path: str,
    id_column: str = "",
) -> Table:
    """The columns of these names from a test file; missing ones are an error.

    Others are left out with a note, unless they are `known`. The column that named the
    rows of the training file has a note of its own.
    """
    lacking = [name for name in names if name not in test]
    others = [n for n in test.names if n not in names and n not in known]
    if lacking:
        hints = "".join(suggest(name, others) for name in lacking[:1] if others)
        raise BadInputError(
            f"{path} lacks {pluralize(len(lacking), 'column')} of the training file: "
            f"{', '.join(map(repr, lacking))}.{hints} To train without one, give "
            f"--ignore {shlex.quote(lacking[0])}."
        )
    if id_column in others:
        others.remove(id_column)
        if console is not None:
            console.note(
                f"note: {path} has {id_column!r}, which names the rows of the model; "
                f"--id {shlex.quote(id_column)} has predictions named by it."
            )
    if others and console is not None:
        console.note(
            f"note: {path} has columns that are not in the training file; they are "
            f"left out: {', '.join(map(repr, others))}."
        )
    return test.select(names)


def count_repeated(columns: Sequence[Column]) -> int:
    """How many rows are equal to an earlier one."""
    cells = [np.unique(column.data, return_inverse=True)[1] for column in columns]
    return len(cells[0]) - len(np.unique(np.stack(cells, axis=1), axis=0))
