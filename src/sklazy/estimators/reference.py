"""How an estimator shows itself: names of its methods, a link to its page."""

import functools
import importlib.metadata
import os
import types


def find_link(_: object) -> str:
    """Return the template of links to the reference, "" where no site is known.

    The site's address is the one under "Documentation" in the package's metadata, or
    that of ``SKLAZY_DOCS``: the address, or the path, of a site built by
    ``make docs``.
    """
    site = os.environ.get("SKLAZY_DOCS") or _find_published()
    return f"{site.rstrip('/')}/api/sklazy.{{estimator_name}}.html" if site else ""


class Referenced:
    """An estimator whose representation in a notebook links to the reference."""

    _doc_link_module = "sklazy"
    _doc_link_template = property(find_link)


@functools.cache
def _find_published() -> str:
    """The address of the site by the package's metadata, "" where it has none."""
    try:
        lines = importlib.metadata.metadata("sklazy").get_all("Project-URL") or []
    except importlib.metadata.PackageNotFoundError:  # sources that are not installed
        return ""
    named = dict(line.split(", ", 1) for line in lines if ", " in line)
    return named.get("Documentation", "")


def name_methods(kind: type, *names: str) -> None:
    """Rename inherited methods after a class, so that errors of calls name it.

    Without it ``LazyBayesRulesClassifier().fit(X, y, sample_weight=w)`` is refused by
    "BaseLazyClassifier.fit() got an unexpected keyword argument".
    """
    for name in names:
        method = getattr(kind, name, None)
        if isinstance(method, types.FunctionType) and name not in vars(kind):
            setattr(kind, name, _rename_function(method, f"{kind.__qualname__}.{name}"))


def _rename_function(method: types.FunctionType, qualified: str) -> types.FunctionType:
    """The same function under another name."""
    twin = types.FunctionType(
        method.__code__,
        method.__globals__,
        method.__name__,
        method.__defaults__,
        method.__closure__,
    )
    twin.__kwdefaults__ = method.__kwdefaults__
    twin.__annotations__ = method.__annotations__
    twin.__doc__, twin.__module__ = method.__doc__, method.__module__
    twin.__dict__.update(method.__dict__)
    twin.__qualname__ = qualified
    return twin
