"""`sklazy explore`: cases, receipts and what-if in a browser."""

import webbrowser
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
from sklazy.cli.options import MethodChoice, TrainingFile
from sklazy.cli.tasks import read_task
from sklazy.web.explore.opening import run_explorer
from sklazy.web.explore.session import Session


def explore(
    console: Console,
    source: TrainingFile,
    choice: MethodChoice,
    port: int,
    browser: bool,
) -> None:
    """Serve the explorer until Ctrl-C."""
    title = "standard input" if source.train == "-" else Path(source.train).name
    if is_model(source.train):
        fitted = load_model(source, choice)
        session = Session(fitted.model, title, copied=False)
    else:
        task = read_task(console, source)
        fitted = fit_task(task, choose_method(choice))
        check_lazy(fitted, "explore", "cases to explore")
        session = Session(fitted.model, title, task.like, copied=False)

    def show(url: str) -> None:
        console.result(
            {"url": url}, lambda _: click.echo(f"The explorer is at {url}", nl=True)
        )
        console.note("It can be opened on this machine only. Press Ctrl-C to stop.")
        if browser:
            webbrowser.open(url)

    run_explorer(session, port, show)
