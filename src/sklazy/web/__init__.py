"""The explorer and the server, each in a folder, and here what both need to be safe."""

from importlib.util import find_spec

from sklazy.errors import MissingExtraError

for _needed in ("starlette", "uvicorn", "httptools", "jinja2"):
    if find_spec(_needed) is None:  # pragma: no cover - depends on the install
        raise MissingExtraError(
            f"serving needs {_needed}, which is not installed: "
            "pip install 'sklazy[serve]'"
        )
