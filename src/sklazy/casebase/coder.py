"""From tables to codes and back: the schema with the labels in use."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.canonical import (
    Words,
    content_hashes,
    hash_row,
    label_words,
    number_words,
    sort_hashed,
)
from sklazy.casebase.incoming import Incoming, numbers_of, recoded
from sklazy.casebase.rows import CLASSES, CodedRows
from sklazy.casebase.schema import Schema
from sklazy.casebase.states import shallow
from sklazy.casebase.vocabulary import LabelsMark, Vocabulary
from sklazy.flow import MISSING, UNSEEN
from sklazy.measures import check_countable
from sklazy.tables import Column, Label, Table

_FEW_ROWS = 4  # are hashed one by one sooner than column by column

Moved = Iterator[tuple[int, NDArray[np.int32]]]


class Coder:
    """Knows the columns and numbers their labels; classes likewise.

    Attributes
    ----------
    numeric : list of int, the positions of numeric attributes
    vocabularies : dict, from the position of a nominal attribute to its labels;
        the classes have the position `CLASSES` if there are any
    """

    def __init__(self, schema: Schema, *, has_classes: bool) -> None:
        self.schema, self.has_classes = schema, has_classes
        self.numeric = schema.positions("numeric")
        self.vocabularies = {
            j: Vocabulary(schema.attributes[j].declared)
            for j in schema.positions("nominal")
        }
        if has_classes:
            self.vocabularies[CLASSES] = Vocabulary(schema.classes)

    def twin(self) -> "Coder":
        """The same labels, which changes here do not reach: they make new lists."""
        twin = shallow(self)
        twin.vocabularies = {j: shallow(v) for j, v in self.vocabularies.items()}
        return twin

    @property
    def nominal(self) -> list[int]:
        """The positions of nominal attributes."""
        return [j for j in self.vocabularies if j != CLASSES]

    @property
    def n_classes(self) -> int:
        """How many classes there are, 0 for numeric targets."""
        return len(self.class_labels)

    @property
    def class_labels(self) -> list[Label]:
        """The classes, by code; none if the target is numeric."""
        return self.vocabularies[CLASSES].labels if self.has_classes else []

    def widths(self, cuts: Sequence[NDArray[np.float64]]) -> list[int]:
        """How many values each attribute has, given the cuts of the numeric ones.

        More than can be counted by class are refused.
        """
        bins = {j: len(edges) + 1 for j, edges in zip(self.numeric, cuts, strict=True)}
        of = bins | {j: len(self.vocabularies[j]) for j in self.nominal}
        widths = [of[j] for j in range(len(self.schema.attributes))]
        check_countable(widths, self.n_classes, self.schema.names)
        return widths

    def model(self) -> Table:
        """A table of these columns without rows, for others to be matched with."""
        return self.schema.model(self.vocabularies)

    def query_codes(
        self, matched: Table
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Codes and numbers (n_rows, n_attributes) of rows that ask; bins not yet."""
        codes = np.empty(matched.shape, np.int32)
        values = np.full(matched.shape, np.nan)
        values[:, self.numeric] = numbers_of(matched, self.numeric).T
        for j in self.nominal:
            column = matched.columns[j]
            known = self.vocabularies[j].lookup(column.categories)
            codes[:, j] = recoded(column, known, unseen=UNSEEN)
        return codes, values

    def admit(self, incoming: Incoming) -> Moved:
        """Number new labels; the map of codes wherever those of old rows moved."""
        for j, vocabulary in self.vocabularies.items():
            moved = vocabulary.admit(_column(incoming, j).used_labels())
            if moved is not None:
                yield j, moved

    def retire(self) -> Moved:
        """Drop labels that no row has any more; the map of codes wherever they were."""
        for j, vocabulary in self.vocabularies.items():
            moved = vocabulary.retire()
            if moved is not None:
                yield j, moved

    def tally(self, batch: CodedRows, step: int) -> None:
        """Count rows in (step 1) or out (step -1) by their labels."""
        for j, vocabulary in self.vocabularies.items():
            vocabulary.tally(_codes(batch, j), step)

    def mark(self) -> dict[int, LabelsMark]:
        """The current labels, for `restore`."""
        return {j: vocabulary.mark() for j, vocabulary in self.vocabularies.items()}

    def restore(self, marks: dict[int, LabelsMark]) -> None:
        """Take back all that was changed since the marks were made."""
        for j, mark in marks.items():
            self.vocabularies[j].restore(mark)

    def coded(self, incoming: Incoming, first_arrival: int) -> CodedRows:
        """Rows in codes; every label must have been admitted, bins come later."""
        known = {
            j: recoded(column := _column(incoming, j), v.lookup(column.categories))
            for j, v in self.vocabularies.items()
        }
        n_rows = len(incoming)
        codes = np.full((len(self.schema.attributes), n_rows), MISSING, np.int32)
        for j in self.nominal:
            codes[j] = known[j]
        classes = known.get(CLASSES, np.zeros(n_rows, np.int32))
        return self.coded_as(incoming, first_arrival, codes, classes)

    def coded_as(
        self,
        incoming: Incoming,
        first_arrival: int,
        codes: NDArray[np.int32],
        classes: NDArray[np.int32],
    ) -> CodedRows:
        """Rows whose codes (n_attributes, n_rows) and classes are known."""
        n_rows, target = len(incoming), incoming.target
        no_targets = np.zeros((n_rows, 0))
        targets = no_targets if isinstance(target, Column) else target
        return CodedRows(
            incoming.numbers,
            codes,
            classes,
            np.ascontiguousarray(targets.T) + 0.0,
            incoming.weights,
            incoming.times,
            np.arange(first_arrival, first_arrival + n_rows),
            np.zeros((0, n_rows), np.uint64),
            incoming.ids,
        )

    def table(self, batch: CodedRows) -> Table:
        """The inputs of rows as a table."""
        columns = []
        for j, attribute in enumerate(self.schema.attributes):
            if attribute.kind == "nominal":
                labels = tuple(self.vocabularies[j].labels)
                declared = bool(attribute.declared)
                data = batch.codes[j]
                columns.append(
                    Column(attribute.name, "nominal", data, labels, declared)
                )
            else:
                data = batch.numbers[self.numeric.index(j)]
                columns.append(Column(attribute.name, "numeric", data))
        return Table(tuple(columns), len(batch), self.schema.named)

    def words(self, batch: CodedRows) -> Iterator[Words]:
        """The content of rows, a column at a time; labels by hashes of their own."""
        numbers = batch.numbers, batch.targets, batch.weights[None], batch.times
        for block in numbers:
            yield from number_words(block)
        for j, vocabulary in self.vocabularies.items():
            yield label_words(_codes(batch, j), vocabulary.hashes())

    def hashes(self, batch: CodedRows) -> Words:
        """A number for each row that depends on nothing but its content."""
        if len(batch) > _FEW_ROWS:
            return content_hashes(self.words(batch))
        rows = zip(*(column.tolist() for column in self.words(batch)), strict=True)
        return np.array([hash_row(row) for row in rows], np.uint64)

    def order(self, batch: CodedRows, names: NDArray[Any]) -> NDArray[np.int64]:
        """The canonical order of rows: by their content, equal ones by their names."""
        hashes = batch.hashes[0] if len(batch.hashes) else self.hashes(batch)
        return sort_hashed(hashes, lambda rows: self.words(batch.take(rows)), names)


def _column(incoming: Incoming, position: int) -> Column:
    if position != CLASSES:
        return incoming.table.columns[position]
    assert isinstance(incoming.target, Column)
    return incoming.target


def _codes(batch: CodedRows, position: int) -> NDArray[np.int32]:
    return batch.classes if position == CLASSES else batch.codes[position]
