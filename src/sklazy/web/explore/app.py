"""The explorer as an application: its routes and their roles."""

import contextlib
import itertools
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

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


def make_explorer(
    sessions: Sequence[Session], token: str, *, framed: bool = False
) -> ASGIApp:
    """The application that shows sessions to those who have the token.

    A single session is at the root. Several are listed there, and each is at a path of
    its own.

    Parameters
    ----------
    sessions : sequence of Session
    token : str
    framed : bool, default=False
        Whether pages on this machine, such as notebooks, may show it in a frame.
    """
    tokens = Tokens({token: Role.CHANGE})
    safety = Safety(limits=LIMITS, tokens=tokens, browser=True, framed=framed)
    paths = name_paths([session.source for session in sessions])
    if len(sessions) == 1:
        paths = [""]
    sites = [_Pages(*pair) for pair in zip(sessions, paths, strict=True)]
    pages = [page for site in sites for page in site.list_pages()]
    if len(sites) > 1:
        pages.append(Page("GET", "/", _make_list(sites), Role.EXPLAIN))
    return make_app(
        pages,
        safety,
        mounts=[Mount("/static", StaticFiles(directory=_HERE / "static"))],
        lifespan=lambda _: _open_all(sites),
    )


def name_paths(sources: Sequence[str]) -> list[str]:
    """A path for each source, all different.

    Examples
    --------
    >>> name_paths(["flats.csv", "My model", "flats.csv", "static", "?"])
    ['flats.csv', 'my-model', 'flats.csv-2', 'static-2', 'model']
    """
    taken, paths = {"static", "api", "download", "frame"}, []
    for source in sources:
        stem = re.sub(r"[^a-z0-9._]+", "-", source.lower()).strip("-.") or "model"
        numbered = (f"{stem}-{n}" for n in itertools.count(2))
        names = itertools.chain([stem], numbered)
        path = next(name for name in names if name not in taken)
        taken.add(path)
        paths.append(path)
    return paths


def _make_list(sites: Sequence["_Pages"]) -> Handler:
    """The page that lists all sessions."""

    async def answer(request: Request) -> Response:
        models = [one.describe() for one in sites]
        page = _template("site.html.j2").render(models=models)
        return Response(page, media_type="text/html")

    return answer


@contextlib.asynccontextmanager
async def _open_all(sites: Sequence["_Pages"]) -> AsyncIterator[None]:
    """End the threads of all sites when the server ends."""
    try:
        yield
    finally:
        for site in sites:
            site.close()


class _Pages:
    """The handlers of the routes of a session, below a path."""

    def __init__(self, session: Session, path: str) -> None:
        self.session, self.asking, self.path = session, Asking(session), path
        self._work, self._patient = Work(LIMITS), Work(_PATIENT)
        self._turn = 0

    def close(self) -> None:
        """End the threads."""
        self._work.stop()
        self._patient.stop()

    def describe(self) -> Plain:
        """The session in a list."""
        state = self.session.state
        return {
            "path": self.path,
            "source": self.session.source,
            "target": state.target,
            "n_features": len(state.features),
            "n_rows": state.n_rows,
            "estimator": type(state.model).__name__,
            "read_only": self.session.read_only,
        }

    def list_pages(self) -> list[Page]:
        """All routes, each with the role it needs."""
        asking = self.asking
        reports = {
            "overview": asking.overview,
            "left-out": asking.left_out,
            "jobs": asking.jobs,
            "fields": asking.fields,
            "audit": asking.audit,
            "values": asking.values,
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
            "others": asking.others,
            "map": asking.map,
            "start": asking.start,
        }
        changes = {"change": asking.change, "undo": asking.undo}
        listed = [
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
        root = f"/{self.path}" if self.path else ""
        return [page._replace(path=root + page.path) for page in listed]

    async def _shell(self, request: Request) -> Response:
        page = _template("explore.html.j2").render(
            source=self.session.source,
            root="../" if self.path else "",
            read_only=self.session.read_only,
        )
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
        own = self.session.own_file
        if name == "own.csv" and own is not None:
            name = quote(own.changed_name)
        headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
        return Response(content, media_type=kind, headers=headers)


def _page(method: str, name: str, answer: Handler, role: Role = Role.EXPLAIN) -> Page:
    return Page(method, f"/api/{name}", answer, role)


def _json(plain: Plain) -> Response:
    text = json.dumps(to_finite(plain), allow_nan=False)
    return Response(text, media_type="application/json")


def _template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template(name)
