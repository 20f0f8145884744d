"""Evidence in the receipt of any method: cases for and against, features by size."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

Plain = Mapping[str, Any]

_LEAST = 1e-6  # of the largest contribution; less is rounding


class CaseEvidence(NamedTuple):
    """The cases that a prediction is based on.

    Attributes
    ----------
    role : {"moving", "voted", "weighted", "near", "similar"}
        The cases move the prediction most; voted; were weighted by similarity; a local
        model was fitted to them; or none of it, and they are the most similar ones.
    weight : str
        The meaning of a case's `weight`.
    cases : list of dict
        Each with `id`, `distance` and `weight`; the last two may be None.
    number : int
        The number of cases; a receipt lists the first ones.
    """

    role: str
    weight: str
    cases: list[dict[str, Any]]
    number: int


def find_evidence(receipt: Plain) -> CaseEvidence:
    """The cases that a receipt lists; none if its method has none.

    If the reasons have cases, these: how much each moves the prediction is known.
    """
    moving = (receipt.get("reasons") or {}).get("cases")
    if moving is not None and (moving["listed_for"] or moving["listed_against"]):
        return _of_reasons(moving)
    return _BY_KIND.get(receipt["kind"], _of_neighbors)(receipt)


def _of_reasons(moving: Plain) -> CaseEvidence:
    cases = [
        {"id": one["id"], "distance": None, "weight": one["influence"], "side": side}
        for side in ("for", "against")
        for one in moving[f"listed_{side}"]
    ]
    return CaseEvidence("moving", "moves it by", cases, len(cases))


def _of_neighbors(receipt: Plain) -> CaseEvidence:
    """The neighbors of any method that has some, with their weights."""
    near = receipt.get("neighbors", {"listed": []})
    keys = {name for one in near["listed"] for name in one}
    weight = next((n for n in ("vote", "share", "weight") if n in keys), "")
    role = "voted" if weight in ("vote", "share") else "near"
    return _list_cases(role, weight, near, weight)


def _of_kernel(receipt: Plain) -> CaseEvidence:
    return _list_cases(
        "weighted", "influence", receipt["influential_cases"], "influence"
    )


def _list_cases(role: str, weight: str, near: Plain, key: str) -> CaseEvidence:
    cases = [
        {"id": one["id"], "distance": one.get("distance"), "weight": one.get(key)}
        for one in near["listed"]
    ]
    return CaseEvidence(role if cases else "similar", weight, cases, _count_cases(near))


def _count_cases(near: Plain) -> int:
    """The number of cases, including those that the receipt does not list."""
    keys = ("n_voting", "n_cases", "k")
    number = next((near[key] for key in keys if key in near), 0)
    return max(number, len(near["listed"]))


def _of_local_models(receipt: Plain) -> CaseEvidence:
    listed = receipt["neighbors"]["listed"]
    neighbors = receipt["targets"][0]["neighbors"]
    influences = {one["id"]: one["influence"] for one in neighbors}
    cases = [
        {
            "id": one["id"],
            "distance": one["distance"],
            "weight": influences.get(one["id"]),
        }
        for one in listed
    ]
    number = _count_cases(receipt["neighbors"])
    return CaseEvidence("near" if cases else "similar", "influence", cases, number)


def _of_members(receipt: Plain) -> CaseEvidence:
    """Those of the heaviest member that has some."""
    for member in _members(receipt):
        evidence = find_evidence(member)
        if evidence.cases:
            return evidence
    return CaseEvidence("similar", "", [], 0)


_BY_KIND: dict[str, Callable[[Plain], CaseEvidence]] = {
    "kernel_models": _of_kernel,
    "local_models": _of_local_models,
    "blends": _of_members,
}


def _members(receipt: Plain) -> list[Plain]:
    """The receipts of the members of a blend, the heaviest first."""
    members = sorted(receipt["members"], key=lambda one: -one["weight"])
    return [
        one["receipt"]
        for one in members
        if one["receipt"] is not None and one["weight"]
    ]


# --- reasons --------------------------------------------------------------------------


def weigh_features(receipt: Plain, parts: Mapping[str, list[str]]) -> dict[str, float]:
    """How much each attribute matters for the prediction; the largest weight is 1.

    It is the size of what its feature contributes. Attributes that do not matter are
    left out; none are left if the receipt has no reasons.

    Parameters
    ----------
    receipt : dict
    parts : dict
        The attributes of each feature.
    """
    features = receipt.get("reasons", {}).get("features", ())
    sizes = {one["name"]: abs(one["contribution"]) for one in features}
    most = max(sizes.values(), default=0.0)
    return {
        part: size / most
        for name, size in sizes.items()
        if size > _LEAST * most
        for part in parts.get(name, ())
    }


def split_sides(
    receipt: Plain, evidence: CaseEvidence, targets: Sequence[Any]
) -> CaseEvidence:
    """The cases with the side that each is on, "for" or "against" the prediction.

    Cases that the reasons list are on the side that they move the prediction to. Others
    are for it if they have the same class, or a number that is not lower; a negative
    weight turns this around. Each side is sorted by weight, the heaviest first.

    Parameters
    ----------
    receipt : dict
    evidence : CaseEvidence
    targets : sequence of label or number
        Those of the cases.
    """
    answer = receipt["answer"]
    answer = answer[0] if isinstance(answer, list) else answer
    is_class = "votes" in receipt
    cases = []
    for one, target in zip(evidence.cases, targets, strict=True):
        agrees = target == answer if is_class else target >= answer
        is_for = agrees is not ((one["weight"] or 0.0) < 0)
        side = one.get("side", "for" if is_for else "against")
        cases.append({**one, "side": side})
    cases.sort(key=lambda one: (one["side"] == "against", -abs(one["weight"] or 0.0)))
    return evidence._replace(cases=cases)
