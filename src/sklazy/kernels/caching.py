"""Where compiled code is kept: any folder that has it, the first that can be written.

numba's own cache must find a folder that it can write when a module is imported, and
takes what it reads there for granted. Here a folder that can only be read is used,
too (an image whose cache was filled when it was built); without any the code lives
in memory; and an entry that cannot be read is set aside.
"""

import contextlib
import os
import warnings
from collections.abc import Callable
from typing import Any

from numba.core import caching

from sklazy.errors import SklazyWarning

_lost = {"code": False, "warned": False}


def _locator(name: str) -> type:
    """A class of numba's that older versions name with an underscore."""
    found: type = getattr(caching, name, None) or getattr(caching, f"_{name}")
    return found


class _Existing:
    """A place for compiled code that may be read, and need not be written."""

    def ensure_cache_path(self) -> None:
        path = self.get_cache_path()  # type: ignore[attr-defined]
        if not os.path.isdir(path):
            raise FileNotFoundError(path)


class _Given(_Existing, _locator("UserProvidedCacheLocator")):  # type: ignore[misc]
    """The folder that `NUMBA_CACHE_DIR` names."""


class _Beside(_Existing, _locator("InTreeCacheLocator")):  # type: ignore[misc]
    """The folder of compiled files beside the source."""


class _OfUser(_Existing, _locator("UserWideCacheLocator")):  # type: ignore[misc]
    """The folder of compiled files that a user has."""


class _Reader(caching.FunctionCache):
    """numba's cache of one function in one of these folders."""

    def __init__(self, function: Callable[..., Any], place: type) -> None:
        self._impl_class = type(
            "_Place", (caching.CompileResultCacheImpl,), {"_locator_classes": [place]}
        )
        super().__init__(function)


class KernelCache(caching._Cache):
    """The compiled code of one function, in all the folders that may have it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._writer = _find_writer(function)
        self._all = _find_readers(function, self.cache_path)
        if self._writer is not None:
            self._all.append(self._writer)

    @property
    def cache_path(self) -> str | None:
        """The folder that new code is written to."""
        return None if self._writer is None else str(self._writer.cache_path)

    def load_overload(self, sig: object, target_context: object) -> Any:
        """The code for arguments of these types, or None."""
        for cache in list(self._all):
            try:
                found = cache.load_overload(sig, target_context)
            except Exception:  # unpickling what is damaged may raise anything
                self._set_aside(cache)
            else:
                if found is not None:
                    return found
        return None

    def save_overload(self, sig: object, data: object) -> None:
        """Keep code that was compiled; where that fails it stays in memory."""
        if self._writer is None:
            _lost["code"] = True
            return
        try:
            self._writer.save_overload(sig, data)
        except Exception:  # a full disk, a folder gone: no reason to give no answer
            _lost["code"] = True

    def _set_aside(self, cache: Any) -> None:
        """Rename a damaged index, so that a new one is begun; or leave it alone."""
        index = cache._cache_file._index_path
        try:
            os.replace(index, f"{index}.damaged")
        except OSError:
            self._all.remove(cache)
            if cache is self._writer:
                self._writer = None

    def enable(self) -> None:
        """Use the folders again."""
        for cache in self._all:
            cache.enable()

    def disable(self) -> None:
        """Use no folder."""
        for cache in self._all:
            cache.disable()

    def flush(self) -> None:
        """Forget what was written."""
        if self._writer is not None:
            self._writer.flush()


def _find_writer(function: Callable[..., Any]) -> Any | None:
    try:
        return caching.FunctionCache(function)
    except (RuntimeError, OSError):  # "no locator available"; no source to stamp
        return None


def _find_readers(function: Callable[..., Any], writes_to: str | None) -> list[Any]:
    """Caches that have code of this function in folders that cannot be written.

    They are those that numba passes over on its way to the folder it writes to; later
    ones stay unread, as with numba: they may be older than the sources.
    """
    readers = []
    for place in (_Given, _Beside, _OfUser):
        with contextlib.suppress(RuntimeError, OSError):
            readers.append(_Reader(function, place))
            if readers[-1].cache_path == writes_to:
                return readers[:-1]
    return [each for each in readers if os.path.exists(each._cache_file._index_path)]


def warn_of_lost_code() -> None:
    """Say once that code was compiled which the next process must compile again."""
    if _lost["code"] and not _lost["warned"]:
        _lost["warned"] = True
        warnings.warn(
            "compiled code could not be kept, so each process compiles it again: "
            "neither the folder of the package nor a cache folder can be written. Set "
            "the environment variable NUMBA_CACHE_DIR to a folder that can be written, "
            "or that was filled on a machine where it could.",
            SklazyWarning,
            stacklevel=4,
        )
