"""The labels of a nominal column: numbered in canonical order, counted by rows."""

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import UNSEEN
from sklazy.tables import Label, canonical

Codes = NDArray[np.int32]
LabelsMark = tuple[list[Label], NDArray[np.int64]]


class Vocabulary:
    """Labels in canonical order with the number of rows that have each.

    Declared labels come first, in the order declared, and stay without rows. Any
    other label is there because of its rows, and goes with the last of them; where
    other parts may use it (`pinned`), it stays until `renumber`.
    """

    pinned = False

    def __init__(self, declared: Sequence[Label] = ()) -> None:
        self.declared = len(declared)
        self.labels: list[Label] = list(declared)
        self.counts = np.zeros(len(declared), np.int64)
        self._codes: dict[Label, int] | None = None
        self._hashes: NDArray[np.uint64] | None = None
        self._words: dict[Label, int] | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def lookup(self, labels: Iterable[Label]) -> Codes:
        """The codes of labels, `UNSEEN` for those not here."""
        codes = self._numbered()
        return np.array([codes.get(label, UNSEEN) for label in labels], np.int32)

    def words(self) -> dict[Label, int]:
        """The codes by label where all labels are strings; else empty."""
        if self._words is None:
            are_words = all(type(label) is str for label in self.labels)
            self._words = self._numbered() if are_words else {}
        return self._words

    def _numbered(self) -> dict[Label, int]:
        if self._codes is None:
            self._codes = {label: i for i, label in enumerate(self.labels)}
        return self._codes

    def admit(self, labels: Iterable[Label]) -> Codes | None:
        """Take in new labels; the map from old codes to new ones if any moved."""
        known = self.lookup(labels := list(labels))
        new = {label for label, code in zip(labels, known, strict=True) if code < 0}
        if not new:
            return None
        old = self.labels
        extra = canonical([*old[self.declared :], *new])
        self._renumber([*old[: self.declared], *extra])
        moved = self.lookup(old)
        counts = np.zeros(len(self.labels), np.int64)
        counts[moved] = self.counts
        self.counts = counts
        return moved

    def tally(self, codes: Codes, step: int) -> None:
        """Count rows in (step 1) or out (step -1) by their codes."""
        if len(codes) == 1:
            code = int(codes[0])
            if code >= 0:
                self.counts = self.counts.copy()
                self.counts[code] += step
            return
        rows = np.bincount(codes[codes >= 0], minlength=len(self))
        self.counts = self.counts + step * rows

    def retire(self) -> Codes | None:
        """Drop undeclared labels without rows; the map of codes if any went."""
        keep = self.counts > 0
        keep[: self.declared] = True
        if keep.all() or self.pinned:
            return None
        moved = np.where(keep, np.cumsum(keep) - 1, UNSEEN).astype(np.int32)
        self._renumber([l for l, kept in zip(self.labels, keep, strict=True) if kept])
        self.counts = self.counts[keep]
        return moved

    def renumber(self, labels: list[Label]) -> Codes | None:
        """Take these labels, all in use among them; the map of codes if any moved."""
        old, counts = self.labels, np.zeros(len(labels), np.int64)
        if old == labels:
            self.labels, self._words = labels, None  # 1 for True, maybe
            return None
        self._renumber(labels)
        moved = self.lookup(old)
        counts[moved[moved >= 0]] = self.counts[moved >= 0]
        self.counts = counts
        return moved

    def mark(self) -> LabelsMark:
        """The current labels and counts, for `restore`: a change makes new ones."""
        return self.labels, self.counts

    def restore(self, mark: LabelsMark) -> None:
        """Take back all that was changed since the mark was made."""
        self._renumber(mark[0])
        self.counts = mark[1]

    def hashes(self) -> NDArray[np.uint64]:
        """A number a label that depends on nothing but the label."""
        if self._hashes is None:
            self._hashes = np.array([_label_hash(l) for l in self.labels], np.uint64)
        return self._hashes

    def _renumber(self, labels: list[Label]) -> None:
        self.labels = labels
        self._codes = self._hashes = self._words = None


def plain_label(label: Label) -> Label:
    """The label with a bool, and a whole float, as the integer that it equals."""
    is_whole = isinstance(label, float) and label.is_integer()
    return int(label) if is_whole or isinstance(label, bool) else label


def _label_hash(label: Label) -> int:
    text = f"s{label}" if isinstance(label, str) else f"n{plain_label(label)!r}"
    data = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")
