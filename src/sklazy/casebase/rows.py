"""The rows themselves: dense arrays that grow, shrink and leave nothing behind."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.states import shallow
from sklazy.flow import MISSING, Narrow

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[np.signedinteger[Any]]  # of the smallest type that holds them
Places = NDArray[np.int64]  # where rows lie in the arrays
Ids = NDArray[np.int64] | NDArray[np.object_]

CLASSES = -1
"""Stands for the target where attributes are numbered."""

NO_ROWS = np.zeros(0, np.int64)
"""The places of no rows."""


@dataclass
class CodedRows:
    """Rows on their way in, checked and coded; the last axis is the row."""

    numbers: Floats  # (n_numeric, n_rows), NaN where missing
    codes: Codes  # (n_attributes, n_rows), numeric attributes are not coded yet
    classes: Codes  # (n_rows,)
    targets: Floats  # (n_targets, n_rows)
    weights: Floats  # (n_rows,)
    times: Floats  # (1, n_rows), or (0, n_rows) where rows have none
    arrival: Codes  # (n_rows,), the rows' numbers in order of arrival
    hashes: NDArray[np.uint64]  # (1, n_rows), or (0, n_rows) until they are computed
    ids: Ids  # (n_rows,), int64 or str

    def __len__(self) -> int:
        return len(self.classes)

    def between(self, first: int, last: int) -> "CodedRows":
        """Some of the rows, side by side, where they are."""
        return CodedRows(**{n: a[..., first:last] for n, a in vars(self).items()})

    def take(self, order: Places) -> "CodedRows":
        """The rows in another order."""
        return CodedRows(**{n: a[..., order] for n, a in vars(self).items()})


@dataclass
class RowsMark:
    """Rows before a change: all that the change may touch."""

    n_rows: int
    ids: Ids | None  # as in `CodedRows`, or None where they are the numbers of arrival
    arrays: dict[str, NDArray[Any]]  # the arrays themselves, by name
    places: Places  # those that the change will write to
    cells: dict[str, NDArray[Any]]  # what the arrays held there
    columns: dict[int, Codes]  # codes by attribute that were renumbered, as they were


_GIVEN = ("numbers", "codes", "classes", "targets", "times", "arrival", "hashes")
_KEPT = (*_GIVEN, "own_weights")
_FEW = 8  # rows whose numbers are found faster one by one than by search


class Rows:
    """A dense store: row i is column i of every array; the last row fills a hole.

    The arrays have room to spare behind `n_rows`, all zeros. `arrival` numbers the
    rows from 0 as they came, without those that went.

    Unneeded arrays take no memory: codes and numbers of rows have the
    smallest type that holds them and get a larger one when they must, `own_weights`
    has no rows where all weigh 1, and ids that are the numbers of arrival are not
    kept at all.
    """

    def __init__(
        self, n_numeric: int, n_attributes: int, n_targets: int, n_times: int
    ) -> None:
        self.n_rows = 0
        self.numbers = np.zeros((n_numeric, 0))
        self.codes: Codes = np.zeros((n_attributes, 0), np.int8)
        self.classes: Codes = np.zeros(0, np.int8)
        self.targets = np.zeros((n_targets, 0))
        self.own_weights = np.zeros((0, 0))
        self.times = np.zeros((n_times, 0))
        self.arrival: Codes = np.zeros(0, np.int8)
        self.hashes = np.zeros((0, 0), np.uint64)
        self._ids: Ids | None = None

    @property
    def capacity(self) -> int:
        """How many rows fit before the arrays must grow."""
        return len(self.classes)

    @property
    def weights(self) -> Floats:
        """How much each row counts; not to be written to."""
        if len(self.own_weights):
            return self.own_weights[0, : self.n_rows]
        return np.broadcast_to(np.float64(1.0), self.n_rows)

    @property
    def ids(self) -> Ids:
        """The rows' ids."""
        if self._ids is None:
            return self.arrival[: self.n_rows].astype(np.int64)
        return self._ids

    @property
    def names(self) -> Ids | Codes:
        """The rows' ids to look others up in, numbers of the type that they are in."""
        return self.arrival[: self.n_rows] if self._ids is None else self._ids

    @property
    def has_text_ids(self) -> bool:
        """Whether rows have text for ids."""
        return self._ids is not None and self._ids.dtype == object

    def unpack(self) -> None:
        """Have all that rows do without in a file; see `PackedRows`."""

    def narrow(self) -> Narrow:
        """The codes as the kernels take them."""
        return Narrow(self.codes)

    def places_of(self, ids: Ids) -> Places:
        """Where the rows with some of these ids lie."""
        present = self.names
        if not len(present) or (present.dtype == object) != (ids.dtype == object):
            return np.zeros(0, np.int64)
        return np.flatnonzero(are_among(present, ids))

    def ids_at(self, places: Places) -> Ids:
        """The ids of some rows."""
        if self._ids is None:
            return self.arrival[places].astype(np.int64)
        return self._ids[places]

    def append(self, batch: CodedRows) -> Places:
        """Put rows behind the last one; the places they got."""
        first, last = self.n_rows, self.n_rows + len(batch)
        self._fit_types(batch)
        self._reserve(last)
        for name in _GIVEN:
            getattr(self, name)[..., first:last] = getattr(batch, name)
        self.own_weights[..., first:last] = batch.weights
        if self._ids is not None or not np.array_equal(batch.ids, batch.arrival):
            self._ids = np.concatenate([self.ids, batch.ids])
        self.n_rows = last
        return np.arange(first, last)

    def keep_hashes(self, hashes: NDArray[np.uint64]) -> None:
        """Keep the hashes of all rows from now on."""
        self.hashes = np.zeros((1, self.capacity), np.uint64)
        self.hashes[0, : self.n_rows] = hashes

    def live(self) -> CodedRows:
        """All rows, without the room behind them."""
        arrays = {n: getattr(self, n)[..., : self.n_rows] for n in _GIVEN}
        return CodedRows(**arrays, weights=self.weights, ids=self.ids)

    def take(self, places: Places) -> CodedRows:
        """Some of the rows, codes as int32."""
        taken = {n: getattr(self, n)[..., places] for n in _GIVEN}
        for name, kind in (
            ("codes", np.int32),
            ("classes", np.int32),
            ("arrival", np.int64),
        ):
            taken[name] = taken[name].astype(kind, copy=False)
        ids = taken["arrival"].copy() if self._ids is None else self._ids[places]
        return CodedRows(**taken, weights=self.weights[places], ids=ids)

    def moves(self, gone: Places) -> tuple[Places, Places]:
        """Which of the last rows go where when the rows `gone` are taken out."""
        left = self.n_rows - len(gone)
        if len(gone) == 1:
            is_last = gone[0] == left
            return (NO_ROWS, NO_ROWS) if is_last else (np.array([left]), gone)
        tail = np.setdiff1d(np.arange(left, self.n_rows), gone)
        holes = np.sort(gone[gone < left])
        return tail, holes

    def remove(self, gone: Places) -> None:
        """Take rows out: the last rows fill their places, what is behind is zero."""
        tail, holes = self.moves(gone)
        left = self.n_rows - len(gone)
        self._ids = self._ids_without(gone, tail, holes)
        self.arrival = self._numbered_without(gone)
        for name in _KEPT:
            array = getattr(self, name)
            array[..., holes] = array[..., tail]
            array[..., left : self.n_rows] = 0
        self.n_rows = left

    def _ids_without(self, gone: Places, tail: Places, holes: Places) -> Ids | None:
        """The ids of the rows left; none to keep if those that came last go."""
        left = self.n_rows - len(gone)
        if self._ids is None and (self.arrival[gone] >= left).all():
            return None
        ids = self.ids.copy()
        ids[holes] = ids[tail]
        return ids[:left].copy()

    def _numbered_without(self, gone: Places) -> Codes:
        """Numbers of arrival without gaps: they do not reveal removed rows."""
        arrival = self.arrival.copy()
        live = arrival[: self.n_rows]
        numbers = np.sort(live[gone])
        if len(numbers) > _FEW:
            live -= np.searchsorted(numbers, live)
        else:  # the highest first, so that the others are still what they were
            for number in numbers[::-1].tolist():
                live -= live > number
        return arrival

    def trimmed(self) -> "Rows":
        """The same rows without room, which would reveal how many there were before."""
        rows = shallow(self)
        for name in _GIVEN:
            setattr(rows, name, getattr(self, name)[..., : self.n_rows].copy())
        for name in ("codes", "classes", "arrival"):
            setattr(rows, name, _narrowed(getattr(rows, name)))
        has_weights = bool((self.weights != 1).any())
        rows.own_weights = self.weights[None][:has_weights].copy()
        return rows

    def relabel(self, attribute: int, moved: NDArray[np.int32], mark: RowsMark) -> None:
        """Follow a map of an attribute's codes; missing stays missing."""
        name = "classes" if attribute == CLASSES else "codes"
        self._widen(name, moved.max(initial=0))
        array = self.classes if attribute == CLASSES else self.codes[attribute]
        codes = array[: self.n_rows]
        mark.columns[attribute] = codes.copy()
        codes[:] = np.append(moved, np.int32(MISSING))[codes]

    def recode(self, attribute: int, codes: Codes) -> None:
        """Give all rows other codes of an attribute."""
        self._widen("codes", codes.max(initial=0))
        self.codes[attribute, : self.n_rows] = codes

    def mark(self, places: Places = NO_ROWS) -> RowsMark:
        """Note what a change may touch; `places` are of rows that go or move."""
        arrays = {name: getattr(self, name) for name in _KEPT}
        cells = {name: array[..., places] for name, array in arrays.items()}
        return RowsMark(self.n_rows, self._ids, arrays, places, cells, {})

    def restore(self, mark: RowsMark) -> None:
        """Take back all that was changed since the mark was made."""
        codes, classes = mark.arrays["codes"], mark.arrays["classes"]
        for attribute, old in mark.columns.items():
            # Of the rows left by then; the others are among the cells.
            array = classes if attribute == CLASSES else codes[attribute]
            array[: len(old)] = old
        for name, array in mark.arrays.items():
            array[..., mark.places] = mark.cells[name]
            array[..., mark.n_rows :] = 0
            setattr(self, name, array)
        self._ids, self.n_rows = mark.ids, mark.n_rows

    def _fit_types(self, batch: CodedRows) -> None:
        """Have types that hold what further rows bring."""
        self._widen("codes", batch.codes.max(initial=0))
        self._widen("classes", batch.classes.max(initial=0))
        n_rows = self.n_rows + len(batch)
        self._widen("arrival", n_rows)
        if not len(self.own_weights) and (batch.weights != 1).any():
            self.own_weights = np.zeros((1, self.capacity))
            self.own_weights[0, : self.n_rows] = 1.0

    def _widen(self, name: str, largest: int) -> None:
        """Give an array a type that holds a number; never a smaller one."""
        array, kind = getattr(self, name), narrowest(int(largest))
        if kind.itemsize > array.itemsize:
            setattr(self, name, array.astype(kind))

    def _reserve(self, n_rows: int) -> None:
        if n_rows <= self.capacity:
            return
        # Little room behind the first rows, since many never get more; then a quarter.
        capacity = n_rows + n_rows // (4 if self.n_rows else 32) + 64
        for name in _KEPT:
            old = getattr(self, name)
            new = np.zeros((*old.shape[:-1], capacity), old.dtype)
            new[..., : self.n_rows] = old[..., : self.n_rows]
            setattr(self, name, new)


def are_among(ids: Ids | Codes, wanted: Ids | Codes) -> NDArray[np.bool_]:
    """Which ids are among others, of the same kind.

    Text is looked up by its hash, or compared where there is little to look for:
    `np.isin` would compare every pair, or sort text.

    Examples
    --------
    >>> are_among(np.array(["a", "b", "c"], object), np.array(["b"], object))
    array([False,  True, False])
    """
    if ids.dtype != object or wanted.dtype != object:
        return np.isin(ids, wanted)
    if len(ids) <= _FEW:
        places = range(len(ids))  # not ids[i]: numpy cuts its NULs
        return np.array([(wanted == ids[i : i + 1]).any() for i in places], bool)
    known = set(wanted.tolist())
    return np.fromiter((name in known for name in ids.tolist()), bool, len(ids))


def narrowest(largest: int) -> np.dtype[np.signedinteger[Any]]:
    """The smallest type for numbers from -1 up to the largest."""
    for kind in (np.int8, np.int16, np.int32):
        if largest <= np.iinfo(kind).max:
            return np.dtype(kind)
    return np.dtype(np.int64)


def _narrowed(numbers: Codes) -> Codes:
    return numbers.astype(narrowest(int(numbers.max(initial=0))), copy=False)


def own_arrays(holder: object) -> None:
    """Replace an object's arrays that cannot be written to by copies."""
    for name, value in vars(holder).items():
        if isinstance(value, np.ndarray) and not value.flags.writeable:
            setattr(holder, name, np.array(value))
        elif isinstance(value, list):
            owned = [np.array(a) if isinstance(a, np.ndarray) else a for a in value]
            setattr(holder, name, owned)
