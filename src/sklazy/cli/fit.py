"""`sklazy fit` and `sklazy store`: a model in a file."""

import os

import numpy as np

from sklazy.cli.console import Console
from sklazy.cli.models import check_storable, choose_method, fit_task, make_model
from sklazy.cli.options import MethodChoice, TrainingFile
from sklazy.cli.tasks import (
    Aim,
    check_column,
    find_aim,
    ignored_columns,
    note_left_out,
    read_task,
    reading_settings,
)
from sklazy.cli.writing import check_out
from sklazy.errors import BadInputError
from sklazy.estimators.storing import (
    StoredColumns,
    list_batches,
    names_set_aside,
    store_rows,
)
from sklazy.report.progress import Progress
from sklazy.tables import Column, Source
from sklazy.tables.surveying import Surveyed


def fit(console: Console, source: TrainingFile, choice: MethodChoice, out: str) -> None:
    """Fit a model to a file and write it to another."""
    check_out(out, source.train)
    task = read_task(console, source)
    choice = choose_method(choice)
    method, n_rows = choice.method, len(task.target)
    check_storable(task, method)
    console.note(f"{task.kind} ({task.why}), method {method}")
    model = fit_task(task, choice).model
    model.save(out)
    plain = {
        "task": task.kind,
        "method": method,
        "target": task.name,
        "rows": n_rows,
        "digest": model.digest(),
        "file": out,
    }
    text = f"{method} for {task.name!r}, fitted to {n_rows} rows: {out}"
    console.result(plain, lambda terminal: terminal.print(text, highlight=False))


def store(
    console: Console, source: TrainingFile, choice: MethodChoice, out: str
) -> None:
    """Write the model of a file that is read some rows at a time."""
    check_out(out, source.train)
    target, method = str(source.target), choice.method
    surveyed = _survey_file(source)
    for name in (target, *ignored_columns(source)):
        check_column(name, [o.name for o in surveyed.origins], source.train)
    aim = _find_aim(surveyed, target, source.kind)
    check_storable(aim, method)
    console.note(f"{aim.kind} ({aim.why}), method {method}")
    ignored = [*ignored_columns(source), *names_set_aside(surveyed)]
    others = frozenset([target, *ignored])
    wanted = StoredColumns(target, source.id_column, others, aim.classifies, "--id")
    batches = list_batches(surveyed, wanted)
    n_known = surveyed.seen[target].n_known
    if n_known < surveyed.n_rows:
        left_out = surveyed.n_rows - n_known
        console.note(note_left_out(left_out, target))
    model = make_model(aim, choice)
    n_rows = store_rows(
        model,
        batches,
        out,
        target=target,
        n_rows=n_known,
        id_column=source.id_column,
    )
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
        f"{method} for {target!r}, with {n_rows} rows: {out}, "
        f"{n_bytes / n_rows:.1f} bytes per row"
    )
    console.result(plain, lambda terminal: terminal.print(text, highlight=False))


def _survey_file(source: TrainingFile) -> Surveyed:
    """Read the file once to find the kinds of its columns."""
    with Progress("reading columns") as progress:
        settings = reading_settings(source.id_column)
        needed = [str(source.target), *ignored_columns(source)]
        kinds = settings.get("kinds", {})
        aside = {**dict.fromkeys(source.ignore, "ignore"), **kinds}
        rows = Source(source.train, **{**settings, "kinds": aside})
        try:
            return rows.survey(progress.advance, needed)
        except BadInputError:
            if source.ignore and source.train != "-":
                names = Source(source.train, **{**settings, "kinds": {}}).names()
                for name in source.ignore:
                    check_column(name, names, source.train)
            raise


def _find_aim(surveyed: Surveyed, target: str, wanted: str) -> Aim:
    seen = surveyed.seen[target]
    if not seen.n_known:
        raise BadInputError(
            f"the target {target!r} is missing in every row; choose another column "
            "with -t."
        )
    origin = next(o for o in surveyed.origins if o.name == target)
    numbers = np.arange(1e3) if seen.numbers is None else np.array([*seen.numbers])
    column = Column(target, origin.kind, numbers, reading=origin.reading)
    return find_aim(column, seen.n_known, wanted)
