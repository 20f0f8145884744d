"""A report: headings, paragraphs, tables and figures, as HTML, Markdown and CSV."""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from sklazy.report.blocks import Heading, Paragraph
from sklazy.report.html import render
from sklazy.report.svg import Canvas

_TEMPLATES = Path(__file__).parent / "templates"


class Table(NamedTuple):
    """Rows of cells under a header.

    Attributes
    ----------
    name : str
        Also the name of its CSV file.
    header : sequence of str
    rows : sequence of sequences of str
    caption : str
    left : int
        How many of the first columns hold words; the others hold figures.
    strong : frozenset of (row, column)
        Cells to stand out.
    signed : frozenset of int
        Columns of differences: what is above zero is good, what is below is not.
    """

    name: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    left: int = 1
    strong: frozenset[tuple[int, int]] = frozenset()
    signed: frozenset[int] = frozenset()


class Figure(NamedTuple):
    """A drawing with a name, which is also that of its file."""

    name: str
    canvas: Canvas
    caption: str = ""


Part = Heading | Paragraph | Table | Figure


class Document(NamedTuple):
    """A report as plain data.

    Attributes
    ----------
    title : str
    lead : sequence of str
        What came out, in a few sentences.
    parts : sequence of headings, paragraphs, tables and figures
    facts : sequence of (name, value)
        How it was made: command, date, versions.
    """

    title: str
    lead: Sequence[str]
    parts: Sequence[Part]
    facts: Sequence[tuple[str, str]]

    @property
    def tables(self) -> list[Table]:
        """The tables alone."""
        return [part for part in self.parts if isinstance(part, Table)]

    @property
    def figures(self) -> list[Figure]:
        """The figures alone."""
        return [part for part in self.parts if isinstance(part, Figure)]


def to_page(document: Document) -> str:
    """One HTML page that needs nothing but itself."""
    parts = [_describe(part) for part in document.parts]
    title = document.title
    return render("experiment", _TEMPLATES, title=title, document=document, parts=parts)


def _describe(part: Part) -> dict[str, object]:
    """A part as the template takes it."""
    if isinstance(part, Table):
        rows = [
            (_opens(part, i), [_cell(part, i, j) for j in range(len(row))])
            for i, row in enumerate(part.rows)
        ]
        head = [(text, j >= part.left) for j, text in enumerate(part.header)]
        shown = {"head": head, "rows": rows, "caption": part.caption}
        return {"kind": "table", "classes": _classes(part), **shown}
    if isinstance(part, Figure):
        return {"kind": "figure", "svg": str(part.canvas), "caption": part.caption}
    if isinstance(part, Heading):
        return {"kind": "heading", "text": part.text, "anchor": _anchor(part.text)}
    return {"kind": "paragraph", "text": part.text}


def _classes(table: Table) -> str:
    n = len(table.header)
    return " ".join(["dense"] * (n > _MANY) + ["words"] * (table.left == n))


def _opens(table: Table, i: int) -> bool:
    """Whether a row is the first of several that share their first cell."""
    row, after = table.rows[i], table.rows[i + 1 : i + 2]
    goes_on = any(later[0] in ("", row[0]) for later in after)
    return bool(row[0]) and not _repeats(table, i) and goes_on


def _repeats(table: Table, i: int) -> bool:
    return i > 0 and table.rows[i][0] == table.rows[i - 1][0]


def _cell(table: Table, i: int, j: int) -> tuple[str, str]:
    """The text of a cell and its classes."""
    text = table.rows[i][j]
    classes = ["n"] if j >= table.left else []
    if j == 0 and _repeats(table, i):
        classes.append("again")
    if (i, j) in table.strong:
        classes.append("strong")
    if j in table.signed:
        classes.append({"+": "good", _MINUS: "bad"}.get(text[:1], ""))
    return text, " ".join(filter(None, classes))


_MANY = 8  # columns, beyond which they stand closer
_MINUS = "\N{MINUS SIGN}"


def _anchor(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def to_markdown(document: Document, folder: str = ".") -> str:
    """The report as Markdown; figures are files in a folder beside it."""
    facts = [f"- {name}: {_marked(value)}" for name, value in document.facts]
    pieces = [
        f"# {document.title}",
        *map(_marked, document.lead),
        *(_part_markdown(part, folder) for part in document.parts),
        "## How it was made",
        "\n".join(facts),
    ]
    return "\n\n".join(pieces) + "\n"


def _part_markdown(part: Part, folder: str) -> str:
    if isinstance(part, Table):
        return table_markdown(part)
    if isinstance(part, Figure):
        picture = f"![{part.canvas.label}]({folder}/{part.name}.svg)"
        return f"{picture}\n\n{_marked(part.caption)}".strip()
    if isinstance(part, Heading):
        return f"## {part.text}"
    return _marked(part.text)


def table_markdown(table: Table) -> str:
    """A table as Markdown.

    Examples
    --------
    >>> bold = frozenset({(0, 1)})
    >>> table = Table("t", ["set", "ours"], [["wine", "98"]], strong=bold)
    >>> print(table_markdown(table))
    | set | ours |
    |---|---:|
    | wine | **98** |
    """
    rule = ["---:" if j >= table.left else "---" for j in range(len(table.header))]
    lines = [_row(table.header), f"|{'|'.join(rule)}|"]
    for i, row in enumerate(table.rows):
        lines.append(
            _row(
                [f"**{c}**" if (i, j) in table.strong else c for j, c in enumerate(row)]
            )
        )
    if table.caption:
        lines += ["", _marked(table.caption)]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_marked, cells))} |"


def _marked(text: str) -> str:
    """Text that Markdown leaves as it is, but for our own bold face."""
    return text.replace("|", "\\|").replace("<", "&lt;")


def to_csv(table: Table) -> str:
    """A table as CSV, with plain minus signs.

    Examples
    --------
    >>> print(to_csv(Table("t", ["set", "ours"], [["a, b", "98"]])), end="")
    set,ours
    "a, b",98
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.header)
    writer.writerows([[c.replace(_MINUS, "-") for c in row] for row in table.rows])
    return out.getvalue()


def signed(number: float, digits: int = 2) -> str:
    """A difference with its sign, a real minus included.

    Examples
    --------
    >>> signed(1.234), signed(0.0), signed(-0.001)
    ('+1.23', '0.00', '0.00')
    """
    text = f"{number:+.{digits}f}"
    if float(text) == 0:
        return text[1:]
    return text.replace("-", _MINUS)
