"""The door: whatever a caller has becomes a table or a target."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError, BadTypeError
from sklazy.tables.align import check_unmixed
from sklazy.tables.arrays import are_dicts, as_matrix, from_dicts, from_matrix
from sklazy.tables.frames import (
    Frame,
    as_frame,
    frame_names,
    from_frame,
    object_cells,
)
from sklazy.tables.labels import to_nominal
from sklazy.tables.limits import clear_marks
from sklazy.tables.numbers import to_numeric
from sklazy.tables.origins import describe_columns, read_as
from sklazy.tables.table import Column, Table, Wish
from sklazy.tables.understand import (
    check_wishes,
    remark_on_numbers,
    understand_table,
    warn_of_notes,
)

RowsLike = Table | Frame | NDArray[Any]

_SHOWN = 5  # rows named in a message


def as_table(
    X: object,
    *,
    categorical_features: object = "from_dtype",
    kinds: Mapping[str, Wish] | None = None,
    feature_names: Sequence[str] | None = None,
    allow_empty: bool = False,
    mixed: bool = True,
    like: Table | None = None,
) -> Table:
    """Make one typed table of whatever holds rows and columns.

    Parameters
    ----------
    X : Table, frame or array-like of shape (n_rows, n_columns)
        A frame of pandas or polars, an Arrow table, a numpy array, a list of rows, each
        a list or a dict; a dict alone is one row.
        None, NaN, NA and NaT are missing; an all-missing column is allowed and
        carries no information. Its kind is open to those who keep rows: the first
        value that is added settles it.
    categorical_features : "from_dtype", None, or array-like
        Which columns are nominal. By dtype: category, enum, string and bool columns;
        columns of objects are nominal unless all their cells are numbers. Names,
        indices or a boolean mask decide alone: every other column is taken as
        numbers (bools as 0 and 1). None: no column is nominal. A mapping is taken as
        `kinds`.
    kinds : mapping of name to str, optional
        What columns are, whatever they look like: "numeric", "nominal", "date",
        "day-first", "month-first", "decimal-point", "decimal-comma", "at-limit" or
        "ignore".
        Otherwise dates and times are numbers, and strings are labels unless all are
        dates, amounts (money, percentages, numbers with a unit or with separators) or
        yes and no. Strings that are nearly all different, ids and free text, are marked
        to be left out by what learns from the table. One `DataWarning` lists all of it.
    feature_names : sequence of str, optional
        The columns' names; otherwise those of the frame, or x0, x1, ...
    allow_empty : bool, default=False
        Whether no rows or no columns will do.
    mixed : bool, default=True
        Whether a column that is judged by its cells may hold strings beside numbers
        (labels then) and bools beside other numbers (numbers then); else refused.
    like : Table, optional
        Rows read before, whose columns these are: cells are read as theirs were, and a
        cell that cannot be is refused.

    Returns
    -------
    table : Table
        It shares no memory with X.

    Examples
    --------
    >>> table = as_table([[1.5, "red"], [None, "blue"]])
    >>> table.kinds, table["x1"].categories
    (['numeric', 'nominal'], ('blue', 'red'))
    >>> as_table([["12 %"], ["7.5 %"]], kinds={"x0": "numeric"})["x0"].data
    array([12. ,  7.5])
    """
    table = plain_table(
        X,
        categorical_features=categorical_features if kinds is None else kinds,
        feature_names=feature_names,
        allow_empty=allow_empty,
        mixed=mixed,
    )
    if like is not None:
        return read_as(table, describe_columns(like))
    wishes = _wishes(categorical_features if kinds is None else kinds)
    if wishes is None or (isinstance(X, Table) and not wishes):
        return table
    notes: list[str] = []
    understood = understand_table(table, wishes, notes)
    if wishes == {} and not mixed:
        check_unmixed(tuple(understood), [[] for _ in understood])
    notes += remark_on_numbers(understood, wishes)
    warn_of_notes(notes, "X")
    return understood


def plain_table(
    X: object,
    *,
    categorical_features: object = "from_dtype",
    feature_names: Sequence[str] | None = None,
    allow_empty: bool = False,
    mixed: bool = True,
    later: bool = False,
) -> Table:
    """Make a table as `as_table` does, with strings always as labels.

    Of `later` rows, text where the cases have numbers is still to be read.
    """
    if _is_sparse(X):
        raise BadTypeError(
            "Sparse data was passed for X, but dense data is required. Use "
            "'.toarray()' to convert to a dense numpy array; in a pipeline, let the "
            "encoder give one: OneHotEncoder(sparse_output=False)."
        )
    if are_dicts(X):
        X, names = from_dicts(X)
        feature_names = names if feature_names is None else feature_names
    source = _source(X)
    if not allow_empty:
        _check_not_empty(*source.shape)
    names, named = _names(source, feature_names)
    nominal = _mask(categorical_features, names)
    if later and nominal is not None:
        nominal = [is_nominal or None for is_nominal in nominal]
    columns = _columns(source, names, nominal)
    if nominal is None and not mixed:
        columns = list(map(clear_marks, columns))
        are_read = isinstance(source, Table)
        check_unmixed(columns, _object_cells(source), limits=not are_read)
    return Table(tuple(columns), source.shape[0], named)


def _is_sparse(X: object) -> bool:
    """Whether X is a sparse matrix; it is none where nobody has imported these."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and sparse.issparse(X)


def _source(X: object) -> RowsLike:
    frame = X if isinstance(X, Table) else as_frame(X)
    return as_matrix(X) if frame is None else frame


def _object_cells(source: RowsLike) -> list[list[Any]]:
    """The cells of columns of objects; none of columns with another dtype."""
    if isinstance(source, np.ndarray) and source.dtype == object:
        return source.T.tolist()
    if isinstance(source, np.ndarray | Table):
        return [[] for _ in range(source.shape[1])]
    return object_cells(source)


def _columns(
    source: RowsLike, names: Sequence[str], nominal: Sequence[bool | None] | None
) -> list[Column]:
    if isinstance(source, np.ndarray):
        return from_matrix(source, names, nominal)
    if not isinstance(source, Table):
        return from_frame(source, names, nominal)
    columns = [column.renamed(name) for column, name in zip(source, names, strict=True)]
    if nominal is None:
        return columns
    return [
        _of_kind(column, wanted)
        for column, wanted in zip(columns, nominal, strict=True)
    ]


def _of_kind(column: Column, nominal: bool | None) -> Column:
    if nominal is None:
        return column
    return to_nominal(column) if nominal else to_numeric(column)


def _check_not_empty(n_rows: int, n_columns: int) -> None:
    for count, what, word in (
        (n_rows, "sample", "row"),
        (n_columns, "feature", "column"),
    ):
        if not count:
            raise BadInputError(
                f"Found array with 0 {what}(s) (shape=({n_rows}, {n_columns})) while a "
                f"minimum of 1 is required. Give at least one {word}."
            )


def _names(
    source: RowsLike, feature_names: Sequence[str] | None
) -> tuple[list[str], bool]:
    """The columns' names and whether they were given rather than made up."""
    n_columns = source.shape[1]
    if feature_names is not None:
        names = list(feature_names)
        if len(names) != n_columns or not all(isinstance(n, str) for n in names):
            raise BadInputError(
                f"feature_names={names!r}; expected {n_columns} strings, one for each "
                "column of X."
            )
        return names, True
    if isinstance(source, Table):
        return source.names, source.named
    if isinstance(source, np.ndarray):
        return [f"x{j}" for j in range(n_columns)], False
    return frame_names(source)


def _wishes(wanted: object) -> dict[str, Wish] | None:
    """The kinds wished for columns by name; None where kinds are settled otherwise."""
    if isinstance(wanted, str) and wanted == "from_dtype":
        return {}
    return dict(wanted) if isinstance(wanted, Mapping) else None


def _mask(wanted: object, names: Sequence[str]) -> Sequence[bool | None] | None:
    """Which columns are to be nominal; None leaves it to their dtypes."""
    if isinstance(wanted, str) and wanted == "from_dtype":
        return None
    if isinstance(wanted, Mapping):
        check_wishes(wanted, names)
        return [True if wanted.get(name) == "nominal" else None for name in names]
    entries = np.asarray([] if wanted is None else wanted)
    if entries.ndim != 1:
        raise _bad_features(
            wanted,
            "'from_dtype', or a list of names, indices or a mask"
            + (f": [{wanted!r}]" if isinstance(wanted, str) else ""),
        )
    if entries.dtype == bool:
        if len(entries) != len(names):
            raise _bad_features(wanted, f"a mask of {len(names)} entries")
        return entries.tolist()
    positions = {name: j for j, name in enumerate(names)}
    if entries.dtype.kind in "iu":
        positions = {j: j for j in range(len(names))}  # type: ignore[misc]
    # Names of a list may end in NULs, those of an array cannot.
    chosen = list(wanted) if isinstance(wanted, list | tuple) else entries.tolist()
    unknown = [entry for entry in chosen if entry not in positions]
    if unknown:
        raise _bad_features(
            unknown, f"names among {list(names)} or indices 0 to {len(names) - 1}"
        )
    places = {positions[entry] for entry in chosen}
    return [j in places for j in range(len(names))]


def _bad_features(value: object, expected: str) -> BadInputError:
    return BadInputError(f"categorical_features={value!r}; expected {expected}.")
