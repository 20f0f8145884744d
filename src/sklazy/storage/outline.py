"""Outline of all rows before they are written: columns, labels, cuts, sizes.

It gives the header of a file and its arrays, with types and shapes, so that rows can be
written as they come. Rows lie in segments, in order of arrival; a segment is a case
base of its own but for what all have in common.

A new array of the rows is declared here, filled in `writing.py`, read in `opening.py`
and erased with its row in `erasing.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.coder import Coder
from sklazy.casebase.moments import Clock, as_length
from sklazy.casebase.rows import CLASSES, narrowest
from sklazy.casebase.schema import Attribute, Schema
from sklazy.casebase.tallies import MOST_BIT_VALUES
from sklazy.casebase.vocabulary import Vocabulary
from sklazy.errors import BadInputError
from sklazy.kernels.bits import words_for
from sklazy.storage.pages import Layout
from sklazy.storage.stored_ids import Runs
from sklazy.tables import Kind, Label
from sklazy.tables.origins import Origin
from sklazy.tables.reading import Reading

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Arrays = dict[str, NDArray[Any]]
Named = Literal["numbers", "given", "text"]

SEGMENT = 1 << 24
"""Rows of a segment; the last one may have fewer."""

_LEAST_RUN = 32  # rows of a run, on average; shorter ones take more than the ids do
_ROOM = 512  # runs that rows which are forgotten may add before all is written anew


@dataclass(frozen=True, eq=False)
class Outline:
    """Columns, labels and cuts of all rows, and how many there are."""

    coder: Coder  # the columns, and their labels by code
    cuts: list[Floats]  # one for each numeric attribute
    criterion: str
    # Whether cuts stay, and whether they are those of the rows.
    frozen: bool
    has_cuts: bool
    half_life: float | None
    n_rows: int
    n_targets: int
    n_times: int
    weighted: bool  # whether any row has another weight than 1
    # The kind of ids: numbers that rise in order of arrival, any numbers, or text.
    named: Named
    n_runs: int  # the runs of such numbers
    text_width: int  # the bytes of the longest text
    next_id: int
    segment: int  # the rows of a segment

    @property
    def sizes(self) -> list[int]:
        """The rows of each segment."""
        whole, rest = divmod(self.n_rows, self.segment)
        return [self.segment] * whole + [rest] * (rest > 0)

    @property
    def widths(self) -> Ints:
        """How many values each attribute has."""
        return np.array(self.coder.widths(self.cuts), np.int64)

    def header(self) -> dict[str, Any]:
        """All that is not in arrays, as JSON."""
        return {
            **describe_schema(self.coder.schema, self.coder),
            "half_life": self.half_life,
            "has_classes": self.coder.has_classes,
            "criterion": self.criterion,
            "cuts": "frozen" if self.frozen else "exact",
            "found": self.has_cuts,
            "ids": self.named,
            "next_id": self.next_id,
            "segments": len(self.sizes),
        }

    def layout(self) -> list[Layout]:
        """The arrays of a file, in their order."""
        n_segments = len(self.sizes)
        shared = [
            _entry(f"cuts{i}", "<f8", len(cuts)) for i, cuts in enumerate(self.cuts)
        ]
        shared += [_entry("sizes", "<i8", n_segments)]
        shared += [_entry("n_runs", "<i8", n_segments)]
        of_segments = [
            entry
            for number, n_rows in enumerate(self.sizes)
            for entry in self._segment(f"{number}/", n_rows)
        ]
        return [*shared, *of_segments]

    def _segment(self, prefix: str, n_rows: int) -> list[Layout]:
        shapes = segment_shapes(self.coder, self.widths, n_rows)
        shapes["own_weights"] = "<f8", (int(self.weighted), n_rows)
        shapes["targets"] = "<f8", (self.n_targets, n_rows)
        shapes["times"] = "<f8", (self.n_times, n_rows)
        shapes["runs"] = "<i8", (self.n_runs + min(_ROOM, n_rows), 2)
        shapes["ids"] = "<i8", (n_rows * (self.named == "given"),)
        shapes["texts"] = "|u1", (n_rows, self.text_width * (self.named == "text"))
        return [
            (prefix + name, np.dtype(kind), shape)
            for name, (kind, shape) in shapes.items()
        ]


def kind_of_numeric_ids(runs: Runs) -> tuple[Named, int]:
    """The kind of numeric ids, in order of arrival, and the number of their runs."""
    rises = (runs.firsts[1:] > runs.lasts()[:-1]).all() and runs.firsts[0] >= 0
    return kind_of_ids(runs.n_rows, len(runs.starts), rises=bool(rises))


def kind_of_ids(n_rows: int, n_runs: int, *, rises: bool) -> tuple[Named, int]:
    """The same, of numbers that are in `n_runs` runs, and rise from 0 or not."""
    if rises and n_runs <= n_rows // _LEAST_RUN + 1:
        return "numbers", n_runs
    return "given", 1


def _entry(name: str, kind: str, *shape: int) -> Layout:
    return name, np.dtype(kind), shape


def arrays_of_segment(arrays: Mapping[str, NDArray[Any]], number: int) -> Arrays:
    """The arrays of one segment, by their names without its number."""
    prefix = f"{number}/"
    return {n[len(prefix) :]: a for n, a in arrays.items() if n.startswith(prefix)}


def segment_shapes(
    coder: Coder, widths: Ints, n_rows: int
) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Types and shapes of the arrays of a segment that follow from labels and cuts."""
    n_classes, n_words = coder.n_classes, words_for(n_rows)
    n_numeric, wide = len(coder.numeric), widths[widths > MOST_BIT_VALUES]
    n_sets = int(widths.sum() - wide.sum()) + 1
    of_codes = narrowest(int(wide.max(initial=1)) - 1).str
    of_classes = narrowest(max(n_classes - 1, 0)).str
    n_labels = sum(map(len, coder.vocabularies.values()))
    return {
        "counts": ("<i8", (int(widths.sum()), n_classes)),
        "class_counts": ("<i8", (n_classes,)),
        "labels": ("<i8", (n_labels,)),
        "edges": ("<f8", (n_numeric, 2)),
        "numbers": ("<f8", (n_numeric, n_rows)),
        "codes": (of_codes, (len(wide), n_rows)),
        "classes": (of_classes, (n_rows,)),
        "value_bits": ("<u8", (n_sets, n_words)),
        "class_bits": ("<u8", (n_classes, n_words)),
    }


def describe_schema(schema: Schema, coder: Coder) -> dict[str, Any]:
    """Describe the columns and labels as JSON."""
    vocabularies = coder.vocabularies
    return {
        "attributes": [
            (a.name, a.kind, *_labels(vocabularies.get(j)))
            for j, a in enumerate(schema.attributes)
        ],
        "named": schema.named,
        "targets": schema.targets,
        "origins": [(o.name, o.kind, _plain_reading(o)) for o in schema.origins],
        "classes": _labels(vocabularies.get(CLASSES)),
        "indexed": schema.indexed,
        "clock": schema.clock,
        **({"balanced": True} if schema.balanced else {}),
        **({"id_column": schema.id_column} if schema.id_column else {}),
        **({"time_column": schema.time_column} if schema.time_column else {}),
    }


def read_half_life(header: dict[str, Any], *, has_times: bool) -> float | None:
    """The age at which rows count half, once it is known what it is measured by."""
    clock, half_life = header.get("clock", ""), header.get("half_life")
    if clock not in get_args(Clock) or bool(clock) != has_times:
        raise BadInputError(f"the clock is {clock!r}")
    return None if half_life is None else as_length(half_life, clock, "half_life")


def _labels(vocabulary: Vocabulary | None) -> tuple[list[Any], int]:
    """The labels and how many of them are declared."""
    return ([], 0) if vocabulary is None else (vocabulary.labels, vocabulary.declared)


def _plain_reading(origin: Origin) -> list[str]:
    reading = origin.reading
    return [] if reading is None else [reading.style, reading.form, reading.unit]


def _origin(name: str, kind: Kind, reading: list[str]) -> Origin:
    if kind not in get_args(Kind) or not all(isinstance(r, str) for r in reading):
        raise BadInputError(f"column {name!r} came from {kind!r}, read as {reading}")
    return Origin(str(name), kind, Reading(*reading) if reading else None)  # type: ignore[arg-type]


def read_schema(header: dict[str, Any]) -> Schema:
    """Read a schema from the output of `describe_schema`."""
    labels, n_declared = header["classes"]
    return Schema(
        tuple(
            _attribute(name, kind, tuple(labels[:n_declared]))
            for name, kind, labels, n_declared in header["attributes"]
        ),
        header["named"],
        tuple(labels[:n_declared]),
        tuple(map(str, header.get("targets", ()))),
        tuple(_origin(*origin) for origin in header.get("origins", ())),
        bool(header.get("indexed")),
        header.get("clock", ""),
        bool(header.get("balanced")),
        str(header.get("id_column", "")),
        str(header.get("time_column", "")),
    )


def _attribute(name: str, kind: Kind, declared: tuple[Label, ...]) -> Attribute:
    if not isinstance(name, str) or kind not in get_args(Kind):
        raise BadInputError(f"column {name!r} is {kind!r}")
    return Attribute(name, kind, declared)
