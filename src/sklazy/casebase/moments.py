"""When rows happened: times as numbers, windows that end at the newest, fading weights.

Rows without times follow one another by their numbers of arrival.
"""

import datetime
import reprlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.rows import Ids, Rows
from sklazy.errors import BadInputError, DataWarning
from sklazy.tables.reading import CALENDAR
from sklazy.tables.times import from_datetimes, from_objects

if TYPE_CHECKING:
    from sklazy.casebase.base import CaseBase

Floats = NDArray[np.float64]
Clock = Literal["", "numbers", "dates"]
"""The kind of times; empty where rows have none."""
Length = int | float | datetime.timedelta
"""Of time, or a number of rows."""

_DAY = datetime.timedelta(days=1)
_OLDEST = 39.0  # half-lives: less than 2e-12 of the newest row's weight is none


@dataclass(frozen=True)
class Times:
    """The moments of rows: plain numbers, or dates as days since 1970-01-01."""

    values: Floats  # (1, n_rows), or (0, 0) where rows have no times
    clock: Clock
    # The age at which a row counts half as much as the newest, in units of the times,
    # or in rows where there are none.
    half_life: float | None = None


NO_TIMES = Times(np.zeros((0, 0)), "")
"""Of rows that follow one another."""


def as_times(moments: object, name: str = "times") -> Times:
    """Read times: numbers, dates of any library, or text as '2026-03-01 12:30'."""
    if isinstance(moments, str):
        raise BadInputError(
            f"{name}={moments!r} is text; give a time for each row, such as {name}="
            f"X[{moments!r}], and leave the column out of X."
        )
    array = np.asarray(moments)
    if array.ndim != 1:
        raise BadInputError(
            f"{name} has the shape {array.shape}; give one time for each row."
        )
    values, clock = _moments(array, name)
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        raise BadInputError(
            f"{name} is missing or infinite in {len(wrong)} rows (the first is row "
            f"{wrong[0]}); give every row a time, or none."
        )
    return Times(values[None] + 0.0, clock)


def as_moment(moment: object, clock: Clock, name: str) -> float:
    """One moment as a number on a clock."""
    times = as_times([moment], name)
    if times.clock != clock:
        raise BadInputError(
            f"{name}={moment!r}, but the times of the rows are {clock}; give one of "
            "these."
        )
    return float(times.values[0, 0])


def forget_before(cases: "CaseBase", before: object) -> None:
    """Forget the rows before a moment."""
    with cases._lock:  # so that they are those that are there
        if not cases.schema.clock:
            raise BadInputError(
                f"before={before!r}, but the rows have no times; give times to fit, or "
                "forget rows by their ids."
            )
        moment = as_moment(before, cases.schema.clock, "before")
        old = moments_of(cases.rows) < moment
        if old.all():
            raise BadInputError(
                f"before={before!r} names all {len(old)} rows; a case base keeps at "
                "least one. Delete the object instead."
            )
        cases.forget(cases.ids[old])


def forget_outside(cases: "CaseBase", window: object) -> None:
    """Forget the rows that a window leaves out; see `find_outside`."""
    gone = find_outside(cases.rows, window, cases.schema.clock)
    if len(gone) and not cases.is_parted:
        cases.forget_places(gone)
    elif len(gone):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # frozen cuts: meant to stay
            cases.forget(cases.ids[gone])


def add_within(cases: "CaseBase", window: object, add: Callable[[], Ids]) -> None:
    """Add rows and forget those that a window leaves out then, both or neither.

    `add` adds the rows to the cases and returns their ids.
    """
    with cases._lock:  # the state between is never seen
        added = add()
        if window is None:
            return
        try:
            forget_outside(cases, window)
        except BaseException:
            cases.forget(added)
            raise


def holds_weights(cases: "CaseBase", *, settled: bool) -> NDArray[np.bool_]:
    """Which rows the weights of others hang on: all where classes are balanced.

    Unless the balance of all rows is `settled`, and stays when a row is left out.
    """
    if cases.schema.balanced and not settled:
        return np.ones(cases.n_rows, bool)
    return holds_clock(cases)


def holds_clock(cases: "CaseBase") -> NDArray[np.bool_]:
    """Which rows the weights of others hang on: the only newest one.

    All, where the age of rows is how many came after them.
    """
    moments = moments_of(cases.rows)
    if cases.half_life is None:
        return np.zeros(len(moments), bool)
    newest = moments == moments.max()
    return newest & (newest.sum() == 1) | (not cases.schema.clock)


def as_length(length: Any, clock: Clock, name: str) -> float:  # noqa: ANN401 - whatever is given
    """A length of time: a number on the clock, days where that has dates."""
    if isinstance(length, np.timedelta64 | datetime.timedelta) and clock == "dates":
        is_numpy = isinstance(length, np.timedelta64)
        length = length / (np.timedelta64(1, "D") if is_numpy else _DAY)
    # To numpy a timedelta is a whole number, of no unit.
    is_other = isinstance(length, bool | np.timedelta64) or not isinstance(length, Real)
    if is_other or not 0 < float(length) < np.inf:
        raise BadInputError(
            f"{name}={length!r}; expected a number above 0, in units of the times "
            "(days where these are dates), or a timedelta where these are dates."
        )
    return float(length)


def find_outside(rows: Rows, window: Any, clock: Clock) -> NDArray[np.int64]:  # noqa: ANN401
    """Where the rows lie that a window which ends at the newest row leaves out.

    A window is the number of the newest rows that stay, with all of the same time as
    the oldest of these; or the length of time: rows that are as old as that, or older,
    go.
    """
    if _is_count(window, clock) and not len(rows.times):
        n_gone = rows.n_rows - int(window)
        return np.flatnonzero(rows.arrival[: rows.n_rows] < n_gone)
    moments = moments_of(rows)
    if _is_count(window, clock):
        first = np.sort(moments)[-min(int(window), len(moments))]
        return np.flatnonzero(moments < first)
    length = as_length(window, clock, "window")
    return np.flatnonzero(moments <= moments.max() - length)


def window_starts(
    moments: Floats,
    ends: NDArray[np.int64],
    window: Any,  # noqa: ANN401 - whatever is given
    clock: Clock,
) -> NDArray[np.int64]:
    """The first row that a window keeps of the rows before each end.

    Rows are in the order in which they happened; see `find_outside`.
    """
    if _is_count(window, clock):
        oldest = moments[np.maximum(ends - int(window), 0)]
        return np.searchsorted(moments, oldest, "left")
    length = as_length(window, clock, "window")
    return np.searchsorted(moments, moments[ends - 1] - length, "right")


def _is_count(window: Any, clock: Clock) -> bool:  # noqa: ANN401 - whatever is given
    """Whether a window is a number of rows."""
    counts = isinstance(window, Integral) and not isinstance(
        window, bool | np.timedelta64
    )
    if counts and int(window) > 0:
        return True
    if clock:
        return False
    raise BadInputError(
        f"window={window!r}; expected a whole number of rows of at least 1. A length "
        "of time needs times in fit."
    )


def fade_weights(rows: Rows, half_life: float, newest: float | None = None) -> Floats:
    """The weights of rows, halved for every half-life that they are older.

    `newest` is when the last row happened, that of these by default.
    """
    moments = moments_of(rows)
    age = ((moments.max() if newest is None else newest) - moments) / half_life
    return np.where(age > _OLDEST, 0.0, rows.weights * np.exp2(-age))


def moments_of(rows: Rows) -> Floats:
    """When each row happened: its time, or its number of arrival."""
    if len(rows.times):
        return rows.times[0, : rows.n_rows]
    return rows.arrival[: rows.n_rows].astype(np.float64)


def check_clock(clock: Clock, kept: Clock) -> None:
    """Refuse rows whose times cannot be compared with those that are there."""
    if clock == kept:
        return
    if not kept:
        raise BadInputError(
            "times were given, but the earlier rows have none; give times "
            "from the first fit on."
        )
    if not clock:
        raise BadInputError(
            f"the earlier rows have times ({kept}); give times with further rows, too."
        )
    raise BadInputError(
        f"the times of further rows are {clock}, those of the earlier rows "
        f"{kept}; give one kind."
    )


def _moments(array: NDArray[Any], name: str) -> tuple[Floats, Clock]:
    if array.dtype.kind in "iuf":
        return array.astype(np.float64), "numbers"
    if array.dtype.kind in "UT":
        array = _parsed(array, name)
    if array.dtype.kind == "M":
        return from_datetimes(name, array).data, "dates"
    are_objects, cells = array.dtype.kind == "O", array.tolist()
    column = from_objects(name, cells) if are_objects else None
    if column is None and are_objects and all(isinstance(c, str) for c in cells):
        return from_datetimes(name, _parsed(array, name)).data, "dates"
    if column is None or column.reading is None or column.reading.style not in CALENDAR:
        raise _unreadable(name, array)
    return column.data, "dates"


def _parsed(texts: NDArray[Any], name: str) -> NDArray[Any]:
    try:
        return np.array([str(text) for text in texts.tolist()], "M8[us]")
    except ValueError as error:
        raise _unreadable(name, texts) from error


def _unreadable(name: str, array: NDArray[Any]) -> BadInputError:
    return BadInputError(
        f"{name}={reprlib.repr(array.tolist())} cannot be read as moments; give "
        "numbers, dates, or text such as '2026-03-01' or '2026-03-01T12:30'."
    )
