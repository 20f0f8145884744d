"""Who may do what: roles, and the tokens that stand for them."""

import hashlib
import hmac
import os
import secrets
from collections.abc import Mapping
from enum import IntEnum
from pathlib import Path

from sklazy.errors import BadInputError

_SHORTEST = 16  # characters of a token


class Role(IntEnum):
    """What somebody may do; each role includes those before it."""

    ASK = 1
    EXPLAIN = 2
    CHANGE = 3


class Tokens:
    """Tokens and their roles, kept as hashes and compared in constant time.

    Parameters
    ----------
    roles : mapping of str to Role
        What each token allows.

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
        """The role of a token, or None; every token is compared, whichever it is."""
        own, found = _hash(token), None
        for known, role in self._roles:
            if hmac.compare_digest(own, known):
                found = role
        return found

    def __repr__(self) -> str:  # a token has no place in a log
        return f"Tokens({len(self._roles)})"


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def check_token(token: str) -> None:
    """Refuse a token that can be guessed, or that no header can hold."""
    if len(token) < _SHORTEST or not token.isascii() or not token.isprintable():
        raise BadInputError(
            f"a token has {len(token)} characters; expected {_SHORTEST} or more, of "
            "printable ASCII. `python -c 'import secrets; "
            "print(secrets.token_urlsafe())'` makes one."
        )


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(32)


def read_tokens(path: str | Path) -> Tokens:
    """Read a file of lines ``role token``; blank ones and those with # are skipped."""
    roles = {}
    for number, line in enumerate(_lines(path), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2 or words[0].upper() not in Role.__members__:
            raise BadInputError(
                f"line {number} of the token file is not a role (ask, explain or "
                "change), a blank and a token."
            )
        roles[words[1]] = Role[words[0].upper()]
    return Tokens(roles)


def _lines(path: str | Path) -> list[str]:
    try:
        return Path(path).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"the token file cannot be read: {error}") from error


def write_tokens(path: str | Path) -> None:
    """Write a new file with a token for each role, which its owner alone can read."""
    lines = [f"{role.name.lower()} {new_token()}\n" for role in Role]
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w", encoding="ascii") as file:
        file.writelines(lines)


def is_shared(path: str | Path) -> bool:
    """Whether others than the owner can read a file."""
    return os.name == "posix" and bool(os.stat(path).st_mode & 0o077)
