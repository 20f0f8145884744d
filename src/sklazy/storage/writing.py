"""Rows into a file as they come, segment by segment, in bounded memory."""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.bins import Ranges
from sklazy.casebase.cuts import bin_codes
from sklazy.casebase.holding import concatenate_rows
from sklazy.casebase.rows import CLASSES, CodedRows, Codes
from sklazy.casebase.tallies import (
    MOST_BIT_VALUES,
    count_members,
    count_values_by_class,
)
from sklazy.errors import BadInputError
from sklazy.storage.files import create_file
from sklazy.storage.locking import excluding_changes
from sklazy.storage.outline import Outline, arrays_of_segment
from sklazy.storage.packed import STEP, pack_column
from sklazy.storage.stored_ids import Runs, join_runs, write_texts

Arrays = dict[str, NDArray[Any]]
Counts = NDArray[np.int64]
Words = NDArray[np.uint64]
Put = Callable[[NDArray[Any], NDArray[Any]], None]

_IN_MEMORY = 1 << 20  # rows of a mapped file, and no more
_FEW_PAIRS = 100  # of sets, whose common rows are counted sooner than all, one by one


def write_rows(
    path: str | Path,
    header: dict[str, Any],
    outline: Outline,
    batches: Iterable[CodedRows],
    check: Callable[[Path], object] | None = None,
    *,
    held: bool = False,
) -> None:
    """Write a file of rows, in order of arrival, all or nothing.

    The codes of numbers need not be there. For `check` see `create_file`; `held` is
    whether the caller has the right to change the file that is there.
    """
    turn = contextlib.nullcontext() if held else excluding_changes(path)
    with create_file(path, header, outline.layout(), check, turn) as arrays:
        for i, cuts in enumerate(outline.cuts):
            arrays[f"cuts{i}"][:] = cuts
        chunks = _in_chunks(batches, min(STEP, outline.segment))
        for number, n_rows in enumerate(outline.sizes):
            of_segment = arrays_of_segment(arrays, number)
            segment = _Segment(outline, of_segment, n_rows, arrays.put)
            while segment.filled < n_rows:
                batch = next(chunks, None)
                if batch is None:
                    raise BadInputError(
                        "fewer rows came than were counted; read them again."
                    )
                segment.add(batch)
                if not segment.filled % _IN_MEMORY:
                    arrays.leave_memory()
            arrays["sizes"][number] = n_rows
            arrays["n_runs"][number] = segment.close()
        if next(chunks, None) is not None:
            raise BadInputError("more rows came than were counted; read them again.")


def _in_chunks(batches: Iterable[CodedRows], step: int) -> Iterator[CodedRows]:
    """The same rows, `step` at once; the last ones may be fewer."""
    waiting: list[CodedRows] = []
    n_waiting = 0
    for batch in batches:
        if not waiting and len(batch) == step:
            yield batch
            continue
        waiting.append(batch)
        n_waiting += len(batch)
        if n_waiting < step:
            continue
        joined = concatenate_rows(waiting)
        for first in range(0, n_waiting - n_waiting % step, step):
            yield joined.between(first, first + step)
        left = joined.between(n_waiting - n_waiting % step, n_waiting)
        waiting, n_waiting = [left] if len(left) else [], len(left)
    if n_waiting:
        yield concatenate_rows(waiting)


class _Segment:
    """The arrays of a segment that are being filled."""

    def __init__(self, outline: Outline, arrays: Arrays, n_rows: int, put: Put) -> None:
        self.outline, self.arrays, self.n_rows = outline, arrays, n_rows
        self._put = put
        self.filled = 0
        self.ranges = Ranges(len(outline.coder.numeric))
        self.coder = outline.coder.twin()
        for vocabulary in self.coder.vocabularies.values():
            vocabulary.counts = np.zeros(len(vocabulary), np.int64)
        self.runs: list[Runs] = []  # of each batch

    def add(self, batch: CodedRows) -> None:
        """Put rows behind the last ones."""
        arrays, outline = self.arrays, self.outline
        at = slice(self.filled, self.filled + len(batch))
        for name in ("numbers", "targets", "times"):
            self._put(arrays[name][:, at], getattr(batch, name))
        self._put(arrays["classes"][None, at], batch.classes[None])
        arrays["own_weights"][:, at] = batch.weights
        if outline.named == "text":
            write_texts(batch.ids, arrays["texts"][at])
        elif outline.named == "given":
            arrays["ids"][at] = batch.ids
        numbers = batch.ids if outline.named == "numbers" else batch.arrival
        self.runs.append(Runs.of(np.asarray(numbers, np.int64)))
        self._count(batch)
        self.filled = at.stop

    def _count(self, batch: CodedRows) -> None:
        """Put rows into bit sets, and count them."""
        arrays, n_sets, n_wide, first_cell = self.arrays, 0, 0, 0
        of_classes = self._pack_classes(batch)
        numeric = dict(zip(self.coder.numeric, self.outline.cuts, strict=True))
        for j, width in enumerate(self.outline.widths.tolist()):
            codes = batch.codes[j]
            if j in numeric:
                codes = bin_codes(batch.numbers[list(numeric).index(j)], numeric[j])
            if width > MOST_BIT_VALUES:
                arrays["codes"][n_wide, self.filled : self.filled + len(batch)] = codes
                n_wide += 1
                counts = self._count_codes(codes, batch.classes, width)
            else:
                sets = pack_column(codes, width)
                self._put_sets(arrays["value_bits"][n_sets : n_sets + width], sets)
                n_sets += width
                if width * len(of_classes) <= _FEW_PAIRS:
                    counts = count_members(sets, of_classes)
                else:
                    counts = self._count_codes(codes, batch.classes, width)
            arrays["counts"][first_cell : first_cell + width] += counts
            first_cell += width
            if self.coder.n_classes and j not in numeric:
                self.coder.vocabularies[j].counts += counts.sum(axis=1)
        if not self.coder.n_classes:
            self.coder.tally(batch, 1)
        self.ranges.widen(batch.numbers)

    def _count_codes(self, codes: Codes, classes: Codes, width: int) -> Counts:
        return count_values_by_class(codes, classes, width, self.coder.n_classes)

    def _pack_classes(self, batch: CodedRows) -> Words:
        """Put classes into bit sets, and count them; the sets of these rows."""
        arrays, n_classes = self.arrays, self.coder.n_classes
        sets = pack_column(batch.classes, n_classes)
        self._put_sets(arrays["class_bits"], sets)
        if n_classes:
            counts = np.bincount(batch.classes, minlength=n_classes)
            arrays["class_counts"][:] += counts
            self.coder.vocabularies[CLASSES].counts += counts
        return sets

    def _put_sets(self, room: Words, sets: Words) -> None:
        """Write sets of rows from the next one on, which begins a word."""
        first = self.filled >> 6
        self._put(room[:, first : first + sets.shape[1]], sets)

    def close(self) -> int:
        """Write what is known at the end; the number of runs."""
        counts = [v.counts for v in self.coder.vocabularies.values()]
        self.arrays["labels"][:] = np.concatenate([np.zeros(0, np.int64), *counts])
        self.arrays["edges"][:] = self.ranges.edges
        runs = join_runs(self.runs)
        self.arrays["runs"][: len(runs.starts), 0] = runs.starts
        self.arrays["runs"][: len(runs.starts), 1] = runs.firsts
        return len(runs.starts)
