"""`sklazy warm`: compile ahead of time."""

from collections.abc import Sequence

import click

from sklazy import warm as compile_ahead
from sklazy.cli.console import Console
from sklazy.cli.methods import LAZY_CLASSIFIERS, LAZY_REGRESSORS
from sklazy.errors import BadInputError, suggest

KNOWN = (LAZY_CLASSIFIERS, LAZY_REGRESSORS)


def warm(console: Console, methods: Sequence[str]) -> None:
    """Compile what methods need, for classification and regression."""
    for name in methods:
        _check_method(name)
    models = [known[name](0) for name in methods for known in KNOWN if name in known]
    console.after_interrupt = "What was compiled so far is kept."
    done = compile_ahead(*models)
    console.result(done._asdict(), lambda _: click.echo(str(done)))


def _check_method(name: str) -> None:
    if not any(name in known for known in KNOWN):
        names = dict.fromkeys(name for known in KNOWN for name in known)
        raise BadInputError(
            f"{name} is not a method that needs compiling.{suggest(name, names)}"
        )
