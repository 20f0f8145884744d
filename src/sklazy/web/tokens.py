"""Roles of clients, and their tokens: in files, in addresses and in cookies."""

import hashlib
import hmac
import os
import secrets
from collections.abc import Mapping, Sequence
from enum import IntEnum
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

from starlette.requests import cookie_parser
from starlette.responses import Response
from starlette.types import Scope

from sklazy.errors import BadInputError
from sklazy.web.problems import Problem

_SHORTEST = 16  # characters of a token
_PARAMETER = "token"  # of an address


class Role(IntEnum):
    """Permissions of a client; each role includes those before it."""

    ASK = 1
    EXPLAIN = 2
    CHANGE = 3


class Tokens:
    """Tokens and their roles, kept as hashes and compared in constant time.

    Parameters
    ----------
    roles : mapping of str to Role
        The role of each token.

    Examples
    --------
    >>> tokens = Tokens({"0123456789abcdef": Role.ASK})
    >>> tokens.role_of("0123456789abcdef"), tokens.role_of("another")
    (<Role.ASK: 1>, None)
    >>> tokens
    Tokens(1)
    """

    def __init__(self, roles: Mapping[str, Role]) -> None:
        if not roles:
            raise BadInputError("there is no token; give at least one.")
        for token in roles:
            check_token(token)
        self._roles = [(_hash(token), role) for token, role in roles.items()]

    def role_of(self, token: str) -> Role | None:
        """The role of a token, or None; it is compared with every known token."""
        digest, role = _hash(token), None
        for known_digest, known_role in self._roles:
            if hmac.compare_digest(digest, known_digest):
                role = known_role
        return role

    def secret(self) -> bytes:
        """What nobody knows who lacks one of the tokens; the same for the same ones."""
        hashes = sorted(known for known, _ in self._roles)
        return hashlib.sha256(b"secret" + b"".join(hashes)).digest()

    def __repr__(self) -> str:  # a token has no place in a log
        return f"Tokens({len(self._roles)})"


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def check_token(token: str) -> None:
    """Refuse a token that is easy to guess, or that a header cannot hold."""
    if len(token) < _SHORTEST or not token.isascii() or not token.isprintable():
        raise BadInputError(
            f"a token has {len(token)} characters; expected {_SHORTEST} or more, all "
            "printable ASCII. `python -c 'import secrets; "
            "print(secrets.token_urlsafe())'` makes one."
        )


def new_token() -> str:
    """Make a random token that cannot be guessed."""
    return secrets.token_urlsafe(32)


def read_tokens(path: str | Path) -> Tokens:
    """Read a file of lines ``role token``; blank lines and comments (#) are skipped."""
    roles = {}
    for number, line in enumerate(_lines(path), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2 or words[0].upper() not in Role.__members__:
            raise BadInputError(
                f"line {number} of the token file: expected a role (ask, explain or "
                "change), a space and a token."
            )
        roles[words[1]] = Role[words[0].upper()]
    return Tokens(roles)


def _lines(path: str | Path) -> list[str]:
    try:
        return Path(path).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(
            f"the token file cannot be read: {error}. Check its name and permissions."
        ) from error


def write_tokens(path: str | Path) -> None:
    """Write a new file with a token for each role that only its owner can read."""
    lines = [f"{role.name.lower()} {new_token()}\n" for role in Role]
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w", encoding="ascii") as file:
        file.writelines(lines)


def is_shared(path: str | Path) -> bool:
    """Whether users other than the owner can read a file."""
    return os.name == "posix" and bool(os.stat(path).st_mode & 0o077)


def move_to_cookie(scope: Scope, tokens: Tokens, host: str) -> Response | None:
    """Redirect to the same address without its token, which becomes a cookie.

    None if there is no token in the address.

    Scripts cannot read the cookie (HttpOnly), other sites cannot send it (SameSite).
    """
    pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    values = [value for name, value in pairs if name == _PARAMETER]
    if not values or scope["method"] != "GET":
        return None
    if len(values) != 1 or tokens.role_of(values[0]) is None:
        raise Problem(401, "The token in the address is wrong.")
    rest = urlencode([pair for pair in pairs if pair[0] != _PARAMETER])
    # One slash: a path such as //elsewhere would be another host.
    path = "/" + scope["raw_path"].decode("latin-1").lstrip("/\\")
    response = Response(
        status_code=303, headers={"location": path + "?" * bool(rest) + rest}
    )
    response.set_cookie(
        cookie_name(host), values[0], path="/", httponly=True, samesite="strict"
    )
    return response


def split_frame_path(scope: Scope) -> tuple[Scope, str | None]:
    """The request without the token in its path, and the token, if there is one.

    A page in a frame of another site gets no cookies, so the token is in the path:
    ``/frame/TOKEN/`` before the usual one.
    """
    parts = scope["path"].split("/", 3)
    if len(parts) < 4 or parts[1] != "frame":
        return scope, None
    path = f"/{parts[3]}"
    return {**scope, "path": path, "raw_path": path.encode()}, parts[2]


def cookie_name(host: str) -> str:
    """A name for each port, since cookies are shared between ports."""
    port = host.rpartition(":")[2]
    return f"sklazy-{port}" if port.isdigit() else "sklazy"


def cookie_token(cookies: Sequence[str], host: str) -> str | None:
    """The token in a request's cookies."""
    return cookie_parser(";".join(cookies)).get(cookie_name(host))
