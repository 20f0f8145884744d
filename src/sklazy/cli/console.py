"""How commands speak: results on standard output, the rest on standard error."""

import contextlib
import functools
import json
import math
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import NoReturn

import click
import numpy as np
from rich.console import Console

from sklazy.errors import (
    MissingDataError,
    ResultsFileError,
    SklazyError,
    SklazyWarning,
    UnitsFailedError,
)

FAILED, WRONG, NO_DATA, INTERRUPTED = 1, 2, 3, 130
"""Exit codes: something failed; what was asked makes no sense; data sets are not
there; Ctrl-C."""


class Speaker:
    """What a command says, to people or to machines.

    Parameters
    ----------
    as_json : bool
        Whether the result is written as JSON.
    """

    def __init__(self, as_json: bool = False) -> None:
        self.as_json = as_json
        self.console = Console(soft_wrap=False)
        self.after_interrupt = "Nothing was written."

    def tell(self, plain: object, show: Callable[[Console], None]) -> None:
        """Give the result: as JSON, or as `show` prints it."""
        if self.as_json:
            click.echo(to_json(plain))
        else:
            show(self.console)

    def note(self, text: str) -> None:
        """Say something beside the result."""
        click.echo(text, err=True)

    def end_interrupted(self, text: str) -> NoReturn:
        """End after Ctrl-C, and say what is left."""
        self.note(f"\nInterrupted. {text}")
        sys.exit(INTERRUPTED)


def to_json(plain: object) -> str:
    """Plain data as JSON; NaN and infinity, which JSON has not, become null.

    Examples
    --------
    >>> print(to_json({"a": [1.5, float("nan")]}))
    {
      "a": [
        1.5,
        null
      ]
    }
    """
    return json.dumps(_finite(plain), indent=2, ensure_ascii=False, allow_nan=False)


def _finite(plain: object) -> object:
    if isinstance(plain, dict):
        return {str(key): _finite(value) for key, value in plain.items()}
    if isinstance(plain, list | tuple):
        return [_finite(value) for value in plain]
    number = plain.item() if isinstance(plain, np.generic) else plain
    if isinstance(number, float) and not math.isfinite(number):
        return None
    return number


def speaks(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command ``--json`` and ``--debug``, and errors in words.

    The function's first argument is the `Speaker`.
    """

    @click.option("--json", "as_json", is_flag=True, help="Write the result as JSON.")
    @click.option("--debug", is_flag=True, help="Show where an error comes from.")
    @functools.wraps(function)
    def command(as_json: bool, debug: bool, **options: object) -> None:
        speaker = Speaker(as_json)
        with _in_words(speaker, debug):
            function(speaker, **options)

    return command


@contextlib.contextmanager
def _in_words(speaker: Speaker, debug: bool) -> Iterator[None]:
    """End with a message and an exit code instead of a traceback."""
    try:
        with warnings.catch_warnings():
            _show_warnings(speaker, debug)
            yield
    except click.ClickException:
        raise
    except KeyboardInterrupt:
        speaker.end_interrupted(speaker.after_interrupt)
    except Exception as error:
        if debug:
            speaker.note(_trace(error))
        _complain(speaker, error, debug)
        sys.exit(exit_code(error))


def _show_warnings(speaker: Speaker, debug: bool) -> None:
    """The library's own warnings as notes, all others with ``--debug`` only."""

    def show(message: Warning | str, category: type[Warning], *_: object) -> None:
        if debug or issubclass(category, SklazyWarning):
            speaker.note(f"note: {message}")

    warnings.simplefilter("default")
    warnings.showwarning = show  # type: ignore[assignment]


def _trace(error: Exception) -> str:
    traces = error.traces if isinstance(error, UnitsFailedError) else []
    return "\n".join([*traces, "".join(traceback.format_exception(error))])


def _complain(speaker: Speaker, error: Exception, debug: bool) -> None:
    message = message_of(error)
    if not _is_expected(error) and not debug:
        message += " Run it with --debug to see where this comes from."
    if speaker.as_json:
        content = {"error": type(error).__name__, "message": message}
        click.echo(to_json(content), err=True)
    else:
        speaker.note(f"Error: {message}")


def message_of(error: Exception) -> str:
    """An error in words."""
    if isinstance(error, SklazyError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}."
    return f"{type(error).__name__}: {error}"


def _is_expected(error: Exception) -> bool:
    return isinstance(error, SklazyError | OSError)


def exit_code(error: Exception) -> int:
    """What the process ends with."""
    if isinstance(error, MissingDataError):
        return NO_DATA
    if isinstance(error, ResultsFileError | UnitsFailedError):
        return FAILED
    wrong = SklazyError | FileNotFoundError | PermissionError | IsADirectoryError
    return WRONG if isinstance(error, wrong) else FAILED
