"""Progress on a terminal or in a notebook: silent for short work, a bar for long work.

On a terminal the bar is drawn by rich, in a notebook it is a line that is written over.
"""

import importlib
import logging
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Sized
from types import TracebackType
from typing import Any, TextIO, TypeVar

Item = TypeVar("Item")

SILENT_FOR = 2.0  # seconds
_REMEMBERED = 3600.0  # seconds of steps that the estimate of the time left rests on


WORTH_SAYING = 10.0
"""Seconds; a shorter wait is not announced."""

_under_way: list["Progress"] = []
_LOG = logging.getLogger("sklazy")


class Progress:
    """A bar that appears after two seconds, on a terminal with rich or in a notebook.

    Work that is part of other work has no bar of its own: two would be drawn over
    each other. ``SKLAZY_PROGRESS=off`` in the environment shows none at all.

    Parameters
    ----------
    label : str
        What is being done.
    total : int, optional
        How many steps there are, if known.
    stream : text stream, default=sys.stderr
        Where the bar goes; nothing is shown if it is neither a terminal nor that of a
        notebook.
    silent_for : float, default=2.0
        Seconds before anything is shown.

    Examples
    --------
    >>> with Progress("racing", total=3) as progress:
    ...     for left in (12, 5, 1):
    ...         progress.advance(note=f"{left} left")
    """

    def __init__(
        self,
        label: str,
        total: int | None = None,
        stream: TextIO | None = None,
        silent_for: float = SILENT_FOR,
    ) -> None:
        self.label, self.total = label, total
        self.stream = sys.stderr if stream is None else stream
        self.done, self.note = 0.0, ""
        self._lock = threading.Lock()
        self._bar: Any = None
        self._ended = False
        self._task: Any = None
        self._timer = threading.Timer(silent_for, self._show)
        self._timer.daemon = True

    def __enter__(self) -> "Progress":
        visible = self.stream.isatty() or is_notebook()
        if visible and not _under_way and _are_wanted():
            self._timer.start()
        _under_way.append(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _under_way.remove(self)
        self._timer.cancel()
        with self._lock:
            self._ended = True
            if self._bar is not None:
                self._bar.stop()

    def advance(self, steps: float = 1, note: str = "") -> None:
        """Report that `steps` more steps are done."""
        with self._lock:
            self.done += steps
            self.note = note
            if self._bar is not None:
                self._bar.update(self._task, completed=self.done, note=note)

    def expect(self, seconds: float, faster: str = "") -> None:
        """Report how long the rest will take, and what is faster, if it is long.

        It goes to the logger "sklazy", at level INFO, which is hidden by default.
        """
        if seconds >= WORTH_SAYING and _under_way[:1] == [self]:
            left = "" if self.total is None else f" of {self.total} rows"
            text = f"{self.label}{left} takes about {in_words(seconds)}."
            _LOG.info(f"{text} Faster: {faster}." if faster else text)

    def _show(self) -> None:
        if is_notebook():
            with self._lock:
                if not self._ended:
                    self._bar = _Line(self.label, self.total, self.stream)
                    self._bar.update(None, completed=self.done, note=self.note)
            return
        try:
            bars = importlib.import_module("rich.progress")
            consoles = importlib.import_module("rich.console")
        except ImportError:
            return
        with self._lock:
            if self._ended:  # while the bar was being imported
                return
            self._bar = bars.Progress(
                *bars.Progress.get_default_columns(),
                bars.TextColumn("{task.fields[note]}"),
                console=consoles.Console(file=self.stream),
                speed_estimate_period=_REMEMBERED,
                transient=True,
            )
            self._task = self._bar.add_task(
                self.label, total=self.total, completed=self.done, note=self.note
            )
            self._bar.start()


class _Line:
    """A line of text that is written over: notebooks have no terminal."""

    def __init__(self, label: str, total: int | None, stream: TextIO) -> None:
        self._label, self._total, self._stream, self._width = label, total, stream, 0

    def update(self, task: object, completed: float, note: str) -> None:
        """Write how much is done."""
        share = "" if not self._total else f" {100 * completed / self._total:.0f} %"
        self._write(f"{self._label}{share} {note}".rstrip())

    def stop(self) -> None:
        """Clear the line."""
        self._write("")
        self._stream.write("\r")
        self._stream.flush()

    def _write(self, text: str) -> None:
        self._stream.write(f"\r{text:{self._width}}")
        self._width = len(text)
        self._stream.flush()


def is_notebook() -> bool:
    """Whether this runs in the kernel of a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def _are_wanted() -> bool:
    """Whether bars may be shown: unless SKLAZY_PROGRESS turns them off."""
    return os.environ.get("SKLAZY_PROGRESS", "") not in ("0", "off", "no")


def in_words(seconds: float) -> str:
    """A time to wait, in everyday words.

    Examples
    --------
    >>> in_words(12.3), in_words(200), in_words(9000)
    ('12 seconds', '3 minutes', '2.5 hours')
    """
    if seconds < 100:
        return f"{seconds:.0f} seconds"
    return (
        f"{seconds / 60:.0f} minutes"
        if seconds < 6000
        else f"{seconds / 3600:.2g} hours"
    )


def track(
    items: Iterable[Item], label: str, total: int | None = None
) -> Iterator[Item]:
    """Go through the items with a `Progress` that counts them.

    Examples
    --------
    >>> sum(track(range(4), "adding"))
    6
    """
    if total is None and isinstance(items, Sized):
        total = len(items)
    with Progress(label, total) as progress:
        for item in items:
            yield item
            progress.advance()
