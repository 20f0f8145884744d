"""The application of `sklazy serve`: addresses, roles, and what each answers."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Hashable
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from sklazy.web.bodies import read_json
from sklazy.web.guard import Safety
from sklazy.web.pages import Answer, Page, make_app
from sklazy.web.problems import Problem
from sklazy.web.serve.answers import Answers, Plain
from sklazy.web.serve.description import describe
from sklazy.web.serve.levels import Privacy
from sklazy.web.serve.metrics import Metrics
from sklazy.web.serve.store import Store
from sklazy.web.tokens import Role
from sklazy.web.work import Work

OPEN = ("/health", "/ready")
"""What needs no token: whether the server is up."""


def make_server(store: Store, safety: Safety, privacy: Privacy) -> ASGIApp:
    """The application around a store."""
    server = _Server(store, safety, privacy)
    pages = server.pages()
    metrics = server.metrics = Metrics([page.path for page in pages])
    safety = replace(safety, open_paths=OPEN)
    metrics.app = make_app(pages, safety, lifespan=server.running)
    return metrics


class _Server:
    """Requests, as they come in, to answers."""

    metrics: Metrics

    def __init__(self, store: Store, safety: Safety, privacy: Privacy) -> None:
        self._store, self._limits = store, safety.limits
        self._answers = Answers(store, privacy, safety.limits)
        self._asking = Work(safety.limits)
        # Changes come one after the other.
        self._changing = Work(replace(safety.limits, at_once=1))
        classifies = bool(self._answers.cases.class_labels)
        schema = self._answers.cases.schema
        self._description = describe(schema, classifies, privacy, safety.limits)

    def pages(self) -> list[Page]:
        answers = self._answers
        ask, explain, change = Role.ASK, Role.EXPLAIN, Role.CHANGE
        return [
            Page("POST", "/v1/predict", self._asked(answers.predict), ask),
            Page("POST", "/v1/explain", self._asked(answers.explain), explain),
            Page("POST", "/v1/similar", self._asked(answers.similar), explain),
            Page("POST", "/v1/suggest", self._asked(answers.suggest), explain),
            Page("POST", "/v1/add", self._changed(answers.add), change),
            Page("POST", "/v1/forget", self._changed(answers.forget), change),
            Page("GET", "/v1/digest", self._digest, explain),
            Page("GET", "/openapi.json", self._openapi, ask),
            Page("GET", "/metrics", self._metrics, ask),
            Page("GET", "/health", self._health, None),
            Page("GET", "/ready", self._ready, None),
        ]

    @contextlib.asynccontextmanager
    async def running(self, app: object) -> AsyncIterator[None]:
        """While the server runs; then threads and files are let go."""
        await asyncio.to_thread(self._answers.warm_up)
        yield
        self._asking.stop()
        self._changing.stop()
        self._store.close()

    def _asked(self, answer: Callable[[Plain], Plain]) -> Answer:
        async def respond(request: Request) -> Response:
            asked = await read_json(request, self._limits)
            if self._changing.n_open:  # it may hold the lock for a while
                return _plain(await self._asking.run(answer, asked))
            kind = self._kind_of(answer, asked)
            return _plain(await self._asking.run_alike(kind, answer, asked))

        return respond

    def _kind_of(self, answer: Callable[[Plain], Plain], asked: Plain) -> Hashable:
        """What takes about as long: as many rows, in the same state of the cases."""
        rows = asked.get("rows")
        n_rows = len(rows) if isinstance(rows, list) else 0
        return answer.__name__, n_rows, self._store.n_changes

    def _changed(self, answer: Callable[[Plain], Plain]) -> Answer:
        async def respond(request: Request) -> Response:
            asked = await read_json(request, self._limits)
            return _plain(await self._changing.run(answer, asked))

        return respond

    async def _digest(self, request: Request) -> Response:
        return _plain(await self._asking.run(self._answers.digest))

    async def _openapi(self, request: Request) -> Response:
        return _plain(self._description)

    async def _metrics(self, request: Request) -> Response:
        text = self.metrics.to_text(
            cases=self._answers.cases.n_rows,
            changes=self._store.n_changes,
            working=self._asking.n_open + self._changing.n_open,
        )
        return Response(text, media_type="text/plain; version=0.0.4")

    async def _health(self, request: Request) -> Response:
        return _plain({"status": "up"})

    async def _ready(self, request: Request) -> Response:
        if self._store.is_broken:
            raise Problem(503, "The journal cannot be written; see the server's log.")
        return _plain({"status": "ready", "takes_changes": self._store.can_change})


def _plain(content: Any) -> Response:  # noqa: ANN401 - plain data
    return Response(json.dumps(content, allow_nan=False), media_type="application/json")
