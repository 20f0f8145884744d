"""Errors as clients see them: application/problem+json, no tracebacks or paths."""

import http
import json
import logging
import secrets
from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.responses import Response

from sklazy.errors import BadFileError, OverBudgetError, SklazyError, UnknownIdError

_log = logging.getLogger("sklazy.web")

_LONGEST = 1000  # characters of a detail


class Problem(Exception):  # noqa: N818 - RFC 9457 calls it a problem
    """A request that is refused.

    Parameters
    ----------
    status : int
        HTTP status.
    detail : str
        What was wrong and the way out, for the client.
    headers : mapping, optional
        Further headers, such as Retry-After.
    """

    def __init__(
        self, status: int, detail: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail
        self.headers = dict(headers or {})


def busy(detail: str, seconds: int = 1) -> Problem:
    """A refusal to be tried again after some seconds."""
    return Problem(503, detail, {"Retry-After": str(seconds)})


def to_problem(error: Exception) -> Problem:
    """Turn an error into a reply; of an unexpected one only its number in the log.

    Examples
    --------
    >>> from sklazy.errors import BadInputError
    >>> to_problem(BadInputError("k=0; give 1 or more.")).status
    422
    """
    if isinstance(error, Problem):
        return error
    if isinstance(error, HTTPException):
        return Problem(error.status_code, error.detail, error.headers)
    is_clients = isinstance(error, OverBudgetError)  # it is not of a file here
    if is_clients or (
        isinstance(error, SklazyError) and not isinstance(error, BadFileError)
    ):
        return Problem(404 if isinstance(error, UnknownIdError) else 422, str(error))
    number = secrets.token_hex(4)
    _log.error("request failed, number %s", number, exc_info=error)
    return Problem(500, f"The server failed; see number {number} in its log.")


def to_response(problem: Problem) -> Response:
    """A problem as RFC 9457 writes it."""
    content = {
        "type": "about:blank",
        "title": _title(problem.status),
        "status": problem.status,
        "detail": problem.detail[:_LONGEST],
    }
    return Response(
        json.dumps(content),
        problem.status,
        problem.headers,
        media_type="application/problem+json",
    )


def _title(status: int) -> str:
    try:
        return http.HTTPStatus(status).phrase
    except ValueError:
        return "Error"
