"""Headers of every response: nothing from elsewhere, nothing kept, nothing framed."""

from collections.abc import Iterable

Headers = list[tuple[bytes, bytes]]

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)

_ALWAYS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_FIXED: Headers = [(k.encode(), v.encode()) for k, v in _ALWAYS.items()]
_NAMES = {name for name, _ in _FIXED}
_NOT_KEPT = (b"cache-control", b"no-store")


def secured(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Headers of a response with those that all have; caching only where it is said."""
    own = [(name, value) for name, value in headers if name not in _NAMES]
    kept = any(name == b"cache-control" for name, _ in own)
    return own + _FIXED + ([] if kept else [_NOT_KEPT])
