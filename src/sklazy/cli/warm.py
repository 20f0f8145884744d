"""`sklazy warm`: compile ahead of time."""

from collections.abc import Sequence

import click

from sklazy import warm as compile_ahead
from sklazy.cli.console import Console
from sklazy.cli.methods import LAZY_CLASSIFIERS, LAZY_REGRESSORS
from sklazy.errors import BadInputError, suggest

KNOWN = (LAZY_CLASSIFIERS, LAZY_REGRESSORS)


def warm(console: Console, methods: Sequence[str]) -> None:
    """Compile what methods need, of classes and of numbers."""
    for name in methods:
        _check(name)
    models = [known[name](0) for name in methods for known in KNOWN if name in known]
    console.after_interrupt = "What was compiled by then is kept."
    done = compile_ahead(*models)
    console.result(done._asdict(), lambda _: click.echo(str(done)))


def _check(name: str) -> None:
    if not any(name in known for known in KNOWN):
        names = dict.fromkeys(name for known in KNOWN for name in known)
        raise BadInputError(
            f"{name} is no method that is compiled.{suggest(name, names)}"
        )
