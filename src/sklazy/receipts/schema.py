"""The shape of a receipt, version 2: what docs/receipts.md says, as checks."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from sklazy.errors import ReceiptError
from sklazy.receipts import (
    association,
    bayes_rules,
    blends,
    ensembles,
    kernel_models,
    linear_models,
    local_models,
    next_attribute,
    novelty,
    number_selection,
    pls,
    selection,
    trees,
    uncertainty,
)
from sklazy.receipts import checks as c
from sklazy.receipts.seal import check_seal

SCHEMA = "sklazy-receipt/2"

_QUERY = c.record(
    {"name": c.text, "value": c.cell, "known": c.one_of("yes", "missing", "unseen")}
)
_HEAD = {
    "schema": c.one_of(SCHEMA),
    "kind": c.text,
    "sklazy": c.text,
    "estimator": c.text,
    "settings": c.dict_of(c.free),
    "query": c.list_of(_QUERY),
    "novelty": novelty.FIELD,
    "seal": c.text,
}
_SIGNED = {"signature": c.fingerprint}
_EXTRAS = {
    "next_attribute": c.record(next_attribute.FIELDS),
    "dates": c.list_of(c.text),
}
_CASES = {"digest": c.text, "n_rows": c.count}
_CLASS_COUNTS = c.list_of(c.record({"label": c.label, "rows": c.count}))
_VOTE = {"label": c.label, "votes": c.figure, "probability": c.share}
_DECISION = {
    "votes": c.list_of(c.record(_VOTE)),
    "answer": c.label,
    "probability": c.share,
}
_OF_CLASSES = {
    **_HEAD,
    "cases": c.record({**_CASES, "target": c.text, "class_counts": _CLASS_COUNTS}),
    **_DECISION,
}
_FIGURES = dict.fromkeys(("mean", "deviation", "least", "most"), c.figure)
_TARGETS = c.list_of(c.record({"name": c.text, **_FIGURES}))
_NUMBER = {"answer": c.number_or_numbers}
_OF_NUMBERS = {
    **_HEAD,
    "cases": c.record({**_CASES, "targets": _TARGETS}),
    **_NUMBER,
}

Fields = Mapping[str, c.Check]


Parts = Callable[[Mapping[str, Any]], Iterator[tuple[str, bool]]]
"""From a content to the names of its parts, and whether they fit."""


class Shape(NamedTuple):
    """What the receipts of a family look like, beside what all receipts have.

    Attributes
    ----------
    classes : dict of checks, for receipts that answer with a class; None if none do
    numbers : the same for those that answer with numbers
    parts : Parts
    optional : dict of checks, for what a receipt may have
    """

    classes: Fields | None
    numbers: Fields | None
    parts: Parts
    optional: Fields = MappingProxyType({})

    def fields(self, classes: bool) -> Fields | None:
        """The checks of one kind of target."""
        return self.classes if classes else self.numbers


def _both(fields: Callable[[bool], dict[str, c.Check]]) -> tuple[Fields, Fields]:
    return fields(True), fields(False)


_SIMPLE = {
    "selection": Shape(
        selection.FIELDS, None, selection.check_parts, selection.OPTIONAL
    ),
    "number_selection": Shape(
        None, number_selection.FIELDS, number_selection.check_parts
    ),
    "ensembles": Shape(*_both(ensembles.fields), ensembles.check_parts),
    "trees": Shape(trees.FIELDS, None, trees.check_parts),
    "bayes_rules": Shape(bayes_rules.FIELDS, None, bayes_rules.check_parts),
    "association": Shape(association.FIELDS, None, association.check_parts),
    "local_models": Shape(*_both(local_models.fields), local_models.check_parts),
    "linear_models": Shape(*_both(linear_models.fields), linear_models.check_parts),
    "kernel_models": Shape(*_both(kernel_models.fields), kernel_models.check_parts),
    "pls": Shape({}, pls.FIELDS, pls.check_parts),
}


def _members(classes: bool) -> dict[str, c.Check]:
    """What the own parts of members hold, by family."""
    origin = {key: _HEAD[key] for key in ("kind", "estimator", "settings")}
    said = _DECISION if classes else _NUMBER
    return {
        kind: c.record({**origin, **said, **own}, shape.optional)
        for kind, shape in _SIMPLE.items()
        if (own := shape.fields(classes)) is not None
    }


def _blended(classes: bool) -> dict[str, c.Check]:
    return blends.fields(classes, _members(classes))


def _blended_parts(content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    yield from blends.check_parts(content)
    for kind, own in blends.own_parts(content):
        for part, fits in [*_common_parts(own), *_SIMPLE[kind].parts(own)]:
            yield f"members' {part}", fits


KINDS = {**_SIMPLE, "blends": Shape(*_both(_blended), _blended_parts)}


def check_receipt(content: object) -> dict[str, Any]:
    """Refuse what is no receipt, was edited, or lacks what its kind must have."""
    if not isinstance(content, dict) or "schema" not in content:
        raise ReceiptError(
            "this is no receipt; give what explain() returned, or its to_dict()."
        )
    schema = content["schema"]
    if not isinstance(schema, str) or schema != SCHEMA:
        raise ReceiptError(
            f"the receipt has the schema {c.short(schema)}; this sklazy reads "
            f"{SCHEMA!r}."
        )
    check_seal(content)
    c.one_of(*KINDS)(content.get("kind"), "receipt.kind")
    shape = KINDS[content["kind"]]
    _shape_of(shape, content)(content, "receipt")
    parts = _common_parts, shape.parts, uncertainty.check_parts
    for part, fits in [found for check in parts for found in check(content)]:
        if not fits:
            raise ReceiptError(
                f"the receipt contradicts itself: its {part} does not fit its other "
                "parts."
            )
    return content


def _shape_of(shape: Shape, content: Mapping[str, Any]) -> c.Check:
    cases, optional = content.get("cases"), {**shape.optional, **_EXTRAS, **_SIGNED}
    counted = isinstance(cases, dict) and "class_counts" in cases
    if shape.classes is not None and (counted or shape.numbers is None):
        optional = {**optional, **uncertainty.OF_CLASSES}
        return c.record({**_OF_CLASSES, **shape.classes}, optional)
    optional = {**optional, **uncertainty.OF_NUMBERS}
    return c.record({**_OF_NUMBERS, **(shape.numbers or {})}, optional)


def _common_parts(content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    names = [item["name"] for item in content["query"]]
    yield "query", len(set(names)) == len(names)
    yield from next_attribute.check_parts(content)
    if "votes" in content:
        labels = [item["label"] for item in content["votes"]]
        counted = [item["label"] for item in content["cases"]["class_counts"]]
        yield "votes", c.same(labels, counted)
        yield "answer", c.among(content["answer"], labels)
    else:
        answer, n_targets = content["answer"], len(content["cases"]["targets"])
        n_answers = len(answer) if isinstance(answer, list) else 1
        yield "answer", n_answers == n_targets > 0
