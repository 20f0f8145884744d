"""True values of rows that were predicted: written alike, and compared."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from sklazy.cli.console import Console
from sklazy.cli.models import FittedModel, QueryRows
from sklazy.cli.uncertainty import Columns, is_same
from sklazy.measures.scores import find_auc
from sklazy.report.words import format_number, format_value


def name_truth(fitted: FittedModel, queries: QueryRows, n_rows: int) -> list[Any]:
    """True values as predictions are written: whole numbers without a point."""
    cells = queries.whole[fitted.target].cells()[:n_rows]
    if not fitted.classifies:
        return list(cells)
    known = {label: label for label in fitted.model.classes_.tolist()}
    whole = [int(c) if isinstance(c, float) and c.is_integer() else c for c in cells]
    return [known.get(cell, cell) for cell in whole]


def note_quality(
    console: Console, fitted: FittedModel, columns: Columns, truth: Sequence[object]
) -> None:
    """Report how good the predictions are, where the test file has the target."""
    pairs = zip(columns["prediction"], truth, strict=True)
    known = [(predicted, true) for predicted, true in pairs if true is not None]
    if not known:
        return
    if fitted.classifies:
        right = sum(is_same(a, b) for a, b in known)
        text = f"accuracy {right / len(known):.4f}"
        beside = _describe_guess(true for _, true in known)
        beside += _describe_auc(columns, truth)
    else:
        predicted, true = np.array([[float(str(a)) for a in pair] for pair in known]).T
        text = f"mean absolute error {format_number(np.abs(predicted - true).mean())}"
        guess = np.abs(true - true.mean()).mean()
        beside = f"always answering their mean: {format_number(guess)}"
    known_rows = f"{len(known)} rows with a known {fitted.target!r}"
    console.note(f"{text} on {known_rows} ({beside})")


def _describe_guess(labels: Iterable[object]) -> str:
    """The accuracy of always answering the commonest label of these."""
    counts = Counter(map(str, labels))
    label = min(counts, key=lambda label: (-counts[label], label))
    name = format_value(label)
    return f"always answering {name!r}: {counts[label] / counts.total():.4f}"


def _describe_auc(columns: Columns, truth: Sequence[object]) -> str:
    """The area under the ROC curve of two classes, where there are probabilities."""
    rows = zip(
        truth,
        columns["prediction"],
        columns.get("probability", ()),
        strict=False,
    )
    known = [
        (str(true), str(best), share) for true, best, share in rows if true is not None
    ]
    classes = sorted({label for true, best, _ in known for label in (true, best)})
    if len(classes) != 2:
        return ""
    of_last = [share if best == classes[1] else 1 - share for _, best, share in known]
    shares = np.column_stack([1 - np.array(of_last), of_last])
    auc = find_auc(shares, np.array([classes.index(true) for true, _, _ in known]))
    return "" if auc is None else f"; AUC {auc:.4f}"
