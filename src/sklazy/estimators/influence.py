"""Influence of cases on answers: what would be answered without each of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from sklazy.answer import Batch, check_finite, prepare
from sklazy.answer.leave_one_out import check_leaves_some
from sklazy.answer.reasons import Wish, map_features, pick_outputs
from sklazy.casebase import CaseBase
from sklazy.casebase.incoming import slots_of
from sklazy.errors import BadInputError
from sklazy.estimators.contributions import (
    choose_outputs,
    find_output,
    name_outputs,
)
from sklazy.methods.family import find_outputs_without
from sklazy.receipts.families import FAMILIES_BY_ANSWER
from sklazy.report.html import preformatted
from sklazy.report.listings import list_influence
from sklazy.report.words import format_value, join, pluralize

if TYPE_CHECKING:
    from sklazy.estimators.base import LazyEstimator

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Influence:
    """How much each case, or block of cases, moves the answer to each query.

    Attributes
    ----------
    values : float64 array of shape (n_queries, n_blocks)
        The answer less the answer without the block: above 0 if the cases speak for
        the class in `of`, or raise the number.
    ids : list
        The id of each case, or a list of ids for a block.
    answer : float64 array of shape (n_queries,)
        The probability of the class in `of`, or the prediction.
    of : array of shape (n_queries,)
        The class, or the name of the target.

    Examples
    --------
    >>> from sklazy import LazyKernelRegressor
    >>> X, y = [[float(i)] for i in range(8)], [0.0, 0, 0, 0, 1, 1, 1, 1]
    >>> found = LazyKernelRegressor().fit(X, y).influence([[7.0]])
    >>> [(name, round(value, 3)) for name, value in found.strongest(0, 1)]
    [(7, 0.029)]
    """

    values: Floats
    ids: list[Any]
    answer: Floats
    of: NDArray[Any]

    def __repr__(self) -> str:
        n_rows, n_blocks = self.values.shape
        return (
            f"Influence({pluralize(n_blocks, 'case')} on {pluralize(n_rows, 'row')}; "
            "see strongest(0))"
        )

    def __str__(self) -> str:
        n_rows, n_blocks = self.values.shape
        outputs = join(dict.fromkeys(map(str, self.of)))
        title = (
            f"Influence of {pluralize(n_blocks, 'case')} on {outputs}, strongest first"
        )
        each = [
            [(_name_block(one), size) for one, size in self.strongest(i)]
            for i in range(n_rows)
        ]
        return list_influence(title, each)

    def _repr_html_(self) -> str:
        return preformatted(str(self))

    @property
    def without(self) -> Floats:
        """The answer without each block, (n_queries, n_blocks)."""
        return np.asarray(self.answer[:, None] - self.values)

    def strongest(self, query: int, most: int = 5) -> list[tuple[Any, float]]:
        """List the blocks that move an answer most, with their influence.

        Parameters
        ----------
        query : int
        most : int, default=5
        """
        order = np.argsort(-np.abs(self.values[query]), kind="stable")[:most]
        return [(self.ids[i], float(self.values[query, i])) for i in order.tolist()]


def _name_block(block: object) -> str:
    """The id of a case, or those of a block.

    Examples
    --------
    >>> _name_block("F1"), _name_block(["F1", "F2"]), _name_block(list("abcdef"))
    ('F1', 'F1 and F2', 'a, b, c and 3 more')
    """
    ids = block if isinstance(block, list | tuple) else [block]
    return join(map(format_value, ids))


def find_influence(
    model: "LazyEstimator", X: object, ids: object, of: object
) -> Influence:
    """Answers without cases, compared with those by all; see `influence`."""
    check_is_fitted(model)
    table = model._query_table(X)
    with model.cases_.snapshot() as state:
        cases = state.joined()
        check_leaves_some(cases)
        names, blocks = _find_blocks(cases, ids)
        learner = model._current_learner(cases)
        batch = Batch(cases, cases.cases, cases.encode(table))
        answer = learner.answer(prepare(learner, cases), batch)
        check_finite(answer, learner.target.kind)
        outputs = choose_outputs(cases, answer, find_output(cases, of))
        wish = Wish(outputs, map_features(cases), table=table)
        task = learner, answer, batch, wish, blocks
        without = find_outputs_without(*task, FAMILIES_BY_ANSWER)
        totals = pick_outputs(answer, wish)
        named = name_outputs(cases, outputs)
    return Influence(totals[:, None] - without, names, totals, named)


def _find_blocks(
    cases: CaseBase, ids: object
) -> tuple[list[Any], list[NDArray[np.int64]]]:
    """The ids of blocks as they were named, and where their rows lie."""
    if ids is None:
        order = np.argsort(cases.arrival)
        return cases.ids[order].tolist(), [order[i : i + 1] for i in range(len(order))]
    if isinstance(ids, str | int) or not isinstance(ids, Sequence | np.ndarray):
        raise BadInputError(
            f"ids={ids!r}; expected a list of ids, or of lists of ids that are left "
            "out together."
        )
    named = [one.item() if isinstance(one, np.generic) else one for one in ids]
    blocks = [
        slots_of(list(one) if isinstance(one, list | tuple) else [one], cases.ids)
        for one in named
    ]
    return named, blocks
