"""The command `sklazy`, from its first line on: Ctrl-C ends it without a traceback.

It stands beside the package, so that it hears interrupts before anything of the
package is imported.
"""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

INTERRUPTED = 130


def main() -> None:
    """Import the command line, then run it."""
    with ending_at_once():
        from sklazy.cli import main as run  # noqa: PLC0415 (interrupts are heard by now)
    try:
        run(prog_name="sklazy")
    except SystemExit as end:
        if end.code == INTERRUPTED:
            _leave()
        raise


def _leave() -> None:
    """Leave without waiting for what goes on beside: a compiler, at most."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(INTERRUPTED)


@contextlib.contextmanager
def ending_at_once() -> Iterator[None]:
    """Let Ctrl-C end the process at once, for imports: some of them catch exceptions.

    A process that did not hear interrupts before, in a shell's background, stays deaf;
    and only the main thread can hear them.
    """
    before = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or before in (signal.SIG_IGN, None):
        yield
        return
    signal.signal(signal.SIGINT, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _end(_: int, __: FrameType | None) -> None:
    """Leave at once: an exception might end up in somebody's import of a choice."""
    os.write(2, b"\nInterrupted. Nothing was written.\n")
    os._exit(INTERRUPTED)
