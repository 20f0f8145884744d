"""`sklazy predict`: classify or regress a file, or cross-validate."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from rich.table import Table as Grid

from sklazy.cli.console import Console, Terminal
from sklazy.cli.csv_files import to_csv
from sklazy.cli.methods import choose_method, make_model
from sklazy.cli.models import Asked, Fitted, fit_task, is_model, load_model
from sklazy.cli.tasks import Task, check_folds, check_out, read_task
from sklazy.cli.uncertainty import (
    Sureness,
    check_sureness,
    describe_sureness,
    is_same,
    name_rows,
    note_sureness,
    write_set,
)
from sklazy.cli.waiting import (
    STOPS,
    Limits,
    TimeUpError,
    announced,
    ask_in_parts,
    partial_name,
    refuse_too_short,
    sample_rows,
    say_stopped,
    time_limit,
)
from sklazy.errors import BadInputError
from sklazy.experiments.harness.folds import class_folds, plain_folds
from sklazy.experiments.harness.writing import write_text
from sklazy.report.progress import track
from sklazy.tables import Table

Columns = dict[str, Any]


def predict(
    console: Console,
    train: str,
    test: str | None,
    target: str | None,
    kind: str,
    ignore: Sequence[str],
    id_column: str | None,
    method: str | None,
    settings: Sequence[str],
    seed: int,
    folds: int,
    out: str | None,
    max_rows: int | None,
    max_seconds: float | None,
    coverage: float | None,
    abstain: float | None,
    **wanted: Any,  # noqa: ANN401 - what `describe_rows` takes
) -> None:
    """Predict the rows of a file, or cross-validate."""
    check_out(out, train, test)
    limits, where = Limits(max_rows, max_seconds), (id_column, out)
    sureness = Sureness(coverage, abstain)
    if is_model(train):
        if test is None:
            raise BadInputError(
                f"{train} is a model; give the file of the rows to predict, too: "
                f"sklazy predict {train} FILE."
            )
        fitted = load_model(
            train, method=method, set=settings, ignore=ignore, task=kind
        )
        with announced(console, fitted.method):
            _predict(console, lambda: fitted, test, where, limits, sureness, wanted)
        return
    if test is None:
        _refuse_without_test(sureness)
    task = read_task(console, train, target, kind, ignore, id_column)
    name = choose_method(task, method)
    console.note(f"{task.kind} ({task.why}), method {name}")
    with announced(console, name):
        if test is None:
            task = task.take(sample_rows(len(task.table), max_rows, seed))
            _cross_validate(
                console, task, name, settings, seed, folds, out, max_seconds
            )
        else:
            learn = partial(fit_task, task, name, settings, seed)
            _predict(console, learn, test, where, limits, sureness, wanted)


def _predict(
    console: Console,
    learn: Callable[[], Fitted],
    path: str,
    where: tuple[str | None, str | None],
    limits: Limits,
    sureness: Sureness,
    wanted: Mapping[str, Any],
) -> None:
    """Predict the rows of a test file by what is learned now or was before."""
    id_column, out = where
    found: list[Columns] = []
    stop = None
    try:
        with time_limit(limits.max_seconds):
            fitted = learn()
            sureness = check_sureness(fitted, sureness)
            asked = fitted.read(console, path, id_column).first(limits.max_rows)
            stop = ask_in_parts(
                lambda first, last: describe_rows(
                    fitted,
                    asked.rows.take(range(first, last)),
                    sureness,
                    in_full=console.as_json,
                    **wanted,
                ),
                len(asked.rows),
                "predicting",
                found,
            )
    except TimeUpError:
        refuse_too_short(limits.max_seconds)
    said = _join(found)
    done = len(said["prediction"])
    names = asked.names[:done]
    _note_novelty(console, asked, said.pop("unlike", ()))
    if fitted.target in asked.whole:
        said[fitted.target] = asked.whole[fitted.target].cells()[:done]
        _note_quality(console, fitted, said)
    note_sureness(console, fitted, asked, said, sureness)
    facts: Columns = {"task": fitted.kind, "method": fitted.method}
    if stop is not None:
        out = None if out is None or _is_special(out) else partial_name(out)
        facts |= {"partial": True, "of": len(asked.rows)}
    _write(console, {id_column or "row": names}, said, facts, out)
    if stop is not None:
        place = "above" if out is None else f"in {out}"
        text = f"The first {done} of {len(asked.rows)} rows were predicted, {place}."
        say_stopped(console, stop, text, limits.max_seconds)


def _refuse_without_test(sureness: Sureness) -> None:
    for option, value in zip(("coverage", "abstain"), sureness, strict=True):
        if value:
            raise BadInputError(
                f"--{option} is for the rows of TEST, and no such file is given; "
                "leave it out to cross-validate."
            )


def _is_special(out: str) -> bool:
    """Whether an output is a device or a pipe: there is nothing beside it."""
    return os.path.exists(out) and not os.path.isfile(out)


def _join(parts: Sequence[Columns]) -> Columns:
    """What is said of some rows after the other, as columns of all of them."""
    said: Columns = {"prediction": []} if not parts else {}
    for name in parts[0] if parts else ():
        columns = [part[name] for part in parts]
        if isinstance(columns[0], dict):
            said[name] = _join(columns)
        else:
            said[name] = [cell for column in columns for cell in column]
    return said


def describe_rows(
    fitted: Fitted,
    rows: Table,
    sureness: Sureness,
    *,
    probabilities: bool = False,
    novelty: bool = False,
    in_full: bool = False,
) -> Columns:
    """Predictions of rows and all that was asked for beside them.

    What is said of each class is a dict by class; `in_full` has all of it.
    """
    model = fitted.model
    labels, shares = predict_both(model, rows)
    said: Columns = {"prediction": labels.tolist()}
    if shares is not None:
        said["probability"] = shares.max(axis=1).tolist()
        if probabilities or in_full:
            pairs = zip(model.classes_.tolist(), shares.T.tolist(), strict=True)
            said["probabilities"] = dict(pairs)
    said |= describe_sureness(fitted, rows, shares, sureness)
    if (novelty or in_full) and hasattr(model, "novelty"):
        said["novelty"] = model.novelty(rows).tolist()
        said["unlike"] = model.unlike(rows).tolist()
    elif novelty:
        raise BadInputError(
            f"--novelty: {fitted.method} keeps no cases; choose a lazy method."
        )
    return said


def _note_novelty(console: Console, asked: Asked, flags: Sequence[bool]) -> None:
    """Point out rows that are unlike all cases."""
    pairs = zip(asked.names, flags, strict=False)
    unlike = [name for name, flag in pairs if flag]
    if not unlike:
        return
    many = "1 row is" if len(unlike) == 1 else f"{len(unlike)} rows are"
    console.note(f"note: {many} unlike all cases: {name_rows(asked, unlike)}.")


def predict_both(
    model: Any,  # noqa: ANN401 - an estimator
    X: Table,
) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
    """Predictions of the rows, and probabilities or None if the model has none."""
    if hasattr(model, "predict_both"):
        return model.predict_both(X)
    return model.predict(X), None


def _note_quality(console: Console, fitted: Fitted, said: Columns) -> None:
    """Report how good the predictions are, where the test file has the target."""
    pairs = zip(said["prediction"], said[fitted.target], strict=True)
    known = [(found, true) for found, true in pairs if true is not None]
    if not known:
        return
    if fitted.classifies:
        right = sum(is_same(a, b) for a, b in known)
        text = f"accuracy {right / len(known):.4f}"
    else:
        errors = [abs(float(str(a)) - float(str(b))) for a, b in known]
        text = f"mean absolute error {np.mean(errors):.4g}"
    console.note(f"{text} on {len(known)} rows with a known {fitted.target!r}")


def _cross_validate(
    console: Console,
    task: Task,
    name: str,
    settings: Sequence[str],
    seed: int,
    n_folds: int,
    out: str | None,
    max_seconds: float | None,
) -> None:
    n_folds = check_folds(task, n_folds)
    folds = make_folds(task, n_folds, seed)
    found: dict[str, NDArray[Any]] = {}
    try:
        with time_limit(max_seconds):
            answers, stop = _predict_folds(task, name, settings, seed, folds)
    except TimeUpError:
        refuse_too_short(max_seconds)
    n_done = len(answers)
    if stop is not None:  # the folds that are done are folds of a smaller task
        task, folds = task.take(folds < n_done), folds[folds < n_done]
        out = None if out is None or _is_special(out) else partial_name(out)
    found[name] = _by_row(task, folds, answers)
    found["guess"] = _by_row(
        task, folds, _predict_folds(task, "guess", (), seed, folds)[0]
    )
    quality = {method: measure(task, rows, folds) for method, rows in found.items()}
    if out is not None:
        columns = {
            "row": task.names,  # in the file: some may have no target
            "prediction": found[name].tolist(),
            task.name: task.target.tolist(),
        }
        write_text(out, to_csv(columns))
        console.note(f"{len(task.target)} predictions in {out}")
    plain = {"task": task.kind, "method": name, "folds": n_folds, "quality": quality}
    if stop is not None:
        plain["partial"], plain["folds"], plain["of"] = True, n_done, n_folds
    console.result(plain, lambda terminal: _show(terminal, quality, n_done))
    if stop is not None:
        text = f"The quality is that of {n_done} of {n_folds} folds."
        say_stopped(console, stop, text, max_seconds)


def make_folds(task: Task, n_folds: int, seed: int) -> NDArray[np.int64]:
    """The fold of each row."""
    if not task.classifies:
        return plain_folds(len(task.target), n_folds, seed)
    texts = np.array([*map(str, task.target.tolist())], object)
    _, codes = np.unique(texts, return_inverse=True)
    return class_folds(codes, n_folds, seed)


def _predict_folds(
    task: Task,
    method: str,
    settings: Sequence[str],
    seed: int,
    folds: NDArray[np.int64],
) -> tuple[list[NDArray[Any]], BaseException | None]:
    """The rows of each fold predicted from all others, and what ended it before all."""
    found: list[NDArray[Any]] = []
    try:
        for fold in track(range(int(folds.max()) + 1), method):
            testing = folds == fold
            known = task.take(~testing)
            model = make_model(task, method, settings, seed)
            model.fit(known.table, known.target)
            found.append(model.predict(task.table.take(testing)))
    except STOPS as stop:
        if not found:
            raise
        return found, stop
    return found, None


def _by_row(
    task: Task, folds: NDArray[np.int64], answers: list[NDArray[Any]]
) -> NDArray[Any]:
    """The answers of folds in the order of the rows."""
    found = np.empty_like(task.target)
    for fold, answer in enumerate(answers):
        found[folds == fold] = answer
    return found


def measure(
    task: Task, found: NDArray[Any], folds: NDArray[np.int64]
) -> dict[str, float]:
    """The quality of predictions, and its standard deviation over folds."""
    n_folds = int(folds.max()) + 1
    if task.classifies:
        right = (found == task.target).astype(float)
        means = [right[folds == fold].mean() for fold in range(n_folds)]
        return {"accuracy": float(right.mean()), "spread": float(np.std(means))}
    errors = np.abs(found - task.target)
    means = [errors[folds == fold].mean() for fold in range(n_folds)]
    total = float(((task.target - task.target.mean()) ** 2).sum())
    explained = 1 - float((errors**2).sum()) / total if total else float("nan")
    return {
        "mean_absolute_error": float(errors.mean()),
        "spread": float(np.std(means)),
        "root_mean_squared_error": float(np.sqrt((errors**2).mean())),
        "r2": explained,
    }


_NAMES = {
    "mean_absolute_error": "mean absolute error",
    "root_mean_squared_error": "RMSE",
    "r2": "R\N{SUPERSCRIPT TWO}",
    "spread": "± over folds",
}


def _show(terminal: Terminal, quality: dict[str, dict[str, float]], n: int) -> None:
    grid = Grid("method", box=None, header_style="bold", padding=(0, 2))
    for name in next(iter(quality.values())):
        grid.add_column(_NAMES.get(name, name), justify="right", no_wrap=True)
    for method, figures in quality.items():
        label = "guess (no attributes)" if method == "guess" else method
        grid.add_row(label, *(f"{figure:.4g}" for figure in figures.values()))
    terminal.print(grid)
    terminal.print(f"[dim]{n} folds; each row predicted from the other folds.[/]")


def _write(
    console: Console,
    names: Columns,
    said: Columns,
    facts: Mapping[str, object],
    out: str | None,
) -> None:
    """Write predictions to a file or to standard output."""
    n_rows = len(said["prediction"])
    if out is not None:
        write_text(out, to_csv({**names, **_flat(said)}))
        plain = {**facts, "rows": n_rows, "file": out}
        console.result(
            plain, lambda terminal: terminal.print(f"{n_rows} rows in {out}")
        )
        return
    text = to_csv({**names, **_flat(said)})
    console.result({**facts, **names, **said}, lambda _: click.echo(text, nl=False))


def _flat(said: Columns) -> Columns:
    """What is said of each class as columns of their own."""
    flat: Columns = {}
    for name, values in said.items():
        if isinstance(values, dict):
            flat |= {f"probability of {c}": own for c, own in values.items()}
        elif name == "set":
            flat[name] = [*map(write_set, values)]
        else:
            flat[name] = values
    return flat
