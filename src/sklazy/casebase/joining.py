"""Several case bases as one, whose rows stay where they are."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace
from itertools import chain

import numpy as np

from sklazy.casebase.base import CaseBase
from sklazy.casebase.holding import PartsHere, concatenate_ids
from sklazy.casebase.kinds import open_columns, rebuilt
from sklazy.casebase.parted import PartedBase
from sklazy.casebase.parts import Part, without_rows
from sklazy.casebase.rows import CodedRows
from sklazy.casebase.schema import Attribute, Schema
from sklazy.errors import BadInputError


def join_bases(bases: Sequence[CaseBase], *, renumber: bool = False) -> PartedBase:
    """One case base of several parts, the rows of each base one of them.

    It equals a base built of all rows, those of the first base first; frozen cuts are
    found anew. The bases must have the same columns and stay as they are. `renumber`
    gives all rows the numbers 0, 1, ... as ids.
    """
    bases = [base.joined() for base in bases]
    schema = common_schema({n: (b, open_columns(b)) for n, b in enumerate(bases)})
    bases = [with_nominal(base, schema.positions("nominal")) for base in bases]
    batches = [in_order_of_arrival(base) for base in bases]
    batches = _number(batches) if renumber else batches
    _check_ids(batches)
    parts = [
        Part.of(base, batch, number)
        for number, (base, batch) in enumerate(zip(bases, batches, strict=True))
    ]
    head, sizes = without_rows(bases[0], schema), [len(batch) for batch in batches]
    joined = PartedBase(head, PartsHere(parts), sizes)
    joined.next_id = max(base.next_id for base in bases)
    if renumber:
        joined.next_id = joined.n_rows
    return joined


def in_order_of_arrival(base: CaseBase) -> CodedRows:
    """All rows, numbered as they have come."""
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


def common_schema(
    parts: Mapping[int, tuple[CaseBase, Collection[int]]], what: str = "part"
) -> Schema:
    """The columns of all parts, or an error that names a part with others.

    A column without a value is of the kind that it has elsewhere. Where parts declare
    categories, they are united in the order of the parts, as pandas'
    `union_categoricals` does.

    `parts` has for each part with rows a base of its columns, which may have no rows,
    and its columns without a value (`open_columns`); `what` is the word for a part in
    errors.
    """
    numbers = list(parts)
    first, _ = parts[numbers[0]]
    for number, (base, _) in parts.items():
        _check_alike(first, base, number, numbers[0], what)
    columns = range(len(first.schema.attributes))
    united = tuple(_common_attribute(parts, j, what) for j in columns)
    return replace(first.schema, attributes=united)


def _common_attribute(
    parts: Mapping[int, tuple[CaseBase, Collection[int]]], position: int, what: str
) -> Attribute:
    """Name, kind and categories of a column in all parts."""
    attributes = {n: base.schema.attributes[position] for n, (base, _) in parts.items()}
    first = next(iter(attributes.values()))
    nominal = {
        n: attribute
        for n, attribute in attributes.items()
        if attribute.kind == "nominal"
    }
    for number, attribute in attributes.items():
        if nominal and attribute.kind == "numeric" and position not in parts[number][1]:
            raise BadInputError(
                f"column {first.name!r} holds numbers in {what} {number} and labels in "
                "another; give it one type, for instance by astype, or read it alike "
                "by categorical_features."
            )
    plain = [n for n, attribute in nominal.items() if not attribute.declared]
    if 0 < len(plain) < len(nominal):
        raise BadInputError(
            f"column {first.name!r} declares its categories, but not in {what} "
            f"{plain[0]}; give it one type, for instance by astype('category')."
        )
    labels = dict.fromkeys(
        chain.from_iterable(attribute.declared for attribute in nominal.values())
    )
    return Attribute(first.name, "nominal" if nominal else "numeric", tuple(labels))


def _check_alike(
    first: CaseBase, other: CaseBase, number: int, to: int = 0, what: str = "part"
) -> None:
    """Refuse a part whose columns or settings are others than those of the first."""
    wrong = _find_difference(first, other)
    if wrong:
        raise BadInputError(
            f"{what} {number} differs from {what} {to} in {wrong}; give all the same "
            "columns and settings."
        )


def _find_difference(first: CaseBase, other: CaseBase) -> str:
    """Name the first property that parts must share and two bases do not."""
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


def with_nominal(base: CaseBase, nominal: Collection[int]) -> CaseBase:
    """A base whose open columns are nominal where those of others are."""
    turned = sorted(set(nominal) - set(base.schema.positions("nominal")))
    return rebuilt(base, np.arange(base.n_rows), turned) if turned else base
