"""Figure 1 of the paper: how a query's bags are drawn, with the numbers of a set."""

from sklazy.methods.paths.bags import beta_neighbors
from sklazy.report.svg import COLORS, LINE, SOFT, Canvas, Point
from sklazy_studies.document import Figure
from sklazy_studies.harness.catalog import find_known

SHOWN = "car"
_MEMBERS = ("tree", "naive Bayes", "neighbors", "...")
_WIDTH, _HEIGHT = 700.0, 250.0
_ACROSS, _DOWN = 65.0, 22.0  # half of a box


def bag_figure() -> Figure:
    """The paper's diagram: a query, its neighbors, bags, members, the majority."""
    n_rows = find_known(SHOWN).n_rows * 4 // 5  # in four of five folds
    n_near = beta_neighbors(n_rows)
    canvas = Canvas(_WIDTH, _HEIGHT, "how lazy stacking answers a query")
    cases = _box(canvas, (75, 60), "all cases T", f"N = {n_rows} rows")
    query = _box(canvas, (75, 190), "query", "when it arrives")
    near = _box(canvas, (240, 190), "neighbors S", f"K = {n_near} rows")
    _arrow(canvas, query, near)
    _arrow(canvas, cases, near)
    vote = (625.0, 125.0)
    for i, member in enumerate(_MEMBERS):
        at = (430.0, 34 + i * 60.0)
        words = "" if member == "..." else f"{n_rows - n_near} of T, {n_near} of S"
        bag = _box(canvas, at, f"bag {i + 1}: {member}" if words else member, words)
        _arrow(canvas, cases, bag)
        _arrow(canvas, near, bag)
        _arrow(canvas, bag, vote)
    _box(canvas, vote, "majority", "of L members")
    return Figure(
        "diagram",
        canvas,
        f"Figure 1 of the paper, with the numbers of {SHOWN} in five folds: each bag "
        "has N \N{MINUS SIGN} K rows drawn from all cases and K from the neighbors, "
        "with replacement, and a member of its own kind.",
    )


def _box(canvas: Canvas, middle: Point, title: str, words: str) -> Point:
    """Draw a box with two lines of text; its middle."""
    x, y = middle
    left, right, top, bottom = x - _ACROSS, x + _ACROSS, y - _DOWN, y + _DOWN
    corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
    canvas.path(corners, COLORS[0])
    canvas.text((x, y - 2 if words else y + 4), title, anchor="middle")
    canvas.text((x, y + 14), words, SOFT, anchor="middle", size=11)
    return x, y


def _arrow(canvas: Canvas, start: Point, end: Point) -> None:
    """A line from the right side of a box to the left side of another."""
    first, last = (start[0] + _ACROSS, start[1]), (end[0] - _ACROSS, end[1])
    canvas.line(first, last, LINE, 1.5)
    canvas.dot(last, 2.5, COLORS[0])
