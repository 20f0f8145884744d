"""`sklazy demo erase`: which stores really forget a person."""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import numpy as np
from rich.markup import escape
from rich.table import Table as Grid

import sklazy
from sklazy.cli.console import FAILED, Console, Terminal
from sklazy.cli.erasing_stores import (
    CLEAN_UP,
    DELETE,
    OVERWRITE,
    PUT_IN,
    REWRITE,
    STORES,
    StoreStep,
)
from sklazy.cli.erasing_traces import People, make_people
from sklazy.cli.erasing_trials import SearchedStep, Trial, search_after, try_store
from sklazy.cli.writing import write_text

_OURS = "sklazy"
_SHOWN_FILES, _SHOWN_LETTERS = 3, 24
_VERDICTS = {
    DELETE: "Forgot when it was deleted",
    CLEAN_UP: "Forgot after a clean-up",
    OVERWRITE: "Forgot when somebody new took the place",
    REWRITE: "Forgot when the rest was written anew",
    "": "Did not forget",
    "?": "Cannot be judged by such a search",
}


def demo_erase(console: Console, html: str | None) -> None:
    """Let each store forget a person, search its files, and end with a certificate."""
    console.after_interrupt = "The temporary folder is deleted."
    with tempfile.TemporaryDirectory(prefix="sklazy-demo-") as name:
        trials = list(_try_stores(console, Path(name)))
        ours, certificate = _try_ours(Path(name) / _OURS, make_people())
    trials.append(ours)
    if html is not None:
        write_text(html, certificate.to_html())
        console.note(f"certificate written: {html}")
    plain = {
        "person": make_people().person.name,
        "stores": [trial.to_dict() for trial in trials],
        "certificate": dict(certificate.content),
    }
    console.result(plain, lambda terminal: _show(terminal, trials, certificate))
    if not certificate.proved or ours.forgot_by is None:
        sys.exit(FAILED)


def _try_stores(console: Console, folder: Path) -> Iterator[Trial]:
    for store in STORES:
        console.note(f"{store.name} ...")
        yield try_store(store, folder)


def _try_ours(folder: Path, people: People) -> tuple[Trial, sklazy.Certificate]:
    """Erase the person from a model's file, and check the certificate with it."""
    folder.mkdir()
    path, person = folder / "people.sklazy", people.person
    X = np.column_stack([people.numbers, people.vectors])
    y = ["odd" if number % 2 else "even" for number in people.numbers]
    sklazy.LazyKNeighborsClassifier().fit(X, y, ids=people.names).save(path)
    put_in = StoreStep(PUT_IN, "model.fit(X, y, ids=names); model.save(path)")
    steps = [search_after(put_in, folder, people)]
    certificate = sklazy.erase(path, [person.name])
    if certificate.proved:
        sklazy.check_certificate(certificate.to_json(), path, ids=[person.name])
    erased = StoreStep(DELETE, "sklazy.erase(path, [name])")
    steps.append(search_after(erased, folder, people))
    return Trial(_OURS, sklazy.__version__, steps), certificate


def _show(
    terminal: Terminal, trials: Sequence[Trial], certificate: sklazy.Certificate
) -> None:
    """Print the table, a summary, and the certificate."""
    people = make_people()
    terminal.print(
        f"\n[bold]Who really forgot?[/] {len(people.names)} made-up people; "
        f"{people.person.name} is deleted, and the files are searched for the "
        "name, the number and the vector.\n"
    )
    terminal.print(_draw_trials(trials))
    for line in summarize_trials(trials):
        terminal.print(line)
    terminal.print(
        "\nBytes that lie open are found; compressed ones are not, and count as gone "
        "only where those of ten people who stayed are found. To delete means in most "
        "stores that a row is no longer an answer; this is no test of their quality. "
        "Whatever is written anew from the other rows has forgotten.\n"
    )
    click.echo(str(certificate))
    if certificate.proved:
        click.echo("\nThe certificate was checked with the model's file.")


def _draw_trials(trials: Sequence[Trial]) -> Grid:
    grid = Grid("store", header_style="bold", expand=True)
    grid.add_column("commands", overflow="fold", ratio=3)
    grid.add_column("in the files", ratio=2)
    grid.add_column("where", overflow="fold", ratio=2)
    for trial in trials:
        title = f"[bold]{trial.store}[/] {trial.version}".strip()
        if trial.problem:
            grid.add_row(title, f"[dim]{escape(trial.problem)}[/]", "", "")
        for step in trial.steps:
            commands = f"[dim]{step.kind}:[/] {escape(step.commands)}"
            grid.add_row(title, commands, _describe(step), _list_files(step))
            title = ""
        grid.add_section()
    return grid


def _describe(step: SearchedStep) -> str:
    """Describe which properties were found, and which cannot be seen."""
    color = "dim" if step.kind == PUT_IN else "red" if step.held else "green"
    text = f"[{color}]{', '.join(step.held) or 'nothing'}[/]"
    unseen = [name for name in step.blind if name not in step.held]
    return f"{text} [dim](not visible: {', '.join(unseen)})[/]" if unseen else text


def _list_files(step: SearchedStep) -> str:
    shown = [_shorten(file) for file in step.files[:_SHOWN_FILES]]
    more = len(step.files) - len(shown)
    return escape(", ".join([*shown, *[f"{more} more"] * (more > 0)]))


def _shorten(file: str) -> str:
    """Shorten the long name of a file, and keep the folder that it is in."""
    path = Path(file)
    is_long = len(path.name) > _SHOWN_LETTERS
    name = f"{path.stem[:6]}...{path.suffix}" if is_long else path.name
    return (Path(path.parent.name) / name).as_posix()


def summarize_trials(trials: Sequence[Trial]) -> list[str]:
    """List which stores forgot by which kind of step, and which did not."""
    stores: dict[str, list[str]] = {kind: [] for kind in _VERDICTS}
    for trial in trials:
        if not trial.problem:
            kind, blind = _judge(trial)
            unseen = f" ({', '.join(blind)} not visible)" if blind else ""
            stores[kind].append(trial.store + unseen)
    return [f"{_VERDICTS[kind]}: {', '.join(s)}." for kind, s in stores.items() if s]


def _judge(trial: Trial) -> tuple[str, list[str]]:
    """Find the verdict on a store, and what it does not cover."""
    if trial.forgot_by:
        return trial.forgot_by.kind, trial.forgot_by.blind
    last = trial.steps[-1]
    return "" if last.held else "?", last.blind
