"""A receipt of an ensemble of numbers as text, Markdown and HTML."""

from collections.abc import Mapping, Sequence
from typing import Any

from sklazy.report.blocks import Block, Grid, Heading, Paragraph
from sklazy.report.drawing import make_drawing
from sklazy.report.ensemble_blocks import footer
from sklazy.report.ensemble_page import (
    heaviest_attributes,
    path_steps,
    percent,
    steps_untold,
)
from sklazy.report.ensemble_words import bags_in_words, evidence_in_words, kinds_of
from sklazy.report.selection_words import settings_in_words
from sklazy.report.words import counted, listed, say

Plain = Mapping[str, Any]

_MOST_MEMBERS = 20
_MOST_CASES = 10
_MOST_DRAWN = 100


def explain_numbers(receipt: Plain) -> list[str]:
    """The sentences that say why, the most important first."""
    members, near = receipt["members"], receipt["neighbors"]
    values = [member["value"] for member in members]
    how = _COMBINED.get(receipt["settings"].get("combine"), "mean")
    around = receipt["around"]
    nearest = counted(near["k"], "nearest case") if near["k"] > 1 else "nearest case"
    spread = f", give or take {say(near['deviation'])}" if near["k"] > 1 else ""
    return [
        f"The {how} of {counted(len(members), 'member')} "
        f"({listed(kinds_of(members))}), which say {say(min(values))} to "
        f"{say(max(values))}.",
        bags_in_words(receipt),
        f"The {nearest} had {say(near['mean'])}{' on the mean' if spread else ''}"
        f"{spread}.",
        f"Tried on the nearest {counted(around['n_cases'], 'case')}, members are off "
        f"by {say(around['error'])} (root of the mean square).",
    ]


_COMBINED = {
    "mean": "mean",
    "median": "median",
    "error": "mean, weighted by trust around the row,",
}


def _blocks(receipt: Plain) -> list[Block]:
    return [
        Heading(f"Answer: {say(receipt['answer'])}", 1),
        Paragraph(" ".join(explain_numbers(receipt))),
        *_members(receipt["members"]),
        *_neighbors(receipt["neighbors"]),
        *footer(receipt),
    ]


def _members(members: Sequence[Plain]) -> list[Block]:
    shown = members[:_MOST_MEMBERS]
    rows = [
        [
            str(member["bag"] + 1),
            say(member["name"]),
            say(member["value"]),
            evidence_in_words(member, []),
        ]
        for member in shown
    ]
    title = f"Members ({len(shown)} of {len(members)})"
    header = ["bag", "member", "says", "because of"]
    return [Heading(title), Grid(header, rows, "rlrl", wraps=True)]


def _neighbors(found: Plain) -> list[Block]:
    shown = found["listed"][:_MOST_CASES]
    rows = [
        [say(case["id"]), say(case["target"]), f"{case['distance']:.4g}"]
        for case in shown
    ]
    title = f"Nearest cases ({len(shown)} of {found['k']})"
    return [Heading(title), Grid(["case", "target", "distance"], rows, "rrr")]


def _view(receipt: Plain) -> dict[str, Any]:
    """What the template draws, besides what the receipt says itself."""
    members, near = receipt["members"], receipt["neighbors"]
    place = _ruler([*[m["value"] for m in members], receipt["answer"]])
    rows = [
        {
            **member,
            "number": member["bag"] + 1,
            "at": place(member["value"]),
            "steps": path_steps(member["evidence"]),
            "more_steps": steps_untold(member["evidence"]),
            "words": evidence_in_words(member, []),
        }
        for member in members[:_MOST_DRAWN]
    ]
    return {
        "data": receipt,
        "why": explain_numbers(receipt),
        "settings": settings_in_words(receipt["settings"]),
        "members": {"rows": rows, "n_more": len(members) - len(rows)},
        "answer_at": place(receipt["answer"]),
        "weighted": len({member["weight"] for member in members}) > 1,
        "cases": {"rows": near["listed"], "n_more": near["k"] - len(near["listed"])},
        "weights": heaviest_attributes(receipt),
    }


def _ruler(values: Sequence[float]) -> Any:  # noqa: ANN401 - a function
    """A function from a value to its place between the least and the most."""
    low, high = min(values), max(values)

    def place(value: float) -> float:
        return percent((value - low) / (high - low)) if high > low else 50.0

    return place


NUMBERS = make_drawing(_blocks, _view, "numbers")
"""How receipts of ensembles of numbers are shown."""
