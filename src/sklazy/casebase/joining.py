"""Several case bases as one, whose rows stay where they are."""

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from sklazy.casebase.base import CaseBase
from sklazy.casebase.holding import PartsHere, concatenate_ids
from sklazy.casebase.kinds import open_columns, rebuilt
from sklazy.casebase.parted import PartedBase
from sklazy.casebase.parts import Part
from sklazy.casebase.rows import CodedRows
from sklazy.casebase.schema import Schema
from sklazy.errors import BadInputError


def join_bases(bases: Sequence[CaseBase], *, renumber: bool = False) -> PartedBase:
    """One case base of several parts, the rows of each base one of them.

    It equals a base built of all rows, those of the first base first; frozen cuts are
    found anew.

    Parameters
    ----------
    bases : sequence of CaseBase
        Of the same columns; they stay as they are.
    renumber : bool
        Give all rows the numbers 0, 1, ... as ids.
    """
    bases = _of_one_kind([base.joined() for base in bases])
    batches = [_in_order_of_arrival(base) for base in bases]
    batches = _number(batches) if renumber else batches
    _check_ids(batches)
    parts = [
        Part.of(base, batch, number)
        for number, (base, batch) in enumerate(zip(bases, batches, strict=True))
    ]
    joined = PartedBase(bases[0], PartsHere(parts), [len(batch) for batch in batches])
    joined.bins.current = False
    joined.next_id = max(base.next_id for base in bases)
    if renumber:
        joined.next_id = joined.n_rows
    return joined


def _in_order_of_arrival(base: CaseBase) -> CodedRows:
    with base._lock:
        base._sync()
        rows = base.rows.take(np.argsort(base.arrival))
        return replace(rows, arrival=np.arange(len(rows)))


def _number(batches: Sequence[CodedRows]) -> list[CodedRows]:
    starts = np.cumsum([0, *map(len, batches)])
    return [
        replace(batch, ids=np.arange(start, start + len(batch)))
        for start, batch in zip(starts, batches, strict=False)
    ]


def _check_ids(batches: Sequence[CodedRows]) -> None:
    """Refuse ids that two rows have, or that are text here and numbers there."""
    kinds = {batch.ids.dtype == object for batch in batches}
    if len(kinds) > 1:
        raise BadInputError(
            "some parts have text ids, others numbers; use one kind, or renumber=True."
        )
    values, counts = np.unique(
        concatenate_ids([batch.ids for batch in batches]), return_counts=True
    )
    if (counts > 1).any():
        raise BadInputError(
            f"ids={values[counts > 1][:5].tolist()} name rows of several parts; give "
            "every row an id of its own in fit, or join with renumber=True."
        )


def _of_one_kind(bases: list[CaseBase]) -> list[CaseBase]:
    """The bases, columns without a value of the kind that others have; or an error."""
    first = bases[0]
    for number, base in enumerate(bases):
        check_alike(first, base, number)
    nominal = {j for base in bases for j in base.schema.positions("nominal")}
    return [_settled(base, number, nominal) for number, base in enumerate(bases)]


def check_alike(first: CaseBase, other: CaseBase, number: int, to: int = 0) -> None:
    """Refuse a part whose columns or settings are others than those of the first."""
    wrong = _find_difference(first, other)
    if wrong:
        raise BadInputError(
            f"part {number} differs from part {to} in {wrong}; fit all parts alike."
        )


def _find_difference(first: CaseBase, other: CaseBase) -> str:
    """What two bases differ in that parts must have in common."""
    for name in (field.name for field in fields(Schema)):
        if name != "attributes" and getattr(first.schema, name) != getattr(
            other.schema, name
        ):
            return name
    if first.schema.names != other.schema.names:
        return f"columns ({first.schema.names} and {other.schema.names})"
    settings = [
        (
            base.half_life,
            base.bins.criterion,
            base.bins.frozen,
            base.coder.has_classes,
            len(base.rows.targets),
        )
        for base in (first, other)
    ]
    names = ("half_life", "discretization", "cuts", "kind of target", "targets")
    different = [n for n, a, b in zip(names, *settings, strict=True) if a != b]
    return ", ".join(different)


def _settled(base: CaseBase, number: int, nominal: set[int]) -> CaseBase:
    """A base whose open columns are nominal where those of others are."""
    turned = sorted(nominal - set(base.schema.positions("nominal")))
    numeric = [base.names[j] for j in turned if j not in open_columns(base)]
    if numeric:
        raise BadInputError(
            f"columns {numeric} hold numbers in part {number} and labels in another; "
            "read them alike, for instance by categorical_features."
        )
    return rebuilt(base, np.arange(base.n_rows), turned) if turned else base
