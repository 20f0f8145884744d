"""Files that take the place of others as a whole, and what lies beside them until then.

A new file is written under another name, which says what process it is of: what one
left that was killed is removed by the next.
"""

import contextlib
import errno
import glob
import itertools
import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO

from sklazy.casebase.pages import BLOCK

AT_ANY_TIME: AbstractContextManager[object] = contextlib.nullcontext()
"""The turn of a file whose place nobody else is interested in."""

_counter = itertools.count()


def take_room(file: IO[bytes], n_bytes: int) -> None:
    """Have a file of zeros of this length on the disk, or an error if it is full."""
    try:
        os.posix_fallocate(file.fileno(), 0, n_bytes)
    except (AttributeError, OSError) as error:
        unknown = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)
        if isinstance(error, OSError) and error.errno not in unknown:
            raise
        for first in range(0, n_bytes, BLOCK):  # pragma: no cover - no such call
            file.write(bytes(min(BLOCK, n_bytes - first)))
        file.seek(0)  # pragma: no cover


@contextlib.contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Let errors of the system name the file that was asked for, not its part."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


@contextlib.contextmanager
def replacing_file(
    path: Path, turn: AbstractContextManager[object] = AT_ANY_TIME
) -> Iterator[IO[bytes]]:
    """A file to write that takes the place of `path` at the end, or never was."""
    clear_leftovers(path)
    part = scratch_name(path)
    try:
        with open(part, "w+b") as file:
            with contextlib.suppress(FileNotFoundError):
                shutil.copymode(path, part)  # what was private stays private
            yield file
            file.flush()
            os.fsync(file.fileno())
        with turn:
            os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    sync_folder(path.parent)


@contextlib.contextmanager
def spool_file(path: Path) -> Iterator[IO[bytes]]:
    """A file beside another one, to write and read, that is gone after the block."""
    with naming(path):
        part = scratch_name(path)
        clear_leftovers(Path(os.path.realpath(path)))
        file = open(part, "w+b")  # noqa: SIM115 - closed below
    try:
        yield file
    finally:
        with contextlib.suppress(OSError):  # what could not be written is not wanted
            file.close()
        part.unlink(missing_ok=True)


def scratch_name(path: Path) -> Path:
    """The name of a file that becomes another one, or goes if its process is gone."""
    real = Path(os.path.realpath(path))
    # Several threads may save to the same path.
    return real.with_name(f".{real.name}.{os.getpid()}.{next(_counter)}.part")


def clear_leftovers(path: Path, *, mine: bool = False) -> None:
    """Remove what a save left that was killed: its process is no more, or this one."""
    for part in path.parent.glob(f".{glob.escape(path.name)}.*.*.part"):
        process = part.name.split(".")[-3]
        is_mine = mine and process == str(os.getpid())
        if process.isdigit() and (is_mine or not _alive(int(process))):
            part.unlink(missing_ok=True)


def _alive(process: int) -> bool:
    if os.name == "nt":  # no harmless signal to ask with
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def sync_folder(folder: Path) -> None:
    """Make the new name survive a power cut, where folders can be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
