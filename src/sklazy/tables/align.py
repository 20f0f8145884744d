"""Queries in the terms of the cases: same columns, same kinds, same codes.

Strings, bools and numbers do not meet in one column: which of them it holds decides its
kind wherever no dtype does. If they could meet, the kind would depend on which rows
came first, and on how many at a time.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from sklazy.errors import BadInputError, BadTypeError
from sklazy.tables.cells import find_spelling
from sklazy.tables.labels import label_of, recode, to_nominal, with_labels
from sklazy.tables.limits import (
    fits_numbers,
    has_limits_beside_numbers,
    is_number_or_limit,
    read_numbers,
)
from sklazy.tables.numbers import to_numeric
from sklazy.tables.table import Column, Label, Table

_BOOLS = {bool, np.bool_}


def align(table: Table, like: Table) -> Table:
    """Return the table with the columns, order, kinds and categories of another.

    Columns are matched by name, or by position where one of the tables has no names
    of its own. A label that the other table's categories lack gets the code `UNSEEN`;
    an all-missing column fits any kind; numbers fit a nominal column whose labels
    are numbers, and labels that are numbers fit a numeric column.

    Parameters
    ----------
    table : Table of n_rows rows
    like : Table
        Its rows do not matter; it may have none.

    Returns
    -------
    aligned : Table of n_rows rows

    Examples
    --------
    >>> cases = Table.from_any([[1.0, "red"], [2.0, "blue"]])
    >>> queries = Table.from_any([[1.5, "green"], [None, "blue"]])
    >>> align(queries, cases)["x1"].data
    array([-2,  0], dtype=int32)
    """
    matched = match(table, like)
    columns = [
        _recoded(column, model) for column, model in zip(matched, like, strict=True)
    ]
    return Table(tuple(columns), table.n_rows, like.named)


def match(table: Table, like: Table, unsettled: Collection[str] = ()) -> Table:
    """Return the table with the columns, order and kinds of another.

    Like `align`, but nominal columns keep categories of their own, and the columns of
    the other table that are named as unsettled take any kind.
    """
    columns = [
        column.renamed(model.name) if model.name in unsettled else _fit(column, model)
        for column, model in zip(matched_columns(table, like), like, strict=True)
    ]
    return Table(tuple(columns), table.n_rows, like.named)


def _recoded(column: Column, model: Column) -> Column:
    if model.kind == "numeric":
        return column
    codes = recode(column, model.categories)
    return Column(model.name, "nominal", codes, model.categories, model.declared)


def matched_columns(table: Table, like: Table) -> Iterable[Column]:
    """The columns of a table, in the order of another."""
    if not (table.named and like.named):
        if len(table.columns) != len(like.columns):
            raise BadInputError(
                f"X has {len(table.columns)} features, but {len(like.columns)} are "
                "expected: the columns the cases have, in their order."
            )
        return table
    absent = [name for name in like.names if name not in table]
    extra = [name for name in table.names if name not in like]
    if absent or extra:
        wrong = {"missing": absent, "not known": extra}
        listed = ", ".join(f"{what} {names}" for what, names in wrong.items() if names)
        raise BadInputError(
            "The feature names should match those of the cases: "
            f"{listed}. Rename, add or drop columns; a cell "
            "that is not known is None."
        )
    return table.select(like.names)


def _fit(column: Column, model: Column) -> Column:
    """One column with the name and kind of its model."""
    if model.kind == "numeric":
        no_values = np.full(len(column), np.nan)
        known = read_numbers(column)
        data = no_values if column.missing.all() else to_numeric(known, later=True).data
        return Column(model.name, "numeric", data)
    if column.kind == "numeric" and not _takes_numbers(column, model):
        row = int((~column.missing).argmax())
        raise BadTypeError(
            f"column {model.name!r} is nominal with strings such as "
            f"{model.categories[0]!r}, but row {row} (counted from 0) holds the number "
            f"{column.data[row]:g}. Give strings, or fit the cases with numbers."
        )
    return _spelled_like(to_nominal(column), model).renamed(model.name)


def _spelled_like(column: Column, model: Column) -> Column:
    """A column with true and false as its model writes them, as words or as bools."""
    spelled = find_spelling(model.categories)
    if spelled is not None and _has_bools(column):
        words = {True: spelled[0], False: spelled[1]}
        labels = [words[l] if isinstance(l, bool) else l for l in column.categories]
        return with_labels(column, labels)
    if _has_bools(model):
        meant = {"true": True, "false": False}
        texts = [str(label).casefold() for label in column.categories]
        pairs = zip(texts, column.categories, strict=True)
        return with_labels(column, [meant.get(text, label) for text, label in pairs])
    return column


def _has_bools(column: Column) -> bool:
    """Whether bools are among the labels; numbers come first, and bools are two."""
    return any(isinstance(label, bool) for label in column.categories[:2])


def _takes_numbers(column: Column, model: Column) -> bool:
    are_words = [isinstance(label, str) for label in model.categories]
    return not are_words or not all(are_words) or column.is_blank


def check_unmixed(
    columns: Sequence[Column],
    objects: Sequence[Sequence[Any]],
    *,
    limits: bool = False,
) -> None:
    """Refuse columns that hold more than one of strings, bools and numbers.

    Declared categories may be of any kind. `objects` has the cells that columns were
    made of, none where a dtype settles the kind. With `limits`, those and marks may
    stand beside numbers: they are still to be read.
    """
    for column, cells in zip(columns, objects, strict=True):
        if column.kind == "numeric" and not _BOOLS.isdisjoint(map(type, cells)):
            raise _mixture(column.name, _bools_and_numbers(cells))
        if limits and has_limits_beside_numbers(column):
            continue
        examples = _examples(column)
        if len(examples) > 1 and not column.declared:
            raise _mixture(column.name, examples)


def check_same_kind(table: Table, like: Table, unsettled: Collection[str]) -> None:
    """Refuse rows whose columns hold something else than those of another table.

    The categories of `like` count, not its rows; its `unsettled` columns have no value.
    """
    for column, model in zip(matched_columns(table, like), like, strict=True):
        if model.name in unsettled:
            check_unmixed([column], [[]])
        if model.declared or model.name in unsettled:
            continue
        known = (
            {"numbers": None} if model.kind == "numeric" else _first(model.categories)
        )
        is_number = model.kind == "numeric" and fits_numbers(column)
        examples = known | ({} if is_number else _examples(column))
        if len(examples) > 1 and model.kind == "numeric":
            raise _later_words(column, model.name)
        if len(examples) > 1:
            raise _mixture(model.name, examples)


def _later_words(column: Column, name: str) -> BadTypeError:
    """The error for labels of later rows where the cases have numbers."""
    labels = column.used_labels()
    if any(isinstance(label, bool) for label in labels):
        return _mixture(name, {"numbers": None, **_first(labels)})
    texts = [label for label in labels if isinstance(label, str)]
    odd = [text for text in texts if not is_number_or_limit(text.strip())]
    held = (
        f"column {name!r} holds numbers and strings such as {(odd or texts)[0]!r}, "
        "since the other rows have numbers there."
    )
    if odd:
        return BadTypeError(
            f"{held} Write a number in its place, or leave it missing (None)."
        )
    return BadTypeError(
        f"{held} If they are numbers, give "
        f"X.assign(**{{{name!r}: pandas.to_numeric(X[{name!r}])}})."
    )


def _examples(column: Column) -> dict[str, Label | None]:
    """Types of values that a column holds, with an example of each."""
    if column.kind == "nominal":
        return _first(column.used_labels())
    known = ~column.missing
    return {"numbers": float(column.data[known.argmax()])} if known.any() else {}


def _first(labels: Sequence[Label]) -> dict[str, Label | None]:
    firsts: dict[str, Label | None] = {}
    for label in labels:
        firsts.setdefault(_family(label), label)
    return firsts


def _family(label: object) -> str:
    if isinstance(label, str):
        return "strings"
    return "bools" if isinstance(label, bool | np.bool_) else "numbers"


def _bools_and_numbers(cells: Sequence[Any]) -> dict[str, Label | None]:
    known = [cell for cell in cells if label_of(cell) is not None]
    return {_family(cell): label_of(cell) for cell in reversed(known)}


def _mixture(name: str, examples: dict[str, Label | None]) -> BadTypeError:
    shown = " and ".join(
        family if label is None else f"{family} such as {label!r}"
        for family, label in examples.items()
    )
    return BadTypeError(
        f"column {name!r} holds {shown}, but its kind follows from its cells, which "
        "must be strings, bools or numbers alone. Convert them, or take all of them "
        f"as labels: categorical_features={{{name!r}: 'nominal'}}."
    )
