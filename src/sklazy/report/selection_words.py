"""Why a receipt's answer is what it is, in sentences."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sklazy.report.words import chance, counted, listed, ordinal, say, say_class

Plain = Mapping[str, Any]

_CHOSEN = {
    "lazy": "say most about the class for this row's own values",
    "eager": "say most about the class on the whole",
    "lazy-cfs": "say most about the class for this row's own values, and little twice",
    "lazy-consistency": "together single out cases of one class like this row",
}
_COUNTED = {
    "auto": "a number found by leave-one-out over all cases",
    "local": "a number found by leave-one-out over the cases near this row",
}


def explain_in_words(receipt: Plain) -> list[str]:
    """The sentences that say why, the most important first."""
    said = [_opening(receipt), _selection(receipt["selection"])]
    if receipt["selection"]["rule"] == "vote":
        said.append(_counts_that_voted(receipt))
    elif "neighbors" in receipt:
        said += _neighbors(receipt)
    if "likelihoods" in receipt:
        said.append(_likelihoods(receipt))
    if "model" in receipt:
        said.append(_model(receipt["model"]))
    return [sentence for sentence in said if sentence]


def settings_in_words(settings: Plain) -> str:
    """Parameters as one would write them, shortened."""
    return ", ".join(
        f"{say(name)}={_setting(value)}" for name, value in settings.items()
    )


def _setting(value: object) -> str:
    return say(repr(value) if isinstance(value, str | None) else value)


def used_attributes(selection: Plain) -> list[Plain]:
    """The attributes in use, the first in rank first."""
    return [item for item in ranked_attributes(selection) if item["used"]]


def ranked_attributes(selection: Plain) -> list[Plain]:
    """All attributes, the first in rank first."""
    return sorted(selection["attributes"], key=lambda item: item["rank"])


def _opening(receipt: Plain) -> str:
    return (
        f"The answer is {say_class(receipt['answer'])}, with probability "
        f"{chance(receipt['probability'])}."
    )


def _selection(selection: Plain) -> str:
    used, n_all = used_attributes(selection), len(selection["attributes"])
    if selection["strategy"] == "none":
        return f"All {counted(n_all, 'attribute')} count; none was selected."
    if selection["rule"] == "vote":
        return (
            f"The first attribute in rank, the first two, and so on up to all {n_all} "
            f"had a vote each; first come {listed([say(i['name']) for i in used])}."
        )
    if len(used) == n_all:
        first = listed([say(item["name"]) for item in used])
        return f"All {counted(n_all, 'attribute')} count; first in rank: {first}."
    reason = _CHOSEN.get(selection["strategy"], "were selected")
    number = _COUNTED.get(selection["rule"])
    return (
        f"Of {counted(n_all, 'attribute')}, {listed([_cell(item) for item in used])} "
        f"{reason if len(used) != 1 else reason.replace('say', 'says', 1)}"
        f"{f' ({number})' if number else ''}; the others were disregarded for this row."
    )


def _cell(attribute: Plain) -> str:
    """An attribute with the value or bin that made it count."""
    name, value = say(attribute["name"]), attribute["value"]
    if value is None:
        return f"{name} (missing)"
    if attribute["bin"] is not None:
        return f"{name} {_interval(say(attribute['bin']))}"
    return f"{name} = {say(value)}"


def _interval(text: str) -> str:
    """An interval as one would say it.

    Examples
    --------
    >>> _interval("(-inf, 2.5]"), _interval("(2.5, inf)"), _interval("(1, 2.5]")
    ('up to 2.5', 'above 2.5', 'in (1, 2.5]')
    """
    low, _, high = text[1:-1].partition(", ")
    if low == "-inf":
        return "anywhere" if high == "inf" else f"up to {high}"
    return f"above {low}" if high == "inf" else f"in {text}"


def _counts_that_voted(receipt: Plain) -> str:
    total = sum(item["votes"] for item in receipt["votes"])
    rest = _votes_for_others(receipt)
    others = f", {listed(rest)}" if rest else ""
    return (
        f"Of {counted(total, 'vote')}, {_votes_for_answer(receipt):g} are for "
        f"{say_class(receipt['answer'])}{others}."
    )


def _votes_for_answer(receipt: Plain) -> float:
    return sum(
        item["votes"] for item in receipt["votes"] if item["label"] == receipt["answer"]
    )


def _votes_for_others(receipt: Plain) -> list[str]:
    return [
        f"{item['votes']:g} {say_class(item['label'])}"
        for item in receipt["votes"]
        if item["label"] != receipt["answer"] and item["votes"]
    ]


def _neighbors(receipt: Plain) -> list[str]:
    found = receipt["neighbors"]
    return [_who_votes(found), _how_votes_fall(receipt), _opposing(found)]


def _who_votes(found: Plain) -> str:
    voting, tied = counted(found["n_voting"], "case"), f"{found['n_tied']} are"
    if found["n_tied"] == found["n_voting"]:
        tied = "all are"
    verb = "votes" if found["n_voting"] == 1 else "vote"
    sentence = f"The {voting} nearest to it {verb}"
    if found["n_voting"] > found["k"]:
        return (
            f"{sentence}: more than {found['k']}, since {tied} equally far at "
            f"the {ordinal(found['k'])} place, and no tie is broken by chance."
        )
    return f"{sentence}{_agreement(found)}."


def _agreement(found: Plain) -> str:
    if not found["listed"] or found["distance_of_last"] != 0:
        return ""
    return "; they equal it in every attribute used"


def _how_votes_fall(receipt: Plain) -> str:
    votes, answer = receipt["votes"], receipt["answer"]
    total = sum(item["votes"] for item in votes)
    won = _votes_for_answer(receipt)
    if total and won == total:
        return f"All of them are {say_class(answer)}."
    best = max(item["votes"] for item in votes)
    level = [say_class(item["label"]) for item in votes if item["votes"] == best]
    if len(level) > 1:
        return (
            f"{listed(level)} have {counted(best, 'vote')} each; the class with more "
            "cases on the whole is the answer."
        )
    others = listed(_votes_for_others(receipt))
    return f"{won:g} of them are {say_class(answer)}, {others}."


def _opposing(found: Plain) -> str:
    case = found["nearest_opposing"]
    if case is None:
        return ""
    differs = listed([say(name) for name in case["differ"]])
    where = f"differs in {differs}" if differs else "differs in no attribute used"
    return (
        f"The nearest case of another class, {say(case['id'])} "
        f"({say_class(case['class'])}), {where}."
    )


def _likelihoods(receipt: Plain) -> str:
    """The attribute that speaks loudest for the answer against the runner-up."""
    labels = [item["label"] for item in receipt["votes"]]
    if len(labels) < 2 or receipt["answer"] not in labels:
        return ""
    winner = labels.index(receipt["answer"])
    others = [i for i in range(len(labels)) if i != winner]
    second = max(others, key=lambda i: receipt["votes"][i]["probability"])
    speaking = strongest(receipt["likelihoods"]["attributes"], winner, second)
    if not speaking:
        return "No attribute speaks for it; the classes' shares decide."
    name, log = speaking[0]
    return (
        f"{say(name)} speaks loudest: its value is {_times(log)} as likely under "
        f"{say_class(labels[winner])} as under {say_class(labels[second])}, the "
        "runner-up."
    )


def strongest(
    attributes: Sequence[Plain], winner: int, second: int
) -> list[tuple[str, float]]:
    """What speaks for one class against another, loudest first, in logarithms."""
    told = [(item["name"], gain(item["log"], winner, second)) for item in attributes]
    return sorted((item for item in told if item[1] > 0), key=lambda item: -item[1])


def gain(logs: Sequence[float | None], winner: int, second: int) -> float:
    """How far logarithms speak for one class against another; 0 if one is unknown."""
    first, other = logs[winner], logs[second]
    return 0.0 if first is None or other is None else first - other


def _times(log: float) -> str:
    return f"{math.exp(log):.3g} times" if log < 700 else "infinitely many times"


def _model(model: Plain) -> str:
    return (
        f"A model ({say(model['estimator'])}) fitted on these attributes alone gave "
        f"the answer, one of {counted(model['n_models_in_batch'], 'model')} that the "
        "batch needed."
    )
