"""A receipt of the lazy decision tree: the tests, and the cases left after each."""

from sklazy.report.article import (
    Article,
    Plain,
    draw_query,
    draw_votes,
    likely,
    sureness,
    value_in_words,
)
from sklazy.report.blocks import Bar, Block, Cell, Grid, Heading
from sklazy.report.words import format_class, format_value, join, pluralize

_MOST_CLASSES = 6


def draw_tree(receipt: Plain) -> Article:
    """Draw the whole receipt."""
    parts: list[Block] = [
        Heading("Classes"),
        draw_votes(receipt, "cases left"),
        Heading("Cases left after each test"),
        _draw_steps(receipt),
        draw_query(receipt),
    ]
    brief = "tests", str(len(receipt["steps"]))
    return Article(sureness(receipt), [_tests(receipt), _left(receipt)], parts, brief)


def _tests(receipt: Plain) -> str:
    if not receipt["steps"]:
        return "No test on the values of this row separates the classes."
    tests = [value_in_words(step) for step in receipt["steps"]]
    return f"{pluralize(len(tests), 'test')} on the values of this row: {join(tests)}."


def _left(receipt: Plain) -> str:
    present = [item for item in receipt["votes"] if item["votes"]]
    n_left = sum(float(item["votes"]) for item in present)
    agree = f"Of {pluralize(receipt['cases']['n_rows'], 'case')}, {n_left:g} "
    agree += "agrees" if n_left == 1 else "agree"
    if len(present) == 1:
        only = format_class(present[0]["label"])
        return f"{agree} with it, all of {only}."
    parts = [f"{item['votes']:g} of {format_class(item['label'])}" for item in present]
    return f"{agree} with it: {join(parts)}."


def _draw_steps(receipt: Plain) -> Grid:
    votes, n_all = receipt["votes"], receipt["cases"]["n_rows"] or 1
    shown = likely(votes, _MOST_CLASSES)
    start = [item["rows"] for item in receipt["cases"]["class_counts"]]
    lines = [("all cases", start)]
    lines += [
        (value_in_words(step), step["remaining_per_class"]) for step in receipt["steps"]
    ]
    rows: list[list[Cell]] = [
        [
            name,
            str(sum(counts)),
            *[str(counts[i]) for i in shown],
            Bar(sum(counts) / n_all),
        ]
        for name, counts in lines
    ]
    header = ["test", "cases", *[format_value(votes[i]["label"]) for i in shown], ""]
    sides = "lr" + "r" * len(shown) + "B"
    return Grid(header, sides, rows, shown=30, noun="tests")
