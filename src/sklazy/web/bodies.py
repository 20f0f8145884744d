"""Limits of requests, and their bodies as JSON within these."""

import json
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

from starlette.requests import ClientDisconnect, Request

from sklazy.errors import BadInputError
from sklazy.web.problems import Problem

JSON = "application/json"


@dataclass(frozen=True)
class RequestLimits:
    """Limits of a request, and of how many there are.

    Attributes
    ----------
    body : int
        Bytes of the body, counted as they arrive.
    rows : int
    columns : int
        Cells of a row: keys of any object in a body.
    cells : int
        Cells of all rows, including absent ones.
    text : int
        Characters of a string.
    seconds : float
        Time for the body to arrive, and again for the answer.
    at_once : int
        Requests that are worked on at the same time.
    waiting : int
        Requests that wait for that; further ones are refused for now.
    connections : int
        Open connections.
    """

    body: int = 1 << 20
    rows: int = 1000
    columns: int = 10_000
    cells: int = 1_000_000
    text: int = 10_000
    seconds: float = 30.0
    at_once: int = 2
    waiting: int = 32
    connections: int = 256

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not value > 0:
                raise BadInputError(f"{field.name}={value}; expected a number above 0.")


async def read_json(request: Request, limits: RequestLimits) -> dict[str, Any]:
    """The object in a request's body."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        raise Problem(
            415, f"The body must be JSON, with the header Content-Type: {JSON}."
        )
    return parse_object(await _read_body(request), limits)


async def _read_body(request: Request) -> bytes:
    """Read a whole body, whose bytes the guard counts."""
    parts, more = [], True
    while more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)


def parse_object(body: bytes, limits: RequestLimits) -> dict[str, Any]:
    """Parse bytes as a JSON object; raise a problem that names the fault.

    NaN and infinity are accepted, since many programs write them; the schema decides
    what a cell may be.

    Examples
    --------
    >>> parse_object(b'{"rows": [[1, null]]}', RequestLimits())
    {'rows': [[1, None]]}
    """
    try:
        content = json.loads(
            body, object_pairs_hook=partial(_check_pairs, limits.columns)
        )
    except RecursionError:
        raise Problem(400, "The JSON is nested too deeply.") from None
    except ValueError as error:  # not JSON, not UTF-8, a number of 5000 digits
        raise Problem(400, f"The body is not JSON: {error}") from None
    if not isinstance(content, dict):
        raise Problem(400, "The body must be a JSON object, in braces.")
    return content


def _check_pairs(most: int, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > most:
        raise ValueError(f"an object has more than {most} keys")
    content = dict(pairs)
    if len(content) != len(pairs):
        raise ValueError("a key occurs twice in one object")
    return content


def check_text(text: str, limits: RequestLimits, what: str) -> str:
    """Refuse a string that is too long or not valid Unicode."""
    if len(text) > limits.text:
        raise Problem(
            422, f"{what} has {len(text)} characters; expected {limits.text} at most."
        )
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise Problem(422, f"{what} has half of a surrogate pair.") from None
    return text
