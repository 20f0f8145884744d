"""Completion of column names and methods in a shell.

Names in text files are read here, since importing `sklazy.tables` takes a second.
"""

import csv
import gzip
import importlib
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from sklazy.cli.methods import METHODS

_BY_COMMA = (".csv", ".txt", ".data")
_BY_TAB = (".tsv", ".tab")
_ATTRIBUTE = re.compile(r"\s*@attribute\s+('[^']*'|\"[^\"]*\"|\S+)", re.IGNORECASE)
_MOST = 1 << 20  # characters that are read
_LONGEST = 2.0  # seconds that a shell waits
_FILES = ("train", "test")  # arguments whose columns are completed


def complete_methods(
    context: click.Context, option: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The methods that begin like this."""
    return [CompletionItem(name) for name in METHODS if name.startswith(incomplete)]


def complete_columns(
    context: click.Context, option: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The columns of the file on the command line that begin like this."""
    return [CompletionItem(name) for name in _names(context, incomplete)]


def complete_kinds(
    context: click.Context, option: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The same, followed by the equals sign before the kind."""
    return [CompletionItem(f"{name}=") for name in _names(context, incomplete)]


def _names(context: click.Context, incomplete: str) -> list[str]:
    # An option that waits for its value keeps click from naming the arguments.
    arguments = [*(context.params.get(name) for name in _FILES), *context.args]
    paths = [one for one in arguments if isinstance(one, str) and Path(one).is_file()]
    try:
        names = column_names(paths[0]) if paths else []
    except Exception:  # a shell that completes has nowhere to show it
        return []
    return [name for name in names if name.startswith(incomplete)]


def column_names(path: str) -> list[str]:
    """The columns of a file; of a text file only the first part is read.

    Examples
    --------
    >>> import sklazy
    >>> column_names(str(Path(sklazy.__file__).with_name("examples") / "flats.csv"))
    ['flat', 'rooms', 'area', 'heating', 'district', 'built', 'quiet', 'balcony',
     'rent']
    """
    endings = Path(path.removesuffix(".gz")).suffix.lower()
    quick: dict[str, Callable[[Iterable[str]], list[str]]] = {
        **dict.fromkeys(_BY_COMMA, lambda lines: _split(lines, "")),
        **dict.fromkeys(_BY_TAB, lambda lines: _split(lines, "\t")),
        ".arff": _declared,
    }
    if not Path(path).is_file():
        names: list[str] = importlib.import_module("sklazy.tables").Source(path).names()
        return names
    if endings not in quick:
        read_table = importlib.import_module("sklazy.tables").read_table
        return read_table(path, max_seconds=_LONGEST).names
    with (gzip.open if path.endswith(".gz") else open)(
        path, "rt", encoding="utf-8-sig", errors="replace"
    ) as file:
        return quick[endings](file.read(_MOST).splitlines())


def _split(lines: Iterable[str], delimiter: str) -> list[str]:
    """The cells of the first line that is not blank."""
    first = next((line for line in lines if line.strip()), "")
    delimiter = delimiter or max("\t;|,", key=first.count)
    return [cell.strip() for cell in next(csv.reader([first], delimiter=delimiter), [])]


def _declared(lines: Iterable[str]) -> list[str]:
    """The attributes of an ARFF file."""
    matches = [match for line in lines if (match := _ATTRIBUTE.match(line))]
    return [match[1].strip("'\"") for match in matches]
