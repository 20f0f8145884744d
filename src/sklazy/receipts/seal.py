"""The seal of a receipt: a fingerprint of everything else it says."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from sklazy.errors import ReceiptError


def seal_of(content: Mapping[str, Any]) -> str:
    """SHA-256 over the canonical JSON of all but the seal itself.

    Canonical: keys sorted, no blanks, ASCII only, no NaN, and whole floats as
    integers, since some tools write 1.0 as 1.

    Examples
    --------
    >>> seal_of({"a": 1, "b": 2}) == seal_of({"b": 2, "a": 1, "seal": "..."})
    True
    >>> seal_of({"a": 1}) == seal_of({"a": True})
    False
    """
    text = json.dumps(
        {key: _settled(value) for key, value in content.items() if key != "seal"},
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=True,
        allow_nan=False,
    )
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _settled(value: object) -> object:
    if isinstance(value, dict):
        return {key: _settled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_settled(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content with its seal, which comes last."""
    plain = {key: value for key, value in content.items() if key != "seal"}
    return {**plain, "seal": seal_of(plain)}


def check_seal(content: Mapping[str, Any]) -> None:
    """Refuse content that was changed after it was sealed, or cannot be sealed."""
    try:
        fits = content.get("seal") == seal_of(content)
    except (TypeError, ValueError, RecursionError) as error:
        raise ReceiptError(
            f"this is no receipt: it holds what JSON cannot hold ({error})."
        ) from None
    if not fits:
        raise ReceiptError(
            "the receipt was edited: its seal does not match what it says. Use it as "
            "it was written, or ask explain() again."
        )
