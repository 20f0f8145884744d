"""Counts of requests for Prometheus, their ids, and a log of them without values."""

import asyncio
import contextlib
import json
import re
import secrets
import sys
import time
from bisect import bisect_left
from collections.abc import AsyncIterator, Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sklazy.web.serve.figures import Counts, SharedCounts, read_process_figures

_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_HEADER = b"x-request-id"
_START = time.time()  # of the first process: workers are forked from it
_SAVED = 0.5  # seconds after which a worker saves its counts for the others

_HELP = {
    "requests_total": "Requests by path and status.",
    "request_seconds": "Time from the first byte of a request to its answer.",
    "cases": "Cases of the model.",
    "changes": "Changes since the server started.",
    "working": "Requests that are worked on or wait.",
}


class AccessLog:
    """Writes a line of JSON for each request: no values, no tokens, no addresses."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr

    def write(self, **facts: Any) -> None:  # noqa: ANN401 - plain data
        """Write a line with the time and these facts."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._stream.write(json.dumps({"time": now, **facts}) + "\n")
        self._stream.flush()


class Metrics:
    """Middleware that counts requests and their durations, and gives each an id."""

    def __init__(
        self,
        paths: Collection[str],
        log: AccessLog | None = None,
        shared: Path | None = None,
    ) -> None:
        self._paths, self._log = frozenset(paths), log
        self._counts: dict[tuple[str, int], int] = {}
        self._times: dict[str, list[float]] = {}
        self._shared = None if shared is None else SharedCounts(shared)
        self.app: ASGIApp | None = None

    @contextlib.asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """Save the counts for other workers while the server runs, if there are any."""
        if self._shared is None:
            yield
            return
        saving = asyncio.create_task(self._save(self._shared))
        try:
            yield
        finally:
            saving.cancel()
            self._shared.end(self._gather())

    async def _save(self, shared: SharedCounts) -> None:
        before: Counts = {}
        while True:
            if (counts := self._gather()) != before:
                shared.save(counts)
            before = counts
            await asyncio.sleep(_SAVED)

    def _gather(self) -> Counts:
        """All counts by a text: the path and the status, or the path of times."""
        by_status = {
            f"{path} {status}": [float(n)] for (path, status), n in self._counts.items()
        }
        return by_status | {path: list(times) for path, times in self._times.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count a request, also one that is refused."""
        assert self.app is not None
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start, status, name = time.perf_counter(), 500, _find_id(scope)

        async def send_noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = [*message.get("headers", ()), (_HEADER, name)]
                message = {**message, "headers": headers}
            await send(message)

        try:
            await self.app(scope, receive, send_noted)
        finally:
            self._note(scope, status, time.perf_counter() - start, name.decode())

    def _note(self, scope: Scope, status: int, seconds: float, name: str) -> None:
        # An unknown path would make a series of its own.
        path = scope["path"] if scope["path"] in self._paths else "other"
        self._counts[path, status] = self._counts.get((path, status), 0) + 1
        counts = self._times.setdefault(path, [0.0] * (len(_BOUNDS) + 2))
        counts[bisect_left(_BOUNDS, seconds)] += 1
        counts[-1] += seconds
        if self._log is not None:
            role = scope.get("state", {}).get("role")
            self._log.write(
                id=name,
                method=scope["method"] if path != "other" else "other",
                path=path,
                status=status,
                seconds=round(seconds, 6),
                role=None if role is None else role.name.lower(),
            )

    def export(self, **gauges: float) -> str:
        """All counts in the text format of Prometheus, with gauges."""
        counts, is_shared = self._gather(), self._shared is not None
        if self._shared is not None:
            counts = self._shared.sum_with(counts)
        lines = _head("sklazy_requests_total", _HELP["requests_total"], "counter")
        for key, numbers in sorted(counts.items()):
            path, _, status = key.partition(" ")
            if status:
                labels = f'path="{path}",status="{status}"'
                lines.append(f"sklazy_requests_total{{{labels}}} {numbers[0]:.0f}")
        lines += _head("sklazy_request_seconds", _HELP["request_seconds"], "histogram")
        for path, numbers in sorted(counts.items()):
            if " " not in path:
                lines += _format_histogram(path, numbers)
        for name, value in gauges.items():
            lines += _head(f"sklazy_{name}", _HELP[name], "gauge")
            lines.append(f"sklazy_{name} {value:g}")
        for one in read_process_figures(_START, together=is_shared):
            lines += _head(f"process_{one.name}", one.text, one.kind)
            lines.append(f"process_{one.name} {one.value}")
        return "\n".join(lines) + "\n"


def _find_id(scope: Scope) -> bytes:
    """The id that a client or proxy gave a request, if it is harmless, or a new one."""
    for name, value in scope["headers"]:
        if name == _HEADER and _ID.fullmatch(value):
            return bytes(value)
    return secrets.token_hex(8).encode("ascii")


def _head(name: str, text: str, kind: str) -> list[str]:
    return [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]


def _format_histogram(path: str, counts: list[float]) -> list[str]:
    """The lines of a histogram; the last of `counts` is the sum of seconds."""
    name, lines, total = "sklazy_request_seconds", [], 0
    for bound, count in zip([*map(str, _BOUNDS), "+Inf"], counts[:-1], strict=True):
        total += int(count)
        lines.append(f'{name}_bucket{{path="{path}",le="{bound}"}} {total}')
    return [
        *lines,
        f'{name}_sum{{path="{path}"}} {counts[-1]:.6f}',
        f'{name}_count{{path="{path}"}} {total}',
    ]
