"""Ask an application without a network, or over a socket of this machine."""

import asyncio
import contextlib
import http.client
import json
import threading
from typing import Any, NamedTuple

from sklazy.web.bodies import RequestLimits
from sklazy.web.running import _Server, listen, make_config


class Said(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


def ask(app, method="GET", path="/", *, body=None, headers=None, chunks=None):
    """What an application says to one request; `chunks` are parts of a body."""
    return asyncio.run(
        asked(app, method, path, body=body, headers=headers, chunks=chunks)
    )


async def asked(app, method="GET", path="/", *, body=None, headers=None, chunks=None):
    given = {"host": "127.0.0.1:8000", **(headers or {})}
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    if body is not None:
        given = {"content-type": "application/json", **given}
        given = {"content-length": str(len(body)), **given}
    given = {name: value for name, value in given.items() if value is not None}
    parts = iter(chunks if chunks is not None else [body or b""])
    path, _, query = path.partition("?")
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(k.encode(), v.encode("latin-1")) for k, v in given.items()],
        "state": {},
    }
    sent = []

    async def receive():
        part = next(parts, None)
        if part is None:
            await asyncio.sleep(3600)
        if isinstance(part, float):
            await asyncio.sleep(part)
            part = b""
        more = chunks is not None and part != b""
        return {"type": "http.request", "body": part, "more_body": more}

    async def send(message):
        sent.append(message)

    await app(scope, receive, send)
    start, rest = sent[0], sent[1:]
    own = {k.decode(): v.decode("latin-1") for k, v in start["headers"]}
    return Said(start["status"], own, b"".join(m.get("body", b"") for m in rest))


@contextlib.contextmanager
def running(app, limits=None):
    """The port of an application that is served in a thread."""
    listening, ready = listen("127.0.0.1", 0), threading.Event()
    server = _Server(make_config(app, limits or RequestLimits()), ready.set)
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    assert ready.wait(20)
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(20)
        listening.close()
        assert not thread.is_alive()


def fetch(port, method="GET", path="/", body=None, headers=None, seconds=20):
    """What a served application says, by the standard library's client."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        text = None if body is None else json.dumps(body)
        kind = {} if body is None else {"Content-Type": "application/json"}
        connection.request(method, path, text, {**kind, **(headers or {})})
        found = connection.getresponse()
        return Said(found.status, dict(found.getheaders()), found.read())
    finally:
        connection.close()
