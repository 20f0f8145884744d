"""The one typed table that every reader gives and every learner takes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError
from sklazy.flow import MISSING

Kind = Literal["numeric", "nominal"]
Label = str | int | float | bool


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
    """

    name: str
    kind: Kind
    data: NDArray[Any]
    categories: tuple[Label, ...] = ()
    declared: bool = False

    @property
    def missing(self) -> NDArray[np.bool_]:
        """True where the cell is missing."""
        return np.isnan(self.data) if self.kind == "numeric" else self.data == MISSING

    def __len__(self) -> int:
        return len(self.data)


@dataclass(frozen=True, eq=False)
class Table:
    """Named, typed columns of equal length."""

    columns: tuple[Column, ...]
    n_rows: int = field(default=-1)

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

    def __getitem__(self, name: str) -> Column:
        if name not in self._index:
            raise BadInputError(
                f"there is no column {name!r}; the table has {self.names}."
            )
        return self.columns[self._index[name]]

    def select(self, names: Sequence[str]) -> "Table":
        """The named columns, in the order given."""
        return Table(tuple(self[name] for name in names), self.n_rows)
