"""The columns of a case base: names, kinds, declared categories."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.moments import Clock
from sklazy.casebase.vocabulary import Vocabulary
from sklazy.tables import Column, Kind, Label, Table
from sklazy.tables.origins import Origin, empty_table


@dataclass(frozen=True)
class Attribute:
    """One input column: `declared` holds the categories that stand without rows."""

    name: str
    kind: Kind
    declared: tuple[Label, ...] = ()

    @classmethod
    def of(cls, column: Column) -> "Attribute":
        """Describe a column; one without values or declared categories is numeric.

        Its kind is open, whatever its dtype: the first value will settle it.
        """
        declared = column.categories if column.declared else ()
        has_labels = column.kind == "nominal" and bool((column.data >= 0).any())
        is_open = not declared and not has_labels
        return cls(column.name, "numeric" if is_open else "nominal", declared)


@dataclass(frozen=True)
class Schema:
    """The input columns, in order.

    `named` is whether the names are the user's, `classes` holds the declared
    classes, if any: they stand without rows. `targets` are the targets' names, none
    if they came without. `origins` are the user's columns where these are others than
    the attributes, or are to be read in a special way. `indexed` is whether the
    index of frames gives the rows their ids, `clock` the kind of their times,
    `balanced` whether all classes count alike, and `id_column` and `time_column` the
    columns of frames that ids and times were taken from, "" for none.
    """

    attributes: tuple[Attribute, ...]
    named: bool = True
    classes: tuple[Label, ...] = ()
    targets: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = ()
    indexed: bool = False
    clock: Clock = ""
    balanced: bool = False
    id_column: str = ""
    time_column: str = ""

    @classmethod
    def of(cls, table: Table, target: Column | NDArray[np.float64]) -> "Schema":
        """Describe the columns of a table and its target."""
        classes = Attribute.of(target).declared if isinstance(target, Column) else ()
        attributes = tuple(Attribute.of(column) for column in table)
        return cls(attributes, table.named, classes)

    @property
    def names(self) -> list[str]:
        """The attributes' names, in order."""
        return [attribute.name for attribute in self.attributes]

    @property
    def user_names(self) -> list[str]:
        """The names of the user's columns, in order."""
        return [column.name for column in self.origins or self.attributes]

    @property
    def user_columns(self) -> tuple[Origin, ...]:
        """The user's columns, in order; a plain one is of its attribute's kind."""
        plain = {a.name: Origin(a.name, a.kind, None) for a in self.attributes}
        if not self.origins:
            return tuple(plain.values())
        return tuple(o if o.reading else plain.get(o.name, o) for o in self.origins)

    def user_table(self, vocabularies: Mapping[int, Vocabulary]) -> Table:
        """A table of the user's columns without rows, to read further rows like it."""
        known = {self.attributes[j].name: v for j, v in vocabularies.items() if j >= 0}
        columns = [
            replace(column, categories=tuple(known[column.name].labels))
            if column.kind == "nominal" and column.name in known
            else column
            for column in empty_table(self.user_columns)
        ]
        return Table(tuple(columns), 0, self.named)

    def positions(self, kind: Kind) -> list[int]:
        """Which attributes are of a kind."""
        return [j for j, a in enumerate(self.attributes) if a.kind == kind]

    def model(self, vocabularies: Mapping[int, Vocabulary]) -> Table:
        """A table without rows that other tables can be matched with."""
        columns = []
        for j, attribute in enumerate(self.attributes):
            labels = tuple(vocabularies[j].labels) if j in vocabularies else ()
            data = np.zeros(0, np.int32 if labels else np.float64)
            declared = bool(attribute.declared)
            columns.append(
                Column(attribute.name, attribute.kind, data, labels, declared)
            )
        return Table(tuple(columns), 0, self.named)
