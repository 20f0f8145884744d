"""`sklazy reproduce`: the papers' experiments, resumable."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from sklazy.cli.console import Speaker, speaks
from sklazy.errors import BadInputError, MissingDataError
from sklazy.experiments.harness.catalog import find_known
from sklazy.experiments.harness.data import data_folder, is_at_hand
from sklazy.experiments.reproduce import (
    EXPERIMENTS,
    Reproduced,
    Request,
    find_experiment,
    left_out,
)
from sklazy.experiments.reproduce import (
    reproduce as run,
)

_PROTOCOLS = {
    "both": ("honest", "paper"),
    "honest": ("honest",),
    "paper": ("paper",),
}


@click.command()
@click.argument("experiments", nargs=-1, metavar="[EXPERIMENT]...")
@click.option("--list", "listing", is_flag=True, help="Say what there is.")
@click.option("--quick", is_flag=True, help="A small part of it, in minutes.")
@click.option(
    "--data",
    type=click.Path(file_okay=False),
    help="The folder of the data sets; SKLAZY_DATA or ../shared/data if not said.",
)
@click.option("--sets", help="Only these data sets, separated by commas.")
@click.option(
    "--protocol",
    type=click.Choice(list(_PROTOCOLS)),
    default="both",
    show_default=True,
    help="lazy-selection: cuts from the training fold alone, or from all rows as in "
    "the paper.",
)
@click.option("--jobs", "-j", default=1, show_default=True, help="Processes.")
@click.option(
    "--out",
    "-o",
    default="sklazy-results",
    show_default=True,
    type=click.Path(file_okay=False),
    help="Where results and reports go.",
)
@click.option("--fetch", is_flag=True, help="Get missing data sets from OpenML.")
@click.option("--verbose", "-v", is_flag=True, help="A line for each unit of work.")
@speaks
def reproduce(
    speaker: Speaker,
    experiments: Sequence[str],
    listing: bool,
    quick: bool,
    data: str | None,
    sets: str | None,
    protocol: str,
    jobs: int,
    out: str,
    fetch: bool,
    verbose: bool,
) -> None:
    """Repeat the papers' experiments and put their figures beside ours.

    Each unit of work (a fold of a set) is recorded the moment it is done. A run that
    was stopped, by whatever, goes on where it was when the command is given again;
    changed data or parameters are computed anew.

    \b
    Examples:
      sklazy reproduce --list
      sklazy reproduce --quick
      sklazy reproduce lazy-selection --sets wine,vowel --jobs 2
      sklazy reproduce racsam --data DIR -o results
    """
    speaker.after_interrupt = "What was recorded is kept; run it again to go on."
    folder = data_folder(data)
    if listing:
        plain = [_described(name, folder) for name in EXPERIMENTS]
        speaker.tell(plain, lambda console: _show_list(console, plain, folder))
        return
    names = list(experiments) or (list(EXPERIMENTS) if quick else [])
    if not names:
        raise BadInputError(
            f"name an experiment ({', '.join(EXPERIMENTS)}), or say --quick for a "
            "small part of all, or --list."
        )
    for name in names:
        find_experiment(name)
    request = Request(
        data=folder,
        out=Path(out),
        sets=tuple(filter(None, (sets or "").split(","))),
        protocols=_PROTOCOLS[protocol],
        jobs=_checked(jobs),
        quick=quick,
        fetch=fetch,
        command=_command(),
    )
    done = {}
    for name in names:
        found = _run(speaker, name, request, verbose, must=name in experiments)
        if found is not None:
            done[name] = _plain(found)
    speaker.tell(done, lambda console: None)


def _run(
    speaker: Speaker, name: str, request: Request, verbose: bool, must: bool
) -> Reproduced | None:
    """One experiment; None if it has no data and `must` not be run."""
    if missing := left_out(name, request):
        speaker.note(_without(name, missing, request.data))
    try:
        found = run(name, request, speaker.note if verbose else None)
    except MissingDataError:
        if must:
            raise
        speaker.note(f"note: {name} is left out, for it has no other.")
        return None
    if not speaker.as_json:
        _show(speaker.console, found)
    return found


def _without(name: str, missing: Sequence[str], folder: Path) -> str:
    return (
        f"note: {name} has to do without {', '.join(missing)}, not found in "
        f"{folder}. Name their folder with --data, or get them with --fetch."
    )


def _checked(jobs: int) -> int:
    if jobs < 1:
        raise BadInputError(
            f"--jobs {jobs}; expected a number of processes, 1 or more."
        )
    return jobs


def _command() -> str:
    """What was typed, as far as it can be known."""
    return shlex.join(["sklazy", *sys.argv[1:]])


def _described(name: str, folder: Path) -> dict[str, object]:
    experiment = EXPERIMENTS[name]
    own = (*experiment.sets, *experiment.extra)
    missing = [one for one in own if not is_at_hand(find_known(one), folder)]
    return {
        "name": name,
        "paper": experiment.paper,
        "summary": experiment.summary,
        "sets": list(own),
        "missing": missing,
    }


def _show_list(
    console: Console, plain: Sequence[dict[str, object]], folder: Path
) -> None:
    for one in plain:
        sets, missing = one["sets"], one["missing"]
        assert isinstance(sets, list)
        assert isinstance(missing, list)
        console.print(f"[bold]{one['name']}[/]  {one['summary']} ({one['paper']})")
        console.print(f"  {len(sets)} data sets: [dim]{', '.join(sets)}[/]")
        if missing:
            console.print(f"  not in {folder}: {', '.join(missing)}")


def _show(console: Console, found: Reproduced) -> None:
    console.print(f"\n[bold]{found.document.title}[/]")
    for sentence in found.document.lead:
        console.print(sentence, highlight=False)
    console.print(f"\nReport: {found.files[0]}", highlight=False)


def _plain(found: Reproduced) -> dict[str, object]:
    return {
        "title": found.document.title,
        "summary": list(found.document.lead),
        "files": [str(path) for path in found.files],
        "facts": dict(found.document.facts),
        "tables": {
            table.name: {"header": list(table.header), "rows": list(table.rows)}
            for table in found.document.tables
        },
    }
