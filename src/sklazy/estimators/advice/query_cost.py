"""What a query costs, measured."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.estimators.advice.comparison import Contestant, stratified_sample
from sklazy.tables import Table

_MOST_CELLS = 4_000_000  # in the table that is measured on
_ASKED = 200  # queries that are timed


@dataclass(frozen=True)
class QueryCost:
    """What one query costs, k-NN with lazy selection.

    Attributes
    ----------
    in_batch, alone : float
        Seconds for a row in a batch of 200, and for one asked by itself.
    n_rows : int
        The number of cases it holds for.
    n_measured : int
        The number of cases it was measured with; if these are fewer, the time is
        scaled up in proportion.
    """

    in_batch: float
    alone: float
    n_rows: int
    n_measured: int


def measure_cost(
    one: Contestant, table: Table, classes: NDArray[np.int32], random_state: int
) -> QueryCost:
    """Time queries against all cases, or against as many as can be fitted quickly."""
    n_rows, n_columns = table.shape
    n_measured = min(n_rows, max(1000, _MOST_CELLS // n_columns))
    rows = stratified_sample(classes, n_measured, random_state)
    model = one.make().fit(table.take(rows), classes[rows])
    many, single = table.take(rows[:_ASKED]), table.take(rows[:1])
    in_batch = _best_time(model, many) / len(many)
    alone = _best_time(model, single)
    longer = in_batch * (n_rows / len(rows) - 1.0)
    return QueryCost(in_batch + longer, alone + longer, n_rows, len(rows))


def _best_time(model: Any, asked: Table) -> float:  # noqa: ANN401 - any estimator
    """Seconds to predict, the best of three."""
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        model.predict(asked)
        times.append(time.perf_counter() - begin)
    return min(times)
