"""The principal reasons of an answer, for the person it is about."""

from collections.abc import Collection, Iterable, Sequence

from sklazy.report.amounts import find_least, format_cell, format_output
from sklazy.report.article import Plain
from sklazy.report.reasons import WORTH_NAMING, name_target, write_base
from sklazy.report.words import format_value, join

_MOST_NAMED = 4
_NOTHING = "None of the facts given changes it noticeably."
_AGAINST = "These speak against it, but not enough to change it"


def write_letter(receipt: Plain, hide: Collection[str] = ()) -> str:
    """The principal reasons for a customer: no ids and no values of others."""
    reasons = receipt["reasons"]
    answer = format_output(receipt, reasons["answer"])
    result = "result"
    if "votes" in receipt:
        answer = f"{_name_class(receipt)}, {answer}"
    elif named := name_target(receipt):
        result = f"predicted {named}"
    parts = _lead_sides(receipt, *_choose_sides(receipt, hide))
    sentences = [f"{lead}: {join(_name(side), 9)}." for lead, side in parts if side]
    if not _find_worth(receipt):
        sentences = [_NOTHING]
    return " ".join([f"The {result} is {answer} ({write_base(receipt)}).", *sentences])


def _name_class(receipt: Plain) -> str:
    """The class that is predicted, after the name of what it is a class of.

    Examples
    --------
    >>> _name_class({"cases": {"target": "fraud"}, "reasons": {"of": False}})
    'fraud: no'
    """
    label, target = receipt["reasons"]["of"], name_target(receipt)
    word = ("yes" if label else "no") if isinstance(label, bool) else None
    return f"{target}: {word or format_value(label)}" if target else format_value(label)


def _find_worth(receipt: Plain) -> list[Plain]:
    """The features that matter; where the answer reads as the base, those that show."""
    reasons = receipt["reasons"]
    features, base, answer = reasons["features"], reasons["base"], reasons["answer"]
    worth = WORTH_NAMING * sum(abs(f["contribution"]) for f in features)
    shown = [f for f in features if abs(f["contribution"]) > worth]
    if format_output(receipt, base) != format_output(receipt, answer):
        return shown
    least = find_least(receipt)
    return [f for f in shown if abs(f["contribution"]) >= least]


def _choose_sides(
    receipt: Plain, hide: Collection[str]
) -> tuple[Sequence[Plain], Sequence[Plain]]:
    """The leading features that move the answer as it moved, and those of the others.

    Of the others, those that add as much as the last of the leading ones; all leading
    ones where a class is predicted that features speak against.
    """
    reasons = receipt["reasons"]
    is_lower = reasons["answer"] < reasons["base"]
    shown = [f for f in _find_worth(receipt) if f["name"] not in hide]
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
