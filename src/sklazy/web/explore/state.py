"""An immutable state of the cases."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.errors import UnknownIdError
from sklazy.forking import cached_property
from sklazy.methods.plain import describe_rows, target_names
from sklazy.tables import Label
from sklazy.web.explore.formats import list_features

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Value = Label | None


@dataclass(frozen=True, eq=False)
class State:
    """A model between two changes.

    Rows are numbered in order of arrival; `places` holds their positions in the base.

    Attributes
    ----------
    model : fitted lazy estimator
    version : int
        The number of changes before it.
    """

    model: Any
    version: int = 0

    @property
    def base(self) -> CaseBase:
        """The cases."""
        return self.model.cases_

    @cached_property
    def places(self) -> Ints:
        """The position of each row in the base, by its number."""
        return np.argsort(self.base.arrival)

    @property
    def n_rows(self) -> int:
        """The number of cases."""
        return self.base.n_rows

    @property
    def names(self) -> list[str]:
        """The attributes' names, months and weekdays of dates included."""
        return self.base.names

    @cached_property
    def features(self) -> list[str]:
        """The names of the user's columns that are learned from."""
        return list_features(self.base)

    @property
    def classifies(self) -> bool:
        """Whether classes are predicted."""
        return bool(self.base.class_labels)

    @property
    def task(self) -> Literal["classification", "regression"]:
        """The kind of prediction."""
        return "classification" if self.classifies else "regression"

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
        """The label of a class's code; a number is itself."""
        if not self.classifies:
            return float(truth) if np.isfinite(truth) else None
        return self.base.class_labels[int(truth)]

    def number_of(self, text: object) -> int:
        """The number of the row whose id reads like this."""
        rows = np.flatnonzero(self._id_texts == str(text))
        if not len(rows):
            raise UnknownIdError(f"there is no case {text!r}.")
        return int(rows[0])

    def search(self, text: str) -> NDArray[np.bool_]:
        """Rows whose id begins with a text, or contains it if none begins with it."""
        begins = np.char.startswith(self._id_texts, text)
        return begins if begins.any() else np.char.find(self._id_texts, text) >= 0

    def values(self, rows: Ints, names: list[str]) -> list[dict[str, Value]]:
        """The cells of rows, by feature."""
        where = {name: j for j, name in enumerate(self.names)}
        return describe_rows(self.base, self.places[rows], [where[n] for n in names])

    def column(self, name: str) -> tuple[int, bool]:
        """The index of a feature, and whether it is numeric."""
        if name not in self.names:
            raise UnknownIdError(f"there is no column {name!r}.")
        j = self.names.index(name)
        return j, bool(self.base.cases.numeric[j] >= 0)

    def cells(self, j: int, rows: Ints) -> NDArray[Any]:
        """The numbers of a feature, NaN if missing; or its codes, -1 if missing."""
        cases, places = self.base.cases, self.places[rows]
        if cases.numeric[j] >= 0:
            return cases.numbers[cases.numeric[j], places]
        return cases.codes[j, places]

    @cached_property
    def order(self) -> Ints:
        """The rows' numbers in a random order, the same every time."""
        return np.random.default_rng(0).permutation(self.n_rows)


def plain_id(value: Any) -> int | str:  # noqa: ANN401 - of an array of ids
    """An id for JSON."""
    return value if isinstance(value, str) else int(value)
