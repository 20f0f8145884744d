"""The second half of the demo: predictions, receipts and advice."""

import shlex
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.markup import escape
from rich.rule import Rule
from sklearn.datasets import load_wine

from sklazy.cli.console import Terminal
from sklazy.cli.writing import to_csv
from sklazy.errors import ReceiptError
from sklazy.estimators.advice.advice import advise
from sklazy.estimators.selection.neighbors import LazyKNeighborsClassifier
from sklazy.receipts import Receipts, sealed
from sklazy.tables import Table, as_table

TEST_EVERY = 4  # every fourth row is predicted, the others are the cases
WIDTH = 80


@dataclass
class _Predicted:
    """A fitted model and its predictions of the test rows."""

    model: LazyKNeighborsClassifier
    truth: NDArray[Any]
    answers: NDArray[Any]
    seconds: float
    receipts: Receipts


def show_predictions(terminal: Terminal, page: Path) -> None:
    """Predict, explain two rows, advise, and write a page of receipts."""
    table, growers = _wine()
    predicted = _predict_wines(table, growers)
    terminal.print(Rule("[bold]predictions[/]"))
    terminal.print(_describe_score(predicted))
    for receipt in predicted.receipts:
        _print_plain(terminal, receipt.to_text(WIDTH) + "\n\n")
    terminal.print(_check_receipts(predicted))
    terminal.print(Rule("[bold]advice[/]"))
    advice = advise(table, growers)
    _print_plain(terminal, advice.to_text(WIDTH) + "\n")
    terminal.print(_write_page(predicted.receipts, page))
    terminal.print(_write_data(table, growers, page.with_suffix(".csv")))


def _wine() -> tuple[Table, NDArray[Any]]:
    wine = load_wine()
    growers = np.array([f"grower {c}" for c in wine.target])
    return as_table(wine.data, feature_names=wine.feature_names), growers


def _predict_wines(table: Table, growers: NDArray[Any]) -> _Predicted:
    """Fit a model to three quarters of the rows, and predict the rest."""
    testing = np.arange(len(table)) % TEST_EVERY == 0
    model = LazyKNeighborsClassifier().fit(table.take(~testing), growers[~testing])
    queries: Any = table.take(testing)
    model.predict(queries)  # compiled on first use
    started = time.perf_counter()
    answers = model.predict(queries)
    seconds = time.perf_counter() - started
    rows = _two_rows(model.predict_proba(queries))
    receipts = model.explain(queries.take(rows))
    return _Predicted(model, growers[testing], answers, seconds, receipts)


def _two_rows(probabilities: NDArray[np.float64]) -> NDArray[np.int64]:
    """The most and the least certain."""
    highest = probabilities.max(axis=1)
    return np.array([highest.argmax(), highest.argmin()])


def _describe_score(predicted: _Predicted) -> str:
    is_right = predicted.answers == predicted.truth
    n_right, n_rows = int(is_right.sum()), len(is_right)
    return (
        f"\n{predicted.model.cases_.n_rows} rows are the cases; the other {n_rows} "
        f"were predicted: [bold]{n_right} of {n_rows}[/] are right, in "
        f"{1e6 * predicted.seconds / n_rows:.0f} microseconds each. Every prediction "
        "has a receipt. Here are those of the most and the least certain one:\n"
    )


def _check_receipts(predicted: _Predicted) -> str:
    """Replay a receipt, then a forged one."""
    receipt = predicted.receipts[0]
    predicted.model.verify(receipt)
    forged = {**receipt.to_dict(), "probability": 0.5}
    messages = []
    for attempt in (forged, sealed(forged)):
        try:
            predicted.model.verify(attempt)
        except ReceiptError as error:
            messages.append(escape(str(error)))
    return (
        "Receipts can be checked: computed again, the prediction is the same, digit "
        "for digit. A receipt whose probability was changed to 0.5 is refused:\n"
        f"  [dim]{messages[0]}[/]\nwith a new seal, too:\n"
        f"  [dim]{messages[1]}[/]\n"
    )


def _write_page(receipts: Receipts, page: Path) -> str:
    try:
        page.write_text(receipts.to_html("Two wines"), encoding="utf-8")
    except OSError as error:
        return f"The receipts could not be written to {page} ({error.strerror})."
    return f"The receipts as a page: [bold]{page.resolve()}[/]\n"


def _write_data(table: Table, growers: NDArray[Any], path: Path) -> str:
    """Write the wines to a file, and show the command that opens them."""
    wines = {c.name: [f"{v:g}" for v in c.cells()] for c in table}
    wines["grower"] = growers.tolist()
    try:
        path.write_text(to_csv(wines), encoding="utf-8")
    except OSError as error:
        return f"The wines could not be written to {path} ({error.strerror})."
    return (
        "Explore the wines and their receipts in a browser:\n"
        f"  [bold]sklazy explore {escape(shlex.quote(str(path)))} --target grower[/]\n"
    )


def _print_plain(terminal: Terminal, text: str) -> None:
    """Print text unchanged: its brackets are not markup."""
    terminal.print(text, markup=False, highlight=False, soft_wrap=True)
