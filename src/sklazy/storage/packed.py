"""Rows of a file: their codes are read from bit sets until all are needed.

A row of an attribute with up to `MOST_BIT_VALUES` values is in the set of its value, or
in none where the cell is missing. So codes take no room beside the sets; attributes of
more values have no sets and keep their codes.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.rows import CodedRows, Codes, Ids, Places, Rows, narrowest
from sklazy.flow import MISSING, Narrow
from sklazy.forking import cached_property
from sklazy.kernels.bits import read_sets
from sklazy.storage.stored_ids import Runs, read_texts

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]

STEP = 1 << 16
"""Rows that are packed or unpacked at once."""

_PER_BIT = 1e-9  # seconds that numpy takes
_MANY = 64  # rows side by side that are read faster by words


class Packing(NamedTuple):
    """Where the codes of rows lie."""

    # (n_attributes,), the first set of each attribute, -1 where its codes are kept.
    starts: Ints
    widths: Ints  # (n_attributes,), the number of its values
    value_bits: Words  # (n_sets + 1, n_words)
    # (n_kept, capacity), the codes of the attributes without sets, in their order.
    kept: Codes

    def at(self, places: Places) -> NDArray[np.int32]:
        """The codes of rows at some places, (n_attributes, n_places)."""
        if len(places) > _MANY and (np.diff(places) == 1).all():
            return self._between(int(places[0]), int(places[-1]) + 1)
        codes = np.full((len(self.starts), len(places)), MISSING, np.int32)
        word, bit = places >> 6, (places & 63).astype(np.uint64)
        for j, start in enumerate(self.starts.tolist()):
            if start < 0:
                codes[j] = self.kept[self._kept_place(j), places]
                continue
            sets = self.value_bits[start : start + self.widths[j]]
            value, row = np.nonzero(sets[:, word] >> bit & np.uint64(1))
            codes[j, row] = value
        return codes

    def _between(self, first: int, last: int) -> NDArray[np.int32]:
        """The codes of rows side by side."""
        codes = np.empty((len(self.starts), last - first), np.int32)
        begin = first & ~63  # where a word begins
        for j in range(len(self.starts)):
            codes[j] = self._read(j, begin, last)[first - begin :]
        return codes

    def column(self, attribute: int, n_rows: int) -> Codes:
        """The codes of an attribute in the smallest type that holds them."""
        if self.starts[attribute] < 0:
            return self._read(attribute, 0, n_rows)
        codes = np.empty(n_rows, np.int8)
        for first in range(0, n_rows, STEP):
            last = min(n_rows, first + STEP)
            codes[first:last] = self._read(attribute, first, last)
        return codes

    def _read(self, attribute: int, first: int, last: int) -> Codes:
        """The codes of an attribute from a row that begins a word."""
        start, width = int(self.starts[attribute]), int(self.widths[attribute])
        if start < 0:
            return self.kept[self._kept_place(attribute), first:last]
        codes = np.full(last - first, MISSING, np.int8)
        if read_sets.is_due(_PER_BIT * width * len(codes)):
            read_sets(self.value_bits, start, width, first >> 6, codes)
            return codes
        for value in range(width):
            codes[self._members(start + value, first, last - first)] = value
        return codes

    def _members(self, number: int, first: int, n_rows: int) -> NDArray[np.bool_]:
        """Which rows, from one that begins a word, are in a set."""
        words = self.value_bits[number, first >> 6 : (first + n_rows + 63) >> 6]
        little = np.ascontiguousarray(words, "<u8").view(np.uint8)
        return np.unpackbits(little, count=n_rows, bitorder="little").view(np.bool_)

    def _kept_place(self, attribute: int) -> int:
        return int((self.starts[:attribute] < 0).sum())


def pack_column(codes: Codes, n_values: int) -> Words:
    """The sets of rows with each value, (n_values, n_words)."""
    bits, n_bytes = np.zeros((n_values, (len(codes) + 63) >> 6), "<u8"), len(codes) + 7
    codes = codes.astype(np.int8 if n_values <= 127 else codes.dtype, copy=False)
    for value, members in enumerate(bits.view(np.uint8)):
        members[: n_bytes >> 3] = np.packbits(codes == value, bitorder="little")
    return bits


_FEW = 1 << 16  # rows whose codes are read one by one
_OF_ROWS = ("numbers", "classes", "targets", "own_weights", "times")


class PackedRows(Rows):
    """Rows as they lie in a file; what these do without is found when asked for.

    The codes are read from bit sets, numbers of arrival and ids that count up from
    runs. A change must `unpack` them first: it writes to the sets.
    """

    def __init__(
        self,
        arrays: dict[str, NDArray[Any]],
        n_rows: int,
        packing: Packing,
        runs: Runs,
    ) -> None:
        self.n_rows, self.packing, self.runs = n_rows, packing, runs
        for name in _OF_ROWS:
            setattr(self, name, arrays[name])
        self.hashes = np.zeros((0, self.capacity), np.uint64)
        self.ids_kept, self.texts = arrays["ids"], arrays["texts"]

    @property
    def is_unpacked(self) -> bool:
        """Whether all that is derived was asked for."""
        return "codes" in vars(self)

    def unpack(self) -> None:
        """Find all that is derived: the sets may change from now on."""
        for name in ("codes", "arrival", "_ids"):
            getattr(self, name)

    def narrow(self) -> Narrow:
        """The codes as the kernels take them."""
        return PackedCodes(self)

    @cached_property
    def codes(self) -> Codes:
        """The codes of all rows."""
        columns = [
            self.packing.column(j, self.n_rows) for j in range(self.n_attributes)
        ]
        kind = max((c.dtype for c in columns), key=lambda kind: kind.itemsize)
        codes = np.zeros((self.n_attributes, self.capacity), kind)
        for j, column in enumerate(columns):
            codes[j, : self.n_rows] = column
        return codes

    @cached_property
    def arrival(self) -> Codes:
        """The rows' numbers in order of arrival."""
        arrival = np.zeros(self.capacity, narrowest(self.n_rows))
        arrival[: self.n_rows] = self.runs.ranks(np.arange(self.n_rows))
        return arrival

    @cached_property
    def _ids(self) -> Ids | None:
        every = np.arange(self.n_rows)
        return None if self._numbered else self._ids_at(every)

    @property
    def n_attributes(self) -> int:
        """How many columns there are codes of."""
        return len(self.packing.starts)

    @property
    def has_text_ids(self) -> bool:
        """Whether rows have text for ids."""
        return super().has_text_ids if self.is_unpacked else self._has_texts

    def places_of(self, ids: Ids) -> Places:
        """Where the rows with some of these ids lie."""
        if self.is_unpacked or self._has_texts or len(self.ids_kept):
            return super().places_of(ids)
        if ids.dtype == object:
            return np.zeros(0, np.int64)
        places = self.runs.find(ids)  # type: ignore[arg-type]
        return np.unique(places[places >= 0])

    def ids_at(self, places: Places) -> Ids:
        """The ids of some rows."""
        return super().ids_at(places) if self.is_unpacked else self._ids_at(places)

    def take(self, places: Places) -> CodedRows:
        """Some of the rows, codes as int32."""
        if self.is_unpacked:
            return super().take(places)
        return CodedRows(
            self.numbers[:, places],
            self.packing.at(places),
            self.classes[places].astype(np.int32),
            self.targets[:, places],
            self.weights[places],
            self.times[:, places],
            self.runs.ranks(places),
            self.hashes[:, places],
            self._ids_at(places),
        )

    def trimmed(self) -> Rows:
        """The same rows without room, unpacked."""
        self.unpack()
        plain, unpacked = object.__new__(Rows), vars(self)
        names = ("n_rows", "hashes", "codes", "arrival", "_ids", *_OF_ROWS)
        vars(plain).update({name: unpacked[name] for name in names})
        return plain.trimmed()

    @property
    def _has_texts(self) -> bool:
        return self.texts.shape[1] > 0

    @property
    def _numbered(self) -> bool:
        """Whether ids are the numbers of arrival."""
        return not (self._has_texts or len(self.ids_kept)) and self.runs.count_up

    def _ids_at(self, places: Places) -> Ids:
        if self._has_texts:
            return read_texts(self.texts[places])
        return (
            self.ids_kept[places] if len(self.ids_kept) else self.runs.numbers(places)
        )


class PackedCodes(Narrow):
    """Codes that are read from bit sets, as many as are asked for."""

    __slots__ = ("_rows",)

    def __init__(self, rows: PackedRows) -> None:
        self._rows, self._whole, self._some = rows, None, None

    @property
    def kept(self) -> Codes:  # type: ignore[override]
        """All of them."""
        return self._rows.codes

    def __len__(self) -> int:
        return self._rows.n_attributes

    def __getitem__(self, at: Any) -> NDArray[np.int32]:  # noqa: ANN401 - any index
        rows = self._rows
        if not rows.is_unpacked and isinstance(at, tuple) and len(at) == 2:
            which, where = at
            if isinstance(where, np.ndarray) and where.dtype.kind in "iu":
                if where.ndim == 1 and len(where) <= _FEW:
                    return rows.packing.at(where)[which]
            elif isinstance(where, int | np.integer):
                return rows.packing.at(np.array([where]))[which, 0]
            elif isinstance(which, int | np.integer) and _is_all(where, rows.n_rows):
                return rows.packing.column(int(which), rows.n_rows).astype(np.int32)
        return super().__getitem__(at)

    @property
    def shape(self) -> tuple[int, ...]:
        """As of the array of all."""
        return len(self), self._rows.capacity

    @property
    def size(self) -> int:
        """As of the array of all."""
        return len(self) * self._rows.capacity


def _is_all(where: object, n_rows: int) -> bool:
    return isinstance(where, slice) and where == slice(n_rows)
