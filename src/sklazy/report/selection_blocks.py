"""A receipt as a document for the terminal and for Markdown."""

from collections.abc import Mapping, Sequence
from typing import Any

from sklazy.report.blocks import WIDTH, Block, Grid, Heading, Paragraph
from sklazy.report.blocks import to_markdown as _markdown
from sklazy.report.blocks import to_text as _text
from sklazy.report.selection_words import (
    explain_in_words,
    ranked_attributes,
    settings_in_words,
)
from sklazy.report.words import chance, counted, fixed, listed, say

Plain = Mapping[str, Any]

_MOST_UNUSED = 8  # attributes listed beyond those in use
_MOST_CASES = 10
_MOST_CLASSES = 8
_MOST_COMPARED = 4  # classes side by side
_BAR = 20  # characters


def receipt_text(receipts: Sequence[Plain], width: int = WIDTH) -> str:
    """Receipts as plain text."""
    return "\n\n\n".join(_text(receipt_blocks(one), width) for one in receipts)


def receipt_markdown(receipts: Sequence[Plain]) -> str:
    """Receipts as Markdown."""
    return "\n".join(_markdown(receipt_blocks(one)) for one in receipts)


def receipt_blocks(receipt: Plain) -> list[Block]:
    """One receipt, part by part."""
    answer, probability = say(receipt["answer"]), chance(receipt["probability"])
    blocks: list[Block] = [
        Heading(f"Answer: {answer} (probability {probability})", 1),
        Paragraph(" ".join(explain_in_words(receipt)[1:])),
        *_votes(receipt),
        *_attributes(receipt["selection"]),
    ]
    if "neighbors" in receipt:
        blocks += _neighbors(receipt["neighbors"])
    if "likelihoods" in receipt:
        blocks += _likelihoods(receipt)
    return [*blocks, *_footer(receipt)]


def bar(share: float, width: int = _BAR) -> str:
    """A share of 1 as a bar.

    Examples
    --------
    >>> bar(0.5, 4), bar(0.0, 4)
    ('██', '')
    """
    return "█" * round(min(max(share, 0.0), 1.0) * width)


def likely(votes: Sequence[Plain], most: int) -> list[int]:
    """The positions of the most probable classes, in class order."""
    order = sorted(range(len(votes)), key=lambda i: -votes[i]["probability"])
    return sorted(order[:most])


def votes_word(receipt: Plain) -> str:
    """What is counted for each class."""
    return "log-likelihood" if "likelihoods" in receipt else "votes"


def _votes(receipt: Plain) -> list[Block]:
    votes = receipt["votes"]
    shown = [votes[i] for i in likely(votes, _MOST_CLASSES)]
    rows = [
        [
            say(item["label"]),
            f"{item['votes']:.4g}",
            chance(item["probability"]),
            bar(item["probability"]),
        ]
        for item in shown
    ]
    header = ["class", votes_word(receipt), "probability", ""]
    blocks: list[Block] = [Grid(header, rows, "lrrl")]
    if len(shown) < len(votes):
        left = counted(len(votes) - len(shown), "class", "classes")
        blocks.append(Paragraph(f"{left} less probable not shown."))
    return blocks


def _attributes(selection: Plain) -> list[Block]:
    ranked = ranked_attributes(selection)
    spare = [item for item in ranked if not item["used"]][:_MOST_UNUSED]
    shown = [item for item in ranked if item["used"] or item in spare]
    rows = [
        [
            "*" if item["used"] else "",
            str(item["rank"]),
            say(item["name"]),
            say(item["value"]),
            "" if item["bin"] is None else say(item["bin"]),
            fixed(item["lazy_score"]),
            fixed(item["value_score"]),
            fixed(item["attribute_score"]),
        ]
        for item in shown
    ]
    header = ["", "rank", "attribute", "value", "bin", "score", "of value", "on whole"]
    n_left = len(ranked) - len(shown)
    note = f"; {n_left} more not shown" if n_left else ""
    measure = say(selection["measure"])
    title = f"Attributes (* used; score: {measure}, lower says more{note})"
    return [Heading(title), Grid(header, rows, "lrlllrrr")]


def _neighbors(found: Plain) -> list[Block]:
    shown = found["listed"][:_MOST_CASES]
    rows = [_case(case) for case in shown]
    title = f"Cases that vote ({len(shown)} of {found['n_voting']})"
    header = ["case", "class", "distance", "differs in"]
    blocks: list[Block] = [Heading(title), Grid(header, rows, "rlrl")]
    if found["nearest_opposing"] is not None:
        grid = Grid(header, [_case(found["nearest_opposing"])], "rlrl")
        blocks += [Heading("Nearest case of another class"), grid]
    return blocks


def _case(case: Plain) -> list[str]:
    pairs = [
        f"{say(name)} ({say(case['values'].get(name))})" for name in case["differ"]
    ]
    return [
        say(case["id"]),
        say(case["class"]),
        f"{case['distance']:.4g}",
        listed(pairs) or "nothing",
    ]


def _likelihoods(receipt: Plain) -> list[Block]:
    prior, votes = receipt["likelihoods"]["prior"], receipt["votes"]
    shown = likely(votes, _MOST_COMPARED)
    rows = [["(share of the class)", *[fixed(prior[i]["log"], 2) for i in shown]]] + [
        [say(item["name"]), *[fixed(item["log"][i], 2) for i in shown]]
        for item in receipt["likelihoods"]["attributes"]
    ]
    header = ["attribute", *[say(votes[i]["label"]) for i in shown]]
    title = "Log-likelihoods that add up to the answer"
    return [Heading(title), Grid(header, rows, "l" + "r" * len(shown))]


def _footer(receipt: Plain) -> list[Block]:
    cases = receipt["cases"]
    return [
        Paragraph(
            f"{say(receipt['estimator'])}({settings_in_words(receipt['settings'])}) on "
            f"{cases['n_rows']} cases, sklazy {say(receipt['sklazy'])}."
        ),
        Paragraph(f"Digest: {say(cases['digest'])}"),
        Paragraph(f"Seal:   {say(receipt['seal'])}"),
    ]
