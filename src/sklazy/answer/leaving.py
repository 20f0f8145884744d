"""Every case classified by the others: what forgetting it and asking would give.

Most cases can stay where they are while they are asked for: a search passes them by,
and counts and ranks without them follow from those with them. The others, on which
cuts or classes hang, are forgotten in a copy of the case base, one at a time.
"""

import copy
import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.question import Host, ask_about_cases
from sklazy.answer.recipe import Recipe
from sklazy.answer.result import Floats, Ints
from sklazy.answer.steps import answer, ask
from sklazy.backends import run_chunks
from sklazy.casebase import CaseBase
from sklazy.casebase.removals import rows_behind_cuts
from sklazy.casebase.rows import CLASSES
from sklazy.errors import BadInputError, DataWarning
from sklazy.flow import Chunk
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
    if base.n_rows == 1:
        raise BadInputError(
            "leave-one-out needs a second row; there is one only. Add rows first."
        )
    rows = np.arange(base.n_rows) if rows is None else rows
    forgotten = rows_to_forget(base, recipe, host)[rows]
    n_classes = base.cases.class_counts.size
    left = Left(np.empty(len(rows), np.int64), np.zeros((len(rows), n_classes)))
    if not forgotten.all():
        question = ask_about_cases(base, rows[~forgotten])
        found = ask(question, recipe, host)
        left.decisions[~forgotten] = found.decisions
        left.probabilities[~forgotten] = found.probabilities
    if forgotten.any():
        _ask_forgotten(base, rows, np.flatnonzero(forgotten), (recipe, host), left)
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


def _ask_forgotten(
    base: CaseBase, rows: Ints, places: Ints, how: tuple[Recipe, Host], left: Left
) -> None:
    """Forget each case in turn, ask for it, and put it back."""
    others = copy.deepcopy(base)
    cases, table = base.cases, base.to_table()
    labels = tuple(base.class_labels)
    classes = base.coder.vocabularies[CLASSES]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # frozen cuts: meant to stay
        for place in places.tolist():
            row = int(rows[place])
            own = base.ids[row : row + 1]
            others.forget(own)
            one = table.take([row])
            found = answer(others, others.encode(one), *how)
            # A class may have left with its only case: the others' codes are others.
            codes = classes.lookup(list(others.class_labels))
            left.decisions[place] = codes[found.decisions[0]]
            left.probabilities[place, codes] = found.probabilities[0]
            target = Column("target", "nominal", cases.classes[row : row + 1], labels)
            others.add(one, target, weights=cases.weights[row : row + 1], ids=own)
