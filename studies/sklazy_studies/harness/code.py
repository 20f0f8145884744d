"""A digest of the code that a result depends on: results of other code are stale."""

import ast
import functools
import hashlib
import importlib.util
from pathlib import Path

import sklazy

_OURS = ("sklazy", "sklazy_studies")

_ASIDE = ("sklazy.report", "sklazy.receipts", "sklazy.web", "sklazy.dask", "sklazy.cli")
_NEEDED = ("sklazy.cli.folds", "sklazy.cli.methods")
"""Rooms that show answers and do not change them, and what experiments use of them."""


@functools.cache
def code_digest(module: str) -> str:
    """The digest of a module and of all modules of ours that it imports.

    Comments, docstrings and layout do not count; nor do rooms that only show answers.

    Examples
    --------
    >>> len(code_digest("sklazy_studies.harness.ranking"))
    64
    """
    digest = hashlib.sha256()
    for name, tree in sorted(_closure(module).items()):
        digest.update(name.encode())
        digest.update(_describe(tree).encode())
    return digest.hexdigest()


def _describe(node: object) -> str:
    """A tree as text that is the same in all versions of Python.

    `ast.dump` names fields that other versions do not have; empty ones are left out.
    """
    if isinstance(node, list):
        return f"[{','.join(map(_describe, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = [
        f"{name}={_describe(value)}"
        for name, value in ast.iter_fields(node)
        if name not in _OTHERWISE and value is not None and value != []
    ]
    return f"{type(node).__name__}({','.join(fields)})"


_OTHERWISE = ("ctx", "kind", "type_comment", "type_ignores", "type_params")
"""Fields without meaning for what is computed."""


def list_modules(module: str) -> list[str]:
    """The names of the modules that the digest is of."""
    return sorted(_closure(module))


def _closure(module: str) -> dict[str, ast.Module]:
    trees: dict[str, ast.Module] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = _file(name)
        if name in trees or path is None or _is_aside(name):
            continue
        trees[name] = _without_docstrings(ast.parse(path.read_bytes()))
        waiting += _imported(trees[name])
    return trees


def _is_aside(name: str) -> bool:
    is_drawing = name.endswith("drawing")
    aside = any(name == room or name.startswith(f"{room}.") for room in _ASIDE)
    return is_drawing or (aside and name not in _NEEDED)


@functools.cache
def _file(name: str) -> Path | None:
    """The file of a module of ours; None for others, and for names in modules."""
    if name.split(".")[0] not in _OURS:
        return None
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return None
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    return Path(spec.origin)


def _imported(tree: ast.Module) -> list[str]:
    """Modules that are imported anywhere in the code, also in functions."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.append(node.module)
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            names += [_public_names().get(name, name) for name in whole]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            name = f"{node.value.id}.{node.attr}"
            names += [module for module in [_public_names().get(name)] if module]
    return names


@functools.cache
def _public_names() -> dict[str, str]:
    """The modules of the names that `sklazy` imports at first use."""
    stub = Path(sklazy.__file__).with_suffix(".pyi")
    return {
        f"sklazy.{alias.asname or alias.name}": node.module
        for node in ast.parse(stub.read_bytes()).body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def _without_docstrings(tree: ast.Module) -> ast.Module:
    """The tree without strings that stand by themselves."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [part for part in body if not _is_text(part)]  # type: ignore[attr-defined]
    return tree


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
