"""Evidence in the receipt of any method: cases, and weights of features."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Plain = Mapping[str, Any]


class CaseEvidence(NamedTuple):
    """The cases that a prediction is based on.

    Attributes
    ----------
    role : {"voted", "weighted", "near", "similar"}
        The cases voted; were weighted by similarity; a local model was fitted to them;
        or none of it, and they are the most similar ones.
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
    """The cases that a receipt lists; none if its method has none."""
    return _BY_KIND.get(receipt["kind"], _of_neighbors)(receipt)


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


def feature_weights(receipt: Plain) -> dict[str, float]:
    """How much each feature matters for the prediction; the largest weight is 1.

    Features that do not matter are left out. Empty if the method has no weights.
    """
    weights = {name: abs(w) for name, w in _weights(receipt).items() if w}
    most = max(weights.values(), default=0.0)
    return {name: w / most for name, w in weights.items()} if most > 0 else {}


def _weights(receipt: Plain) -> dict[str, float]:
    if "selection" in receipt:
        return _weigh_selection(receipt)
    if "coefficients" in receipt:
        return dict(receipt["coefficients"])
    return _WEIGHTS.get(receipt["kind"], _weigh_steps)(receipt)


def _weigh_members(receipt: Plain) -> dict[str, float]:
    """Weights of the heaviest member that has any."""
    return next(filter(None, map(_weights, _members(receipt))), {})


def _weigh_terms(receipt: Plain) -> dict[str, float]:
    return {
        one["name"]: _most(one["contributions"])
        for one in receipt["linear_model"]["terms"]
    }


def _weigh_selection(receipt: Plain) -> dict[str, float]:
    """Distance of each used value's score from an uninformative one, at least 0.05."""
    selection = receipt["selection"]
    nothing, best = selection["score_if_uninformative"], selection["score_if_perfect"]
    length = (nothing - best) or 1.0
    return {
        one["name"]: max(0.05, (nothing - one["lazy_score"]) / length)
        if one["lazy_score"] is not None
        else 0.05
        for one in selection["attributes"]
        if one["used"]
    }


def _weigh_steps(receipt: Plain) -> dict[str, float]:
    """Features in the order in which they were tested, or joined a rule."""
    steps = receipt.get("steps") or receipt.get("conditions") or ()
    names = [step["attribute"] for step in steps]
    if receipt["kind"] == "association":
        rules = receipt["rules"]["listed"]
        names = [value["attribute"] for rule in rules for value in rule["values"]]
        return {name: float(names.count(name)) for name in names}
    weights = {name: 1.0 - i / (2 * len(names)) for i, name in enumerate(names)}
    likely = receipt.get("likelihoods", {}).get("attributes", ())
    return {one["name"]: 0.5 for one in likely if any(one["log"])} | weights


def _most(adds: list[float | None]) -> float:
    return max((abs(x) for x in adds if x is not None), default=0.0)


_WEIGHTS: dict[str, Callable[[Plain], dict[str, float]]] = {
    "kernel_models": lambda one: {a["name"]: a["weight"] for a in one["attributes"]},
    "ensembles": lambda one: {a["name"]: a["weight"] for a in one["distance"]},
    "linear_models": _weigh_terms,
    "blends": _weigh_members,
}
