"""CSV that commands write, for spreadsheets too if wanted."""

import csv
import io
from collections.abc import Mapping, Sequence

import click

from sklazy.cli.options import SAFE_CSV

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # how a spreadsheet knows a formula


def to_csv(columns: Mapping[str, Sequence[object]]) -> str:
    """Columns as CSV; with ``--safe-csv`` nothing in it is a formula.

    Examples
    --------
    >>> print(to_csv({"row": [0, 1], "prediction": ["a, b", None]}), end="")
    row,prediction
    0,"a, b"
    1,
    """
    context = click.get_current_context(silent=True)
    cell = harmless if context and context.meta.get(SAFE_CSV) else _as_it_is
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(cell, columns))
    writer.writerows(map(cell, row) for row in zip(*columns.values(), strict=True))
    return out.getvalue()


def harmless(cell: object) -> object:
    """The cell, with an apostrophe before a text that looks like a formula.

    Examples
    --------
    >>> harmless("=cmd()"), harmless("a=b"), harmless(-1.5)
    ("'=cmd()", 'a=b', -1.5)
    """
    is_formula = isinstance(cell, str) and cell.startswith(_FORMULAS)
    return f"'{cell}" if is_formula else cell


def _as_it_is(cell: object) -> object:
    return cell
