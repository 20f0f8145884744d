"""Plain data for others to read: blocks for a page, JSON, CSV."""

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from sklazy.report.blocks import Bar, Block, Cell, Figure, Grid
from sklazy.report.scales import clip_share

Plain = dict[str, Any]

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # how a spreadsheet recognizes a formula


def to_plain(blocks: Iterable[Block]) -> list[Plain]:
    """The blocks that a page shows, as dicts with a `kind` each.

    Examples
    --------
    >>> (grid,) = to_plain([Grid(["a", ""], "lb", [["x", Bar(0.5)]])])
    >>> grid["rows"]
    [['x', {'kind': 'bar', 'end': 0.5, 'start': 0.0, 'tick': None, 'tone': ''}]]
    """
    return [_block(block) for block in blocks if getattr(block, "medium", "") != "text"]


def _block(block: Block) -> Plain:
    kind = type(block).__name__.lower()
    if isinstance(block, Figure):
        drawing, label = block.canvas.alone(), block.canvas.label
        named = {"svg": drawing, "label": label, "caption": block.caption}
        return {"kind": kind, **named}
    if isinstance(block, Grid):
        rows = [[_cell(cell) for cell in row] for row in block.rows]
        return {"kind": kind, **block._asdict(), "rows": rows, "shown": block.n_shown}
    plain = {"kind": kind, **block._asdict()}
    if "blocks" in plain:
        plain["blocks"] = to_plain(plain["blocks"])
    return plain


def _cell(cell: Cell) -> str | Plain:
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Bar):
        cell = cell._replace(end=clip_share(cell.end), start=clip_share(cell.start))
    return {"kind": type(cell).__name__.lower(), **cell._asdict()}


def to_csv(columns: Mapping[str, Sequence[object]], *, safe: bool = False) -> str:
    """Columns as CSV; if `safe`, texts that look like formulas get an apostrophe.

    Examples
    --------
    >>> print(to_csv({"row": [0, 1], "label": ["a, b", None]}), end="")
    row,label
    0,"a, b"
    1,
    >>> print(to_csv({"a": ["=cmd()", "a=b", -1.5]}, safe=True).split())
    ['a', "'=cmd()", 'a=b', '-1.5']
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    rows = [columns, *zip(*columns.values(), strict=True)]
    writer.writerows(map(_disarm, row) if safe else row for row in rows)
    return text.getvalue()


def _disarm(cell: object) -> object:
    is_formula = isinstance(cell, str) and cell.startswith(_FORMULAS)
    return f"'{cell}" if is_formula else cell


def to_finite(plain: object) -> Any:  # noqa: ANN401 - of the same shape
    """Plain data for JSON, which lacks NaN and infinity: they become None."""
    if isinstance(plain, Mapping):
        return {str(key): to_finite(value) for key, value in plain.items()}
    if isinstance(plain, list | tuple):
        return [to_finite(value) for value in plain]
    value = plain.item() if isinstance(plain, np.generic) else plain
    return None if isinstance(value, float) and not math.isfinite(value) else value
