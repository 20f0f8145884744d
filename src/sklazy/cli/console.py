"""Output of commands: results on standard output, all else on standard error."""

import contextlib
import json
import re
import shutil
import sys
import textwrap
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NoReturn

import click
import rich.console

from sklazy.cli.hints import for_a_shell
from sklazy.cli.options import bundle_options
from sklazy.errors import (
    MissingDataError,
    ResultsFileError,
    SklazyError,
    SklazyWarning,
    UnitsFailedError,
)
from sklazy.report.plain import to_finite

Terminal = rich.console.Console

_QUOTED = r"'[^']*'"

FAILED, WRONG, NO_DATA, INTERRUPTED = 1, 2, 3, 130
"""Exit codes: a failure; wrong input; missing data sets; Ctrl-C."""


class Console:
    """Writes what a command prints, as text or as JSON.

    Attributes
    ----------
    as_json : bool
    settings : tuple of str
        The names of the parameters given with ``--set``.
    terminal : rich Console
    after_interrupt : str
        The message after Ctrl-C.
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
        click.echo(_wrap(text) if sys.stderr.isatty() else text, err=True)

    def end_interrupted(self, text: str) -> NoReturn:
        """Exit after Ctrl-C with a message."""
        self.note(f"\nInterrupted. {text}")
        sys.exit(INTERRUPTED)


def _wrap(text: str) -> str:
    """Text in lines of the terminal's width, broken between words."""
    width = shutil.get_terminal_size().columns
    lines = (
        textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)
        for line in text.split("\n")
    )
    return "\n".join("\n".join(line) for line in lines)


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
    return json.dumps(to_finite(plain), indent=2, ensure_ascii=False, allow_nan=False)


def run_command(
    work: Callable[..., None], as_json: bool, debug: bool, options: Mapping[str, object]
) -> None:
    """Do the work of a command; messages for its errors instead of tracebacks."""
    settings = options.get("settings", ())
    assert isinstance(settings, tuple)
    console = Console(as_json, [str(one).partition("=")[0] for one in settings])
    with _handle_errors(console, debug):
        work(console, **bundle_options(options))


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
            click.echo(_trace(error), err=True)
        _report(console, error, debug)
        sys.exit(_exit_code(error))


def _show_warnings(console: Console, debug: bool) -> None:
    """The library's own warnings as notes, all others with ``--debug`` only."""
    shown: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *_: object) -> None:
        if debug or issubclass(category, SklazyWarning):
            note = for_a_shell(str(message), console.settings)
            if _without_examples(note) not in shown:
                shown.add(_without_examples(note))
                console.note(f"note: {note}")

    warnings.simplefilter("default")
    warnings.showwarning = show  # type: ignore[assignment]


def _without_examples(note: str) -> str:
    """Return a note without what may differ in another slice of the same rows.

    The first quotation, the name of a column, is kept; examples and counts are not.

    Examples
    --------
    >>> _without_examples("column 'TSH': text such as '0.32' as numbers, 12 in all")
    "column 'TSH': text such as * as numbers, * in all"
    >>> _without_examples("3 rows are repeated")
    '* rows are repeated'
    """
    name = re.search(_QUOTED, note)
    begin = name.end() if name else 0
    return note[:begin] + re.sub(rf"{_QUOTED}|\d+", "*", note[begin:])


def _trace(error: Exception) -> str:
    traces = error.traces if isinstance(error, UnitsFailedError) else []
    return "\n".join([*traces, "".join(traceback.format_exception(error))])


def _report(console: Console, error: Exception, debug: bool) -> None:
    message = for_a_shell(_error_text(error), console.settings)
    if not _is_expected(error) and not debug:
        message += " Use --debug to see the traceback."
    if console.as_json:
        content = {"error": type(error).__name__, "message": message}
        click.echo(to_json(content), err=True)
    else:
        console.note(f"Error: {message}")


def _error_text(error: Exception) -> str:
    """The text of an error."""
    if isinstance(error, SklazyError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}."
    return f"{type(error).__name__}: {error}"


def _is_expected(error: Exception) -> bool:
    return isinstance(error, SklazyError | OSError)


def _exit_code(error: Exception) -> int:
    """The exit code of the process."""
    if isinstance(error, MissingDataError):
        return NO_DATA
    if isinstance(error, ResultsFileError | UnitsFailedError):
        return FAILED
    wrong = SklazyError | FileNotFoundError | PermissionError | IsADirectoryError
    return WRONG if isinstance(error, wrong) else FAILED
