"""The shape of a receipt, version 1: what docs/receipts.md says, as checks."""

from collections.abc import Mapping
from typing import Any

from sklazy.errors import ReceiptError
from sklazy.receipts import checks as c

SCHEMA = "sklazy-receipt/1"
MOST_LISTED = 25
"""Cases listed in a receipt; there may be more that voted."""

STRATEGIES = ("lazy", "eager", "none", "lazy-cfs", "lazy-consistency")
RULES = ("count", "fraction", "auto", "local", "vote", "set", "all")
KNOWN = ("yes", "missing", "unseen")

_CELL = c.maybe(c.label)
_SCORE = c.maybe(c.number)

_QUERY = c.record({"name": c.text, "value": _CELL, "known": c.one_of(*KNOWN)})

_ATTRIBUTE = c.record(
    {
        "name": c.text,
        "value": _CELL,
        "bin": c.maybe(c.text),
        "lazy_score": _SCORE,
        "value_score": _SCORE,
        "attribute_score": _SCORE,
        "rank": c.count,
        "used": c.flag,
    }
)

_SELECTION = c.record(
    {
        "strategy": c.one_of(*STRATEGIES),
        "measure": c.text,
        "n_attributes": c.count,
        "rule": c.one_of(*RULES),
        "attributes": c.list_of(_ATTRIBUTE),
    }
)

_CASE = c.record(
    {
        "id": c.label,
        "class": c.label,
        "distance": c.number,
        "weight": c.number,
        "agree": c.list_of(c.text),
        "differ": c.list_of(c.text),
        "values": c.dict_of(_CELL),
    }
)

_NEIGHBORS = c.record(
    {
        "k": c.count,
        "n_voting": c.count,
        "n_tied": c.count,
        "distance_of_last": _SCORE,
        "listed": c.list_of(_CASE, MOST_LISTED),
        "nearest_opposing": c.maybe(_CASE),
    }
)

_LIKELIHOODS = c.record(
    {
        "prior": c.list_of(c.record({"label": c.label, "log": _SCORE})),
        "attributes": c.list_of(c.record({"name": c.text, "log": c.list_of(_SCORE)})),
    }
)

_MODEL = c.record(
    {
        "estimator": c.text,
        "attributes": c.list_of(c.text),
        "n_models_in_batch": c.count,
    }
)

_VOTE = c.record({"label": c.label, "votes": c.number, "probability": c.share})

_RECEIPT = c.record(
    {
        "schema": c.one_of(SCHEMA),
        "sklazy": c.text,
        "estimator": c.text,
        "settings": c.dict_of(c.free),
        "cases": c.record(
            {
                "digest": c.text,
                "n_rows": c.count,
                "class_counts": c.list_of(
                    c.record({"label": c.label, "rows": c.count})
                ),
            }
        ),
        "query": c.list_of(_QUERY),
        "selection": _SELECTION,
        "votes": c.list_of(_VOTE),
        "answer": c.label,
        "probability": c.share,
        "seal": c.text,
    },
    optional={
        "neighbors": _NEIGHBORS,
        "likelihoods": _LIKELIHOODS,
        "model": _MODEL,
    },
)


def check_receipt(content: object) -> dict[str, Any]:
    """Refuse what is no receipt, saying where; the seal is not looked at."""
    if not isinstance(content, dict) or "schema" not in content:
        raise ReceiptError(
            "this is no receipt; give what explain() returned, or its to_dict()."
        )
    if content["schema"] != SCHEMA:
        raise ReceiptError(
            f"the receipt has the schema {str(content['schema'])[:60]!r}; this sklazy "
            f"reads {SCHEMA!r}."
        )
    _RECEIPT(content, "receipt")
    _check_consistency(content)
    return content


def _check_consistency(content: Mapping[str, Any]) -> None:
    """What belongs together must fit together."""
    names = [item["name"] for item in content["query"]]
    attributes = content["selection"]["attributes"]
    labels = [item["label"] for item in content["votes"]]
    _agree("selection.attributes", [item["name"] for item in attributes] == names)
    _agree("selection.attributes", len(set(names)) == len(names))
    _agree("answer", any(_same(item, content["answer"]) for item in labels))
    if "likelihoods" in content:
        told = content["likelihoods"]
        _agree("likelihoods.prior", len(told["prior"]) == len(labels))
        sizes = {len(item["log"]) for item in told["attributes"]}
        _agree("likelihoods.attributes", sizes <= {len(labels)})


def _same(one: object, other: object) -> bool:
    """Equal and of one type: 1 and True are different answers."""
    return type(one) is type(other) and one == other


def _agree(part: str, holds: bool) -> None:
    if not holds:
        raise ReceiptError(
            f"the receipt contradicts itself: its {part} does not fit its other parts."
        )
