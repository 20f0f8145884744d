"""Counts for Prometheus, in its text format."""

import time
from bisect import bisect_left
from collections.abc import Collection

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """What was asked and how long it took; an application around another."""

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = frozenset(paths)
        self._counts: dict[tuple[str, int], int] = {}
        self._times: dict[str, list[float]] = {}
        self.app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count a request, also one that is refused."""
        assert self.app is not None
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start, status = time.perf_counter(), 500

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, noting)
        finally:
            self._note(scope["path"], status, time.perf_counter() - start)

    def _note(self, path: str, status: int, seconds: float) -> None:
        # A path that nobody knows would make a series of its own.
        path = path if path in self._paths else "other"
        self._counts[path, status] = self._counts.get((path, status), 0) + 1
        own = self._times.setdefault(path, [0.0] * (len(_BOUNDS) + 2))
        own[bisect_left(_BOUNDS, seconds)] += 1
        own[-1] += seconds

    def to_text(self, **gauges: float) -> str:
        """All of it, with figures of the moment."""
        lines = ["# TYPE sklazy_requests_total counter"]
        for (path, status), count in sorted(self._counts.items()):
            labels = f'path="{path}",status="{status}"'
            lines.append(f"sklazy_requests_total{{{labels}}} {count}")
        lines.append("# TYPE sklazy_request_seconds histogram")
        for path, own in sorted(self._times.items()):
            lines += _histogram(path, own)
        for name, value in gauges.items():
            lines += [f"# TYPE sklazy_{name} gauge", f"sklazy_{name} {value:g}"]
        return "\n".join(lines) + "\n"


def _histogram(path: str, own: list[float]) -> list[str]:
    name, lines, total = "sklazy_request_seconds", [], 0
    for bound, count in zip([*map(str, _BOUNDS), "+Inf"], own[:-1], strict=True):
        total += int(count)
        lines.append(f'{name}_bucket{{path="{path}",le="{bound}"}} {total}')
    return [
        *lines,
        f'{name}_sum{{path="{path}"}} {own[-1]:.6f}',
        f'{name}_count{{path="{path}"}} {total}',
    ]
