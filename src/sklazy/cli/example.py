"""`sklazy example`: files to try the commands on."""

from importlib import resources
from pathlib import Path

from sklazy.cli.console import Console
from sklazy.cli.writing import write_text

FILES = ("flats.csv", "new-flats.csv")


def example(console: Console) -> None:
    """Write the example files to this folder."""
    written = [name for name in FILES if not Path(name).exists()]
    for name in written:
        write_text(name, (resources.files("sklazy") / "examples" / name).read_text())
    for name in FILES:
        if name not in written:
            console.note(f"note: {name} exists already and is not changed.")
    text = f"written: {', '.join(written)}" if written else "nothing was written"
    console.result({"written": written}, lambda terminal: terminal.print(text))
