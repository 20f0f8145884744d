"""Targets: whatever a caller has becomes labels, or numbers to predict."""

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError, BadTypeError, NotNumericError, warn_once
from sklazy.tables.advice import drop_columns
from sklazy.tables.arrays import as_matrix, from_matrix
from sklazy.tables.convert import plain_table
from sklazy.tables.dates import find_dates
from sklazy.tables.frames import as_frame, from_series, is_series, is_text_series
from sklazy.tables.labels import encode, to_nominal
from sklazy.tables.numbers import to_numeric
from sklazy.tables.reading import CALENDAR
from sklazy.tables.table import Column, Kind, Table
from sklazy.tables.understand import understand_column, warn_of_notes

Array = NDArray[Any]

_SHOWN = 5  # rows named in a message


@overload
def as_target(y: object, kind: Literal["nominal"]) -> Column: ...
@overload
def as_target(y: object, kind: Literal["numeric"]) -> NDArray[np.float64]: ...
def as_target(y: object, kind: Kind) -> Column | NDArray[np.float64]:
    """Make a target of labels or of numbers; a missing one is refused.

    Parameters
    ----------
    y : array-like of shape (n_rows,), or (n_rows, n_targets) for numbers
    kind : {"nominal", "numeric"}

    Returns
    -------
    target : Column (nominal), or float64 array of the shape of y (numeric)
        Declared categories are kept even where no row has them; `Column.occurring`
        leaves those out.

    Examples
    --------
    >>> as_target(["yes", "no", "yes"], "nominal").data
    array([1, 0, 1], dtype=int32)
    >>> as_target([1, 2.5], "numeric")
    array([1. , 2.5])
    """
    if y is None:
        raise BadInputError(
            "This estimator requires y to be passed, but the target y is None."
        )
    try:
        columns, is_flat = _target_columns(y, kind)
    except NotNumericError as error:
        raise _words_to_predict(error) from None
    missing = np.flatnonzero(np.any([column.missing for column in columns], axis=0))
    if len(missing):
        raise _missing_labels(missing)
    if kind == "numeric":
        values = np.stack([_numbers_of(column) for column in columns], axis=1)
        return values[:, 0] if is_flat else values
    if len(columns) > 1:
        raise BadInputError(
            f"y should be a 1d array, got an array of {len(columns)} columns instead. "
            "Give one label per row."
        )
    return to_nominal(columns[0])


def read_amounts(y: object) -> object:
    """Amounts as numbers, with a note; anything else as it is.

    It is read as the target of a file is: all amounts of one unit, in one way.

    Examples
    --------
    >>> read_amounts([1, 2])
    [1, 2]
    """
    if isinstance(y, Column):
        column = y
    elif is_text_series(y):
        name = str(getattr(y, "name", None) or "y")
        column = from_series(name, y, nominal=True)
    elif isinstance(y, list | tuple | np.ndarray) and _are_texts(y):
        column = encode("y", list(y))
    else:
        return y
    notes: list[str] = []
    column = understand_column(column, None, notes)
    if column.reading is None or column.reading.style != "amount":
        return y
    warn_of_notes(notes, "y", "If this is wrong, give y as numbers.")
    return column


def _are_texts(y: list[object] | tuple[object, ...] | Array) -> bool:
    """Whether the first cell is a text with digits."""
    is_flat = not isinstance(y, np.ndarray) or y.ndim == 1
    first = y[0] if is_flat and len(y) else None
    return isinstance(first, str) and any(map(str.isdigit, first))


def warn_of_pairs(X: object, y: object) -> None:
    """Warn of features and a target that hardly belong together as they are."""
    _warn_of_order(X, y)
    _warn_of_leak(X, y)


def _warn_of_order(X: object, y: object) -> None:
    """Warn of rows of pandas that are named alike, but in another order."""
    names: Any = getattr(X, "index", None)
    others: Any = getattr(y, "index", None)
    if not (hasattr(names, "equals") and hasattr(others, "equals")):
        return
    is_other = len(names) == len(others) and not names.equals(others)
    if is_other and others.is_unique and len(names.difference(others)) == 0:
        warn_once(
            "X and y name the same rows in another order, and are matched by their "
            "places; y.loc[X.index] has the order of X."
        )


def _warn_of_leak(X: Any, y: Any) -> None:  # noqa: ANN401
    """Warn of a frame of features that has the target for one of its columns."""
    name = getattr(y, "name", None)
    columns = getattr(X, "columns", ())
    if not isinstance(name, str) or callable(columns) or name not in columns:
        return
    if np.array_equal(np.asarray(X[name], object), np.asarray(y, object)):
        warn_once(
            f"X has the target {name!r} as a column, from which all is known: fit(X, "
            f"{name!r}) leaves it out, as {drop_columns(X, [name])} does."
        )


def _target_columns(y: object, kind: Kind) -> tuple[list[Column], bool]:
    """The columns of a target, and whether it is one-dimensional."""
    if isinstance(y, Column):
        return [y], True
    if is_series(y):
        return [from_series("y", y, nominal=kind == "nominal")], True
    frame = y if isinstance(y, Table) else as_frame(y)
    if frame is not None:
        mask = [kind == "nominal"] * frame.shape[1]
        return list(plain_table(y, categorical_features=mask)), False
    values = np.asarray(y, object) if isinstance(y, list | tuple) else np.asarray(y)
    matrix = as_matrix(values[:, np.newaxis] if values.ndim == 1 else values)
    names = [f"y{j}" for j in range(matrix.shape[1])] if values.ndim > 1 else ["y"]
    columns = from_matrix(matrix, names, [kind == "nominal"] * len(names), "y")
    return columns, values.ndim == 1


def _numbers_of(column: Column) -> NDArray[np.float64]:
    _warn_of_dates(column)
    try:
        return to_numeric(column).data
    except NotNumericError as error:
        raise _words_to_predict(error) from None


def _warn_of_dates(column: Column) -> None:
    """Tell in what dates, times and durations are predicted."""
    style = column.reading.style if column.reading else "amount"
    if style in CALENDAR:
        warn_once(
            f"the target {column.name!r} holds dates: what is predicted is a number, "
            "the days since 1970-01-01, which pandas.to_datetime(predictions, unit='D')"
            " makes dates of."
        )
    elif style in ("time", "duration"):
        unit = "days" if style == "duration" else "hours since midnight"
        warn_once(f"the target {column.name!r} is predicted as numbers: {unit}.")


def _words_to_predict(error: NotNumericError) -> BadTypeError:
    """The error for strings as numbers to predict, with what may be meant by them."""
    what = f"y holds the string {error.word!r}, {error.where}, but a regressor predicts"
    dates, unsure = find_dates([error.word.strip()], None)
    if dates is not None or unsure:
        is_first = unsure or dates is None or dates.form == "day-first"
        order = ", dayfirst=True" if is_first else ""
        return BadTypeError(
            f"{what} numbers. If y holds dates, count the days from one: "
            f"(pandas.to_datetime(pandas.Series(y){order}) - "
            "pandas.Timestamp('2000-01-01')).dt.days."
        )
    has_digits = any(letter.isdigit() for letter in error.word)
    digits = "pandas.Series(y).str.replace(r'[^0-9.-]', '', regex=True)"
    cells = digits if has_digits else "y"
    return BadTypeError(
        f"{what} numbers. If y holds classes, use a classifier; if it holds numbers "
        f"written as text, convert them, for example by pandas.to_numeric({cells})."
    )


def _missing_labels(rows: NDArray[np.intp]) -> BadInputError:
    shown = ", ".join(map(str, rows[:_SHOWN]))
    more = ", ..." if len(rows) > _SHOWN else ""
    return BadInputError(
        f"Input y contains NaN: {len(rows)} missing label(s), in row(s) {shown}{more} "
        "(counted from 0). Drop those rows, or give them labels."
    )
