"""The door of every application: who asks, from where, how much, and how errors look.

One layer of plain ASGI around the routes. What it refuses never reaches them.
"""

import asyncio
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sklazy.web.headers import secured
from sklazy.web.hosts import LOCAL_NAMES, check_host, check_origin
from sklazy.web.limits import Limits
from sklazy.web.login import cookie_token, enter
from sklazy.web.problems import Problem, to_problem, to_response
from sklazy.web.tokens import Role, Tokens

Headers = defaultdict[bytes, list[str]]


@dataclass(frozen=True)
class Safety:
    """What requests have to pass.

    Attributes
    ----------
    limits : Limits
    names : collection of str
        What the server may be called in Host headers, without ports.
    tokens : Tokens, or None
        Without, everybody who reaches the server has the role `everybody`.
    everybody : Role
    browser : bool
        Whether a token in the address opens the pages: it is moved to a cookie.
    open_paths : collection of str
        What needs no token.
    """

    limits: Limits = field(default_factory=Limits)
    names: Collection[str] = LOCAL_NAMES
    tokens: Tokens | None = None
    everybody: Role = Role.EXPLAIN
    browser: bool = False
    open_paths: Collection[str] = ()


class Guard:
    """An application that is asked only what `Safety` lets through."""

    def __init__(self, app: ASGIApp, safety: Safety) -> None:
        self.app, self.safety = app, safety

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; what goes wrong becomes a problem."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        out = _Out(send)
        if scope["type"] != "http":  # no websockets here
            await send({"type": "websocket.close", "code": 1003})
            return
        try:
            await self._answer(scope, receive, out)
        except ClientDisconnect:
            return  # nobody is there to be told
        except Exception as error:
            problem = to_problem(error)
            if out.started:
                raise problem from None  # the connection is cut
            problem.headers.setdefault("Connection", "close")
            await to_response(problem)(scope, receive, out)

    async def _answer(self, scope: Scope, receive: Receive, out: "_Out") -> None:
        headers, safety = _collected(scope), self.safety
        host = check_host(headers[b"host"], safety.names)
        check_origin(headers[b"origin"], headers[b"sec-fetch-site"], host)
        if safety.tokens is not None and safety.browser:
            response = enter(scope, safety.tokens, host)
            if response is not None:
                await response(scope, receive, out)
                return
        scope.setdefault("state", {})["role"] = self._role(scope, headers, host)
        body = _Counted(receive, safety.limits, headers)
        await self.app(scope, body, out)

    def _role(self, scope: Scope, headers: Headers, host: str) -> Role | None:
        safety = self.safety
        if safety.tokens is None:
            return safety.everybody
        token = _bearer(headers)
        if token is None and safety.browser:
            token = cookie_token(headers[b"cookie"], host)
        role = None if token is None else safety.tokens.role_of(token)
        if role is None and scope["path"] not in safety.open_paths:
            raise Problem(
                401,
                "A token is needed: send the header 'Authorization: Bearer TOKEN'.",
                {"WWW-Authenticate": "Bearer"},
            )
        return role


def _collected(scope: Scope) -> Headers:
    """All headers of a request by name; uvicorn has names in lower case."""
    found: Headers = defaultdict(list)
    for name, value in scope["headers"]:
        found[name].append(value.decode("latin-1"))
    return found


def _bearer(headers: Headers) -> str | None:
    """The token of a request, if it has exactly one."""
    given = headers[b"authorization"]
    kind, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    return token.strip() if kind.lower() == "bearer" else None


class _Out:
    """Sends with the headers that all responses have; notes when it began."""

    def __init__(self, send: Send) -> None:
        self._send, self.started = send, False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            message = {**message, "headers": secured(message.get("headers", ()))}
        await self._send(message)


class _Counted:
    """Receives a body in time and within its size, or not at all."""

    def __init__(self, receive: Receive, limits: Limits, headers: Headers) -> None:
        self._receive, self._limits = receive, limits
        self._left = limits.body
        self._end: float | None = None
        self._done = False
        for declared in headers[b"content-length"]:
            if not declared.isdigit() or int(declared[:20]) > limits.body:
                raise self._too_large()

    async def __call__(self) -> Message:
        if self._done:  # waiting for the client to hang up takes as long as it takes
            return await self._receive()
        loop = asyncio.get_running_loop()
        self._end = self._end or loop.time() + self._limits.seconds
        try:
            async with asyncio.timeout_at(self._end):
                message: dict[str, Any] = dict(await self._receive())
        except TimeoutError:
            raise Problem(408, "The body of the request took too long.") from None
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise self._too_large()
        self._done = not message.get("more_body", False)
        return message

    def _too_large(self) -> Problem:
        return Problem(
            413,
            f"The body is larger than {self._limits.body} bytes; send less at once.",
        )
