"""Optional contents of receipts, beside the answer."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

_WAY = ("coverage", "method", "by")


class Wanted(NamedTuple):
    """Contents requested beside the answer; see `LazyEstimator.explain`."""

    coverage: float | None = None
    method: str = "jackknife"
    by: str | None = None
    accuracy: float | None = None
    suggest: bool = False
    costs: Mapping[str, float] | ArrayLike | None = None
    reasons: bool = False
    detail: str = "full"


def wanted_by(content: Mapping[str, Any]) -> Wanted:
    """The request that leads to the content of a receipt."""
    cover = content.get("prediction_set") or content.get("prediction_interval") or {}
    way = {key: cover[key] for key in _WAY if key in cover}
    return Wanted(
        **way,
        accuracy=content.get("abstention", {}).get("accuracy"),
        suggest="next_attribute" in content,
        costs=_claimed_costs(content),
        reasons="reasons" in content,
        detail=content.get("detail", "full"),
    )


def _claimed_costs(content: Mapping[str, Any]) -> dict[str, float] | None:
    """The costs that a suggestion names, those of missing attributes; 1 elsewhere."""
    if "next_attribute" not in content:
        return None
    ranked = content["next_attribute"]["ranked"]
    named = {item["attribute"]: item["cost"] for item in ranked}
    return {**{item["name"]: 1.0 for item in content["query"]}, **named}
