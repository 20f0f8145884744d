"""Where an estimator's page of the reference is, for its HTML representation."""

import functools
import importlib.metadata
import os


class Referenced:
    """An estimator whose representation in a notebook links to the reference.

    The site's address is the one under "Documentation" in the package's metadata, or
    what ``SKLAZY_DOCS`` says: the address, or the path, of a site built by
    ``make docs``. Where neither is known there is no link.
    """

    _doc_link_module = "sklazy"

    @property
    def _doc_link_template(self) -> str:
        site = os.environ.get("SKLAZY_DOCS") or _find_published()
        return f"{site.rstrip('/')}/api/sklazy.{{estimator_name}}.html" if site else ""


@functools.cache
def _find_published() -> str:
    """The address of the site by the package's metadata, "" where it has none."""
    try:
        lines = importlib.metadata.metadata("sklazy").get_all("Project-URL") or []
    except importlib.metadata.PackageNotFoundError:  # sources that are not installed
        return ""
    named = dict(line.split(", ", 1) for line in lines if ", " in line)
    return named.get("Documentation", "")
