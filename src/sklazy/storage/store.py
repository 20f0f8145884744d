"""A case base in a file that is changed with it: rows come and go in both at once.

Rows that are added go behind the file's own bytes; those that are forgotten are erased
where they lie. Where a change reaches all rows (a label comes or goes, cuts of numbers
move), or others have the file mapped, it is written anew beside the old one, whose
place it takes as a whole.
"""

import contextlib
import os
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.base import CaseBase
from sklazy.casebase.coder import Coder
from sklazy.casebase.holding import PartsHere
from sklazy.casebase.incoming import IdsLike, Incoming, as_ids
from sklazy.casebase.kinds import add_checked, emptied_columns
from sklazy.casebase.parted import PartedBase
from sklazy.casebase.parts import Floats
from sklazy.casebase.rows import CodedRows, Ids, Places
from sklazy.casebase.states import Snapshot
from sklazy.errors import BadFileError
from sklazy.storage.added import (
    as_record,
    cut_added,
    end_of_file,
    pack_rows,
    unpack_rows,
)
from sklazy.storage.erasing import (
    CellChange,
    Erased,
    cells_of_rows,
    cells_of_runs,
    changed_bytes,
    less_labels,
)
from sklazy.storage.files import (
    SENSELESS,
    Frame,
    contradiction,
    map_bytes,
    open_frame,
    opened,
    size_of,
)
from sklazy.storage.locking import (
    Held,
    Place,
    alone_with_file,
    check_names,
    hold_file,
    identity_of_file,
)
from sklazy.storage.opening import Opened
from sklazy.storage.packed import PackedRows
from sklazy.storage.pages import CHECKSUM
from sklazy.storage.placing import clear_leftovers
from sklazy.storage.redo import Redo, change_file, finish_change, redo_of
from sklazy.storage.stored import InFile, RowsToWrite, parts_of, write_state
from sklazy.storage.stored_ids import Runs
from sklazy.storage.writing import write_rows

_MOST_ERASED = 4096  # rows at once that are erased one by one

_NOWHERE = np.zeros(0, np.int64)
_NOTHING = np.zeros(0, np.uint8)
_OF_FILE = ("path", "held", "place", "frame", "opened", "n_behind", "size")
_OWN = frozenset([*_OF_FILE, "_handed", "_is_torn"])


def _check_parted(frame: Frame, path: Path) -> None:
    """Refuse rows that are weighed by each other: no part of them changes alone."""
    cases = frame.header.get("cases")
    if isinstance(cases, dict) and cases.get("balanced"):
        raise BadFileError(
            "with class_weight='balanced' all rows are weighed by each other, so the "
            "file is not changed in place. Load it without mmap_mode, change the model "
            "and save it; sklazy.erase does so.",
            path,
        )


class StoredBase(InFile):
    """A case base of the rows of a file, open to be changed."""

    held: Held  # which keeps others from changing it as well
    place: Place  # which of the system's files it is
    frame: Frame  # the file's own bytes
    opened: Opened  # the arrays of its segments
    # The bytes behind its own, and all of them.
    n_behind: int
    size: int
    parts: PartsHere
    # Set of states that were handed out, for as long as they are in use.
    _handed: "weakref.WeakSet[StoredBase]"
    # Whether rows here may be others than those of the file: a change is under way, or
    # was cut short.
    _is_torn: bool = False

    @classmethod
    def open(cls, path: str | Path) -> "StoredBase":
        """Open a file; a change that a process was killed in is finished first."""
        with opened(path):  # a missing file is reported before anything is written
            pass
        held = hold_file(path)
        try:
            finish_change(path)
            real = Path(os.path.realpath(path))
            check_names(real)
            clear_leftovers(real)
            clear_leftovers(redo_of(real))
            base = cls._read(real)
        except BaseException:
            held.close()
            raise
        base.held, base._handed = held, weakref.WeakSet()
        return base

    @classmethod
    def _read(cls, path: Path) -> "StoredBase":
        with opened(path) as file:
            data = map_bytes(file, path, size_of(file))
            place = identity_of_file(file.fileno())
        file_bytes, records, next_id = cut_added(data, path)
        frame, added = open_frame(file_bytes, path), unpack_rows(records, path)
        _check_parted(frame, path)
        try:
            segments = Opened(frame.header["cases"], frame.arrays)
            parted = segments.parted(added, next_id)
        except SENSELESS as error:
            raise contradiction(error, path) from error
        base = object.__new__(cls)
        vars(base).update(vars(parted))
        base.path, base.opened, base.frame = path, segments, frame
        base.place = place
        base.n_behind, base.size = len(data) - len(file_bytes), len(data)
        return base

    @property
    def header(self) -> dict[str, Any]:
        """The header of the file without that of the rows."""
        return {n: v for n, v in self.frame.header.items() if n != "cases"}

    # --- change -----------------------------------------------------------------------

    def _settle_kinds(self, incoming: Incoming, columns: list[int]) -> None:
        self._rebuild(lambda base: add_checked(base, incoming))

    def _take_in(self, incoming: Incoming) -> None:
        """Take in new rows, which are on the disk when this returns."""
        labels, n_before = self._labels(), self.sizes[-1]
        super()._take_in(incoming)
        if self._labels() != labels or self._moves_cuts():
            self._rewrite([_NOWHERE] * len(self.sizes), self.coder)
            self._reopen()
        elif len(incoming):
            self._append(n_before)

    def forget(self, ids: IdsLike) -> None:
        """Erase rows, here and in the file: their bytes are nowhere any more."""
        with self._lock:
            self._settle()
            wanted = as_ids(ids)
            places, _ = self._find_leaving(wanted)
            if not len(wanted):
                return
            with self._changing():
                self._sync()
                self._erase(places, wanted)
                self._reopen()
        self.bins.warn_if_stale()

    def _erase(self, places: Sequence[Places], ids: Ids) -> None:
        """Erase rows in place if no other row is touched, or write all anew."""
        pairs = zip(parts_of(self), places, strict=True)
        leaving = [part.rows.take(gone) for part, gone in pairs]
        n_known = np.sum([(r.codes >= 0).sum(axis=1) for r in leaving], axis=0)
        if emptied_columns(self, n_known):
            self._rebuild(lambda base: base.forget(ids))
            return
        coder = self.coder.twin()
        for rows in leaving:
            coder.tally(rows, -1)
        has_label_gone = bool(list(coder.retire()))
        in_use = any(state._readers for state in self._handed)
        in_use |= self.held.may_be_mapped
        runs = self._runs_without(places)
        if not (has_label_gone or in_use or self._moves_cuts()) and runs is not None:
            with alone_with_file(self.path) as is_alone:
                if is_alone:
                    self._erase_in_place(places, leaving, runs)
                    return
        self._rewrite(places, coder)

    def freeze(self) -> None:
        """Keep the cuts as they are until `refresh`, whatever rows come and go."""
        with self._changing():
            super().freeze()
            self._write(self)

    def refresh(self) -> None:
        """Find frozen cuts anew from the rows that are there."""
        with self._changing():
            super().refresh()
            self._write(self)

    def settle_cuts(self, cuts: list[Floats]) -> None:
        """Take frozen cuts found before, one array a numeric attribute."""
        with self._changing():
            super().settle_cuts(cuts)
            self._write(self)

    def compact(self, header: dict[str, Any] | None = None) -> None:
        """Write the file as one of these rows that is new."""
        with self._changing():
            self._write(self, header)

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        """A change, here and in the file; if it fails rows are those of the file."""
        with self._lock:
            self._settle()
            self._is_torn = True
            try:
                yield
            except BaseException:
                with contextlib.suppress(OSError, BadFileError):  # else the next time
                    self._settle()
                raise
            self._is_torn = False

    def _settle(self) -> None:
        """Take the rows of the file if a change was cut short, which is finished."""
        if not self.held.is_mine:
            raise BadFileError(
                "it is open for changes in the process that this one was forked from. "
                "Load it in only one of them.",
                self.path,
            )
        if self._is_torn:
            for file in (self.path, redo_of(self.path)):
                clear_leftovers(file, mine=True)
            finish_change(self.path)
            self._reopen()
            self._is_torn = False
        elif identity_of_file(self.path) != self.place:
            raise BadFileError(
                "it was removed, or another file has taken its place, since it was "
                "opened. Load that one, or save this model elsewhere.",
                self.path,
            )

    # --- states -----------------------------------------------------------------------

    def snapshot(self) -> Snapshot[Self]:
        """The state between two changes, for a ``with`` block; see `CaseBase`.

        A change that was cut short is finished first.
        """
        if self._is_torn and not self._is_state:
            with self._lock:  # a change may be done by then
                if self._is_torn:
                    self._settle()
        return super().snapshot()

    def _make_state(self) -> Self:
        state = super()._make_state()
        self._handed.add(state)
        return state

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
        self._change(_NOWHERE, _NOTHING, self.size, further)
        self.n_behind += len(further)
        self.size += len(further)

    def _change(
        self,
        places: NDArray[np.int64],
        values: NDArray[np.uint8],
        behind: int,
        further: NDArray[np.uint8],
    ) -> None:
        """Change the file in place; see `Redo`."""
        file_bytes = self.frame.data
        checksum = file_bytes[-CHECKSUM:].copy()
        change_file(
            self.path, Redo(places, values, behind, further, len(file_bytes), checksum)
        )

    def _behind(self, content: bytes, n_before: int) -> NDArray[np.uint8]:
        """A record and the end of the file behind it."""
        record = as_record(content)
        end = end_of_file(n_before + len(record), self.next_id)
        return np.frombuffer(record + end, np.uint8)

    def _runs_without(self, places: Sequence[Places]) -> list[Runs] | None:
        """The runs of segments without some rows.

        None if there is no room for them, or if no row would be left in a segment.
        """
        n_gone = sum(map(len, places[:-1]))
        if n_gone > _MOST_ERASED or n_gone == sum(self.sizes[:-1]):
            return None
        runs_left = []
        for part, gone in zip(self.parts.parts[:-1], places[:-1], strict=True):
            rows = part.rows
            if not isinstance(rows, PackedRows) or rows.is_unpacked:
                return None
            tail, holes = rows.moves(gone)
            runs = rows.runs.without(tail, holes, rows.n_rows - len(gone))
            if len(runs.starts) > len(self.opened.segments[part.number]["runs"]):
                return None
            runs_left.append(runs)
        return runs_left

    def _erase_in_place(
        self,
        places: Sequence[Places],
        leaving: Sequence[CodedRows],
        runs: Sequence[Runs],
    ) -> None:
        changes: list[CellChange] = []
        for number, runs_left in enumerate(runs):
            if len(places[number]):
                changes += self._cell_changes(
                    number, places[number], leaving[number], runs_left
                )
        where, values = changed_bytes(self.frame, changes, self.path)
        behind, further = self.size, _NOTHING
        if len(places[-1]):
            rows = self.parts.parts[-1].rows
            kept = np.argsort(rows.arrival[: rows.n_rows])
            kept = kept[~np.isin(kept, places[-1])]
            content = pack_rows(rows.take(kept)) if len(kept) else b""
            behind, further = self.size - self.n_behind, self._behind(content, 0)
        self._change(where, values, behind, further)

    def _cell_changes(
        self, number: int, gone: Places, leaving: CodedRows, runs: Runs
    ) -> Iterator[CellChange]:
        """Changed cells of a segment."""
        arrays, part = self.opened.segments[number], self.parts.parts[number]
        coder = part.coder.twin()
        coder.tally(leaving, -1)
        counts = [v.counts for v in coder.vocabularies.values()]
        labels = np.concatenate([_NOWHERE, *counts])
        rows = part.rows
        assert isinstance(rows, PackedRows)
        yield from cells_of_rows(Erased.of(arrays, rows, gone), rows.packing)
        yield less_labels(arrays["labels"], labels)
        yield from cells_of_runs(arrays, rows.runs, runs, self.opened.arrays, number)

    def _rewrite(self, places: Sequence[Places], coder: Coder) -> None:
        """Write the file anew, without some rows, in the codes of these labels."""
        gathered = RowsToWrite(self, parts_of(self), places)
        cuts, current = self.bins.cuts, self.bins.current
        if self._moves_cuts():
            cuts, current = gathered.find_cuts(coder), True
        outline = replace(gathered.outline(coder, cuts), has_cuts=current)
        header = {**self.header, "cases": outline.header()}
        write_rows(self.path, header, outline, gathered.batches(coder), held=True)
        self.held.start_anew()

    def _rebuild(self, change: Callable[[CaseBase], None]) -> None:
        """Make a change that turns columns into others: in memory, then in the file."""
        base = self._join()
        change(base)
        self._write(base)

    def _write(self, base: CaseBase, header: dict[str, Any] | None = None) -> None:
        """Have the rows of a base in the file, and here."""
        header = self.header if header is None else header
        write_state(self.path, header, base, held=True)
        self.held.start_anew()
        self._reopen()

    def _reopen(self) -> None:
        """Take the rows of the file, whatever is here."""
        self._become(type(self)._read(self.path))

    def _own_arrays(self) -> None:
        # The other arrays in use lie in a file, which is then not changed in place.
        self.parts.parts[-1]._own_arrays()

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is of the rows, not of the file."""
        state = {n: v for n, v in self.__getstate__().items() if n not in _OWN}
        return _as_copy, (state,)


def _as_copy(state: dict[str, Any]) -> PartedBase:
    base = object.__new__(PartedBase)
    base.__setstate__(state)
    return base
