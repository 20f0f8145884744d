"""Text files that are written whole or not at all."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[TextIO]:
    """Open a text file for writing; what was there stands until all is written.

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
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(draft, "w", encoding="utf-8", newline="\n") as file:
            yield file
        draft.replace(path)
    except OSError as error:
        # Who reads the message knows the file by this name, not by the draft's.
        error.filename, error.filename2 = str(path), None
        raise
    finally:
        draft.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file, whole or not at all."""
    with replacing(path) as file:
        file.write(text)
