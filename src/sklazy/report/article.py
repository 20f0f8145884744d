"""Parts of the articles of all families: classes, cases, the row in question."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sklazy.report.blocks import Bar, Block, Cell, Fold, Grid, Mark
from sklazy.report.scales import find_share
from sklazy.report.words import format_number, format_probability, format_value

Plain = Mapping[str, Any]

QUERY_TITLE = "The row in question"

_MOST_CLASSES = 8
_MOST_ROWS = 200


class Article(NamedTuple):
    """Content of a receipt, in the order in which it is shown.

    Attributes
    ----------
    detail : str
        How sure the answer is.
    why : list of str
        Sentences, the most important first.
    parts : list of blocks
    brief : (str, str)
        A column of the table over several receipts: its title, and what stands there.
    """

    detail: str
    why: list[str]
    parts: list[Block]
    brief: tuple[str, str]


def sureness(receipt: Plain) -> str:
    """How sure a class is."""
    return f"probability {format_probability(receipt['probability'])}"


def likely(votes: Sequence[Plain], most: int) -> list[int]:
    """The positions of the most probable classes, in class order."""
    order = sorted(range(len(votes)), key=lambda i: -votes[i]["probability"])
    return sorted(order[:most])


def first_two(receipt: Plain) -> tuple[int, int] | None:
    """The positions of the answer and of the most probable other class."""
    votes = receipt["votes"]
    winner = [i for i, item in enumerate(votes) if item["label"] == receipt["answer"]]
    others = [i for i in range(len(votes)) if i not in winner]
    if not others:
        return None
    return winner[0], max(others, key=lambda i: votes[i]["probability"])


def gain(logs: Sequence[float | None], winner: int, second: int) -> float:
    """How far logarithms favor one class over another; 0 if one is unknown."""
    first, other = logs[winner], logs[second]
    return 0.0 if first is None or other is None else first - other


def _rounded(votes: float | None) -> float | None:
    """Votes, of which 1e-18 is none."""
    return votes if votes is None else round(votes, 9)


def draw_votes(receipt: Plain, word: str) -> Grid:
    """The classes, the most probable ones at least."""
    votes, answer = receipt["votes"], receipt["answer"]
    top = likely(votes, _MOST_CLASSES)
    rest = [i for i in range(len(votes)) if i not in top]
    items = [votes[i] for i in [*top, *rest[:_MOST_ROWS]]]
    won = [item["label"] == answer for item in items]
    rows: list[list[Cell]] = [
        [
            format_value(item["label"]),
            format_number(_rounded(item["votes"])),
            format_probability(item["probability"]),
            Bar(item["probability"], tone="" if is_answer else "idle"),
        ]
        for item, is_answer in zip(items, won, strict=True)
    ]
    return Grid(
        ["class", word, "probability", ""],
        "lrrb",
        rows,
        ["won" if is_answer else "lost" for is_answer in won],
        shown=_MOST_CLASSES,
        n_more=len(votes) - len(rows),
        noun="less probable classes",
    )


Ruler = Callable[[float | None], Bar | str]
"""From a value to its bar."""


def make_ruler(values: Sequence[float | None]) -> Ruler:
    """A function from a value to its bar, on a scale that all of them fit on.

    Bars begin at zero, which is the left end unless values lie below it; those of
    infinite values go to the end.
    """
    known = [value for value in values if value is not None and math.isfinite(value)]
    low, high = min([0.0, *known]), max([0.0, *known])

    def draw(value: float | None) -> Bar | str:
        if value is None:
            return ""
        ends = 0.0, min(max(value, low), high)
        start, end = sorted(find_share(x, low, high) for x in ends)
        return Bar(end, start, tone="against" if value < 0 else "")

    return draw


def format_outcome(case: Plain, answer: object) -> Cell:
    """Format the target of a case; mark a class other than the answer."""
    if "class" in case:
        label = format_value(case["class"])
        return label if case["class"] == answer else Mark(label, "other")
    values = case["target"] if isinstance(case["target"], list) else [case["target"]]
    return ", ".join(map(format_number, values))


def value_in_words(item: Plain) -> str:
    """An attribute and its value, a number by its bin.

    Examples
    --------
    >>> value_in_words({"attribute": "hue", "value": 0.5, "bin": "(-inf, 0.7]"})
    'hue in (-inf, 0.7]'
    """
    if item["bin"] is not None:
        return f"{format_value(item['attribute'])} in {format_value(item['bin'])}"
    return f"{format_value(item['attribute'])} = {format_value(item['value'])}"


def draw_query(receipt: Plain) -> Fold:
    """The row in question, attribute by attribute."""
    notes = {"yes": "", "missing": "", "unseen": "no case has this value"}
    rows: list[list[Cell]] = [
        [
            format_value(item["name"]),
            format_value(item["value"]),
            Mark(notes[item["known"]], "other"),
        ]
        for item in receipt["query"]
    ]
    grid = Grid(["feature", "value", ""], "lll", rows, noun="features")
    return Fold(QUERY_TITLE, [grid])


class Case(NamedTuple):
    """A case beside others.

    Attributes
    ----------
    cells : sequence of str
        Its name, what became of it, its distance.
    values : mapping of attribute to value
    differ : set of str
        The attributes in which it differs from the row in question.
    tone : str
    """

    cells: Sequence[Cell]
    values: Plain
    differ: frozenset[str] | None = None
    tone: str = ""


def draw_cases(
    header: Sequence[str],
    sides: str,
    query: Plain,
    cases: Sequence[Case],
    **layout: Any,  # noqa: ANN401 - of the grid
) -> Grid:
    """Cases under the row in question, a column for each of its attributes."""
    names = list(query)
    first = ["this row", *[""] * (len(header) - 1)]
    rows: list[list[Cell]] = [
        [*first, *[format_value(query[name]) for name in names]],
        *[[*case.cells, *_values(case, names)] for case in cases],
    ]
    return Grid(
        [*header, *[format_value(name) for name in names]],
        sides + "l" * len(names),
        rows,
        ["query", *[case.tone for case in cases]],
        medium="page",
        **layout,
    )


def _values(case: Case, names: Sequence[str]) -> list[Cell]:
    cells = [format_value(case.values.get(name)) for name in names]
    if case.differ is None:
        return list(cells)
    tones = ["differs" if name in case.differ else "agrees" for name in names]
    return [Mark(cell, tone) for cell, tone in zip(cells, tones, strict=True)]
