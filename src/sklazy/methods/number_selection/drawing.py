"""A receipt of lazy selection for numbers: attributes, cases, their targets."""

from typing import Any

from sklazy.methods.selection.drawing import (
    describe_comparison,
    describe_selection,
    draw_attributes,
    used_attributes,
    weighs_by_distance,
)
from sklazy.report.article import Article, Case, Plain, draw_cases, format_outcome
from sklazy.report.blocks import Bar, Block, Cell, Grid, Heading, Paragraph
from sklazy.report.words import (
    format_number,
    format_percent,
    format_value,
    join,
    ordinal,
    pluralize,
)

_MOST_CASES = 8
_MOST_COLUMNS = 12  # attributes beside each other in the table of cases


def draw_number_selection(receipt: Plain) -> Article:
    """Draw the whole receipt."""
    chosen, found = receipt["selection"], receipt["neighbors"]
    parts = [*draw_attributes(chosen), *_draw_neighbors(receipt)]
    names = [format_value(item["name"]) for item in used_attributes(chosen)]
    brief = "attributes used", join(names, most=8)
    ends = format_number(found["min"]), format_number(found["max"])
    detail = f"neighbors from {ends[0]} to {ends[1]}"
    return Article(detail, _explain(receipt), parts, brief)


def _explain(receipt: Plain) -> list[str]:
    """The sentences that explain why, the most important first."""
    chosen = receipt["selection"]
    sentences = [
        describe_selection(chosen),
        _describe_first(chosen),
        _describe_neighbors(receipt),
    ]
    if receipt["answers_by_n_attributes"]:
        ends = (
            min(receipt["answers_by_n_attributes"]),
            max(receipt["answers_by_n_attributes"]),
        )
        sentences.append(
            f"With the best attribute, the best two and so on, predictions range from "
            f"{format_number(ends[0])} to {format_number(ends[1])}; the answer is "
            "their mean."
        )
    return [sentence for sentence in sentences if sentence]


def _describe_first(chosen: Plain) -> str:
    """How the target varies given the first attribute."""
    first = min(chosen["attributes"], key=lambda item: item["rank"])
    own, whole = first["value_score"], first["attribute_score"]
    if chosen["strategy"] == "none" or whole is None:
        return ""
    name, ranks = format_value(first["name"]), chosen["measure"] == "rank_variance"
    what = "the target's ranks" if ranks else "the target"
    on_whole = f"over the values of {name} on average {format_percent(whole)}"
    if own is None or chosen["strategy"] == "eager":
        return f"Of the variance of {what}, {on_whole} is left."
    n_same = pluralize(first["n_same_value"], "case")
    has = "has" if first["n_same_value"] == 1 else "have"
    return (
        f"Of the variance of {what}, {format_percent(own)} is left among the {n_same} "
        f"that {has} this row's {name}, {on_whole}."
    )


def _describe_neighbors(receipt: Plain) -> str:
    found = receipt["neighbors"]
    n_voting, k = found["n_voting"], found["k"]
    nearer = ", weighted by distance" if weighs_by_distance(receipt) else ""
    if n_voting == 1:
        return "The answer is the target of the nearest case."
    ties = ""
    if n_voting > k:
        shared = receipt["settings"].get("ties") == "share"
        how = ", which they share" if shared else ""
        ties = (
            f" There are more than {k}, because {found['n_tied']} are tied for "
            f"the {ordinal(k)} place{how}, and ties are not broken at random."
        )
    if receipt["answers_by_n_attributes"]:
        return f"With all attributes, {n_voting} cases are nearest.{ties}"
    return (
        f"The answer is the mean of the {n_voting} nearest cases' targets{nearer}; "
        f"these range from {format_number(found['min'])} to "
        f"{format_number(found['max'])}.{ties}"
    )


def _draw_neighbors(receipt: Plain) -> list[Block]:
    found, used = receipt["neighbors"], used_attributes(receipt["selection"])
    cases, n_more = found["listed"], found["n_voting"] - len(found["listed"])
    layout: dict[str, Any] = {"n_more": n_more, "noun": "nearest cases"}
    return [
        Heading("Nearest cases"),
        Paragraph(describe_comparison(receipt["settings"], used), "soft", "page"),
        draw_cases(
            ["case", "target", "distance", "share", ""],
            "lrrrb",
            {item["name"]: item["value"] for item in used[:_MOST_COLUMNS]},
            [
                Case(_cells(case), case["values"], frozenset(case["differ"]))
                for case in cases
            ],
            shown=_MOST_CASES + 1,
            **layout,
        ),
        Grid(
            ["case", "target", "distance", "share", "differs in"],
            "lrrrl",
            [[*_cells(case)[:-1], _differing(case)] for case in cases],
            shown=_MOST_CASES,
            medium="text",
            **layout,
        ),
    ]


def _cells(case: Plain) -> list[Cell]:
    return [
        format_value(case["id"]),
        format_outcome(case, None),
        format_number(case["distance"]),
        format_percent(case["share"]),
        Bar(case["share"]),
    ]


def _differing(case: Plain) -> str:
    pairs = [
        f"{format_value(name)} ({format_value(case['values'].get(name))})"
        for name in case["differ"]
    ]
    return join(pairs) or "nothing"
