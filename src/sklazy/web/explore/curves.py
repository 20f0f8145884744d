"""The prediction along one feature, with the other cells of the row as they are."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sklazy.casebase import CaseBase
from sklazy.methods.plain import number
from sklazy.web.explore.columns import count_labels, limits
from sklazy.web.explore.formats import expand_date, is_date
from sklazy.web.explore.queries import Values, is_whole, rows_table
from sklazy.web.explore.receipts import predict_outputs
from sklazy.web.explore.state import State, Value

Plain = dict[str, Any]

MOST_CURVES = 12
"""Features of one request."""

_STEPS = 25  # of a feature with numbers
_MOST_LABELS = 12


def draw_curves(
    state: State,
    model: Any,  # noqa: ANN401 - a fitted lazy estimator
    values: Values,
    names: Sequence[str],
) -> Plain:
    """Predictions for a row with one cell changed, for each of some features.

    They are probabilities of the class that is predicted for the row as it is, or
    numbers.

    Parameters
    ----------
    state : State
        Whose values are tried.
    model : fitted lazy estimator
        Without the case itself, if it is one.
    values : dict
        The row.
    names : sequence of str
        At most `MOST_CURVES` features.
    """
    grids = {name: choose_values(state, name, values[name]) for name in names}
    base: CaseBase = model.cases_
    cells: dict[str, list[Any]] = {name: [values[name]] for name in base.names}
    for name, grid in grids.items():
        changed = {name: grid}
        if is_date(base, name):
            changed = expand_date(base, name, grid)
        for other, column in cells.items():
            column += changed.get(other, [values[other]] * len(grid))
    n_rows = 1 + sum(map(len, grids.values()))
    of, outputs = predict_outputs(model, rows_table(base, cells, n_rows))
    ends = np.cumsum([1, *map(len, grids.values())])
    curves = [
        {"name": name, "values": grid, "outputs": outputs[first : first + len(grid)]}
        for (name, grid), first in zip(grids.items(), ends[:-1].tolist(), strict=True)
    ]
    return {"of": of, "output": outputs[0], "curves": curves}


def choose_values(state: State, name: str, present: Value) -> list[Any]:
    """Values of a feature to try: even steps, or its most frequent labels."""
    j, is_number = state.column(name)
    if not is_number:
        counts = count_labels(state, j)
        best = np.argsort(-counts, kind="stable")[:_MOST_LABELS]
        labels = [state.base.categories(j)[c] for c in np.sort(best).tolist()]
        return labels if present is None or present in labels else [*labels, present]
    low, high = limits(state, j)
    if low is None or high is None:
        return []
    steps = low + (high - low) * (np.arange(_STEPS) / (_STEPS - 1))
    if is_whole(state, j):
        steps = np.unique(np.round(steps))
    known = [number(step) for step in np.unique(steps).tolist()]
    return [step for step in known if step is not None]
