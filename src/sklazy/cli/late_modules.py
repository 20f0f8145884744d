"""Modules that are imported when something of them is first used.

scikit-learn imports `scipy.stats` for one function that no command calls, and pandas if
it is there; each takes a fifth or more of the processor time of a short command. The
standard library's lazy loader imports a module as soon as another one imports it,
before Python 3.12.
"""

import importlib
import sys
import threading
from importlib.util import find_spec
from types import ModuleType

_lock = threading.RLock()


class _LateModule(ModuleType):
    """Stands for a module until something of it is used."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__") and name != "__version__":  # that Arrow asks for
            raise AttributeError(name)
        return getattr(_import_now(self), name)


def _import_now(late: _LateModule) -> ModuleType:
    """Import the module that one stands for; once, whoever asks."""
    name = late.__name__
    with _lock:
        if sys.modules.get(name) is late:
            del sys.modules[name]
            try:
                late.__dict__.update(vars(importlib.import_module(name)))
            except BaseException:
                sys.modules[name] = late  # an interrupt: the next use imports it
                raise
        return sys.modules[name]


def import_late(name: str) -> None:
    """Have a module imported when something of it is first used.

    One that is there already, or nowhere, stays as it is.

    Parameters
    ----------
    name : str
        For instance "pandas", or a package within another: "scipy.stats".
    """
    spec = None if name in sys.modules else find_spec(name)
    if spec is None:
        return
    late = _LateModule(name)
    late.__spec__, late.__path__ = spec, spec.submodule_search_locations or []
    sys.modules[name] = late
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, late)
