"""Local regression: queries are placed, find neighbors, and these become models."""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import Batch, Ints, last_copies
from sklazy.answer.learner import prepare
from sklazy.answer.target import Target
from sklazy.casebase import CaseBase
from sklazy.flow import LocalPlan, Queries
from sklazy.forking import cached_property
from sklazy.methods.local_models.alike import Groups
from sklazy.methods.local_models.answers import (
    LeftOutAnswer,
    LocalAnswer,
    answer_locally,
)
from sklazy.methods.local_models.data import (
    LocalData,
    LocalSettings,
    check_weights,
    find_alike,
    find_holders,
    place_rows,
    plan_models,
    prepare_local,
    sums_without,
)
from sklazy.methods.local_models.leave_one_out import find_last_holders
from sklazy.neighbors import TreeSearch


@dataclass(frozen=True, eq=False)
class LocalModelLearner:
    """Answers each query by small regressions on its neighbors.

    Attributes
    ----------
    settings : LocalSettings
    target : Target
        Numbers, or classes by an indicator of each.
    groups : int64 array of shape (n_rows,), or None
        A group of every row of the base: a case that is left out does not see its
        own group. By default each case is a group of its own.
    curves : bool
        Whether to keep the score of every number of neighbors.
    approximate : bool
        Whether scales, categories and codes stay those of all rows when rows are left
        out, as they must for groups.
    device : str, or None for the CPU
        Where neighbors and models are found.
    """

    is_local: ClassVar[bool] = True

    settings: LocalSettings
    target: Target
    groups: Ints | None = field(default=None, repr=False)
    curves: bool = False
    approximate: bool = False
    device: str | None = None

    keeps_choices: ClassVar[bool] = True
    """It chooses nothing by the targets of all rows."""

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LocalModelLearner) and self._key == other._key

    @cached_property
    def _key(self) -> Hashable:
        """Key of the prepared cases."""
        return _frozen(self.settings), self.device

    def prepare(self, base: CaseBase) -> LocalData:
        """Place the cases, and plan which models are tried."""
        return prepare_local(base, self.settings)._replace(device=self.device)

    def answer(self, ready: LocalData, batch: Batch) -> LocalAnswer | LeftOutAnswer:
        """Find neighbors, fit models on them, combine the best."""
        excluded = batch.excluded
        if excluded is None:
            return self._answer(ready, batch.queries)
        if ready.frame is not None:  # spaces without single cases need all of them
            whole = batch.base.joined()
            batch = replace(batch, base=whole, cases=whole.cases)
            ready = prepare(self, whole)
        if self.groups is None and not self.settings.as_in_r:
            excluded = last_copies(batch.base)[excluded]
        if self.approximate:
            return self._exclude(ready, batch.queries, excluded)
        return self._leave_out(ready, batch, excluded)

    def can_leave_out(self, base: CaseBase) -> NDArray[np.bool_]:
        """All but the only rows of a category or a class."""
        if self.approximate:
            return np.ones(base.n_rows, bool)
        return ~find_last_holders(base)

    def _answer(self, ready: LocalData, queries: Queries) -> LocalAnswer:
        return answer_locally(ready, queries, ready.plan, curves=self.curves)

    def _exclude(
        self, ready: LocalData, queries: Queries, excluded: Ints
    ) -> LocalAnswer:
        """Answer cases that stay where they are, in the space of all."""
        groups, plan = self._hide(ready, excluded)
        answer = answer_locally(ready, queries, plan, groups, self.curves)
        return replace(answer, hidden=self._count_hidden(ready.base, excluded))

    def _leave_out(
        self, ready: LocalData, batch: Batch, excluded: Ints
    ) -> LeftOutAnswer:
        """Answer cases, each in the space of the others.

        Most rows of a column shape its standard deviation, so each of these has a
        space made for it, which is several times the work of searching it. Where
        ranges scale, or nothing does, there are few such rows.
        """
        base, shape = batch.base, (len(batch), ready.cases.targets.shape[1])
        holders = base.derive(
            (find_holders, self), lambda: find_holders(ready, self.settings.scale)
        )[excluded]
        values, deviations = np.empty(shape), np.empty(shape)
        stay = np.flatnonzero(~holders)
        if len(stay):
            answer = self._exclude(ready, _take(batch.queries, stay), excluded[stay])
            values[stay], deviations[stay] = answer.values, answer.deviations
        for i in np.flatnonzero(holders).tolist():
            others = self._without(ready, int(excluded[i]))
            answer = self._answer(others, _take(batch.queries, [i]))
            values[i], deviations[i] = answer.values[0], answer.deviations[0]
        hidden = self._count_hidden(base, excluded)
        return LeftOutAnswer(base, batch.queries, values, deviations, hidden)

    def _without(self, ready: LocalData, row: int) -> LocalData:
        """The cases without one of them, made ready."""
        rows, sums = ready.rows[ready.rows != row], None
        if len(rows) < len(ready.rows):
            sums = sums_without(ready, row, self.settings.scale)
        space, cases, units, rescaled = place_rows(
            ready.base, rows, self.settings, sums
        )
        key = (plan_models, self, rescaled.ridge, space.regressors.shape[1], len(rows))
        plan = ready.base.derive(key, lambda: plan_models(rescaled, space, len(rows)))
        check_weights(ready.base, rows, plan)
        search = TreeSearch(space.columns)
        alike = find_alike(ready.base, rows, cases, rescaled)
        return LocalData(
            ready.base, space, cases, rows, plan, rescaled, units, search, alike
        )

    def _hide(self, ready: LocalData, excluded: Ints) -> tuple[Groups, LocalPlan]:
        """Groups hidden from each query, and the plan of the models tried then."""
        groups = self.groups
        if groups is None:
            groups = np.arange(ready.base.n_rows)
        row_groups = groups[ready.rows]
        n_rows = len(row_groups) - int(np.bincount(row_groups).max())
        plan = plan_models(ready.settings, ready.space, n_rows)
        return (row_groups, groups[excluded]), plan

    def _count_hidden(self, base: CaseBase, excluded: Ints) -> Ints | None:
        """The cases of each class that queries do not see, (n_queries, n_classes)."""
        if not base.class_labels:
            return None
        cases = base.cases
        one_hot = np.eye(cases.class_counts.size, dtype=np.int64)
        if self.groups is None:
            return one_hot[cases.classes[excluded]]
        counts = np.zeros((self.groups.max() + 1, len(one_hot)), np.int64)
        np.add.at(counts, (self.groups, cases.classes[: base.n_rows]), 1)
        return counts[self.groups[excluded]]


def _frozen(value: Any) -> Hashable:  # noqa: ANN401 - a parameter of any kind
    """A parameter as something that can be a key."""
    if isinstance(value, np.ndarray):
        return "array", value.shape, tuple(value.ravel().tolist())
    if isinstance(value, dict):
        return "dict", tuple((key, _frozen(entry)) for key, entry in value.items())
    if isinstance(value, list | tuple):
        return type(value).__name__, tuple(_frozen(item) for item in value)
    return type(value).__name__, value


def _take(queries: Queries, places: Ints | list[int]) -> Queries:
    return Queries(queries.codes[places], queries.values[places])
