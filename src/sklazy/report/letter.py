"""The principal reasons of an answer, for the person it is about."""

from collections.abc import Collection, Iterable, Sequence

from sklazy.report.amounts import format_cell, format_output
from sklazy.report.article import Plain
from sklazy.report.reasons import WORTH_NAMING, name_target, write_base
from sklazy.report.words import format_value, join

_MOST_NAMED = 4
_AGAINST = "These speak against it, but not enough to change it"


def write_letter(receipt: Plain, hide: Collection[str] = ()) -> str:
    """The principal reasons for a customer: no ids and no values of others."""
    reasons = receipt["reasons"]
    answer = format_output(receipt, reasons["answer"])
    result = "result"
    if "votes" in receipt:
        answer = f"{format_value(reasons['of'])}, {answer}"
    elif named := name_target(receipt):
        result = f"predicted {named}"
    parts = _lead_sides(receipt, *_choose_sides(receipt, hide))
    sentences = [f"{lead}: {join(_name(side), 9)}." for lead, side in parts if side]
    return " ".join([f"The {result} is {answer} ({write_base(receipt)}).", *sentences])


def _choose_sides(
    receipt: Plain, hide: Collection[str]
) -> tuple[Sequence[Plain], Sequence[Plain]]:
    """The leading features that move the answer as it moved, and those of the others.

    Of the others, those that add as much as the last of the leading ones; all leading
    ones where a class is predicted that features speak against.
    """
    reasons = receipt["reasons"]
    is_lower = reasons["answer"] < reasons["base"]
    worth = WORTH_NAMING * sum(abs(f["contribution"]) for f in reasons["features"])
    named = [f for f in reasons["features"] if f["name"] not in hide]
    shown = [f for f in named if abs(f["contribution"]) > worth]
    along = [f for f in shown if (f["contribution"] < 0) is is_lower][:_MOST_NAMED]
    is_opposed = is_lower and "votes" in receipt
    sizes = [0.0] if is_opposed else [abs(f["contribution"]) for f in along]
    least = min(sizes, default=0.0)
    other = [f for f in shown if (f["contribution"] < 0) is not is_lower]
    return along, [f for f in other if abs(f["contribution"]) >= least][:_MOST_NAMED]


def _lead_sides(
    receipt: Plain, along: Sequence[Plain], other: Sequence[Plain]
) -> list[tuple[str, Sequence[Plain]]]:
    """The features of both sides with the words before them."""
    is_lower = receipt["reasons"]["answer"] < receipt["reasons"]["base"]
    if "votes" not in receipt:
        leads = ("lower", "raise") if is_lower else ("higher", "lower")
        why = f"The principal reasons why it is {leads[0]} are"
        return [(why, along), (f"These {leads[1]} it", other)]
    if not is_lower:
        return [("The principal reasons are", along), ("These speak against it", other)]
    return [(_AGAINST, along), ("These speak for it", other)]


def _name(features: Iterable[Plain]) -> list[str]:
    return [f"{format_value(f['name'])} is {format_cell(f)}" for f in features]
