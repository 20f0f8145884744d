"""Receipts of ensembles as an HTML page, or as a piece of one for a notebook."""

from collections.abc import Mapping
from typing import Any

from sklazy.report.ensemble_words import (
    evidence_in_words,
    explain_ensemble,
    share_of_vote,
    step_in_words,
)
from sklazy.report.selection_blocks import likely
from sklazy.report.selection_words import settings_in_words
from sklazy.report.words import fixed

Plain = Mapping[str, Any]

_MOST_MEMBERS = 100
_MOST_CLASSES = 12
_MOST_WEIGHTS = 30


def ensemble_view(receipt: Plain) -> dict[str, Any]:
    """What the template draws, besides what the receipt says itself."""
    return {
        "data": receipt,
        "why": [sentence for sentence in explain_ensemble(receipt) if sentence],
        "settings": settings_in_words(receipt["settings"]),
        "votes": _votes(receipt),
        "members": _members(receipt),
        "cases": _cases(receipt),
        "weights": heaviest_attributes(receipt),
        "measures": _measures(receipt["diversity"]),
    }


def _votes(receipt: Plain) -> dict[str, Any]:
    votes = receipt["votes"]
    shown = likely(votes, _MOST_CLASSES)
    rows = [
        {
            **votes[i],
            "width": percent(votes[i]["probability"]),
            "won": votes[i]["label"] == receipt["answer"],
        }
        for i in shown
    ]
    return {"rows": rows, "n_more": len(votes) - len(shown)}


def _members(receipt: Plain) -> dict[str, Any]:
    labels = [item["label"] for item in receipt["votes"]]
    heaviest = max((member["weight"] for member in receipt["members"]), default=1.0)
    rows = [
        {
            **member,
            "number": member["bag"] + 1,
            "for_answer": member["vote"] == receipt["answer"],
            "with": share_of_vote(member, labels),
            "steps": path_steps(member["evidence"]),
            "more_steps": steps_untold(member["evidence"]),
            "words": evidence_in_words(member, labels),
        }
        for member in receipt["members"][:_MOST_MEMBERS]
    ]
    weighted = any(member["weight"] != heaviest for member in receipt["members"])
    n_more = len(receipt["members"]) - len(rows)
    return {"rows": rows, "n_more": n_more, "weighted": weighted}


def path_steps(evidence: Plain) -> list[dict[str, Any]] | None:
    """The tests of a path with the weight behind each; None for other members."""
    if evidence["kind"] != "path":
        return None
    return [
        {
            "text": "leaf" if step["attribute"] is None else step_in_words(step),
            "leaf": step["attribute"] is None,
            "weight": f"{step['weight']:.4g}",
            "missing": step["relation"] in ("missing", "no case"),
        }
        for step in evidence["steps"]
    ]


def steps_untold(evidence: Plain) -> int:
    """How many nodes of a path a receipt counts but does not list."""
    return evidence["n_steps"] - len(evidence["steps"]) if "steps" in evidence else 0


def _cases(receipt: Plain) -> dict[str, Any]:
    found = receipt["neighbors"]
    farthest = max([case["distance"] for case in found["listed"]], default=0.0) or 1.0
    rows = [
        {
            **case,
            "for_answer": case["class"] == receipt["answer"],
            "width": percent(case["distance"] / farthest),
        }
        for case in found["listed"]
    ]
    return {"rows": rows, "n_more": found["k"] - len(rows)}


def heaviest_attributes(receipt: Plain) -> dict[str, Any]:
    """What attributes count in the distance, the heaviest first."""
    values = {item["name"]: item["value"] for item in receipt["query"]}
    ordered = sorted(receipt["distance"], key=lambda item: -item["weight"])
    rows = [
        {**item, "value": values[item["name"]], "width": percent(item["weight"])}
        for item in ordered[:_MOST_WEIGHTS]
    ]
    return {"rows": rows, "n_more": len(ordered) - len(rows)}


def _measures(diversity: Plain) -> list[tuple[str, str]]:
    """Names and figures of how far members differ."""
    around = diversity["around"]
    if around is None:
        return []
    told = [("pairs that vote differently here", fixed(diversity["disagreement"]))]
    known = [key for key in _NAMES if around[key] is not None]
    return told + [(_NAMES[key], fixed(around[key])) for key in known]


_NAMES = {
    "accuracy": "members' accuracy around",
    "q_statistic": "Q statistic",
    "disagreement": "disagreement",
    "double_fault": "double fault",
    "kappa": "kappa",
    "entropy": "entropy",
}


def percent(share: float) -> float:
    """A share as percent, as short as a style needs it."""
    return round(100.0 * min(max(share, 0.0), 1.0), 2)
