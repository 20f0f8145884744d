"""Where compiled code is kept: any folder that has it, the first that can be written.

numba's own cache must find a folder that it can write when a module is imported, and
takes what it reads there for granted. Here a folder that can only be read is used,
too (an image whose cache was filled when it was built); without any the code lives
in memory; and an entry that cannot be read is set aside. Folders are looked for when
the first function is asked, not at every import.

numba asks whether the file of a function has changed, and not those of the functions
it calls. Here code is as old as all kernels together, so that none of another release
is ever used.
"""

import contextlib
import functools
import hashlib
import itertools
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from numba.core import caching
from numba.core.runtime import rtsys

from sklazy import flow
from sklazy.errors import SklazyWarning, warn_user
from sklazy.forking import cached_property

_lost = {"code": False, "warned": False}


def _find_locator(name: str) -> type:
    """A class of numba's that older versions name with an underscore."""
    locator: type = getattr(caching, name, None) or getattr(caching, f"_{name}")
    return locator


@functools.cache
def stamp_sources() -> bytes:
    """A fingerprint of all that is compiled: the kernels, and the types they take."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    for path in [*sorted(here.rglob("*.py")), Path(flow.__file__)]:
        digest.update(path.read_bytes())
    return digest.digest()


class _Stamped:
    """A place for compiled code, which is as old as all kernels."""

    def get_source_stamp(self) -> bytes:
        return stamp_sources()

    def ensure_cache_path(self) -> None:
        path = self.get_cache_path()  # type: ignore[attr-defined]
        if not self.is_usable(path):
            raise FileNotFoundError(path)

    @staticmethod
    def is_usable(path: str) -> bool:
        """Whether code can be written there."""
        return _can_write(path)


class _Readable(_Stamped):
    """The same, where code may be read, and need not be written."""

    @staticmethod
    def is_usable(path: str) -> bool:
        return os.path.isdir(path)


@functools.cache
def _can_write(path: str) -> bool:
    """Whether a folder is there, or can be made, and a file can be written to it."""
    if path.startswith("~"):  # the user has no home
        return False
    try:
        os.makedirs(path, exist_ok=True)
        tempfile.TemporaryFile(dir=path).close()
    except OSError:
        return False
    return True


# The folder that `NUMBA_CACHE_DIR` names; the one of compiled files beside the source;
# the one of compiled files that a user has.
_LOCATORS = [
    _find_locator(name)
    for name in (
        "UserProvidedCacheLocator",
        "InTreeCacheLocator",
        "UserWideCacheLocator",
    )
]
_WRITTEN = [type("_Written", (_Stamped, kind), {}) for kind in _LOCATORS]
_READ = [type("_Read", (_Readable, kind), {}) for kind in _LOCATORS]


class _Folder(caching.FunctionCache):
    """numba's cache of one function in one folder."""

    def __init__(self, function: Callable[..., Any], place: type) -> None:
        self._impl_class = type(
            "_Place", (caching.CompileResultCacheImpl,), {"_locator_classes": [place]}
        )
        super().__init__(function)

    def load_overload(self, sig: object, target_context: object) -> Any:
        """Load code, and not all that numba needs to compile any, as it does itself.

        That takes longer than to load the code, which needs the allocator alone.
        """
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def has_code(self, target_context: Any) -> bool:
        """Whether the index lists code of this function, for this processor."""
        index = self._cache_file._load_index()
        if not index:
            return False
        _, *of_this = self._index_key(None, target_context.codegen())
        return any(of_this == of_kept for _, *of_kept in index)


class KernelCache(caching._Cache):
    """The compiled code of one function, in all the folders that may have it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    @cached_property
    def _writer(self) -> _Folder | None:
        return next(iter(_open_folders(self._function, _WRITTEN)), None)

    @cached_property
    def _all(self) -> list[_Folder]:
        readers = _find_readers(self._function, self.cache_path)
        return readers if self._writer is None else [*readers, self._writer]

    @property
    def cache_path(self) -> str | None:
        """The folder that new code is written to."""
        return None if self._writer is None else str(self._writer.cache_path)

    def load_overload(self, sig: object, target_context: object) -> Any:
        """The code for arguments of these types, or None."""
        for cache in list(self._all):
            try:
                code = cache.load_overload(sig, target_context)
            except Exception:  # unpickling what is damaged may raise anything
                self._set_aside(cache)
            else:
                if code is not None:
                    return code
        return None

    def has_code(self, target_context: Any) -> bool:
        """Whether code of this function, for whatever arguments, can be loaded."""
        try:
            return any(cache.has_code(target_context) for cache in self._all)
        except Exception:  # a damaged index; `load_overload` sets it aside
            return False

    def save_overload(self, sig: object, data: object) -> None:
        """Keep code that was compiled; where that fails it stays in memory."""
        if self._writer is None:
            _lost["code"] = True
            return
        try:
            self._writer.save_overload(sig, data)
        except Exception:  # a full disk, a folder gone: no reason to give no answer
            _lost["code"] = True

    def _set_aside(self, cache: _Folder) -> None:
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


def _open_folders(
    function: Callable[..., Any], places: list[type]
) -> Iterator[_Folder]:
    """The caches of a function in those places that can be used, in this order."""
    for place in places:
        with contextlib.suppress(RuntimeError, OSError):  # no such folder; no source
            yield _Folder(function, place)


def _find_readers(function: Callable[..., Any], writes_to: str | None) -> list[_Folder]:
    """Caches that have code of this function in folders that cannot be written.

    They are those that are passed over on the way to the folder that is written to;
    later ones stay unread, as with numba.
    """
    passed = itertools.takewhile(
        lambda each: each.cache_path != writes_to, _open_folders(function, _READ)
    )
    return [each for each in passed if os.path.exists(each._cache_file._index_path)]


def warn_of_lost_code() -> None:
    """Warn once that the next process must compile the code again."""
    if _lost["code"] and not _lost["warned"]:
        _lost["warned"] = True
        warn_user(
            "compiled code could not be kept, so each process compiles it again: "
            "neither the folder of the package nor a cache folder can be written. Set "
            "the environment variable NUMBA_CACHE_DIR to a folder that can be written, "
            "or that `sklazy warm` filled on a machine where it could.",
            SklazyWarning,
        )
