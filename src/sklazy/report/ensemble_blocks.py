"""A receipt of an ensemble as a document for the terminal and for Markdown."""

from collections.abc import Mapping
from typing import Any

from sklazy.report.blocks import Block, Grid, Heading, Paragraph
from sklazy.report.ensemble_words import (
    evidence_in_words,
    explain_ensemble,
    share_of_vote,
)
from sklazy.report.selection_blocks import bar, likely
from sklazy.report.selection_words import settings_in_words
from sklazy.report.words import chance, counted, say

Plain = Mapping[str, Any]

_MOST_MEMBERS = 20
_MOST_CASES = 10
_MOST_CLASSES = 8


def ensemble_blocks(receipt: Plain) -> list[Block]:
    """One receipt, part by part."""
    answer, probability = say(receipt["answer"]), chance(receipt["probability"])
    return [
        Heading(f"Answer: {answer} (share {probability})", 1),
        Paragraph(" ".join(filter(None, explain_ensemble(receipt)))),
        *_votes(receipt),
        *_members(receipt),
        *_neighbors(receipt),
        *footer(receipt),
    ]


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
    blocks: list[Block] = [Grid(["class", "votes", "share", ""], rows, "lrrl")]
    if len(shown) < len(votes):
        left = counted(len(votes) - len(shown), "class", "classes")
        blocks.append(Paragraph(f"{left} of smaller share not shown."))
    return blocks


def _members(receipt: Plain) -> list[Block]:
    members = receipt["members"]
    labels = [item["label"] for item in receipt["votes"]]
    shown = members[:_MOST_MEMBERS]
    rows = [
        [
            str(member["bag"] + 1),
            say(member["name"]),
            say(member["vote"]),
            share_of_vote(member, labels),
            evidence_in_words(member, labels),
        ]
        for member in shown
    ]
    title = f"Members ({len(shown)} of {len(members)})"
    header = ["bag", "member", "votes for", "with", "because of"]
    return [Heading(title), Grid(header, rows, "rllrl", wraps=True)]


def _neighbors(receipt: Plain) -> list[Block]:
    found = receipt["neighbors"]
    shown = found["listed"][:_MOST_CASES]
    rows = [
        [say(case["id"]), say(case["class"]), f"{case['distance']:.4g}"]
        for case in shown
    ]
    title = f"Nearest cases ({len(shown)} of {found['k']})"
    return [Heading(title), Grid(["case", "class", "distance"], rows, "rlr")]


def footer(receipt: Plain) -> list[Block]:
    """Who said so, of which cases, under which seal."""
    cases = receipt["cases"]
    return [
        Paragraph(
            f"{say(receipt['estimator'])}({settings_in_words(receipt['settings'])}) on "
            f"{cases['n_rows']} cases, sklazy {say(receipt['sklazy'])}."
        ),
        Paragraph(f"Digest: {say(cases['digest'])}"),
        Paragraph(f"Seal:   {say(receipt['seal'])}"),
    ]
