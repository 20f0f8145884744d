"""Boosted trees whose number follows from left-out predictions, as a blend has them.

How many trees are best differs by a factor of thirty from table to table: few for noisy
targets, many for others. Trees of numbers begin at a line, which few trees imitate
badly: they are fitted to the left-out errors of the ridge regression.

Only the rows that weigh the members are left out at once, in as few folds as leave each
model four fifths of all rows: one beyond 15 000. Others are left out when asked.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer import Batch, prepare
from sklazy.answer.batch import Floats, Ints, left_out_places
from sklazy.answer.target import NUMBERS
from sklazy.casebase import CaseBase
from sklazy.estimators.blends.boosted_members import BoostedMember, on_one_thread
from sklazy.estimators.blends.sklearn_members import (
    N_FOLDS,
    describe_estimator,
    find_weights,
)
from sklazy.estimators.folds import stratified_folds
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
    answers : float64 array of shape (n_judged, n_outputs)
        Left-out predictions of the first cases in canonical order.
    """

    n_trees: int
    answers: Floats


@dataclass(frozen=True, eq=False)
class GrownMember(BoostedMember):
    """Boosted trees, as many as left-out predictions want; numbers begin at a line.

    `n_judged` cases at most, the first in canonical order, decide how many.
    """

    n_judged: int = 3000

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

    def leave_out(self, base: CaseBase, rows: Ints) -> Floats:
        """Predictions of models of the other folds; equal cases have their mean."""
        groups = left_out_places(base, rows)
        answers: Floats = base.derive(
            (self, "judged"), lambda: self._answer_first(base)
        )
        answers = answers[groups]
        unknown = np.isnan(answers[:, 0])
        if unknown.any():
            others: Floats = base.derive(
                (self, "rest"), lambda: self._answer_rest(base)
            )
            answers[unknown] = others[groups[unknown]]
        return answers

    def count_choosing(self, base: CaseBase) -> int:
        """Those that decide how many trees there are."""
        return self._count_judged(base)

    def _answer_first(self, base: CaseBase) -> Floats:
        """Of the cases that are judged, and of all that equal one of them."""
        answers = self._grow(base).answers
        return self._share(base, np.arange(len(answers)), answers)

    def _answer_rest(self, base: CaseBase) -> Floats:
        """Of the cases after those that are judged."""
        places = np.arange(self._count_judged(base), base.n_rows)
        n_trees, answers = self._grow(base).n_trees, _make_room(base, base.n_rows)
        for held in _deal(base, places, N_FOLDS):
            fold = self._start_fold(base, held)
            fold.write_more(n_trees, answers)
        return self._share(base, places, answers[places])

    def _share(self, base: CaseBase, places: Ints, answers: Floats) -> Floats:
        """The mean of equal cases, by place in canonical order; NaN for others."""
        if not base.class_labels:
            answers = answers + _left_out_line(base)[places, None]
        groups = left_out_places(base, base.order[places])
        sums = np.zeros((base.n_rows, answers.shape[1]))
        np.add.at(sums, groups, answers)
        counts = np.bincount(groups, minlength=base.n_rows)[:, None]
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)

    def _count_judged(self, base: CaseBase) -> int:
        return min(self.n_judged, base.n_rows)

    def _grow(self, base: CaseBase) -> Grown:
        """Add trees as long as that pays, and find their best number."""
        return base.derive((self, "grown"), lambda: self._try_numbers(base))

    def _try_numbers(self, base: CaseBase) -> Grown:
        n_judged = self._count_judged(base)
        n_folds = -(-N_FOLDS * n_judged // base.n_rows)
        folds = [
            self._start_fold(base, held)
            for held in _deal(base, np.arange(n_judged), n_folds)
        ]
        tried = {n_trees: _make_room(base, n_judged) for n_trees in FIRST}
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
        places = np.arange(len(answers))
        targets = self._find_targets(base)[places]
        weights = find_weights(base, places)
        if base.class_labels:
            own = answers[places, targets]
            floor = _KEPT_OFF_ZERO / answers.shape[1]
            losses = -np.log((1.0 - _KEPT_OFF_ZERO) * own + floor)
        else:
            with np.errstate(over="ignore"):
                losses = (answers[:, 0] - targets) ** 2
        return float(np.average(losses, weights=weights))

    def _start_fold(self, base: CaseBase, asked: Ints) -> "_Fold":
        learned = np.setdiff1d(np.arange(base.n_rows), asked, assume_unique=True)
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
    """A model of all other rows, to which trees are added, and what it is asked."""

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
            self._write_constant(answers)
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


def _deal(base: CaseBase, places: Ints, n_folds: int) -> Sequence[Ints]:
    """Folds of some places in canonical order, which is as good as random."""
    folds = np.arange(len(places)) % min(n_folds, len(places))
    if base.class_labels:
        classes, n_folds = base.cases.classes[base.order[places]], folds.max() + 1
        folds = stratified_folds(classes, n_folds, np.arange(len(places)))
    return [places[folds == fold] for fold in range(folds.max() + 1)]


def _make_room(base: CaseBase, n_rows: int) -> Floats:
    return np.empty((n_rows, base.cases.class_counts.size or 1))


def _left_out_line(base: CaseBase) -> Floats:
    """The left-out predictions of the ridge regression, in canonical order."""
    return np.asarray(prepare(LinearLearner(NUMBERS), base).fit.left_out[:, 0])
