"""Mixed tables for the figures of receipts, and answers with their receipts."""

import numpy as np
import pandas as pd

from sklazy.answer import Batch
from sklazy.answer.learner import prepare
from sklazy.receipts import build_receipts

NAMES, KINDS = ["size", "level", "color"], ["numeric", "numeric", "nominal"]


def drawn(seed, n=26, missing=0.1):
    """Rows of two numbers and a color, the first color the most frequent."""
    rng = np.random.default_rng(seed)
    colors = rng.choice(["blue", "green", "red"], n, p=[0.5, 0.3, 0.2])
    rows = [
        [float(a), float(b), str(c)]
        for a, b, c in zip(
            rng.normal(size=n).round(2), rng.integers(0, 50, n) / 4, colors, strict=True
        )
    ]
    hidden = rng.random((n, 3)) < missing
    rows = [
        [None if gone else cell for cell, gone in zip(row, own, strict=True)]
        for row, own in zip(rows, hidden, strict=True)
    ]
    return rows, rng.normal(size=n), rng.integers(0, 3, n)


def frame_of(rows):
    frame = pd.DataFrame(rows, columns=NAMES, dtype=object)
    return frame.astype({"size": float, "level": float})


def answer_of(model, frame):
    """The answer behind receipts, with the bags, and the receipts."""
    table = model._query_table(frame)
    learner = model._explaining(model._current_learner(model.cases_))
    batch = Batch(model.cases_, model.cases_.cases, model.cases_.encode(table))
    answer = learner.answer(prepare(learner, model.cases_), batch)
    return answer, build_receipts(answer, table, type(model).__name__, {})
