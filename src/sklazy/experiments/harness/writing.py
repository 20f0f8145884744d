"""Text files that are written completely or not at all."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[TextIO]:
    """Open a text file for writing; it replaces the old one when all is written.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "sub", "a.txt")
    >>> with replacing(path) as file:
    ...     _ = file.write("whole")
    >>> path.read_text(), os.listdir(path.parent)
    ('whole', ['a.txt'])
    >>> folder.cleanup()
    """
    path = Path(path)
    if path.exists() and not (path.is_file() or path.is_dir()):
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            yield file  # a device or a pipe: nothing may take its place
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(draft, "w", encoding="utf-8", newline="\n") as file:
            yield file
        draft.replace(path)
    except OSError as error:
        # The user knows the file by this name, not by that of the draft.
        error.filename, error.filename2 = str(path), None
        raise
    finally:
        draft.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file, completely or not at all."""
    with replacing(path) as file:
        file.write(text)
