"""The oracle is independent of what it judges."""

import ast
import pathlib
import sys

import pytest

PATHS = sorted(
    set(pathlib.Path(__file__).parent.glob("*.py")) - {pathlib.Path(__file__)}
)
ALLOWED = {"oracle", "numpy", "scipy", *sys.stdlib_module_names} - {"importlib"}


def imported(path):
    """The packages that a file imports, wherever in it; "" if relative."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "" if node.level else node.module.split(".")[0]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_the_oracle_does_without_the_library(path):
    assert set(imported(path)) <= ALLOWED
