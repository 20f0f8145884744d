"""How much receipts tell of the cases: set by the operator, never by a client.

`none < aggregate < ids < values`. What a level adds is taken from the receipt by name,
so that a new field of receipts is not told before somebody has thought about it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

Plain = dict[str, Any]


class Level(IntEnum):
    """What receipts tell; each level includes those before it."""

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
    """What of a receipt may be told."""
    if privacy.level >= Level.VALUES:
        return dict(receipt)
    told = {key: receipt[key] for key in _ALWAYS if key in receipt}
    if "probability" in told:
        told["probability"] = rounded(told["probability"], privacy)
    told["level"] = privacy.level.name.lower()
    # Not whether a value was seen: that would say what labels cases have.
    told["query"] = [{k: one[k] for k in ("name", "value")} for one in receipt["query"]]
    told["attributes"] = list(dict.fromkeys(_attributes(receipt)))
    told["unlike_all_cases"] = receipt["novelty"]["unlike"]
    voters = list(_cases(receipt))
    told["rests_on"] = _count_groups(voters, privacy.min_group)
    if privacy.level >= Level.IDS:
        told["cases"] = [_named(case) for case in voters]
    return told


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
        "fewest_told": least,
        "classes": groups,
    }


def _cases(receipt: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    """The cases that a receipt lists as those the answer rests on."""
    for part in ("neighbors", "heard"):
        held = receipt.get(part)
        if isinstance(held, Mapping):
            yield from held.get("listed", ())
    if receipt.get("kind") == "blends":
        seen = set()
        for member in receipt["members"]:
            for case in _cases(member["own"] or {}):
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
    for part in ("steps", "antecedent"):
        yield from (one["attribute"] for one in receipt.get(part, ()))
    if isinstance(receipt.get("rules"), Mapping):
        rules = receipt["rules"]["listed"]
        yield from (v["attribute"] for rule in rules for v in rule["values"])
    if isinstance(receipt.get("line"), Mapping):
        yield from (term["name"] for term in receipt["line"]["terms"])
    if receipt.get("kind") == "blends":
        for member in receipt["members"]:
            yield from _attributes(member["own"] or {})


def _selected(receipt: Mapping[str, Any]) -> Iterable[str]:
    held = receipt.get("selection")
    if isinstance(held, Mapping):
        used = [one for one in held["attributes"] if one["used"]]
        yield from (one["name"] for one in sorted(used, key=lambda one: one["rank"]))


def reduce_suggestion(content: Mapping[str, Any], privacy: Privacy) -> Plain:
    """What of a suggestion may be told: values that cases have only at the top."""
    if privacy.level >= Level.VALUES:
        return dict(content)
    kept = ("attribute", "answer", "unit")
    told = {key: content[key] for key in kept}
    if content["probability"] is not None:
        told["probability"] = rounded(content["probability"], privacy)
    told["ranked"] = [
        {key: rounded(value, privacy) for key, value in one.items()}
        for one in content["ranked"]
    ]
    return told


def rounded(figure: Any, privacy: Privacy) -> Any:  # noqa: ANN401 - whatever it is
    """A figure that depends on cases, in three digits below the level of ids.

    Votes may go by distance: a probability in full tells a distance in full, and so
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
