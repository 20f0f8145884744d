"""`sklazy describe`: the columns of a file, before anything is learned from it."""

import shlex
from collections import Counter
from typing import Any

import numpy as np
from rich.markup import escape
from rich.table import Table as Grid

from sklazy.cli.console import Console, Terminal
from sklazy.cli.tasks import count_repeated, read_table_rows
from sklazy.report.words import Day, format_value, pluralize
from sklazy.tables import Column
from sklazy.tables.naming import names_rows
from sklazy.tables.reading import CALENDAR
from sklazy.tables.understand import describe_reading

Plain = dict[str, Any]

_SHOWN = 3  # labels of a column


def describe(console: Console, file: str) -> None:
    """Show what the columns of a file are taken as, and what is odd about them."""
    table = read_table_rows(file)
    plain = {
        "file": file,
        "rows": len(table),
        "repeated_rows": count_repeated([*table]),
        "columns": [_describe_column(column) for column in table],
    }
    console.result(plain, lambda terminal: _show(terminal, plain))


def _describe_column(column: Column) -> Plain:
    known = column.data[~column.missing]
    reading = column.reading
    plain: Plain = {
        "name": column.name,
        "kind": "numbers" if column.kind == "numeric" else "labels",
        "read_as": None if reading is None else describe_reading(reading),
        "missing": int(column.missing.sum()),
        "distinct": len(np.unique(known)),
        "names_rows": bool(names_rows(column)),
        "set_aside": reading is not None and reading.style == "aside",
    }
    if column.kind == "nominal":
        counts = Counter(known.tolist()).most_common()
        top = [{"value": column.categories[c], "rows": n} for c, n in counts[:_SHOWN]]
        return plain | {"most_frequent": top}
    is_day = reading is not None and reading.style in CALENDAR
    way: Any = "lower" if is_day else "linear"  # the median of days is a day
    figures = [None] * 3
    if len(known):
        figures = np.quantile(known, [0, 0.5, 1], method=way).tolist()
    if is_day:
        figures = [None if f is None else format_value(Day(f)) for f in figures]
        plain["kind"] = "dates"
    return plain | dict(zip(("lowest", "median", "highest"), figures, strict=True))


def _show(terminal: Terminal, plain: Plain) -> None:
    n_columns = len(plain["columns"])
    terminal.print(
        f"{pluralize(plain['rows'], 'row')}, {pluralize(n_columns, 'column')}; "
        f"{_count_in_words(plain['repeated_rows'])}\n"
    )
    grid = Grid("column", box=None, header_style="bold", padding=(0, 2, 0, 0))
    for title in ("kind", "missing", "distinct", "cells"):
        right = title in ("missing", "distinct")
        grid.add_column(title, justify="right" if right else "left", overflow="fold")
    for one in plain["columns"]:
        figures = (one["kind"], str(one["missing"]), str(one["distinct"]))
        grid.add_row(escape(one["name"]), *figures, escape(_describe_cells(one)))
    terminal.print(grid)


def _count_in_words(n_repeated: int) -> str:
    if not n_repeated:
        return "no row is repeated"
    are = "row is" if n_repeated == 1 else "rows are"
    return f"{n_repeated} {are} equal to an earlier one"


def _describe_cells(one: Plain) -> str:
    """Ranges of numbers, frequent labels; whether a column names the rows."""
    if one["names_rows"]:
        way = f"an id? then give --id or --ignore {shlex.quote(one['name'])}"
        aside = "an id or free text, not learned from"
        return f"nearly all different: {aside if one['set_aside'] else way}"
    if "most_frequent" in one:
        top = [
            f"{format_value(c['value'])} ({c['rows']})" for c in one["most_frequent"]
        ]
        return ", ".join(top)
    if one["lowest"] is None:
        return ""
    low, middle, high = (
        format_value(one[name]) for name in ("lowest", "median", "highest")
    )
    return f"{low} to {high}, median {middle}"
