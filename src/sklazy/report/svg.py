"""Drawings as SVG text: shapes in the colors of the page they stand in."""

from collections.abc import Iterable, Sequence
from html import escape

Point = tuple[float, float]

# A page's own colors if it has them, else those behind the comma.
INK = "var(--ink, #1c2430)"
SOFT = "var(--soft, #5a6675)"
LINE = "var(--line, #d9dee5)"
PAPER = "var(--paper, #ffffff)"
IDLE = "var(--idle, #b4bdc9)"
COLORS = (
    "var(--main, #1f6fb2)",
    "var(--odd, #b4560e)",
    "var(--third, #2a7d4f)",
    "var(--fourth, #8a4fa3)",
    "var(--fifth, #8a6d00)",
    "var(--sixth, #b03a5b)",
    "var(--seventh, #4d5967)",
)
DASHES = ("", "7 3", "2 3", "9 3 2 3", "1 2", "12 4", "4 4")
"""Dash patterns, which distinguish lines without colors, too."""

_ALONE = """<style>
svg { --ink: #1c2430; --soft: #5a6675; --line: #d9dee5; --paper: #ffffff; }
@media (prefers-color-scheme: dark) {
  svg { --ink: #e4e9ef; --soft: #9aa6b4; --line: #333c48; --paper: #161b22;
    --main: #6cb0ea; --odd: #f0a35e; --third: #6fc796; --fourth: #c79be0;
    --fifth: #d9bb55; --sixth: #ee8aa5; --seventh: #a5b0bd; --idle: #4d5967; }
}
</style>"""


class Canvas:
    """A drawing to be filled; x goes right, y down, in pixels.

    Parameters
    ----------
    width, height : float
    label : str
        What the drawing shows, for those who cannot see it.

    Examples
    --------
    >>> canvas = Canvas(20, 10, "a line")
    >>> canvas.line((0, 5), (20, 5), "red")
    >>> str(canvas)[-79:]
    '<polyline points="0,5 20,5" style="fill:none;stroke:red;stroke-width:1"/></svg>'
    """

    def __init__(self, width: float, height: float, label: str) -> None:
        self.width, self.height, self.label = width, height, label
        self._parts: list[str] = []

    def line(
        self, start: Point, end: Point, color: str, width: float = 1, dash: str = ""
    ) -> None:
        """A straight line."""
        self.path([start, end], color, width, dash)

    def path(
        self, points: Iterable[Point], color: str, width: float = 1, dash: str = ""
    ) -> None:
        """Straight lines from point to point."""
        steps = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
        dashes = f";stroke-dasharray:{dash}" if dash else ""
        style = f"fill:none;stroke:{color};stroke-width:{_n(width)}{dashes}"
        self._parts.append(f'<polyline points="{steps}" style="{style}"/>')

    def dot(self, at: Point, radius: float, color: str, tip: str = "") -> None:
        """A disc; the tip shows when it is pointed at."""
        title = f"<title>{escape(tip)}</title>" if tip else ""
        self._parts.append(
            f'<circle cx="{_n(at[0])}" cy="{_n(at[1])}" r="{_n(radius)}" '
            f'style="fill:{color};stroke:{PAPER}">{title}</circle>'
        )

    def ring(self, at: Point, radius: float, color: str, tip: str = "") -> None:
        """A circle that is not filled."""
        title = f"<title>{escape(tip)}</title>" if tip else ""
        self._parts.append(
            f'<circle cx="{_n(at[0])}" cy="{_n(at[1])}" r="{_n(radius)}" '
            f'style="fill:{PAPER};stroke:{color};stroke-width:2">{title}</circle>'
        )

    def text(
        self,
        at: Point,
        text: str,
        color: str = INK,
        anchor: str = "start",
        size: float = 12,
        turned: bool = False,
    ) -> None:
        """Words that start, end or have their middle at a point of their base line."""
        x, y = _n(at[0]), _n(at[1])
        turn = f' transform="rotate(-90 {x} {y})"' if turned else ""
        self._parts.append(
            f'<text x="{x}" y="{y}" text-anchor="{anchor}"{turn} '
            f'style="fill:{color};font-size:{_n(size)}px">{escape(text)}</text>'
        )

    def __str__(self) -> str:
        return self._frame("")

    def alone(self) -> str:
        """The drawing as a file of its own, with its own colors."""
        return self._frame(_ALONE) + "\n"

    def _frame(self, style: str) -> str:
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" '
            f'viewBox="0 0 {_n(self.width)} {_n(self.height)}" '
            f'width="{_n(self.width)}" height="{_n(self.height)}" role="img" '
            f'aria-label="{escape(self.label)}" '
            'font-family="system-ui, Segoe UI, Roboto, Helvetica, Arial, sans-serif">'
            f"{style}{''.join(self._parts)}</svg>"
        )


def _n(number: float) -> str:
    """A number with as few characters as a tenth of a pixel takes."""
    return f"{number:.1f}".removesuffix(".0")


def spread_out(places: Sequence[float], gap: float) -> list[float]:
    """Move places apart until none is nearer than `gap` to the next, order kept.

    Examples
    --------
    >>> spread_out([10.0, 12.0, 50.0], 10.0)
    [6.0, 16.0, 50.0]
    """
    order = sorted(range(len(places)), key=lambda i: places[i])
    groups: list[list[int]] = []
    middles: list[float] = []
    for i in order:
        groups.append([i])
        middles.append(places[i])
        while len(groups) > 1 and _touch(groups, middles, gap):
            joined = groups[-2] + groups.pop()
            groups[-1] = joined
            middles.pop()
            middles[-1] = sum(places[i] for i in joined) / len(joined)
    moved = list(places)
    for group, middle in zip(groups, middles, strict=True):
        for place, i in enumerate(group):
            moved[i] = middle + (place - (len(group) - 1) / 2) * gap
    return moved


def _touch(groups: list[list[int]], middles: list[float], gap: float) -> bool:
    lower = middles[-2] + (len(groups[-2]) - 1) / 2 * gap
    upper = middles[-1] - (len(groups[-1]) - 1) / 2 * gap
    return upper - lower < gap
