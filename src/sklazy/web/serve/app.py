"""The application of `sklazy serve`: routes, their roles, and metrics."""

import asyncio
import contextlib
import json
import logging
import signal
from collections.abc import AsyncIterator, Callable, Hashable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from sklazy.errors import BadInputError, SklazyError
from sklazy.web.bodies import read_json
from sklazy.web.guard import Safety
from sklazy.web.pages import Handler, Page, make_app
from sklazy.web.problems import Problem
from sklazy.web.serve.answers import Answers, Plain
from sklazy.web.serve.budget import QuestionBudget
from sklazy.web.serve.description import describe_api
from sklazy.web.serve.dialects import describe_model, infer, invoke
from sklazy.web.serve.levels import Privacy
from sklazy.web.serve.metrics import AccessLog, Metrics
from sklazy.web.serve.store import Store
from sklazy.web.tokens import Role
from sklazy.web.work import Work

_log = logging.getLogger("sklazy.web")

OPEN = ("/health", "/ready", "/v2/health/live", "/v2/health/ready", "/ping")
"""Paths that need no token: whether the server is up."""


def make_server(
    store: Store,
    safety: Safety,
    privacy: Privacy,
    *,
    name: str = "model",
    budget: QuestionBudget | None = None,
    log: AccessLog | None = None,
) -> ASGIApp:
    """The application around a store.

    Parameters
    ----------
    store : Store
    safety : Safety
    privacy : Privacy
    name : str
        The model's name in the addresses of the open inference protocol.
    budget : QuestionBudget, optional
        How many rows each token may ask about.
    log : AccessLog, optional
        Where each request is written down.
    """
    return ModelServer(store, safety, privacy, name, budget, log).app


class ModelServer:
    """The handlers of requests, and the application made of them.

    Parameters
    ----------
    store, safety, privacy, name, budget, log
        As for `make_server`.
    shared : Path, optional
        A folder in which the workers of a server add up their counts.

    Attributes
    ----------
    app : ASGI application
    before_erasure, after_erasure : callable
        Note that processes may have to be replaced; replace those that have seen
        erased rows, and return whether this was done.
    """

    def __init__(
        self,
        store: Store,
        safety: Safety,
        privacy: Privacy,
        name: str = "model",
        budget: QuestionBudget | None = None,
        log: AccessLog | None = None,
        *,
        shared: Path | None = None,
    ) -> None:
        self.before_erasure: Callable[[], None] = lambda: None
        self.after_erasure: Callable[[], bool] = lambda: False
        self._store, self._limits = store, safety.limits
        self._name, self._budget = name, budget
        self._answers = Answers(store, privacy, safety.limits)
        self._asking = Work(safety.limits)
        # Changes are made one after the other.
        self._changing = Work(replace(safety.limits, at_once=1), stops=False)
        classifies = bool(self._answers.cases.class_labels)
        schema = self._answers.cases.schema
        self._description = describe_api(
            schema, classifies, privacy, safety.limits, name
        )
        self._metadata = describe_model(name, schema, classifies)
        pages = self.pages()
        self.metrics = Metrics([page.path for page in pages], log, shared)
        safety = replace(safety, open_paths=OPEN)
        self.metrics.app = make_app(pages, safety, lifespan=self.running)

    def warm_up(self) -> None:
        """Answer a first row, or raise why the model cannot answer any."""
        self._answers.warm_up()

    @property
    def is_changing(self) -> bool:
        """Whether a change is under way."""
        return self._changing.n_open > 0

    @property
    def app(self) -> ASGIApp:
        """The application, which counts its requests."""
        return self.metrics

    def pages(self) -> list[Page]:
        """All routes, with the role that each needs."""
        ask, explain, change = Role.ASK, Role.EXPLAIN, Role.CHANGE
        model = f"/v2/models/{self._name}"
        # It confirms a guess of the last case to somebody who knows all others.
        digest_role = change if self._answers.privacy.uses_groups else explain
        return [
            Page("POST", f"{model}/infer", self._handle_query(self._infer), ask),
            Page("GET", model, self._describe_model, ask),
            Page("GET", f"{model}/ready", self._ready, ask),
            Page("GET", "/v2/health/live", self._health, None),
            Page("GET", "/v2/health/ready", self._ready, None),
            Page("POST", "/invocations", self._handle_query(self._invoke), ask),
            Page("GET", "/ping", self._ready, None),
            Page(
                "POST", "/v1/predict", self._handle_query(self._later("predict")), ask
            ),
            Page(
                "POST",
                "/v1/explain",
                self._handle_query(self._later("explain")),
                explain,
            ),
            Page(
                "POST",
                "/v1/similar",
                self._handle_query(self._later("similar")),
                explain,
            ),
            Page(
                "POST",
                "/v1/suggest",
                self._handle_query(self._later("suggest")),
                explain,
            ),
            Page("POST", "/v1/add", self._handle_change(self._later("add")), change),
            Page(
                "POST", "/v1/forget", self._handle_change(self._later("forget")), change
            ),
            Page("DELETE", "/v1/cases", self._handle_change(self._erase), change),
            Page("GET", "/v1/digest", self._digest, digest_role),
            Page("GET", "/openapi.json", self._openapi, ask),
            Page("GET", "/metrics", self._metrics, ask),
            Page("GET", "/health", self._health, None),
            Page("GET", "/ready", self._ready, None),
        ]

    @contextlib.asynccontextmanager
    async def running(self, app: object) -> AsyncIterator[None]:
        """Open while the server runs; then threads and files are closed."""
        await asyncio.to_thread(self._answers.warm_up)
        loop = asyncio.get_running_loop()
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            # Not on Windows, nor in a thread.
            loop.add_signal_handler(
                signal.SIGHUP, loop.run_in_executor, None, self._reload_and_note
            )
        async with self.metrics.kept():
            yield
        self._asking.stop()
        self._changing.stop()
        self._store.close()

    def _later(self, name: str) -> Callable[[Plain], Plain]:
        """Call a method of the answers as they are then: a reload replaces them."""

        def answer(body: Plain) -> Plain:
            return cast("Plain", getattr(self._answers, name)(body))

        answer.__name__ = name
        return answer

    def reload(self) -> None:
        """Answer by the model's file as it is now, once it is loaded and warm.

        Requests meanwhile are answered by the model before; a file that cannot be used
        changes nothing.
        """
        self.use(self._store.reopened())

    def use(self, store: Store) -> None:
        """Answer by another store of a model with the same columns, once it is warm."""
        answers = Answers(store, self._answers.privacy, self._limits)
        if answers.rows.names != self._answers.rows.names:
            raise BadInputError("the new model has other columns; start a new server.")
        answers.warm_up()
        self._store, self._answers = store, answers

    def _erase(self, body: Plain) -> Plain:
        """Erase a person; in all processes, where there are several."""
        self.before_erasure()
        answer = self._answers.erase(body)
        return answer | {"processes_replaced": self.after_erasure()}

    def _reload_and_note(self) -> None:
        try:
            self.reload()
        except (SklazyError, OSError) as error:
            _log.error("the model was not reloaded: %s", error)
        else:
            _log.warning("the model was reloaded: %s", self._store.model.digest())

    def _infer(self, body: Plain) -> Plain:
        names = self._answers.rows.names
        return infer(self._name, names, self._answers.predict, body)

    def _invoke(self, body: Plain) -> Plain:
        return invoke(self._answers.predict, body)

    def _handle_query(self, answer: Callable[[Plain], Plain]) -> Handler:
        async def respond(request: Request) -> Response:
            body = await read_json(request, self._limits)
            if self._budget is not None:
                token = request.scope["state"]["token"]
                self._budget.spend(token, _count_rows(body))
            if self._changing.n_open:  # it may hold the lock for a while
                return _to_json(await self._asking.run(answer, body))
            kind = self._kind_of(answer, body)
            return _to_json(await self._asking.run_alike(kind, answer, body))

        return respond

    def _kind_of(self, answer: Callable[[Plain], Plain], body: Plain) -> Hashable:
        """Key of requests that take about as long: same method, row count, cases."""
        rows = body.get("rows")
        n_rows = len(rows) if isinstance(rows, list) else 0
        return answer.__name__, n_rows, self._store.n_changes, id(self._store)

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

    async def _describe_model(self, request: Request) -> Response:
        return _to_json(self._metadata)

    async def _health(self, request: Request) -> Response:
        return _to_json({"status": "up"})

    async def _ready(self, request: Request) -> Response:
        if self._store.is_broken:
            raise Problem(503, "The journal cannot be written; see the server's log.")
        return _to_json({"status": "ready", "takes_changes": self._store.can_change})


def _count_rows(body: Plain) -> int:
    """How many rows a body may have, whatever its form; at least one."""
    longest = 1
    for form in body.values():
        parts = form.values() if isinstance(form, dict) else [form]
        for part in parts:
            if isinstance(part, list):
                longest = max(longest, len(part), *map(_count_cells, part))
    return longest


def _count_cells(tensor: object) -> int:
    data = tensor.get("data") if isinstance(tensor, dict) else None
    return len(data) if isinstance(data, list) else 0


def _to_json(content: Any) -> Response:  # noqa: ANN401 - plain data
    return Response(json.dumps(content, allow_nan=False), media_type="application/json")
