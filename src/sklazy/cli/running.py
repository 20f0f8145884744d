"""From a declared command to its work, which is imported when the command runs."""

import functools
import importlib
from collections.abc import Callable

import click

from sklazy_command import ending_at_once

Command = Callable[..., None]


def runs(module: str) -> Callable[[Command], Command]:
    """Let a command do the function of its name in a module of this room.

    The module is imported when the command runs, so that help and completion need not
    wait for it. ``--json`` and ``--debug`` are added; the function's first argument is
    the `Console`.
    """

    def declare(function: Command) -> Command:
        @click.option(
            "--json", "as_json", is_flag=True, help="Write the result as JSON."
        )
        @click.option("--debug", is_flag=True, help="Show the traceback of an error.")
        @functools.wraps(function)
        def command(as_json: bool, debug: bool, **options: object) -> None:
            with ending_at_once():
                console = importlib.import_module("sklazy.cli.console")
                work = importlib.import_module(f"sklazy.cli.{module}")
            console.run(getattr(work, function.__name__), as_json, debug, options)

        return command

    return declare
