"""Benchmarks run for minutes; that they use what the library has is seen at once."""

import ast
import importlib.util
import pathlib
import types

import pytest

FILES = sorted(pathlib.Path(__file__).parents[1].glob("benchmarks/*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_benchmarks_use_what_is_there(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = getattr(module, node.value.id, None)
            if isinstance(owner, types.ModuleType):
                assert hasattr(owner, node.attr), f"{owner.__name__}.{node.attr}"


def test_there_are_benchmarks():
    assert len(FILES) > 10
