"""The seal of a receipt, a fingerprint of all it says; the signature has a key."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

from sklazy.errors import BadInputError, ReceiptError

_SHORTEST_KEY = 16  # bytes; a shorter one could be found by trying


def seal_of(content: Mapping[str, Any]) -> str:
    """SHA-256 over the canonical JSON of all but the seal itself and the signature.

    Canonical: keys sorted, no blanks, ASCII only, no NaN, and whole floats as
    integers, since some tools write 1.0 as 1.

    Examples
    --------
    >>> seal_of({"a": 1, "b": 2}) == seal_of({"b": 2, "a": 1, "seal": "..."})
    True
    >>> seal_of({"a": 1}) == seal_of({"a": True})
    False
    """
    return hashlib.sha256(
        _canonical(_without(content, "seal", "signature"))
    ).hexdigest()


def signature_of(content: Mapping[str, Any], key: bytes) -> str:
    """HMAC-SHA256 with a key over the canonical JSON of all but the signature."""
    if not isinstance(key, bytes) or len(key) < _SHORTEST_KEY:
        # The key is a secret, so the message does not show it.
        raise BadInputError(
            f"key must be bytes, at least {_SHORTEST_KEY} of them; make one with "
            "secrets.token_bytes(32)."
        )
    signed = _canonical(_without(content, "signature"))
    return hmac.new(key, signed, hashlib.sha256).hexdigest()


def _without(content: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in content.items() if key not in names}


def _canonical(content: Mapping[str, Any]) -> bytes:
    text = json.dumps(
        _settled(dict(content)),
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=True,
        allow_nan=False,
    )
    return text.encode("ascii")


def _settled(value: object) -> object:
    if isinstance(value, dict):
        return {key: _settled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_settled(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content with its seal, which comes last; a signature it had is dropped."""
    plain = _without(content, "seal", "signature")
    return {**plain, "seal": seal_of(plain)}


def signed(content: Mapping[str, Any], key: bytes) -> dict[str, Any]:
    """Sealed content with its signature, which comes last."""
    return {**_without(content, "signature"), "signature": signature_of(content, key)}


def check_seal(content: Mapping[str, Any]) -> None:
    """Refuse content that was changed after it was sealed, or cannot be sealed."""
    seal = content.get("seal")
    try:
        expected = seal_of(content)
    except (TypeError, ValueError, RecursionError) as error:
        raise ReceiptError(
            f"this is no receipt: it holds what JSON cannot hold ({error})."
        ) from None
    if not isinstance(seal, str) or seal != expected:
        raise ReceiptError(
            "the receipt was edited: its seal does not match what it says. Use it as "
            "it was written, or ask explain() again."
        )


def check_signature(content: Mapping[str, Any], key: bytes) -> None:
    """Refuse sealed content that the holder of a key did not sign as it is."""
    expected, found = signature_of(content, key), content.get("signature")
    if found is None:
        raise ReceiptError(
            "the receipt has no signature; with a key only receipts that were signed "
            "with it, by signed(key), are accepted."
        )
    if not hmac.compare_digest(expected, found):
        raise ReceiptError(
            "the signature of the receipt is not that of this key: it was signed with "
            "another key, or changed since."
        )
