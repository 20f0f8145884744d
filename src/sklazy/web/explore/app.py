"""The explorer as an application: addresses, what they answer, and who may ask."""

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

from sklazy.web.bodies import read_json
from sklazy.web.explore import files
from sklazy.web.explore.asking import Asking
from sklazy.web.explore.downloads import finite
from sklazy.web.explore.session import Session
from sklazy.web.guard import Safety
from sklazy.web.limits import Limits
from sklazy.web.pages import Answer, Page, make_app
from sklazy.web.problems import Problem
from sklazy.web.tokens import Role, Tokens
from sklazy.web.work import Work

Plain = dict[str, Any]

_HERE = Path(__file__).parent
LIMITS = Limits(at_once=3, waiting=64, seconds=60.0)
_PATIENT = Limits(at_once=1, waiting=16, seconds=600.0)


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
    """The addresses of an explorer."""

    def __init__(self, session: Session) -> None:
        self.session, self.asking = session, Asking(session)
        self._work, self._patient = Work(LIMITS), Work(_PATIENT)
        self._turn = 0

    @contextlib.asynccontextmanager
    async def open(self, _: object) -> AsyncIterator[None]:
        """Let go of the threads when the server ends."""
        try:
            yield
        finally:
            self._work.stop()
            self._patient.stop()

    def list_pages(self) -> list[Page]:
        """All addresses with the role that each takes."""
        asking = self.asking
        told = {
            "overview": asking.overview,
            "left-out": asking.left_out,
            "jobs": asking.jobs,
            "fields": asking.fields,
            "audit": asking.audit,
            "advice": asking.advice,
            "changes": asking.changes,
        }
        asked = {
            "cases": asking.cases,
            "case": asking.case,
            "find": asking.find,
            "parse": asking.parse,
            "answer": asking.answer,
            "map": asking.map,
        }
        changed = {"start": asking.start, "change": asking.change, "undo": asking.undo}
        return [
            Page("GET", "/", self._shell, Role.EXPLAIN),
            *[_page("GET", n, self._tell(work)) for n, work in told.items()],
            *[_page("POST", n, self._ask(work)) for n, work in asked.items()],
            *[
                _page("POST", name, self._ask(work), Role.CHANGE)
                for name, work in changed.items()
            ],
            _page("POST", "receipt", self._receipt),
            Page("GET", "/download/{name}", self._download, Role.EXPLAIN),
        ]

    async def _shell(self, request: Request) -> Response:
        page = _template().render(source=self.session.source)
        return Response(page, media_type="text/html")

    def _tell(self, work: Callable[[], Plain]) -> Answer:
        async def answer(request: Request) -> Response:
            return _json(await self._work.run(work))

        return answer

    def _ask(self, work: Callable[[Mapping[str, Any]], Plain]) -> Answer:
        async def answer(request: Request) -> Response:
            given = await read_json(request, LIMITS)
            return _json(await self._work.run(work, given))

        return answer

    async def _receipt(self, request: Request) -> Response:
        """A receipt, unless another row was asked for before its turn came."""
        given = await read_json(request, LIMITS)
        self._turn += 1
        turn = self._turn

        def work() -> Plain:
            if turn != self._turn:
                raise Problem(409, "Another row was asked for in the meantime.")
            return self.asking.receipt(given)

        return _json(await self._patient.run(work))

    async def _download(self, request: Request) -> Response:
        name, given = request.path_params["name"], dict(request.query_params)
        content, kind = await self._patient.run(files.find, self.session, name, given)
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=kind, headers=headers)


def _page(method: str, name: str, answer: Answer, role: Role = Role.EXPLAIN) -> Page:
    return Page(method, f"/api/{name}", answer, role)


def _json(plain: Plain) -> Response:
    text = json.dumps(finite(plain), allow_nan=False)
    return Response(text, media_type="application/json")


def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template("explore.html.j2")
