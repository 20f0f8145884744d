"""`sklazy verify`: check that receipts, or a model, are intact and true."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy import Receipt, Receipts, load
from sklazy.cli.console import Console
from sklazy.cli.models import is_model, lazy_methods, load_model
from sklazy.cli.options import TrainingFile
from sklazy.cli.tasks import FileTask, read_task
from sklazy.errors import BadInputError, ReceiptError
from sklazy.report.words import pluralize
from sklazy.storage.stored import check_stored

_PLAIN = str | int | float | None  # parameters that a receipt spells out


def verify(
    console: Console, receipt: str, source: TrainingFile | None, key: Path | None
) -> None:
    """Check receipts, with the cases if they are given, or a model by itself."""
    if is_model(receipt):
        _check_model(console, receipt, alone=source is None and key is None)
        return
    receipts = _read_receipts(receipt)
    secret = None if key is None else key.read_bytes()
    if secret is not None:
        for one in receipts:
            one.check_signature(secret)
    if source is not None and is_model(source.train):
        model = load_model(source).model
        for one in receipts:
            model.verify(one)
    elif source is not None:
        task = read_task(console, source)
        for one in receipts:
            _replay(one, task)
    _report_checks(console, receipts, source, signed=key is not None)


def _check_model(console: Console, path: str, *, alone: bool) -> None:
    """Check every block of a file that `fit` or `store` wrote."""
    if not alone:
        raise BadInputError(
            f"{path} is a model; give the receipt first, or the model and nothing else."
        )
    check_stored(path)
    model = load(path, mmap_mode="c")
    plain = {
        "model": type(model).__name__,
        "rows": model.cases_.n_rows,
        "bytes": Path(path).stat().st_size,
        "whole": True,
    }
    text = (
        f"{path}: {plain['model']} with {plain['rows']} cases; every block is intact."
    )
    console.result(plain, lambda terminal: terminal.print(text, highlight=False))


def _report_checks(
    console: Console, receipts: Receipts, source: TrainingFile | None, signed: bool
) -> None:
    plain = {
        "receipts": len(receipts),
        "sealed": True,
        "signed": signed or None,
        "replayed": source is not None,
    }
    checks = ["not edited"]
    if signed:
        checks.append("signed with this key")
    if source is None:
        console.note(
            "note: the predictions were not checked; give the model or the training "
            "file as well."
        )
    else:
        checks.append(f"{source.train} gives the same predictions")
    text = f"{pluralize(len(receipts), 'receipt')}: {', '.join(checks)}."
    console.result(plain, lambda terminal: terminal.print(text, highlight=False))


def _read_receipts(path: str) -> Receipts:
    """One receipt or a list of them."""
    text = sys.stdin.read() if path == "-" else Path(path).read_text("utf-8")
    try:
        is_list = isinstance(json.loads(text), list)
    except ValueError:
        is_list = False  # the reader of receipts reports what is wrong
    receipts = Receipts.from_json(text) if is_list else [Receipt.from_json(text)]
    if not receipts:
        raise ReceiptError(
            f"{path} holds an empty list; expected a receipt, or a list of receipts."
        )
    return Receipts(receipts)


def _replay(receipt: Receipt, task: FileTask) -> None:
    """Fit and predict again as the receipt describes, also without the row itself."""
    refused: ReceiptError | None = None
    for known in _possible_cases(receipt, task):
        model = _make_again(receipt, known)
        model.fit(known.table, known.target_column(), ids=known.names)
        try:
            model.verify(receipt)
        except ReceiptError as error:
            refused = refused or error
            if model.digest() == receipt["cases"]["digest"]:
                raise
        else:
            return
    raise refused or ReceiptError(
        "the receipt is about other cases: no row of the file equals its query."
    )


def _make_again(receipt: Receipt, task: FileTask) -> Any:  # noqa: ANN401 - an estimator
    """A new model like that of the receipt: its method, with its plain parameters."""
    models = [make(0) for make in lazy_methods(task).values()]
    by_name = {type(model).__name__: model for model in models}
    if receipt["estimator"] not in by_name:
        raise ReceiptError(
            f"the receipt is from {receipt['estimator']}, which is not for "
            f"{task.kind} ({task.why}); verify it with the model."
        )
    model = by_name[receipt["estimator"]]
    for name, value in receipt["settings"].items():
        now = model.get_params(deep=False).get(name)
        if isinstance(value, _PLAIN) and isinstance(now, _PLAIN) and value != now:
            model.set_params(**{name: value})
    return model


def _possible_cases(receipt: Receipt, task: FileTask) -> Iterator[FileTask]:
    """All rows, then all but one that equals the query."""
    n_rows = receipt["cases"]["n_rows"]
    if n_rows == len(task.target):
        yield task
    elif n_rows == len(task.target) - 1:
        for row in np.flatnonzero(_equal_rows(receipt, task)):
            yield task.take(np.arange(len(task.target)) != row)
    else:
        raise ReceiptError(
            f"the receipt is about {n_rows} cases, but the file has "
            f"{len(task.target)}; give the file that the receipt was made from."
        )


def _equal_rows(receipt: Receipt, task: FileTask) -> NDArray[np.bool_]:
    """Which rows equal the query in all columns that both have."""
    equal = np.ones(len(task.target), bool)
    for name, value in receipt.query.items():
        if name in task.table:
            equal &= [cell == value for cell in task.table[name].cells()]
    return equal
