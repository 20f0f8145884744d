"""`sklazy store`: a model of a file of any size, in another."""

import os
from collections.abc import Iterator, Sequence
from typing import Any

import click
import numpy as np

from sklazy.casebase.incoming import as_ids
from sklazy.cli.console import Console
from sklazy.cli.methods import LAZY_CLASSIFIERS, LAZY_REGRESSORS, make_model
from sklazy.cli.options import READING
from sklazy.cli.tasks import Aim, Kind, check_out, find_aim
from sklazy.errors import BadInputError, suggest
from sklazy.estimators.storing import Batch, store_rows
from sklazy.report.progress import Progress
from sklazy.tables import Column, Table, as_target
from sklazy.tables.labels import encode
from sklazy.tables.read import survey_table
from sklazy.tables.surveying import Surveyed


def store(
    console: Console,
    train: str,
    target: str,
    kind: str,
    ignore: Sequence[str],
    id_column: str | None,
    method: str,
    settings: Sequence[str],
    seed: int,
    out: str,
) -> None:
    """Write the model of a file that is read some rows at a time."""
    check_out(out, train)
    surveyed = _look(train, id_column)
    others = [target, *ignore] + [id_column] * (id_column is not None)
    for name in others:
        _check_column(surveyed, str(name), train)
    aim = _find_aim(surveyed, target, kind)
    lazy = LAZY_CLASSIFIERS if aim.classifies else LAZY_REGRESSORS
    if method not in lazy or method == "racsam":
        raise BadInputError(
            f"--method {method} cannot be stored for {aim.kind} ({aim.why}); choose "
            f"one of {', '.join(own for own in lazy if own != 'racsam')}."
        )
    console.note(f"{aim.kind} ({aim.why}), method {method}")
    model = make_model(aim, method, settings, seed)
    batches = _batches(surveyed, target, aim.kind, others, id_column)
    n_known = surveyed.seen[target].n_known
    if n_known < surveyed.n_rows:
        left_out = surveyed.n_rows - n_known
        console.note(f"note: {left_out} rows without {target!r} are left out.")
    n_rows = store_rows(model, batches, out, target=target, n_rows=n_known)
    n_bytes = os.stat(out).st_size
    plain = {
        "task": aim.kind,
        "method": method,
        "target": target,
        "rows": n_rows,
        "bytes": n_bytes,
        "file": out,
    }
    text = (
        f"{method} of {target!r} on {n_rows} cases in {out}, "
        f"{n_bytes / n_rows:.1f} bytes per case"
    )
    console.result(plain, lambda terminal: terminal.print(text, highlight=False))


def _look(path: str, id_column: str | None) -> Surveyed:
    """What the columns of the file are, by the options of the command."""
    context = click.get_current_context(silent=True)
    options = dict(context.meta.get(READING, {}) if context else {})
    if id_column is not None:
        options["kinds"] = {**options.get("kinds", {}), id_column: "nominal"}
    with Progress("looking at columns") as progress:
        return survey_table(path, progress.advance, **options)


def _check_column(surveyed: Surveyed, name: str, path: str) -> None:
    if name not in surveyed.seen:
        raise BadInputError(
            f"{path} has no column {name!r}.{suggest(name, surveyed.seen)}"
        )


def _find_aim(surveyed: Surveyed, target: str, wanted: str) -> Aim:
    seen = surveyed.seen[target]
    if not seen.n_known:
        raise BadInputError(f"the target {target!r} is missing in every row.")
    origin = next(o for o in surveyed.origins if o.name == target)
    numbers = np.arange(1e3) if seen.numbers is None else np.array([*seen.numbers])
    column = Column(target, origin.kind, numbers, reading=origin.reading)
    return find_aim(column, seen.n_known, wanted)


def _batches(
    surveyed: Surveyed,
    target: str,
    kind: Kind,
    others: Sequence[str | None],
    id_column: str | None,
) -> Iterator[Batch]:
    """The rows that have a target, as `sklazy fit` would keep them."""
    aside = [
        o.name for o in surveyed.origins if o.reading and o.reading.style == "aside"
    ]
    left_out = {*others, *(aside if surveyed.named else ())}
    first = 0
    for whole in surveyed.batches():
        kept = np.flatnonzero(~whole[target].missing)
        names = kept + first
        first += len(whole)
        whole = whole.take(kept)
        table = whole.select([n for n in whole.names if n not in left_out])
        if not table.columns:
            raise BadInputError(f"there is no column but the target {target!r}.")
        ids = names.tolist() if id_column is None else _ids(whole, id_column)
        yield Batch(table, _target(whole[target], kind), as_ids(ids))


def _target(column: Column, kind: Kind) -> Column:
    if kind == "regression":
        return Column(column.name, "numeric", as_target(column, "numeric"))
    return encode(column.name, as_target(column, "nominal").cells())


def _ids(whole: Table, id_column: str) -> list[Any]:
    names = whole[id_column].cells()
    if None in names:
        raise BadInputError(
            f"--id {id_column}: the column is missing in a row; names of rows must be "
            "there and differ. Take another column, or leave --id out."
        )
    return names
