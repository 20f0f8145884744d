"""Evidence of an ensemble's member, in a line."""

from collections.abc import Sequence

from sklazy.report.article import Plain, gain
from sklazy.report.blocks import Cell, Path
from sklazy.report.words import (
    format_class,
    format_number,
    format_percent,
    format_probability,
    format_value,
    join,
)

NAMES = {
    "tree": "trees",
    "random_tree": "random trees",
    "bayes": "naive Bayes",
    "neighbors": "nearest neighbors",
    "linear": "linear models",
    "rule": "rules",
}
_MOST_NAMED = 5  # attributes or terms


def kinds_of(members: Sequence[Plain]) -> list[str]:
    """The kinds of members, each once, in words."""
    names = dict.fromkeys(member["name"] for member in members)
    return [NAMES.get(name, format_value(name)) for name in names]


def describe_evidence(member: Plain, labels: Sequence[object]) -> Cell:
    """Describe a member's evidence; no labels where its answer is a number."""
    evidence = member["evidence"]
    return _WRITERS[evidence["kind"]](evidence, member, labels)


def share_of_vote(member: Plain, labels: Sequence[object]) -> str:
    """The probability that a member gives to what it votes for."""
    return format_probability(member["probabilities"][_first_two(member, labels)[0]])


def _path(evidence: Plain, member: Plain, labels: Sequence[object]) -> Cell:
    drawn = evidence["kind"] == "random path"
    in_words = drawn_step_in_words if drawn else step_in_words
    steps = [
        (
            "leaf" if step["attribute"] is None else in_words(step),
            format_number(step["weight"]),
            _tone(step),
        )
        for step in evidence["steps"]
    ]
    if all(tone == "leaf" for *_, tone in steps):
        return "no split"
    return Path(steps, evidence["n_steps"] - len(steps))


def _tone(step: Plain) -> str:
    if step["attribute"] is None:
        return "leaf"
    odd = step.get("drawn_at_random") or step["relation"] in ("missing", "no case")
    return "odd" if odd else ""


def step_in_words(step: Plain) -> str:
    """A node's test and how the row passed it.

    Examples
    --------
    >>> step_in_words({"attribute": "hue", "relation": "<=", "bound": 0.5})
    'hue <= 0.5'
    """
    name, relation = format_value(step["attribute"]), step["relation"]
    if relation == "missing":
        return f"{name} missing: all branches"
    if relation == "no case":
        return f"{name}: a value that no row of the node has"
    return f"{name} {relation} {format_value(step['bound'])}"


def drawn_step_in_words(step: Plain) -> str:
    """A node's drawn test and how the row passed it.

    Examples
    --------
    >>> leaf = {"n_categories": 2, "listed": ["oak", None]}
    >>> tested = {"attribute": "leaf", "relation": "in", "categories": leaf}
    >>> drawn_step_in_words({**tested, "drawn_at_random": False})
    'leaf in oak, missing'
    """
    name, relation, categories = step["attribute"], step["relation"], step["categories"]
    if relation == "in":
        shown = [
            "missing" if label is None else format_value(label)
            for label in categories["listed"][:_MOST_NAMED]
        ]
        more = categories["n_categories"] - len(shown)
        bound = ", ".join([*shown, f"{more} more"] if more else shown)
    else:
        bound = format_value(step["cut"])
    test = f"{format_value(name)} {relation} {bound}"
    return f"{test} (missing or new: side drawn)" if step["drawn_at_random"] else test


def _likelihoods(evidence: Plain, member: Plain, labels: Sequence[object]) -> Cell:
    """The attributes that favor the vote most against the next class."""
    voted, other = _first_two(member, labels)
    if other is None:
        return "only one class"
    gains = [(gain(i["log"], voted, other), i["name"]) for i in evidence["attributes"]]
    gains.sort(key=lambda item: -item[0])
    named = [f"{format_value(name)} {log:+.2f}" for log, name in gains if log > 0]
    start = gain(evidence["prior"], voted, other)
    shown = ", ".join(named[:_MOST_NAMED]) or "nothing"
    return f"logs against {format_class(labels[other])}: prior {start:+.2f}, {shown}"


def _first_two(member: Plain, labels: Sequence[object]) -> tuple[int, int | None]:
    shares = member["probabilities"]
    voted = next(i for i, label in enumerate(labels) if label == member["vote"])
    others = [i for i in range(len(labels)) if i != voted]
    return voted, max(others, key=lambda i: shares[i]) if others else None


def _neighbors(evidence: Plain, member: Plain, labels: Sequence[object]) -> Cell:
    named = [
        f"{format_value(case['id'])} ({_outcome(case)}"
        + (f", {case['n_copies']} times)" if case["n_copies"] > 1 else ")")
        for case in evidence["cases"]
    ]
    return f"cases {join(named, 6)}"


def _outcome(case: Plain) -> str:
    if "class" in case:
        return format_class(case["class"])
    return format_number(case["target"])


def _terms(evidence: Plain, member: Plain, labels: Sequence[object]) -> Cell:
    voted = _first_two(member, labels)[0] if labels else 0
    terms = [
        (item["contributions"][voted] or 0.0, item["name"])
        for item in evidence["terms"]
    ]
    terms.sort(key=lambda item: -abs(item[0]))
    start = f"{format_number(evidence['intercepts'][voted], 3)} for the bag"
    named = [f"{format_value(name)} {adds:+.3g}" for adds, name in terms[:_MOST_NAMED]]
    return ", ".join([start, *named])


def _rule(evidence: Plain, member: Plain, labels: Sequence[object]) -> Cell:
    name, value = format_value(evidence["attribute"]), format_value(evidence["value"])
    word = "right in" if labels else "explains"
    return f"{name} is {value} ({word} {format_percent(evidence['score'])} of the bag)"


def _model(evidence: Plain, member: Plain, labels: Sequence[object]) -> Cell:
    name = format_value(evidence["estimator"])
    return (
        name if evidence["fitted"] else f"{name}: no model fitted; the bag's own answer"
    )


_WRITERS = {
    "path": _path,
    "random path": _path,
    "likelihoods": _likelihoods,
    "neighbors": _neighbors,
    "terms": _terms,
    "rule": _rule,
    "model": _model,
}
