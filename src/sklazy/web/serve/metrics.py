"""Counts of requests for Prometheus, their ids, and a log of them without values."""

import json
import os
import re
import secrets
import sys
import time
from bisect import bisect_left
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from typing import Any, TextIO

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_HEADER = b"x-request-id"

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

    def __init__(self, paths: Collection[str], log: AccessLog | None = None) -> None:
        self._paths, self._log = frozenset(paths), log
        self._counts: dict[tuple[str, int], int] = {}
        self._times: dict[str, list[float]] = {}
        self._start = time.time()
        self.app: ASGIApp | None = None

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
        lines = _head("sklazy_requests_total", _HELP["requests_total"], "counter")
        for (path, status), count in sorted(self._counts.items()):
            labels = f'path="{path}",status="{status}"'
            lines.append(f"sklazy_requests_total{{{labels}}} {count}")
        lines += _head("sklazy_request_seconds", _HELP["request_seconds"], "histogram")
        for path, counts in sorted(self._times.items()):
            lines += _format_histogram(path, counts)
        for name, value in gauges.items():
            lines += _head(f"sklazy_{name}", _HELP[name], "gauge")
            lines.append(f"sklazy_{name} {value:g}")
        for name, text, kind, value in _process_figures(self._start):
            lines += [*_head(f"process_{name}", text, kind), f"process_{name} {value}"]
        return "\n".join(lines) + "\n"


def _find_id(scope: Scope) -> bytes:
    """The id that a client or proxy gave a request, if it is harmless, or a new one."""
    for name, value in scope["headers"]:
        if name == _HEADER and _ID.fullmatch(value):
            return bytes(value)
    return secrets.token_hex(8).encode("ascii")


def _head(name: str, text: str, kind: str) -> list[str]:
    return [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]


def _process_figures(start: float) -> Iterator[tuple[str, str, str, float]]:
    """Figures of the process under the names that Prometheus' clients use."""
    times = os.times()
    cpu = times.user + times.system
    yield "cpu_seconds_total", "Processor time in seconds.", "counter", round(cpu, 2)
    yield "start_time_seconds", "When the server started.", "gauge", round(start, 2)
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
        n_files = len(os.listdir("/proc/self/fd"))
        size = os.sysconf("SC_PAGE_SIZE")
    except (OSError, AttributeError):  # pragma: no cover - not Linux
        return
    yield "resident_memory_bytes", "Resident memory.", "gauge", pages * size
    yield "open_fds", "Open files and sockets.", "gauge", n_files


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
