"""`sklazy reproduce`: runs the studies, which are a separate package."""

import importlib
from importlib.util import find_spec

from sklazy.cli.console import Console
from sklazy.errors import MissingExtraError


def reproduce(console: Console, **options: object) -> None:
    """Repeat the experiments of the papers."""
    if find_spec("sklazy_studies") is None:
        raise MissingExtraError(
            "`sklazy reproduce` needs the package sklazy_studies, which is not "
            "installed with sklazy: in a copy of sklazy's sources run "
            "pip install ./studies"
        )
    importlib.import_module("sklazy_studies.command").reproduce(console, **options)
