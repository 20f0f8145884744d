"""The attribute to measure next, as text and HTML."""

from collections.abc import Mapping
from typing import Any

from sklazy.report.article import make_ruler
from sklazy.report.blocks import WIDTH, Bar, Block, Cell, Grid, Heading, Paragraph
from sklazy.report.blocks import to_text as blocks_to_text
from sklazy.report.html import preformatted
from sklazy.report.words import (
    format_number,
    format_percent,
    format_probability,
    format_value,
    join,
)

Plain = Mapping[str, Any]

_SHOWN = 5  # attributes


def suggestion_text(content: Plain, width: int = WIDTH) -> str:
    """A suggestion as plain text."""
    return blocks_to_text(next_blocks(content), width)


def suggestion_fragment(content: Plain) -> str:
    """A suggestion as a piece of HTML for a notebook."""
    return preformatted(suggestion_text(content))


def next_blocks(content: Plain) -> list[Block]:
    """A suggestion, part by part."""
    blocks: list[Block] = [
        Heading("What to measure next"),
        Paragraph(content["statement"]),
    ]
    if content["attribute"] is None:
        return blocks
    return [*blocks, _draw_outcomes(content), _draw_ranked(content)]


def _draw_outcomes(content: Plain) -> Grid:
    rows: list[list[Cell]] = [
        [
            format_value(one["value"]),
            format_percent(one["chance"]),
            Bar(one["chance"]),
            _answer(one["answer"]),
            ""
            if one["probability"] is None
            else format_probability(one["probability"]),
        ]
        for one in content["outcomes"]
    ]
    sure = "probability" if content["probability"] is not None else ""
    header = [format_value(content["attribute"]), "chance", "", "answer", sure]
    return Grid(header, "lrBlr", rows, noun="values")


def _draw_ranked(content: Plain) -> Grid:
    ranked = content["ranked"]
    bar = make_ruler([one["gain_per_cost"] for one in ranked])
    rows: list[list[Cell]] = [
        [
            format_value(one["attribute"]),
            format_number(one["gain"], 3),
            format_number(one["cost"], 3),
            format_number(one["gain_per_cost"], 3),
            bar(one["gain_per_cost"]),
        ]
        for one in ranked
    ]
    header = ["missing", f"gain ({content['unit']})", "cost", "per cost", ""]
    return Grid(header, "lrrrB", rows, shown=_SHOWN, noun="missing attributes")


def describe_suggestion(content: Plain) -> str:
    """A suggestion in a sentence.

    Examples
    --------
    >>> complete = {"attribute": None, "ranked": [], "answer": "a", "probability": 0.9}
    >>> describe_suggestion(complete)
    'Nothing is missing: the answer is a (probability 0.900).'
    """
    stands = _answer(content["answer"])
    if content["probability"] is not None:
        stands += f" (probability {format_probability(content['probability'])})"
    if not content["ranked"]:
        return f"Nothing is missing: the answer is {stands}."
    if content["attribute"] is None:
        return f"No missing attribute matters: the answer stays {stands}."
    name = format_value(content["attribute"])
    return f"Measure {name} next: the answer is {stands}, and {_change(content)}."


def _change(content: Plain) -> str:
    """Whether the answer may change, in words."""
    if content["probability"] is None:
        values = [one["answer"] for one in content["outcomes"]]
        if any(isinstance(value, list) for value in values):
            return "may change"
        low, high = (format_number(end(values)) for end in (min, max))
        return f"may become {low} to {high}"
    others = dict.fromkeys(
        format_value(one["answer"])
        for one in content["outcomes"]
        if one["answer"] != content["answer"]
    )
    if not others:
        return "no value of it changes that, only how sure it is"
    return f"may become {join(list(others)).replace(' and ', ' or ')}"


def _answer(answer: object) -> str:
    if isinstance(answer, list):
        return ", ".join(map(format_number, answer))
    return format_number(answer) if isinstance(answer, float) else format_value(answer)
