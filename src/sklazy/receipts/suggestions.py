"""Receipts that say what to measure next: put together, taken apart, checked."""

from collections.abc import Mapping, Sequence
from typing import Any

from sklazy.errors import ReceiptError
from sklazy.receipts.receipt import Receipt, Receipts
from sklazy.receipts.replay import first_difference
from sklazy.receipts.seal import sealed

_KEY = "next_attribute"
_SEALS = ("seal", "signature")


def add_suggestions(
    receipts: Receipts, suggestions: Sequence[Mapping[str, Any]]
) -> Receipts:
    """Receipts with a suggestion each, sealed anew."""
    pairs = zip(receipts, suggestions, strict=True)
    return Receipts(
        Receipt(sealed({**_unsealed(receipt.content), _KEY: own}))
        for receipt, own in pairs
    )


def without_suggestion(receipt: Receipt) -> Receipt:
    """A receipt as it was before a suggestion was added."""
    content = _unsealed(receipt.content)
    return Receipt(sealed({k: part for k, part in content.items() if k != _KEY}))


def _unsealed(content: Mapping[str, Any]) -> dict[str, Any]:
    return {key: part for key, part in content.items() if key not in _SEALS}


def check_suggestion(claimed: Mapping[str, Any], again: Mapping[str, Any]) -> bool:
    """True if a suggestion is what comes out when asked again; else refuse it."""
    found = first_difference(claimed, again)
    if found is not None:
        place, said, replayed = found
        raise ReceiptError(
            f"the receipt does not replay: {_KEY}{place} is {said!r} in the receipt, "
            f"but {replayed!r} when asked again."
        )
    return True
