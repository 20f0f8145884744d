"""Every case classified by the others: what forgetting it and asking would give.

Most cases can stay where they are while they are asked for: a search passes them by,
and counts and ranks without them follow from those with them. The others, on which
cuts or classes hang, are forgotten in a copy of the case base, one at a time.
"""

import copy
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.selection.learner import answer, ask
from sklazy.answer.selection.question import Host, ask_about_cases
from sklazy.answer.selection.recipe import Recipe
from sklazy.answer.selection.result import Floats, Ints
from sklazy.backends import run_chunks
from sklazy.casebase import CaseBase
from sklazy.casebase.incoming import Target
from sklazy.casebase.removals import rows_behind_cuts
from sklazy.casebase.rows import CLASSES
from sklazy.errors import BadInputError, DataWarning
from sklazy.flow import Chunk, Queries
from sklazy.report.progress import track
from sklazy.tables import Column


class Left(NamedTuple):
    """What is said of cases, each left out.

    Attributes
    ----------
    decisions : int64 array of shape (n_asked,)
    probabilities : float64 array of shape (n_asked, n_classes)
    """

    decisions: Ints
    probabilities: Floats


def leave_one_out(
    base: CaseBase, recipe: Recipe, host: Host, rows: Ints | None = None
) -> Left:
    """The class decided for cases by all others, in the order in which they lie.

    Equal to forgetting the case, asking for it, and adding it again. `rows` names
    the cases by their place; all by default.
    """
    check_leaves_some(base)
    rows = np.arange(base.n_rows) if rows is None else rows
    forgotten = rows_to_forget(base, recipe, host)[rows]
    left = _nothing_said(base, len(rows))
    if not forgotten.all():
        question = ask_about_cases(base, rows[~forgotten])
        found = ask(question, recipe, host)
        left.decisions[~forgotten] = found.decisions
        left.probabilities[~forgotten] = found.probabilities
    if forgotten.any():

        def decide(others: CaseBase, query: Queries) -> Left:
            found = answer(others, query, recipe, host)
            return Left(found.decisions, found.probabilities)

        rest = leave_each_out(base, rows[forgotten], decide)
        left.decisions[forgotten] = rest.decisions
        left.probabilities[forgotten] = rest.probabilities
    return left


def rows_to_forget(base: CaseBase, recipe: Recipe, host: Host) -> NDArray[np.bool_]:
    """Tell for every case whether it must be forgotten to be left out."""
    counted = recipe.selection in ("lazy", "eager")
    nested = counted and recipe.n_attributes in ("auto", "local")
    if nested or recipe.selection == "lazy-cfs" or not host.can_leave_out(base):
        return np.ones(base.n_rows, bool)
    cases = base.cases
    classes = cases.classes[: cases.n_rows]
    n_declared = len(base.schema.classes)
    alone = (cases.class_counts[classes] == 1) & (classes >= n_declared)
    if recipe.selection == "none" and not host.discretize:
        return alone
    return alone | base.derive(
        "rows behind cuts", lambda: _find_behind(base, recipe.n_jobs)
    )


def _find_behind(base: CaseBase, n_jobs: int | None) -> NDArray[np.bool_]:
    def run(chunk: Chunk, n: int) -> None:
        run_chunks(chunk, n, n_jobs, float(n) * base.n_rows)

    return rows_behind_cuts(base, run)


def leave_each_out(
    base: CaseBase, rows: Ints, decide: Callable[[CaseBase, Queries], Left]
) -> Left:
    """What is said of cases named by their place, each forgotten by itself.

    `decide` answers a single query by the cases that are left.
    """
    left = _nothing_said(base, len(rows))
    classes = base.coder.vocabularies[CLASSES]
    for place, (others, query) in enumerate(each_without(base, rows)):
        found = decide(others, query)
        # A class may have left with its only case: the others' codes are others.
        codes = classes.lookup(list(others.class_labels))
        left.decisions[place] = codes[found.decisions[0]]
        left.probabilities[place, codes] = found.probabilities[0]
    return left


def each_without(base: CaseBase, rows: Ints) -> Iterator[tuple[CaseBase, Queries]]:
    """All cases but one, and that one as a query, for each that is named by place.

    It is the same copy of the base every time, good until the next is asked for.
    """
    check_leaves_some(base)
    others, cases, table = copy.deepcopy(base), base.cases, base.to_table()
    for row in track(rows.tolist(), "leaving out"):
        own, one = base.ids[row : row + 1], table.take([row])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # frozen cuts: meant to stay
            others.forget(own)
        yield others, others.encode(one)
        weights = cases.weights[row : row + 1]
        others.add(one, _target_of(base, row), weights=weights, ids=own)


def check_leaves_some(base: CaseBase) -> None:
    """Refuse to leave out the only row."""
    if base.n_rows == 1:
        raise BadInputError(
            "leave-one-out needs a second row; there is one only. Add rows first."
        )


def _nothing_said(base: CaseBase, n_asked: int) -> Left:
    n_classes = base.cases.class_counts.size
    return Left(np.empty(n_asked, np.int64), np.zeros((n_asked, n_classes)))


def _target_of(base: CaseBase, row: int) -> Target:
    """The target of a case, as a base takes it."""
    if not base.coder.has_classes:
        return base.cases.targets[:, row : row + 1].T
    classes = base.cases.classes[row : row + 1]
    return Column("target", "nominal", classes, tuple(base.class_labels))
