"""Which requests come from where they should: Host, Origin, Sec-Fetch-Site."""

import ipaddress
from collections.abc import Collection
from urllib.parse import urlsplit

from sklazy.web.problems import Problem

LOCAL_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})


def is_loopback(host: str) -> bool:
    """Whether an address to bind to can be reached from this machine only.

    Examples
    --------
    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "0.0.0.0", "example.org")]
    [True, True, False, False]
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def name_of(netloc: str) -> str | None:
    """The name in a Host header, without its port; None if it makes no sense.

    Examples
    --------
    >>> name_of("Localhost:8000"), name_of("[::1]:80"), name_of("a b")
    ('localhost', '::1', None)
    """
    try:
        parts = urlsplit(f"//{netloc}")
        parts.port  # noqa: B018 - raises where it is not a number
    except ValueError:
        return None
    plain = parts.netloc == netloc and not set(netloc) & set("@\\ \t,")
    return parts.hostname if plain else None


def check_host(given: list[str], allowed: Collection[str]) -> str:
    """Refuse requests to another name: a page elsewhere may have pointed it here."""
    if len(given) != 1 or name_of(given[0]) not in allowed:
        raise Problem(
            421, "The Host header does not name this server; ask it by its own name."
        )
    return given[0]


def check_origin(origins: list[str], site: str | None, host: str) -> None:
    """Refuse what a page of another site sends, with or without its Origin."""
    for origin in origins:
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or parts.netloc != host:
            raise Problem(403, "Requests of pages of other sites are refused.")
    if site not in (None, "same-origin", "none"):
        raise Problem(403, "Requests of pages of other sites are refused.")
