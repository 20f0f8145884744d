"""Serve an application on a socket until it is stopped."""

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from sklazy.errors import BadInputError
from sklazy.web.bodies import RequestLimits

_HEAD = 1 << 16  # bytes of a request line and headers
_HEAD_SECONDS = 10.0
_READ_SECONDS = 30.0  # for a client to go on reading a response
_PIECE = 1 << 16  # bytes of a response that are held to be sent together
_LAST_SECONDS = 3.0  # for clients to send a last request once the server is stopped
_LEAVE = 5  # seconds for requests to end after that


def listen(host: str, port: int) -> socket.socket:
    """A socket to serve on; port 0 is any free port."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # With this protocol asyncio sends packets without delay.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        with contextlib.ExitStack() as on_error:
            on_error.callback(listening.close)
            # A server that was stopped leaves connections that are about to close.
            if sys.platform != "win32":
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((host, port))
            listening.listen(128)
            on_error.pop_all()
    except (OSError, OverflowError) as error:
        raise BadInputError(
            f"cannot listen on host {host!r}, port {port} ({error}); choose another "
            "port with --port, or 0 for any free port."
        ) from error
    return listening


def address_of(listening: socket.socket, host: str) -> str:
    """The address of a server for a browser."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listening.getsockname()[1]}"


def serve_app(
    app: ASGIApp,
    listening: socket.socket,
    limits: RequestLimits,
    *,
    on_start: Callable[[], None] | None = None,
    may_end: Callable[[], bool] = lambda: True,
) -> None:
    """Serve until Ctrl-C or a signal to end; requests under way are answered first.

    Those take a few seconds at most, unless `may_end` gives False meanwhile.
    """
    server = _Server(make_config(app, limits), on_start, may_end)
    try:
        server.run([listening])
    except KeyboardInterrupt:  # uvicorn raises it again after its shutdown
        pass
    finally:
        listening.close()


def make_config(app: ASGIApp, limits: RequestLimits) -> uvicorn.Config:
    """Configure uvicorn: one protocol, no logs of addresses, no trusted headers."""
    return uvicorn.Config(
        app,
        http=_Bounded,
        ws="none",
        loop="asyncio",
        log_config=None,
        log_level="critical",
        access_log=False,  # it would write the tokens in addresses
        server_header=False,
        date_header=False,
        proxy_headers=False,
        # The last one is refused only if no other waits for its client.
        limit_concurrency=limits.connections + 1,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_LEAVE,
    )


class _Server(uvicorn.Server):
    """A server that reports when it is ready, and cuts off no client when it ends.

    On SIGTERM it accepts no more connections, answers what arrives on those there are,
    and closes each with its answer, which tells the client so. Others may be listening
    at the same socket by then. A client that stays silent is left after a while.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        on_start: Callable[[], None] | None,
        may_end: Callable[[], bool] = lambda: True,
    ) -> None:
        super().__init__(config)
        self._on_start, self._may_end = on_start, may_end
        self._is_patient = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End; after SIGTERM only once clients have their answers."""
        self._is_patient = sig == signal.SIGTERM
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._is_patient:
            await self._hand_over(sockets or [])
        await super().shutdown(sockets)

    async def _hand_over(self, sockets: list[socket.socket]) -> None:
        """Wait until all connections are closed by their last answers."""
        loop = asyncio.get_running_loop()
        with contextlib.suppress(NotImplementedError):  # Windows
            for one in sockets:
                loop.remove_reader(one)
        await asyncio.sleep(0)  # connections that were just accepted are made
        await asyncio.sleep(0)
        for server in self.servers:
            server.close()  # else a new server could not listen at this port
        end = loop.time() + _LAST_SECONDS
        for connection in self.server_state.connections:
            assert isinstance(connection, _Bounded)
            connection.close_with_answer()
        while self.server_state.connections and self._is_patient:  # until Ctrl-C
            if loop.time() > end and self._may_end():
                return
            await asyncio.sleep(0.02)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self._on_start is not None:
            self._on_start()


class _Joined:
    """A transport that joins writes: one packet for the head and body of a response."""

    def __init__(self, transport: Any, loop: asyncio.AbstractEventLoop) -> None:  # noqa: ANN401
        self._transport, self._loop = transport, loop
        self._held: list[bytes] = []
        self._size = 0

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - what the transport has
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Hold data until the running callback has ended, or there is much of it."""
        if not self._held:
            self._loop.call_soon(self._send)
        self._held.append(data)
        self._size += len(data)
        if self._size > _PIECE:
            self._send()

    def close(self) -> None:
        """Send the held data, then close."""
        self._send()
        self._transport.close()

    def _send(self) -> None:
        held, self._held, self._size = self._held, [], 0
        if held:
            self._transport.write(b"".join(held))


class _Bounded(HttpToolsProtocol):
    """Connections with limits: on headers, on a response that is not read, on places.

    When all places are taken, a new connection gets that of the client that the server
    has waited for longest: for a request, the rest of one, or the reading of a
    response. So slow clients cannot keep others out.
    """

    _timer: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None
    _head = 0
    _is_last = False  # whether the next answer is the last one
    _since = 0.0  # when the server began to wait for this client, if it does

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401 - a transport
        self._make_room()
        super().connection_made(_Joined(transport, self.loop))  # type: ignore[arg-type]
        self._since = self.loop.time()
        self._expect()

    def data_received(self, data: bytes) -> None:
        before = self.cycle
        if before is None or before.response_complete or not before.more_body:
            self._head += len(data)
        super().data_received(data)
        if self.cycle is not before:
            self._arrived()
        elif self._head > _HEAD:
            self.transport.close()
        elif self._head and self._timer is None:
            self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        self._arrived()
        self._was_read()
        super().connection_lost(exc)

    def close_with_answer(self) -> None:
        """Close with the next answer whose head is not yet sent."""
        self._is_last = True
        self._announce_end()

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self._announce_end()

    def _announce_end(self) -> None:
        cycle = self.cycle
        if self._is_last and cycle is not None and not cycle.response_started:
            cycle.keep_alive = False  # it sends "connection: close"

    def on_response_complete(self) -> None:
        self._since = self.loop.time()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """The client does not read: it has a while to go on."""
        super().pause_writing()
        self._was_read()
        self._unread = self.loop.call_later(_READ_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._was_read()

    def _was_read(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _make_room(self) -> None:
        """Close the connection that has kept the server waiting longest."""
        limit = self.limit_concurrency
        others = [o for o in self.connections if not o.transport.is_closing()]
        if limit is None or len(others) < limit - 1:
            return
        idle = [o for o in others if isinstance(o, _Bounded) and o._is_waiting()]
        if idle:
            min(idle, key=lambda one: one._since).transport.abort()

    def _is_waiting(self) -> bool:
        """Whether the server has nothing to do here until the client acts."""
        cycle = self.cycle
        if cycle is None or cycle.response_complete or cycle.more_body:
            return True
        return self._unread is not None

    def _expect(self) -> None:
        self._timer = self.loop.call_later(_HEAD_SECONDS, self._give_up)

    def _arrived(self) -> None:
        self._head = 0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self.transport.close()
