"""How much receipts reveal about the cases: set by the operator, never by a client.

`none < aggregate < ids < values`. Fields are copied by name, so that a new field of
receipts stays private until it is assigned to a level.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

Plain = dict[str, Any]


class Level(IntEnum):
    """Contents of receipts; each level includes those before it."""

    NONE = 0
    AGGREGATE = 1
    IDS = 2
    VALUES = 3


@dataclass(frozen=True)
class Privacy:
    """The level, and the fewest cases that a figure may be about."""

    level: Level = Level.AGGREGATE
    min_group: int = 5


def reduce_receipt(receipt: Mapping[str, Any], privacy: Privacy) -> Plain:
    """Strip a receipt to what its privacy level allows."""
    if privacy.level >= Level.VALUES:
        return dict(receipt)
    reduced = {key: receipt[key] for key in _ALWAYS if key in receipt}
    if "probability" in reduced:
        reduced["probability"] = rounded(reduced["probability"], privacy)
    reduced["level"] = privacy.level.name.lower()
    # Not whether a value was seen: that would reveal the labels of cases.
    reduced["query"] = [
        {k: one[k] for k in ("name", "value")} for one in receipt["query"]
    ]
    reduced["attributes"] = list(dict.fromkeys(_attributes(receipt)))
    reduced["unlike_all_cases"] = receipt["novelty"]["unlike"]
    voters = list(_cases(receipt))
    reduced["rests_on"] = _count_groups(voters, privacy.min_group)
    if privacy.level >= Level.IDS:
        reduced["cases"] = [_named(case) for case in voters]
    return reduced


_DIGITS = 3
_ALWAYS = ("kind", "sklazy", "estimator", "answer", "probability")


def _named(case: Mapping[str, Any]) -> Plain:
    """A case by its name and outcome, without values, weight and distance."""
    return {key: case[key] for key in ("id", "class", "target") if key in case}


def _count_groups(cases: Sequence[Mapping[str, Any]], least: int) -> Plain:
    """How many cases an answer rests on, and of which classes, if these are enough.

    Where a group is too small, the sum goes with it, from which it would follow.
    """
    counts: dict[Any, int] = {}
    for case in cases:
        if "class" in case:
            counts[case["class"]] = counts.get(case["class"], 0) + 1
    small = len(cases) < least or any(count < least for count in counts.values())
    groups = [
        {"label": label, "cases": count}
        for label, count in sorted(counts.items(), key=lambda pair: str(pair[0]))
        if count >= least
    ]
    return {
        "cases": None if small else len(cases),
        "min_group": least,
        "classes": groups,
    }


def _cases(receipt: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    """The cases that a receipt lists as those the answer rests on."""
    for part in ("neighbors", "influential_cases"):
        held = receipt.get(part)
        if isinstance(held, Mapping):
            yield from held.get("listed", ())
    if receipt.get("kind") == "blends":
        seen = set()
        for member in receipt["members"]:
            for case in _cases(member["receipt"] or {}):
                if case["id"] not in seen:
                    seen.add(case["id"])
                    yield case


def _attributes(receipt: Mapping[str, Any]) -> Iterable[str]:
    """The names of the attributes that the answer rests on, the first ones first."""
    yield from _selected(receipt)
    for part in ("attributes", "distance"):
        held = receipt.get(part)
        if isinstance(held, Sequence):
            by_weight = sorted(held, key=lambda one: -float(one.get("weight") or 0))
            yield from (one["name"] for one in by_weight if one.get("weight"))
    for part in ("steps", "conditions"):
        yield from (one["attribute"] for one in receipt.get(part, ()))
    if isinstance(receipt.get("rules"), Mapping):
        rules = receipt["rules"]["listed"]
        yield from (v["attribute"] for rule in rules for v in rule["values"])
    if isinstance(receipt.get("linear_model"), Mapping):
        yield from (term["name"] for term in receipt["linear_model"]["terms"])
    if receipt.get("kind") == "blends":
        for member in receipt["members"]:
            yield from _attributes(member["receipt"] or {})


def _selected(receipt: Mapping[str, Any]) -> Iterable[str]:
    held = receipt.get("selection")
    if isinstance(held, Mapping):
        used = [one for one in held["attributes"] if one["used"]]
        yield from (one["name"] for one in sorted(used, key=lambda one: one["rank"]))


def reduce_suggestion(content: Mapping[str, Any], privacy: Privacy) -> Plain:
    """Strip a suggestion to its privacy level: values of cases only at the top."""
    if privacy.level >= Level.VALUES:
        return dict(content)
    kept = ("attribute", "answer", "unit")
    reduced = {key: content[key] for key in kept}
    if content["probability"] is not None:
        reduced["probability"] = rounded(content["probability"], privacy)
    reduced["ranked"] = [
        {key: rounded(value, privacy) for key, value in one.items()}
        for one in content["ranked"]
    ]
    return reduced


def rounded(figure: Any, privacy: Privacy) -> Any:  # noqa: ANN401 - whatever it is
    """A figure that depends on cases, in three digits below the level of ids.

    Votes may go by distance: a probability in full reveals a distance in full, and so
    whether the very row that was asked about is a case.

    Examples
    --------
    >>> rounded([0.98387097, 0.01612903], Privacy())
    [0.984, 0.016]
    """
    if privacy.level >= Level.IDS:
        return figure
    if isinstance(figure, list):
        return [rounded(one, privacy) for one in figure]
    return round(figure, _DIGITS) if isinstance(figure, float) else figure
