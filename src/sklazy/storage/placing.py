"""Files that take the place of others as a whole, and what lies beside them until then.

A new file is written under another name, and locked until it is done: what a process
left that was killed is removed by the next. Where files cannot be locked, the name has
the number of its process; elsewhere others may have the same number, in a container or
after a while.
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

from sklazy.storage.pages import BLOCK

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

AT_ANY_TIME: AbstractContextManager[object] = contextlib.nullcontext()
"""The turn of a file whose place no other process uses."""

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
def naming_file(path: str | Path) -> Iterator[None]:
    """Let errors of the system name the file that was asked for, not its part."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


@contextlib.contextmanager
def replacing_file(
    path: Path,
    turn: AbstractContextManager[object] = AT_ANY_TIME,
    like: Path | None = None,
) -> Iterator[IO[bytes]]:
    """A file to write that takes the place of `path` at the end, or never was.

    It may be read by whom that one may, or another one that it is to be like.
    """
    clear_leftovers(path)
    with _claimed(path, path if like is None else like) as part:
        with open(part, "r+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with turn:
            os.replace(part, path)
    sync_folder(path.parent)


@contextlib.contextmanager
def spool_file(path: Path) -> Iterator[IO[bytes]]:
    """A file beside another one, to write and read, that is gone after the block."""
    with contextlib.ExitStack() as stack:
        with naming_file(path):
            clear_leftovers(Path(os.path.realpath(path)))
            part = stack.enter_context(_claimed(path, path))
            file = open(part, "r+b")  # noqa: SIM115 - closed below
        try:
            yield file
        finally:
            with contextlib.suppress(OSError):  # what was not written is not wanted
                file.close()


@contextlib.contextmanager
def _claimed(path: Path, like: Path) -> Iterator[Path]:
    """A new file beside another one, not taken for a leftover in the block."""
    while True:
        part = scratch_name(path)
        try:
            with open(part, "xb") as file:
                if not _claim(file, part):
                    continue
                with contextlib.suppress(FileNotFoundError):
                    shutil.copymode(like, part)  # what was private stays private
                if fcntl is None:  # pragma: no cover - Windows renames no open file
                    file.close()
                yield part
                return
        finally:
            part.unlink(missing_ok=True)


@contextlib.contextmanager
def scratch_folder(path: Path, kept_for: str = "") -> Iterator[Path]:
    """A folder beside a file, not taken for a leftover in the block, gone after it.

    If the block fails once the folder has a file of the name `kept_for`, it is left as
    that of a killed process would be.
    """
    while True:
        part = scratch_name(path)
        part.mkdir(mode=0o700)
        lock = None if fcntl is None else os.open(part, os.O_RDONLY)
        is_kept = False
        try:
            if lock is not None and not _claim(lock, part):
                continue
            yield part
            return
        except BaseException:
            is_kept = bool(kept_for) and (part / kept_for).exists()
            raise
        finally:
            if lock is not None:
                os.close(lock)
            if not is_kept:
                remove_scratch(part)


def remove_scratch(part: Path) -> None:
    """Remove a file, or a folder and all in it, if it is there."""
    if part.is_dir() and not part.is_symlink():
        shutil.rmtree(part, ignore_errors=True)
    else:
        part.unlink(missing_ok=True)


def _claim(file: IO[bytes] | int, part: Path) -> bool:
    """Whether a new file is locked before another process took it for a leftover."""
    try:
        is_free = try_lock(file, exclusive=False)
    except OSError:  # no locks there: its name keeps it
        is_free = True
    return is_free and part.exists()


def try_lock(file: IO[bytes] | int, *, exclusive: bool) -> bool:
    """Whether the lock of an open file was free."""
    if fcntl is None:  # pragma: no cover - Windows
        return True
    try:
        kind = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def scratch_name(path: Path) -> Path:
    """The name of a file that becomes another one, or goes if its process is gone."""
    real = Path(os.path.realpath(path))
    # Several threads may save to the same path.
    return real.with_name(f".{real.name}.{os.getpid()}.{next(_counter)}.part")


def clear_leftovers(path: Path, *, mine: bool = False) -> None:
    """Remove what a save left that was killed, or one of this process."""
    for part in _find_left(path, mine=mine):
        remove_scratch(part)


def left_folders(path: Path) -> list[Path]:
    """List folders beside a file that processes left which are gone, or failed."""
    found = _find_left(Path(os.path.realpath(path)), mine=fcntl is None)
    return [part for part in found if part.is_dir()]


def _find_left(path: Path, *, mine: bool) -> Iterator[Path]:
    for part in path.parent.glob(f".{glob.escape(path.name)}.*.*.part"):
        process = part.name.split(".")[-3]
        is_mine = mine and process == str(os.getpid())
        if process.isdigit() and (is_mine or _is_left(part, int(process))):
            yield part


def clear_references(path: Path) -> None:
    """Remove models that erasures of earlier versions left beside a file."""
    for folder in Path(os.path.realpath(path)).parent.glob(".refit-*"):
        if folder.is_dir() and set(os.listdir(folder)) <= {"refit"}:
            remove_scratch(folder)


def _is_left(part: Path, process: int) -> bool:
    """Whether no process writes to a file any more."""
    if fcntl is None:  # pragma: no cover - Windows
        return not _alive(process)
    try:
        descriptor = os.open(part, os.O_RDONLY)  # a file, or a folder
        try:
            return try_lock(descriptor, exclusive=True)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        return False
    except OSError:  # it is not ours, or there are no locks
        return not _alive(process)


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
