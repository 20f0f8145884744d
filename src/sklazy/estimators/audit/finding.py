"""One thing in a table that is worth a second look."""

from dataclasses import dataclass, field
from typing import Any, Literal

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
        "label": the other cases contradict the row's label or number. "conflict":
        rows with equal inputs and different targets. "duplicate": rows that are equal.
        "near duplicate": rows that are unusually near. "novel": a row nobody is near.
        "column": a column that names the rows or tells the target by itself.
    rows : tuple of ids
        The rows concerned; none for a column.
    score : float
        How much it stands out; larger is more, within its kind.
    given, suggested : label, number or None
        What a row says and what the others say, of a "label".
    column : str or None
    evidence : dict
        What speaks for it, as plain data; see `Audit.to_dict`.
    """

    kind: Kind
    rows: tuple[int | str, ...]
    score: float
    given: Label | float | None = None
    suggested: Label | float | None = None
    column: str | None = None
    evidence: dict[str, Any] = field(default_factory=dict)
