"""Attributes bought one after the other, played on complete rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklazy.answer import AnyLearner
from sklazy.answer.next_attribute import (
    Stands,
    answer,
    choose,
    find_missing,
    hide,
    measure_gains,
)
from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError
from sklazy.flow import Queries
from sklazy.report.progress import Progress

Floats = NDArray[np.float64]

_ROUNDING = 1e-9  # ten times 0.1 is less than 1


@dataclass(frozen=True, eq=False)
class Acquisition:
    """Attributes bought one after the other, and the answers along the way.

    Attributes
    ----------
    names : list of str
        The attributes.
    attributes : int64 array of shape (n_queries, n_steps)
        What was bought, by position in `names`; -1 where nothing was.
    spent : float64 array of shape (n_queries, n_steps + 1)
        What had been paid before the first step and after each.
    answers : array of shape (n_queries, n_steps + 1), and n_targets if several
        What was answered then.
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
                f"y has the shape {truth.shape}; expected {(n_queries, *targets)}, as "
                "the answers have it."
            )
        if not self.of_numbers:
            return np.asarray((self.answers == truth[:, None]).mean(axis=0))
        errors = np.abs(self.answers - truth[:, None]).mean(axis=0)
        return -errors.reshape(len(errors), -1).mean(axis=1)


class Game:
    """Queries that buy attributes, each the one that tells it most per cost."""

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
        with Progress("acquiring", total=len(self.cases.names)) as progress:
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
            np.stack([_flat(own) for own in answers], axis=1),
            stands.shares is None,
        )

    def _answer(self) -> Stands:
        shown = hide(self.queries, self.known)
        return answer(self.learner, self.cases, shown, self.n_jobs)

    def _step(self, shares: Floats | None) -> NDArray[np.int64]:
        """What each query buys now, -1 if nothing."""
        shown, step = hide(self.queries, self.known), np.full(len(self.left), -1)
        for query in range(len(self.left)):
            affordable = self.prices <= self.left[query] * (1 + _ROUNDING)
            asked = np.flatnonzero(
                self.for_sale[query] & ~self.known[query] & affordable
            )
            own = None if shares is None else shares[query]
            gains = measure_gains(self.cases, shown, query, own, asked)
            place = choose(gains.gains, self.prices[asked])
            if place >= 0:
                step[query] = asked[place]
        rows = np.flatnonzero(step >= 0)
        self.known[rows, step[rows]] = True
        self.left[rows] -= self.prices[step[rows]]
        return step


def _flat(values: NDArray[Any]) -> NDArray[Any]:
    """Numbers of a single target without its axis."""
    return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values
