"""Receipts as an HTML page, or as a piece of one for a notebook."""

from collections.abc import Mapping, Sequence
from typing import Any

from sklazy.report.html import render
from sklazy.report.selection_blocks import likely, votes_word
from sklazy.report.selection_words import (
    explain_in_words,
    gain,
    ranked_attributes,
    settings_in_words,
    used_attributes,
)

Plain = Mapping[str, Any]

_MOST_UNUSED = 40  # attributes listed beyond those in use
_MOST_USED = 200
_MOST_COLUMNS = 12  # attributes beside each other in the table of cases
_MOST_CLASSES = 12
_MOST_COMPARED = 6  # classes beside each other


def receipt_page(receipts: Sequence[Plain], title: str = "") -> str:
    """A whole page with all receipts."""
    named = title or ("Receipt" if len(receipts) == 1 else "Receipts")
    return render("receipts_page", title=named, receipts=_views(receipts))


def receipt_fragment(receipts: Sequence[Plain], n_more: int = 0) -> str:
    """Receipts as a piece of HTML; `n_more` is how many are not among them."""
    return render("receipts_piece", receipts=_views(receipts), n_more=n_more)


def _views(receipts: Sequence[Plain]) -> list[dict[str, Any]]:
    return [_view(receipt) for receipt in receipts]


def _view(receipt: Plain) -> dict[str, Any]:
    """What the template draws, besides what the receipt says itself."""
    return {
        "data": receipt,
        "why": explain_in_words(receipt)[1:],
        "settings": settings_in_words(receipt["settings"]),
        "used": [item["name"] for item in used_attributes(receipt["selection"])],
        "votes": _votes(receipt),
        "attributes": _attributes(receipt["selection"]),
        "cases": _cases(receipt) if "neighbors" in receipt else None,
        "likelihoods": _likelihoods(receipt) if "likelihoods" in receipt else None,
    }


def _votes(receipt: Plain) -> dict[str, Any]:
    votes = receipt["votes"]
    shown = likely(votes, _MOST_CLASSES)
    return {
        "rows": [
            {
                **votes[i],
                "width": _percent(votes[i]["probability"]),
                "won": votes[i]["label"] == receipt["answer"],
            }
            for i in shown
        ],
        "n_more": len(votes) - len(shown),
        "word": votes_word(receipt).capitalize(),
    }


def _attributes(selection: Plain) -> dict[str, Any]:
    ranked = ranked_attributes(selection)
    unused = [item["rank"] for item in ranked if not item["used"]]
    last = unused[_MOST_UNUSED] if len(unused) > _MOST_UNUSED else len(ranked) + 1
    shown = [item for item in ranked if item["rank"] < last][
        : _MOST_USED + _MOST_UNUSED
    ]
    place = _ruler(shown)
    rows = [
        {
            **item,
            "bar": place(item["lazy_score"]),
            "tick": place(item["attribute_score"]),
        }
        for item in shown
    ]
    return {"rows": rows, "n_more": len(ranked) - len(shown)}


def _ruler(shown: Sequence[Plain]) -> Any:  # noqa: ANN401 - a function
    """A function from a score to where its bar begins and ends, in percent.

    Bars begin at zero, which is the left end unless scores lie below it.
    """
    keys = ("lazy_score", "attribute_score")
    scores = [item[key] for item in shown for key in keys if item[key] is not None]
    low, high = min([0.0, *scores]), max([0.0, *scores])
    length = (high - low) or 1.0

    def place(score: float | None) -> dict[str, float] | None:
        if score is None:
            return None
        left, right = min(score, 0.0) - low, max(score, 0.0) - low
        return {
            "left": _percent(left / length),
            "width": _percent((right - left) / length),
            "at": _percent((score - low) / length),
        }

    return place


def _percent(share: float) -> float:
    """A share as percent, as short as a style needs it."""
    return round(100.0 * min(max(share, 0.0), 1.0), 2)


def _cases(receipt: Plain) -> dict[str, Any]:
    found = receipt["neighbors"]
    used = used_attributes(receipt["selection"])
    columns = used[:_MOST_COLUMNS]
    names = [item["name"] for item in columns]
    opposing = found["nearest_opposing"]
    return {
        "columns": columns,
        "compared": _compared(receipt["settings"], columns),
        "n_hidden": len(used) - len(columns),
        "n_columns": 3 + len(columns) + (len(used) > len(columns)),
        "rows": [_case(case, names, receipt["answer"]) for case in found["listed"]],
        "opposing": None if opposing is None else _case(opposing, names, None),
        "n_more": max(0, found["n_voting"] - len(found["listed"])),
    }


def _compared(settings: Plain, columns: Sequence[Plain]) -> str:
    """How numbers are compared, if there are some."""
    if all(item["bin"] is None for item in columns):
        return ""
    if settings.get("discretize", True):
        return "Numbers agree where they fall into the same bin."
    return "Numbers agree where they are equal; how far they differ makes the distance."


def _case(case: Plain, names: Sequence[str], answer: object) -> dict[str, Any]:
    differ = set(case["differ"])
    return {
        **case,
        "for_answer": case["class"] == answer,
        "cells": [
            {"value": case["values"].get(name), "differs": name in differ}
            for name in names
        ],
        "hidden_differ": len(differ.difference(names)),
    }


def _likelihoods(receipt: Plain) -> dict[str, Any]:
    """Each attribute's logarithms, and how far it speaks for the answer."""
    votes, told = receipt["votes"], receipt["likelihoods"]
    shown = likely(votes, _MOST_COMPARED)
    rows = [
        {
            "name": "share of the class",
            "own": True,
            "log": [p["log"] for p in told["prior"]],
        },
        *[{**item, "own": False} for item in told["attributes"]],
    ]
    pair = _first_two(receipt)
    gains = [gain(row["log"], *pair) if pair else 0.0 for row in rows]
    largest = max(map(abs, gains)) or 1.0
    return {
        "labels": [votes[i]["label"] for i in shown],
        "runner_up": votes[pair[1]]["label"] if pair else None,
        "rows": [
            {
                **row,
                "log": [row["log"][i] for i in shown],
                "gain": speaks,
                "width": _percent(abs(speaks) / largest / 2),
            }
            for row, speaks in zip(rows, gains, strict=True)
        ],
        "n_more": len(votes) - len(shown),
    }


def _first_two(receipt: Plain) -> tuple[int, int] | None:
    """The positions of the answer and of the most probable other class."""
    votes = receipt["votes"]
    winner = [i for i, item in enumerate(votes) if item["label"] == receipt["answer"]]
    others = [i for i in range(len(votes)) if i not in winner]
    if not winner or not others:
        return None
    return winner[0], max(others, key=lambda i: votes[i]["probability"])
