"""`sklazy demo`."""

from pathlib import Path

from sklazy.cli.console import Console, Terminal
from sklazy.experiments.demo import show_demo


def demo(console: Console, page: Path) -> None:
    """Show lazy selection on the wine data."""
    if console.as_json:
        show_demo(Terminal(quiet=True), page)
    else:
        show_demo(console.terminal, page)
    console.result({"page": str(page)}, lambda _: None)
