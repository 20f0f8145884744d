"""A document as plain blocks, written as text for a terminal or as Markdown.

The same blocks are drawn as HTML by ``templates/blocks.html.j2``, so that a page and a
text can never differ in content.
"""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from sklazy.report.scales import clip_share
from sklazy.report.svg import Canvas
from sklazy.report.words import shorten, wide

WIDTH = 80
_GAP = 2  # blanks between two columns of a grid
_BAR = 20  # characters
_MOST_LINES = 3  # of a cell
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~$&])")


class Heading(NamedTuple):
    """A line that opens a part."""

    text: str
    level: int = 2


class Paragraph(NamedTuple):
    """Running text.

    Attributes
    ----------
    tone : {"", "soft", "warning"}
    medium : {"", "text", "page"}
        Where it is shown; everywhere by default.
    """

    text: str
    tone: str = ""
    medium: str = ""


class Opening(NamedTuple):
    """First lines of a document: the target, the answer and how sure it is."""

    name: str
    text: str
    detail: str = ""


class Lead(NamedTuple):
    """The sentences that explain why."""

    sentences: Sequence[str]


class Bar(NamedTuple):
    """A cell: a bar from `start` to `end`, both shares of its width.

    Attributes
    ----------
    tick : float, optional
        Where an upright mark stands.
    tone : {"", "idle", "against"}
    """

    end: float
    start: float = 0.0
    tick: float | None = None
    tone: str = ""


class Mark(NamedTuple):
    """A cell that stands out: "yes", "other", "agrees" or "differs"."""

    text: str
    tone: str


class Link(NamedTuple):
    """A cell that leads to a part of the page."""

    text: str
    anchor: str


class Path(NamedTuple):
    """A cell: steps (text, weight, tone) on a path, and how many more there are."""

    steps: Sequence[tuple[str, str, str]]
    n_more: int = 0


Cell = str | Bar | Mark | Link | Path


class Grid(NamedTuple):
    """Rows of cells under a header.

    Attributes
    ----------
    header : sequence of str
    sides : str
        A letter for each column: ``l`` flush left, ``r`` flush right, ``b`` a bar.
        ``L`` and ``R`` are left out on small screens, and of text that is too wide;
        ``B`` is a small bar that is left out of text.
    rows : sequence of sequences of cells
    tones : sequence of str
        For each row "", "won", "lost", "query" or "opposing"; none if all are plain.
    shown : int
        How many rows are shown at once; the others are folded, or left out of text.
    n_more : int
        How many rows there are beyond those given.
    noun : str
        What the rows are, in the plural.
    medium : {"", "text", "page"}
        Where it is shown; everywhere by default.
    """

    header: Sequence[str]
    sides: str
    rows: Sequence[Sequence[Cell]]
    tones: Sequence[str] = ()
    shown: int = 10
    n_more: int = 0
    noun: str = "rows"
    medium: str = ""

    @property
    def n_shown(self) -> int:
        """How many rows are shown at once; a single one is not worth a fold."""
        n = len(self.rows)
        return n if n - self.shown <= 1 and not self.n_more else min(self.shown, n)


class Figure(NamedTuple):
    """A drawing with a caption; text does without."""

    canvas: Canvas
    caption: str = ""


class Fold(NamedTuple):
    """A part that a page shows when asked for."""

    title: str
    blocks: Sequence[Any]


Block = Heading | Paragraph | Opening | Lead | Grid | Figure | Fold
Plain = Heading | Paragraph | Grid


def _plain(blocks: Iterable[Block]) -> Iterator[Plain]:
    """Blocks that text can hold."""
    for block in blocks:
        if isinstance(block, Fold):
            inside = list(_plain(block.blocks))
            yield from [Heading(block.title), *inside] if inside else []
        elif isinstance(block, Opening):
            detail = f" ({block.detail})" if block.detail else ""
            yield Heading(f"Answer: {block.text}{detail}", 1)
        elif isinstance(block, Lead):
            yield Paragraph(" ".join(block.sentences))
        elif isinstance(block, Heading):
            yield block
        elif isinstance(block, Grid | Paragraph) and block.medium != "page":
            yield _plain_grid(block) if isinstance(block, Grid) else block


def _plain_grid(grid: Grid) -> Grid:
    """A grid of words, with the rows that are shown at once."""
    kept = [j for j, side in enumerate(grid.sides) if side != "B"]
    rows = [[cell_text(row[j]) for j in kept] for row in grid.rows[: grid.n_shown]]
    sides = "".join(grid.sides[j].replace("b", "l") for j in kept)
    left = len(grid.rows) - len(rows) + grid.n_more
    return Grid([grid.header[j] for j in kept], sides, rows, n_more=left)


def cell_text(cell: Cell) -> str:
    """A cell as words.

    Examples
    --------
    >>> cell_text("hue"), cell_text(Bar(0.25)), cell_text(Bar(0.75, 0.5))
    ('hue', '█████', '          █████')
    """
    if isinstance(cell, Bar):
        start, end = (round(_BAR * clip_share(x)) for x in (cell.start, cell.end))
        return " " * start + "█" * (end - start)
    if isinstance(cell, Path):
        more = f", {cell.n_more} more" if cell.n_more else ""
        return ", ".join(text for text, _, tone in cell.steps if tone != "leaf") + more
    return cell if isinstance(cell, str) else cell.text


def to_text(blocks: Iterable[Block], width: int = WIDTH) -> str:
    """The document as plain text, no line wider than `width`.

    Examples
    --------
    >>> print(to_text([Grid(["name", "n"], "lr", [["hue", "12"], ["ash", "3"]])]))
      name   n
      hue   12
      ash    3
    """
    lines = [_block_text(block, width) + _after(block) for block in _plain(blocks)]
    return "\n".join(lines).rstrip("\n")


def _after(block: Plain) -> str:
    """Space after a block; none after the heading of a part."""
    return "" if isinstance(block, Heading) and block.level > 1 else "\n"


def _block_text(block: Plain, width: int) -> str:
    if isinstance(block, Grid):
        return "\n".join(_grid_lines(block, width))
    if isinstance(block, Heading):
        line = shorten(block.text, width)
        return f"{line}\n{'=' * wide(line)}" if block.level == 1 else line
    return "\n".join(_wrapped(block.text, width))


def _wrapped(text: str, width: int) -> list[str]:
    """Lines of a paragraph; characters that take two columns count so."""
    narrow = textwrap.wrap(text, width, break_on_hyphens=False)
    if all(wide(line) <= width for line in narrow):
        return narrow
    return textwrap.wrap(text, width // 2, break_on_hyphens=False)


def _grid_lines(grid: Grid, width: int) -> list[str]:
    grid = _without_spare_columns(grid, width)
    cells = [list(grid.header), *([cell_text(c) for c in row] for row in grid.rows)]
    needed = [max(map(wide, column)) for column in zip(*cells, strict=True)]
    widths = _fit(needed, width)
    for j, (fitted, whole) in enumerate(zip(widths, needed, strict=True)):
        if fitted < whole and _is_bar([row[j] for row in cells[1:]]):
            for row in cells[1:]:
                row[j] = _narrow_bar(row[j], fitted / whole)
    lines = [line for row in cells for line in _lines(row, widths, grid.sides)]
    return [*lines, f"  ... and {grid.n_more} more"] if grid.n_more else lines


def _is_bar(column: Sequence[str]) -> bool:
    """Whether the cells of a column are bars."""
    return any(column) and not any(cell.strip(" █") for cell in column)


def _narrow_bar(bar: str, scale: float) -> str:
    """A bar on a smaller scale, as part of a column of bars.

    Examples
    --------
    >>> _narrow_bar("    ████████", 0.5), _narrow_bar("█", 0.25), _narrow_bar("", 0.5)
    ('  ████', '█', '')
    """
    if not bar.strip():
        return ""
    start, end = round(scale * bar.index("█")), round(scale * len(bar))
    start = min(start, max(end, 1) - 1)
    return " " * start + "█" * (max(end, 1) - start)


def _without_spare_columns(grid: Grid, width: int) -> Grid:
    """The grid without the last columns that may be left out, as long as it must."""
    spare = [j for j, side in enumerate(grid.sides) if side.isupper()]
    if not spare or _needed(grid) <= width:
        return grid
    kept = [j for j in range(len(grid.sides)) if j != spare[-1]]
    narrower = grid._replace(
        header=[grid.header[j] for j in kept],
        sides="".join(grid.sides[j] for j in kept),
        rows=[[row[j] for j in kept] for row in grid.rows],
    )
    return _without_spare_columns(narrower, width)


def _needed(grid: Grid) -> int:
    """How wide the lines would be if no cell were cut."""
    columns = zip(grid.header, *grid.rows, strict=True)
    return sum(max(wide(cell_text(c)) for c in column) + _GAP for column in columns)


def _fit(widths: list[int], width: int) -> list[int]:
    """Narrow the widest columns until the line fits."""
    fitted = list(widths)
    while sum(fitted) + _GAP * len(fitted) > width and max(fitted) > 1:
        fitted[fitted.index(max(fitted))] -= 1
    return fitted


def _lines(row: Sequence[str], widths: Sequence[int], sides: str) -> Iterator[str]:
    """A row of cells, on several lines where words need them."""
    columns = [_fold(cell, width) for cell, width in zip(row, widths, strict=True)]
    for parts in zip_longest(*columns, fillvalue=""):
        yield _line(parts, widths, sides)


def _fold(cell: str, width: int) -> list[str]:
    """A cell in lines, broken between words; a word that is too wide is shortened."""
    if wide(cell) <= width or not cell.strip(" █"):
        return [shorten(cell, width)]
    lines = textwrap.wrap(
        cell,
        width,
        max_lines=_MOST_LINES,
        placeholder=" …",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [shorten(line, width) for line in lines]


def _line(parts: Sequence[str], widths: Sequence[int], sides: str) -> str:
    padded = []
    for text, width, side in zip(parts, widths, sides, strict=True):
        blanks = " " * (width - wide(text))
        padded.append(blanks + text if side in "rR" else text + blanks)
    return (" " * _GAP + (" " * _GAP).join(padded)).rstrip()


def to_markdown(blocks: Iterable[Block]) -> str:
    r"""The document as Markdown; what the user's names hold is never markup.

    Examples
    --------
    >>> print(to_markdown([Grid(["name", "n"], "lr", [["a|b", "12"]])]))
    | name | n |
    |---|---:|
    | a\|b | 12 |
    """
    return "\n\n".join(map(_block_markdown, _plain(blocks))) + "\n"


def _block_markdown(block: Plain) -> str:
    if isinstance(block, Grid):
        rule = "|".join("---:" if side in "rR" else "---" for side in block.sides)
        rows = [_markdown_row([cell_text(c) for c in row]) for row in block.rows]
        more = ["", f"... and {block.n_more} more"] if block.n_more else []
        return "\n".join([_markdown_row(block.header), f"|{rule}|", *rows, *more])
    if isinstance(block, Heading):
        return f"{'#' * block.level} {_escaped(block.text)}"
    return _escaped(block.text)


def _markdown_row(row: Sequence[str]) -> str:
    return f"| {' | '.join(map(_escaped, row))} |"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)
