"""Helpers as code that callers link in; machine code is made of what Python calls.

numba optimizes every function together with all that it calls, and makes machine code
of it, so that a helper at the end of a chain of calls is compiled once for every link
of it. No helper is called from Python: here it stays as numba wrote it for LLVM, and is
optimized and made machine code once, as a part of each function that Python calls.

Where sums may be reordered the last digits depend on what is optimized together; such a
helper is optimized by itself, as numba does it. So is a hot loop over arrays, of which
LLVM makes no packed instructions any more once it is a part of a large function.
"""

import itertools
from collections.abc import Iterable
from typing import Any

from numba.core import compiler
from numba.core.codegen import JITCodeLibrary
from numba.core.environment import lookup_environment

_ENVIRONMENT = "_ZN08NumbaEnv"  # how names of functions' environments begin
_numbers = itertools.count()


class _Whole(JITCodeLibrary):
    """The code of a function that Python calls, with all that it calls."""

    _linking_libraries: list[JITCodeLibrary]

    def finalize(self) -> None:
        """Link all that is called, directly or not, and make machine code."""
        self._linking_libraries = _with_parts(self._linking_libraries)
        super().finalize()

    def _finalize_specific(self) -> None:
        """Set the environments in the code of helpers, as a cache does."""
        super()._finalize_specific()
        for variable in self._final_module.global_variables:
            if variable.name.startswith(_ENVIRONMENT):
                environment = lookup_environment(variable.name)
                if environment is not None:
                    self.codegen.set_env(variable.name, environment)


class _NoMachine:
    """Stands for the machine where there is nothing to run."""

    @staticmethod
    def set_env(name: str, environment: object) -> None:
        """Leave that to the callers."""


class _Part(JITCodeLibrary):
    """The code of a helper, for its callers alone."""

    _linking_libraries: list[JITCodeLibrary]
    codegen = _NoMachine  # asked for by those who would run it

    def _optimize_functions(self, module: Any) -> None:
        """Leave that to the callers."""
        module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Link nothing: callers link what it calls, too."""
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """No function of it can be called from outside."""
        return 0


class _OptimizedPart(_Part):
    """The same, optimized by itself."""

    def _optimize_functions(self, module: Any) -> None:
        JITCodeLibrary._optimize_functions(self, module)

    def finalize(self) -> None:
        """Link what it calls, and optimize."""
        self._linking_libraries = _with_parts(self._linking_libraries)
        JITCodeLibrary.finalize(self)

    def _finalize_final_module(self) -> None:
        self._finalized = True


def _with_parts(libraries: Iterable[JITCodeLibrary]) -> list[JITCodeLibrary]:
    """Libraries, and those that helpers among them call; each once."""
    linked = dict[JITCodeLibrary, None]()
    waiting = list(libraries)
    while waiting:
        library = waiting.pop()
        if library not in linked:
            linked[library] = None
            if isinstance(library, _Part):
                waiting += library._linking_libraries
    return list(linked)


def _compiler_into(kind: type[JITCodeLibrary]) -> type[compiler.Compiler]:
    """The compiler of numba, whose code goes into a library of this kind."""

    class Into(compiler.Compiler):
        def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
            if library is None:
                library = kind(target.codegen(), f"kernel {next(_numbers)}")
                library.enable_object_caching()
            super().__init__(typing, target, library, *rest)

    return Into


WHOLE = _compiler_into(_Whole)
PART = _compiler_into(_Part)
OPTIMIZED_PART = _compiler_into(_OptimizedPart)
