"""Every case answered by those that happened before it."""

import warnings
from collections.abc import Sequence
from functools import partial

import numpy as np

from sklazy.answer.batch import Ints
from sklazy.answer.batches import Outputs, answer_queries
from sklazy.answer.learner import AnyLearner, prepare
from sklazy.casebase import CaseBase
from sklazy.casebase.kinds import rebuilt, target_of_rows, times_of
from sklazy.casebase.moments import moments_of
from sklazy.errors import BadInputError, DataWarning
from sklazy.report.progress import track


def answer_from_past(
    learner: AnyLearner,
    base: CaseBase,
    rows: Ints,
    outputs: Sequence[str],
    n_jobs: int | None = None,
) -> Outputs:
    """Answer for cases, each by all that happened before it.

    Equal to a fit to the earlier cases. Cases of the same moment do not see each other.

    Parameters
    ----------
    learner, base, rows, outputs, n_jobs
        As for `leave_one_out`; no row may be of the first moment.

    Returns
    -------
    arrays : tuple, one array for each output, in the order of `rows`

    Notes
    -----
    The cases are added in turn, moment by moment, and asked in between.
    """
    moments = moments_of(base.rows)
    _check_past(moments, rows)
    row_moments, table, places = moments[rows], base.to_table(), []
    recoded: list[Outputs] = []
    recode = learner.target.recode
    past = rebuilt(base, np.flatnonzero(moments == moments.min()))
    for moment in track(np.unique(moments)[1:].tolist(), "asking the past"):
        here = np.flatnonzero(row_moments == moment)
        if len(here):
            past.refresh()  # frozen cuts are those of the rows until then
            with warnings.catch_warnings():  # what was warned of is known
                warnings.simplefilter("ignore", DataWarning)
                prepare(learner, past)
            queries = past.encode(table.take(rows[here].tolist()))
            answers = answer_queries(learner, past, queries, outputs, n_jobs=n_jobs)
            same = partial(recode, others=past, base=base)
            recoded.append(tuple(map(same, outputs, answers)))
            places.append(here)
        _add_rows(past, base, np.flatnonzero(moments == moment))
    order = np.argsort(np.concatenate(places))
    return tuple(np.concatenate(column)[order] for column in zip(*recoded, strict=True))


def n_earlier(base: CaseBase) -> Ints:
    """How many rows happened before each, in the order they lie in."""
    moments = moments_of(base.rows)
    return np.searchsorted(np.sort(moments), moments)


def _add_rows(past: CaseBase, base: CaseBase, places: Ints) -> None:
    """Add rows of a base to another, as they came."""
    kept = base.rows.take(places[np.argsort(base.arrival[places])])
    past.add(
        base.coder.table(kept),
        target_of_rows(base, kept),
        weights=kept.weights,
        times=times_of(base, kept),
        ids=kept.ids,
    )


def _check_past(moments: np.ndarray, rows: Ints) -> None:
    first = moments[rows] == moments.min()
    if first.any():
        raise BadInputError(
            f"{int(first.sum())} of the rows have the earliest time, so there are no "
            "rows before them; give later rows."
        )
