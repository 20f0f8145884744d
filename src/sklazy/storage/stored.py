"""Case bases into files, in order of arrival, and out of them."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.base import CaseBase
from sklazy.casebase.coder import Coder
from sklazy.casebase.cuts import column_cuts
from sklazy.casebase.holding import PartsHere
from sklazy.casebase.parted import PartedBase
from sklazy.casebase.parts import renumber_codes
from sklazy.casebase.rows import CLASSES, NO_ROWS, CodedRows, Places, Rows
from sklazy.errors import BadFileError
from sklazy.storage import outline
from sklazy.storage.added import cut_added, unpack_rows
from sklazy.storage.files import SENSELESS, contradiction, parse_bytes, see_arrays
from sklazy.storage.locking import check_unchanged, map_shared, read_shared
from sklazy.storage.opening import Opened
from sklazy.storage.outline import Arrays, Floats, Named, Outline, kind_of_numeric_ids
from sklazy.storage.packed import STEP, PackedRows
from sklazy.storage.stored_ids import Runs, join_runs, width_of
from sklazy.storage.writing import write_rows


class RowsToWrite:
    """Rows that are to be written: those of parts, less the places `gone` in each.

    A base that is not in parts is the only part.
    """

    def __init__(
        self, head: CaseBase, parts: Sequence[CaseBase], gone: Sequence[Places] = ()
    ) -> None:
        self.head, self.parts = head, parts
        self.gone = gone or [NO_ROWS] * len(parts)
        pairs = zip(parts, self.gone, strict=True)
        self.sizes = [part.n_rows - len(left_out) for part, left_out in pairs]

    def outline(self, coder: Coder, cuts: list[Floats]) -> Outline:
        """The outline of the rows, given their labels and cuts."""
        head, bins = self.head, self.head.bins
        named, n_runs, text_width = self._names()
        rows = self.parts[0].rows
        return Outline(
            coder,
            cuts,
            bins.criterion,
            frozen=bins.frozen,
            has_cuts=bool(cuts) and bool(coder.n_classes) and bins.current,
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
                for j, codes in moved.items():
                    renumber_codes(rows, j, codes)
                yield replace(rows, arrival=np.arange(first, first + len(rows)))
                first += len(rows)

    def find_cuts(self, coder: Coder) -> list[Floats]:
        """The cuts of numbers by the classes of the rows, one column at a time."""
        moved = [_moves(part.coder, coder).get(CLASSES) for part in self.parts]
        every = list(zip(self.parts, self.gone, moved, strict=True))
        classes = np.concatenate([_classes(*by_value) for by_value in every])
        cuts = []
        for i in range(len(coder.numeric)):
            columns = [
                np.delete(part.rows.numbers[i, : part.n_rows], gone)
                for part, gone, _ in every
            ]
            values, criterion = np.concatenate(columns), self.head.bins.criterion
            cuts.append(column_cuts(values, classes, coder.n_classes, criterion))
        return cuts

    def _weighted(self) -> bool:
        weighted = False
        for part, gone in zip(self.parts, self.gone, strict=True):
            if part.rows.own_weights.size:
                weighted |= bool((np.delete(part.rows.weights, gone) != 1).any())
        return weighted

    def _names(self) -> tuple[Named, int, int]:
        """The kind of ids, the number of runs, and the bytes of the longest text."""
        if any(part.rows.has_text_ids for part in self.parts):
            widths = [width_of(part.rows.ids.tolist()) for part in self.parts]
            return "text", 1, max(widths)
        numbers = [
            _numbers(part.rows, gone)
            for part, gone in zip(self.parts, self.gone, strict=True)
        ]
        return *kind_of_numeric_ids(join_runs(numbers)), 0


def _classes(
    part: CaseBase, gone: Places, moved: NDArray[np.int32] | None
) -> NDArray[np.int32]:
    """The classes of the rows that stay, in other codes."""
    classes = np.delete(part.rows.classes[: part.n_rows], gone).astype(np.int32)
    return classes if moved is None else moved[classes]


def _numbers(rows: Rows, gone: Places) -> Runs:
    """The ids of the rows that stay, in order of arrival."""
    if isinstance(rows, PackedRows) and not rows.is_unpacked and not len(rows.ids_kept):
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
    maps = {}
    for j, vocabulary in old.vocabularies.items():
        moved = new.vocabularies[j].lookup(vocabulary.labels)
        if not np.array_equal(moved, np.arange(len(moved))):
            maps[j] = moved
    return maps


def save_cases(cases: CaseBase, path: str | Path) -> None:
    """Write a case base to a file, all or nothing."""
    write_cases(path, {"content": "casebase"}, cases)


class InFile(PartedBase):
    """A case base that lies in a file and is changed with it; see `StoredBase`."""

    path: Path

    def compact(self, header: dict[str, Any] | None = None) -> None:
        """Write the file anew, with another header beside the rows if one is given."""
        raise NotImplementedError


def write_cases(path: str | Path, header: dict[str, Any], cases: CaseBase) -> None:
    """Write a case base and a header beside it to a file, all or nothing."""
    if isinstance(cases, InFile) and cases.path == Path(os.path.realpath(path)):
        cases.compact(header)
        return
    check_unchanged(path)  # reported before much is written
    with cases.snapshot() as state:  # as it is now, whatever others do to it meanwhile
        write_state(path, header, state)


def write_state(
    path: str | Path, header: dict[str, Any], state: CaseBase, *, held: bool = False
) -> None:
    """Write a case base that does not change meanwhile; see `write_rows`."""
    state._sync()  # so that no cut of rows since forgotten goes into the file
    gathered = RowsToWrite(state, parts_of(state))
    outline = gathered.outline(state.coder, state.bins.cuts)
    whole = {**header, "cases": outline.header()}
    write_rows(path, whole, outline, gathered.batches(state.coder), held=held)


def parts_of(cases: CaseBase) -> list[CaseBase]:
    """The parts of a case base in this process; one that has none is one itself."""
    if isinstance(cases, PartedBase) and isinstance(cases.parts, PartsHere):
        return list(cases.parts.parts)
    return [cases.joined()]


class Stored(NamedTuple):
    """Content of a file: header, arrays, and rows that were added since."""

    header: dict[str, Any]
    arrays: Arrays
    added: list[CodedRows]
    next_id: int

    def cases(self, path: object, *, mapped: bool) -> CaseBase:
        """The case base."""
        try:
            segments = Opened(self.header.get("cases", self.header), self.arrays)
            if segments.n_segments == 1 and not self.added and not self.next_id:
                cases: CaseBase = segments.whole()
            else:
                cases = segments.parted(self.added, self.next_id, mapped=mapped)
            if not mapped:
                segments.check_cells()
        except BadFileError:
            raise
        except SENSELESS as error:
            raise contradiction(error, path) from error
        return cases


def read_stored(path: str | Path, *, mapped: bool = False) -> Stored:
    """Read a file, every byte checked, or leave its arrays there."""
    data = map_shared(path) if mapped else read_shared(path)
    file_bytes, records, next_id = cut_added(data, path)
    header, arrays = (
        see_arrays(file_bytes, path) if mapped else parse_bytes(file_bytes, path)
    )
    return Stored(header, arrays, unpack_rows(records, path), next_id)


def check_stored(path: str | Path) -> None:
    """Check every byte of a file, block by block, which stays where it is."""
    file_bytes, records, _ = cut_added(map_shared(path), path)
    parse_bytes(file_bytes, path)
    unpack_rows(records, path)


def load_cases(path: str | Path, *, mapped: bool = False) -> CaseBase:
    """Read a case base; a file that is anything else is refused."""
    stored = read_stored(path, mapped=mapped)
    if stored.header.get("content") != "casebase":
        raise BadFileError(
            "the file holds no case base. Load a model with sklazy.load.", path
        )
    return stored.cases(path, mapped=mapped)
