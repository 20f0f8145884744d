"""The cells of a column that were seen so far, in rows that pass by."""

from collections.abc import Iterable

import numpy as np

from sklazy.errors import BadInputError
from sklazy.flow import MISSING
from sklazy.tables.infer import (
    code_like,
    explain_labels,
    id_like,
    infer_kind,
    with_point,
)
from sklazy.tables.labels import canonical, encode
from sklazy.tables.reading import Reading
from sklazy.tables.table import Column, Kind, Label, Wish
from sklazy.tables.text import all_numbers
from sklazy.tables.thousands import are_groups, are_thousands_or_decimals
from sklazy.tables.understand import read_thousands, understand_column

MOST_LABELS = 1_000_000
"""A column of more different labels is not kept as one of labels."""

FEW_NUMBERS = 1000
"""The different numbers of a column that are known."""


class SeenCells:
    """Cells seen of a column.

    Attributes
    ----------
    n_known : int
        The cells that are not missing.
    numbers : set of float, or None for many
    needs_more : bool
        Whether words came among numbers that were not kept.
    """

    def __init__(
        self, name: str, *, is_text: bool, decimal: str, keep_all: bool
    ) -> None:
        self.name, self.n_known = name, 0
        self._is_plain_text, self._decimal = is_text, decimal
        self.keep_all = keep_all or not self._is_plain_text
        self.numbers: set[float] | None = set()
        self.needs_more = False
        self._labels: dict[Label, None] = {}
        self._declared: tuple[Label, ...] | None = None
        self._reading: Reading | None = None
        self._is_typed = self._has_words = self._is_dropped = False
        self._is_code, self._is_id = "", "not yet"
        self._are_groups, self._has_fractions = True, False

    def look(self, column: Column) -> None:
        """Take some cells in."""
        self.n_known += int((~column.missing).sum())
        if column.kind == "numeric" and self._is_plain_text:
            self._look_at_plain_numbers(column)
            return
        if column.kind == "numeric":
            # Cells that are all missing have no type: other files may have labels.
            self._is_typed, known = not self._labels, column.data[~column.missing]
            if len(known) or not self.n_known:
                self._reading = column.reading
            self._count(np.unique(known).tolist())
            return
        labels = column.used_labels()
        self._is_typed = self._is_typed and not labels
        if column.declared:
            self._declared = column.categories
        texts = [label for label in self._pointed(labels) if isinstance(label, str)]
        self._has_words |= not all_numbers(texts)
        self._are_groups = self._are_groups and are_groups(texts)
        if self._is_dropped:
            self._look_at_numbers(labels)
        elif len(self._labels) <= MOST_LABELS:
            self._labels.update(dict.fromkeys(labels))
        many = len(self._labels) > FEW_NUMBERS
        is_kept = self.keep_all or self._has_words or self._are_groups
        if many and not is_kept:
            self._drop_labels()

    def _look_at_plain_numbers(self, column: Column) -> None:
        """Take in numbers of text that are neither codes nor ids."""
        self._are_groups = False
        self._has_fractions |= bool((column.data[~column.missing] % 1.0).any())
        if not self._is_dropped:
            self._drop_labels()
        self._is_id = ""
        if self.numbers is not None:
            self._count(np.unique(column.data[~column.missing]).tolist())

    def _drop_labels(self) -> None:
        self._look_at_numbers(self._labels)
        self._labels, self._is_dropped = {}, True

    def lacks_labels(self, wish: Wish | None) -> bool:
        """Whether numbers that were not kept are to be read as labels after all."""
        if self.needs_more or not self._is_dropped or wish in ("ignore", "nominal"):
            return self.needs_more
        return self._infer_kind(wish)[0] == "nominal"

    def _count(self, numbers: Iterable[float]) -> None:
        if self.numbers is not None:
            self.numbers.update(numbers)
            if len(self.numbers) > FEW_NUMBERS:
                self.numbers = None

    def _look_at_numbers(self, labels: Iterable[Label]) -> None:
        texts = set(map(str, self._pointed(labels)))
        self.needs_more |= self._has_words
        if not self._has_words:
            self._count(map(float, texts))
            self._has_fractions |= any(float(text) % 1.0 for text in texts)
        self._is_code = self._is_code or code_like(texts)
        if texts and self._is_id:
            self._is_id = id_like(self.name, texts)

    @property
    def reading(self) -> Reading | None:
        """How typed cells are read."""
        return self._reading if self._is_typed else None

    @property
    def texts(self) -> list[str]:
        """The distinct texts of a column that may have to be understood."""
        is_open = not (self._is_typed or self._is_dropped or self._declared)
        are_texts = is_open and all(isinstance(l, str) for l in self._labels)
        return [str(label).strip() for label in self._labels] if are_texts else []

    def has_decimal_points(self, wish: Wish | None) -> bool:
        """Whether these are plain numbers of text, some of which are not whole."""
        is_open = wish is None and are_thousands_or_decimals(self.texts)
        if is_open or not self._is_plain_text or self._infer_kind(wish)[0] != "numeric":
            return False
        numbers = map(float, self._pointed(self._labels))
        return self._has_fractions or any(number % 1.0 for number in numbers)

    def read_thousands(self, reading: Reading, notes: list[str]) -> Column:
        """The column as numbers whose points separate thousands."""
        column = read_thousands(self._as_labels(), reading, self.texts, notes)
        self._count(column.data[~column.missing].tolist())
        return column

    def understood(
        self, wish: Wish | None, notes: list[str], forms: Iterable[str]
    ) -> Column:
        """The column as it is understood; not all of its cells are there."""
        known = self._column(wish, notes)
        column = understand_column(known, wish, notes, tuple(forms))
        if known.kind != column.kind:
            self._count(column.data[~column.missing].tolist())
        is_plain = column.kind == "nominal" and column.reading is None
        if is_plain and len(self._labels) > MOST_LABELS:
            raise BadInputError(
                f"column {self.name!r} has more than {MOST_LABELS} different labels; "
                f"leave it out with kinds={{{self.name!r}: 'ignore'}}."
            )
        return column

    def _column(self, wish: Wish | None, notes: list[str]) -> Column:
        if self._is_typed:
            data = np.array([0.0] if self.n_known else [np.nan])
            return Column(self.name, "numeric", data, reading=self._reading)
        kind, note = self._infer_kind(wish)
        if note:
            notes.append(f"column {self.name!r} is taken as {kind}: {note}")
        if kind == "numeric":
            if not self._is_dropped:
                self._count(map(float, self._pointed(self._labels)))
            data = np.array([0.0] if self.n_known else [np.nan])
            return Column(self.name, "numeric", data)
        return self._as_labels()

    def _pointed(self, labels: Iterable[Label]) -> list[Label]:
        """Labels as numbers are written, with a decimal point."""
        mark = self._decimal
        return [with_point(l, mark) if isinstance(l, str) else l for l in labels]

    def _infer_kind(self, wish: Wish | None) -> tuple[Kind, str]:
        if not self._is_plain_text:
            return "nominal", ""
        if wish is not None:
            are_numbers = wish == "numeric" and not self._has_words
            return ("numeric" if are_numbers else "nominal"), ""
        if not self._is_dropped:
            return infer_kind(self.name, list(map(str, self._pointed(self._labels))))
        note = self._is_code or self._is_id
        return ("nominal", explain_labels(self.name, note)) if note else ("numeric", "")

    def _as_labels(self) -> Column:
        """The labels, each at least once, and some more of the known cells.

        Their number only matters for whether cells nearly all differ.
        """
        column = encode(self.name, canonical(self._labels), self._declared)
        n_labels = len(self._labels)
        n_more = min(self.n_known - n_labels, 20 * n_labels)
        codes = np.append(column.data, np.repeat(column.data[:1], n_more))
        if not self.n_known:
            codes = np.array([MISSING], np.int32)
        declared = self._declared is not None
        return Column(
            self.name, "nominal", codes.astype(np.int32), column.categories, declared
        )
