"""The command `sklazy`, from its first line on: Ctrl-C ends it without a traceback.

It stands beside the package, because whatever is in the package is imported after all
that the package needs, which takes a second or more.
"""

import contextlib
import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130


def main() -> None:
    """Import the command line, then run it."""
    before = signal.signal(signal.SIGINT, _end)
    if before == signal.SIG_IGN:  # a shell's background: deaf before, deaf again
        signal.signal(signal.SIGINT, before)
    from sklazy.cli import main as run  # noqa: PLC0415 (interrupts are heard by now)

    signal.signal(signal.SIGINT, before)
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


def _end(_: int, __: FrameType | None) -> None:
    """Leave at once: an exception might end up in somebody's import of a choice."""
    os.write(2, b"\nInterrupted. Nothing was written.\n")
    os._exit(INTERRUPTED)
