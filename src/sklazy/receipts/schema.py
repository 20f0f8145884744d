"""The shape of a receipt, version 3: docs/receipts.md as checks."""

from collections.abc import Iterator, Mapping
from typing import Any

from sklazy.errors import ReceiptError
from sklazy.methods import checks as c
from sklazy.methods.family import (
    DECISION,
    NUMBER,
    ORIGIN,
    Family,
    Parts,
    check_answer,
    check_query,
)
from sklazy.receipts import next_attribute, reasons, uncertainty
from sklazy.receipts.families import FAMILIES
from sklazy.receipts.seal import check_seal

SCHEMA = "sklazy-receipt/3"

_QUERY = c.record(
    {"name": c.text, "value": c.cell, "known": c.one_of("yes", "missing", "unseen")}
)
_NOVELTY = c.record(
    {
        "distance": c.figure,
        "farther_than": c.maybe(c.share),
        "unlike": c.flag,
        "n_compared": c.count,
    }
)
_HEAD = {
    "schema": c.one_of(SCHEMA),
    "kind": c.text,
    "sklazy": c.text,
    **ORIGIN,
    "query": c.list_of(_QUERY),
    "novelty": _NOVELTY,
    "seal": c.text,
}
_SIGNED = {"signature": c.fingerprint}
_EXTRAS = {
    "row": c.label,
    "next_attribute": c.record(next_attribute.FIELDS),
    "summary": c.list_of(c.text, 3),
    "reasons": c.record(reasons.FIELDS),
    "detail": c.one_of("brief"),
    "dates": c.list_of(c.text),
}
_CASES = {"digest": c.text, "n_rows": c.count}
_EARLIER = {"choices": c.list_of(c.record({"rows_since": c.count, "digest": c.text}))}
_CLASS_COUNTS = c.list_of(c.record({"label": c.label, "rows": c.count}))
_OF_CLASSES = {
    **_HEAD,
    "cases": c.record(
        {**_CASES, "target": c.text, "class_counts": _CLASS_COUNTS}, _EARLIER
    ),
    **DECISION,
}
_FIGURES = dict.fromkeys(("mean", "std", "min", "max"), c.figure)
_TARGETS = c.list_of(c.record({"name": c.text, **_FIGURES}))
_OF_NUMBERS = {
    **_HEAD,
    "cases": c.record({**_CASES, "targets": _TARGETS}, _EARLIER),
    **NUMBER,
}


def check_receipt(content: object) -> dict[str, Any]:
    """Refuse data that is not a receipt, was edited, or lacks fields of its kind."""
    if not isinstance(content, dict) or "schema" not in content:
        raise ReceiptError(
            "this is not a receipt; give what explain() returned, or its to_dict()."
        )
    schema = content["schema"]
    if not isinstance(schema, str) or schema != SCHEMA:
        raise ReceiptError(
            f"the receipt has the schema {c.short(schema)}, but this version of sklazy "
            f"reads {SCHEMA!r}. Make a new receipt of the row with explain()."
        )
    check_seal(content)
    c.one_of(*FAMILIES)(content.get("kind"), "receipt.kind")
    family = FAMILIES[content["kind"]]
    _shape_of(family, content)(content, "receipt")
    parts: list[Parts] = [_common_parts, uncertainty.check_parts]
    if family.is_whole(content):
        parts.append(family.check_parts)
    for part, fits in [verdict for check in parts for verdict in check(content)]:
        if not fits:
            raise ReceiptError(
                f"the receipt contradicts itself: its {part} does not fit its other "
                "parts."
            )
    return content


def _shape_of(family: Family, content: Mapping[str, Any]) -> c.Check:
    cases, optional = content.get("cases"), {**family.optional, **_EXTRAS, **_SIGNED}
    counted = isinstance(cases, dict) and "class_counts" in cases
    if family.classes is not None and (counted or family.numbers is None):
        common, doubts, particular = _OF_CLASSES, uncertainty.OF_CLASSES, family.classes
    else:
        common, doubts = _OF_NUMBERS, uncertainty.OF_NUMBERS
        particular = family.numbers or {}
    if content.get("detail") == "brief":
        return c.record(common, {**particular, **optional, **doubts})
    return c.record({**common, **particular}, {**optional, **doubts})


def _common_parts(content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    yield from check_query(content)
    yield from next_attribute.check_parts(content)
    yield from reasons.check_parts(content)
    yield from check_answer(content)
