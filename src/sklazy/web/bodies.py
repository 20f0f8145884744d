"""Bodies of requests as JSON, strictly: bounded, no key twice, nothing odd."""

import json
from functools import partial
from typing import Any

from starlette.requests import ClientDisconnect, Request

from sklazy.web.limits import Limits
from sklazy.web.problems import Problem


async def read_json(request: Request, limits: Limits) -> dict[str, Any]:
    """The object in a request's body."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Problem(
            415,
            "The body must be JSON, with the header Content-Type: application/json.",
        )
    return parse_object(await _body(request), limits)


async def _body(request: Request) -> bytes:
    """All of a body, which the guard counts as it arrives."""
    parts, more = [], True
    while more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)


def parse_object(body: bytes, limits: Limits) -> dict[str, Any]:
    """The JSON object that bytes hold, or a problem that says what is wrong.

    NaN and infinities are read as such, since many programs write them; what a cell
    may be is for the schema to say.

    Examples
    --------
    >>> parse_object(b'{"rows": [[1, null]]}', Limits())
    {'rows': [[1, None]]}
    """
    try:
        found = json.loads(body, object_pairs_hook=partial(_checked, limits.columns))
    except RecursionError:
        raise Problem(400, "The JSON is nested too deeply.") from None
    except ValueError as error:  # not JSON, not UTF-8, a number of 5000 digits
        raise Problem(400, f"The body is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise Problem(400, "The body must be a JSON object, in braces.")
    return found


def _checked(most: int, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > most:
        raise ValueError(f"an object has more than {most} keys")
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def check_text(text: str, limits: Limits, what: str) -> str:
    """Refuse a string that is too long, or that no text can hold."""
    if len(text) > limits.text:
        raise Problem(
            422, f"{what} has {len(text)} characters; at most {limits.text} are taken."
        )
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise Problem(422, f"{what} has half of a surrogate pair.") from None
    return text
