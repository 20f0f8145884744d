"""A change of a file in place that is made as a whole, whatever happens meanwhile.

All new bytes are written beside the file first, as a whole (`write_file`); then they
are put in their places, and the file beside it is removed. If the process is killed
before the first is done nothing has changed; after it, whoever opens the file next puts
the bytes in their places, once more or for the first time, to the same effect. There
are no old bytes in it: what is erased is erased from both. It says which file it is
for: another one that has taken its place is left alone.
"""

import os
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.files import read_file, size_of, write_file
from sklazy.casebase.pages import CHECKSUM
from sklazy.casebase.placing import sync_folder

Bytes = NDArray[np.uint8]


class Redo(NamedTuple):
    """A change of a file.

    Attributes
    ----------
    places : int64 array of shape (n_bytes,)
        Which bytes get other values.
    values : uint8 array of shape (n_bytes,)
    behind : int
        Where further bytes follow that take the place of all that is there.
    further : uint8 array
    end : int
        Where the file's own bytes end, the last of which are their checksum.
    checksum : uint8 array of shape (32,)
        What it is before the change.
    """

    places: NDArray[np.int64]
    values: Bytes
    behind: int
    further: Bytes
    end: int
    checksum: Bytes


def redo_of(path: str | Path) -> Path:
    """The file beside another one that a change of it is written to first."""
    real = Path(os.path.realpath(path))
    return real.with_name(f".{real.name}.redo")


def change(path: str | Path, redo: Redo) -> None:
    """Change a file as a whole.

    If the disk is full the file is as it was, unless rows were to be erased: these are
    when it is opened next.
    """
    size = os.stat(path).st_size
    plain = redo._asdict()
    header = {name: plain.pop(name) for name in ("behind", "end")}
    write_file(redo_of(path), header, plain, like=path)
    try:
        finish(path)
    except OSError:
        if not len(redo.places) and redo.behind >= size:
            os.truncate(path, size)
            _remove(path)
        raise


def finish(path: str | Path) -> None:
    """Make the change that is written beside a file, if there is one for it."""
    if not redo_of(path).exists():
        return
    header, arrays = read_file(redo_of(path))
    redo = Redo(**{**header, **arrays})
    with open(path, "r+b") as file:
        if _is_for(file, redo):
            _put(file, redo)
    _remove(path)


def _is_for(file: IO[bytes], redo: Redo) -> bool:
    """Whether a change is of this file: it has the checksum from before or after it.

    If a process was killed in the change, some bytes may be of one, some of the other.
    """
    if size_of(file) < redo.behind:
        return False
    first = redo.end - CHECKSUM
    file.seek(first)
    there = np.frombuffer(file.read(CHECKSUM), np.uint8)
    own = slice(*np.searchsorted(redo.places, [first, redo.end]))
    after = redo.checksum.copy()
    after[redo.places[own] - first] = redo.values[own]
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


def discard(path: str | Path) -> None:
    """Drop the change that is written beside a file: another one takes its place."""
    redo_of(path).unlink(missing_ok=True)


def _remove(path: str | Path) -> None:
    discard(path)
    sync_folder(redo_of(path).parent)
