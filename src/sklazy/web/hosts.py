"""Which requests come from where they should: Host, Origin, Sec-Fetch-Site."""

import ipaddress
import re
from collections.abc import Collection

from sklazy.web.problems import Problem

_NETLOC = re.compile(
    r"(?:\[(?P<six>[0-9a-f:.]+)\]|(?P<name>[a-z0-9_.-]+))(?::[0-9]{1,5})?", re.ASCII
)

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
    found = _NETLOC.fullmatch(netloc.lower())
    return None if found is None else found["six"] or found["name"]


def check_host(given: list[str], allowed: Collection[str]) -> str:
    """Refuse requests to another name: a page elsewhere may have pointed it here."""
    if len(given) != 1 or name_of(given[0]) not in allowed:
        raise Problem(
            421, "The Host header does not name this server; ask it by its own name."
        )
    return given[0]


def check_origin(origins: list[str], sites: list[str], host: str) -> None:
    """Refuse what a page of another site sends, with or without its Origin."""
    own = {f"http://{host}", f"https://{host}"}
    near = {"same-origin", "none"}
    if not own.issuperset(origins) or not near.issuperset(sites):
        raise Problem(403, "Requests of pages of other sites are refused.")
