"""A receipt of the lazy decision tree as text, Markdown and HTML."""

from collections.abc import Mapping
from typing import Any

from sklazy.report.blocks import Block, Grid, Heading, Paragraph
from sklazy.report.drawing import make_drawing
from sklazy.report.ensemble_blocks import footer
from sklazy.report.ensemble_page import percent
from sklazy.report.selection_words import settings_in_words
from sklazy.report.words import chance, counted, listed, say, say_class

Plain = Mapping[str, Any]

_MOST_CLASSES = 6


def explain_tree(receipt: Plain) -> list[str]:
    """The sentences that say why."""
    n_left = sum(item["votes"] for item in receipt["votes"])
    return [_tests(receipt), _left(receipt, n_left)]


def _tests(receipt: Plain) -> str:
    if not receipt["steps"]:
        return "No test of a value of this row tells the classes apart."
    told = [step_in_words(step) for step in receipt["steps"]]
    return (
        f"The row chose {counted(len(told), 'test')} of its own values: {listed(told)}."
    )


def step_in_words(step: Plain) -> str:
    """A test, a number by its bin.

    Examples
    --------
    >>> step_in_words({"attribute": "hue", "value": 0.5, "bin": "(-inf, 0.7]"})
    'hue in (-inf, 0.7]'
    """
    if step["bin"] is not None:
        return f"{say(step['attribute'])} in {say(step['bin'])}"
    return f"{say(step['attribute'])} = {say(step['value'])}"


def _left(receipt: Plain, n_left: int) -> str:
    answer = say_class(receipt["answer"])
    present = [item for item in receipt["votes"] if item["votes"]]
    agree = f"Of {counted(receipt['cases']['n_rows'], 'case')}, {n_left} "
    agree += "agrees" if n_left == 1 else "agree"
    if len(present) == 1:
        return f"{agree} with it on them, of {answer} alone."
    parts = [f"{item['votes']} of {say_class(item['label'])}" for item in present]
    return f"{agree} with it on them: {listed(parts)}."


def _blocks(receipt: Plain) -> list[Block]:
    answer, share = say(receipt["answer"]), chance(receipt["probability"])
    return [
        Heading(f"Answer: {answer} (share {share})", 1),
        Paragraph(" ".join(explain_tree(receipt))),
        Heading("Cases left after each test"),
        Grid(*_table(receipt)),
        *footer(receipt),
    ]


def _table(receipt: Plain) -> tuple[list[str], list[list[str]], str]:
    """Header, rows and sides of the cases left after each test."""
    votes = receipt["votes"]
    order = sorted(range(len(votes)), key=lambda i: -votes[i]["probability"])
    shown = sorted(order[:_MOST_CLASSES])
    start = [item["rows"] for item in receipt["cases"]["class_counts"]]
    lines = [("(all cases)", start)]
    lines += [(step_in_words(step), step["left"]) for step in receipt["steps"]]
    rows = [
        [name, str(sum(counts)), *[str(counts[i]) for i in shown]]
        for name, counts in lines
    ]
    header = ["test", "cases", *[say(votes[i]["label"]) for i in shown]]
    return header, rows, "l" + "r" * (len(header) - 1)


def _view(receipt: Plain) -> dict[str, Any]:
    """What the template draws, besides what the receipt says itself."""
    header, rows, _ = _table(receipt)
    n_all = receipt["cases"]["n_rows"]
    return {
        "data": receipt,
        "why": explain_tree(receipt),
        "settings": settings_in_words(receipt["settings"]),
        "header": header,
        "rows": [{"cells": row, "width": percent(int(row[1]) / n_all)} for row in rows],
        "n_more": len(receipt["votes"]) + 2 - len(header),
    }


TREES = make_drawing(_blocks, _view, "trees")
"""How receipts of lazy trees are shown."""
