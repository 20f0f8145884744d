"""Why an ensemble answered as it did, in sentences."""

from collections.abc import Mapping, Sequence
from typing import Any

from sklazy.report.words import chance, counted, fixed, listed, say, say_class

Plain = Mapping[str, Any]

_KINDS = {
    "tree": "trees",
    "bayes": "naive Bayes",
    "neighbors": "nearest neighbors",
    "linear": "linear models",
    "rule": "one rule",
}
_BELOW_ALL = 1e-12


def explain_ensemble(receipt: Plain) -> list[str]:
    """The sentences that say why, the most important first."""
    return [
        _how_votes_fall(receipt),
        bags_in_words(receipt),
        _around(receipt["neighbors"]),
        _differences(receipt["diversity"]),
    ]


def _how_votes_fall(receipt: Plain) -> str:
    members, answer = receipt["members"], receipt["answer"]
    own = [m for m in members if m["vote"] == answer]
    kinds = listed(kinds_of(members))
    if len(own) == len(members):
        everyone = "The only member votes" if len(own) == 1 else "All members vote"
        return f"{everyone} for {say_class(answer)} ({kinds})."
    others = [
        f"{_votes_for(members, item['label'])} for {say_class(item['label'])}"
        for item in receipt["votes"]
        if item["label"] != answer and _votes_for(members, item["label"])
    ]
    return (
        f"Of {len(members)} members ({kinds}), {len(own)} vote for "
        f"{say_class(answer)}, {listed(others)}.{_decided(receipt)}"
    )


def _decided(receipt: Plain) -> str:
    """What besides the count of votes decided."""
    how = receipt["settings"].get("combine")
    if how == "accuracy":
        return " Votes count by the accuracy of their members around the row."
    if how == "probability":
        return " The mean of their probabilities decides."
    best = max(item["votes"] for item in receipt["votes"])
    if sum(item["votes"] >= best - _BELOW_ALL for item in receipt["votes"]) > 1:
        return " The tie goes to the class with more of the neighbors."
    return ""


def _votes_for(members: Sequence[Plain], label: object) -> int:
    return sum(m["vote"] == label and type(m["vote"]) is type(label) for m in members)


def kinds_of(members: Sequence[Plain]) -> list[str]:
    """The kinds of members, each once, in words."""
    names = dict.fromkeys(member["name"] for member in members)
    return [_KINDS.get(name, say(name)) for name in names]


def bags_in_words(receipt: Plain) -> str:
    """How the bags were drawn."""
    bags, k = receipt["bags"], receipt["neighbors"]["k"]
    beta = receipt["neighbors"]["beta"]
    why = "" if beta is None else f" (beta = {say(beta)})"
    near = counted(k, "nearest case") if k > 1 else "nearest case"
    return (
        f"Each has a bag of its own, drawn for this row: {k} of its "
        f"{bags['n_rows']} rows from the {near}{why}, the others from all. So "
        f"{_percent(bags['neighbor_share'])} of the rows drawn are such neighbors, "
        f"where chance would give {_percent(bags['by_chance'])}."
    )


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _around(neighbors: Plain) -> str:
    present = [item for item in neighbors["classes"] if item["cases"]]
    if len(present) == 1:
        k, label = neighbors["k"], say_class(present[0]["label"])
        if k == 1:
            return f"The nearest case is {label}."
        return f"The {k} nearest cases are {'both' if k == 2 else 'all'} {label}."
    first, *others = [(item["cases"], say_class(item["label"])) for item in present]
    verb = "is" if first[0] == 1 else "are"
    parts = [f"{first[0]} {verb} {first[1]}", *(f"{n} {label}" for n, label in others)]
    return f"Of the {neighbors['k']} nearest cases, {listed(parts)}."


def _differences(diversity: Plain) -> str:
    around = diversity["around"]
    if around is None:
        return ""
    cases = counted(around["n_cases"], "case")
    kappa = around["kappa"]
    beyond = "" if kappa is None else f"; kappa {fixed(kappa, 2)}"
    return (
        f"Tried on the nearest {cases}, members are right in "
        f"{_percent(around['accuracy'])}; just one of two is right in "
        f"{_percent(around['disagreement'])}, none in "
        f"{_percent(around['double_fault'])}{beyond}."
    )


def evidence_in_words(member: Plain, labels: Sequence[object]) -> str:
    """What a member's vote rests on, in a line."""
    evidence = member["evidence"]
    return _WRITERS[evidence["kind"]](evidence, member, labels)


def _path(evidence: Plain, member: Plain, labels: Sequence[object]) -> str:
    steps = [step for step in evidence["steps"] if step["attribute"] is not None]
    if not steps:
        return "no split"
    more = evidence["n_steps"] - len(evidence["steps"])
    tail = f", {more} more" if more > 0 else ""
    return ", ".join(map(step_in_words, steps)) + tail


def step_in_words(step: Plain) -> str:
    """A node's test and how the row passed it.

    Examples
    --------
    >>> step_in_words({"attribute": "hue", "relation": "<=", "bound": 0.5})
    'hue <= 0.5'
    """
    name, relation = say(step["attribute"]), step["relation"]
    if relation == "missing":
        return f"{name} missing: all branches"
    if relation == "no case":
        return f"{name}: a value that no row of the node has"
    return f"{name} {relation} {say(step['bound'])}"


def _likelihoods(evidence: Plain, member: Plain, labels: Sequence[object]) -> str:
    """The attributes that speak loudest for the vote against the next class."""
    own, other = _first_two(member, labels)
    if other is None:
        return "one class alone"
    gains = [
        (item["name"], item["log"][own] - item["log"][other])
        for item in evidence["attributes"]
    ]
    gains.sort(key=lambda item: -item[1])
    told = [f"{say(name)} {gain:+.2f}" for name, gain in gains if gain > 0]
    start = evidence["prior"][own] - evidence["prior"][other]
    shown = ", ".join(told[:5]) or "nothing"
    return f"logs against {say_class(labels[other])}: prior {start:+.2f}, {shown}"


def _first_two(member: Plain, labels: Sequence[object]) -> tuple[int, int | None]:
    shares = member["probabilities"]
    own = next(i for i, label in enumerate(labels) if label == member["vote"])
    others = [i for i in range(len(labels)) if i != own]
    return own, max(others, key=lambda i: shares[i]) if others else None


def _neighbors(evidence: Plain, member: Plain, labels: Sequence[object]) -> str:
    told = [
        f"{say(case['id'])} ({_outcome(case)}"
        + (f", {case['times']} times)" if case["times"] > 1 else ")")
        for case in evidence["cases"]
    ]
    return f"cases {listed(told, 6)}"


def _outcome(case: Plain) -> str:
    return say_class(case["class"]) if "class" in case else say(case["target"])


def _terms(evidence: Plain, member: Plain, labels: Sequence[object]) -> str:
    own = _first_two(member, labels)[0] if labels else 0
    terms = [(item["name"], item["adds"][own]) for item in evidence["terms"]]
    terms.sort(key=lambda item: -abs(item[1]))
    told = ", ".join(f"{say(name)} {adds:+.3g}" for name, adds in terms[:5])
    start = f"{evidence['intercepts'][own]:.3g} for the bag"
    return f"{start}, {told}" if told else start


def _rule(evidence: Plain, member: Plain, labels: Sequence[object]) -> str:
    name, value = say(evidence["attribute"]), say(evidence["value"])
    word = "right in" if labels else "explains"
    return f"{name} is {value} ({word} {_percent(evidence['worth'])} of the bag)"


def _model(evidence: Plain, member: Plain, labels: Sequence[object]) -> str:
    name = say(evidence["estimator"])
    return name if evidence["fitted"] else f"{name}: nothing to fit"


_WRITERS = {
    "path": _path,
    "likelihoods": _likelihoods,
    "neighbors": _neighbors,
    "terms": _terms,
    "rule": _rule,
    "model": _model,
}


def share_of_vote(member: Plain, labels: Sequence[object]) -> str:
    """The probability that a member gives to what it votes for."""
    return chance(member["probabilities"][_first_two(member, labels)[0]])
