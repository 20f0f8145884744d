"""Boosted trees whose number follows from left-out predictions, as a blend has them.

How many trees are best differs by a factor of thirty from table to table: few for noisy
targets, many for others. Trees of numbers begin at a line, which few trees imitate
badly: they are fitted to the left-out errors of the ridge regression.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer import Batch, prepare
from sklazy.answer.batch import Floats, Ints
from sklazy.answer.target import NUMBERS
from sklazy.casebase import CaseBase
from sklazy.estimators.blends.boosted_members import BoostedMember, on_one_thread
from sklazy.estimators.blends.sklearn_members import (
    assign_folds,
    describe_estimator,
    find_weights,
    share_with_twins,
)
from sklazy.estimators.selection.model_host import Model
from sklazy.methods.blends.learner import MemberAnswer
from sklazy.methods.linear_models.learner import LinearLearner

FIRST = (50, 100, 200)
"""Numbers of trees that are always tried."""

MOST_TREES = 1600
_MOST_WORK = 5e7  # rows times trees of a model, where trees are added beyond the first
_WORTH = 0.01  # of the loss: what twice as many trees must gain to be doubled again
_KEPT_OFF_ZERO = 1e-3


class Grown(NamedTuple):
    """Boosted trees, grown.

    Attributes
    ----------
    n_trees : int
        Of least left-out loss.
    answers : float64 array of shape (n_rows, n_outputs)
        Left-out predictions of all cases, in canonical order.
    """

    n_trees: int
    answers: Floats


@dataclass(frozen=True, eq=False)
class GrownMember(BoostedMember):
    """Boosted trees, as many as left-out predictions want; numbers begin at a line."""

    def answer(self, batch: Batch) -> MemberAnswer:
        """Ask the trees, and add the line."""
        outputs = super().answer(batch).outputs
        if not batch.base.class_labels:
            line = LinearLearner(NUMBERS)
            ready = prepare(line, batch.base)
            outputs = outputs + line.answer(ready, batch).values
        return MemberAnswer(outputs)

    def _find_targets(self, base: CaseBase) -> NDArray[Any]:
        targets = super()._find_targets(base)
        if base.class_labels:
            return targets
        with np.errstate(over="ignore"):  # what is not finite is refused
            return np.asarray(targets - _left_out_line(base))

    def _make_model(self, base: CaseBase) -> Model:
        key = "number of trees", describe_estimator(self.name, self.estimator)
        n_trees = base.choose(key, lambda: self._grow(base).n_trees)
        return super()._make_model(base).set_params(max_iter=n_trees)

    def _out_of_fold(self, base: CaseBase) -> Floats:
        answers = self._grow(base).answers
        if not base.class_labels:
            answers = answers + _left_out_line(base)[:, None]
        return share_with_twins(base, answers)

    def _grow(self, base: CaseBase) -> Grown:
        """Add trees as long as that pays, and find their best number."""
        return base.derive((self, "grown"), lambda: self._try_numbers(base))

    def _try_numbers(self, base: CaseBase) -> Grown:
        folds = [self._start_fold(base, places) for places in _each_fold(base)]
        tried: dict[int, Floats] = {}
        for n_trees in FIRST:
            tried[n_trees] = np.empty((base.n_rows, base.cases.class_counts.size or 1))
        for fold in folds:
            fold.write_first(tried)
        losses = {n: self._measure(base, answers) for n, answers in tried.items()}
        n_trees, most = FIRST[-1], _MOST_WORK / base.n_rows
        while 2 * n_trees <= min(most, MOST_TREES) and _pays(losses, n_trees):
            n_trees *= 2
            tried[n_trees] = tried[n_trees // 2].copy()
            for fold in folds:
                fold.write_more(n_trees, tried[n_trees])
            losses[n_trees] = self._measure(base, tried[n_trees])
        best = min(losses, key=lambda n: losses[n])
        return Grown(best, tried[best])

    def _measure(self, base: CaseBase, answers: Floats) -> float:
        """Mean left-out log loss, or squared error."""
        targets = self._find_targets(base)
        weights = find_weights(base, np.arange(base.n_rows))
        if base.class_labels:
            own = answers[np.arange(len(targets)), targets]
            floor = _KEPT_OFF_ZERO / answers.shape[1]
            losses = -np.log((1.0 - _KEPT_OFF_ZERO) * own + floor)
        else:
            with np.errstate(over="ignore"):
                losses = (answers[:, 0] - targets) ** 2
        return float(np.average(losses, weights=weights))

    def _start_fold(self, base: CaseBase, places: tuple[Ints, Ints]) -> "_Fold":
        learned, asked = places
        weights = find_weights(base, learned)
        if weights is not None:
            learned, weights = learned[weights > 0], weights[weights > 0]
        inputs, targets = self._inputs(base), self._find_targets(base)
        more = {} if weights is None else {"sample_weight": weights}
        model = super()._make_model(base).set_params(max_iter=FIRST[-1])
        model.set_params(warm_start=True)
        return _Fold(
            self, model, inputs[learned], targets[learned], more, asked, inputs
        )


class _Fold(NamedTuple):
    """A model of the other folds, to which trees are added, and what it is asked."""

    member: GrownMember
    model: Model
    inputs: Floats
    targets: NDArray[Any]
    weights: dict[str, Floats]
    asked: Ints
    all_inputs: Floats

    @property
    def _is_constant(self) -> bool:
        return not self.inputs.shape[1] or bool((self.targets == self.targets[0]).all())

    def write_first(self, tried: dict[int, Floats]) -> None:
        """Fit the first trees; write the answers of some numbers of them."""
        if self._is_constant:
            for answers in tried.values():
                self._write_constant(answers)
            return
        self._fit(FIRST[-1])
        with on_one_thread():
            for n_trees, outputs in enumerate(self._staged(), 1):
                if n_trees in tried:
                    self._write(outputs, tried[n_trees])

    def write_more(self, n_trees: int, answers: Floats) -> None:
        """Add trees; write the answers of all of them."""
        if self._is_constant:
            return
        self._fit(n_trees)
        with on_one_thread():
            if hasattr(self.model, "predict_proba"):
                self._write(self.model.predict_proba(self._queries), answers)
            else:
                self._write(self.model.predict(self._queries), answers)

    def _fit(self, n_trees: int) -> None:
        self.model.set_params(max_iter=n_trees)
        self.member.fit_model(self.model, self.inputs, self.targets, self.weights)

    @property
    def _queries(self) -> Floats:
        return self.all_inputs[self.asked]

    def _staged(self) -> Iterator[Floats]:
        if hasattr(self.model, "staged_predict_proba"):
            yield from self.model.staged_predict_proba(self._queries)
        else:
            yield from self.model.staged_predict(self._queries)

    def _write(self, outputs: Floats, answers: Floats) -> None:
        if outputs.ndim == 1:
            answers[self.asked, 0] = outputs
            return
        answers[self.asked] = 0.0
        answers[np.ix_(self.asked, self.model.classes_)] = outputs

    def _write_constant(self, answers: Floats) -> None:
        if self.targets.dtype.kind == "f":
            weights = self.weights.get("sample_weight")
            answers[self.asked, 0] = np.average(self.targets, weights=weights)
            return
        answers[self.asked] = 0.0
        shares = np.bincount(
            self.targets, self.weights.get("sample_weight"), answers.shape[1]
        )
        answers[self.asked] = shares / shares.sum()


def _pays(losses: dict[int, float], n_trees: int) -> bool:
    """Whether the last doubling lowered the loss enough to try another."""
    return losses[n_trees] < (1.0 - _WORTH) * losses[n_trees // 2]


def _each_fold(base: CaseBase) -> Iterator[tuple[Ints, Ints]]:
    """The places that a fold's model learns from, and those that it is asked."""
    folds = assign_folds(base)
    for fold in np.unique(folds):
        yield np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)


def _left_out_line(base: CaseBase) -> Floats:
    """The left-out predictions of the ridge regression, in canonical order."""
    return np.asarray(prepare(LinearLearner(NUMBERS), base).fit.left_out[:, 0])
