"""Plain data into HTML pages that need nothing but themselves."""

import functools
import html
import importlib
from pathlib import Path
from typing import Any

from sklazy.errors import MissingExtraError
from sklazy.report.words import chance, fixed, say, visible

_TEMPLATES = Path(__file__).parent / "templates"


def render(template: str, **data: object) -> str:
    """Fill a template; all that is put into it is escaped.

    Parameters
    ----------
    template : str
        The name of a file in ``templates``, without its ending.
    **data : plain data
    """
    return _environment().get_template(f"{template}.html.j2").render(data)


def preformatted(text: str) -> str:
    """Text as a piece of HTML that needs no template."""
    return f"<pre>{html.escape(text)}</pre>"


@functools.cache
def _environment() -> Any:  # noqa: ANN401 - jinja2 need not be installed
    try:
        jinja2 = importlib.import_module("jinja2")
    except ModuleNotFoundError:
        raise MissingExtraError(
            "HTML pages need jinja2, which is not installed: "
            "pip install 'sklazy[cli]'. Plain text (to_text) needs nothing."
        ) from None
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "say": say,
        "fixed": fixed,
        "chance": chance,
        "visible": visible,
    }
    return environment
