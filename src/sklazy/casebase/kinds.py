"""Kinds that rows settle: a column without a value is open, the first one decides.

An open column is numeric as long as it has no value. So the kinds, as all else, are
those of a base built from the rows that are there, however they came and went. Where a
kind changes, which happens when a column gets its first value or loses its last, the
base is built anew.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.incoming import Incoming, Target
from sklazy.casebase.moments import Times
from sklazy.casebase.rows import CodedRows, Places
from sklazy.casebase.schema import Attribute, Schema
from sklazy.tables import Column, Table

if TYPE_CHECKING:
    from sklazy.casebase.base import CaseBase


def open_columns(cases: "CaseBase") -> list[int]:
    """The attributes without a value, whose kind is open."""
    is_empty = np.isnan(cases.ranges.edges[:, 0]).tolist()
    return [j for j, empty in zip(cases.coder.numeric, is_empty, strict=True) if empty]


def settled_columns(cases: "CaseBase", matched: Table) -> list[int]:
    """The open attributes that new rows have labels for."""
    columns = {j: matched.columns[j] for j in open_columns(cases)}
    nominal = [j for j, column in columns.items() if column.kind == "nominal"]
    return [j for j in nominal if (columns[j].data >= 0).any()]


def emptied_columns(cases: "CaseBase", n_leaving: NDArray[np.int64]) -> list[int]:
    """The nominal attributes that lose their last value with so many known cells."""
    return [j for j, n_known in _known(cases).items() if n_leaving[j] == n_known]


def holds_last_value(cases: "CaseBase") -> NDArray[np.bool_]:
    """Which rows have the only value of a nominal attribute."""
    only = np.zeros(cases.n_rows, bool)
    codes = cases.rows.codes[:, : cases.n_rows]
    for j, n_known in _known(cases).items():
        if n_known == 1:
            only |= codes[j] >= 0
    return only


def _known(cases: "CaseBase") -> dict[int, int]:
    """The number of values of each nominal attribute that has no declared ones."""
    coder = cases.coder
    vocabularies = {j: coder.vocabularies[j] for j in coder.nominal}
    return {j: int(v.counts.sum()) for j, v in vocabularies.items() if not v.declared}


def rebuilt(
    cases: "CaseBase", places: Places, nominal: Collection[int] = ()
) -> "CaseBase":
    """A base of the rows at some places, of the kinds that their values have.

    The open attributes in `nominal` will get labels.
    """
    arrival = np.argsort(cases.arrival[places])
    rows = cases.rows.take(places[arrival])
    table = cases.coder.table(rows)
    base = type(cases)(
        table,
        target_of_rows(cases, rows),
        weights=rows.weights,
        times=times_of(cases, rows),
        ids=rows.ids,
        criterion=cases.bins.criterion,
        cuts="frozen" if cases.bins.frozen else "exact",
        schema=_schema(cases.schema, table.columns, nominal),
    )
    if cases.bins.frozen and cases.bins.current:
        old = dict(zip(cases.coder.numeric, cases.bins.cuts, strict=True))
        base.settle_cuts([old.get(j, np.zeros(0)) for j in base.coder.numeric])
    base.next_id = cases.next_id
    return base


def add_checked(base: "CaseBase", incoming: Incoming) -> None:
    """Add rows that were checked by a base whose columns had other kinds."""
    base.add(
        incoming.table,
        incoming.target,
        weights=incoming.weights,
        times=Times(incoming.times, base.schema.clock),
        ids=incoming.ids,
    )


def times_of(cases: "CaseBase", rows: CodedRows) -> Times:
    """The times of rows, as they were given."""
    return Times(rows.times, cases.schema.clock, cases.half_life)


def _schema(
    schema: Schema, columns: Sequence[Column], nominal: Collection[int]
) -> Schema:
    attributes = [Attribute.of(column) for column in columns]
    for j in nominal:
        attributes[j] = replace(attributes[j], kind="nominal")
    return replace(schema, attributes=tuple(attributes))


def target_of_rows(cases: "CaseBase", rows: CodedRows) -> Target:
    """The targets of rows, as they were given."""
    if not cases.coder.has_classes:
        return np.ascontiguousarray(rows.targets.T)
    return Column("target", "nominal", rows.classes, tuple(cases.class_labels))
