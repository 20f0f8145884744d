"""What the columns of a case base are: names, kinds, declared categories."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.moments import Clock
from sklazy.casebase.vocabulary import Vocabulary
from sklazy.tables import Column, Kind, Label, Table
from sklazy.tables.origins import Origin


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
        is_open = not declared and (column.kind == "numeric" or _is_empty(column))
        return cls(column.name, "numeric" if is_open else "nominal", declared)


@dataclass(frozen=True)
class Schema:
    """The input columns, in order.

    `named` says whether the names are the user's, `classes` holds the declared
    classes, if any: they stand without rows. `targets` are the targets' names, none
    if they came without. `origins` are the user's columns where these are others than
    the attributes, or are to be read in a special way. `indexed` says whether the
    index of frames gives the rows their ids, `clock` what their times are.
    """

    attributes: tuple[Attribute, ...]
    named: bool = True
    classes: tuple[Label, ...] = ()
    targets: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = ()
    indexed: bool = False
    clock: Clock = ""

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
    def given_names(self) -> list[str]:
        """The names of the user's columns, in order."""
        return [column.name for column in self.origins or self.attributes]

    def positions(self, kind: Kind) -> list[int]:
        """Which attributes are of a kind."""
        return [j for j, a in enumerate(self.attributes) if a.kind == kind]

    def with_nominal(self, positions: Collection[int]) -> "Schema":
        """The same columns, of which these are nominal."""
        attributes = tuple(
            replace(own, kind="nominal") if j in positions else own
            for j, own in enumerate(self.attributes)
        )
        return replace(self, attributes=attributes)

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


def _is_empty(column: Column) -> bool:
    """Whether no cell of a nominal column has a label."""
    return not (column.data >= 0).any()
