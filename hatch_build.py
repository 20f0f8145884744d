"""What the published package is described with: its address, its links, its page.

The project's address stands here and nowhere else. It is a placeholder until the
repository is public; `REPOSITORY` is the one line to change.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

REPOSITORY = "https://github.com/sklazy/sklazy"

_LINK = re.compile(r"(!?)(\[[^]]*\])\((?!https?://|#)([^)\s]+)\)")


def list_urls() -> dict[str, str]:
    """Name the addresses that a package index shows."""
    return {
        "Documentation": f"{REPOSITORY}/blob/main/docs/index.md",
        "Source": REPOSITORY,
        "Changelog": f"{REPOSITORY}/blob/main/CHANGELOG.md",
        "Issues": f"{REPOSITORY}/issues",
        "Security": f"{REPOSITORY}/security/advisories/new",
    }


def write_page(readme: str) -> str:
    """Make relative links absolute: a package index has no files beside the page."""

    def lead_on(link: re.Match[str]) -> str:
        mark, text, path = link.groups()
        return f"{mark}{text}({REPOSITORY}/{'raw' if mark else 'blob'}/main/{path})"

    return _LINK.sub(lead_on, readme)


class Describe(MetadataHookInterface):
    """Fill in what `pyproject.toml` lists as dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the addresses and the page."""
        readme = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["urls"] = list_urls()
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": write_page(readme),
        }
