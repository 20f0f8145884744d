"""Kernel models: queries are coded, and cases answer by how similar they are."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve

from sklazy.answer.batch import Batch, left_out_places
from sklazy.answer.learner import prepare
from sklazy.answer.target import Target
from sklazy.casebase import CaseBase
from sklazy.flow import Queries
from sklazy.forking import cached_property
from sklazy.kernels.kernel_models import (
    measure_distances,
    sum_similarities,
    weigh_nearest,
)
from sklazy.measures import argmax_with_ties
from sklazy.methods.kernel_models.coding import code_queries
from sklazy.methods.kernel_models.cuda import score_there
from sklazy.methods.kernel_models.data import (
    KernelData,
    factorize,
    prepare_kernel,
)
from sklazy.methods.kernel_models.landmarks import Landmarks, weigh_all
from sklazy.methods.kernel_models.limits import Limits

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class KernelAnswer:
    """A batch of queries, answered, and from what.

    Attributes
    ----------
    data : KernelData
    queries : Queries
    placed : float64 array of shape (n_queries, n_attributes)
        The queries as the kernel sees them.
    scores : float64 array of shape (n_queries, n_targets)
        A score of each class that has cases, or the target in the unit of `data`.
    counts : int64 array of shape (n_queries, n_classes)
        The cases of each class that a query sees.
    lists_cases : bool
        Whether receipts list the cases that add most.
    sums_cases : bool
        Whether receipts have the sums of what all cases add, and take away.
    """

    data: KernelData
    queries: Queries
    placed: Floats
    scores: Floats
    counts: Ints
    lists_cases: bool = True
    sums_cases: bool = True

    @property
    def base(self) -> CaseBase:
        """The cases that answered."""
        return self.data.base

    @property
    def values(self) -> Floats:
        """Predictions of numbers, (n_queries, 1)."""
        with np.errstate(over="ignore"):  # what is not finite is refused
            values: Floats = self.scores / self.data.unit
        return values

    @property
    def class_scores(self) -> Floats:
        """A score of each class, 0 where it has no case, (n_queries, n_classes)."""
        scores = np.zeros(self.counts.shape)
        scores[:, self.data.present] = self.scores
        return scores

    @cached_property
    def probabilities(self) -> Floats:
        """Softmax of the scores of those classes that are seen."""
        seen = np.where(self.counts > 0, self.class_scores, -np.inf)
        above = seen - seen.max(axis=1, keepdims=True)
        shares = np.exp(self.data.settings.temperature * above)
        probabilities: Floats = shares / shares.sum(axis=1, keepdims=True)
        return probabilities

    @property
    def decisions(self) -> Ints:
        """The class of highest probability; ties by more cases, then lower code."""
        return argmax_with_ties(self.probabilities, self.counts)


@dataclass(frozen=True)
class KernelLearner:
    """Answers by kernel ridge regression.

    Attributes
    ----------
    target : Target
        Numbers, or classes by an indicator of each.
    limits : Limits
    approximate : bool
        Whether coding, weights, width, ridge and temperature stay those of all rows
        when a row is left out.
    in_part : bool
        Whether one of the copies that a whole weight stands for is left out, not all.
    device : str, or None for the CPU
        Where queries are answered; settings are chosen on the CPU.
    """

    target: Target
    limits: Limits
    approximate: bool = field(default=False, compare=False)
    in_part: bool = field(default=False, compare=False)
    device: str | None = None

    keeps_choices: ClassVar[bool] = True
    """All that it chooses by targets is kept with the cases, and others' may serve."""

    def prepare(self, base: CaseBase) -> KernelData:
        """Code the cases, choose the settings and solve, if all cases are solved."""
        data = base.derive(
            (prepare_kernel, self.limits), lambda: prepare_kernel(base, self.limits)
        )
        return data._replace(device=self.device)

    def answer(self, ready: KernelData, batch: Batch) -> KernelAnswer:
        """Add up the targets of the cases, each by its similarity."""
        placed = code_queries(ready.coding, batch.queries)
        if batch.excluded is None:
            hidden = np.full(len(batch), -1)
        else:
            hidden = left_out_places(batch.base, batch.excluded)
        scores = _score(ready, placed, hidden, self.in_part)
        counts = count_seen(ready, hidden)
        return KernelAnswer(ready, batch.queries, placed, scores, counts)

    def estimate_left_out(self, base: CaseBase, n_wanted: int) -> Floats | None:
        """Left-out outputs of the first rows in canonical order, nearly.

        None where no estimate is known; exact ones take longer.
        """
        data = prepare(self, base)
        known = isinstance(data.solution, Landmarks) and data.solution.estimate
        scores = known(n_wanted) if known else None
        if scores is None:
            return None
        counts = np.tile(_count_classes(data), (n_wanted, 1))
        nothing = Queries(np.zeros((0, 0), np.int32), np.zeros((0, 0)))
        answer = KernelAnswer(data, nothing, nothing.values, scores, counts)
        return answer.probabilities if base.class_labels else answer.values

    def count_choosing(self, base: CaseBase) -> int:
        """How many rows, the first in canonical order, settings follow from."""
        n_rows = base.n_rows
        if not self.limits.has_landmarks(n_rows):
            return n_rows
        return min(self.limits.count_drawn(n_rows), n_rows)

    def fix_size(self, n_rows: int) -> "KernelLearner":
        """The same learner, that treats any number of rows as so many."""
        return replace(self, limits=self.limits.fix_size(n_rows))

    def can_leave_out(self, base: CaseBase) -> NDArray[np.bool_]:
        """All rows, or none: every row has a part in the settings."""
        return np.full(base.n_rows, self.approximate)


def _score(data: KernelData, placed: Floats, hidden: Ints, in_part: bool) -> Floats:
    """Centers and what cases add, (n_queries, n_targets)."""
    if data.solution is not None and len(hidden) and hidden[0] >= 0:
        left_out = data.solution.in_part if in_part else data.solution.left_out
        return left_out[hidden]
    if data.device is not None:
        return score_there(data, placed, hidden)
    if data.solution is None:
        return _score_by_nearest(data, placed, hidden)
    sums = np.empty((len(placed), data.targets.shape[1]))
    rate = data.settings.rate
    sum_similarities(data.anchors, placed, rate, data.solution.coefficients, sums)
    scores: Floats = data.center + sums
    return scores


def _score_by_nearest(data: KernelData, placed: Floats, hidden: Ints) -> Floats:
    """Scores by a system of each query's own."""
    near, influences = weigh_neighbors(data, placed, hidden)
    scores = data.find_centers(hidden)
    for center, rows, own in zip(scores, near, influences, strict=True):
        center += own @ (data.targets[rows] - center)
    return scores


def count_seen(data: KernelData, hidden: Ints) -> Ints:
    """The cases of each class that queries see, (n_queries, n_classes).

    Those that weigh anything.
    """
    cases = data.base.cases
    counts = np.tile(_count_classes(data), (len(hidden), 1))
    left = np.flatnonzero(hidden >= 0)
    if counts.shape[1]:
        own = np.ones(len(left), np.int64)
        if data.weights is not None:
            own = (data.weights.values[hidden[left]] > 0).astype(np.int64)
        counts[left, cases.classes[data.rows[hidden[left]]]] -= own
    return counts


def _count_classes(data: KernelData) -> Ints:
    cases = data.base.cases
    if data.weights is None or not cases.class_counts.size:
        return cases.class_counts
    used = cases.classes[data.rows[data.weights.values > 0]]
    return np.bincount(used, minlength=cases.class_counts.size)


def weigh_neighbors(
    data: KernelData, placed: Floats, hidden: Ints
) -> tuple[Ints, Floats]:
    """The nearest cases of queries, and what their targets count in the answer."""
    n_near = data.count_near(hidden)
    near = np.empty((len(placed), n_near), np.int64)
    influences = np.empty(near.shape)
    rate, ridge = data.settings.rate, data.settings.ridge
    weigh_nearest(data.columns, placed, hidden, rate, ridge, near, influences)
    return near, influences


class InfluentialCases(NamedTuple):
    """Influence of cases on the answer to one query.

    Attributes
    ----------
    rows : int64 array of shape (n_cases,)
        Where they lie in the base.
    distances, similarities : float64 arrays of shape (n_cases,)
    influences : float64 array of shape (n_cases,)
        The weight of each case's target in the answer.
    adds : float64 array of shape (n_cases, n_targets)
        The share of each in the scores: influence times (target less the center).
    """

    rows: Ints
    distances: Floats
    similarities: Floats
    influences: Floats
    adds: Floats


def _find_influences(
    data: KernelData,
) -> Callable[[Floats, Floats], tuple[Ints, Floats]]:
    """How cases are found that answer a query, with the weights of their targets.

    From the query as the kernel sees it, (1, n_attributes), and its similarities to
    all cases.
    """
    rows = np.arange(len(data.rows))
    if data.solution is None:

        def weigh(placed: Floats, similarities: Floats) -> tuple[Ints, Floats]:
            near, weighed = weigh_neighbors(data, placed, np.array([-1]))
            return near[0], weighed[0]

    elif isinstance(data.solution, Landmarks):
        landmarks = data.solution

        def weigh(placed: Floats, similarities: Floats) -> tuple[Ints, Floats]:
            side = similarities[landmarks.places]
            influences = weigh_all(landmarks, len(rows), side)
            return rows, data.roots**2 * influences

    else:
        factor = data.base.derive(
            (factorize, data.limits),
            lambda: factorize(data.columns, data.settings, data.weights),
        )
        roots = data.roots

        def weigh(placed: Floats, similarities: Floats) -> tuple[Ints, Floats]:
            return rows, roots * cho_solve(factor, roots * similarities)

    return weigh


def find_influential_cases(answer: KernelAnswer) -> Iterator[InfluentialCases]:
    """The cases that each query was answered by, in canonical order."""
    data = answer.data
    weigh = _find_influences(data)
    distances = np.empty((1, len(data.rows)))
    for query in range(len(answer.placed)):
        placed = answer.placed[query : query + 1]
        measure_distances(data.columns, placed, distances)
        similarities = np.exp(-data.settings.rate * distances[0])
        rows, influences = weigh(placed, similarities)
        adds = influences[:, None] * (data.targets[rows] - data.center)
        found = distances[0, rows], similarities[rows], influences, adds
        yield InfluentialCases(data.rows[rows], *found)
