"""Output of commands: results on standard output, all else on standard error."""

import contextlib
import json
import math
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NoReturn

import click
import numpy as np
import rich.console

from sklazy.cli.hints import for_a_shell
from sklazy.errors import (
    MissingDataError,
    ResultsFileError,
    SklazyError,
    SklazyWarning,
    UnitsFailedError,
)

Terminal = rich.console.Console

FAILED, WRONG, NO_DATA, INTERRUPTED = 1, 2, 3, 130
"""Exit codes: a failure; wrong input; missing data sets; Ctrl-C."""


class Console:
    """Writes what a command prints, as text or as JSON.

    Parameters
    ----------
    as_json : bool
        Whether the result is written as JSON.

    Attributes
    ----------
    terminal : rich Console
    after_interrupt : str
        The message after Ctrl-C.
    settings : tuple of str
        The names of the parameters given with ``--set``.
    """

    def __init__(self, as_json: bool = False, settings: Sequence[str] = ()) -> None:
        self.as_json = as_json
        self.settings = tuple(settings)
        self.terminal = Terminal(soft_wrap=False)
        self.after_interrupt = "Nothing was written."

    def result(self, plain: object, show: Callable[[Terminal], None]) -> None:
        """Write the result: as JSON, or as `show` prints it."""
        if self.as_json:
            click.echo(to_json(plain))
        else:
            show(self.terminal)

    def note(self, text: str) -> None:
        """Write a message that is not part of the result."""
        click.echo(text, err=True)

    def end_interrupted(self, text: str) -> NoReturn:
        """Exit after Ctrl-C with a message."""
        self.note(f"\nInterrupted. {text}")
        sys.exit(INTERRUPTED)


def to_json(plain: object) -> str:
    """Plain data as JSON; NaN and infinity, which JSON lacks, become null.

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


def run(
    work: Callable[..., None], as_json: bool, debug: bool, options: Mapping[str, object]
) -> None:
    """Do the work of a command; messages for its errors instead of tracebacks."""
    given = options.get("settings", ())
    assert isinstance(given, tuple)
    console = Console(as_json, [str(one).partition("=")[0] for one in given])
    with _handle_errors(console, debug):
        work(console, **options)


@contextlib.contextmanager
def _handle_errors(console: Console, debug: bool) -> Iterator[None]:
    """Exit with a message and a code instead of a traceback."""
    try:
        with warnings.catch_warnings():
            _show_warnings(console, debug)
            yield
    except click.ClickException:
        raise
    except KeyboardInterrupt:
        console.end_interrupted(console.after_interrupt)
    except Exception as error:
        if debug:
            console.note(_trace(error))
        _report(console, error, debug)
        sys.exit(exit_code(error))


def _show_warnings(console: Console, debug: bool) -> None:
    """The library's own warnings as notes, all others with ``--debug`` only."""

    def show(message: Warning | str, category: type[Warning], *_: object) -> None:
        if debug or issubclass(category, SklazyWarning):
            console.note(f"note: {for_a_shell(str(message), console.settings)}")

    warnings.simplefilter("default")
    warnings.showwarning = show  # type: ignore[assignment]


def _trace(error: Exception) -> str:
    traces = error.traces if isinstance(error, UnitsFailedError) else []
    return "\n".join([*traces, "".join(traceback.format_exception(error))])


def _report(console: Console, error: Exception, debug: bool) -> None:
    message = for_a_shell(message_of(error), console.settings)
    if not _is_expected(error) and not debug:
        message += " Run it with --debug to see the traceback."
    if console.as_json:
        content = {"error": type(error).__name__, "message": message}
        click.echo(to_json(content), err=True)
    else:
        console.note(f"Error: {message}")


def message_of(error: Exception) -> str:
    """The message of an error."""
    if isinstance(error, SklazyError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}."
    return f"{type(error).__name__}: {error}"


def _is_expected(error: Exception) -> bool:
    return isinstance(error, SklazyError | OSError)


def exit_code(error: Exception) -> int:
    """The exit code of the process."""
    if isinstance(error, MissingDataError):
        return NO_DATA
    if isinstance(error, ResultsFileError | UnitsFailedError):
        return FAILED
    wrong = SklazyError | FileNotFoundError | PermissionError | IsADirectoryError
    return WRONG if isinstance(error, wrong) else FAILED
