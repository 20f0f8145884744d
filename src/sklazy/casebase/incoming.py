"""The door of the case base: everything about new rows is checked before any change."""

import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklazy.casebase.cuts import criterion_code
from sklazy.casebase.moments import Times
from sklazy.casebase.rows import Codes, Ids, Rows, are_among
from sklazy.errors import BadInputError, UnknownIdError
from sklazy.flow import MISSING
from sklazy.tables import Column, Table

Target = Column | NDArray[np.float64]
IdsLike = Sequence[int] | Sequence[str] | NDArray[np.generic] | None

_END_OF_IDS = 2**62
_LARGEST = float(np.finfo(np.float64).max)
_NO_TABLE = Table((), 0)
_HEAVIEST = 1e290  # weights of more rows than there can be add up to a float


@dataclass
class Incoming:
    """Rows that fit the case base, not coded yet."""

    table: Table
    numbers: NDArray[np.float64]
    target: Target
    weights: NDArray[np.float64]
    times: NDArray[np.float64]
    ids: Ids

    def __len__(self) -> int:
        return self.numbers.shape[1]


class PresentIds(NamedTuple):
    """Those ids of rows in parts that new ones are compared with."""

    ids: Ids

    @property
    def has_text_ids(self) -> bool:
        """Whether rows have text for ids."""
        return self.ids.dtype == object


def check_build(table: Table, criterion: str, cuts: str) -> None:
    """Refuse what no case base can be built from."""
    criterion_code(criterion)
    if cuts not in ("exact", "frozen"):
        raise BadInputError(f"cuts={cuts!r} is unknown; use 'exact' or 'frozen'.")
    if table.n_rows == 0 or not table.columns:
        raise BadInputError(
            f"a table of shape {table.shape} has no cells; give at least "
            "one row and one column."
        )


def two_dimensional(target: Target) -> Target:
    """The target with one column a number to predict; classes as they are."""
    if isinstance(target, Column) and target.kind == "nominal":
        return target
    if isinstance(target, np.ndarray) and target.ndim == 1:
        return target[:, None]
    if isinstance(target, np.ndarray) and target.ndim == 2 and target.shape[1]:
        return target
    raise BadInputError(
        f"the target is {target!r}; give a nominal column, or an array of one number "
        "or of several per row (sklazy.tables.as_target makes both)."
    )


def check_kind(target: Target, n_targets: int) -> None:
    """Refuse a target of another kind than that learned (0 targets: classes)."""
    if (target.shape[1] if isinstance(target, np.ndarray) else 0) != n_targets:
        learned = f"{n_targets} numbers per row" if n_targets else "classes"
        raise BadInputError(
            f"y of added rows differs in kind from y in fit; expected {learned}."
        )


def check_incoming(
    table: Table,
    numeric: Sequence[int],
    target: Target,
    weights: ArrayLike | None,
    times: Times,
    ids: Ids,
) -> Incoming:
    """Return the rows once checked, or raise an error that describes the fault."""
    _check_length(target, table.n_rows)
    numbers = numbers_of(table, numeric)
    return check_numbers(numbers, target, weights, times, ids, table)


def check_numbers(
    numbers: NDArray[np.float64],
    target: Target,
    weights: ArrayLike | None,
    times: Times,
    ids: Ids,
    table: Table = _NO_TABLE,
) -> Incoming:
    """The same where numbers (n_numeric, n_rows) are known to be finite or missing.

    The table is that of the labels, if there are any.
    """
    _check_length(target, numbers.shape[1])
    check_target(target)
    checked = _checked_weights(weights, len(target))
    moments = _checked_times(times, len(target))
    return Incoming(table, numbers, target, checked, moments, ids)


def _check_length(target: Target, n_rows: int) -> None:
    if len(target) != n_rows:
        raise BadInputError(
            "inconsistent numbers of samples: the target has "
            f"{len(target)} values for {n_rows} rows; give one per row."
        )


def numbers_of(table: Table, numeric: Sequence[int]) -> NDArray[np.float64]:
    """The numeric columns as rows of an array; -0.0 becomes 0.0.

    Words, where the kind of the column is still open, are missing.
    """
    numbers = np.empty((len(numeric), table.n_rows))
    for room, j in zip(numbers, numeric, strict=True):
        np.add(finite_numbers(table.columns[j]), 0.0, out=room)
    return numbers


def finite_numbers(column: Column) -> NDArray[np.float64]:
    """The numbers of a column, NaN for words; not copied where it holds numbers."""
    is_numeric = column.kind == "numeric"
    numbers = column.data if is_numeric else _label_numbers(column)
    is_infinite = np.isinf(numbers)
    if is_infinite.any():
        raise BadInputError(
            f"column {column.name!r} is infinite in row {int(is_infinite.argmax())}; "
            "replace infinite values by numbers or leave the cells empty."
        )
    return numbers


def _label_numbers(column: Column) -> NDArray[np.float64]:
    """The labels that are numbers, as such."""
    # The two last entries are reached by the codes -2 and -1.
    values = np.full(len(column.categories) + 2, np.nan)
    for code, label in enumerate(column.categories):
        if not isinstance(label, str) and abs(label) <= _LARGEST:
            values[code] = label
    return values.take(column.data)


def recoded(
    column: Column, codes: NDArray[np.int32], unseen: int = MISSING
) -> NDArray[np.int32]:
    """A nominal column in other codes: `codes` has one for each of its categories.

    A cell of an unseen label is missing in a row that is kept: what it was is not
    known any more.
    """
    # The two last entries are reached by the codes -2 and -1.
    lookup = np.append(codes, np.array([unseen, MISSING], np.int32))
    return lookup.take(column.data)


def new_ids(
    names: IdsLike, n_rows: int, next_id: int, rows: "Rows | PresentIds"
) -> Ids:
    """The ids of new rows, checked to be new; by default the next numbers."""
    if names is None:
        if rows.has_text_ids:
            raise BadInputError(
                "ids=None, but the rows here have text ids; give one for each new row."
            )
        if next_id + n_rows > _END_OF_IDS:
            raise BadInputError(
                f"ids=None, but the next number would be {next_id}, and numbers end "
                f"before 2**62; give an id for each of the {n_rows} new rows."
            )
        return np.arange(next_id, next_id + n_rows, dtype=np.int64)
    ids = as_ids(names)
    if ids.shape != (n_rows,):
        raise BadInputError(
            f"ids has {len(ids)} entries for {n_rows} rows; give one per row."
        )
    present = rows.ids
    if n_rows == 0:
        return present[:0]
    if len(present) and (ids.dtype == object) != (present.dtype == object):
        raise BadInputError(
            f"ids={reprlib.repr(names)} is text where the present ids are numbers, "
            "or the reverse; use one kind."
        )
    _check_new(ids, present)
    return ids


def _check_new(ids: Ids, present: Ids) -> None:
    """Refuse ids that repeat, and ids of rows that are there."""
    values, counts = np.unique(ids, return_counts=True)
    repeated = values[counts > 1].tolist()
    if repeated:
        raise BadInputError(
            f"ids={repeated[:5]} occur more than once; give every row its own id, also "
            "the rows of one person ('P7-1', 'P7-2'), which can be forgotten together."
        )
    taken = ids[are_among(ids, present)].tolist()
    if taken:
        raise BadInputError(f"ids={taken[:5]} are taken; give every row its own id.")


def as_ids(names: IdsLike) -> Ids:
    """Ids as int64 or as text; anything else is refused."""
    ids = np.asarray(names)
    if ids.size == 0:
        return np.zeros(0, np.int64)
    if ids.ndim == 1 and ids.dtype.kind in "iu" and ids.max() < _END_OF_IDS:
        return ids.astype(np.int64)
    # A list of text and numbers would have become an array of text, and text of an
    # array has no NULs at its end.
    cells = names if isinstance(names, list | tuple) else ids.tolist()
    if ids.ndim == 1 and all(isinstance(cell, str) for cell in cells):
        texts = np.empty(len(cells), object)
        texts[:] = [str(cell) for cell in cells]
        return texts
    is_single = isinstance(names, str | int)
    raise BadInputError(
        f"ids={reprlib.repr(names)} cannot name rows; give a flat list of whole "
        "numbers below 2**62 or of text"
        + (f": [{names!r}]." if is_single else ", as by [str(one) for one in ids].")
    )


def slots_of(names: IdsLike, present: Ids | Codes) -> NDArray[np.int64]:
    """Where the rows with these ids lie, which must not be all.

    An unknown or repeated id is refused.
    """
    ids = as_ids(names)
    is_text = ids.dtype == object
    if len(ids) and is_text != (present.dtype == object):
        kind, other = ("text", "int") if is_text else ("whole numbers", "str")
        raise UnknownIdError(
            f"ids={ids[:5].tolist()} are {kind}, those of the rows are not; nothing "
            f"was forgotten. Give [{other}(one) for one in ids]."
        )
    if len(ids) == 1:
        places = np.flatnonzero(present == ids)  # not ids[0]: numpy cuts its NULs
    elif (ids.dtype == object) == (present.dtype == object):
        places = np.flatnonzero(are_among(present, ids))
    else:
        places = np.zeros(0, np.int64)
    check_found(ids, present[places], len(present))
    return places


def check_found(ids: Ids, present: Ids | Codes, n_rows: int) -> None:
    """Refuse to forget ids of which only some were found, or all rows."""
    if len(present) < len(ids):
        unknown = ids[~are_among(ids, present)]
        if not len(unknown):
            raise BadInputError("ids names a row more than once; give each id once.")
        raise UnknownIdError(
            f"ids={unknown[:5].tolist()} are not in the case base of {n_rows} "
            "rows; nothing was forgotten."
        )
    if len(present) == n_rows:
        raise BadInputError(
            f"ids names all {n_rows} rows; a case base keeps at least one. "
            "Delete the object instead."
        )


def _checked_weights(weights: ArrayLike | None, n_rows: int) -> NDArray[np.float64]:
    if weights is None:
        return np.ones(n_rows)
    array = np.asarray(weights, float)
    if array.shape != (n_rows,):
        raise BadInputError(
            f"weights have the shape {array.shape}; give one for each of the {n_rows} "
            "rows, or None."
        )
    wrong = np.flatnonzero(~np.isfinite(array) | (array < 0) | (array > _HEAVIEST))
    if len(wrong):
        raise BadInputError(
            f"row {wrong[0]} has the weight {array[wrong[0]]}; give finite numbers "
            f"of at least 0 and at most {_HEAVIEST:g}. Where weights are larger, "
            "divide all by the largest."
        )
    return array + 0.0


def _checked_times(times: Times, n_rows: int) -> NDArray[np.float64]:
    if not times.clock:
        return np.zeros((0, n_rows))
    if times.values.shape[1] != n_rows:
        raise BadInputError(
            f"times has {times.values.shape[1]} values for {n_rows} rows; give one "
            "time for each row."
        )
    return times.values


def check_target(target: Target) -> None:
    """Refuse a target that is missing or infinite in some rows."""
    missing = (
        target.data < 0
        if isinstance(target, Column)
        else ~np.isfinite(target).all(axis=1)
    )
    if missing.any():
        rows = np.flatnonzero(missing)
        raise BadInputError(
            f"the target is missing or infinite in {len(rows)} rows (rows "
            f"{rows[:5].tolist()}{' ...' if len(rows) > 5 else ''}); leave them out."
        )
