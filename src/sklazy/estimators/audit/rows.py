"""Rows of a case base in the user's terms."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.receipts.plain import describe_rows, number
from sklazy.tables import Label


def id_of(base: CaseBase, row: int) -> int | str:
    """The id of a row."""
    return base.ids[row : row + 1].tolist()[0]


def target_of(base: CaseBase, row: int) -> Label | float | None:
    """The label or the number of a row."""
    if base.class_labels:
        return base.class_labels[base.cases.classes[row]]
    return number(base.cases.targets[0, row])


def values_of(base: CaseBase, rows: NDArray[np.int64]) -> list[dict[str, Any]]:
    """The inputs of rows, by name; None where missing."""
    return describe_rows(base, rows, range(len(base.names)))
