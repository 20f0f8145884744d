"""What a receipt rests on, whatever its family: attributes that count, and cases."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Plain = Mapping[str, Any]


class Voters(NamedTuple):
    """The cases that an answer rests on.

    Attributes
    ----------
    role : {"voted", "heard", "near", "alike"}
        What they did: voted; were heard by their similarity; were drawn or fitted from
        among others; or nothing, and are the most alike.
    weight : str
        What `weight` of a case is.
    cases : list of dict
        Each with `id`, `distance` and `weight`, either of which may be None.
    number : int
        How many there are; a receipt lists the first ones.
    """

    role: str
    weight: str
    cases: list[dict[str, Any]]
    number: int


def find_voters(receipt: Plain) -> Voters:
    """The cases that a receipt lists; none where its family has none."""
    return _VOTERS.get(receipt["kind"], _of_neighbors)(receipt)


def _of_neighbors(receipt: Plain) -> Voters:
    """The neighbors of any family that has some, with what each counts."""
    near = receipt.get("neighbors", {"listed": []})
    told = {name for one in near["listed"] for name in one}
    weight = next((n for n in ("vote", "share", "weight") if n in told), "")
    role = "voted" if weight in ("vote", "share") else "near"
    return _voters(role, weight, near, weight)


def _of_kernel(receipt: Plain) -> Voters:
    return _voters("heard", "influence", receipt["heard"], "influence")


def _voters(role: str, weight: str, near: Plain, key: str) -> Voters:
    cases = [
        {"id": one["id"], "distance": one.get("distance"), "weight": one.get(key)}
        for one in near["listed"]
    ]
    return Voters(role if cases else "alike", weight, cases, _count(near))


def _count(near: Plain) -> int:
    """How many cases there are, those included that the receipt does not list."""
    keys = ("n_voting", "n_cases", "k")
    told = next((near[key] for key in keys if key in near), 0)
    return max(told, len(near["listed"]))


def _of_local_models(receipt: Plain) -> Voters:
    listed = receipt["neighbors"]["listed"]
    own = receipt["targets"][0]["neighbors"]
    influences = {one["id"]: one["influence"] for one in own}
    cases = [
        {
            "id": one["id"],
            "distance": one["distance"],
            "weight": influences.get(one["id"]),
        }
        for one in listed
    ]
    number = _count(receipt["neighbors"])
    return Voters("near" if cases else "alike", "influence", cases, number)


def _of_members(receipt: Plain) -> Voters:
    """Those of the member that counts most among those that have some."""
    for own in _members(receipt):
        found = find_voters(own)
        if found.cases:
            return found
    return Voters("alike", "", [], 0)


_VOTERS: dict[str, Callable[[Plain], Voters]] = {
    "kernel_models": _of_kernel,
    "local_models": _of_local_models,
    "blends": _of_members,
}


def _members(receipt: Plain) -> list[Plain]:
    """The receipts of the members of a blend, the heaviest first."""
    members = sorted(receipt["members"], key=lambda one: -one["weight"])
    return [one["own"] for one in members if one["own"] is not None and one["weight"]]


def weigh_attributes(receipt: Plain) -> dict[str, float]:
    """How much each attribute counts for the answer; those that do not are left out.

    The largest weight is 1. Empty where the family does not say.
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
    """As the heaviest member has it that says so."""
    found = [own for own in map(_weights, _members(receipt)) if own]
    return found[0] if found else {}


def _weigh_terms(receipt: Plain) -> dict[str, float]:
    return {one["name"]: _most(one["adds"]) for one in receipt["line"]["terms"]}


def _weigh_selection(receipt: Plain) -> dict[str, float]:
    """How far the value's score is from saying nothing; what was used counts a bit."""
    selection = receipt["selection"]
    nothing, best = selection["score_of_nothing"], selection["score_of_class"]
    length = (nothing - best) or 1.0
    return {
        one["name"]: max(0.05, (nothing - one["lazy_score"]) / length)
        if one["lazy_score"] is not None
        else 0.05
        for one in selection["attributes"]
        if one["used"]
    }


def _weigh_steps(receipt: Plain) -> dict[str, float]:
    """Attributes in the order in which they were tested, or joined a rule."""
    steps = receipt.get("steps") or receipt.get("antecedent") or ()
    names = [step["attribute"] for step in steps]
    if receipt["kind"] == "association":
        rules = receipt["rules"]["listed"]
        names = [value["attribute"] for rule in rules for value in rule["values"]]
        return {name: float(names.count(name)) for name in names}
    found = {name: 1.0 - i / (2 * len(names)) for i, name in enumerate(names)}
    likely = receipt.get("likelihoods", {}).get("attributes", ())
    return found | {
        one["name"]: 0.5
        for one in likely
        if any(one["log"]) and one["name"] not in found
    }


def _most(adds: list[float | None]) -> float:
    return max((abs(x) for x in adds if x is not None), default=0.0)


_WEIGHTS: dict[str, Callable[[Plain], dict[str, float]]] = {
    "kernel_models": lambda one: {a["name"]: a["weight"] for a in one["attributes"]},
    "ensembles": lambda one: {a["name"]: a["weight"] for a in one["distance"]},
    "linear_models": _weigh_terms,
    "blends": _weigh_members,
}
