"""A model as a folder of files, each with some of the rows and all labels and cuts.

Any number of processes can write the files, one each, and any number can open them
mapped. The folder is a model once it has a list of them, which is written last and
replaces an older one as a whole; files that no list names any more are removed.
"""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np

from sklazy.casebase.base import CaseBase
from sklazy.casebase.holding import PartsHere, concatenate_rows
from sklazy.casebase.parted import PartedBase
from sklazy.casebase.parts import Part
from sklazy.casebase.rows import NO_ROWS, CodedRows
from sklazy.errors import BadFileError, BadInputError
from sklazy.storage.files import SENSELESS, contradiction
from sklazy.storage.opening import Opened
from sklazy.storage.outline import Outline
from sklazy.storage.pages import CHECKSUM
from sklazy.storage.placing import replacing_file
from sklazy.storage.stored import RowsToWrite, Stored, parts_of, read_stored
from sklazy.storage.writing import write_rows

LIST = "parts.json"
"""The file that lists the others."""

_FORMAT = 1
_OF_ONE_FILE = ("ids", "next_id", "segments")  # what files may differ in


class PartFile(NamedTuple):
    """A file of a folder: its name, rows, and the checksum at its end."""

    name: str
    n_rows: int
    seal: str


class PartPlace(NamedTuple):
    """Where a part lies: a file, one of its segments, and the checksum of the file."""

    path: str
    segment: int
    seal: str


def is_folder(path: str | Path) -> bool:
    """Whether a path is a folder that holds a model."""
    return os.path.isfile(os.path.join(path, LIST))


# --- writing --------------------------------------------------------------------------


def write_folder(
    path: str | Path, header: dict[str, Any], cases: CaseBase, n_parts: int
) -> None:
    """Write a case base to a folder of files with about as many rows each."""
    begin_folder(path)
    with cases.snapshot() as state:
        state._sync()
        gathered = RowsToWrite(state, parts_of(state))
        outline = gathered.outline(state.coder, state.bins.cuts)
        sizes = np.diff(np.linspace(0, outline.n_rows, n_parts + 1).astype(int))
        files, rows = [], _Cut(gathered.batches(state.coder))
        for number, n_rows in enumerate(sizes[sizes > 0].tolist()):
            some = replace(outline, n_rows=n_rows)
            file = Path(path, name_file(number))
            files.append(_write(file, header, some, rows.take(n_rows)))
    finish_folder(path, files)


class _Cut:
    """Batches of rows, cut where a file ends."""

    def __init__(self, batches: Iterator[CodedRows]) -> None:
        self._batches, self._left = batches, None

    _left: CodedRows | None

    def take(self, n_rows: int) -> Iterator[CodedRows]:
        """The next rows; they arrive from 0 on in their file."""
        first = 0
        while first < n_rows:
            batch = self._left if self._left is not None else next(self._batches)
            count = min(len(batch), n_rows - first)
            rest = np.arange(count, len(batch))
            self._left = batch.take(rest) if len(rest) else None
            some = batch.take(np.arange(count)) if len(rest) else batch
            yield replace(some, arrival=np.arange(first, first + count))
            first += count


def begin_folder(path: str | Path) -> None:
    """Make a folder, unless it is one that holds a model or nothing."""
    if os.path.isfile(path):
        raise BadInputError(f"{path} is a file; give the name of a folder.")
    os.makedirs(path, exist_ok=True)
    if not is_folder(path) and any(not n.startswith(".") for n in os.listdir(path)):
        raise BadInputError(
            f"the folder {path} has other files; give one that is new or empty, or a "
            "model to be replaced."
        )


def name_file(number: int) -> str:
    """A name for a file of a folder, which no other ever has."""
    return f"part-{number:05d}-{uuid4().hex[:12]}.sklazy"


class PartRequest(NamedTuple):
    """How a part is to be written: where to, and what all parts have in common."""

    path: str
    header: dict[str, Any]
    frozen: bool
    has_cuts: bool
    next_id: int


def write_part(part: CaseBase, request: PartRequest) -> PartFile | None:
    """Write the rows of a part where it lies; None if it has none."""
    if not part.n_rows:
        return None
    gathered = RowsToWrite(part, [part])
    outline = replace(
        gathered.outline(part.coder, part.bins.cuts),
        frozen=request.frozen,
        has_cuts=request.has_cuts,
        next_id=request.next_id,
    )
    rows = gathered.batches(part.coder)
    return _write(Path(request.path), request.header, outline, rows)


def _write(
    path: Path, header: dict[str, Any], outline: Outline, rows: Iterator[CodedRows]
) -> PartFile:
    write_rows(path, {**header, "cases": outline.header()}, outline, rows)
    return PartFile(path.name, outline.n_rows, _read_seal(path))


def finish_folder(path: str | Path, files: Sequence[PartFile]) -> None:
    """Write the list of the files, and remove those that it does not name."""
    if not files:
        raise BadInputError("there are no rows to write; give at least one.")
    listed = {"format": _FORMAT, "files": [file._asdict() for file in files]}
    with replacing_file(Path(path, LIST)) as out:
        out.write(json.dumps(listed, indent=1).encode())
    names = {file.name for file in files}
    for name in os.listdir(path):
        if name.startswith("part-") and name not in names:
            os.remove(os.path.join(path, name))


def _read_seal(path: str | Path) -> str:
    with open(path, "rb") as file:
        file.seek(-CHECKSUM, os.SEEK_END)
        return file.read().hex()


# --- opening --------------------------------------------------------------------------


def list_files(path: str | Path) -> list[PartFile]:
    """The files of a folder."""
    where = os.path.join(path, LIST)
    try:
        with open(where, encoding="utf-8") as file:
            listed = json.load(file)
        if listed["format"] != _FORMAT:
            raise BadFileError(
                f"format {listed['format']!r} is not known here; update sklazy.", where
            )
        files = [PartFile(**entry) for entry in listed["files"]]
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, BadFileError):
            raise
        raise BadFileError(
            f"not the list of a model's files ({error}). Restore the folder from a "
            "copy.",
            where,
        ) from None
    if not files or any(os.path.basename(file.name) != file.name for file in files):
        raise BadFileError(
            "it lists no files, or files of other folders. Restore the folder from a "
            "copy.",
            where,
        )
    return files


def read_part_file(path: str | Path, seal: str, *, mapped: bool) -> Stored:
    """Read a file of a folder, which must be the one that was listed."""
    try:
        present = _read_seal(path)
    except OSError as error:
        raise BadFileError(
            f"a file of the model cannot be read ({error}). Check its permissions, or "
            "restore the folder from a copy.",
            path,
        ) from None
    if present != seal:
        raise BadFileError(
            "the file has changed, or is not the one that the folder lists. Restore "
            "the folder from a copy.",
            path,
        )
    return read_stored(path, mapped=mapped)


class OpenedFolder:
    """A folder whose files are known, and agree.

    Attributes
    ----------
    header : dict
        The header of a file without that of the rows.
    places : list of PartPlace
    sizes : list of int, the rows of each
    """

    def __init__(self, path: str | Path, *, mapped: bool = True) -> None:
        self.path, self.places, self.sizes = path, [], []
        self._opened: list[tuple[Opened, int]] = []
        for file in list_files(path):
            self._add(file, mapped=mapped)
        self.next_id = max(int(one.header["next_id"]) for one, _ in self._opened)

    places: list[PartPlace]
    sizes: list[int]
    header: dict[str, Any]

    def _add(self, file: PartFile, *, mapped: bool) -> None:
        path = os.path.join(self.path, file.name)
        stored = read_part_file(path, file.seal, mapped=mapped)
        header = {n: v for n, v in stored.header.items() if n != "cases"}
        opened = open_rows(stored, path)
        if not self.places:
            self.header = header
        elif header != self.header or not _agree(opened, self._opened[0][0]):
            raise BadFileError(
                f"it belongs to another model than {self.places[0].path}. Restore the "
                "folder from a copy.",
                path,
            )
        if not mapped:
            opened.check_cells()
        for segment, n_rows in enumerate(opened.sizes):
            self.places.append(PartPlace(path, segment, file.seal))
            self.sizes.append(n_rows)
            self._opened.append((opened, segment))

    def head(self) -> CaseBase:
        """A case base without rows, of the labels and cuts of all files."""
        return self._opened[0][0].head(self.next_id)

    def parted(self) -> PartedBase:
        """The files as parts of one case base, and a part for further rows."""
        head = self.head()
        parts = [one.part(s, n) for n, (one, s) in enumerate(self._opened)]
        none = concatenate_rows([head.rows.take(NO_ROWS)])
        parts.append(Part.of(head, none, len(parts)))
        return PartedBase(head, PartsHere(parts), [*self.sizes, 0])


def open_rows(stored: Stored, path: object) -> Opened:
    """The arrays of a file, whose description must make sense."""
    try:
        return Opened(stored.header.get("cases", stored.header), stored.arrays)
    except SENSELESS as error:
        raise contradiction(error, path) from error


def open_part(place: PartPlace, number: int) -> Part:
    """A part that stays in its file, with its number among all."""
    stored = read_part_file(place.path, place.seal, mapped=True)
    part = open_rows(stored, place.path).part(place.segment, number)
    part.seal = place.seal
    return part


def _agree(one: Opened, other: Opened) -> bool:
    """Whether two files have the same columns, labels and cuts."""
    common = [
        {n: v for n, v in opened.header.items() if n not in _OF_ONE_FILE}
        for opened in (one, other)
    ]
    cuts = zip(one.bins.cuts, other.bins.cuts, strict=True)
    return common[0] == common[1] and all(np.array_equal(a, b) for a, b in cuts)
