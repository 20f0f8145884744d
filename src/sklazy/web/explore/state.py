"""One state of the cases, which nobody changes any more, as pages see it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.errors import UnknownIdError
from sklazy.receipts.plain import describe_rows, target_names
from sklazy.tables import Label

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Value = Label | None


@dataclass(frozen=True, eq=False)
class State:
    """A model between two changes.

    Rows are numbered in order of arrival; `places` says where they lie in the base.

    Attributes
    ----------
    model : fitted lazy estimator
    version : int
        How many changes came before.
    """

    model: Any
    version: int = 0

    @property
    def base(self) -> CaseBase:
        """The cases."""
        return self.model.cases_

    @cached_property
    def places(self) -> Ints:
        """Where each row lies in the base, by its number."""
        return np.argsort(self.base.arrival)

    @property
    def n_rows(self) -> int:
        """How many cases there are."""
        return self.base.n_rows

    @property
    def names(self) -> list[str]:
        """The attributes' names."""
        return self.base.names

    @property
    def classifies(self) -> bool:
        """Whether classes are predicted."""
        return bool(self.base.class_labels)

    @property
    def target(self) -> str:
        """The target's name; of several, the first one's."""
        return target_names(self.base)[0]

    @cached_property
    def ids(self) -> NDArray[Any]:
        """The rows' ids, by number."""
        return self.base.ids[self.places]

    @cached_property
    def _id_texts(self) -> NDArray[np.str_]:
        return self.ids.astype(str)

    @cached_property
    def truths(self) -> NDArray[Any]:
        """The classes' codes, or the numbers, by row."""
        cases = self.base.cases
        if self.classifies:
            return cases.classes[self.places]
        return cases.targets[0, self.places]

    def truth(self, row: int) -> Value:
        """The target of a row: a label or a number."""
        return self.label(self.truths[row])

    def label(self, truth: Any) -> Value:  # noqa: ANN401 - a code, or a number
        """What a class's code stands for; a number is itself."""
        if not self.classifies:
            return float(truth) if np.isfinite(truth) else None
        return self.base.class_labels[int(truth)]

    def number_of(self, text: object) -> int:
        """The number of the row whose id reads like this."""
        found = np.flatnonzero(self._id_texts == str(text))
        if not len(found):
            raise UnknownIdError(f"there is no case {text!r}.")
        return int(found[0])

    def search(self, text: str) -> NDArray[np.bool_]:
        """Which rows have an id that begins with a text, or holds it if none does."""
        begins = np.char.startswith(self._id_texts, text)
        return begins if begins.any() else np.char.find(self._id_texts, text) >= 0

    def values(self, rows: Ints, names: list[str]) -> list[dict[str, Value]]:
        """The cells of rows, by attribute."""
        where = {name: j for j, name in enumerate(self.names)}
        return describe_rows(self.base, self.places[rows], [where[n] for n in names])

    def column(self, name: str) -> tuple[int, bool]:
        """Where an attribute stands, and whether it holds numbers."""
        if name not in self.names:
            raise UnknownIdError(f"there is no column {name!r}.")
        j = self.names.index(name)
        return j, bool(self.base.cases.numeric[j] >= 0)

    def cells(self, j: int, rows: Ints) -> NDArray[Any]:
        """The numbers of an attribute, NaN where missing; or codes, -1 there."""
        cases, places = self.base.cases, self.places[rows]
        if cases.numeric[j] >= 0:
            return cases.numbers[cases.numeric[j], places]
        return cases.codes[j, places]

    @cached_property
    def order(self) -> Ints:
        """The rows' numbers as if by lot, the same every time."""
        return np.random.default_rng(0).permutation(self.n_rows)
