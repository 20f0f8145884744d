"""Targets of predictions: a class or a number."""

from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.casebase.incoming import Target as GivenTarget
from sklazy.casebase.rows import CLASSES as CLASS_VOCABULARY
from sklazy.tables import Column, label_array

Kind = Literal["nominal", "numeric"]


class Target(Protocol):
    """The part of a learner that depends on what is predicted.

    Attributes
    ----------
    kind : {"nominal", "numeric"}
    """

    kind: Kind

    def of_case(self, base: CaseBase, row: int) -> GivenTarget:
        """The target of one case, as a case base takes it."""

    def recode(
        self, output: str, values: NDArray[Any], others: CaseBase, base: CaseBase
    ) -> NDArray[Any]:
        """An output of an answer by `others`, in the codes of `base`."""

    def decode(self, output: str, values: NDArray[Any], base: CaseBase) -> NDArray[Any]:
        """An output of an answer by `base`, without codes."""


class Classes:
    """Classes are predicted, numbered by the base that answers."""

    kind: Kind = "nominal"

    def of_case(self, base: CaseBase, row: int) -> GivenTarget:
        """The class of one case, as a column."""
        classes = base.cases.classes[row : row + 1]
        return Column("target", "nominal", classes, tuple(base.class_labels))

    def recode(
        self, output: str, values: NDArray[Any], others: CaseBase, base: CaseBase
    ) -> NDArray[Any]:
        """Number classes as `base` does: one may have left with its only case."""
        vocabulary = base.coder.vocabularies[CLASS_VOCABULARY]
        codes = vocabulary.lookup(list(others.class_labels))
        if output == "decisions":
            return codes[values]
        if output == "probabilities":
            wider = np.zeros((len(values), base.cases.class_counts.size))
            wider[:, codes] = values
            return wider
        return values

    def decode(self, output: str, values: NDArray[Any], base: CaseBase) -> NDArray[Any]:
        """The labels of decisions and votes."""
        if output not in _CODED:
            return values
        return base.derive(class_labels, lambda: class_labels(base))[values]


class Numbers:
    """Numbers are predicted, the same in every base."""

    kind: Kind = "numeric"

    def of_case(self, base: CaseBase, row: int) -> GivenTarget:
        """The numbers of one case, shape (1, n_targets)."""
        return base.cases.targets[:, row : row + 1].T

    def recode(
        self, output: str, values: NDArray[Any], others: CaseBase, base: CaseBase
    ) -> NDArray[Any]:
        """Numbers need no code."""
        return values

    def decode(self, output: str, values: NDArray[Any], base: CaseBase) -> NDArray[Any]:
        """Numbers have no code."""
        return values


def class_labels(base: CaseBase) -> NDArray[Any]:
    """The classes by code, as a new array."""
    return label_array(base.class_labels)


_CODED = ("decisions", "votes")
CLASSES = Classes()
NUMBERS = Numbers()
