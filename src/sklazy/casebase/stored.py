"""Case bases in files."""

import os
from pathlib import Path
from typing import Any, NamedTuple

from sklazy.casebase.added import cut_added, unpack_rows
from sklazy.casebase.base import CaseBase
from sklazy.casebase.files import can_be_mapped, parse_bytes, see_arrays
from sklazy.casebase.gathering import Gathered
from sklazy.casebase.holding import PartsHere
from sklazy.casebase.locking import check_unchanged, map_shared, read_shared
from sklazy.casebase.opening import from_stored
from sklazy.casebase.parted import PartedBase
from sklazy.casebase.plain import Arrays
from sklazy.casebase.rows import CodedRows
from sklazy.casebase.writing import write_rows
from sklazy.errors import BadFileError


def save_cases(cases: CaseBase, path: str | Path) -> None:
    """Write a case base to a file, all or nothing."""
    write_cases(path, {"content": "casebase"}, cases)


class InFile(PartedBase):
    """A case base that lies in a file and is changed with it; see `StoredBase`."""

    path: Path

    def compact(self, header: dict[str, Any] | None = None) -> None:
        """Write the file anew, and what is said beside the rows if that is given."""
        raise NotImplementedError


def write_cases(path: str | Path, header: dict[str, Any], cases: CaseBase) -> None:
    """Write a case base and what is said beside it to a file, all or nothing."""
    if isinstance(cases, InFile) and cases.path == Path(os.path.realpath(path)):
        cases.compact(header)
        return
    check_unchanged(path)  # said before much is written
    with cases.snapshot() as state:  # as it is now, whatever others do to it meanwhile
        write_state(path, header, state)


def write_state(
    path: str | Path, header: dict[str, Any], state: CaseBase, *, held: bool = False
) -> None:
    """Write a case base that nobody changes meanwhile; see `write_rows`."""
    state._sync()  # so that no cut of rows since forgotten goes into the file
    gathered = Gathered(state, parts_of(state))
    outline = gathered.outline(state.coder, state.bins.cuts)
    told = {**header, "cases": outline.header()}
    write_rows(path, told, outline, gathered.batches(state.coder), held=held)


def parts_of(cases: CaseBase) -> list[CaseBase]:
    """The parts of a case base in this process; one that has none is one itself."""
    if isinstance(cases, PartedBase) and isinstance(cases.parts, PartsHere):
        return list(cases.parts.parts)
    return [cases.joined()]


class Stored(NamedTuple):
    """What a file holds: header, arrays, and rows that were added since."""

    header: dict[str, Any]
    arrays: Arrays
    added: list[CodedRows]
    next_id: int

    def cases(self, path: object, *, mapped: bool) -> CaseBase:
        """The case base."""
        told = self.header.get("cases", self.header)
        return from_stored(
            told,
            self.arrays,
            path,
            mapped=mapped,
            added=self.added,
            next_id=self.next_id,
        )


def read_stored(path: str | Path, *, mapped: bool = False) -> Stored:
    """Read a file, every byte checked, or leave its arrays there."""
    data = map_shared(path) if mapped else read_shared(path)
    own, records, next_id = cut_added(data, path)
    header, arrays = see_arrays(own, path) if mapped else parse_bytes(own, path)
    return Stored(header, arrays, unpack_rows(records, path), next_id)


def check_stored(path: str | Path) -> bool:
    """Check every byte of a file, block by block, which stays where it is.

    Returns whether it can be mapped.
    """
    own, records, _ = cut_added(map_shared(path), path)
    parse_bytes(own, path)
    unpack_rows(records, path)
    return can_be_mapped(own, path)


def load_cases(path: str | Path, *, mapped: bool = False) -> CaseBase:
    """Read a case base; a file that is anything else is refused."""
    stored = read_stored(path, mapped=mapped)
    if stored.header.get("content") != "casebase":
        raise BadFileError("the file holds something else than a case base.", path)
    return stored.cases(path, mapped=mapped)
