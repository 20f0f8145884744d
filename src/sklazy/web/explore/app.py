"""The explorer as an application: its routes and their roles."""

import contextlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import jinja2
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from sklazy.report.plain import to_finite
from sklazy.web.bodies import RequestLimits, read_json
from sklazy.web.explore.asking import Asking
from sklazy.web.explore.downloads import make_download
from sklazy.web.explore.session import Session
from sklazy.web.guard import Safety
from sklazy.web.pages import Handler, Page, make_app
from sklazy.web.problems import Problem
from sklazy.web.tokens import Role, Tokens
from sklazy.web.work import Work

Plain = dict[str, Any]

_HERE = Path(__file__).parent
LIMITS = RequestLimits(at_once=3, waiting=64, seconds=60.0)
_PATIENT = RequestLimits(at_once=1, waiting=16, seconds=600.0)


def make_explorer(session: Session, token: str) -> ASGIApp:
    """The application that shows a session to those who have the token."""
    safety = Safety(limits=LIMITS, tokens=Tokens({token: Role.CHANGE}), browser=True)
    pages = _Pages(session)
    return make_app(
        pages.list_pages(),
        safety,
        mounts=[Mount("/static", StaticFiles(directory=_HERE / "static"))],
        lifespan=pages.open,
    )


class _Pages:
    """The handlers of an explorer's routes."""

    def __init__(self, session: Session) -> None:
        self.session, self.asking = session, Asking(session)
        self._work, self._patient = Work(LIMITS), Work(_PATIENT)
        self._turn = 0

    @contextlib.asynccontextmanager
    async def open(self, _: object) -> AsyncIterator[None]:
        """End the threads when the server ends."""
        try:
            yield
        finally:
            self._work.stop()
            self._patient.stop()

    def list_pages(self) -> list[Page]:
        """All routes, each with the role it needs."""
        asking = self.asking
        reports = {
            "overview": asking.overview,
            "left-out": asking.left_out,
            "jobs": asking.jobs,
            "fields": asking.fields,
            "audit": asking.audit,
            "advice": asking.advice,
            "changes": asking.changes,
        }
        queries = {
            "cases": asking.cases,
            "case": asking.case,
            "find": asking.find,
            "parse": asking.parse,
            "answer": asking.answer,
            "curves": asking.curves,
            "map": asking.map,
        }
        changes = {"start": asking.start, "change": asking.change, "undo": asking.undo}
        return [
            Page("GET", "/", self._shell, Role.EXPLAIN),
            *[_page("GET", n, self._handle_get(work)) for n, work in reports.items()],
            *[_page("POST", n, self._handle_post(work)) for n, work in queries.items()],
            *[
                _page("POST", name, self._handle_post(work), Role.CHANGE)
                for name, work in changes.items()
            ],
            _page("POST", "receipt", self._receipt),
            Page("GET", "/download/{name}", self._download, Role.EXPLAIN),
        ]

    async def _shell(self, request: Request) -> Response:
        page = _template().render(source=self.session.source)
        return Response(page, media_type="text/html")

    def _handle_get(self, work: Callable[[], Plain]) -> Handler:
        async def answer(request: Request) -> Response:
            return _json(await self._work.run(work))

        return answer

    def _handle_post(self, work: Callable[[Mapping[str, Any]], Plain]) -> Handler:
        async def answer(request: Request) -> Response:
            body = await read_json(request, LIMITS)
            return _json(await self._work.run(work, body))

        return answer

    async def _receipt(self, request: Request) -> Response:
        """A receipt, unless another one was requested before its turn came."""
        body = await read_json(request, LIMITS)
        self._turn += 1
        turn = self._turn

        def work() -> Plain:
            if turn != self._turn:
                raise Problem(409, "Another row was requested in the meantime.")
            return self.asking.receipt(body)

        return _json(await self._patient.run(work))

    async def _download(self, request: Request) -> Response:
        name, query = request.path_params["name"], dict(request.query_params)
        content, kind = await self._patient.run(
            make_download, self.session, name, query
        )
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=kind, headers=headers)


def _page(method: str, name: str, answer: Handler, role: Role = Role.EXPLAIN) -> Page:
    return Page(method, f"/api/{name}", answer, role)


def _json(plain: Plain) -> Response:
    text = json.dumps(to_finite(plain), allow_nan=False)
    return Response(text, media_type="application/json")


def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template("explore.html.j2")
