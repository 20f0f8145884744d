"""Plots of plain data: curves, dots by set, critical differences, races."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from sklazy.report.scales import find_range, find_share, ticks
from sklazy.report.svg import (
    COLORS,
    DASHES,
    IDLE,
    INK,
    LINE,
    SOFT,
    Canvas,
    Point,
    spread_out,
)

Curve = Sequence[tuple[float, float]]
Written = Callable[[float], str]


class Axes(NamedTuple):
    """A frame of a canvas with numbers along its sides."""

    left: float
    top: float
    width: float
    height: float
    x_range: tuple[float, float]
    y_range: tuple[float, float]

    def place(self, x: float, y: float) -> Point:
        """Where a pair of numbers lies."""
        (x_low, x_high), (y_low, y_high) = self.x_range, self.y_range
        right = find_share(x, x_low, x_high) if x_high != x_low else 0.5
        up = find_share(y, y_low, y_high) if y_high != y_low else 0.5
        return self.left + right * self.width, self.top + (1 - up) * self.height


def plain(number: float) -> str:
    """A number as short as it can be, with a real minus."""
    return f"{number:g}".replace("-", "\N{MINUS SIGN}")


def whole(number: float) -> str:
    """A count; no words for what lies between two."""
    return f"{number:.0f}" if number == round(number) else ""


def percent(number: float) -> str:
    """A share as a percentage."""
    return f"{100 * number:.0f} %"


def _frame(
    canvas: Canvas,
    axes: Axes,
    x_label: str,
    y_label: str,
    x_written: Written = plain,
    y_written: Written = plain,
) -> None:
    """Lines and numbers of the frame."""
    left, top, width, height = axes[:4]
    for y in ticks(*axes.y_range, most=max(2, int(height / 36))):
        start = axes.place(axes.x_range[0], y)
        canvas.line(start, (left + width, start[1]), LINE)
        at = (left - 6, start[1] + 4)
        canvas.text(at, y_written(y), SOFT, "end", 11)
    _x_axis(canvas, axes, x_label, x_written)
    at = (left - 44, top + height / 2)
    canvas.text(at, y_label, SOFT, "middle", 12, turned=True)


def _x_axis(canvas: Canvas, axes: Axes, label: str, written: Written = plain) -> None:
    left, top, width, height = axes[:4]
    for x in ticks(*axes.x_range, most=max(2, int(width / 48))):
        at = axes.place(x, axes.y_range[0])
        canvas.line(at, (at[0], at[1] + 4), SOFT)
        canvas.text((at[0], at[1] + 16), written(x), SOFT, "middle", 11)
    canvas.line((left, top + height), (left + width, top + height), SOFT)
    canvas.text((left + width / 2, top + height + 33), label, SOFT, "middle", 12)


def draw_curves(
    curves: Mapping[str, Curve],
    label: str,
    x_label: str,
    y_label: str,
    marks: Sequence[tuple[float, float, str]] = (),
    x_written: Written = plain,
    y_written: Written = plain,
    height: float = 340,
) -> Canvas:
    """Curves in one frame, each named at its end.

    Parameters
    ----------
    curves : mapping of name to points
        At most seven are distinguished.
    label : str
        What the plot shows.
    marks : sequence of (x, y, words)
        Points to be shown as rings.
    """
    points = [point for curve in curves.values() for point in curve]
    points += [(x, y) for x, y, _ in marks]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    canvas = Canvas(680, height, label)
    axes = Axes(62, 14, 470, height - 70, (min(xs), max(xs)), find_range(ys))
    _frame(canvas, axes, x_label, y_label, x_written, y_written)
    ends = []
    for (_, curve), color, dash in zip(curves.items(), COLORS, DASHES, strict=False):
        placed = [axes.place(*point) for point in curve]
        canvas.path(placed, color, 2, dash)
        ends.append(placed[-1][1])
    # Names stand beside the ends, moved apart where they would overlap.
    named = zip(curves, COLORS, DASHES, spread_out(ends, 16), strict=False)
    for name, color, dash, y in named:
        canvas.line((540, y), (562, y), color, 2, dash)
        canvas.text((568, y + 4), name, color)
    for x, y, words in marks:
        canvas.ring(axes.place(x, y), 5, INK, words)
    return canvas


_COLUMN = 8.0  # pixels


def draw_histogram(
    values: Sequence[float], answer: float | None, label: str, x_label: str
) -> Canvas:
    """A column of as many steps as values lie there, and a line at the answer."""
    marked = [*values, *([] if answer is None else [answer])] or [0.0]
    canvas = Canvas(680, 124, label)
    axes = Axes(20, 10, 640, 70, find_range(marked), (0, 1))
    bottom = axes.top + axes.height
    columns = Counter(round(axes.place(value, 0)[0] / _COLUMN) for value in values)
    step = min(_COLUMN, axes.height / max(columns.values(), default=1))
    for column, n in columns.items():
        x = column * _COLUMN
        canvas.line((x, bottom), (x, bottom - n * step), COLORS[0], _COLUMN - 2)
    _x_axis(canvas, axes, x_label)
    if answer is not None:
        x = axes.place(answer, 0)[0]
        canvas.line((x, 4), (x, bottom), COLORS[1], 2)
    return canvas


def draw_panels(
    panels: Mapping[str, Sequence[Curve]],
    means: Mapping[str, Curve],
    label: str,
    x_label: str,
    y_label: str,
    y_range: tuple[float, float] | None = None,
) -> Canvas:
    """Small frames side by side: many faint curves and their mean in each.

    Parameters
    ----------
    panels : mapping of name to curves
    means : mapping of the same names to one curve each
        Where there is one, a line at 0 is drawn, too.
    y_range : pair of float, optional
        What lies outside is cut off at the frame.
    """
    points = [p for curves in panels.values() for curve in curves for p in curve]
    xs = [x for x, _ in points]
    low, high = y_range or find_range(y for _, y in points)
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    canvas = Canvas(680, 30 + 215 * rows, label)
    for i, (name, curves) in enumerate(panels.items()):
        left, top = 62 + 320 * (i % columns), 24 + 215 * (i // columns)
        axes = Axes(left, top, 270, 150, (min(xs), max(xs)), (low, high))
        _frame(canvas, axes, x_label, y_label if i % columns == 0 else "")
        canvas.text((left, top - 8), name, INK, size=13)
        for curve in curves:
            placed = [axes.place(x, min(max(y, low), high)) for x, y in curve]
            canvas.path(placed, IDLE if name in means else COLORS[0], 0.8)
        if name in means:
            zero = axes.place(axes.x_range[0], 0.0)
            canvas.line(zero, (left + 270, zero[1]), INK, 1)
            canvas.path([axes.place(x, y) for x, y in means[name]], COLORS[0], 3)
    return canvas


def draw_dots(
    rows: Mapping[str, Sequence[float]],
    names: Sequence[str],
    label: str,
    x_label: str,
    paper: Mapping[str, Sequence[float | None]] | None = None,
) -> Canvas:
    """A line for each set with a dot for each method, in the order given.

    Parameters
    ----------
    rows : mapping of set to one number a method
    names : sequence of str
        The methods.
    paper : mapping of set to the paper's numbers, optional
        Shown as rings of the same colors, None where there is none.
    """
    paper = paper or {}
    known = [x for xs in paper.values() for x in xs if x is not None]
    values = [x for xs in rows.values() for x in xs] + known
    canvas = Canvas(680, 62 + 19 * len(rows) + 40, label)
    axes = Axes(150, 44, 510, 19.0 * len(rows), find_range(values), (len(rows), 0))
    _draw_legend(canvas, names, ring=bool(known))
    for x in ticks(*axes.x_range, most=9):
        top, bottom = axes.place(x, 0), axes.place(x, len(rows))
        canvas.line(top, bottom, LINE)
        canvas.text((bottom[0], bottom[1] + 16), plain(x), SOFT, "middle", 11)
    canvas.text((405, axes.top + axes.height + 34), x_label, SOFT, "middle")
    for i, (name, xs) in enumerate(rows.items()):
        y = i + 0.5
        canvas.text((142, axes.place(0, y)[1] + 4), name, INK, "end", 12)
        canvas.line(axes.place(min(xs), y), axes.place(max(xs), y), IDLE, 1.5)
        theirs = zip(paper.get(name, ()), COLORS, names, strict=False)
        for figure, color, method in theirs:
            if figure is not None:
                words = f"{name}, {method}, paper: {figure:g}"
                canvas.ring(axes.place(figure, y), 4.5, color, words)
        for x, color, method in reversed(list(zip(xs, COLORS, names, strict=False))):
            canvas.dot(axes.place(x, y), 4.5, color, f"{name}, {method}: {x:.4g}")
    return canvas


def _draw_legend(canvas: Canvas, names: Sequence[str], *, ring: bool) -> None:
    words = [*names, "paper"] if ring else names
    needed = sum(25 + 7.2 * len(name) for name in words)
    x = max(8.0, min(150.0, canvas.width - needed))
    for name, color in zip(names, COLORS, strict=False):
        canvas.dot((x, 14), 4.5, color)
        canvas.text((x + 9, 18), name, INK)
        x += 9 + 7.2 * len(name) + 16
    if ring:
        canvas.ring((x, 14), 4.5, SOFT)
        canvas.text((x + 9, 18), "paper", SOFT)


def draw_ranks(
    names: Sequence[str],
    ranks: Sequence[float],
    difference: float,
    groups: Sequence[Sequence[int]],
    label: str,
) -> Canvas:
    """A critical-difference diagram: mean ranks, best on the left.

    Parameters
    ----------
    names : sequence of str
    ranks : sequence of float
        The methods' mean ranks.
    difference : float
        The critical difference, drawn to scale.
    groups : sequence of sequences of int
        Methods that cannot be distinguished, joined by a bar.
    """
    order = sorted(range(len(names)), key=lambda i: ranks[i])
    half = -(-len(order) // 2)
    base = 58 + 12 * len(groups)
    canvas = Canvas(680, base + 26 * half + 12, label)
    axes = Axes(170, 30, 340, 1, (1, max(2, len(names))), (0, 1))

    def x(rank: float) -> float:
        return axes.place(rank, 0)[0]

    canvas.line((x(1), 40), (x(len(names)), 40), INK)
    for rank in range(1, len(names) + 1):
        canvas.line((x(rank), 36), (x(rank), 40), INK)
        canvas.text((x(rank), 31), str(rank), SOFT, "middle", 11)
    canvas.line((x(1), 10), (x(1 + difference), 10), COLORS[1], 2)
    words = f"critical difference {difference:.2f}"
    canvas.text((x(1 + difference) + 8, 14), words, COLORS[1])
    for i, group in enumerate(groups):
        grouped = [ranks[j] for j in group]
        y = 52 + 12 * i
        canvas.line((x(min(grouped)) - 4, y), (x(max(grouped)) + 4, y), SOFT, 4)
    for place, j in enumerate(order):
        is_left = place < half
        y = base + 26 * (place if is_left else len(order) - 1 - place) + 12
        side = 160.0 if is_left else 520.0
        canvas.path([(x(ranks[j]), 40), (x(ranks[j]), y), (side, y)], INK)
        words = f"{names[j]}  {ranks[j]:.2f}"
        at = (side - 6 if is_left else side + 6, y + 4)
        canvas.text(at, words, INK, "end" if is_left else "start")
    return canvas
