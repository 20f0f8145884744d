"""`sklazy explore`: cases, receipts and what-if in a browser."""

import webbrowser
from collections.abc import Sequence
from pathlib import Path

import click

from sklazy.cli.console import Console
from sklazy.cli.models import (
    check_lazy,
    choose_method,
    fit_task,
    is_model,
    load_model,
)
from sklazy.cli.options import AUTO, MethodChoice, TrainingFile
from sklazy.cli.tasks import read_task, reading_settings
from sklazy.web.explore.opening import run_explorer
from sklazy.web.explore.own_file import keep_file
from sklazy.web.explore.session import Session


def explore(
    console: Console,
    source: TrainingFile,
    choice: MethodChoice,
    port: int,
    browser: bool,
    beside: Sequence[str],
    read_only: bool,
) -> None:
    """Serve the explorer until Ctrl-C."""
    opened = [(source, choice), *(_share(path, source, choice) for path in beside)]
    sessions = [_open(console, *options, read_only) for options in opened]

    def show(url: str) -> None:
        console.result(
            {"url": url}, lambda _: click.echo(f"The explorer is at {url}", nl=True)
        )
        console.note("It can be opened on this machine only. Press Ctrl-C to stop.")
        if browser:
            webbrowser.open(url)

    run_explorer(sessions, port, show)


def _share(
    path: str, source: TrainingFile, choice: MethodChoice
) -> tuple[TrainingFile, MethodChoice]:
    """The options for another file; those of training are not for a model."""
    if is_model(path):
        return TrainingFile(path, None, AUTO, ()), MethodChoice(AUTO)
    return source._replace(train=path), choice


def _open(
    console: Console, source: TrainingFile, choice: MethodChoice, read_only: bool
) -> Session:
    """A file or a model, to be explored."""
    title = "standard input" if source.train == "-" else Path(source.train).name
    if is_model(source.train):
        fitted = load_model(source, choice)
        return Session(fitted.model, title, copied=False, read_only=read_only)
    task = read_task(console, source, ids_may_repeat=True)
    fitted = fit_task(task, choose_method(choice))
    check_lazy(fitted, "explore", "cases to explore")
    reading, settings = task.like[task.name].reading, reading_settings(source.id_column)
    own = keep_file(source.train, task.name, task.rows.tolist(), settings, reading)
    return Session(
        fitted.model,
        title,
        task.like,
        own_file=own,
        copied=False,
        read_only=read_only,
    )
