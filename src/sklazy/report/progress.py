"""Progress on a terminal or in a notebook: silent for short work, then a bar."""

import html
import importlib
import logging
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sized
from types import TracebackType
from typing import Any, TextIO, TypeVar

from sklazy.report.notebook_bar import NotebookBar, NotebookPage, find_display

Item = TypeVar("Item")

SILENT_FOR = 2.0  # seconds
_REMEMBERED = 3600.0  # seconds of steps that the estimate of the time left rests on


WORTH_SAYING = 10.0
"""Seconds; a shorter wait is not announced."""

_MOST_SILENT = 120.0  # seconds between two lines of progress where no bar is seen

_under_way: list["Progress"] = []
_LOG = logging.getLogger("sklazy")


class Progress:
    """A bar that appears after two seconds, in a notebook or on a terminal with rich.

    Work that is part of other work has no bar of its own: two would be drawn over
    each other. ``SKLAZY_PROGRESS=off`` in the environment shows none at all.

    Parameters
    ----------
    label : str
        What is being done.
    total : int, optional
        How many steps there are, if known.
    stream : text stream, default=sys.stderr
        Where the bar goes; nothing is shown if it is not a terminal.
    silent_for : float, default=2.0
        Seconds before anything is shown.
    noun : str, default="rows"
        What the steps are, in the plural.

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
        noun: str = "rows",
    ) -> None:
        self.label, self.total, self.noun = label, total, noun
        self.stream = sys.stderr if stream is None else stream
        self.done, self.note = 0.0, ""
        self._lock = threading.Lock()
        self._bar: Any = None
        self._ended = False
        self._task: Any = None
        self._timer = threading.Timer(silent_for, self._show)
        self._timer.daemon = True
        self._begin = 0.0
        self._over = threading.Event()

    def __enter__(self) -> "Progress":
        self._begin = time.monotonic()
        if not _under_way and _are_wanted():
            if self._is_seen():
                self._timer.start()
            elif _LOG.isEnabledFor(logging.INFO):
                threading.Thread(target=self._report, daemon=True).start()
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
        self._over.set()
        with self._lock:
            self._ended = True
            if self._bar is not None:
                self._bar.stop()

    def advance(self, steps: float = 1, note: str = "") -> None:
        """Report that `steps` more steps are done."""
        with self._lock:
            self.done += steps
            self.note = note
            self._draw()

    def expect(self, seconds: float, faster: str = "") -> None:
        """Report how long the rest will take, and what is faster, if it is long.

        It goes to the logger "sklazy" at level INFO. Where that is hidden, as by
        default, people at a terminal or a notebook see it in their output.
        """
        if seconds >= WORTH_SAYING and _under_way[:1] == [self]:
            left = "" if self.total is None else f" {self.total} {self.noun}"
            text = f"{self.label}{left} takes about {in_words(seconds)}."
            text = f"{text} Faster: {faster}." if faster else text
            _LOG.info(text)
            if not _LOG.isEnabledFor(logging.INFO) and _are_wanted():
                self._announce(text)

    def _report(self) -> None:
        """Log a line now and then, ever more rarely, until the work is over."""
        while not self._over.wait(min(max(WORTH_SAYING, self._age()), _MOST_SILENT)):
            with self._lock:
                if not self._ended:
                    _LOG.info(self._describe(), extra={"is_progress": True})

    def _age(self) -> float:
        return time.monotonic() - self._begin

    def _describe(self) -> str:
        """How far the work is, that inside of it, too, and how long it may still take.

        Examples
        --------
        >>> progress = Progress("predicting", total=800)
        >>> progress._begin, progress.done = time.monotonic() - 30.0, 200.0
        >>> progress._describe()
        'predicting: 200 of 800 rows after 30 seconds, about 90 seconds left'
        """
        inner = [one for one in list(_under_way) if one is not self][-1:]
        parts = [one._count() for one in (self, *inner)]
        text = f"{'; '.join(parts)} after {in_words(self._age())}"
        if self.total is None or not 0 < self.done < self.total:
            return text
        left = self._age() * (self.total - self.done) / self.done
        return f"{text}, about {in_words(left)} left"

    def _count(self) -> str:
        """The work and how many steps of it are done."""
        of = "" if self.total is None else f": {self.done:.0f} of {self.total}"
        noun = f" {self.noun}" if of and self.noun else ""
        return f"{self.label}{of}{noun}{f' ({self.note})' if self.note else ''}"

    def _is_seen(self) -> bool:
        return self.stream.isatty() or find_display() is not None

    def _announce(self, text: str) -> None:
        """Show a line to people; programs do not get it."""
        display = find_display()
        if display is not None:
            display(NotebookPage(f"<div>{html.escape(text)}</div>"))
        elif self.stream.isatty():
            print(text, file=self.stream, flush=True)

    def _draw(self) -> None:
        if isinstance(self._bar, NotebookBar):
            self._bar.update(self.done, self.note)
        elif self._bar is not None:
            self._bar.update(self._task, completed=self.done, note=self.note)

    def _show(self) -> None:
        display = find_display()
        if display is not None:
            with self._lock:
                if not self._ended:
                    self._bar = NotebookBar(display, self.label, self.total)
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
                bars.SpinnerColumn(),  # moves while a long step does not
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
    items: Iterable[Item], label: str, total: int | None = None, noun: str = ""
) -> Iterator[Item]:
    """Go through the items with a `Progress` that counts them.

    With a `noun` for the items, the time of the rest is announced after the second:
    the first may have compiled code, or loaded it.

    Examples
    --------
    >>> sum(track(range(4), "adding"))
    6
    """
    if total is None and isinstance(items, Sized):
        total = len(items)
    with Progress(label, total, noun=noun) as progress:
        begin = 0.0
        for done, item in enumerate(items):
            if noun and done == 2 and total is not None:
                progress.expect((total - 2) * (time.monotonic() - begin))
            begin = time.monotonic()
            yield item
            progress.advance()
