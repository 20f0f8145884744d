"""A receipt of lazy Bayesian rules: the rule, and naive Bayes under it."""

from sklazy.methods.naive_bayes.drawing import draw_likelihoods, strongest
from sklazy.report.article import (
    Article,
    Plain,
    draw_query,
    draw_votes,
    likely,
    sureness,
    value_in_words,
)
from sklazy.report.blocks import Block, Cell, Grid, Heading, Paragraph
from sklazy.report.words import format_number, format_value, join, pluralize

_MOST_CLASSES = 4


def draw_bayes_rule(receipt: Plain) -> Article:
    """Draw the whole receipt."""
    values = [value_in_words(step) for step in receipt["conditions"]]
    parts: list[Block] = [
        Heading("Classes"),
        draw_votes(receipt, "log-likelihood"),
        *(_draw_rule(receipt) if values else []),
        *draw_likelihoods(receipt),
        draw_query(receipt),
    ]
    why = [_rule(receipt, values), strongest(receipt)]
    brief = "rule", join(values) or "none"
    return Article(
        sureness(receipt), [sentence for sentence in why if sentence], parts, brief
    )


def _rule(receipt: Plain, values: list[str]) -> str:
    if not values:
        n_all = pluralize(receipt["cases"]["n_rows"], "case")
        return (
            "Naive Bayes uses all "
            f"{n_all}: no value of this row selects cases among which it is right "
            "significantly more often."
        )
    steps = receipt["conditions"]
    n_cases = pluralize(sum(steps[-1]["remaining_per_class"]), "case")
    n_right = sum(step["n_now_right"] for step in steps)
    n_wrong = sum(step["n_now_wrong"] for step in steps)
    return (
        f"Naive Bayes uses only the {n_cases} with {join(values)}: among them it is "
        "right significantly more often. Tested on cases left out, the rule corrects "
        f"{pluralize(n_right, 'case')} and spoils {n_wrong}."
    )


def _draw_rule(receipt: Plain) -> list[Block]:
    votes = receipt["votes"]
    shown = likely(votes, _MOST_CLASSES)
    start = [item["rows"] for item in receipt["cases"]["class_counts"]]
    lines = [("all cases", start, ["", "", ""])]
    lines += [
        (value_in_words(s), s["remaining_per_class"], _tested(s))
        for s in receipt["conditions"]
    ]
    rows: list[list[Cell]] = [
        [name, str(sum(counts)), *[str(counts[i]) for i in shown], *tested]
        for name, counts, tested in lines
    ]
    labels = [format_value(votes[i]["label"]) for i in shown]
    header = ["value", "cases", *labels, "corrected", "spoiled", "p-value"]
    legend = "The p-value: how often an irrelevant value would do as well or better."
    return [
        Heading("The rule, value by value"),
        Paragraph(legend, "soft", "page"),
        Grid(header, "l" + "r" * (len(header) - 1), rows, shown=30, noun="values"),
    ]


def _tested(step: Plain) -> list[str]:
    chance = format_number(step["p_value"], 2)
    return [str(step["n_now_right"]), str(step["n_now_wrong"]), chance]
