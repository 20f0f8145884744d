"""Models by their options: fitted to a file now, or read from `sklazy fit`'s file."""

import ast
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sklazy import load
from sklazy.cli.console import Console
from sklazy.cli.methods import (
    CLASSIFIERS,
    LAZY_CLASSIFIERS,
    LAZY_REGRESSORS,
    REGRESSORS,
    Make,
)
from sklazy.cli.options import AUTO, MethodChoice, TrainingFile
from sklazy.cli.tasks import (
    Aim,
    FileTask,
    check_id_column,
    match_columns,
    read_table_rows,
    reading_settings,
)
from sklazy.errors import BadInputError, suggest
from sklazy.estimators.encoded import EncodedModel
from sklazy.estimators.keeping import find_id_column
from sklazy.methods.plain import target_names
from sklazy.storage.files import MAGIC
from sklazy.storage.folders import is_folder
from sklazy.tables import Table
from sklazy.tables.labels import encode
from sklazy.tables.table import Column
from sklazy.tables.taking import list_ids

_MAPPED_FROM = 1 << 30  # bytes of a model file from which on its rows are not loaded


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A model and the columns of the files that it can predict.

    Attributes
    ----------
    model : fitted estimator
    method : str
    target : str
        The column it predicts.
    classifies : bool
    names : list of str
        Its features.
    like : Table
        How columns are read; its rows do not matter.
    """

    model: Any
    method: str
    target: str
    classifies: bool
    names: Sequence[str]
    like: Table

    @property
    def kind(self) -> str:
        """Kind of the target: classification or regression."""
        return "classification" if self.classifies else "regression"

    def read(self, console: Console, path: str, id_column: str | None) -> "QueryRows":
        """Read a file of rows to predict."""
        whole = read_table_rows(path, self.like, id_column)
        return self.match(console, whole, path, id_column)

    def match(
        self, console: Console | None, whole: Table, path: str, id_column: str | None
    ) -> "QueryRows":
        """Find the features and ids among the columns of rows to predict.

        Columns that are left out are noted on the console, if one is given.
        """
        if id_column is not None:
            check_id_column(id_column, whole.names, path)
        ids = None if id_column is None else list_ids(whole, id_column)
        if not (whole.named and self.like.named):
            return QueryRows(whole, whole, ids)  # matched by position
        known = {*self.like.names, self.target, id_column or self.target}
        named_by = find_id_column(self.model)
        rows = match_columns(console, whole, self.names, known, path, named_by)
        return QueryRows(whole, rows, ids)


@dataclass(frozen=True, eq=False)
class QueryRows:
    """Rows of a file to predict.

    Attributes
    ----------
    whole : Table
        All columns of the file.
    rows : Table
        The features.
    ids : list, or None
        The cells of the column of ``--id``.
    """

    whole: Table
    rows: Table
    ids: list[Any] | None

    @property
    def names(self) -> list[Any]:
        """The ids of the rows, or their positions in the file."""
        return list(range(len(self.whole))) if self.ids is None else self.ids

    def first(self, n_rows: int | None) -> "QueryRows":
        """The first rows; all if `n_rows` is None."""
        if n_rows is None or n_rows >= len(self.rows):
            return self
        few = range(n_rows)
        ids = None if self.ids is None else self.ids[:n_rows]
        return QueryRows(self.whole.take(few), self.rows.take(few), ids)


def choose_method(choice: MethodChoice) -> MethodChoice:
    """Replace ``auto`` by the most accurate method."""
    return choice._replace(method="blend") if choice.method == AUTO else choice


def lazy_methods(task: FileTask | Aim) -> dict[str, Make]:
    """The lazy methods for a task, by name."""
    return LAZY_CLASSIFIERS if task.classifies else LAZY_REGRESSORS


def check_storable(task: FileTask | Aim, method: str) -> None:
    """Refuse a method whose models cannot be written to a file."""
    storable = [name for name in lazy_methods(task) if name != "racsam"]
    if method not in storable:
        raise BadInputError(
            f"--method {method} cannot be written to a file for {task.kind} "
            f"({task.why}); choose one of {', '.join(storable)}."
        )


def _suggest_parameter(name: str, model: Any) -> str:  # noqa: ANN401
    """The end of a message: the parameter that may be meant, else all there are."""
    known = [one for one in model.get_params() if "__" not in one]
    hint = suggest(name, known)
    return hint if "mean" in hint else f" There are: {', '.join(map(repr, known))}."


def make_model(task: FileTask | Aim, choice: MethodChoice) -> Any:  # noqa: ANN401
    """A new estimator with its parameters set."""
    known = CLASSIFIERS if task.classifies else REGRESSORS
    method = choice.method
    if method not in known:
        raise BadInputError(
            f"--method {method} is not for {task.kind} ({task.why}); choose one of "
            f"{', '.join(known)}, or set --task."
        )
    model = known[method](choice.seed)
    inner = model.model if isinstance(model, EncodedModel) else model
    for setting in choice.settings:
        name, sign, value = setting.partition("=")
        if not sign:
            raise BadInputError(f"--set {setting!r}; expected NAME=VALUE.")
        if name not in inner.get_params():
            raise BadInputError(
                f"{method} has no parameter {name!r}.{_suggest_parameter(name, inner)}"
            )
        inner.set_params(**{name: _parse_value(value)})
    return model


def _parse_value(text: str) -> object:
    """A Python literal, or else the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def fit_task(task: FileTask, choice: MethodChoice) -> FittedModel:
    """Fit a new model to a task."""
    model = make_model(task, choice)
    if hasattr(model, "explain"):
        table, target, ids = _with_ids(task)
        model.fit(table, target, ids=ids)
    else:
        model.fit(task.table, task.target)
    names = task.table.names
    return FittedModel(
        model, choice.method, task.name, task.classifies, names, task.like
    )


def _with_ids(task: FileTask) -> tuple[Table, Column, Any]:
    """Return table, target and ids to fit; the model knows the column of ids, too."""
    table, target = task.table, task.target_column()
    if task.ids is None or task.id_column is None or task.id_column in table:
        return table, target, task.names
    names = encode(task.id_column, task.names)
    whole = Table((*table.columns, names), table.n_rows, table.named)
    return whole, target, task.id_column


def check_lazy(fitted: FittedModel, attribute: str, lack: str) -> None:
    """Refuse a method that lacks what a command needs."""
    if not hasattr(fitted.model, attribute):
        raise BadInputError(
            f"--method {fitted.method} has no {lack}; choose a lazy method, such as "
            "blend or lazy-knn."
        )


def is_model(path: str) -> bool:
    """Whether a file holds a model."""
    if not os.path.isfile(path):
        return is_folder(path)
    with open(path, "rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def load_model(source: TrainingFile, choice: MethodChoice | None = None) -> FittedModel:
    """Read a model; options that are only for training are refused."""
    training: dict[str, object] = {"ignore": source.ignore, "task": source.kind}
    if choice is None:
        training["target"] = source.target
    else:
        training |= {"method": choice.method, "set": choice.settings}
    for name, value in training.items():
        if value not in (None, (), AUTO):
            raise BadInputError(
                f"--{name} is for training, and {source.train} is a model that was "
                f"fitted before. Leave --{name} out, or fit a new model."
            )
    is_large = is_folder(source.train) or os.stat(source.train).st_size > _MAPPED_FROM
    model = load(source.train, mmap_mode="c" if is_large else None)
    schema = model.cases_.schema
    like = schema.user_table(model.cases_.coder.vocabularies)
    target = target_names(model.cases_)[0]
    classifies = bool(model.cases_.class_labels)
    kept = [c.name for c in like if c.reading is None or c.reading.style != "aside"]
    _refuse_kinds(like, source.train)
    return FittedModel(model, type(model).__name__, target, classifies, kept, like)


def _refuse_kinds(like: Table, path: str) -> None:
    """Refuse to set the kind of a column that a model has learned from."""
    kinds = reading_settings(None).get("kinds", {})
    for name, kind in kinds.items():
        if like.named and name in like:
            raise BadInputError(
                f"--kind {name}={kind} is for training: {path} reads {name!r} as its "
                "rows were read. Leave --kind out, or fit a new model with it."
            )
