"""Who may read a file, and who may change it.

Whoever maps a file shares a lock on it for as long as it is mapped; a change in place
needs the lock for itself, so that nobody sees half of it or has rows change under a
question. One process at a time may change a file: it holds the lock of another file
beside it. A change that a process was killed in is finished by the next that opens the
file (`casebase.redo`).
"""

import contextlib
import gc
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Self

from sklazy.casebase.files import Bytes, map_bytes, opened, read_bytes
from sklazy.casebase.redo import finish, redo_of
from sklazy.errors import BadFileError

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

_PATIENCE = 10.0  # seconds for another process to finish its change
_STEP = 0.01


def read_shared(path: str | Path) -> Bytes:
    """The bytes of a file, as they are between two changes."""
    with _shared(path) as file:
        return read_bytes(file, path)


def map_shared(path: str | Path) -> Bytes:
    """The bytes of a file where they are; nobody changes them while they are mapped."""
    with _shared(path) as file:
        return map_bytes(file, path)


@contextlib.contextmanager
def _shared(path: str | Path) -> Iterator[IO[bytes]]:
    """A file that is open, no change under way; mapping it keeps the lock."""
    end = time.monotonic() + _PATIENCE
    while True:
        with opened(path) as file:
            _lock(file, exclusive=False)
            if not redo_of(path).exists():
                yield file
                return
        if time.monotonic() > end:
            raise BadFileError(
                "another process does not come to the end of a change. Look for it, "
                "or try again.",
                path,
            )
        _recover(path)


def _recover(path: str | Path) -> None:
    """Finish a change that a process was killed in, or give it time if it lives."""
    try:
        held = hold(path)
    except BadFileError:
        time.sleep(_STEP)
        return
    with held:
        finish(path)


class Held:
    """The right to change a file, until it is closed or gone."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

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


def hold(path: str | Path) -> Held:
    """Get the right to change a file."""
    if fcntl is None:  # pragma: no cover - Windows
        raise BadFileError(
            "files cannot be changed in place on this system. Load it without "
            "mmap_mode='r+', and save it.",
            path,
        )
    real = Path(os.path.realpath(path))
    try:
        lock = real.with_name(f".{real.name}.lock")
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise OSError(
            error.errno, f"{error.strerror}: it cannot be changed here", str(path)
        ) from error
    held = Held(descriptor)
    if not _is_locked(descriptor):
        gc.collect()  # an estimator that is gone, but not collected yet, may hold it
        if not _is_locked(descriptor):
            held.close()
            raise BadFileError(
                "somebody has it open to change it; only one can at a time. Close it "
                "there first.",
                path,
            )
    return held


def _is_locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def alone(path: str | Path) -> Iterator[bool]:
    """Whether nobody else has a file mapped, nor can within the block."""
    with open(path, "rb") as file:
        try:
            _lock(file, exclusive=True)
        except BlockingIOError:
            yield False
            return
        yield True


def _lock(file: IO[bytes], *, exclusive: bool) -> None:
    if fcntl is None:  # pragma: no cover - Windows
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB if exclusive else fcntl.LOCK_SH)
