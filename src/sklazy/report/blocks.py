"""A document of headings, paragraphs and grids, as text for a terminal or Markdown."""

import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sklazy.report.words import shorten, wide

WIDTH = 80
_GAP = 2  # blanks between two columns of a grid
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~$&])")


class Heading(NamedTuple):
    """A line that opens a part."""

    text: str
    level: int = 2


class Paragraph(NamedTuple):
    """Running text."""

    text: str


class Grid(NamedTuple):
    """Rows of cells under a header.

    Attributes
    ----------
    header : sequence of str
    rows : sequence of sequences of str
    right : str
        For each column ``r`` if it is flush right, ``l`` if left.
    wraps : bool
        Whether the last column goes on in further lines where it is too long.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: str
    wraps: bool = False


Block = Heading | Paragraph | Grid


def to_text(blocks: Iterable[Block], width: int = WIDTH) -> str:
    """The document as plain text, no line wider than `width`.

    Examples
    --------
    >>> print(to_text([Grid(["name", "n"], [["hue", "12"], ["ash", "3"]], "lr")]))
      name   n
      hue   12
      ash    3
    """
    lines = [_block_text(block, width) + _after(block) for block in blocks]
    return "\n".join(lines).rstrip("\n")


def _after(block: Block) -> str:
    """What lies under a heading of a part follows it at once."""
    return "" if isinstance(block, Heading) and block.level > 1 else "\n"


def _block_text(block: Block, width: int) -> str:
    if isinstance(block, Grid):
        return "\n".join(_grid_lines(block, width))
    if isinstance(block, Heading):
        line = shorten(block.text, width)
        return f"{line}\n{'=' * wide(line)}" if block.level == 1 else line
    return "\n".join(_wrapped(block.text, width))


def _wrapped(text: str, width: int) -> list[str]:
    """Lines of a paragraph; words that take two columns a character count so."""
    narrow = textwrap.wrap(text, width, break_on_hyphens=False)
    if all(wide(line) <= width for line in narrow):
        return narrow
    return textwrap.wrap(text, width // 2, break_on_hyphens=False)


def _grid_lines(grid: Grid, width: int) -> list[str]:
    cells = [list(grid.header), *map(list, grid.rows)]
    widths = [max(map(wide, column)) for column in zip(*cells, strict=True)]
    if grid.wraps:
        rest = width - sum(widths[:-1]) - _GAP * len(widths)
        widths[-1] = min(widths[-1], max(rest, width // 3))
        cells = [line for row in cells for line in _split(row, widths[-1])]
    widths = _fit(widths, width)
    return [_line(row, widths, grid.right) for row in cells]


def _split(row: Sequence[str], width: int) -> list[list[str]]:
    """A row in as many lines as its last cell needs."""
    first, *further = _wrapped(row[-1], width) or [""]
    blank = [""] * (len(row) - 1)
    return [[*row[:-1], first], *([*blank, line] for line in further)]


def _fit(widths: list[int], width: int) -> list[int]:
    """Narrow the widest columns until the line fits."""
    fitted = list(widths)
    while sum(fitted) + _GAP * len(fitted) > width and max(fitted) > 1:
        fitted[fitted.index(max(fitted))] -= 1
    return fitted


def _line(row: Sequence[str], widths: Sequence[int], right: str) -> str:
    parts = []
    for cell, width, side in zip(row, widths, right, strict=True):
        text = shorten(cell, width)
        blanks = " " * (width - wide(text))
        parts.append(blanks + text if side == "r" else text + blanks)
    return (" " * _GAP + (" " * _GAP).join(parts)).rstrip()


def to_markdown(blocks: Iterable[Block]) -> str:
    r"""The document as Markdown; what the user's names hold is never markup.

    Examples
    --------
    >>> print(to_markdown([Grid(["name", "n"], [["a|b", "12"]], "lr")]))
    | name | n |
    |---|---:|
    | a\|b | 12 |
    """
    return "\n\n".join(map(_block_markdown, blocks)) + "\n"


def _block_markdown(block: Block) -> str:
    if isinstance(block, Grid):
        rule = "|".join("---:" if side == "r" else "---" for side in block.right)
        lines = [_markdown_row(block.header), f"|{rule}|"]
        return "\n".join([*lines, *map(_markdown_row, block.rows)])
    if isinstance(block, Heading):
        return f"{'#' * block.level} {_escaped(block.text)}"
    return _escaped(block.text)


def _markdown_row(row: Sequence[str]) -> str:
    return f"| {' | '.join(map(_escaped, row))} |"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)
