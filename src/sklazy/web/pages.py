"""Routes with the role that each needs, and the application made of them.

An application is a folder of `web/` with its `Page`s. Long work goes through
`web/work.py`, bodies through `web/bodies.py`; errors are raised, and `web/guard.py`
answers them.
"""

import functools
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from sklazy.web.guard import Guard, Safety
from sklazy.web.problems import Problem
from sklazy.web.tokens import Role

Handler = Callable[[Request], Awaitable[Response]]


class Page(NamedTuple):
    """A route; `role` is the role that it needs, None if it is public."""

    method: str
    path: str
    answer: Handler
    role: Role | None


def make_app(
    pages: Sequence[Page],
    safety: Safety,
    *,
    mounts: Sequence[BaseRoute] = (),
    lifespan: Callable[[object], AbstractAsyncContextManager[None]] | None = None,
) -> ASGIApp:
    """An application of pages behind the guard.

    Parameters
    ----------
    pages : sequence of Page
    safety : Safety
    mounts : sequence of BaseRoute
        Further routes, such as folders of files; any role may read them.
    lifespan : callable, optional
        A context manager that is open while the server runs.
    """
    routes = [
        Route(page.path, _check_role(page), methods=[page.method]) for page in pages
    ]
    router = Router([*routes, *mounts], redirect_slashes=False, lifespan=lifespan)
    router.default = _nothing_here
    return Guard(_shortcut(pages, router), safety)


def _shortcut(pages: Sequence[Page], router: ASGIApp) -> ASGIApp:
    """Look up pages with a fixed path directly, and others by the router."""
    known = {
        (page.method, page.path): _check_role(page)
        for page in pages
        if "{" not in page.path
    }

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        answer = None
        if scope["type"] == "http":
            answer = known.get((scope["method"], scope["path"]))
        if answer is None:
            await router(scope, receive, send)
            return
        response = await answer(Request(scope, receive, send))
        await response(scope, receive, send)

    return app


def _check_role(page: Page) -> Handler:
    """The page's handler, which refuses a role that is too low."""

    @functools.wraps(page.answer)
    async def answer(request: Request) -> Response:
        role = request.scope["state"]["role"]
        if page.role is not None and (role is None or role < page.role):
            needed = page.role.name.lower()
            raise Problem(403, f"This needs a token with the role {needed}.")
        return await page.answer(request)

    return answer


async def _nothing_here(scope: object, receive: object, send: object) -> None:
    raise Problem(404, "There is nothing at this address.")
