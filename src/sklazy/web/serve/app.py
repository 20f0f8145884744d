"""The application of `sklazy serve`: routes, their roles, and metrics."""

import asyncio
import contextlib
import json
import time
from bisect import bisect_left
from collections.abc import AsyncIterator, Callable, Collection, Hashable
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sklazy.web.bodies import read_json
from sklazy.web.guard import Safety
from sklazy.web.pages import Handler, Page, make_app
from sklazy.web.problems import Problem
from sklazy.web.serve.answers import Answers, Plain
from sklazy.web.serve.description import describe_api
from sklazy.web.serve.levels import Privacy
from sklazy.web.serve.store import Store
from sklazy.web.tokens import Role
from sklazy.web.work import Work

OPEN = ("/health", "/ready")
"""Paths that need no token: whether the server is up."""

_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


def make_server(store: Store, safety: Safety, privacy: Privacy) -> ASGIApp:
    """The application around a store."""
    server = _Server(store, safety, privacy)
    pages = server.pages()
    metrics = server.metrics = Metrics([page.path for page in pages])
    safety = replace(safety, open_paths=OPEN)
    metrics.app = make_app(pages, safety, lifespan=server.running)
    return metrics


class _Server:
    """The handlers of requests."""

    metrics: "Metrics"

    def __init__(self, store: Store, safety: Safety, privacy: Privacy) -> None:
        self._store, self._limits = store, safety.limits
        self._answers = Answers(store, privacy, safety.limits)
        self._asking = Work(safety.limits)
        # Changes are made one after the other.
        self._changing = Work(replace(safety.limits, at_once=1))
        classifies = bool(self._answers.cases.class_labels)
        schema = self._answers.cases.schema
        self._description = describe_api(schema, classifies, privacy, safety.limits)

    def pages(self) -> list[Page]:
        answers = self._answers
        ask, explain, change = Role.ASK, Role.EXPLAIN, Role.CHANGE
        return [
            Page("POST", "/v1/predict", self._handle_query(answers.predict), ask),
            Page("POST", "/v1/explain", self._handle_query(answers.explain), explain),
            Page("POST", "/v1/similar", self._handle_query(answers.similar), explain),
            Page("POST", "/v1/suggest", self._handle_query(answers.suggest), explain),
            Page("POST", "/v1/add", self._handle_change(answers.add), change),
            Page("POST", "/v1/forget", self._handle_change(answers.forget), change),
            Page("GET", "/v1/digest", self._digest, explain),
            Page("GET", "/openapi.json", self._openapi, ask),
            Page("GET", "/metrics", self._metrics, ask),
            Page("GET", "/health", self._health, None),
            Page("GET", "/ready", self._ready, None),
        ]

    @contextlib.asynccontextmanager
    async def running(self, app: object) -> AsyncIterator[None]:
        """Open while the server runs; then threads and files are closed."""
        await asyncio.to_thread(self._answers.warm_up)
        yield
        self._asking.stop()
        self._changing.stop()
        self._store.close()

    def _handle_query(self, answer: Callable[[Plain], Plain]) -> Handler:
        async def respond(request: Request) -> Response:
            body = await read_json(request, self._limits)
            if self._changing.n_open:  # it may hold the lock for a while
                return _to_json(await self._asking.run(answer, body))
            kind = self._kind_of(answer, body)
            return _to_json(await self._asking.run_alike(kind, answer, body))

        return respond

    def _kind_of(self, answer: Callable[[Plain], Plain], body: Plain) -> Hashable:
        """Key of requests that take about as long: same method, row count, cases."""
        rows = body.get("rows")
        n_rows = len(rows) if isinstance(rows, list) else 0
        return answer.__name__, n_rows, self._store.n_changes

    def _handle_change(self, answer: Callable[[Plain], Plain]) -> Handler:
        async def respond(request: Request) -> Response:
            body = await read_json(request, self._limits)
            return _to_json(await self._changing.run(answer, body))

        return respond

    async def _digest(self, request: Request) -> Response:
        return _to_json(await self._asking.run(self._answers.digest))

    async def _openapi(self, request: Request) -> Response:
        return _to_json(self._description)

    async def _metrics(self, request: Request) -> Response:
        text = self.metrics.export(
            cases=self._answers.cases.n_rows,
            changes=self._store.n_changes,
            working=self._asking.n_open + self._changing.n_open,
        )
        return Response(text, media_type="text/plain; version=0.0.4")

    async def _health(self, request: Request) -> Response:
        return _to_json({"status": "up"})

    async def _ready(self, request: Request) -> Response:
        if self._store.is_broken:
            raise Problem(503, "The journal cannot be written; see the server's log.")
        return _to_json({"status": "ready", "takes_changes": self._store.can_change})


def _to_json(content: Any) -> Response:  # noqa: ANN401 - plain data
    return Response(json.dumps(content, allow_nan=False), media_type="application/json")


class Metrics:
    """Middleware that counts requests and their durations."""

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

        async def send_noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_noted)
        finally:
            self._count_request(scope["path"], status, time.perf_counter() - start)

    def _count_request(self, path: str, status: int, seconds: float) -> None:
        # An unknown path would make a series of its own.
        path = path if path in self._paths else "other"
        self._counts[path, status] = self._counts.get((path, status), 0) + 1
        counts = self._times.setdefault(path, [0.0] * (len(_BOUNDS) + 2))
        counts[bisect_left(_BOUNDS, seconds)] += 1
        counts[-1] += seconds

    def export(self, **gauges: float) -> str:
        """All counts in the text format of Prometheus, with gauges."""
        lines = ["# TYPE sklazy_requests_total counter"]
        for (path, status), count in sorted(self._counts.items()):
            labels = f'path="{path}",status="{status}"'
            lines.append(f"sklazy_requests_total{{{labels}}} {count}")
        lines.append("# TYPE sklazy_request_seconds histogram")
        for path, counts in sorted(self._times.items()):
            lines += _format_histogram(path, counts)
        for name, value in gauges.items():
            lines += [f"# TYPE sklazy_{name} gauge", f"sklazy_{name} {value:g}"]
        return "\n".join(lines) + "\n"


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
