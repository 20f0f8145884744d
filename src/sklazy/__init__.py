"""Lazy learning for scikit-learn: learning that waits for the question.

Public names are imported at first use, so that a shell's help and completion need not
wait for scikit-learn and numba. Which names there are, and where, is in `__init__.pyi`.
"""

import ast
import importlib
import importlib.util
from pathlib import Path
from typing import Any

__version__ = "0.2.0"


def _read_stub() -> dict[str, str]:
    """The module of each public name, as the stub imports them."""
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text("utf-8"))
    return {
        name.name: line.module
        for line in stub.body
        if isinstance(line, ast.ImportFrom) and line.module not in (None, __name__)
        for name in line.names
    }


_HOMES = _read_stub()
__all__ = sorted([*_HOMES, "__version__", "errors"])


def _errors() -> Any:  # noqa: ANN401 - a module
    """The errors; they are found at the front door, too, but not listed there."""
    return importlib.import_module("sklazy.errors")


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever has that name
    if name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
    elif not name.startswith("_") and importlib.util.find_spec(f"sklazy.{name}"):
        value = importlib.import_module(f"sklazy.{name}")
    elif name.endswith(("Error", "Warning")) and name in _errors().__all__:
        value = getattr(_errors(), name)
    else:
        raise AttributeError(f"module 'sklazy' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
