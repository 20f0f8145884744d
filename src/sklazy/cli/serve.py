"""`sklazy serve`: a model over HTTP."""

import contextlib
import re
import socket
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from sklazy.cli.console import Console
from sklazy.errors import BadInputError
from sklazy.web.bodies import RequestLimits
from sklazy.web.guard import Safety
from sklazy.web.hosts import LOCAL_NAMES, is_loopback
from sklazy.web.running import address_of, listen
from sklazy.web.running import serve_app as run_server
from sklazy.web.serve.app import ModelServer
from sklazy.web.serve.budget import QuestionBudget
from sklazy.web.serve.levels import Level, Privacy
from sklazy.web.serve.metrics import AccessLog
from sklazy.web.serve.store import Store
from sklazy.web.serve.workers import StoreSource, serve_with_workers
from sklazy.web.tokens import Tokens, is_shared, read_tokens, write_tokens

_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")
_ANY = ("0.0.0.0", "::")  # all addresses of the machine


def serve(
    console: Console,
    model: str,
    host: str,
    port: int,
    token_file: str | None,
    receipts: str,
    min_group: int,
    noise: float,
    journal: str | None,
    salvage: bool,
    allow_host: Sequence[str],
    max_seconds: float,
    max_questions: int | None,
    questions_file: str,
    name: str,
    access_log: bool,
    workers: int,
    key: Path | None,
    search: Sequence[str],
) -> None:
    """Serve a model until Ctrl-C."""
    if host in _ANY and not allow_host:
        raise BadInputError(
            f"--host {host} stands for all addresses of this machine; give the name "
            "that clients use with --allow-host."
        )
    changes = journal is not None or Path(model).is_dir()
    if salvage and not changes:
        raise BadInputError(
            "--salvage is for a damaged journal; give its folder with --journal, or in "
            "place of the model."
        )
    _check_tokens_needed(host, token_file, changes)
    tokens = None if token_file is None else _open_tokens(console, token_file)
    names = LOCAL_NAMES | {name.lower() for name in (host, *allow_host)}
    limits = RequestLimits(seconds=max_seconds)
    secret = b"" if tokens is None else tokens.secret()
    privacy = Privacy(Level[receipts.upper()], min_group, noise, secret)
    safety = Safety(limits=limits, names=names, tokens=tokens)
    opening = StoreSource(
        model,
        journal,
        salvage=salvage,
        key=None if key is None else key.read_bytes(),
        search=tuple(map(Path, search)),
        min_group=min_group,
    )
    budget = max_questions and QuestionBudget(Path(questions_file), max_questions)
    make = partial(
        ModelServer,
        safety=safety,
        privacy=privacy,
        name=_check_name(name),
        budget=budget or None,
        log=AccessLog() if access_log else None,
    )
    announce = partial(_announce, console, privacy, workers)
    if workers == 1:
        with contextlib.closing(opening.open()) as store, _listen(host, port) as place:
            told = partial(announce, place.address, *_describe(store))
            server = make(store)
            server.warm_up()
            run_server(
                server.app,
                place.listening,
                limits,
                on_start=told,
                may_end=lambda: not server.is_changing,
            )
    else:
        with _listen(host, port) as place:
            told = partial(announce, place.address)
            serve_with_workers(opening, workers, make, place.listening, limits, told)
    console.note("Stopped.")


class _Place(NamedTuple):
    """A socket, and its address for clients."""

    listening: socket.socket
    address: str


@contextlib.contextmanager
def _listen(host: str, port: int) -> Iterator[_Place]:
    with contextlib.closing(listen(host, port)) as listening:
        yield _Place(listening, address_of(listening, host))


def _describe(store: Store) -> tuple[str, int]:
    return type(store.model).__name__, store.model.cases_.n_rows


def _check_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise BadInputError(
            f"--name {name!r}: expected letters, digits, '.', '_' and '-' only."
        )
    return name


def _announce(
    console: Console,
    privacy: Privacy,
    workers: int,
    address: str,
    kind: str,
    cases: int,
) -> None:
    receipts = privacy.level.name.lower()
    plain = {"address": address, "estimator": kind, "cases": cases, "workers": workers}
    plain |= {"receipts": receipts, "protects": privacy.describe(kind)}
    text = f"{kind} with {cases} cases at {address}, receipts: {receipts}."
    if workers > 1:
        text += f" {workers} workers."
    text += f" {privacy.describe(kind)} Press Ctrl-C to stop."
    console.result(plain, lambda _: click.echo(text))
    sys.stdout.flush()


def _check_tokens_needed(host: str, token_file: str | None, changes: bool) -> None:
    if token_file is not None:
        return
    if not is_loopback(host):
        raise BadInputError(
            f"--host {host} can be reached from other machines; give --token-file, too."
        )
    if changes:
        raise BadInputError(
            "--journal lets clients change the model; give --token-file, too."
        )


def _open_tokens(console: Console, path: str) -> Tokens:
    """Read the tokens of a file, which is made first if it does not exist."""
    if not Path(path).exists():
        write_tokens(path)
        console.note(f"new tokens for ask, explain and change written to {path}")
    elif is_shared(path):
        console.note(
            f"note: other users can read {path}; run chmod 600 {path} to prevent that."
        )
    return read_tokens(path)
