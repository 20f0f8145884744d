"""Who may read a file, and who may change it.

A process that maps a file shares a lock on it for as long as it is mapped; a change in
place needs the lock for itself, so that no reader sees half of it or has rows change
under a question. One process at a time may change a file: it holds the lock of another
file beside it, which those share who save a new file in its place, for that moment. A
change that a process was killed in is finished by the next that opens the file
(`storage.redo`).
"""

import contextlib
import gc
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Self

from sklazy.errors import BadFileError
from sklazy.storage.files import Bytes, map_bytes, opened, read_bytes, size_of
from sklazy.storage.placing import try_lock
from sklazy.storage.redo import discard_change, finish_change, redo_of

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

Place = tuple[int, int] | None
"""A file's device and its number there; None if it is gone."""

_PATIENCE = 10.0  # seconds for another process to finish its change
_MOMENT = 0.2  # seconds for one that saves a file to put it in its place
_STEP = 0.01


def read_shared(path: str | Path) -> Bytes:
    """The bytes of a file, as they are between two changes."""
    return _shared(path, read_bytes)


def map_shared(path: str | Path) -> Bytes:
    """The bytes of a file where they are; they do not change while they are mapped."""
    return _shared(path, map_bytes)


def _shared(
    path: str | Path, take: Callable[[IO[bytes], str | Path, int], Bytes]
) -> Bytes:
    """The bytes of a file, no change under way; mapping it keeps the lock."""
    end = time.monotonic() + _PATIENCE
    while True:
        with opened(path) as file:
            if try_lock(file, exclusive=False):
                size = size_of(file)
                # Rows may be added without that lock: half of them are not taken, nor
                # is what comes behind the size of a moment between two changes.
                if not redo_of(path).exists() and size_of(file) == size:
                    return take(file, path, size)
        if time.monotonic() > end:
            raise BadFileError(
                "another process has not finished a change. Check that process, or "
                "try again.",
                path,
            )
        if redo_of(path).exists():
            _recover(path)
        time.sleep(_STEP)


def _recover(path: str | Path) -> None:
    """Finish a change that a process was killed in; one that lives does so itself."""
    try:
        held = hold_file(path, patience=0.0)
    except BadFileError:
        return
    with held:
        finish_change(path)


_n_forks = 0


def _count_fork() -> None:
    global _n_forks
    _n_forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_count_fork)


class Held:
    """The right to change a file, until it is closed or gone.

    A process that is forked has the lock, too, but not the right.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._process = descriptor, os.getpid()
        self.start_anew()

    @property
    def is_mine(self) -> bool:
        """Whether it was this process that got the right."""
        return self._process == os.getpid()

    @property
    def may_be_mapped(self) -> bool:
        """Whether a process was forked since, which may have the file mapped."""
        return self._forks != _n_forks

    def start_anew(self) -> None:
        """Note that a new file is in the place, which no other process has mapped."""
        self._forks = _n_forks

    def close(self) -> None:
        """Let others change the file."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


def hold_file(path: str | Path, *, patience: float = _MOMENT) -> Held:
    """Get the right to change a file."""
    if fcntl is None:  # pragma: no cover - Windows
        raise BadFileError(
            "files cannot be changed in place on this system. Load it without "
            "mmap_mode='r+', and save it.",
            path,
        )
    try:
        descriptor = os.open(_lock_of(path), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise OSError(
            error.errno, f"{error.strerror}: it cannot be changed here", str(path)
        ) from error
    return _held(descriptor, path, patience, exclusive=True)


@contextlib.contextmanager
def excluding_changes(path: str | Path) -> Iterator[None]:
    """Exclude changes of the old file while a new one takes its place.

    An unfinished change of a process that was killed is discarded with it.
    """
    with _unchanged(path):
        yield
        discard_change(path)


def check_unchanged(path: str | Path) -> None:
    """Refuse a file that is open elsewhere for changes."""
    with _unchanged(path):
        pass


@contextlib.contextmanager
def _unchanged(path: str | Path) -> Iterator[None]:
    try:
        descriptor = os.open(_lock_of(path), os.O_RDONLY)
    except OSError:
        # It was never changed, or we cannot know. A later change finds the new file.
        yield
        return
    with _held(descriptor, path, _MOMENT, exclusive=False):
        yield


def _lock_of(path: str | Path) -> Path:
    real = Path(os.path.realpath(path))
    return real.with_name(f".{real.name}.lock")


def _held(
    descriptor: int, path: str | Path, patience: float, *, exclusive: bool
) -> Held:
    """The lock of an open file, soon, or an error."""
    held, end = Held(descriptor), time.monotonic() + patience
    if not try_lock(descriptor, exclusive=exclusive):
        gc.collect()  # an estimator that is gone, but not collected yet, may hold it
    while not try_lock(descriptor, exclusive=exclusive):
        if time.monotonic() > end:
            held.close()
            raise BadFileError(
                "another process or model has it open for changes (mmap_mode='r+'); "
                "only one can at a time. Close it there first.",
                path,
            )
        time.sleep(_STEP)
    return held


def identity_of_file(file: str | Path | int) -> Place:
    """Which of the system's files this is."""
    try:
        status = os.stat(file)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


@contextlib.contextmanager
def alone_with_file(path: str | Path) -> Iterator[bool]:
    """Whether no other process has a file mapped, nor can within the block."""
    with open(path, "rb") as file:
        yield try_lock(file, exclusive=True)


def check_names(path: Path) -> None:
    """Refuse a file that others may change by another name."""
    if os.stat(path).st_nlink > 1:
        raise BadFileError(
            "it has several names (hard links); rows that are forgotten would stay "
            "under the others. Remove them, or copy the file.",
            path,
        )
