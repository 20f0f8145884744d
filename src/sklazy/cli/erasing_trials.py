"""Let stores forget a person, each in a process of its own, and search their files.

A store that crashes, or that cannot live beside another library, then harms nobody. As
a program, this module tries one store: its name, its folder and a file for the result.
"""

import importlib.metadata
import importlib.util
import json
import os
import sqlite3
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sklazy.cli.erasing_stores import PUT_IN, STORES, ForgetfulStore, StoreStep
from sklazy.cli.erasing_traces import (
    TRACES,
    People,
    Traces,
    find_blind,
    find_person,
    make_people,
)

MAX_SECONDS = 120


class SearchedStep(NamedTuple):
    """A step of a store, and the files where the person was found after it.

    `blind` lists the properties that the search cannot judge.
    """

    kind: str
    commands: str
    traces: Traces
    blind: list[str]

    @property
    def held(self) -> list[str]:
        """The properties that were found."""
        return [name for name, files in self.traces.items() if files]

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found, by a search that is not blind for everything."""
        return not self.held and len(self.blind) < len(self.traces)

    @property
    def files(self) -> list[str]:
        """The files that hold anything."""
        return sorted({file for files in self.traces.values() for file in files})


class Trial(NamedTuple):
    """A store that was tried: its steps; or the reason why there are none."""

    store: str
    version: str
    steps: list[SearchedStep]
    problem: str = ""

    @property
    def forgot_by(self) -> SearchedStep | None:
        """The first step after which nothing of the person was found."""
        later = (step for step in self.steps if step.kind != PUT_IN)
        return next((step for step in later if step.is_clean), None)

    def to_dict(self) -> dict[str, Any]:
        """List all of it as plain data."""
        steps = [step._asdict() for step in self.steps]
        return {**self._asdict(), "steps": steps}


def search_after(
    step: StoreStep, folder: Path, people: People, keeps: tuple[str, ...] = TRACES
) -> SearchedStep:
    """Search the files of a store after a step, for the properties that it keeps."""
    traces = find_person(folder, people.person)
    blind = [name for name in find_blind(folder, people) if name in keeps]
    return SearchedStep(*step, {name: traces[name] for name in keeps}, blind)


def try_store(store: ForgetfulStore, folder: Path) -> Trial:
    """Try a store in a new process; one that is not installed is not imported."""
    if importlib.util.find_spec(store.module) is None:
        return Trial(store.name, "", [], f"not installed: pip install {store.package}")
    home, answer = folder / store.name, folder / f"{store.name}.json"
    home.mkdir()
    problem = _run_process(store, home, answer)
    if problem:
        return Trial(store.name, _version(store), [], problem)
    steps = [SearchedStep(**step) for step in json.loads(answer.read_text("utf-8"))]
    return Trial(store.name, _version(store), steps)


def _run_process(store: ForgetfulStore, home: Path, answer: Path) -> str:
    """Try a store in a new process, and return what went wrong, if anything."""
    command = [sys.executable, "-m", __name__, store.name, str(home), str(answer)]
    modules = os.pathsep.join(path or "." for path in sys.path)
    try:
        done = subprocess.run(
            command,
            env={**os.environ, "PYTHONPATH": modules},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=MAX_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"failed: took more than {MAX_SECONDS} seconds"
    lines = done.stderr.decode("utf-8", "replace").split("\n")
    last = next((line for line in reversed(lines) if line.strip()), "no message")
    return f"failed ({done.returncode}): {last.strip()}" if done.returncode else ""


def _version(store: ForgetfulStore) -> str:
    if not store.package:
        return sqlite3.sqlite_version
    try:
        return importlib.metadata.version(store.package)
    except importlib.metadata.PackageNotFoundError:  # faiss-gpu, faiss of conda
        return "?"


def _search_steps(store: ForgetfulStore, folder: Path) -> Iterator[SearchedStep]:
    people = make_people()
    for step in store.steps(folder, people):
        yield search_after(step, folder, people, store.keeps)


def _try_here(name: str, folder: str, answer: str) -> None:
    """Try a store in this process, and write the result to a file."""
    warnings.simplefilter("ignore")  # of the stores: nothing that is shown
    store = next(store for store in STORES if store.name == name)
    steps = [step._asdict() for step in _search_steps(store, Path(folder))]
    Path(answer).write_text(json.dumps(steps), encoding="utf-8")


if __name__ == "__main__":
    _try_here(*sys.argv[1:])
