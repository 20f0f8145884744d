"""How much each case adds to the predictions for the others."""

from typing import Any

import numpy as np

from sklazy.estimators.case_values import (
    CaseValues,
    count_voters,
    sum_values_on_cases,
)
from sklazy.web.explore.jobs import Job
from sklazy.web.explore.state import State, plain_id

Plain = dict[str, Any]

_MOST_PAIRS = 100_000_000  # of cases and cases they are judged by: some ten seconds
_FEWEST_JUDGED = 100
_PART = 1_000_000  # pairs between two steps of the progress bar
_LISTED = 10  # cases at either end


def compute_values(state: State, job: Job) -> CaseValues | None:
    """Value all cases by the votes on the others; None if the job is stopped.

    With many cases a random sample of them is judged, each left out. All are valued.
    """
    n_neighbors, base = count_voters(state.model), state.base.joined()
    n_judged = min(max(_MOST_PAIRS // state.n_rows, _FEWEST_JUDGED), state.n_rows)
    judged = state.places[state.order[:n_judged]]
    job.total, step = n_judged, max(1, _PART // state.n_rows)
    totals = np.zeros(state.n_rows)
    for first in range(0, n_judged, step):
        if job.stopped:
            return None
        part = judged[first : first + step]
        totals += sum_values_on_cases(base, part, n_neighbors)
        job.done += len(part)
    values = totals[state.places] / n_judged
    return CaseValues(values, state.ids, float(values.sum()), n_neighbors, n_judged)


def describe_values(state: State, values: CaseValues) -> Plain:
    """The cases of the lowest and of the highest values."""
    order = np.argsort(values.values, kind="stable")
    n_listed = min(_LISTED, len(order) // 2)
    return {
        "n_cases": len(order),
        "n_harmful": int((values.values < 0).sum()),
        "n_neighbors": values.n_neighbors,
        "n_judged": values.n_queries,
        "lowest": [_describe(state, values, row) for row in order[:n_listed]],
        "highest": [_describe(state, values, row) for row in order[::-1][:n_listed]],
    }


def _describe(state: State, values: CaseValues, row: int) -> Plain:
    return {
        "id": plain_id(state.ids[row]),
        "truth": state.truth(row),
        "value": float(values.values[row]),
    }
