"""How much reading may take: cells, bytes and seconds, counted as they come.

Every reader counts by a `Budget`, so that no table takes more than its caller allows,
however small the file is that it comes from: one far cell of a sheet, a key of its own
in each JSON object and a sparse row of ARFF all stand for very many cells.
"""

import math
import time
from typing import NamedTuple

from sklazy.errors import BadInputError, OverBudgetError
from sklazy.memory import machine_bytes

MOST_GROWTH = 500
"""A packed file that unpacks to more than this many times its size, and to more than
`ALWAYS_FINE` bytes, holds next to nothing: refused unless `max_bytes` is given."""

ALWAYS_FINE = 2**26

# Bytes that a cell takes while it is read, measured with 1 000 000 rows of numbers,
# labels, dates and amounts. Cells of text are Python's objects until their column is
# known, those of Arrow are numbers or codes from the beginning. A limit by these lets
# through what the memory of a machine can hold, and stops before it swaps or dies.
_CELL_BYTES = {
    "csv": 100,
    "arff": 100,
    "jsonl": 90,
    "excel": 125,
    "parquet": 40,
    "feather": 40,
}
_WAY_OUT = (
    "If that is right, give {limit}=float('inf') or a larger number; else save fewer "
    "rows or columns."
)

UNLIMITED = math.inf


class ReadLimits(NamedTuple):
    """Limits for reading a table; None for what this machine can hold."""

    max_cells: float | None = None  # rows times columns
    max_bytes: float | None = None  # of the file, unpacked
    max_seconds: float | None = None  # None is any time

    def check(self) -> None:
        """Refuse limits that nothing can keep."""
        for name, value in self._asdict().items():
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if value is not None and not (is_number and value > 0):
                raise BadInputError(
                    f"{name}={value!r}; expected a number above 0, float('inf') for "
                    "no limit, or None for the default."
                )


class Budget:
    """Counts what reading one table takes, and refuses it where that is too much.

    Cells take more or less memory by the format. Where rows pass by (`is_streamed`),
    memory does not grow with them, and only limits that are given count. Messages end
    with the way out, which may have {limit} for the name of the limit.

    Examples
    --------
    >>> budget = Budget("sales.csv", ReadLimits(max_cells=100), "csv")
    >>> budget.check_cells(10, 10)
    >>> budget.check_cells(11, 10)
    Traceback (most recent call last):
        ...
    sklazy.errors.OverBudgetError: sales.csv: its first 11 rows have 110 cells, more
    than max_cells=100. If that is right, give max_cells=float('inf') or a larger
    number; else save fewer rows or columns.
    """

    def __init__(
        self,
        name: str,
        limits: ReadLimits,
        format: str = "csv",
        *,
        is_streamed: bool = False,
        way_out: str = _WAY_OUT,
    ) -> None:
        limits.check()
        self.name, self._limits, self._way_out = name, limits, way_out
        self._memory = UNLIMITED if is_streamed else machine_bytes()
        self._max_bytes = _first(limits.max_bytes, self._memory)
        self._end = time.monotonic() + _first(limits.max_seconds, UNLIMITED)
        self.expect(format)

    def expect(self, format: str) -> None:
        """Let cells take what those of a format take."""
        most = self._memory / _CELL_BYTES[format]
        self._max_cells = _first(self._limits.max_cells, most)

    def check_cells(self, n_rows: int, n_columns: int) -> None:
        """Refuse a table that has too many cells by the rows known already."""
        self.check_time()
        if n_rows * n_columns > self._max_cells:
            what = f"its first {n_rows} rows have {n_rows * n_columns} cells, more than"
            raise self._error(what, "max_cells", self._max_cells)

    def check_bytes(self, n_bytes: int, what: str = "it takes") -> None:
        """Refuse a file that takes too many bytes."""
        self.check_time()
        if n_bytes > self._max_bytes:
            what = f"{what} {n_bytes} bytes or more, more than"
            raise self._error(what, "max_bytes", self._max_bytes)

    def check_unpacked(self, n_bytes: int, n_packed: int) -> None:
        """Refuse a packed file that unpacks to too many bytes."""
        self.check_bytes(n_bytes, "it unpacks to")
        most = max(ALWAYS_FINE, MOST_GROWTH * n_packed)
        if self._limits.max_bytes is None and n_bytes > most:
            what = f"it unpacks to {n_bytes} bytes or more from {n_packed}, more than"
            raise self._error(what, "max_bytes", most, "by its size")

    def check_time(self) -> None:
        """Refuse to go on where the time is up."""
        if time.monotonic() > self._end:
            most = _first(self._limits.max_seconds, UNLIMITED)
            raise self._error("reading it takes longer than", "max_seconds", most)

    def _error(
        self, what: str, limit: str, most: float, why: str = "by this machine's memory"
    ) -> OverBudgetError:
        number = f"{most:g}" if limit == "max_seconds" else f"{math.floor(most)}"
        if getattr(self._limits, limit) is None:
            number += f" (the default {why})"
        way_out = self._way_out.format(limit=limit)
        return OverBudgetError(f"{what} {limit}={number}. {way_out}", self.name)


def _first(value: float | None, default: float) -> float:
    return default if value is None else value
