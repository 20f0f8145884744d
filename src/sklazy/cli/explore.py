"""`sklazy explore`: cases, receipts and what-if in a browser."""

import webbrowser
from collections.abc import Sequence
from pathlib import Path

import click

from sklazy.cli.console import Console
from sklazy.cli.methods import choose_method
from sklazy.cli.models import fit_task, is_model, load_model
from sklazy.cli.tasks import Task, read_task
from sklazy.errors import BadInputError
from sklazy.tables import Table
from sklazy.web.explore.opening import run_explorer
from sklazy.web.explore.session import Session


def explore(
    console: Console,
    train: str,
    target: str | None,
    kind: str,
    ignore: Sequence[str],
    id_column: str | None,
    method: str | None,
    settings: Sequence[str],
    seed: int,
    port: int,
    browser: bool,
) -> None:
    """Serve the explorer until Ctrl-C."""
    source = "standard input" if train == "-" else Path(train).name
    if is_model(train):
        fitted = load_model(
            train, method=method, set=settings, ignore=ignore, task=kind
        )
        session = Session(fitted.model, source, copied=False)
    else:
        task = read_task(console, train, target, kind, ignore, id_column)
        fitted = fit_task(task, choose_method(task, method), settings, seed)
        _check_lazy(fitted.model, fitted.method)
        session = Session(fitted.model, source, _given(task), copied=False)

    def show(url: str) -> None:
        console.result(
            {"url": url}, lambda _: click.echo(f"The explorer is at {url}", nl=True)
        )
        console.note("It is for this machine only. Ctrl-C ends it.")
        if browser:
            webbrowser.open(url)

    run_explorer(session, port, show)


def _given(task: Task) -> Table:
    """The columns of the file, as they were read."""
    return task.like


def _check_lazy(model: object, name: str) -> None:
    if not hasattr(model, "explore"):
        raise BadInputError(
            f"--method {name} has no cases to explore; choose a lazy method, such as "
            "blend or lazy-knn."
        )
