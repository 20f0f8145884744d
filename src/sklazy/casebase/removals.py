"""Which rows the cuts hang on."""

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase.base import CaseBase
from sklazy.casebase.cuts import criterion_code
from sklazy.flow import Runner, run_here
from sklazy.kernels.cuts import log_terms, mdl_cuts


def rows_behind_cuts(base: CaseBase, run: Runner = run_here) -> NDArray[np.bool_]:
    """Tell for every row whether forgetting it would move a cut.

    Every removal is tried: O(n^2) for a numeric attribute of n different values, at
    a fraction of a nanosecond. Frozen cuts never move.

    Parameters
    ----------
    base : CaseBase
    run : Runner
        What runs chunks of rows.

    Returns
    -------
    bool array of shape (n_rows,)
    """
    behind = np.zeros(base.n_rows, bool)
    if base.bins.frozen:
        return behind
    base._sync()
    cases, code = base.cases, criterion_code(base.bins.criterion)
    terms = log_terms(cases.n_rows)
    for numbers, cuts in zip(cases.numbers, base.bins.cuts, strict=True):
        column = numbers[: cases.n_rows]
        classes = cases.classes[: cases.n_rows]
        order = np.lexsort((classes, column))
        order = order[: cases.n_rows - int(np.isnan(column).sum())]
        behind[order] |= _moving(
            column[order],
            classes[order],
            cuts,
            (base.coder.n_classes, code, terms),
            run,
        )
    return behind


def _moving(
    values: NDArray[np.float64],
    classes: NDArray[np.int32],
    cuts: NDArray[np.float64],
    rule: tuple[int, int, NDArray[np.int64]],
    run: Runner,
) -> NDArray[np.bool_]:
    """Tell for sorted rows whether the cuts are others without them.

    Rows of equal value and class stand side by side; one is tried for all.
    """
    if not len(values):
        return np.zeros(0, bool)
    new = (values[1:] != values[:-1]) | (classes[1:] != classes[:-1])
    starts = np.flatnonzero(np.concatenate([[True], new]))
    moved = np.zeros(len(starts), bool)

    def work(first: int, last: int) -> None:
        for i in range(first, last):
            rest = np.delete(values, starts[i]), np.delete(classes, starts[i])
            moved[i] = not np.array_equal(mdl_cuts(*rest, *rule), cuts)

    run(work, len(starts))
    return np.repeat(moved, np.diff(np.append(starts, len(values))))
