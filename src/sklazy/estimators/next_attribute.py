"""Which missing attribute of a query to measure next, and what measuring costs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from sklazy.answer import AnyLearner
from sklazy.answer.next_attribute import (
    Stands,
    answer,
    choose,
    find_missing,
    hide,
    measure_gains,
    suggest_next,
)
from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError, suggest
from sklazy.estimators.parameters import check_positive
from sklazy.flow import Queries
from sklazy.receipts import Wanted
from sklazy.receipts.next_attribute import describe_next
from sklazy.report.next_attribute import suggestion_fragment, suggestion_text
from sklazy.report.progress import Progress
from sklazy.tables import Table

if TYPE_CHECKING:
    from sklazy.estimators.base import LazyEstimator


Floats = NDArray[np.float64]
Costs = Mapping[str, float] | ArrayLike | None


def read_costs(costs: Costs, cases: CaseBase) -> Floats:
    """The cost of each attribute, or an error that describes what is wrong."""
    names = cases.names
    if costs is None:
        return np.ones(len(names))
    listed = _named_costs(costs, cases) if isinstance(costs, Mapping) else costs
    values: Sequence[Any] = list(np.asarray(listed, object).ravel())
    if len(values) != len(names):
        raise BadInputError(
            f"costs has {len(values)} numbers for {len(names)} attributes; give one "
            "for each, or a dict by name."
        )
    for name, value in zip(names, values, strict=True):
        check_positive(f"costs[{name!r}]", value, "what measuring it costs")
    return np.array(values, np.float64)


def _named_costs(costs: Mapping[str, float], cases: CaseBase) -> list[float]:
    """Costs by name; the parts of a date cost what it costs."""
    columns = cases.schema.user_names
    unknown = [name for name in costs if name not in columns + cases.names]
    if unknown:
        raise BadInputError(
            f"costs names {unknown[0]!r}, which is not an attribute."
            f"{suggest(str(unknown[0]), cases.names)}"
        )
    owners = [_find_owner(name, columns) for name in cases.names]
    lacking = [
        name
        for name, owner in zip(cases.names, owners, strict=True)
        if name not in costs and owner not in costs
    ]
    if lacking:
        raise BadInputError(
            f"costs lacks {len(lacking)} attributes, the first of them {lacking[0]!r}; "
            "give a cost for each."
        )
    pairs = zip(cases.names, owners, strict=True)
    return [costs[name] if name in costs else costs[owner] for name, owner in pairs]


def _find_owner(name: str, columns: Sequence[str]) -> str:
    """The user's column that an attribute is of."""
    if name in columns:
        return name
    return next((column for column in columns if name.startswith(f"{column}: ")), name)


@dataclass(frozen=True)
class Suggestion:
    """Which missing attribute of a query to measure next.

    Attributes
    ----------
    content : dict
        Plain data: ``attribute`` (None if no attribute is missing, or none is
        informative), ``statement`` (the same in a sentence), the current ``answer`` and
        ``probability``, ``unit`` of gains ("bits" of entropy, or "share of variance"),
        ``ranked`` (each missing attribute with its ``gain``, ``cost`` and
        ``gain_per_cost``, best first) and ``outcomes`` (values of the attribute, the
        probability of each, and the answer it would lead to).
    """

    content: Mapping[str, Any]

    @property
    def attribute(self) -> str | None:
        """The attribute to measure next, if any."""
        return self.content["attribute"]

    @property
    def statement(self) -> str:
        """The suggestion in a sentence."""
        return self.content["statement"]

    @property
    def answer(self) -> Any:  # noqa: ANN401 - a label, a number or several
        """The answer as it stands."""
        return self.content["answer"]

    @property
    def outcomes(self) -> list[dict[str, Any]]:
        """Values the attribute may have, and the answers they would lead to."""
        return self.content["outcomes"]

    def to_dict(self) -> dict[str, Any]:
        """The plain data."""
        return dict(self.content)

    def to_text(self, width: int = 80) -> str:
        """The suggestion for a terminal, no line wider than `width`."""
        return suggestion_text(self.content, width)

    def _repr_html_(self) -> str:
        return suggestion_fragment(self.content)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"Suggestion({self.statement})"


_ROUNDING = 1e-9  # ten times 0.1 is less than 1


@dataclass(frozen=True, eq=False)
class Acquisition:
    """Attributes bought one after the other, and the answers along the way.

    Attributes
    ----------
    names : list of str
        The attributes.
    attributes : int64 array of shape (n_queries, n_steps)
        Attributes bought, by position in `names`; -1 for none.
    spent : float64 array of shape (n_queries, n_steps + 1)
        Total cost before the first step and after each.
    answers : array of shape (n_queries, n_steps + 1), and n_targets if several
        The answers at these times.
    of_numbers : bool
        Whether the answers are numbers.
    """

    names: list[str]
    attributes: NDArray[np.int64]
    spent: Floats
    answers: NDArray[Any]
    of_numbers: bool

    def score(self, y: ArrayLike) -> Floats:
        """The share of right answers after each step, shape (n_steps + 1,).

        Of numbers minus the mean absolute error.
        """
        truth, (n_queries, _, *targets) = np.asarray(y), self.answers.shape
        if truth.shape != (n_queries, *targets):
            raise BadInputError(
                f"y has the shape {truth.shape}; expected {(n_queries, *targets)}, "
                "the shape of the answers."
            )
        if not self.of_numbers:
            return np.asarray((self.answers == truth[:, None]).mean(axis=0))
        errors = np.abs(self.answers - truth[:, None]).mean(axis=0)
        return -errors.reshape(len(errors), -1).mean(axis=1)


class Game:
    """Queries that buy attributes, each the one with the most gain per cost."""

    def __init__(
        self,
        learner: AnyLearner,
        cases: CaseBase,
        queries: Queries,
        prices: Floats,
        budget: float | None,
        n_jobs: int | None,
    ) -> None:
        self.learner, self.n_jobs = learner, n_jobs
        self.cases, self.queries, self.prices = cases, queries, prices
        purse = np.inf if budget is None else float(budget)
        self.left = np.full(len(queries.codes), purse)
        self.known = np.zeros(queries.codes.shape, np.bool_)
        self.for_sale = ~find_missing(queries)

    def play(self) -> Acquisition:
        """Buy until nothing is bought any more."""
        bought, answers, spent = [], [], [np.zeros(len(self.left))]
        stands = self._answer()
        answers.append(stands.values)
        with Progress(
            "acquiring", len(self.cases.names), noun="attributes"
        ) as progress:
            while (step := self._step(stands.shares)).max(initial=-1) >= 0:
                bought.append(step)
                spent.append(spent[-1] + np.where(step >= 0, self.prices[step], 0.0))
                stands = self._answer()
                answers.append(stands.values)
                progress.advance()
        steps = np.reshape(bought, (len(bought), len(self.left))).astype(np.int64)
        return Acquisition(
            self.cases.names,
            steps.T,
            np.stack(spent, axis=1),
            np.stack([_drop_single_axis(values) for values in answers], axis=1),
            stands.shares is None,
        )

    def _answer(self) -> Stands:
        shown = hide(self.queries, self.known)
        return answer(self.learner, self.cases, shown, self.n_jobs)

    def _step(self, shares: Floats | None) -> NDArray[np.int64]:
        """The attribute that each query buys now, -1 if none."""
        shown, step = hide(self.queries, self.known), np.full(len(self.left), -1)
        for query in range(len(self.left)):
            affordable = self.prices <= self.left[query] * (1 + _ROUNDING)
            buyable = np.flatnonzero(
                self.for_sale[query] & ~self.known[query] & affordable
            )
            current = None if shares is None else shares[query]
            gains = measure_gains(self.cases, shown, query, current, buyable)
            place = choose(gains.gains, self.prices[buyable])
            if place >= 0:
                step[query] = buyable[place]
        rows = np.flatnonzero(step >= 0)
        self.known[rows, step[rows]] = True
        self.left[rows] -= self.prices[step[rows]]
        return step


def _drop_single_axis(values: NDArray[Any]) -> NDArray[Any]:
    """Numbers of a single target without its axis."""
    return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values


def suggest_attributes(
    model: "LazyEstimator", X: object, costs: Costs
) -> list[Suggestion]:
    """Rank the missing attributes; see `LazyEstimator.suggest_attribute`."""
    table = model._query_table(X)
    with model.cases_.snapshot() as cases:
        return [
            Suggestion(one) for one in _find_suggestions(model, cases, table, costs)
        ]


def describe_suggestions(
    model: "LazyEstimator", cases: CaseBase, table: Table, wanted: Wanted
) -> list[dict[str, Any]]:
    """Describe the suggestion of each query for its receipt, if wanted."""
    if not wanted.suggest:
        return [{} for _ in range(len(table))]
    suggestions = _find_suggestions(model, cases, table, wanted.costs)
    return [{"next_attribute": one} for one in suggestions]


def acquire_attributes(
    model: "LazyEstimator", X: object, budget: float | None, costs: Costs
) -> Acquisition:
    """Buy the suggested attributes one by one; see `LazyEstimator.acquire`."""
    check_is_fitted(model)
    if budget is not None:
        check_positive("budget", budget, "what each query may spend")
    table = model._query_table(X)
    with model.cases_.snapshot() as cases:
        prices, learner = read_costs(costs, cases), model._current_learner(cases)
        queries = cases.encode(table)
        return Game(learner, cases, queries, prices, budget, model.n_jobs).play()


def _find_suggestions(
    model: "LazyEstimator", cases: CaseBase, table: Table, costs: Costs
) -> list[dict[str, Any]]:
    """Suggestions as plain data."""
    prices, queries = read_costs(costs, cases), cases.encode(table)
    learner, missing = model._current_learner(cases), find_missing(queries)
    steps = suggest_next(learner, cases, queries, missing, prices, model.n_jobs)
    return [describe_next(cases, step, prices) for step in steps]
