"""Frames of pandas, polars and Arrow to columns, through narwhals."""

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError, BadTypeError
from sklazy.flow import MISSING
from sklazy.tables.advice import convert_column
from sklazy.tables.arrays import numbers_if_all
from sklazy.tables.labels import encode
from sklazy.tables.numbers import check_exact, numeric_column, to_numeric
from sklazy.tables.reading import Reading
from sklazy.tables.table import Column, Table
from sklazy.tables.times import (
    from_durations,
    from_microseconds,
    from_objects,
    time_labels,
)

Frame = nw.DataFrame[Any]
Series = nw.Series[Any]

END_OF_IDS = 2**62
"""Integers from here on name no rows."""

_TIMES = (nw.Date, nw.Datetime, nw.Time)
_WORDS = (nw.String, nw.Boolean, nw.Categorical, nw.Enum)


def as_frame(X: object) -> Frame | None:
    """Return X for narwhals to read, or None if it is not a frame."""
    frame = _open(X, allow_series=True)
    if isinstance(frame, nw.LazyFrame):
        raise BadTypeError(
            f"X is a lazy frame ({type(X).__name__}); collect() it first."
        )
    if isinstance(frame, nw.Series):
        raise BadInputError(
            f"Expected a 2D table, got a 1D series ({type(X).__name__}). Reshape your "
            f"data: {_unfold(X)}."
        )
    return frame if isinstance(frame, nw.DataFrame) else None


def _unfold(series: object) -> str:
    """How to make a frame of a series: a row of pandas has the columns as its index."""
    index: Any = getattr(series, "index", None)
    labels = [] if index is None or callable(index) else list(index)
    if not labels or not all(isinstance(label, str) for label in labels):
        return "give a frame with one column (series.to_frame())"
    return (
        "take one row as a frame by X.iloc[[0]] in place of X.iloc[0], and one column "
        "by X[['name']] in place of X['name']"
    )


def _open(native: Any, **options: bool) -> Any:  # noqa: ANN401
    """Wrap by narwhals; arrays and lists skip it, since it is slow to reject them."""
    if type(native) in (np.ndarray, list):
        return native
    try:
        return nw.from_native(native, pass_through=True, **options)
    except nw.exceptions.DuplicateError as error:
        raise BadInputError(
            f"column names must be unique. {error}. Rename some, or keep the first of "
            "each: X.loc[:, ~X.columns.duplicated()]."
        ) from None


def frame_names(frame: Frame) -> tuple[list[str], bool]:
    """Return the columns' names, and whether they are names to scikit-learn.

    Columns named by anything but strings (pandas' 0, 1, ...) get those names as
    text and are distinguished by position; a mixture is refused.
    """
    are_text = {isinstance(name, str) for name in frame.columns}
    if are_text == {True, False}:
        raise BadTypeError(
            "Feature names are only supported if all input features have string names, "
            f"but X has {frame.columns}. Rename them: "
            "X.columns = X.columns.astype(str)."
        )
    return [str(name) for name in frame.columns], are_text == {True}


def from_frame(
    frame: Frame, names: Sequence[str], nominal: Sequence[bool | None] | None
) -> list[Column]:
    """Make the columns of a frame, called by these names.

    Which columns are `nominal` is given, or follows from the dtype if (or where) None:
    category, enum, string and bool are, and an object column is judged by its cells.
    """
    wanted = [None] * len(names) if nominal is None else nominal
    native, library = [None] * len(names), nw.get_native_namespace(frame).__name__
    if library == "pandas":
        native = [series for _, series in frame.to_native().items()]
    elif library == "pyarrow":
        native = frame.to_native().columns
    plain = _arrow_column if library == "pyarrow" else _pandas_column
    return [
        plain(name, series, want) or _column(name, frame[:, j], want)
        for j, (name, series, want) in enumerate(
            zip(names, native, wanted, strict=True)
        )
    ]


def object_cells(frame: Frame) -> list[list[Any]]:
    """The cells of each column of objects, no cells for those of another dtype."""
    series = [frame[:, j] for j in range(frame.shape[1])]
    return [one.to_list() if one.dtype == nw.Object else [] for one in series]


def target_column_names(y: object) -> tuple[str, ...]:
    """The names of a target's columns; none if it came without.

    Examples
    --------
    >>> import pandas as pd
    >>> target_column_names(pd.Series([1, 2], name="price"))
    ('price',)
    >>> target_column_names([1, 2])
    ()
    """
    native = _open(y, allow_series=True)
    if isinstance(native, nw.DataFrame):
        return tuple(frame_names(native)[0])
    name = native.name if isinstance(native, nw.Series | Column) else None
    return (name,) if isinstance(name, str) and name else ()


def index_labels(X: object) -> list[Any] | None:
    """The labels of the rows of a pandas frame; None for anything else.

    Examples
    --------
    >>> import pandas as pd
    >>> index_labels(pd.DataFrame({"a": [1, 2]}, index=["x", "y"]))
    ['x', 'y']
    """
    frame = _open(X, eager_only=True)
    if not isinstance(frame, nw.DataFrame):
        return None
    index = nw.maybe_get_index(frame)
    return None if index is None else list(index)


def index_ids(X: object) -> list[Any] | None:
    """The index of a pandas frame where it names rows: unique, of integers or strings.

    None for anything else, also for a plain range 0, 1, ..., and for slices of one.

    Examples
    --------
    >>> import pandas as pd
    >>> index_ids(pd.DataFrame({"a": [1, 2]}, index=["x", "y"]))
    ['x', 'y']
    >>> index_ids(pd.DataFrame({"a": [1, 2]})) is None
    True
    """
    is_pandas = type(X).__module__.split(".")[0] == "pandas" and hasattr(X, "columns")
    index: Any = getattr(X, "index", None) if is_pandas else None
    if index is None or index.nlevels > 1 or hasattr(index, "step"):
        return None
    labels = index.tolist()
    are_integers = getattr(index.dtype, "kind", "") in ("i", "u") and (
        max(labels, default=0) < END_OF_IDS
    )
    are_words = all(isinstance(label, str) for label in labels)
    is_range = are_integers and labels == list(range(len(labels)))
    usable = (are_integers or are_words) and not is_range and index.is_unique
    return labels if usable else None


def is_series(values: object) -> bool:
    """Whether the values are a series of a known frame library."""
    return isinstance(_open(values, allow_series=True), nw.Series)


def is_text_series(values: object) -> bool:
    """Whether the values are a series of strings or objects."""
    series = _open(values, allow_series=True)
    return isinstance(series, nw.Series) and series.dtype in (nw.String, nw.Object)


def from_series(name: str, values: object, *, nominal: bool) -> Column:
    """Make a column of a native series."""
    return _column(name, nw.from_native(values, series_only=True), nominal)


def _column(name: str, series: Series, nominal: bool | None) -> Column:
    dtype = series.dtype
    if dtype.is_numeric() and not nominal:
        return _numbers(name, series)
    times = None if nominal or dtype in _WORDS else _times(name, series)
    return times or _not_numbers(name, series, nominal)


def _not_numbers(name: str, series: Series, nominal: bool | None) -> Column:
    dtype = series.dtype
    usable = dtype.is_numeric() or dtype in (*_WORDS, nw.Object)
    if not usable and not (nominal and dtype in _TIMES):
        return _other(name, series)
    column = _labels(name, series)
    if nominal is None:
        return numbers_if_all(column) if dtype == nw.Object else column
    return column if nominal else to_numeric(column)


def _pandas_column(name: str, series: Any, nominal: bool | None) -> Column | None:  # noqa: ANN401
    """A plain float or category column of pandas, ten times as fast; else None."""
    if series is None:
        return None
    if series.dtype == np.float64 and not nominal:
        return numeric_column(name, series.to_numpy())
    if not hasattr(series.dtype, "categories") or nominal is False:
        return None
    return _declared(name, series.dtype.categories.tolist(), series.array.codes)


def _arrow_column(name: str, series: Any, nominal: bool | None) -> Column | None:  # noqa: ANN401
    """A plain float column of Arrow or one of its dictionaries, likewise; else None."""
    if str(series.type) == "double" and not nominal:
        return numeric_column(name, series.to_numpy())
    if not hasattr(series.type, "index_type") or nominal is False:
        return None
    return _from_arrow(name, series.chunks)


def _declared(name: str, declared: list[object], codes: NDArray[Any]) -> Column:
    """A column of pandas' categories; code -1 is missing there, too."""
    # Those of pandas.cut are intervals.
    words = [str(c) if type(c).__name__ == "Interval" else c for c in declared]
    column = encode(name, words, words)
    data = codes.astype(np.int32)
    return Column(name, "nominal", data, column.categories, declared=True)


def _numbers(name: str, series: Series) -> Column:
    # Integers and decimals are judged before the cast that would round them. Other
    # decimals become the nearest float.
    if not series.dtype.is_float() and series.null_count() < len(series):
        check_exact(name, series.min(), series.max())
    if series.dtype.is_decimal() or series.dtype in (nw.Int128, nw.UInt128):
        series = series.cast(nw.Float64)
    return numeric_column(name, series.to_numpy())


def _times(name: str, series: Series) -> Column | None:
    """A column of dates, times, durations or periods; None if it is anything else."""
    dtype = series.dtype
    if isinstance(dtype, nw.Datetime):
        reading = Reading("datetime", "", "" if dtype.time_zone is None else "UTC")
        return from_microseconds(name, series.dt.timestamp("us").to_numpy(), reading)
    if dtype == nw.Date:
        moments = series.cast(nw.Datetime("us")).dt.timestamp("us")
        return from_microseconds(name, moments.to_numpy(), Reading("date"))
    if dtype == nw.Duration:
        # narwhals counts the microseconds of some by way of seconds, with a rest.
        return from_durations(name, series.to_numpy(), series.to_list())
    return from_objects(name, series.to_list())


def _labels(name: str, series: Series) -> Column:
    if series.dtype in (nw.Categorical, nw.Enum):
        return _categories(name, series)
    if series.dtype in _TIMES:
        # Older pandas casts a missing time to the word "NaT".
        words, missing = series.cast(nw.String).to_list(), series.is_null().to_list()
        pairs = zip(words, missing, strict=True)
        return encode(name, [None if absent else word for word, absent in pairs])
    return encode(name, time_labels(series.to_list()))


def _categories(name: str, series: Series) -> Column:
    """A column of categories: pandas' and an Enum's are declared.

    Those of polars' Categorical and of Arrow's dictionaries are not: they come in
    order of appearance, which must not matter.
    """
    native = series.to_native()
    if nw.get_native_namespace(series).__name__ == "polars":
        declared = getattr(series.dtype, "categories", None)
        return encode(name, series.to_list(), declared)
    if hasattr(native, "chunks"):
        return _from_arrow(name, native.chunks)
    if not hasattr(native, "cat"):
        return encode(name, series.to_list())
    return _declared(name, native.cat.categories.tolist(), native.array.codes)


def _from_arrow(name: str, chunks: Sequence[Any]) -> Column:
    """A column of Arrow's categories: each label is made once, not once a cell."""
    labels: list[object] = []
    places, before, first = [np.zeros(0, np.int32)], None, 0
    for chunk in chunks:
        if before is None or not chunk.dictionary.equals(before):
            before, first = chunk.dictionary, len(labels)
            labels += before.to_pylist()
        indices = chunk.indices.cast("int32")
        if indices.null_count:
            indices = indices.fill_null(MISSING)
        indices = indices.to_numpy()
        if first:
            indices = np.where(indices < 0, MISSING, indices + first)
        places.append(indices)
    column = encode(name, labels)
    # The last entry is reached by the code -1.
    data = np.append(column.data, np.int32(MISSING)).take(np.concatenate(places))
    return Column(name, "nominal", data, column.categories).occurring()


def _other(name: str, series: Series) -> Column:
    """A column of another dtype: usable only where every cell is missing."""
    if series.null_count() == len(series):
        return Column(name, "numeric", np.full(len(series), np.nan))
    dtype = series.dtype
    if dtype == nw.Unknown:
        dtype = getattr(series.to_native(), "dtype", dtype)
    way = convert_column(series.to_native(), name, str(dtype))
    if str(dtype).startswith("Sparse"):
        raise BadTypeError(
            f"column {name!r} is sparse ({dtype}), but dense data is required. {way}"
        )
    raise BadTypeError(
        f"column {name!r} has dtype {dtype}; expected numbers, bools, strings, "
        f"categories, dates or times. {way}"
    )


def column_names(X: object) -> list[str]:
    """The names of the columns of a frame or table; none of anything else.

    Examples
    --------
    >>> import pandas as pd
    >>> column_names(pd.DataFrame({"a": [1]})), column_names([[1]])
    (['a'], [])
    """
    if isinstance(X, Table):
        return X.names
    frame = _open(X, eager_only=True)
    return list(frame.columns) if isinstance(frame, nw.DataFrame) else []


def order_columns(X: object, names: list[str], spare: Sequence[str] = ()) -> object:
    """A frame or table with its columns in this order, if these are its names.

    `spare` columns may be there, too, and are left out.

    Examples
    --------
    >>> import pandas as pd
    >>> list(order_columns(pd.DataFrame({"a": [1], "b": [2]}), ["b", "a"]).columns)
    ['b', 'a']
    >>> list(order_columns(pd.DataFrame({"id": [1], "a": [2]}), ["a"], ["id"]).columns)
    ['a']
    """
    if isinstance(X, Table):
        return X.select(names) if _are_turned(X.names, names, spare) else X
    columns = getattr(X, "columns", None)
    # Of pandas, at a tenth of the price of looking closer.
    is_right = columns is not None and getattr(columns, "tolist", list)() == names
    if columns is None or is_right or isinstance(X, Mapping):
        return X
    frame = _open(X, eager_only=True)
    if not isinstance(frame, nw.DataFrame) or not _are_turned(
        frame.columns, names, spare
    ):
        return X
    return frame.select(names).to_native()


def _are_turned(
    present: Sequence[str], names: Sequence[str], spare: Sequence[str]
) -> bool:
    """Whether names are the same in another order, or with spare ones beside them."""
    others = [name for name in map(str, present) if name not in spare or name in names]
    return list(present) != names and sorted(others) == sorted(names)
