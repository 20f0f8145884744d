"""How sure an answer is, in words: sets, intervals, abstention, novelty."""

from collections.abc import Mapping
from typing import Any

from sklazy.report.article import Plain
from sklazy.report.words import (
    format_class,
    format_number,
    format_percent,
    format_value,
    join,
)


def describe_uncertainty(receipt: Plain) -> list[str]:
    """Describe the set, interval and abstention of a receipt, where it has them."""
    sentences = []
    if "prediction_set" in receipt:
        sentences.append(_describe_set(receipt["prediction_set"]))
    if "prediction_interval" in receipt:
        sentences.append(_describe_interval(receipt["prediction_interval"]))
    if "abstention" in receipt:
        sentences.append(_describe_abstention(receipt["abstention"]))
    return sentences


def _describe_set(cover: Plain) -> str:
    labels = [
        format_class(item["label"]) for item in cover["classes"] if item["in_set"]
    ]
    opening = f"For a coverage of {cover['coverage']:g} the set"
    if not labels:
        share = format_percent(cover["coverage"])
        if cover["by"] == "class":
            why = f"each class is more probable in {share} of its own cases than here"
        else:
            why = f"in {share} of the cases the true class is more probable than any is"
            why += " here"
        return f"{opening} is empty: {why}. So the answer is unsure."
    if len(labels) == len(cover["classes"]) > 1:
        return f"{opening} is full: no class can be ruled out."
    return f"{opening} is {join(labels)}."


def _describe_interval(cover: Plain) -> str:
    parts = [
        f"{format_value(target['name'])} lies between "
        f"{format_number(target['low'])} and {format_number(target['high'])}"
        for target in cover["targets"]
    ]
    return f"For a coverage of {cover['coverage']:g}, {join(parts)}."


def _describe_abstention(abstention: Plain) -> str:
    verdict = "given" if abstention["answered"] else "withheld"
    return (
        f"For an accuracy of {abstention['accuracy']:g} the answer is {verdict}: the "
        f"probability must be at least {format_number(abstention['threshold'])}, which "
        f"{format_percent(abstention['share_answered'])} of the cases reach."
    )


def warn_of_novelty(receipt: Mapping[str, Any]) -> str:
    """A sentence if the query is unlike all cases, else an empty string."""
    if not receipt["novelty"]["unlike"]:
        return ""
    return (
        "This row is unlike all cases: its nearest case is farther away than "
        f"{_cases(receipt)} are from theirs. The answer is a guess, "
        "even if its probability is high."
    )


def describe_novelty(receipt: Mapping[str, Any]) -> str:
    """A line for every receipt."""
    novelty = receipt["novelty"]
    distance = format_number(novelty["distance"])
    if novelty["farther_than"] is None:
        return f"Novelty: nearest case at distance {distance}"
    return (
        f"Novelty: nearest case at distance {distance}, farther away than "
        f"{_cases(receipt)} are from theirs"
    )


def _cases(receipt: Mapping[str, Any]) -> str:
    """The cases that are nearer to each other: all, none, or a percentage."""
    share, n = receipt["novelty"]["farther_than"], receipt["novelty"]["n_compared"]
    which = "the cases" if n == receipt["cases"]["n_rows"] else f"{n} cases compared"
    some = {0: "none", 1: "all"}.get(share, format_percent(share))
    return f"{some} of {which}"
