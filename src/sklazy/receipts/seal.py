"""The seal of a receipt, a fingerprint of its content; the signature has a key."""

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
    return hashlib.sha256(_canonical(content, "seal", "signature")).hexdigest()


def signature_of(content: Mapping[str, Any], key: bytes) -> str:
    """HMAC-SHA256 with a key over the canonical JSON of all but the signature."""
    check_key(key)
    signed = _canonical(content, "signature")
    return hmac.new(key, signed, hashlib.sha256).hexdigest()


def check_key(key: bytes | None) -> None:
    """Refuse a key that is none, or is too short; None is no key."""
    if key is None or (isinstance(key, bytes) and len(key) >= _SHORTEST_KEY):
        return
    # The key is a secret, so the message does not show it.
    raise BadInputError(
        f"key must be bytes, at least {_SHORTEST_KEY} of them; make one with "
        "secrets.token_bytes(32)."
    )


def _canonical(content: Mapping[str, Any], *without: str) -> bytes:
    """Write content but for some keys as canonical JSON."""
    text = json.dumps(
        _to_integers({k: item for k, item in content.items() if k not in without}),
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=True,
        allow_nan=False,
    )
    return text.encode("ascii")


def _to_integers(value: Any) -> Any:  # noqa: ANN401 - plain data
    """Turn whole floats into integers, in nested dicts and lists."""
    if isinstance(value, dict):
        return dict(zip(value, _to_integers([*value.values()]), strict=True))
    return [
        _to_integers(item)
        if isinstance(item, dict | list)
        else int(item)
        if isinstance(item, float) and item.is_integer()
        else item
        for item in value
    ]


def sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content with its seal, which comes last; a signature it had is dropped."""
    plain = {k: item for k, item in content.items() if k not in ("seal", "signature")}
    return {**plain, "seal": seal_of(plain)}


def signed(content: Mapping[str, Any], key: bytes) -> dict[str, Any]:
    """Sealed content with its signature, which comes last."""
    plain = {k: item for k, item in content.items() if k != "signature"}
    return {**plain, "signature": signature_of(content, key)}


def check_seal(content: Mapping[str, Any]) -> None:
    """Refuse content that was changed after it was sealed, or cannot be sealed."""
    seal = content.get("seal")
    try:
        expected = seal_of(content)
    except (TypeError, ValueError, RecursionError) as error:
        raise ReceiptError(
            "this is not a receipt: it holds values that JSON cannot represent "
            f"({error})."
        ) from None
    if not isinstance(seal, str) or seal != expected:
        raise ReceiptError(
            "the receipt was edited: its seal does not match its content. Use the "
            "original receipt, or call explain() again."
        )


def check_signature(content: Mapping[str, Any], key: bytes) -> None:
    """Refuse sealed content that the holder of a key did not sign as it is."""
    expected, signature = signature_of(content, key), content.get("signature")
    if signature is None:
        raise ReceiptError(
            "the receipt has no signature; with a key only receipts that were signed "
            "with it, by signed(key), are accepted."
        )
    if not hmac.compare_digest(expected, signature):
        raise ReceiptError(
            "the signature of the receipt is not that of this key: it was signed with "
            "another key, or changed since."
        )
