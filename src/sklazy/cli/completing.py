"""Column names for a shell that completes a command line.

The names in a text file are found without the rooms that read tables, which take a
second to import.
"""

import csv
import gzip
import importlib
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import click
from click.shell_completion import CompletionItem

_BY_COMMA = (".csv", ".txt", ".data")
_BY_TAB = (".tsv", ".tab")
_ATTRIBUTE = re.compile(r"\s*@attribute\s+('[^']*'|\"[^\"]*\"|\S+)", re.IGNORECASE)
_MOST = 1 << 20  # characters that are looked at
_GIVEN = ("train", "test")  # arguments whose columns are meant


def complete_columns(
    context: click.Context, option: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The columns of the file on the command line that begin like this."""
    return [CompletionItem(name) for name in _names(context, incomplete)]


def complete_kinds(
    context: click.Context, option: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The same, with the sign behind which the kind of the column stands."""
    return [CompletionItem(f"{name}=") for name in _names(context, incomplete)]


def _names(context: click.Context, incomplete: str) -> list[str]:
    # An option that waits for its value keeps click from naming the arguments.
    given = [*(context.params.get(name) for name in _GIVEN), *context.args]
    paths = [one for one in given if isinstance(one, str) and Path(one).is_file()]
    try:
        names = column_names(paths[0]) if paths else []
    except Exception:  # a shell that completes has nowhere to show it
        return []
    return [name for name in names if name.startswith(incomplete)]


def column_names(path: str) -> list[str]:
    """The columns of a file; a text file is opened, not read as a table.

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
    if endings not in quick:
        return importlib.import_module("sklazy.tables").read_table(path).names
    with (gzip.open if path.endswith(".gz") else open)(
        path, "rt", encoding="utf-8-sig", errors="replace"
    ) as file:
        return quick[endings](file.read(_MOST).splitlines())


def _split(lines: Iterable[str], delimiter: str) -> list[str]:
    """The cells of the first line that is not blank."""
    first = next((line for line in lines if line.strip()), "")
    found = delimiter or max("\t;|,", key=first.count)
    return [cell.strip() for cell in next(csv.reader([first], delimiter=found), [])]


def _declared(lines: Iterable[str]) -> list[str]:
    """The attributes of an ARFF file."""
    found = [match for line in lines if (match := _ATTRIBUTE.match(line))]
    return [match[1].strip("'\"") for match in found]
