"""Contributions of features, and influence of cases, as plain data of a receipt."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from sklazy.methods import checks as c
from sklazy.report.dates import with_dates
from sklazy.report.reasons import write_summary

FEWER_CASES = 5
"""Cases listed on each side."""

MOST_CASES = 10
"""Cases listed for an answer where as many are needed to outweigh those against it."""

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
    "member": c.maybe(c.record({"name": c.text, "weight": c.share})),
    "listed_for": c.list_of(c.record(_CASE), MOST_CASES),
    "listed_against": c.list_of(c.record(_CASE), MOST_CASES),
}
_CHANGE = {
    "name": c.text,
    "value": c.cell,
    "unit": c.text,
    "answer": c.label,
    "output": c.number,
}
FIELDS = {
    "of": c.label,
    "base": c.number,
    "answer": c.number,
    "features": c.list_of(c.record(_FEATURE)),
    "cases": c.maybe(c.record(_CASES)),
    "change": c.maybe(c.record(_CHANGE)),
    "enough": c.maybe(c.record({"names": c.list_of(c.text), "output": c.number})),
}
"""Fields of the reasons."""


def add_reasons(
    content: Mapping[str, Any], reasons: Mapping[str, Any]
) -> dict[str, Any]:
    """The content of a receipt with reasons, and opened by a summary of them."""
    whole = {**content, "reasons": reasons}
    return {"summary": write_summary(with_dates(whole)), **whole}


def check_parts(content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Whether reasons, where there are some, add up and fit the answer."""
    yield "summary", ("summary" in content) == ("reasons" in content)
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
        yield "reasons", do_cases_fit(content)


def do_cases_fit(content: Mapping[str, Any]) -> bool:
    """Whether the cases listed for an answer outweigh those listed against it.

    For a number these are the cases that move it the way in which it is off the base.
    """
    cases, reasons = content["reasons"]["cases"], content["reasons"]
    raising, lowering = (
        math.fsum(abs(item["influence"]) for item in cases[side])
        for side in ("listed_for", "listed_against")
    )
    way = 1.0 if "votes" in content else reasons["answer"] - reasons["base"]
    is_ordered = cases["for"] >= 0 >= cases["against"]
    return bool(is_ordered and (not way or (raising - lowering) * way >= 0))
