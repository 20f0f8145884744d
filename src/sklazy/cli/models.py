"""Fitted models: learned from a file now, or read from one that `sklazy fit` wrote."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sklazy import load
from sklazy.casebase.files import MAGIC
from sklazy.cli.console import Console
from sklazy.cli.methods import make_model
from sklazy.cli.tasks import Task, match_columns, read_rows
from sklazy.errors import BadInputError
from sklazy.receipts.plain import target_names
from sklazy.tables import Table
from sklazy.tables.origins import Origin, empty_table

_MAPPED_FROM = 1 << 30  # bytes of a file from which on its rows stay there


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model and the columns of the files it can be asked about.

    Attributes
    ----------
    model : fitted estimator
    method : str
        What it is called.
    target : str
        The column it predicts.
    classifies : bool
    names : list of str
        The columns it learned from.
    like : Table
        How columns are to be read; its rows do not matter.
    """

    model: Any
    method: str
    target: str
    classifies: bool
    names: Sequence[str]
    like: Table

    @property
    def kind(self) -> str:
        """What is predicted."""
        return "classification" if self.classifies else "regression"

    def read(self, console: Console, path: str, id_column: str | None) -> "Asked":
        """Read a file of queries."""
        whole = read_rows(path, self.like, id_column)
        if id_column is not None and id_column not in whole:
            raise BadInputError(f"{path} has no column {id_column!r}, given with --id.")
        ids = None if id_column is None else whole[id_column].cells()
        if not (whole.named and self.like.named):
            return Asked(whole, whole, ids)  # matched by position
        known = {*self.like.names, self.target, id_column or self.target}
        rows = match_columns(console, whole, self.names, known, path)
        return Asked(whole, rows, ids)


@dataclass(frozen=True, eq=False)
class Asked:
    """Rows of a file that a model is asked about.

    Attributes
    ----------
    whole : Table
        All columns of the file.
    rows : Table
        Those that the model learned from.
    ids : list, or None
        The rows' names, where a column has them.
    """

    whole: Table
    rows: Table
    ids: list[Any] | None

    @property
    def names(self) -> list[Any]:
        """What rows are called: their names, or their places in the file."""
        return list(range(len(self.whole))) if self.ids is None else self.ids

    def first(self, n_rows: int | None) -> "Asked":
        """The first rows alone; all, where no number is given."""
        if n_rows is None or n_rows >= len(self.rows):
            return self
        few = range(n_rows)
        ids = None if self.ids is None else self.ids[:n_rows]
        return Asked(self.whole.take(few), self.rows.take(few), ids)


def fit_task(task: Task, method: str, settings: Sequence[str], seed: int) -> Fitted:
    """Learn from a task."""
    model = make_model(task, method, settings, seed)
    if hasattr(model, "explain"):
        model.fit(task.table, task.named_target(), ids=task.names)
    else:
        model.fit(task.table, task.target)
    names = task.table.names
    return Fitted(model, method, task.name, task.classifies, names, task.like)


def is_model(path: str) -> bool:
    """Whether a file holds a model."""
    if path == "-":
        return False
    with open(path, "rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def load_model(path: str, **training: object) -> Fitted:
    """Read a model; options that only learning has are refused."""
    given = [
        name for name, value in training.items() if value not in (None, (), "auto")
    ]
    if given:
        raise BadInputError(
            f"{path} is a model, which has its own settings; --{given[0]} is for a "
            "file of rows. Leave it out, or fit a new model."
        )
    is_large = os.stat(path).st_size > _MAPPED_FROM
    model = load(path, mmap_mode="c" if is_large else None)
    schema = model.cases_.schema
    origins = schema.origins or [
        Origin(a.name, a.kind, None) for a in schema.attributes
    ]
    like = empty_table(origins, schema.named)
    target = target_names(model.cases_)[0]
    classifies = bool(model.cases_.class_labels)
    kept = [o.name for o in origins if o.reading is None or o.reading.style != "aside"]
    return Fitted(model, type(model).__name__, target, classifies, kept, like)
