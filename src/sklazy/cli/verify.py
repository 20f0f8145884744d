"""`sklazy verify`: whether receipts are as they were written, and true; or models."""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sklazy import Receipt, Receipts, load
from sklazy.casebase.stored import check_stored
from sklazy.cli.console import Console
from sklazy.cli.methods import LAZY_CLASSIFIERS, LAZY_REGRESSORS
from sklazy.cli.models import is_model, load_model
from sklazy.cli.tasks import Task, read_task
from sklazy.errors import BadInputError, ReceiptError

_PLAIN = str | int | float | None  # parameters that a receipt spells out


def verify(
    console: Console,
    receipt: str,
    train: str | None,
    target: str | None,
    kind: str,
    ignore: Sequence[str],
    id_column: str | None,
    key: Path | None,
) -> None:
    """Check receipts, with the cases where they are given, or a model by itself."""
    if receipt != "-" and is_model(receipt):
        _check_model(console, receipt, alone=train is None and key is None)
        return
    receipts = _read(receipt)
    secret = None if key is None else key.read_bytes()
    if secret is not None:
        for one in receipts:
            one.check_signature(secret)
    if train is not None and is_model(train):
        model = load_model(train, target=target, task=kind, ignore=ignore).model
        for one in receipts:
            model.verify(one)
    elif train is not None:
        task = read_task(console, train, target, kind, ignore, id_column)
        for one in receipts:
            _replay(one, task)
    _tell(console, receipts, train, signed=key is not None)


def _check_model(console: Console, path: str, *, alone: bool) -> None:
    """Check every block of a file that `fit` or `store` wrote."""
    if not alone:
        raise BadInputError(
            f"{path} is a model; give the receipt first, or the model and nothing else."
        )
    is_mapped = check_stored(path)
    model = load(path, mmap_mode="c" if is_mapped else None)
    plain = {
        "model": type(model).__name__,
        "rows": model.cases_.n_rows,
        "bytes": Path(path).stat().st_size,
        "whole": True,
    }
    text = f"{path}: {plain['model']} of {plain['rows']} cases, every block is whole."
    console.result(plain, lambda terminal: terminal.print(text, highlight=False))


def _tell(
    console: Console, receipts: Receipts, train: str | None, signed: bool
) -> None:
    plain = {
        "receipts": len(receipts),
        "sealed": True,
        "signed": signed or None,
        "replayed": train is not None,
    }
    found = ["nobody edited them"]
    found += ["the signature is that of the key"] * signed
    found += [f"{train} gives the same answers"] * (train is not None)
    if train is None:
        console.note(
            "note: whether the cases say so was not checked; give the model or the "
            "training file as well."
        )
    many = "1 receipt" if len(receipts) == 1 else f"{len(receipts)} receipts"
    text = f"{many}: {', '.join(found)}."
    console.result(plain, lambda terminal: terminal.print(text, highlight=False))


def _read(path: str) -> Receipts:
    """One receipt or a list of them."""
    text = sys.stdin.read() if path == "-" else Path(path).read_text("utf-8")
    try:
        is_list = isinstance(json.loads(text), list)
    except ValueError:
        is_list = False  # the reader of receipts says what is wrong
    found = Receipts.from_json(text) if is_list else [Receipt.from_json(text)]
    if not found:
        raise ReceiptError(f"{path} holds no receipt.")
    return Receipts(found)


def _replay(receipt: Receipt, task: Task) -> None:
    """Learn again as the receipt says and ask again.

    A row of the training file was left out itself where it was explained.
    """
    refused: ReceiptError | None = None
    for known in _possible_cases(receipt, task):
        model = _make_again(receipt, known)
        model.fit(known.table, known.named_target(), ids=known.names)
        try:
            model.verify(receipt)
        except ReceiptError as error:
            refused = refused or error
            if model.digest() == receipt["cases"]["digest"]:
                raise
        else:
            return
    raise refused or ReceiptError(
        "the receipt is of other cases: no row of the file says what its query says."
    )


def _make_again(receipt: Receipt, task: Task) -> Any:  # noqa: ANN401 - an estimator
    """A new model like that of the receipt: its method, with its plain parameters."""
    makers = LAZY_CLASSIFIERS if task.classifies else LAZY_REGRESSORS
    made = {type(make(0)).__name__: make for make in makers.values()}
    if receipt["estimator"] not in made:
        raise ReceiptError(
            f"the receipt is of {receipt['estimator']}, which is not for "
            f"{task.kind} ({task.why}); verify it with the model."
        )
    model = made[receipt["estimator"]](0)
    for name, value in receipt["settings"].items():
        now = model.get_params(deep=False).get(name)
        if isinstance(value, _PLAIN) and isinstance(now, _PLAIN) and value != now:
            model.set_params(**{name: value})
    return model


def _possible_cases(receipt: Receipt, task: Task) -> Iterator[Task]:
    """All rows, then all but one that says what the query says."""
    n_rows = receipt["cases"]["n_rows"]
    if n_rows == len(task.target):
        yield task
    if n_rows == len(task.target) - 1:
        for place in np.flatnonzero(_equal_rows(receipt, task)):
            yield task.take(np.arange(len(task.target)) != place)
    if n_rows not in (len(task.target), len(task.target) - 1):
        raise ReceiptError(
            f"the receipt is of other cases: it says {n_rows} of them, the file has "
            f"{len(task.target)}."
        )


def _equal_rows(receipt: Receipt, task: Task) -> Any:  # noqa: ANN401 - bool array
    """Where rows have the values of the query, as far as both have such columns."""
    equal = np.ones(len(task.target), bool)
    for name, value in receipt.query.items():
        if name in task.table:
            equal &= [cell == value for cell in task.table[name].cells()]
    return equal
