"""Blocks as plain data, for pages that draw them themselves."""

from collections.abc import Iterable
from typing import Any

from sklazy.report.blocks import Bar, Block, Cell, Figure, Grid

Plain = dict[str, Any]


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
        cell = cell._replace(end=_share(cell.end), start=_share(cell.start))
    return {"kind": type(cell).__name__.lower(), **cell._asdict()}


def _share(share: float) -> float:
    """A share of a width; 0 for what is no number."""
    return float(max(0.0, min(share, 1.0)))
