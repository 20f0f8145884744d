"""A case base in a file that is changed with it: rows come and go in both at once.

Rows that are added go behind the file's own bytes; those that are forgotten are erased
where they lie. Where a change reaches all rows (a label comes or goes, cuts of numbers
move), or others have the file mapped, it is written anew beside the old one, whose
place it takes as a whole.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklazy.casebase.added import (
    as_record,
    cut_added,
    end_of_file,
    pack_rows,
    unpack_rows,
)
from sklazy.casebase.base import CaseBase
from sklazy.casebase.coder import Coder
from sklazy.casebase.erasing import (
    Cells,
    Leaving,
    cells_of_rows,
    cells_of_runs,
    changed_bytes,
    less_labels,
)
from sklazy.casebase.files import (
    SENSELESS,
    Frame,
    check_version,
    clear_leftovers,
    contradiction,
    map_bytes,
    open_frame,
    opened,
)
from sklazy.casebase.gathering import Gathered
from sklazy.casebase.holding import PartsHere, concatenate_ids
from sklazy.casebase.incoming import GivenIds, Target, as_ids, check_found
from sklazy.casebase.kinds import settled_columns
from sklazy.casebase.locking import Held, alone, hold
from sklazy.casebase.moments import Times
from sklazy.casebase.opening import Opened
from sklazy.casebase.packed import PackedRows
from sklazy.casebase.parted import PartedBase
from sklazy.casebase.parts import Floats, find_places
from sklazy.casebase.redo import Redo, change, finish, redo_of
from sklazy.casebase.rows import CodedRows, Ids, Places
from sklazy.casebase.runs import Runs
from sklazy.casebase.stored import parts_of, write_cases
from sklazy.casebase.writing import write_rows
from sklazy.tables import Table

Found = TypeVar("Found")

_MOST_ERASED = 4096  # rows at once that are erased one by one

_NOWHERE = np.zeros(0, np.int64)
_NOTHING = np.zeros(0, np.uint8)
_OWN = frozenset(["path", "held", "frame", "opened", "n_behind", "size"])


class StoredBase(PartedBase):
    """A case base of the rows of a file, open to be changed.

    Attributes
    ----------
    path : Path
    held : Held, which keeps others from changing it as well
    frame : Frame, the file's own bytes
    opened : Opened, the arrays of its segments
    n_behind, size : int
        The bytes behind its own, and all of them.
    """

    path: Path
    held: Held
    frame: Frame
    opened: Opened
    n_behind: int
    size: int
    parts: PartsHere

    @classmethod
    def open(cls, path: str | Path) -> "StoredBase":
        """Open a file; a change that a process was killed in is finished first."""
        with opened(path):  # what is not there is said before anything is written
            pass
        held = hold(path)
        try:
            finish(path)
            real = Path(os.path.realpath(path))
            clear_leftovers(real)
            clear_leftovers(redo_of(real))
            base = cls._read(real)
        except BaseException:
            held.close()
            raise
        base.held = held
        return base

    @classmethod
    def _read(cls, path: Path) -> "StoredBase":
        with opened(path) as file:
            data = map_bytes(file, path)
        own, records, next_id = cut_added(data, path)
        check_version(own, path)
        frame = open_frame(own, path)
        try:
            found = Opened(frame.header["cases"], frame.arrays)
            parted = found.parted(unpack_rows(records, path), next_id)
        except SENSELESS as error:
            raise contradiction(error, path) from error
        base = object.__new__(cls)
        vars(base).update(vars(parted))
        base.path, base.opened, base.frame = path, found, frame
        base.n_behind, base.size = len(data) - len(own), len(data)
        return base

    @property
    def header(self) -> dict[str, Any]:
        """What the file says beside the rows."""
        return {n: v for n, v in self.frame.header.items() if n != "cases"}

    # --- change -----------------------------------------------------------------------

    def add(
        self,
        table: Table,
        target: Target,
        *,
        weights: ArrayLike | None = None,
        times: Times | None = None,
        ids: GivenIds = None,
        mixed: bool = True,
    ) -> Ids:
        """Take in further rows, which are on the disk when this returns."""
        with self._lock:
            finish(self.path)
            if settled_columns(self, self.matched(table)):
                add = partial(CaseBase.add, table=table, target=target, mixed=mixed)
                return self._rebuild(
                    partial(add, weights=weights, times=times, ids=ids)
                )
            labels, n_before = self._labels(), self.sizes[-1]
            given = super().add(
                table, target, weights=weights, times=times, ids=ids, mixed=mixed
            )
            try:
                if self._labels() != labels or self._moves_cuts():
                    self._rewrite([_NOWHERE] * len(self.sizes), self.coder)
                    self._reopen()
                elif len(given):
                    self._append(n_before)
            except BaseException:
                self._reopen()
                raise
            return given

    def forget(self, ids: GivenIds) -> None:
        """Erase rows, here and in the file: their bytes are nowhere any more."""
        with self._lock:
            finish(self.path)
            wanted = as_ids(ids)
            found = self.parts.ask(find_places, wanted)
            check_found(wanted, concatenate_ids([own for _, own in found]), self.n_rows)
            if not len(wanted):
                return
            self._freeze()
            self._sync()
            self._erase([places for places, _ in found], wanted)
            self._reopen()
        self.bins.warn_if_stale()

    def _erase(self, places: Sequence[Places], ids: Ids) -> None:
        """Erase rows in place if no other row is touched, or write all anew."""
        pairs = zip(parts_of(self), places, strict=True)
        leaving = [part.rows.take(own) for part, own in pairs]
        if self._empties(np.sum([(r.codes >= 0).sum(axis=1) for r in leaving], axis=0)):
            self._rebuild(lambda base: base.forget(ids))
            return
        coder = self.coder.twin()
        for rows in leaving:
            coder.tally(rows, -1)
        has_label_gone = bool(list(coder.retire()))
        in_use = self._state is not None and bool(self._state._readers)
        runs = self._runs_without(places)
        if not (has_label_gone or in_use or self._moves_cuts()) and runs is not None:
            with alone(self.path) as is_alone:
                if is_alone:
                    self._erase_in_place(places, leaving, runs)
                    return
        self._rewrite(places, coder)

    def freeze(self) -> None:
        """Keep the cuts as they are until `refresh`, whatever rows come and go."""
        with self._lock:
            super().freeze()
            self.compact()

    def refresh(self) -> None:
        """Find frozen cuts anew from the rows that are there."""
        with self._lock:
            super().refresh()
            self.compact()

    def settle_cuts(self, cuts: list[Floats]) -> None:
        """Take frozen cuts found before, one array a numeric attribute."""
        with self._lock:
            super().settle_cuts(cuts)
            self.compact()

    def compact(self) -> None:
        """Write the file as one of these rows that is new."""
        with self._lock:
            write_cases(self.path, self.header, self)
            self._reopen()

    # --- how --------------------------------------------------------------------------

    def _moves_cuts(self) -> bool:
        """Whether cuts follow the rows."""
        bins = self.bins
        return bool(bins.cuts) and bool(self.coder.n_classes) and not bins.frozen

    def _append(self, first: int) -> None:
        """Write the last rows behind the file."""
        rows = self.parts.parts[-1].rows
        content = pack_rows(rows.take(np.arange(first, rows.n_rows)))
        further = self._behind(content, self.n_behind)
        change(self.path, Redo(_NOWHERE, _NOTHING, self.size, further))
        self.n_behind += len(further)
        self.size += len(further)

    def _behind(self, content: bytes, n_before: int) -> NDArray[np.uint8]:
        """A record and the end of the file behind it."""
        record = as_record(content)
        end = end_of_file(n_before + len(record), self.next_id)
        return np.frombuffer(record + end, np.uint8)

    def _runs_without(self, places: Sequence[Places]) -> list[Runs] | None:
        """The runs of segments without some rows; None if there is no room for them."""
        if sum(map(len, places[:-1])) > _MOST_ERASED:
            return None
        found = []
        for part, gone in zip(self.parts.parts[:-1], places[:-1], strict=True):
            rows = part.rows
            if not isinstance(rows, PackedRows) or rows.is_unpacked:
                return None
            tail, holes = rows.moves(gone)
            runs = rows.runs.without(tail, holes, rows.n_rows - len(gone))
            if len(runs.starts) > len(self.opened.segments[part.number]["runs"]):
                return None
            found.append(runs)
        return found

    def _erase_in_place(
        self,
        places: Sequence[Places],
        leaving: Sequence[CodedRows],
        runs: Sequence[Runs],
    ) -> None:
        cells: list[Cells] = []
        for number, own in enumerate(runs):
            if len(places[number]):
                cells += self._cells(number, places[number], leaving[number], own)
        where, values = changed_bytes(self.frame, cells, self.path)
        behind, further = self.size, _NOTHING
        if len(places[-1]):
            rows = self.parts.parts[-1].rows
            kept = np.argsort(rows.arrival[: rows.n_rows])
            kept = kept[~np.isin(kept, places[-1])]
            content = pack_rows(rows.take(kept)) if len(kept) else b""
            behind, further = self.size - self.n_behind, self._behind(content, 0)
        change(self.path, Redo(where, values, behind, further))

    def _cells(
        self, number: int, gone: Places, leaving: CodedRows, runs: Runs
    ) -> Iterator[Cells]:
        """What changes in a segment."""
        own, part = self.opened.segments[number], self.parts.parts[number]
        coder = part.coder.twin()
        coder.tally(leaving, -1)
        labels = np.concatenate([_NOWHERE, *(v.counts for v in coder.holders())])
        rows = part.rows
        assert isinstance(rows, PackedRows)
        yield from cells_of_rows(Leaving.of(own, rows.n_rows, gone), rows.packing)
        yield less_labels(own["labels"], labels)
        yield from cells_of_runs(own, rows.runs, runs, self.opened.arrays, number)

    def _rewrite(self, places: Sequence[Places], coder: Coder) -> None:
        """Write the file anew, without some rows, in the codes of these labels."""
        gathered = Gathered(self, parts_of(self), places)
        cuts, found = self.bins.cuts, self.bins.current
        if self._moves_cuts():
            cuts, found = gathered.find_cuts(coder), True
        outline = replace(gathered.outline(coder, cuts), found=found)
        told = {**self.header, "cases": outline.header()}
        write_rows(self.path, told, outline, gathered.batches(coder))

    def _rebuild(self, alter: Callable[[CaseBase], Found]) -> Found:
        """Make a change that turns columns into others: in memory, then in the file."""
        base = self._join()
        found = alter(base)
        write_cases(self.path, self.header, base)
        self._reopen()
        return found

    def _reopen(self) -> None:
        """Take the rows of the file, whatever is here."""
        self._become(type(self)._read(self.path))

    def _own_arrays(self) -> None:
        # What else is in use lies in a file, which is then not changed in place.
        self.parts.parts[-1]._own_arrays()

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is of the rows, not of the file."""
        state = {n: v for n, v in self.__getstate__().items() if n not in _OWN}
        return _as_copy, (state,)


def _as_copy(state: dict[str, Any]) -> PartedBase:
    base = object.__new__(PartedBase)
    base.__setstate__(state)
    return base
