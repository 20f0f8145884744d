"""The second half of the demo: predictions, receipts and advice."""

import shlex
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from rich.rule import Rule
from sklearn.datasets import load_wine

from sklazy.errors import ReceiptError
from sklazy.estimators.advice.advice import advise
from sklazy.estimators.selection.neighbors import LazyKNeighborsClassifier
from sklazy.receipts import Receipts, sealed
from sklazy.report.document import Table as Sheet
from sklazy.report.document import to_csv
from sklazy.tables import Table, as_table

TEST_EVERY = 4  # every fourth row is predicted, the others are the cases
WIDTH = 80


@dataclass
class Predicted:
    """A fitted model and its predictions of the test rows."""

    model: LazyKNeighborsClassifier
    truth: NDArray[Any]
    answers: NDArray[Any]
    seconds: float
    receipts: Receipts


def show_predictions(console: Console, page: Path) -> None:
    """Predict, explain two rows, advise, and write a page of receipts."""
    table, growers = _wine()
    found = _predict(table, growers)
    console.print(Rule("[bold]predictions[/]"))
    console.print(_score(found))
    for receipt in found.receipts:
        _print_plain(console, receipt.to_text(WIDTH) + "\n\n")
    console.print(_checked(found))
    console.print(Rule("[bold]advice[/]"))
    advice = advise(table, growers)
    _print_plain(console, advice.to_text(WIDTH) + "\n")
    console.print(_write(found.receipts, page))
    console.print(_write_data(table, growers, page.with_suffix(".csv")))


def _wine() -> tuple[Table, NDArray[Any]]:
    wine = load_wine()
    growers = np.array([f"grower {c}" for c in wine.target])
    return as_table(wine.data, feature_names=wine.feature_names), growers


def _predict(table: Table, growers: NDArray[Any]) -> Predicted:
    """Fit three quarters of the rows, and predict the rest."""
    back = np.arange(len(table)) % TEST_EVERY == 0
    model = LazyKNeighborsClassifier().fit(table.take(~back), growers[~back])
    queries: Any = table.take(back)
    model.predict(queries)  # compiled on first use
    started = time.perf_counter()
    answers = model.predict(queries)
    seconds = time.perf_counter() - started
    rows = _two_rows(model.predict_proba(queries))
    receipts = model.explain(queries.take(rows))
    return Predicted(model, growers[back], answers, seconds, receipts)


def _two_rows(probabilities: NDArray[np.float64]) -> NDArray[np.int64]:
    """The most and the least certain."""
    highest = probabilities.max(axis=1)
    return np.array([highest.argmax(), highest.argmin()])


def _score(found: Predicted) -> str:
    n_right, n_rows = int((found.answers == found.truth).sum()), len(found.truth)
    return (
        f"\n{found.model.cases_.n_rows} rows are the cases, {n_rows} were kept back "
        f"and predicted: [bold]{n_right} of {n_rows}[/] are right, in "
        f"{1e6 * found.seconds / n_rows:.0f} microseconds each. Every answer has a "
        "receipt. Here are those of the most and of the least certain one:\n"
    )


def _checked(found: Predicted) -> str:
    """Replay a receipt, then a forged one."""
    receipt = found.receipts[0]
    found.model.verify(receipt)
    forged = {**receipt.to_dict(), "probability": 0.5}
    messages = []
    for attempt in (forged, sealed(forged)):
        try:
            found.model.verify(attempt)
        except ReceiptError as error:
            messages.append(escape(str(error)))
    return (
        "Receipts replay: computed again, the answer is the same, digit for digit. A "
        "receipt whose probability was changed to 0.5 is refused:\n"
        f"  [dim]{messages[0]}[/]\nand under a new seal, too:\n"
        f"  [dim]{messages[1]}[/]\n"
    )


def _write(receipts: Receipts, page: Path) -> str:
    try:
        page.write_text(receipts.to_html("Two wines"), encoding="utf-8")
    except OSError as error:
        return f"The receipts could not be written to {page} ({error.strerror})."
    return f"The receipts as a page: [bold]{page.resolve()}[/]\n"


def _write_data(table: Table, growers: NDArray[Any], path: Path) -> str:
    """Write the wines to a file, and name the command that opens them."""
    wines = Sheet("wine", [*table.names, "grower"], _rows(table, growers))
    try:
        path.write_text(to_csv(wines), encoding="utf-8")
    except OSError as error:
        return f"The wines could not be written to {path} ({error.strerror})."
    return (
        "Look at the wines, their receipts and what-if in a browser:\n"
        f"  [bold]sklazy explore {escape(shlex.quote(str(path)))} --target grower[/]\n"
    )


def _rows(table: Table, growers: NDArray[Any]) -> list[list[str]]:
    columns = [column.cells() for column in table]
    return [
        [*[f"{cell:g}" for cell in cells], grower]
        for *cells, grower in zip(*columns, growers.tolist(), strict=True)
    ]


def _print_plain(console: Console, text: str) -> None:
    """Print text unchanged: its brackets are not markup."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)
