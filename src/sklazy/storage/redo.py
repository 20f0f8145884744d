"""A change of a file in place that is made as a whole, whatever happens meanwhile.

All new bytes are written beside the file first, as a whole (`write_file`); then they
are put in their places, and the file beside it is removed. If the process is killed
before the first is done nothing has changed; after it, the next process that opens the
file puts the bytes in their places, once more or for the first time, to the same
effect. There are no old bytes in it: what is erased is erased from both. It names which
file it is for: another one that has taken its place is left alone, if it is whole.

It takes its name as a whole, so it is never torn: one that does not match its checksums
is damaged and refused, and stays where it is.
"""

import os
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadFileError
from sklazy.storage.added import cut_added
from sklazy.storage.files import (
    Content,
    map_bytes,
    parse_bytes,
    read_file,
    size_of,
    write_file,
)
from sklazy.storage.pages import CHECKSUM
from sklazy.storage.placing import sync_folder

Bytes = NDArray[np.uint8]


class Redo(NamedTuple):
    """A change of a file."""

    places: NDArray[np.int64]  # (n_bytes,), which bytes get other values
    values: Bytes  # (n_bytes,)
    behind: int  # where further bytes follow that take the place of all that is there
    further: Bytes
    end: int  # where the file's own bytes end, the last of which are their checksum
    checksum: Bytes  # (32,), the checksum before the change


def redo_of(path: str | Path) -> Path:
    """The file beside another one that a change of it is written to first."""
    real = Path(os.path.realpath(path))
    return real.with_name(f".{real.name}.redo")


def change_file(path: str | Path, redo: Redo) -> None:
    """Change a file as a whole.

    If the disk is full the file is as it was, unless rows were to be erased: these are
    when it is opened next.
    """
    size = os.stat(path).st_size
    plain = redo._asdict()
    header = {name: plain.pop(name) for name in ("behind", "end")}
    write_file(redo_of(path), header, plain, like=path)
    try:
        finish_change(path)
    except OSError:
        if not len(redo.places) and redo.behind >= size:
            os.truncate(path, size)
            _remove(path)
        raise


def finish_change(path: str | Path) -> None:
    """Make the change that is written beside a file, if there is one for it."""
    if not redo_of(path).exists():
        return
    header, arrays = _read(path)
    redo = Redo(**{**header, **arrays})
    with open(path, "r+b") as file:
        if _is_for(file, redo):
            _put(file, redo)
        else:
            _check_other(file, path)
    _remove(path)


def _read(path: str | Path) -> Content:
    """Read the change that is written beside a file."""
    try:
        return read_file(redo_of(path))
    except BadFileError as error:
        raise BadFileError(
            f"{error} It is a change of {Path(path).name} that was under way. If there "
            "is no copy of both, remove it, and see which rows sklazy.load still finds."
        ) from error


def _check_other(file: IO[bytes], path: str | Path) -> None:
    """Refuse a file that is not whole: the change beside it may be what it needs."""
    data = map_bytes(file, path, size_of(file))
    parse_bytes(cut_added(data, path)[0], path)


def _is_for(file: IO[bytes], redo: Redo) -> bool:
    """Whether a change is of this file: it has the checksum from before or after it.

    If a process was killed in the change, some bytes may be of one, some of the other.
    """
    if size_of(file) < redo.behind:
        return False
    first = redo.end - CHECKSUM
    file.seek(first)
    there = np.frombuffer(file.read(CHECKSUM), np.uint8)
    in_checksum = slice(*np.searchsorted(redo.places, [first, redo.end]))
    after = redo.checksum.copy()
    after[redo.places[in_checksum] - first] = redo.values[in_checksum]
    return bool(((there == redo.checksum) | (there == after)).all())


def _put(file: IO[bytes], redo: Redo) -> None:
    """Put the bytes of a change in their places."""
    if len(redo.places):
        data: Any = np.memmap(file, np.uint8, "r+")
        data[redo.places] = redo.values
        data.flush()
    file.seek(redo.behind)
    file.write(redo.further.data)
    file.truncate()
    file.flush()
    os.fsync(file.fileno())


def discard_change(path: str | Path) -> None:
    """Drop the change that is written beside a file: another one takes its place."""
    redo_of(path).unlink(missing_ok=True)


def _remove(path: str | Path) -> None:
    discard_change(path)
    sync_folder(redo_of(path).parent)
