"""The one typed table that every reader gives and every learner takes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from sklazy.errors import BadInputError
from sklazy.flow import MISSING, UNSEEN
from sklazy.forking import cached_property
from sklazy.tables.reading import CALENDAR, Reading

if TYPE_CHECKING:
    import pandas

Kind = Literal["numeric", "nominal"]
Wish = Literal[
    "numeric",
    "nominal",
    "date",
    "day-first",
    "month-first",
    "decimal-point",
    "decimal-comma",
    "at-limit",
    "ignore",
]
"""Kinds that a user can give for a column."""
Label = str | int | float | bool
Rows = NDArray[Any] | tuple[NDArray[Any], EllipsisType]

_SHOWN = 20  # columns in a printed table
_FIRST_ROWS = 4096
_MOST_DAYS = 2.9e6  # before and after 1970, in years of four digits


@dataclass(frozen=True, eq=False)
class Column:
    """One column: numbers with NaN for missing, or codes into categories.

    Parameters
    ----------
    name : str
    kind : {"numeric", "nominal"}
    data : float64 array (numeric) or int32 array of codes (nominal)
        Missing cells are NaN in numbers and `MISSING` (-1) in codes.
    categories : tuple of labels
        What the codes of a nominal column stand for.
    declared : bool
        Whether the categories were declared (an ARFF list, a pandas category, a
        polars Enum) and so stand even where no row has them.
    reading : Reading, optional
        How cells that are neither plain numbers nor plain labels were understood.
    """

    name: str
    kind: Kind
    data: NDArray[Any]
    categories: tuple[Label, ...] = ()
    declared: bool = False
    reading: Reading | None = None

    @property
    def missing(self) -> NDArray[np.bool_]:
        """True where the cell is missing."""
        return np.isnan(self.data) if self.kind == "numeric" else self.data == MISSING

    @property
    def is_blank(self) -> bool:
        """Whether all cells are missing."""
        first = replace(self, data=self.data[:_FIRST_ROWS])  # settles it for most
        return bool(first.missing.all()) and bool(self.missing.all())

    def __len__(self) -> int:
        return len(self.data)

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> NDArray[Any]:
        """The cells for numpy and scikit-learn: numbers, or labels with None."""
        _refuse_view(copy)
        numbers = self.kind == "numeric"
        cells = self.data.copy() if numbers else label_array(self.cells())
        return cells if dtype is None else cells.astype(dtype)

    def __repr__(self) -> str:
        return f"Column({self.name!r}, {self.kind}, {len(self)} rows)"

    def renamed(self, name: str) -> Column:
        """The same column under another name."""
        return self if name == self.name else replace(self, name=name)

    def take(self, rows: NDArray[Any]) -> Column:
        """The given rows (indices or a mask); categories stay as they are."""
        return replace(self, data=self.data[rows])

    def __getitem__(self, rows: Rows) -> Column:
        """The rows of an array of indices or a mask: how scikit-learn splits them."""
        return replace(self, data=self.data[rows])

    @property
    def shape(self) -> tuple[int]:
        """The number of rows."""
        return (len(self.data),)

    @cached_property
    def is_used(self) -> NDArray[np.bool_]:
        """Which categories some row has."""
        is_used = np.zeros(0, bool)
        for data in (self.data[:_FIRST_ROWS], self.data):  # these mostly have all
            # The two first counts are those of the codes -2 and -1.
            counts = np.bincount(data + 2, minlength=len(self.categories) + 2)
            is_used = counts[2:] > 0
            if is_used.all():
                break
        return is_used

    def used_labels(self) -> list[Label]:
        """The categories that some row has, in their order."""
        if not self.categories:
            return []
        pairs = zip(self.categories, self.is_used.tolist(), strict=True)
        return [label for label, is_used in pairs if is_used]

    def occurring(self) -> Column:
        """The column with only the categories that some row has, in their order."""
        if self.kind == "numeric" or self.is_used.all():
            return self
        used = np.flatnonzero(self.is_used)
        # The two last entries are reached by the codes -2 and -1.
        lookup = np.full(len(self.categories) + 2, UNSEEN, np.int32)
        lookup[-1] = MISSING
        lookup[used] = np.arange(len(used))
        kept = tuple(self.categories[code] for code in used)
        return replace(self, data=lookup.take(self.data), categories=kept)

    def cells(self) -> list[Label | None]:
        """The cells as plain scalars, None where missing or unseen."""
        if self.kind == "nominal":
            values = [*self.categories, None, None]
            return [values[code] for code in self.data.tolist()]
        return [None if cell != cell else cell for cell in self.data.tolist()]


class Options(TypedDict, total=False):
    """Options of `as_table`."""

    categorical_features: object
    kinds: Mapping[str, Wish] | None
    feature_names: Sequence[str] | None
    allow_empty: bool
    like: Table | None


@dataclass(frozen=True, eq=False)
class Table:
    """Named, typed columns of equal length.

    Parameters
    ----------
    columns : tuple of Column
    n_rows : int, optional
        Needed only where there is no column to count.
    named : bool, default=True
        False where the names were made up (x0, x1, ... for a numpy array): such a
        table is matched with others by position.

    Examples
    --------
    >>> import sklazy
    >>> table = sklazy.Table.from_any([[1.5, "red"], [None, "blue"], [2.0, "red"]])
    >>> table
    Table: 3 rows, 2 columns
      x0  numeric  1.5 to 2, 1 missing
      x1  nominal  2 categories: 'blue', 'red'
    >>> table.take([0, 2]).shape
    (2, 2)

    A column can be the y of an estimator, the rest its X:

    >>> X, y = table.drop(["x1"]), table["x1"]
    >>> sklazy.AttributeRanker().fit(X, y).get_feature_names_out()
    array(['x0'], dtype=object)
    """

    columns: tuple[Column, ...]
    n_rows: int = field(default=-1)
    named: bool = True

    def __post_init__(self) -> None:
        lengths = {len(column) for column in self.columns}
        if self.n_rows < 0:
            object.__setattr__(self, "n_rows", lengths.pop() if lengths else 0)
        if any(length != self.n_rows for length in lengths):
            raise BadInputError(
                f"columns of {sorted(lengths | {self.n_rows})} rows cannot make one "
                "table; give columns of equal length."
            )
        if len(self._index) != len(self.columns):
            repeated = sorted(n for n in self._index if self.names.count(n) > 1)
            raise BadInputError(
                f"column names must be unique; {repeated} occur more than once. "
                "Rename them."
            )

    @cached_property
    def _index(self) -> dict[str, int]:
        return {column.name: i for i, column in enumerate(self.columns)}

    @property
    def names(self) -> list[str]:
        """The columns' names, in order."""
        return [column.name for column in self.columns]

    @property
    def kinds(self) -> list[Kind]:
        """The columns' kinds, in order."""
        return [column.kind for column in self.columns]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.n_rows, len(self.columns)

    def __len__(self) -> int:
        return self.n_rows

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self._index

    @overload
    def __getitem__(self, name: str) -> Column: ...
    @overload
    def __getitem__(self, name: Rows) -> Table: ...
    def __getitem__(self, name: str | Rows) -> Column | Table:
        """The column of that name; or the rows of an array of indices or a mask.

        The latter, alone or before an ellipsis, is how scikit-learn splits rows.
        """
        if not isinstance(name, str):
            rows = name[0] if isinstance(name, tuple) else name
            if isinstance(rows, np.ndarray):
                return self.take(rows)
        if not isinstance(name, str) or name not in self._index:
            raise BadInputError(
                f"there is no column {name!r}; the table has {self.names}."
            )
        return self.columns[self._index[name]]

    @property
    def missing(self) -> dict[str, int]:
        """The number of missing cells of each column."""
        return {column.name: int(column.missing.sum()) for column in self.columns}

    def select(self, names: Sequence[str]) -> Table:
        """The named columns, in the order given.

        Parameters
        ----------
        names : sequence of str
        """
        return replace(self, columns=tuple(self[name] for name in _listed(names)))

    def drop(self, names: Sequence[str]) -> Table:
        """All columns but the named ones, which must be there.

        Parameters
        ----------
        names : sequence of str
        """
        gone = {self[name].name for name in _listed(names)}
        return self.select([name for name in self.names if name not in gone])

    def take(self, rows: ArrayLike) -> Table:
        """The given rows: indices in any order, or a mask; categories stay.

        Parameters
        ----------
        rows : array-like of int or bool
        """
        which = np.asarray(rows)
        index = np.arange(self.n_rows)[which if which.size else which.astype(np.intp)]
        columns = tuple(column.take(index) for column in self.columns)
        return replace(self, columns=columns, n_rows=len(index))

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas frame: float64 columns and categories (unseen ones are missing)."""
        import pandas  # noqa: PLC0415 (an optional dependency)

        return pandas.DataFrame(
            {column.name: _to_pandas(column) for column in self.columns},
            index=pandas.RangeIndex(self.n_rows),
        )

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> NDArray[Any]:
        """The cells as a matrix: of numbers, or of objects if a column is nominal."""
        _refuse_view(copy)
        kind = np.float64 if set(self.kinds) <= {"numeric"} else object
        matrix = np.empty(self.shape, kind)
        for j, column in enumerate(self.columns):
            matrix[:, j] = column.data if kind is np.float64 else column.cells()
        return matrix if dtype is None else matrix.astype(dtype)

    @classmethod
    def from_any(cls, X: object, **options: Unpack[Options]) -> Table:
        """Make a table of a frame, an array or a list of rows; see `as_table`.

        Parameters
        ----------
        X : frame, array-like or Table
        **options
            Kinds of columns and words for missing cells, as for `read_table`.
        """
        from sklazy.tables.convert import as_table  # noqa: PLC0415 (it makes tables)

        return as_table(X, **options)

    def __repr__(self) -> str:
        width = max((len(name) for name in self.names[:_SHOWN]), default=0)
        lines = [f"Table: {self.n_rows} rows, {len(self.columns)} columns"]
        lines += [
            f"  {column.name:<{width}}  {column.kind}  {_summary(column)}"
            for column in self.columns[:_SHOWN]
        ]
        if len(self.columns) > _SHOWN:
            lines.append(f"  ... and {len(self.columns) - _SHOWN} more")
        return "\n".join(lines)


def label_array(labels: Sequence[Label | None]) -> NDArray[Any]:
    r"""Labels as an array of their own type; of objects where that would lose some.

    Strings beside others would become strings all, and numpy's strings lose NULs at
    their end: "a" and "a\0" would be one label.

    Examples
    --------
    >>> label_array([1, 2]), label_array(["a", 1, None])
    (array([1, 2]), array(['a', 1, None], dtype=object))
    >>> label_array(["a", "a\0"])
    array(['a', 'a\x00'], dtype=object)
    """
    kinds = {(isinstance(label, str), label is None) for label in labels}
    cut = any(isinstance(label, str) and label.endswith("\0") for label in labels)
    return np.array(labels, object if cut or len(kinds) > 1 else None)


def _refuse_view(copy: bool | None) -> None:
    if copy is False:
        raise ValueError("the cells of a table cannot be returned without a copy")


def _listed(names: Sequence[str]) -> Sequence[str]:
    if isinstance(names, str):
        raise BadInputError(f"names={names!r}; expected a list: [{names!r}].")
    return names


def _summary(column: Column) -> str:
    """Summarize a column in a few words."""
    n_missing = int(column.missing.sum())
    tail = f", {n_missing} missing" if n_missing else ""
    if n_missing == len(column):
        return f"no values{tail}"
    if column.kind == "numeric":
        ends = np.nanmin(column.data), np.nanmax(column.data)
        if column.reading is not None and column.reading.style in CALENDAR:
            return f"{_as_date(ends[0])} to {_as_date(ends[1])}{tail}"
        return f"{ends[0]:g} to {ends[1]:g}{tail}"
    shown = ", ".join(repr(label) for label in column.categories[:3])
    more = ", ..." if len(column.categories) > 3 else ""
    noun = "category" if len(column.categories) == 1 else "categories"
    return f"{len(column.categories)} {noun}: {shown}{more}{tail}"


def _as_date(days: float) -> str:
    """A number of days since 1970 as a date; as it is where it is in no calendar."""
    is_date = abs(days) < _MOST_DAYS
    return str(np.datetime64(math.floor(days), "D")) if is_date else f"{days:g}"


def _to_pandas(column: Column) -> object:
    import pandas  # noqa: PLC0415 (an optional dependency)

    if column.kind == "numeric":
        return column.data.copy()
    codes = np.maximum(column.data, MISSING)
    return pandas.Categorical.from_codes(codes, categories=list(column.categories))
