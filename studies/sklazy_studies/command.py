"""What `sklazy reproduce` does: the experiments of the papers, resumable."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from sklazy.cli.console import Console, Terminal
from sklazy.errors import BadInputError, MissingDataError
from sklazy_studies.harness.catalog import find_known
from sklazy_studies.harness.data import data_folder, is_available
from sklazy_studies.reproduce import (
    EXPERIMENTS,
    Reproduced,
    Request,
    find_experiment,
    left_out,
)
from sklazy_studies.reproduce import check as find_stale
from sklazy_studies.reproduce import reproduce as run

_PROTOCOLS = {
    "both": ("honest", "paper"),
    "honest": ("honest",),
    "paper": ("paper",),
}


def reproduce(
    console: Console,
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
    check: bool = False,
    max_minutes: float | None = None,
) -> None:
    """Repeat the experiments of the papers."""
    console.after_interrupt = "Recorded results are kept; run it again to continue."
    folder = data_folder(data)
    if listing:
        plain = [_described(name, folder) for name in EXPERIMENTS]
        console.result(plain, lambda terminal: _show_list(terminal, plain, folder))
        return
    names = list(experiments) or (list(EXPERIMENTS) if quick else [])
    if not names:
        raise BadInputError(
            f"name an experiment ({', '.join(EXPERIMENTS)}), or use --quick for a "
            "small part of all, or --list."
        )
    for name in names:
        find_experiment(name)
    request = Request(
        data=folder,
        out=Path(out),
        sets=tuple(filter(None, (sets or "").split(","))),
        protocols=_PROTOCOLS[protocol],
        jobs=_check_jobs(jobs),
        quick=quick,
        fetch=fetch,
        command=_command(),
        max_seconds=None if max_minutes is None else 60 * max_minutes,
    )
    if check:
        _check(console, names, request)
        return
    done = {}
    for name in names:
        reproduced = _run(console, name, request, verbose, required=name in experiments)
        if reproduced is not None:
            done[name] = _plain(reproduced)
    console.result(done, lambda _: None)


def _check(console: Console, names: Sequence[str], request: Request) -> None:
    """Run the recorded parts again; raise an error where a figure is another now."""
    changes = {name: find_stale(name, request) for name in names}
    console.result(changes, lambda terminal: _show_changes(terminal, changes))
    stale = [name for name, lines in changes.items() if lines]
    if stale:
        raise BadInputError(
            f"{', '.join(stale)}: the report in {request.out} is not what today's code "
            "gives, or figures far from the paper's lack an explanation (see above). "
            "Run the experiment again without --check, or explain them in "
            "studies/sklazy_studies."
        )


def _show_changes(terminal: Terminal, changes: dict[str, list[str]]) -> None:
    for name, lines in changes.items():
        terminal.print(
            f"{name}: {'as recorded' if not lines else 'not as it should be'}"
        )
        for line in lines:
            terminal.print(f"  {line}", highlight=False)


def _run(
    console: Console, name: str, request: Request, verbose: bool, required: bool
) -> Reproduced | None:
    """Run one experiment; None if it has no data and is not required."""
    if missing := left_out(name, request):
        console.note(_without(name, missing, request.data))
    try:
        reproduced = run(name, request, console.note if verbose else None)
    except MissingDataError:
        if required:
            raise
        console.note(f"note: {name} is skipped, since it has no other data sets.")
        return None
    if not console.as_json:
        _show(console.terminal, reproduced)
    return reproduced


def _without(name: str, missing: Sequence[str], folder: Path) -> str:
    return (
        f"note: {name} runs without {', '.join(missing)}, not found in {folder}. "
        "Give their folder with --data, or download them with --fetch."
    )


def _check_jobs(jobs: int) -> int:
    if jobs < 1:
        raise BadInputError(
            f"--jobs {jobs}; expected a number of processes, 1 or more."
        )
    return jobs


def _command() -> str:
    """The command as typed."""
    return shlex.join(["sklazy", *sys.argv[1:]])


def _described(name: str, folder: Path) -> dict[str, object]:
    experiment = EXPERIMENTS[name]
    all_sets = (*experiment.sets, *experiment.extra)
    missing = [one for one in all_sets if not is_available(find_known(one), folder)]
    return {
        "name": name,
        "paper": experiment.paper,
        "summary": experiment.summary,
        "sets": list(all_sets),
        "missing": missing,
    }


def _show_list(
    terminal: Terminal, plain: Sequence[dict[str, object]], folder: Path
) -> None:
    for one in plain:
        sets, missing = one["sets"], one["missing"]
        assert isinstance(sets, list)
        assert isinstance(missing, list)
        terminal.print(f"[bold]{one['name']}[/]  {one['summary']} ({one['paper']})")
        terminal.print(f"  {len(sets)} data sets: [dim]{', '.join(sets)}[/]")
        if missing:
            terminal.print(f"  not in {folder}: {', '.join(missing)}")


def _show(terminal: Terminal, reproduced: Reproduced) -> None:
    terminal.print(f"\n[bold]{reproduced.document.title}[/]")
    for sentence in reproduced.document.lead:
        terminal.print(sentence, highlight=False)
    terminal.print(f"\nReport: {reproduced.files[0]}", highlight=False)


def _plain(reproduced: Reproduced) -> dict[str, object]:
    return {
        "title": reproduced.document.title,
        "summary": list(reproduced.document.lead),
        "files": [str(path) for path in reproduced.files],
        "facts": dict(reproduced.document.facts),
        "tables": {
            table.name: {"header": list(table.header), "rows": list(table.rows)}
            for table in reproduced.document.tables
        },
    }
