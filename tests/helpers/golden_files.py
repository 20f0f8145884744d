"""Figures of Weka and R: in `tests/golden`, and larger ones outside the project."""

import gzip
import os
import pathlib

import pytest

INSIDE = pathlib.Path(__file__).parents[1] / "golden"
"""The folder in the repository; its README has the programs and the commands."""


def outside():
    """The folder of all files: `SKLAZY_GOLDEN`, or one next to the project."""
    beside = INSIDE.parents[2] / "shared" / "golden"
    return pathlib.Path(os.environ.get("SKLAZY_GOLDEN", beside))


def find_golden(path):
    """The file of this relative path, as it is or gzipped, or None."""
    candidates = (
        folder / name for folder in (INSIDE, outside()) for name in (path, f"{path}.gz")
    )
    return next((file for file in candidates if file.is_file()), None)


def read_golden(path):
    """The text of a file; the test is skipped where the file is not at hand."""
    file = find_golden(path)
    if file is None:
        pytest.skip(f"{path} is not in tests/golden; set SKLAZY_GOLDEN to its folder")
    return read_text(file)


def read_text(file):
    """The text of a file that may be gzipped."""
    data = file.read_bytes()
    return (gzip.decompress(data) if file.suffix == ".gz" else data).decode()
