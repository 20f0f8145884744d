"""How new a query is, in words."""

from collections.abc import Mapping
from typing import Any

from sklazy.report.words import format_number, format_percent


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
