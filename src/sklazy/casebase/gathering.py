"""The rows of a case base in order of arrival, some at a time, to be written."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import outline
from sklazy.casebase.base import CaseBase
from sklazy.casebase.coder import Coder
from sklazy.casebase.cuts import sorted_cuts
from sklazy.casebase.outline import Floats, Named, Outline, number_rows
from sklazy.casebase.packed import PackedRows
from sklazy.casebase.packing import STEP
from sklazy.casebase.rows import CLASSES, NO_ROWS, CodedRows, Places, Rows
from sklazy.casebase.runs import Runs, join_runs
from sklazy.casebase.texts import width_of
from sklazy.flow import MISSING
from sklazy.kernels.sorting import sort_pairs


class Gathered:
    """Rows that are to be written: those of parts, less some.

    Parameters
    ----------
    head : CaseBase
        Of all parts.
    parts : sequence of CaseBase
        One after the other; a base that is not in parts is the only one.
    gone : sequence of int64 arrays
        The places of rows in each that are left out.
    """

    def __init__(
        self, head: CaseBase, parts: Sequence[CaseBase], gone: Sequence[Places] = ()
    ) -> None:
        self.head, self.parts = head, parts
        self.gone = gone or [NO_ROWS] * len(parts)
        pairs = zip(parts, self.gone, strict=True)
        self.sizes = [part.n_rows - len(own) for part, own in pairs]

    def outline(self, coder: Coder, cuts: list[Floats]) -> Outline:
        """What is known of the rows, given their labels and cuts."""
        head, bins = self.head, self.head.bins
        named, n_runs, text_width = self._names()
        rows = self.parts[0].rows
        return Outline(
            coder,
            cuts,
            bins.criterion,
            frozen=bins.frozen,
            found=bool(cuts) and bool(coder.n_classes) and bins.current,
            half_life=head.half_life,
            n_rows=sum(self.sizes),
            n_targets=len(rows.targets),
            n_times=len(rows.times),
            weighted=self._weighted(),
            named=named,
            n_runs=n_runs,
            text_width=text_width,
            next_id=head.next_id,
            segment=outline.SEGMENT,
        )

    def batches(self, coder: Coder) -> Iterator[CodedRows]:
        """The rows in order of arrival, coded by these labels."""
        first = 0
        for part, gone in zip(self.parts, self.gone, strict=True):
            moved = _moves(part.coder, coder)
            for places in _in_order(part.rows, gone):
                rows = part.rows.take(places)
                _follow(rows, moved)
                yield replace(rows, arrival=np.arange(first, first + len(rows)))
                first += len(rows)

    def find_cuts(self, coder: Coder) -> list[Floats]:
        """The cuts of numbers by the classes of the rows, one column at a time."""
        moved = [_moves(part.coder, coder).get(CLASSES) for part in self.parts]
        every = list(zip(self.parts, self.gone, moved, strict=True))
        classes = np.concatenate([_classes(*own) for own in every])
        cuts = []
        for i in range(len(coder.numeric)):
            columns = [
                np.delete(part.rows.numbers[i, : part.n_rows], gone)
                for part, gone, _ in every
            ]
            values, own = sort_pairs(np.concatenate(columns), classes)
            criterion = self.head.bins.criterion
            cuts.append(sorted_cuts(values, own, coder.n_classes, criterion))
        return cuts

    def _weighted(self) -> bool:
        found = False
        for part, gone in zip(self.parts, self.gone, strict=True):
            if part.rows.own_weights.size:
                found |= bool((np.delete(part.rows.weights, gone) != 1).any())
        return found

    def _names(self) -> tuple[Named, int, int]:
        """What ids are, their runs, and the bytes that texts take."""
        if any(part.rows.has_text_ids for part in self.parts):
            widths = [width_of(part.rows.ids.tolist()) for part in self.parts]
            return "text", 1, max(widths)
        found = [
            _numbers(part.rows, gone)
            for part, gone in zip(self.parts, self.gone, strict=True)
        ]
        return *number_rows(join_runs(found)), 0


def _classes(
    part: CaseBase, gone: Places, moved: NDArray[np.int32] | None
) -> NDArray[np.int32]:
    """The classes of the rows that stay, in other codes."""
    classes = np.delete(part.rows.classes[: part.n_rows], gone).astype(np.int32)
    return classes if moved is None else moved[classes]


def _numbers(rows: Rows, gone: Places) -> Runs:
    """The ids of the rows that stay, in order of arrival."""
    if isinstance(rows, PackedRows) and not rows.is_unpacked and not len(rows.given):
        tail, holes = rows.moves(gone)
        left = rows.n_rows - len(gone)
        return rows.runs.without(tail, holes, left).in_order()
    places = np.delete(np.arange(rows.n_rows), gone)
    ids = rows.ids_at(places)[np.argsort(rows.arrival[places], kind="stable")]
    return Runs.of(ids)  # type: ignore[arg-type]


def _in_order(rows: Rows, gone: Places) -> Iterator[Places]:
    """The places of rows in order of arrival, some at a time."""
    is_gone = np.zeros(0, bool)
    if len(gone):
        is_gone = np.zeros(rows.n_rows, bool)
        is_gone[gone] = True
    for places in _all_in_order(rows):
        yield places[~is_gone[places]] if len(gone) else places


def _all_in_order(rows: Rows) -> Iterator[Places]:
    if isinstance(rows, PackedRows) and not rows.is_unpacked:
        for first, length in rows.runs.sorted_spans():
            for start in range(first, first + length, STEP):
                yield np.arange(start, min(first + length, start + STEP))
        return
    order = np.argsort(rows.arrival[: rows.n_rows])
    for start in range(0, len(order), STEP):
        yield order[start : start + STEP]


Moved = Mapping[int, NDArray[np.int32]]


def _moves(old: Coder, new: Coder) -> Moved:
    """From old codes to new ones, where these are others."""
    found = {}
    for j, vocabulary in old.vocabularies.items():
        moved = new.vocabularies[j].lookup(vocabulary.labels)
        if not np.array_equal(moved, np.arange(len(moved))):
            found[j] = np.append(moved, np.int32(MISSING))
    return found


def _follow(rows: CodedRows, moved: Moved) -> None:
    for j, own in moved.items():
        if j == CLASSES:
            rows.classes = own[rows.classes]
        else:
            rows.codes[j] = own[rows.codes[j]]
