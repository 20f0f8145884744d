"""Checks of the headers Host, Origin and Sec-Fetch-Site."""

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
    """The name in a Host header, without its port; None if it is not valid.

    Examples
    --------
    >>> name_of("Localhost:8000"), name_of("[::1]:80"), name_of("a b")
    ('localhost', '::1', None)
    """
    match = _NETLOC.fullmatch(netloc.lower())
    return None if match is None else match["six"] or match["name"]


def check_host(hosts: list[str], allowed: Collection[str]) -> str:
    """Refuse requests to another name, which another site may point here."""
    if len(hosts) != 1 or name_of(hosts[0]) not in allowed:
        raise Problem(
            421, "The Host header is not a name of this server; see --allow-host."
        )
    return hosts[0]


def check_origin(origins: list[str], sites: list[str], host: str) -> None:
    """Refuse requests from pages of other sites, with or without their Origin."""
    same_origins = {f"http://{host}", f"https://{host}"}
    same_sites = {"same-origin", "none"}
    if not same_origins.issuperset(origins) or not same_sites.issuperset(sites):
        raise Problem(403, "Requests from pages of other sites are refused.")
