"""What is known of all rows before they are written: columns, labels, cuts, sizes.

It says which arrays a file has, of which types and shapes, so that rows can be written
as they come. Rows lie in segments, in order of arrival; a segment is a case base of its
own but for what all have in common.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.coder import Coder
from sklazy.casebase.pages import Layout
from sklazy.casebase.plain import describe_schema
from sklazy.casebase.rows import narrowest
from sklazy.casebase.runs import Runs
from sklazy.casebase.tallies import MOST_BIT_VALUES
from sklazy.kernels.bits import words_for

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Named = Literal["numbers", "given", "text"]

SEGMENT = 1 << 24
"""Rows of a segment; the last one may have fewer."""

_LEAST_RUN = 32  # rows of a run, on average; shorter ones take more than the ids do
_ROOM = 512  # runs that rows which are forgotten may add before all is written anew


@dataclass(frozen=True, eq=False)
class Outline:
    """What all rows have in common, and how many there are.

    Attributes
    ----------
    coder : Coder
        The columns, and their labels by code.
    cuts : list of float64 arrays, one for each numeric attribute
    criterion : str
    frozen, found : bool
        Whether cuts stay, and whether they are those of the rows.
    half_life : float or None
    n_rows, n_targets, n_times : int
    weighted : bool
        Whether any row has another weight than 1.
    named : {"numbers", "given", "text"}
        What ids are: numbers that rise in order of arrival, any numbers, or text.
    n_runs : int
        The runs of such numbers.
    text_width : int
        The bytes of the longest text.
    next_id : int
    segment : int
        The rows of a segment.
    """

    coder: Coder
    cuts: list[Floats]
    criterion: str
    frozen: bool
    found: bool
    half_life: float | None
    n_rows: int
    n_targets: int
    n_times: int
    weighted: bool
    named: Named
    n_runs: int
    text_width: int
    next_id: int
    segment: int

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
            "found": self.found,
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
        own = [
            entry
            for number, n_rows in enumerate(self.sizes)
            for entry in self._segment(f"{number}/", n_rows)
        ]
        return [*shared, *own]

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


def number_rows(runs: Runs) -> tuple[Named, int]:
    """What ids are that are numbers, in order of arrival, and their runs."""
    rises = (runs.firsts[1:] > runs.lasts()[:-1]).all() and runs.firsts[0] >= 0
    return name_rows(runs.n_rows, len(runs.starts), rises=bool(rises))


def name_rows(n_rows: int, n_runs: int, *, rises: bool) -> tuple[Named, int]:
    """The same, of numbers that are in so many runs, and rise from 0 or not."""
    if rises and n_runs <= n_rows // _LEAST_RUN + 1:
        return "numbers", n_runs
    return "given", 1


def _entry(name: str, kind: str, *shape: int) -> Layout:
    return name, np.dtype(kind), shape


def segment_shapes(
    coder: Coder, widths: Ints, n_rows: int
) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Types and shapes of the arrays of a segment that follow from labels and cuts."""
    n_classes, n_words = coder.n_classes, words_for(n_rows)
    n_numeric, wide = len(coder.numeric), widths[widths > MOST_BIT_VALUES]
    n_sets = int(widths.sum() - wide.sum()) + 1
    of_codes = narrowest(int(wide.max(initial=1)) - 1).str
    of_classes = narrowest(max(n_classes - 1, 0)).str
    n_labels = sum(map(len, coder.holders()))
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
