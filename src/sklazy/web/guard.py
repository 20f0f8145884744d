"""ASGI layer around the routes: checks hosts, tokens and sizes, adds common headers.

A request that it refuses never reaches the routes.
"""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sklazy.web.bodies import RequestLimits
from sklazy.web.hosts import LOCAL_NAMES, check_host, check_origin
from sklazy.web.problems import Problem, to_problem, to_response
from sklazy.web.tokens import (
    Role,
    Tokens,
    cookie_token,
    move_to_cookie,
    split_frame_path,
)

Headers = defaultdict[bytes, list[str]]

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
_FIXED = [(k.encode(), v.encode()) for k, v in _ALWAYS.items()]
_LOCAL_PAGES = b"http://localhost:* http://127.0.0.1:* https://localhost:*"
_FRAMED = [
    (name, value.replace(b"ancestors 'none'", b"ancestors " + _LOCAL_PAGES))
    for name, value in _FIXED
    if name != b"x-frame-options"
]
_NAMES = {name for name, _ in _FIXED}
_NO_STORE = (b"cache-control", b"no-store")


@dataclass(frozen=True)
class Safety:
    """Checks that requests have to pass.

    Attributes
    ----------
    limits : RequestLimits
    names : collection of str
        Names of the server in Host headers, without ports.
    tokens : Tokens, or None
        Without tokens, everybody who reaches the server has the role `everybody`.
    everybody : Role
    browser : bool
        Whether a token in the address opens the pages: it is moved to a cookie.
    open_paths : collection of str
        Paths that need no token.
    framed : bool
        Whether pages on this machine may show it in a frame, by a path with the token.
    """

    limits: RequestLimits = field(default_factory=RequestLimits)
    names: Collection[str] = LOCAL_NAMES
    tokens: Tokens | None = None
    everybody: Role = Role.EXPLAIN
    browser: bool = False
    open_paths: Collection[str] = ()
    framed: bool = False


class Guard:
    """An application behind the checks of `Safety`."""

    def __init__(self, app: ASGIApp, safety: Safety) -> None:
        self.app, self.safety = app, safety

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; errors become problems."""
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
            return  # the client has gone
        except Exception as error:
            problem = to_problem(error)
            if out.started:
                raise problem from None  # closes the connection
            problem.headers.setdefault("Connection", "close")
            await to_response(problem)(scope, receive, out)

    async def _answer(self, scope: Scope, receive: Receive, out: "_Out") -> None:
        headers, safety = _collect_headers(scope), self.safety
        if scope["path"] in safety.open_paths and scope["method"] in ("GET", "HEAD"):
            # Probes call a server by any address, and learn nothing but that it is up.
            scope.setdefault("state", {})["role"] = None
            await self.app(scope, _Counted(receive, safety.limits, headers), out)
            return
        host = check_host(headers[b"host"], safety.names)
        scope, token = split_frame_path(scope) if safety.framed else (scope, None)
        # A frame is opened by another page; its own requests come from itself.
        is_opened = token is not None and headers[b"sec-fetch-dest"] == ["iframe"]
        sites = [] if is_opened else headers[b"sec-fetch-site"]
        check_origin(headers[b"origin"], sites, host)
        out.is_framed = token is not None
        if safety.tokens is not None and safety.browser:
            response = move_to_cookie(scope, safety.tokens, host)
            if response is not None:
                await response(scope, receive, out)
                return
        state = scope.setdefault("state", {})
        state["role"] = self._role(headers, host, token)
        state["token"] = _bearer_token(headers) or ""
        body = _Counted(receive, safety.limits, headers)
        await self.app(scope, body, out)

    def _role(self, headers: Headers, host: str, token: str | None) -> Role | None:
        safety = self.safety
        if safety.tokens is None:
            return safety.everybody
        token = token or _bearer_token(headers)
        if token is None and safety.browser:
            token = cookie_token(headers[b"cookie"], host)
        role = None if token is None else safety.tokens.role_of(token)
        if role is None:
            raise Problem(
                401,
                "A token is needed: send the header 'Authorization: Bearer TOKEN'.",
                {"WWW-Authenticate": "Bearer"},
            )
        return role


def _collect_headers(scope: Scope) -> Headers:
    """All headers of a request by name; uvicorn has names in lower case."""
    headers: Headers = defaultdict(list)
    for name, value in scope["headers"]:
        headers[name].append(value.decode("latin-1"))
    return headers


def _bearer_token(headers: Headers) -> str | None:
    """The token of a request, if it has exactly one."""
    values = headers[b"authorization"]
    kind, _, token = values[0].partition(" ") if len(values) == 1 else ("", "", "")
    return token.strip() if kind.lower() == "bearer" else None


class _Out:
    """Sends responses with the common headers; `started` after the first part."""

    def __init__(self, send: Send) -> None:
        self._send, self.started, self.is_framed = send, False, False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            headers = _add_common_headers(message.get("headers", ()), self.is_framed)
            message = {**message, "headers": headers}
        await self._send(message)


def _add_common_headers(
    headers: Iterable[tuple[bytes, bytes]], is_framed: bool
) -> list[tuple[bytes, bytes]]:
    """Add the headers of all responses; caching only where a response sets it."""
    others = [(name, value) for name, value in headers if name not in _NAMES]
    is_cached = any(name == b"cache-control" for name, _ in others)
    common = _FRAMED if is_framed else _FIXED
    return others + common + ([] if is_cached else [_NO_STORE])


class _Counted:
    """Receives a body within the limits of size and time."""

    def __init__(
        self, receive: Receive, limits: RequestLimits, headers: Headers
    ) -> None:
        self._receive, self._limits = receive, limits
        self._left = limits.body
        self._end: float | None = None
        self._done = False
        for declared in headers[b"content-length"]:
            if not declared.isdigit() or int(declared[:20]) > limits.body:
                raise self._too_large()

    async def __call__(self) -> Message:
        if self._done:  # no time limit for the client to disconnect
            return await self._receive()
        loop = asyncio.get_running_loop()
        self._end = self._end or loop.time() + self._limits.seconds
        try:
            async with asyncio.timeout_at(self._end):
                message: dict[str, Any] = dict(await self._receive())
        except TimeoutError:
            raise Problem(408, "The body took too long to arrive.") from None
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
