"""Every error and warning of the library.

An error names the parameter, the value, what was expected and the way out. All of them
are a `SklazyError`, and of the kind of Python's that fits: ``ValueError``,
``TypeError``, ``KeyError``. So this catches whatever the library refuses::

    try:
        model.fit(frame, "churn")
    except sklazy.errors.SklazyError as error:
        print(error)
"""

import difflib
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path

__all__ = [
    "AllFailedError",
    "BadFileError",
    "BadInputError",
    "BadTypeError",
    "CertificateError",
    "DataWarning",
    "DeviceError",
    "LostPartError",
    "MissingDataError",
    "MissingExtraError",
    "NotNumericError",
    "OverBudgetError",
    "ReceiptError",
    "ResultsFileError",
    "SklazyError",
    "SklazyWarning",
    "UnitsFailedError",
    "UnknownIdError",
]

_SHOWN = 12  # names in a message
_WARNED: set[str] = set()  # texts of warnings that were shown
_BETWEEN = ("sklearn", "joblib")  # libraries that call this one for the user


def __dir__() -> list[str]:
    return __all__


class SklazyError(Exception):
    """Base class of every error of this library."""


class BadInputError(SklazyError, ValueError):
    """A value that cannot be used: wrong shape, unknown column, bad parameter."""


class LostPartError(SklazyError, RuntimeError):
    """A part of the cases that does not answer: its worker is lost, or too slow."""


class BadTypeError(BadInputError, TypeError):
    """A value of a type that cannot be used: a sparse matrix, a dict in a cell."""


class NotNumericError(BadTypeError):
    """A string where numbers are expected; `where` is its row, in words."""

    def __init__(self, message: str, word: str = "", where: str = "") -> None:
        super().__init__(message)
        self.word, self.where = word, where


class BadFileError(BadInputError):
    """A file that cannot be read, with the place where reading failed."""

    def __init__(
        self, message: str, path: object = None, line: int = 0, column: int = 0
    ) -> None:
        place = "".join(
            [
                str(path or ""),
                f":{line}" if line else "",
                f":{column}" if column else "",
            ]
        )
        super().__init__(f"{place}: {message}" if place else message)
        self.path, self.line, self.column = path, line, column

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), str(self), self.path, self.line, self.column)


def _rebuild(
    kind: type[BadFileError], text: str, path: object, line: int, column: int
) -> BadFileError:
    """Make a file error again with the text it had (errors cross processes)."""
    error = kind(text)
    error.path, error.line, error.column = path, line, column
    return error


class OverBudgetError(BadFileError):
    """A table that takes more cells, bytes or seconds than its reader may use."""


class UnknownIdError(SklazyError, KeyError):
    """A row id that is not in the case base."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class AllFailedError(SklazyError, ValueError):
    """Every candidate of a race failed to be evaluated."""


class ReceiptError(SklazyError, ValueError):
    """A receipt that is malformed, was edited, or does not replay."""


class CertificateError(SklazyError, ValueError):
    """A certificate of erasure that is malformed, was edited, or fits no model."""


class MissingExtraError(SklazyError, ImportError):
    """A library that only some uses need is not installed."""


class DeviceError(SklazyError, RuntimeError):
    """A GPU that is not there, is too small, or failed."""


class ResultsFileError(SklazyError, RuntimeError):
    """A file of results that cannot be read or written, or is of another version."""


class MissingDataError(SklazyError, FileNotFoundError):
    """Data sets that are not there, with how to get them."""


class UnitsFailedError(SklazyError, RuntimeError):
    """Units of an experiment that failed; the others are recorded.

    Attributes
    ----------
    traces : list of str
        The full trace of each.
    """

    def __init__(self, message: str, traces: list[str] | None = None) -> None:
        super().__init__(message)
        self.traces = traces or []


class SklazyWarning(UserWarning):
    """Base class of every warning of this library."""


class DataWarning(SklazyWarning):
    """The data can be used, but not the way one might think."""


def warn_once(message: str) -> None:
    """Show a `DataWarning` at the user's line, once in a process.

    Python's own memory of what was shown is lost whenever filters change. Filters that
    ask for every warning, or make errors of them, get every one.
    """
    action = _find_action(message)
    if action not in ("always", "all", "error") and message in _WARNED:
        return
    if action != "ignore":
        _WARNED.add(message)
    warn_user(message, DataWarning)


def warn_user(message: str, category: type[Warning]) -> None:
    """Show a warning at the user's line, the first outside of this library."""
    warnings.warn(message, category, stacklevel=_count_inner() + 1)


def _find_action(message: str) -> str:
    """What the filters do with a `DataWarning`."""
    for action, pattern, category, module, _ in warnings.filters:
        is_meant = module is None and issubclass(DataWarning, category)
        if is_meant and (pattern is None or pattern.match(message)):
            return str(action)
    return "default"


def _count_inner() -> int:
    """Count the calls between the user's line and a function that called this one."""
    packages = {Path(__file__).parent.name, *_BETWEEN}
    frame, n_inner = sys._getframe(1), 0
    while (
        frame.f_back and str(frame.f_globals.get("__name__")).split(".")[0] in packages
    ):
        frame, n_inner = frame.f_back, n_inner + 1
    return n_inner


def suggest(wrong: str, known: Iterable[str]) -> str:
    """The end of a message: the near matches of a wrong name, or all there are.

    Examples
    --------
    >>> suggest("clas", ["class", "age"]), suggest("xyz", ["class", "age"])
    (" Did you mean 'class'?", " There are: 'class', 'age'.")
    """
    names = {name.lower(): name for name in known}
    near = difflib.get_close_matches(wrong.lower(), names, n=3, cutoff=0.6)
    if near:
        return f" Did you mean {' or '.join(repr(names[name]) for name in near)}?"
    shown = [repr(name) for name in names.values()]
    more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return f" There are: {', '.join(shown[:_SHOWN])}{more}."
