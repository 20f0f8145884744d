"""A finding of an audit, and rows of a case base in the user's terms.

A new kind is an entry in `KINDS`, a function beside the others of its subject
(`targets.py`, `alike.py`, `columns.py`), its heading and sentence in `report/audit.py`,
and a slow twin in `tests/oracle/audit.py`.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.methods.plain import describe_rows, number
from sklazy.tables import Label

Kind = Literal["label", "conflict", "duplicate", "near duplicate", "novel", "column"]

KINDS: tuple[Kind, ...] = (
    "label",
    "conflict",
    "duplicate",
    "near duplicate",
    "novel",
    "column",
)
"""In the order in which they are listed."""


@dataclass(frozen=True)
class Finding:
    """One thing in a table that is worth a second look.

    Attributes
    ----------
    kind : str
        "label": the other cases contradict the row's label or number. "conflict": rows
        with equal inputs but different targets. "duplicate": equal rows. "near
        duplicate": unusually similar rows. "novel": a row far from all others.
        "column": a column that names the rows or predicts the target by itself.
    rows : tuple of ids
        The rows concerned; none for a column.
    score : float
        How much it stands out; larger is more, within its kind.
    given, suggested : label, number or None
        For a "label": the target of the row, and the one that the others predict.
    column : str or None
    evidence : dict
        The evidence for it, as plain data; see `Audit.to_dict`.
    """

    kind: Kind
    rows: tuple[int | str, ...]
    score: float
    given: Label | float | None = None
    suggested: Label | float | None = None
    column: str | None = None
    evidence: dict[str, Any] = field(default_factory=dict)


def id_of(base: CaseBase, row: int) -> int | str:
    """The id of a row."""
    return base.ids[row : row + 1].tolist()[0]


def target_of_row(base: CaseBase, row: int) -> Label | float | None:
    """The label or the number of a row."""
    if base.class_labels:
        return base.class_labels[base.cases.classes[row]]
    return number(base.cases.targets[0, row])


def values_of(base: CaseBase, rows: NDArray[np.int64]) -> list[dict[str, Any]]:
    """The inputs of rows, by name; None where missing."""
    return describe_rows(base, rows, range(len(base.names)))
