"""Contributions of features, and influence of cases, as plain data of a receipt."""

from collections.abc import Iterator, Mapping
from typing import Any

from sklazy.methods import checks as c

MOST_CASES = 5
"""Cases listed on each side."""

_FEATURE = {
    "name": c.text,
    "value": c.cell,
    "unit": c.text,
    "contribution": c.number,
    "error": c.number,
}
_CASE = {"id": c.label, "target": c.label, "influence": c.number}
_CASES = {
    "for": c.number,
    "against": c.number,
    "listed_for": c.list_of(c.record(_CASE), MOST_CASES),
    "listed_against": c.list_of(c.record(_CASE), MOST_CASES),
}
FIELDS = {
    "of": c.label,
    "base": c.number,
    "answer": c.number,
    "features": c.list_of(c.record(_FEATURE)),
    "cases": c.maybe(c.record(_CASES)),
}
"""Fields of the reasons."""


def check_parts(content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Whether reasons, where there are some, add up and fit the answer."""
    if "reasons" not in content:
        return
    reasons = content["reasons"]
    values = [item["contribution"] for item in reasons["features"]]
    sizes = [abs(value) for value in values]
    rest = reasons["base"] + sum(values) - reasons["answer"]
    scale = max([1.0, abs(reasons["answer"]), abs(reasons["base"]), *sizes])
    yield "reasons", abs(rest) <= 1e-8 * scale
    yield "reasons", sizes == sorted(sizes, reverse=True)
    if "votes" in content:
        yield "reasons", c.same(reasons["of"], content["answer"])
    if reasons["cases"] is not None:
        cases = reasons["cases"]
        yield "reasons", cases["for"] >= 0 >= cases["against"]
