"""Boosted trees whose number follows from left-out predictions, as a blend has them.

How many trees are best differs by a factor of thirty from table to table: few for noisy
targets, many for others. Trees of numbers begin at a line, which few trees imitate
badly: they are fitted to the left-out errors of the ridge regression.

Only the rows that weigh the members are left out at once, in as few folds as leave each
model four fifths of all rows: one beyond 15 000. Others are left out when asked. Trees
that learn from a draw are those of this one fold: nothing is fitted twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer import Batch, prepare
from sklazy.answer.batch import Floats, Ints, left_out_places
from sklazy.answer.target import NUMBERS
from sklazy.casebase import CaseBase
from sklazy.casebase.draws import DrawnBase
from sklazy.estimators.blends.boosted_folds import FIRST, Fold
from sklazy.estimators.blends.boosted_members import BoostedMember
from sklazy.estimators.blends.label_codes import (
    ManyLabels,
    average_labels,
    find_labels,
    place_codes,
    place_rows,
)
from sklazy.estimators.blends.sklearn_members import (
    N_FOLDS,
    Ask,
    ModelAsker,
    find_weights,
)
from sklazy.estimators.folds import stratified_folds
from sklazy.estimators.selection.model_host import Model
from sklazy.flow import Queries
from sklazy.methods.blends.members import MemberAnswer
from sklazy.methods.linear_models.learner import LinearLearner

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
    sees_means : bool
        Whether labels of attributes that have many are seen as mean targets.
    answers : float64 array of shape (n_judged, n_outputs)
        Left-out predictions of the first cases in canonical order.
    model : Model, or None
        Of a draw: the trees of all other cases, which answer queries, too.
    """

    n_trees: int
    sees_means: bool
    answers: Floats
    model: Model | None = None


@dataclass(frozen=True, eq=False)
class GrownMember(BoostedMember):
    """Boosted trees, as many as left-out predictions want; numbers begin at a line.

    Attributes of many labels are seen as categories, or as mean targets. `n_judged`
    cases at most, the first in canonical order, decide that, and how many trees.
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

    def _choose(self, base: CaseBase) -> tuple[int, bool]:
        """The number of trees, and whether they see means of labels."""
        key = "number of trees", *self._describe(base)
        return base.choose(key, lambda: self._grow(base)[:2])

    def _make_model(self, base: CaseBase) -> Model:
        n_trees, sees_means = self._choose(base)
        return self._make_trees(base, sees_means).set_params(max_iter=n_trees)

    def _make_trees(self, base: CaseBase, sees_means: bool) -> Model:
        model = super()._make_model(base)
        if not sees_means:
            return model
        others = self._drop_labels(base, base.cases.numeric[None] < 0)[0]
        nominal = np.append(others, np.zeros(self._labels(base).n_means, bool))
        return model.set_params(categorical_features=nominal if any(others) else None)

    def _labels(self, base: CaseBase) -> ManyLabels:
        """The attributes of many labels."""

        def find() -> ManyLabels:
            weights = find_weights(base, np.arange(base.n_rows))
            return find_labels(base, self._find_targets(base), weights)

        return base.derive((self, "labels"), find)

    def _drop_labels(self, base: CaseBase, columns: NDArray[Any]) -> NDArray[Any]:
        return np.delete(columns, self._labels(base).attributes, axis=1)

    def _list_learned(self, base: CaseBase) -> Ints:
        """The cases that trees which answer queries learn from, by their places."""
        is_apart = isinstance(base, DrawnBase) and self._count_folds(base) == 1
        return np.arange(self._count_judged(base) if is_apart else 0, base.n_rows)

    def _inputs(self, base: CaseBase) -> Floats:
        _, sees_means = self._choose(base)
        return self._look_at(base, self._list_learned(base), sees_means)

    def _look_at(self, base: CaseBase, learned: Ints, sees_means: bool) -> Floats:
        """All cases in canonical order, as trees that learn from some see them."""
        plain = super()._inputs(base)
        if not sees_means:
            return plain
        means = place_rows(self._labels(base), learned)
        return np.hstack([self._drop_labels(base, plain), means])

    def _find_model(self, base: CaseBase) -> Ask:
        self._find_means(base)  # as old as the trees
        learned = self._list_learned(base)
        if len(learned) == base.n_rows:
            return super()._find_model(base)
        return base.derive((self, "trees"), lambda: self._finish(base, learned))

    def _finish(self, base: CaseBase, learned: Ints) -> Ask:
        """The trees of the one fold, as many as are best."""
        model = self._grow(base).model
        if model is None:
            return self._fit(base, learned)
        n_classes = base.cases.class_counts.size if base.class_labels else 0
        return ModelAsker(model, n_classes)

    def _find_means(self, base: CaseBase) -> tuple[Ints, list[Floats]] | None:
        """Attributes that are seen as means, and the means; None if none are."""

        def find() -> tuple[Ints, list[Floats]] | None:
            if not self._choose(base)[1]:
                return None
            labels = self._labels(base)
            return labels.attributes, average_labels(labels, self._list_learned(base))

        return base.choose(("means", *self._describe(base)), find, holds_rows=True)

    def _look_at_queries(self, base: CaseBase, queries: Queries) -> Floats:
        plain, seen = super()._look_at_queries(base, queries), self._find_means(base)
        if seen is None:
            return plain
        attributes, means = seen
        placed = place_codes(queries.codes[:, attributes], means)
        return np.hstack([np.delete(plain, attributes, axis=1), placed])

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
        n_trees, sees_means = self._grow(base)[:2]
        answers = _make_room(base, base.n_rows)
        for held in _deal(base, places, N_FOLDS):
            fold = self._start_fold(base, held, sees_means)
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

    def _count_folds(self, base: CaseBase) -> int:
        return -(-N_FOLDS * self._count_judged(base) // base.n_rows)

    def _count_judged(self, base: CaseBase) -> int:
        return min(self.n_judged, base.n_rows)

    def _grow(self, base: CaseBase) -> Grown:
        """Grow trees that see labels as the first of them want; more if that pays."""

        def find() -> Grown:
            tried = [self._try_first(base, sees_means=False)]
            if self._labels(base).n_means:
                tried.append(self._try_first(base, sees_means=True))
            return self._add_trees(base, min(tried, key=lambda one: one.loss))

        return base.derive((self, "grown"), find)

    def _try_first(self, base: CaseBase, *, sees_means: bool) -> "_Trial":
        """Leave out the judged rows, by the numbers of trees that are always tried."""
        n_judged = self._count_judged(base)
        folds = [
            self._start_fold(base, held, sees_means)
            for held in _deal(base, np.arange(n_judged), self._count_folds(base))
        ]
        tried = {n_trees: _make_room(base, n_judged) for n_trees in FIRST}
        for fold in folds:
            fold.write_first(tried)
        losses = {n: self._measure(base, answers) for n, answers in tried.items()}
        return _Trial(sees_means, folds, tried, losses)

    def _add_trees(self, base: CaseBase, trial: "_Trial") -> Grown:
        """Add trees as long as that pays, and find their best number."""
        sees_means, folds, tried, losses = trial
        n_trees, most = FIRST[-1], _MOST_WORK / base.n_rows
        while 2 * n_trees <= min(most, MOST_TREES) and _pays(losses, n_trees):
            n_trees *= 2
            tried[n_trees] = tried[n_trees // 2].copy()
            for fold in folds:
                fold.write_more(n_trees, tried[n_trees])
            losses[n_trees] = self._measure(base, tried[n_trees])
        best = min(losses, key=lambda n: losses[n])
        model = folds[0].take_model(best) if isinstance(base, DrawnBase) else None
        return Grown(best, sees_means, tried[best], model)

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

    def _start_fold(self, base: CaseBase, asked: Ints, sees_means: bool) -> Fold:
        learned = np.setdiff1d(np.arange(base.n_rows), asked, assume_unique=True)
        weights = find_weights(base, learned)
        if weights is not None:
            learned, weights = learned[weights > 0], weights[weights > 0]
        inputs = self._look_at(base, learned, sees_means)
        targets = self._find_targets(base)
        more = {} if weights is None else {"sample_weight": weights}
        model = self._make_trees(base, sees_means)
        model.set_params(max_iter=FIRST[-1], warm_start=True)
        return Fold(self, model, inputs[learned], targets[learned], more, asked, inputs)


class _Trial(NamedTuple):
    """Folds, what they answer by numbers of trees, and the losses by these."""

    sees_means: bool
    folds: list[Fold]
    answers: dict[int, Floats]
    losses: dict[int, float]

    @property
    def loss(self) -> float:
        """The least."""
        return min(self.losses.values())


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
