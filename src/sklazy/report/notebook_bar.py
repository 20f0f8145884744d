"""A progress bar in the output of a notebook's cell, which goes when all is done."""

import html
import importlib
import sys
import time
from collections.abc import Callable
from typing import Any

_SELDOM = 0.2  # seconds between two drawings

Display = Callable[..., Any]
"""IPython's `display`."""


def find_display() -> Display | None:
    """IPython's `display` if this is a notebook, else None."""
    if "ipykernel" not in sys.modules or "IPython" not in sys.modules:
        return None
    shell = sys.modules["IPython"].get_ipython()
    if getattr(shell, "kernel", None) is None:
        return None
    display: Display = importlib.import_module("IPython.display").display
    return display


class NotebookPage:
    """HTML that a notebook shows."""

    def __init__(self, page: str) -> None:
        self._page = page

    def _repr_html_(self) -> str:
        return self._page

    def __repr__(self) -> str:
        return ""


class NotebookBar:
    """A bar with a label, a note and, where it is known, the time that is left."""

    def __init__(self, display: Display, label: str, total: int | None) -> None:
        self._label, self._total = label, total
        self._begun, self._drawn = time.monotonic(), 0.0
        self._handle = display(NotebookPage(self.draw(0.0, "")), display_id=True)

    def update(self, done: float, note: str) -> None:
        """Draw how much is done, not too often."""
        if time.monotonic() - self._drawn > _SELDOM:
            self._drawn = time.monotonic()
            self._handle.update(NotebookPage(self.draw(done, note)))

    def stop(self) -> None:
        """Take the bar away."""
        self._handle.update(NotebookPage(""))

    def draw(self, done: float, note: str) -> str:
        """The bar as HTML."""
        if self._total is None:
            value, text = "", f"{done:g}"
        else:
            share = min(done / self._total, 1.0) if self._total else 1.0
            value, text = f' value="{share:.3f}" max="1"', f"{100 * share:.0f} %"
            if 0 < share < 1:
                spent = time.monotonic() - self._begun
                text += f", about {spent / share - spent:.0f} s left"
        words = " ".join(filter(None, [text, note]))
        label = f'<span style="margin-right:1em">{html.escape(self._label)}</span>'
        return f"<div>{label}<progress{value}></progress> {html.escape(words)}</div>"
