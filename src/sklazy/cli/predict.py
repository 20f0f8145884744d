"""`sklazy predict`: classify or regress a file, or cross-validate."""

from collections.abc import Mapping, Sequence
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from rich.table import Table as Grid

from sklazy.answer.novelty import UNLIKE
from sklazy.cli.console import Console, Terminal
from sklazy.cli.csv_files import to_csv
from sklazy.cli.methods import choose_method, make_model
from sklazy.cli.models import Asked, Fitted, fit_task, is_model, load_model
from sklazy.cli.tasks import Task, check_folds, check_out, read_task
from sklazy.errors import BadInputError
from sklazy.experiments.harness.folds import class_folds, plain_folds
from sklazy.experiments.harness.writing import write_text
from sklazy.report.progress import track
from sklazy.tables import Table

Columns = dict[str, Any]

_SHOWN = 10  # rows in a note


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
    **wanted: Any,  # noqa: ANN401 - what `describe_rows` takes
) -> None:
    """Predict the rows of a file, or cross-validate."""
    check_out(out, train, test)
    if is_model(train):
        if test is None:
            raise BadInputError(
                f"{train} is a model; give the file of the rows to predict, too: "
                f"sklazy predict {train} FILE."
            )
        fitted = load_model(
            train, method=method, set=settings, ignore=ignore, task=kind
        )
        _predict(console, fitted, test, id_column, out, wanted)
        return
    task = read_task(console, train, target, kind, ignore, id_column)
    name = choose_method(task, method)
    console.note(f"{task.kind} ({task.why}), method {name}")
    if test is None:
        _cross_validate(console, task, name, settings, seed, folds, out)
    else:
        fitted = fit_task(task, name, settings, seed)
        _predict(console, fitted, test, id_column, out, wanted)


def _predict(
    console: Console,
    fitted: Fitted,
    path: str,
    id_column: str | None,
    out: str | None,
    wanted: Mapping[str, Any],
) -> None:
    """Predict the rows of a test file."""
    asked = fitted.read(console, path, id_column)
    said = describe_rows(console, fitted, asked, **wanted)
    if fitted.target in asked.whole:
        said[fitted.target] = asked.whole[fitted.target].cells()
        _note_quality(console, fitted, said)
    facts = {"task": fitted.kind, "method": fitted.method}
    _write(console, {id_column or "row": asked.names}, said, facts, out)


def describe_rows(
    console: Console,
    fitted: Fitted,
    asked: Asked,
    *,
    probabilities: bool = False,
    coverage: float = 0.0,
    novelty: bool = False,
) -> Columns:
    """Predictions of rows and all that was asked for beside them.

    What is said of each class is a dict by class; JSON has it always.
    """
    model, rows = fitted.model, asked.rows
    labels, shares = predict_both(model, rows)
    said: Columns = {"prediction": labels.tolist()}
    if shares is not None:
        said["probability"] = shares.max(axis=1).tolist()
        if probabilities or console.as_json:
            pairs = zip(model.classes_.tolist(), shares.T.tolist(), strict=True)
            said["probabilities"] = dict(pairs)
    if coverage and hasattr(model, "predict_interval"):
        ends = np.asarray(model.predict_interval(rows, coverage=coverage))
        said["low"], said["high"] = ends[:, 0].tolist(), ends[:, 1].tolist()
    if (novelty or console.as_json) and hasattr(model, "novelty"):
        said["novelty"] = model.novelty(rows).tolist()
        _note_novelty(console, asked, said["novelty"])
    elif novelty:
        raise BadInputError(
            f"--novelty: {fitted.method} keeps no cases; choose a lazy method."
        )
    return said


def _note_novelty(console: Console, asked: Asked, shares: Sequence[float]) -> None:
    """Point out rows that are unlike all cases."""
    unlike = [n for n, s in zip(asked.names, shares, strict=True) if s >= UNLIKE]
    if not unlike:
        return
    many = "1 row is" if len(unlike) == 1 else f"{len(unlike)} rows are"
    shown = ", ".join(map(str, unlike[:_SHOWN])) + ", ..." * (len(unlike) > _SHOWN)
    what = "row " * (asked.ids is None)
    console.note(f"note: {many} unlike all cases: {what}{shown}.")


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
        right = sum(a == b or str(a) == str(b) for a, b in known)
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
) -> None:
    n_folds = check_folds(task, n_folds)
    folds = make_folds(task, n_folds, seed)
    quality: dict[str, dict[str, float]] = {}
    found: dict[str, NDArray[Any]] = {}
    for method, chosen in ((name, settings), ("guess", ())):
        found[method] = _predict_folds(task, method, chosen, seed, folds)
        quality[method] = measure(task, found[method], folds)
    if out is not None:
        columns = {
            "row": task.names,  # in the file: some may have no target
            "prediction": found[name].tolist(),
            task.name: task.target.tolist(),
        }
        write_text(out, to_csv(columns))
        console.note(f"{len(task.target)} predictions in {out}")
    plain = {"task": task.kind, "method": name, "folds": n_folds, "quality": quality}
    console.result(plain, lambda terminal: _show(terminal, quality, n_folds))


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
) -> NDArray[Any]:
    """The rows of each fold predicted from all others."""
    found = np.empty_like(task.target)
    for fold in track(range(int(folds.max()) + 1), method):
        testing = folds == fold
        known = task.take(~testing)
        model = make_model(task, method, settings, seed)
        model.fit(known.table, known.target)
        found[testing] = model.predict(task.table.take(testing))
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
        else:
            flat[name] = values
    return flat
