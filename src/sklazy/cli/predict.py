"""`sklazy predict`: predict the rows of a file, or cross-validate."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from sklazy.cli.console import Console
from sklazy.cli.cross_validation import cross_validate
from sklazy.cli.models import (
    FittedModel,
    QueryRows,
    choose_method,
    fit_task,
    is_model,
    load_model,
)
from sklazy.cli.options import Confidence, MethodChoice, TrainingFile
from sklazy.cli.scoring import (
    ScoringJob,
    describe_model_file,
    score_files,
    writes_folder,
)
from sklazy.cli.tasks import read_task
from sklazy.cli.truth import name_truth, note_quality
from sklazy.cli.uncertainty import (
    Columns,
    calibrate,
    check_confidence,
    confidence_columns,
    join_labels,
    name_first_rows,
    note_confidence,
    note_rare_classes,
)
from sklazy.cli.waiting import (
    RunLimits,
    TimeUpError,
    announced,
    ask_in_parts,
    draw_sample,
    partial_name,
    refuse_too_short,
    report_stop,
    time_limit,
)
from sklazy.cli.writing import (
    check_out,
    check_table,
    free_name,
    round_figures,
    to_csv,
    write_columns,
)
from sklazy.errors import BadInputError
from sklazy.report.words import pluralize
from sklazy.tables import Table


class _Request(NamedTuple):
    """A test file, its id column, and which predictions to write where."""

    test: str
    id_column: str | None
    out: str | None
    limits: RunLimits
    confidence: Confidence
    columns: Mapping[str, bool]


def predict(
    console: Console,
    source: TrainingFile,
    test: str | None,
    choice: MethodChoice,
    folds: int,
    out: str | None,
    max_rows: int | None,
    max_seconds: float | None,
    confidence: Confidence,
    **columns: bool,
) -> None:
    """Predict the rows of a file, or cross-validate."""
    check_out(out, source.train, test)
    check_table(out)
    if test is None:
        _refuse_without_test(source, confidence)
    limits = RunLimits(max_rows, max_seconds)
    request = _Request(test or "", source.id_column, out, limits, confidence, columns)
    if is_model(source.train):
        fitted = load_model(source, choice)
        _note_model(console, fitted)
        with announced(console, fitted.method):
            if writes_folder(test, out):
                _predict_folder(console, fitted, source.train, request)
            else:
                _predict_file(console, lambda: fitted, request)
        return
    if out is not None and os.path.isdir(out):
        raise BadInputError(
            f"'{out}' is a directory, which is written with a MODEL only. Fit one "
            f"first: sklazy fit {source.train} -t {source.target} -o model.sklazy."
        )
    task = read_task(console, source, needs_ids=test is None)
    choice = choose_method(choice)
    console.note(f"{task.kind} ({task.why}), method {choice.method}")
    with announced(console, choice.method):
        if test is None:
            task = task.take(draw_sample(len(task.table), max_rows, choice.seed))
            cross_validate(console, task, choice, folds, out, max_seconds)
        else:
            _predict_file(console, partial(fit_task, task, choice), request)


def _note_model(console: Console, fitted: FittedModel) -> None:
    """Note what a model predicts: the next note may be long in coming."""
    n_rows = pluralize(fitted.model.cases_.n_rows, "row")
    console.note(f"{fitted.kind} of {fitted.target!r}, {fitted.method} of {n_rows}")


def _refuse_without_test(source: TrainingFile, confidence: Confidence) -> None:
    if is_model(source.train):
        raise BadInputError(
            f"{source.train} is a model; give the file of the rows to predict, too: "
            f"sklazy predict {source.train} FILE."
        )
    for option, value in confidence._asdict().items():
        if value:
            raise BadInputError(
                f"--{option} is for the rows of TEST, and no such file is given; "
                "leave it out to cross-validate."
            )


def _predict_folder(
    console: Console, fitted: FittedModel, model: str, request: _Request
) -> None:
    """Predict file by file into a folder."""
    if request.limits.max_rows is not None:
        raise BadInputError("--max-rows is for one file of predictions; leave it out.")
    confidence = check_confidence(fitted, request.confidence)
    note_rare_classes(console, fitted, confidence)

    def answer(rows: Table) -> Columns:
        columns = prediction_columns(fitted, rows, confidence, **request.columns)
        columns.pop("unlike", None)
        return _flatten(columns)

    described = {
        "model": describe_model_file(model),
        "id": request.id_column,
        **{k: v for k, v in confidence._asdict().items() if k != "by" or v},
        **request.columns,
    }
    job = ScoringJob(
        request.test, str(request.out), request.id_column, answer, described
    )
    score_files(console, fitted, job, request.limits.max_seconds)


def _predict_file(
    console: Console, learn: Callable[[], FittedModel], request: _Request
) -> None:
    """Predict the rows of a test file."""
    limits, out = request.limits, request.out
    parts: list[Columns] = []
    try:
        with time_limit(limits.max_seconds):
            fitted = learn()
            confidence = check_confidence(fitted, request.confidence)
            whole = fitted.read(console, request.test, request.id_column)
            queries = whole.first(limits.max_rows)
            calibrate(console, fitted, queries.rows, confidence)
            stop = ask_in_parts(
                lambda first, last: prediction_columns(
                    fitted,
                    queries.rows.take(range(first, last)),
                    confidence,
                    in_full=console.as_json,
                    **request.columns,
                ),
                len(queries.rows),
                "predicting",
                parts,
            )
    except TimeUpError:
        refuse_too_short(limits.max_seconds)
    columns = _concatenate(parts)
    truth = _note_findings(console, fitted, queries, columns, confidence)
    facts: Columns = {"task": fitted.kind, "method": fitted.method}
    if stop is not None:
        out = partial_name(out)
        facts |= {"partial": True, "of": len(queries.rows)}
    names, columns = _name_columns(fitted, request, queries, columns, truth)
    _write_predictions(console, names, columns, facts, out)
    if stop is not None:
        place = "above" if out is None else f"in {out}"
        n_done = len(columns["prediction"])
        done = (
            f"The first {n_done} of {len(queries.rows)} rows were predicted, {place}."
        )
        report_stop(console, stop, done, limits.max_seconds)


def _note_findings(
    console: Console,
    fitted: FittedModel,
    queries: QueryRows,
    columns: Columns,
    confidence: Confidence,
) -> Sequence[object] | None:
    """Note rows unlike all, and how good predictions are; the targets, where known."""
    _note_novelty(console, queries, columns.pop("unlike", ()))
    truth = None
    if fitted.target in queries.whole:
        truth = name_truth(fitted, queries, len(columns["prediction"]))
        note_quality(console, fitted, columns, truth)
    note_confidence(console, fitted, queries, columns, confidence, truth)
    return truth


def _name_columns(
    fitted: FittedModel,
    request: _Request,
    queries: QueryRows,
    columns: Columns,
    truth: Sequence[object] | None,
) -> tuple[Columns, Columns]:
    """The names of rows, and all other columns; known targets come last."""
    taken = {*columns, *_flatten(columns)}
    row = free_name(request.id_column or "row", taken, "id")
    names = {row: queries.names[: len(columns["prediction"])]}
    if truth is not None:
        name = free_name(fitted.target, {*taken, row, "set"}, "true")
        columns = {**columns, name: truth}
    return names, columns


def _concatenate(parts: Sequence[Columns]) -> Columns:
    """Concatenate the columns of consecutive slices."""
    if not parts:
        return {"prediction": []}
    whole: Columns = {}
    for name in parts[0]:
        columns = [part[name] for part in parts]
        if isinstance(columns[0], dict):
            whole[name] = _concatenate(columns)
        else:
            whole[name] = [cell for column in columns for cell in column]
    return whole


def prediction_columns(
    fitted: FittedModel,
    rows: Table,
    confidence: Confidence,
    *,
    probabilities: bool = False,
    novelty: bool = False,
    in_full: bool = False,
) -> Columns:
    """Predictions of rows and the columns beside them; all of these if `in_full`.

    A column with a value for each class is a dict by class.
    """
    model = fitted.model
    labels, shares = predict_both(model, rows)
    columns: Columns = {"prediction": labels.tolist()}
    if shares is not None:
        columns["probability"] = shares.max(axis=1).tolist()
        if probabilities or in_full:
            pairs = zip(model.classes_.tolist(), shares.T.tolist(), strict=True)
            columns["probabilities"] = dict(pairs)
    columns |= confidence_columns(fitted, rows, shares, confidence)
    if (novelty or in_full) and hasattr(model, "novelty"):
        columns["novelty"] = model.novelty(rows).tolist()
        columns["unlike"] = model.unlike(rows).tolist()
    elif novelty:
        raise BadInputError(
            f"--novelty: {fitted.method} keeps no cases; choose a lazy method."
        )
    return columns


def _note_novelty(console: Console, queries: QueryRows, flags: Sequence[bool]) -> None:
    """Point out rows that are unlike all cases."""
    pairs = zip(queries.names, flags, strict=False)
    unlike = [name for name, flag in pairs if flag]
    if unlike:
        many = "1 row is" if len(unlike) == 1 else f"{len(unlike)} rows are"
        names = name_first_rows(queries, unlike)
        console.note(f"note: {many} unlike all cases: {names}.")


def predict_both(
    model: Any,  # noqa: ANN401 - an estimator
    X: Table,
) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
    """Predictions of the rows, and probabilities or None if the model has none."""
    if hasattr(model, "predict_both"):
        return model.predict_both(X)
    return model.predict(X), None


def _write_predictions(
    console: Console,
    names: Columns,
    columns: Columns,
    facts: Mapping[str, object],
    out: str | None,
) -> None:
    """Write predictions to a file or to standard output."""
    flat = {**names, **round_figures(_flatten(columns))}
    if out is None:
        plain = {**facts, "rows": to_records({**names, **columns})}
        console.result(plain, lambda _: click.echo(to_csv(flat), nl=False))
        return
    n_rows = len(columns["prediction"])
    write_columns(out, flat)
    plain = {**facts, "rows": n_rows, "file": out}
    console.result(plain, lambda terminal: terminal.print(f"{n_rows} rows in {out}"))


def to_records(columns: Columns) -> list[dict[str, Any]]:
    """A dict for each row; a column by class is a dict there.

    Examples
    --------
    >>> to_records({"row": [0], "prediction": ["a"], "probabilities": {"a": [1.0]}})
    [{'row': 0, 'prediction': 'a', 'probabilities': {'a': 1.0}}]
    """
    cells = {
        name: to_records(column) if isinstance(column, dict) else column
        for name, column in columns.items()
    }
    rows = zip(*cells.values(), strict=True)
    return [dict(zip(cells, row, strict=True)) for row in rows]


def _flatten(columns: Columns) -> Columns:
    """Split dicts by class into a column for each class."""
    flat: Columns = {}
    for name, cells in columns.items():
        if isinstance(cells, dict):
            flat |= {f"probability of {c}": shares for c, shares in cells.items()}
        elif name == "set":
            flat[name] = [*map(join_labels, cells)]
        else:
            flat[name] = cells
    return flat
