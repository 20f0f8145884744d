"""From a token in an address to a cookie, so that it stands in the address once."""

from collections.abc import Sequence
from urllib.parse import parse_qsl, urlencode

from starlette.requests import cookie_parser
from starlette.responses import Response
from starlette.types import Scope

from sklazy.web.problems import Problem
from sklazy.web.tokens import Tokens

_PARAMETER = "token"


def enter(scope: Scope, tokens: Tokens, host: str) -> Response | None:
    """The way to the same address without its token; None if there is no token in it.

    The cookie is no page's business (HttpOnly) and no other site's (SameSite).
    """
    pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    given = [value for name, value in pairs if name == _PARAMETER]
    if not given or scope["method"] != "GET":
        return None
    if len(given) != 1 or tokens.role_of(given[0]) is None:
        raise Problem(401, "The token in the address is not one of this server.")
    rest = urlencode([pair for pair in pairs if pair[0] != _PARAMETER])
    # One slash: a path such as //elsewhere would be another host.
    path = "/" + scope["raw_path"].decode("latin-1").lstrip("/\\")
    response = Response(
        status_code=303, headers={"location": path + "?" * bool(rest) + rest}
    )
    response.set_cookie(
        cookie_name(host), given[0], path="/", httponly=True, samesite="strict"
    )
    return response


def cookie_name(host: str) -> str:
    """A name for each port, since cookies do not tell ports apart."""
    port = host.rpartition(":")[2]
    return f"sklazy-{port}" if port.isdigit() else "sklazy"


def cookie_token(cookies: Sequence[str], host: str) -> str | None:
    """The token in a request's cookies."""
    return cookie_parser(";".join(cookies)).get(cookie_name(host))
