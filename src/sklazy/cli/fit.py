"""`sklazy fit`: a model in a file."""

from collections.abc import Sequence

from sklazy.cli.console import Console
from sklazy.cli.methods import LAZY_CLASSIFIERS, LAZY_REGRESSORS, choose_method
from sklazy.cli.models import fit_task
from sklazy.cli.tasks import check_out, read_task
from sklazy.errors import BadInputError


def fit(
    console: Console,
    train: str,
    target: str,
    kind: str,
    ignore: Sequence[str],
    id_column: str | None,
    method: str | None,
    settings: Sequence[str],
    seed: int,
    out: str,
) -> None:
    """Learn from a file and write the model to another."""
    check_out(out, train)
    task = read_task(console, train, target, kind, ignore, id_column)
    name = choose_method(task, method)
    lazy = LAZY_CLASSIFIERS if task.classifies else LAZY_REGRESSORS
    if name not in lazy or name == "racsam":
        kept = [own for own in lazy if own != "racsam"]
        raise BadInputError(
            f"--method {name} cannot be written to a file; choose one of "
            f"{', '.join(kept)}."
        )
    console.note(f"{task.kind} ({task.why}), method {name}")
    model = fit_task(task, name, settings, seed).model
    model.save(out)
    plain = {
        "task": task.kind,
        "method": name,
        "target": task.name,
        "rows": len(task.target),
        "digest": model.digest(),
        "file": out,
    }
    text = f"{name} of {task.name!r} on {len(task.target)} cases in {out}"
    console.result(plain, lambda terminal: terminal.print(text, highlight=False))
