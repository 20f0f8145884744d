"""Ids of rows in a file: numbers as runs, texts as bytes of one length for all."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class Runs(NamedTuple):
    """A number for each row, none twice, of which neighbors are mostly one apart.

    Examples
    --------
    >>> runs = Runs.of(np.array([0, 1, 9, 3, 4]))
    >>> runs.starts, runs.firsts
    (array([0, 2, 3]), array([0, 9, 3]))
    >>> runs.ranks(np.arange(5))
    array([0, 1, 4, 2, 3])
    >>> runs.find(np.array([9, 2]))
    array([ 2, -1])
    """

    # (n_runs,), the place where each run begins, ascending, the first at 0.
    starts: Ints
    firsts: Ints  # (n_runs,), the number there
    n_rows: int

    @classmethod
    def of(cls, numbers: Ints) -> "Runs":
        """The runs of some numbers."""
        breaks = np.flatnonzero(np.diff(numbers) != 1) + 1
        starts = np.append(np.zeros(min(len(numbers), 1), np.int64), breaks)
        return cls(starts, numbers[starts].astype(np.int64), len(numbers))

    def numbers(self, places: Ints) -> Ints:
        """The numbers of rows at some places."""
        run = np.searchsorted(self.starts, places, side="right") - 1
        return self.firsts[run] + (places - self.starts[run])

    def ranks(self, places: Ints) -> Ints:
        """How many rows have a lower number than those at some places."""
        run = np.searchsorted(self.starts, places, side="right") - 1
        order, lengths = np.argsort(self.firsts), self._lengths()
        lower = np.empty_like(self.firsts)
        lower[order] = np.cumsum(lengths[order]) - lengths[order]
        return lower[run] + (places - self.starts[run])

    def find(self, numbers: Ints) -> Ints:
        """The places of rows with some numbers, -1 for those that no row has."""
        if not len(self.firsts):
            return np.full(len(numbers), -1, np.int64)
        order = np.argsort(self.firsts)
        run = order[np.searchsorted(self.firsts[order], numbers, side="right") - 1]
        beyond = numbers - self.firsts[run]
        is_there = (beyond >= 0) & (beyond < self._lengths()[run])
        return np.where(is_there, self.starts[run] + beyond, -1)

    def without(self, tail: Ints, holes: Ints, left: int) -> "Runs":
        """The runs once the rows at `tail` lie in holes and `left` rows are left."""
        starts = np.unique(np.concatenate([self.starts, holes, holes + 1]))
        starts = starts[starts < left]
        firsts = self.numbers(starts)
        firsts[np.searchsorted(starts, holes)] = self.numbers(tail)
        return Runs(starts, firsts, left)._merged()

    def in_order(self) -> "Runs":
        """The runs of the numbers once rows are sorted by them."""
        order, lengths = np.argsort(self.firsts), self._lengths()
        starts = np.cumsum(lengths[order]) - lengths[order]
        return Runs(starts, self.firsts[order], self.n_rows)._merged()

    def lasts(self) -> Ints:
        """The number at the end of each run."""
        return self.firsts + self._lengths() - 1

    def sorted_spans(self) -> Iterator[tuple[int, int]]:
        """First place and length of each run, that of the lowest number first."""
        order = np.argsort(self.firsts)
        yield from zip(
            self.starts[order].tolist(), self._lengths()[order].tolist(), strict=True
        )

    def _merged(self) -> "Runs":
        """The same numbers in as few runs as there can be."""
        is_new = np.append(
            self.starts[:1] == 0, self.firsts[1:] != self.lasts()[:-1] + 1
        )
        return Runs(self.starts[is_new], self.firsts[is_new], self.n_rows)

    @property
    def count_up(self) -> bool:
        """Whether numbers are those of rows in their order, from 0."""
        return len(self.starts) <= 1 and not self.firsts.any()

    def _lengths(self) -> Ints:
        return np.diff(np.append(self.starts, self.n_rows))


def join_runs(runs: Sequence[Runs]) -> Runs:
    """The numbers of rows that lie one after the other."""
    places = np.cumsum([0, *(part.n_rows for part in runs)])
    pairs = list(zip(runs, places, strict=False))
    starts = np.concatenate([part.starts + place for part, place in pairs])
    firsts = np.concatenate([part.firsts for part in runs])
    return Runs(starts, firsts, int(places[-1]))._merged()


Bytes = NDArray[np.uint8]

_END = 0xFF  # no byte of UTF-8


def width_of(texts: Iterable[str]) -> int:
    """The bytes that the longest text takes, its end among them."""
    return max((len(_encoded(text)) for text in texts), default=0) + 1


def write_texts(texts: NDArray[Any], out: Bytes) -> None:
    """Write texts as bytes to `out` (n_rows, width)."""
    out[:] = 0
    for cells, text in zip(out, texts.tolist(), strict=True):
        data = np.frombuffer(_encoded(text), np.uint8)
        cells[: len(data)] = data
        cells[len(data)] = _END


def read_texts(written: Bytes) -> NDArray[np.object_]:
    """The texts that were written.

    Examples
    --------
    >>> written = np.zeros((2, 4), np.uint8)
    >>> write_texts(np.array(["ab", ""], object), written)
    >>> read_texts(written)
    array(['ab', ''], dtype=object)
    """
    texts = np.empty(len(written), object)
    for row, cells in enumerate(written):
        data = cells.tobytes()
        texts[row] = data[: data.index(_END)].decode("utf-8", "surrogatepass")
    return texts


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
