"""A change of a file in place that is made as a whole, whatever happens meanwhile.

All new bytes are written beside the file first, as a whole (`write_file`); then they
are put in their places, and the file beside it is removed. If the process is killed
before the first is done nothing has changed; after it, whoever opens the file next puts
the bytes in their places, once more or for the first time, to the same effect. There
are no old bytes in it: what is erased is erased from both.
"""

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.files import read_file, sync_folder, write_file

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
    """

    places: NDArray[np.int64]
    values: Bytes
    behind: int
    further: Bytes


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
    write_file(
        redo_of(path),
        {"behind": redo.behind},
        {"places": redo.places, "values": redo.values, "further": redo.further},
    )
    try:
        finish(path)
    except OSError:
        if not len(redo.places) and redo.behind >= size:
            os.truncate(path, size)
            _remove(path)
        raise


def finish(path: str | Path) -> None:
    """Make the change that is written beside a file, if there is one."""
    if not redo_of(path).exists():
        return
    header, arrays = read_file(redo_of(path))
    with open(path, "r+b") as file:
        if len(arrays["places"]):
            data = np.memmap(file, np.uint8, "r+")
            data[arrays["places"]] = arrays["values"]
            data.flush()
        file.seek(header["behind"])
        file.write(arrays["further"].data)
        file.truncate()
        file.flush()
        os.fsync(file.fileno())
    _remove(path)


def _remove(path: str | Path) -> None:
    redo = redo_of(path)
    redo.unlink()
    sync_folder(redo.parent)
