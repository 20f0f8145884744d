"""The second half of the tour: rows are answered, explained and advised on."""

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
from sklazy.tables import Table, as_table

KEPT_BACK = 4  # every fourth row is asked, the others are the cases
WIDTH = 80


@dataclass
class Asked:
    """A fitted model and the rows it was asked."""

    model: LazyKNeighborsClassifier
    truth: NDArray[Any]
    answers: NDArray[Any]
    seconds: float
    receipts: Receipts


def show_answers(console: Console, page: Path) -> None:
    """Predict, explain two rows, advise, and write a page."""
    table, growers = _wine()
    asked = _ask(table, growers)
    console.print(Rule("[bold]asked[/]"))
    console.print(_score(asked))
    for receipt in asked.receipts:
        _print_plain(console, receipt.to_text(WIDTH) + "\n\n")
    console.print(_checked(asked))
    console.print(Rule("[bold]advised[/]"))
    advice = advise(table, growers)
    _print_plain(console, advice.to_text(WIDTH) + "\n")
    console.print(_write(asked.receipts, page))


def _wine() -> tuple[Table, NDArray[Any]]:
    wine = load_wine()
    growers = np.array([f"grower {c}" for c in wine.target])
    return as_table(wine.data, feature_names=wine.feature_names), growers


def _ask(table: Table, growers: NDArray[Any]) -> Asked:
    """Fit three quarters of the rows, and ask the rest."""
    back = np.arange(len(table)) % KEPT_BACK == 0
    model = LazyKNeighborsClassifier().fit(table.take(~back), growers[~back])
    queries: Any = table.take(back)
    model.predict(queries)  # compiled on first use
    begin = time.perf_counter()
    answers = model.predict(queries)
    seconds = time.perf_counter() - begin
    rows = _two_rows(model.predict_proba(queries))
    receipts = model.explain(queries.take(rows))
    return Asked(model, growers[back], answers, seconds, receipts)


def _two_rows(probabilities: NDArray[np.float64]) -> NDArray[np.int64]:
    """The surest and the least sure."""
    sure = probabilities.max(axis=1)
    return np.array([sure.argmax(), sure.argmin()])


def _score(asked: Asked) -> str:
    n_right, n_rows = int((asked.answers == asked.truth).sum()), len(asked.truth)
    return (
        f"\n{asked.model.cases_.n_rows} rows are the cases, {n_rows} were kept back "
        f"and asked: [bold]{n_right} of {n_rows}[/] answers are right, in "
        f"{1e6 * asked.seconds / n_rows:.0f} microseconds each. Every answer has a "
        "receipt. Here are those of the surest and of the least sure:\n"
    )


def _checked(asked: Asked) -> str:
    """Replay a receipt, then a forged one."""
    receipt = asked.receipts[0]
    asked.model.verify(receipt)
    forged = {**receipt.to_dict(), "probability": 0.5}
    messages = []
    for attempt in (forged, sealed(forged)):
        try:
            asked.model.verify(attempt)
        except ReceiptError as error:
            messages.append(escape(str(error)))
    return (
        "Receipts replay: asked again, the cases say the same, digit for digit. A "
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


def _print_plain(console: Console, text: str) -> None:
    """Print text as it is: brackets are no markup."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)
