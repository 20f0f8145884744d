"""`sklazy predict MODEL FOLDER -o FOLDER`: predict file by file, in constant memory.

Each file of rows gives a file of predictions, which has its name once it is complete.
So a command that was stopped goes on where it was when it is given again. Predictions
have the time of the rows they are of; where rows were changed since, they are made
anew.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from sklazy.cli.console import Console
from sklazy.cli.models import FittedModel
from sklazy.cli.tasks import reading_settings
from sklazy.cli.uncertainty import Columns
from sklazy.cli.waiting import STOPS, report_stop, time_limit
from sklazy.cli.writing import free_name, replacing_text, to_csv
from sklazy.errors import BadInputError
from sklazy.report.progress import Progress
from sklazy.storage.folders import LIST, is_folder
from sklazy.storage.pages import CHECKSUM
from sklazy.storage.placing import naming_file, replacing_file
from sklazy.tables import Source, Table
from sklazy.tables.file_options import has_known_ending
from sklazy.tables.locations import HIDDEN, Location, find_files, is_several

JOB = "_scoring.json"
"""The file that tells which model and options the predictions of a folder are of."""

_SAME_TIME = 10_000  # nanoseconds; not every file system counts single ones

Predict = Callable[[Table], Columns]


class ScoringJob(NamedTuple):
    """Rows to predict, where predictions go, and how they are made."""

    test: str
    out: str
    id_column: str | None
    predict: Predict  # flat columns, for some rows
    described: Mapping[str, Any]  # the model and the options, as JSON


def writes_folder(test: str | None, out: str | None) -> bool:
    """Whether predictions go to a folder, a file for each file of rows."""
    if test in (None, "-") or out is None or has_known_ending(out):
        return False
    return is_several(test) or os.path.isdir(out)


def describe_model_file(path: str) -> str:
    """The checksum of a model's file, or of the list of its files."""
    place = os.path.join(path, LIST) if is_folder(path) else path
    with open(place, "rb") as file:
        if not is_folder(path):
            file.seek(-CHECKSUM, os.SEEK_END)
        return file.read().hex()


def score_files(
    console: Console, fitted: FittedModel, job: ScoringJob, max_seconds: float | None
) -> None:
    """Predict the rows of all files that have no predictions yet."""
    files = find_files(job.test)
    targets = _name_outputs(files, job.out)
    _begin(job, files)
    pairs = zip(files, targets, strict=True)
    waiting = [pair for pair in pairs if not _is_done(*pair)]
    n_before, n_rows, stop = len(files) - len(waiting), 0, None
    if n_before:
        console.note(f"{n_before} of {len(files)} files are there already")
    _note_others(console, targets, job.out)
    n_done = n_before
    try:
        with (
            time_limit(max_seconds),
            Progress("predicting", len(files), noun="files") as progress,
        ):
            progress.advance(n_before)
            for file, target in waiting:
                notes = console if n_done == n_before else None
                since = _time_of(file)
                target.unlink(missing_ok=True)  # of rows that were others
                n_rows += _score_file(notes, fitted, job, file, target)
                if since is not None and target.exists():
                    os.utime(target, ns=(since, since))
                n_done += 1
                progress.advance(note=f"{n_rows} rows")
    except STOPS as ended:
        stop = ended
    plain = {"files": n_done, "of": len(files), "rows": n_rows, "folder": job.out}
    text = f"{n_rows} rows predicted, {n_done} of {len(files)} files in {job.out}"
    console.result(plain, lambda terminal: terminal.print(text, highlight=False))
    if stop is not None:
        done = "Give the same command again to go on with the others."
        report_stop(console, stop, done, max_seconds)


def _is_done(file: Location, target: Path) -> bool:
    """Whether the predictions of the rows, as they are, are there."""
    if not target.exists():
        return False
    since = _time_of(file)
    return since is None or abs(target.stat().st_mtime_ns - since) < _SAME_TIME


def _time_of(file: Location) -> int | None:
    """When a file of rows was last changed, in ns; None where that is not known."""
    if file.system is None:
        return os.stat(file.path).st_mtime_ns if os.path.isfile(file.path) else None
    try:
        return int(file.system.modified(file.inside).timestamp() * 1e9)
    except (NotImplementedError, AttributeError, OSError):
        return None


def _check_apart(files: list[Location], job: ScoringJob) -> None:
    """Refuse a folder whose predictions would be rows the next time."""
    out = Path(os.path.realpath(job.out))
    if os.path.isfile(out):
        raise BadInputError(
            f"--out {job.out} is a file, but predictions of a folder go to a folder. "
            "Give another name, or one that ends in .csv for one file."
        )
    here = [Path(os.path.realpath(file.path)) for file in files if file.system is None]
    folder = Path(os.path.realpath(job.test))
    below = out.relative_to(folder).parts if out.is_relative_to(folder) else ("_",)
    if any(path.is_relative_to(out) for path in here) or not any(
        part.startswith(HIDDEN) for part in below
    ):
        raise BadInputError(
            f"--out {job.out} and the rows of {job.test} lie in one another, so that "
            "predictions would be taken as rows; give a folder elsewhere, or a name "
            "that begins with '_'."
        )


def _note_others(console: Console, targets: list[Path], out: str) -> None:
    """Note predictions of rows that are not, or no longer, among those asked for."""
    expected = set(targets)
    others = [
        path
        for path in sorted(Path(out).rglob(f"*{targets[0].suffix}"))
        if path not in expected and not path.name.startswith(HIDDEN)
    ]
    if others:
        console.note(
            f"note: {out} also has predictions of other rows, such as {others[0]} "
            f"({len(others)} in all); delete what is not needed."
        )


def _begin(job: ScoringJob, files: list[Location]) -> None:
    """Note what the predictions are of; a folder of others is refused."""
    _check_apart(files, job)
    os.makedirs(job.out, exist_ok=True)
    path = Path(job.out, JOB)
    if path.exists():
        try:
            described = json.loads(path.read_text("utf-8"))
        except ValueError:  # damaged
            described = None
        if described != job.described and _has_predictions(job.out):
            raise BadInputError(
                f"{job.out} has predictions of another model, or with other options; "
                "give another folder."
            )
        if described == job.described:
            return
    elif any(not name.startswith(".") for name in os.listdir(job.out)):
        raise BadInputError(f"{job.out} has other files; give a new or empty folder.")
    with replacing_text(path) as out:
        out.write(json.dumps(job.described))


def _has_predictions(out: str) -> bool:
    """Whether a folder has more than the file of its job and what a kill left."""
    found = (path for path in Path(out).rglob("*") if not path.is_dir())
    return any(not path.name.startswith(HIDDEN) for path in found)


def _name_outputs(files: list[Location], out: str) -> list[Path]:
    """Where the predictions of each file go: the same folders, the same names."""
    paths = [os.path.abspath(file.inside or file.path) for file in files]
    common = os.path.commonpath([os.path.dirname(path) for path in paths])
    ending = ".parquet" if _is_arrow(files[0]) else ".csv"
    named = []
    for path in paths:
        inner = Path(os.path.relpath(path, common).removesuffix(".gz"))
        named.append(Path(out, inner.with_suffix(ending)))
    if len(set(named)) < len(named):
        raise BadInputError(
            "the predictions of two files would have the same name; predict the files "
            "one by one, each into a folder of its own."
        )
    return named


def _is_arrow(file: Location) -> bool:
    return file.path.endswith((".parquet", ".pq", ".feather", ".arrow"))


def _score_file(
    console: Console | None,
    fitted: FittedModel,
    job: ScoringJob,
    file: Location,
    target: Path,
) -> int:
    """Predict a file; columns that are left out are noted if there is a console."""
    source = Source(file, **_settings(job, fitted))
    n_rows = 0
    write = _writing_parquet if _is_arrow(file) else _writing_csv
    with write(target, _time_of(file)) as add:
        for whole in source.batches_like(fitted.like):
            queries = fitted.match(console, whole, file.path, job.id_column)
            console = None
            names = queries.ids or np.arange(n_rows, n_rows + len(whole))
            answers = job.predict(queries.rows)
            add({free_name(job.id_column or "row", answers, "id"): names, **answers})
            n_rows += len(whole)
    return n_rows


def _settings(job: ScoringJob, fitted: FittedModel) -> dict[str, Any]:
    settings = reading_settings(job.id_column)
    if fitted.like.named:  # as the cases were read
        kinds = {} if job.id_column is None else {job.id_column: "nominal"}
        settings["kinds"] = kinds
    return settings


@contextmanager
def _replacing(target: Path, since: int | None) -> Iterator[IO[bytes]]:
    """A file that has its name once it is complete; what was left by a kill goes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with naming_file(target), replacing_file(target) as out:
        yield out
        if since is not None and os.utime in os.supports_fd:  # before it has its name:
            out.flush()  # a kill leaves no predictions that look like those of others
            os.utime(out.fileno(), ns=(since, since))


@contextmanager
def _writing_csv(
    target: Path, since: int | None
) -> Iterator[Callable[[Columns], None]]:
    is_first = True
    with _replacing(target, since) as out:

        def add(columns: Columns) -> None:
            nonlocal is_first
            text = to_csv(columns)
            head = 0 if is_first else len(to_csv({name: [] for name in columns}))
            out.write(text[head:].encode())
            is_first = False

        yield add


@contextmanager
def _writing_parquet(
    target: Path, since: int | None
) -> Iterator[Callable[[Columns], None]]:
    import pyarrow  # noqa: PLC0415 (the rows were read by it)
    from pyarrow import parquet  # noqa: PLC0415

    writer: Any = None

    def add(columns: Columns) -> None:
        nonlocal writer
        native = pyarrow.table(columns)
        if writer is None:
            fields = [
                pyarrow.field(field.name, pyarrow.string())
                if pyarrow.types.is_null(field.type)
                else field
                for field in native.schema
            ]
            # Ids differ from row to row: a dictionary of them would be for nothing.
            repeated = native.column_names[1:]
            schema = pyarrow.schema(fields)
            writer = parquet.ParquetWriter(out, schema, use_dictionary=repeated)
        writer.write_table(native.cast(writer.schema))

    with suppress(_NoRows), _replacing(target, since) as out:
        yield add
        if writer is None:
            raise _NoRows
        writer.close()


class _NoRows(Exception):  # noqa: N818 - it is caught here and never seen
    """There is nothing to write: Parquet without columns is no table."""
