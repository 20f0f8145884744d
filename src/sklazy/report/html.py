"""Plain data into HTML that needs nothing but itself."""

import functools
import html
import importlib
from pathlib import Path
from typing import Any

from sklazy.errors import MissingExtraError
from sklazy.report.scales import clip_share
from sklazy.report.words import count_more, format_value

_TEMPLATES = Path(__file__).parent / "templates"


def render(template: str, folder: Path = _TEMPLATES, /, **data: object) -> str:
    """Fill a template; all that is put into it is escaped.

    Parameters
    ----------
    template : str
        The name of a file, without its ending.
    folder : path
        Where it is; a template may extend those of this room.
    **data : plain data
    """
    return _environment(folder).get_template(f"{template}.html.j2").render(data)


def preformatted(text: str) -> str:
    """Text as a piece of HTML that needs no template."""
    return f"<pre>{html.escape(text)}</pre>"


def _kind(value: object) -> str:
    """Name of the type, by which a template distinguishes blocks and cells."""
    return type(value).__name__.lower()


def _percent(share: float) -> float:
    """A share as percent, as short as a style needs it; 0 for NaN."""
    return round(100.0 * clip_share(share), 2)


@functools.cache
def _environment(folder: Path) -> Any:  # noqa: ANN401 - jinja2 need not be installed
    try:
        jinja2 = importlib.import_module("jinja2")
    except ModuleNotFoundError:
        raise MissingExtraError(
            "HTML pages need jinja2, which is not installed: "
            "pip install 'sklazy[cli]'. Plain text (to_text) needs nothing."
        ) from None
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([folder, _TEMPLATES]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "count_more": count_more,
        "format_value": format_value,
        "kind": _kind,
        "percent": _percent,
    }
    return environment
