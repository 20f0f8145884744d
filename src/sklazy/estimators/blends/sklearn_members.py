"""Any scikit-learn estimator as a member of a blend: fitted once, and on folds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import has_fit_parameter

from sklazy.answer import Batch, Effort
from sklazy.answer.batch import (
    Floats,
    Ints,
    batch_of_cases,
    canonical_places,
    left_out_places,
)
from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError
from sklazy.estimators.folds import stratified_folds
from sklazy.estimators.selection.model_host import (
    Model,
    ModelHost,
    class_probabilities,
    seeded,
)
from sklazy.flow import Queries
from sklazy.methods.blends.members import MemberAnswer

N_FOLDS = 5
"""Folds of which each is answered by a model of the others."""

_MOST_QUERIES = 8192

Ask = Callable[[Floats], Floats]


def describe_estimator(name: str, estimator: BaseEstimator) -> str:
    """The name and all parameters of a member."""
    return f"{name} {type(estimator).__qualname__} {estimator.get_params()}"


@dataclass(frozen=True)
class ModelAsker:
    """Asks a model for probabilities of classes, or for numbers if there are none."""

    model: Model
    n_classes: int

    def __call__(self, queries: Floats) -> Floats:
        """Ask for some queries, (n_queries, n_outputs)."""
        if self.n_classes:
            return class_probabilities(self.model, queries, self.n_classes)
        return _predict_numbers(self.model, queries)


@dataclass(frozen=True)
class ConstantModel:
    """The class shares of the cases, or their mean, whatever is asked."""

    answer: Floats

    def __call__(self, queries: Floats) -> Floats:
        """The same for each of some queries, (n_queries, n_outputs)."""
        return np.tile(self.answer, (len(queries), 1))


@dataclass(frozen=True, eq=False)
class ModelMember:
    """A scikit-learn estimator as a member; never fitted itself."""

    name: str
    estimator: BaseEstimator

    def prepare(self, base: CaseBase) -> Effort:
        """Fit the model to all cases, in canonical order."""
        self._find_model(base)
        return Effort(1e5 + 10.0 * base.cases.codes.shape[0], 1, _MOST_QUERIES)

    def answer(self, batch: Batch) -> MemberAnswer:
        """Ask the model."""
        model = self._find_model(batch.base)
        return MemberAnswer(model(self._look_at_queries(batch.base, batch.queries)))

    def _find_model(self, base: CaseBase) -> Ask:
        """The model of all cases."""
        places = np.arange(base.n_rows)
        return base.derive((self, "model"), lambda: self._fit(base, places))

    def leave_out(self, base: CaseBase, rows: Ints) -> Floats:
        """Predictions of models that were fitted to the other folds."""
        answers: Floats = base.derive((self, "folds"), lambda: self._out_of_fold(base))
        return answers[canonical_places(base)[rows]]

    def leave_in_part(self, base: CaseBase, rows: Ints) -> Floats:
        """The same: a fold leaves out rows as a whole."""
        return self.leave_out(base, rows)

    def count_choosing(self, base: CaseBase) -> int:
        """None: parameters are those that were given."""
        return 0

    def _out_of_fold(self, base: CaseBase) -> Floats:
        """Answers to all cases in canonical order, (n_rows, n_outputs)."""
        inputs, folds = self._inputs(base), assign_folds(base)
        answers = np.empty((base.n_rows, base.cases.class_counts.size or 1))
        for fold in np.unique(folds):
            in_fold = folds == fold
            answers[in_fold] = self._fit(base, np.flatnonzero(~in_fold))(
                inputs[in_fold]
            )
        return share_with_twins(base, answers)

    def _fit(self, base: CaseBase, places: Ints) -> Ask:
        """A model of some cases, named by their places in canonical order."""
        cases, weights = base.cases, find_weights(base, places)
        if weights is not None:
            places, weights = places[weights > 0], weights[weights > 0]
        targets, classifies = self._find_targets(base)[places], bool(base.class_labels)
        inputs, n_classes = self._inputs(base)[places], cases.class_counts.size
        if not inputs.shape[1] or (targets == targets[0]).all():
            return _constant_model(targets, n_classes, weights)
        model = self._fitted(base, inputs, targets, weights)
        return ModelAsker(model, n_classes if classifies else 0)

    def _fitted(
        self,
        base: CaseBase,
        inputs: Floats,
        targets: NDArray[np.generic],
        weights: Floats | None,
    ) -> Model:
        model = self._make_model(base)
        more = {}
        if weights is not None:
            _check_takes_weights(model)
            more = {"sample_weight": weights}
        try:
            with np.errstate(all="ignore"):  # what is not finite is refused
                return self.fit_model(model, inputs, targets, more)
        except (ValueError, ArithmeticError) as error:
            text = " ".join(repr(self.estimator).split())
            raise BadInputError(f"{text} could not be fitted: {error}") from error

    def _find_targets(self, base: CaseBase) -> NDArray[Any]:
        """Classes or numbers that are fitted, of all cases in canonical order."""
        cases = base.cases
        if base.class_labels:
            return np.asarray(cases.classes[base.order])
        return np.asarray(cases.targets[0, base.order])

    def _make_model(self, base: CaseBase) -> Model:
        return seeded(self.estimator)

    def fit_model(
        self,
        model: Model,
        inputs: Floats,
        targets: NDArray[np.generic],
        weights: Mapping[str, Floats],
    ) -> Model:
        """Fit a model of this member to some rows."""
        return model.fit(inputs, targets, **weights)

    def _inputs(self, base: CaseBase) -> Floats:
        """The cases as the model sees them, in canonical order."""
        return base.derive(
            (self, "inputs"),
            lambda: self._encode(base, batch_of_cases(base, base.order).queries),
        )

    def _look_at_queries(self, base: CaseBase, queries: Queries) -> Floats:
        """Queries as the model sees them."""
        return self._encode(base, queries)

    def _encode(self, base: CaseBase, queries: Queries) -> Floats:
        host, columns = ModelHost(self.estimator, 1, None), []
        for j, is_number in enumerate(base.cases.numeric >= 0):
            numbers = queries.values[:, j] if is_number else None
            columns.append(host.encode(base, j, queries.codes[:, j], numbers))
        return np.hstack(columns)


def share_with_twins(base: CaseBase, answers: Floats) -> Floats:
    """The mean of the answers to equal cases, which cannot be distinguished."""
    shared = left_out_places(base, base.order)
    sums, counts = np.zeros_like(answers), np.bincount(shared, minlength=len(shared))
    np.add.at(sums, shared, answers)
    return np.asarray(sums[shared] / counts[shared, None])


def assign_folds(base: CaseBase) -> Ints:
    """The fold of every case in canonical order, which is as good as random."""
    n_folds, places = min(N_FOLDS, base.n_rows), np.arange(base.n_rows)
    if base.class_labels:
        return stratified_folds(base.cases.classes[base.order], n_folds, places)
    return places % n_folds


def find_weights(base: CaseBase, places: Ints) -> Floats | None:
    """The weights of some cases; None where all are equal."""
    if not base.weighted:
        return None
    weights = base.weights[base.order[places]]
    return weights if weights.any() else None


def _check_takes_weights(model: Model) -> None:
    if not has_fit_parameter(model, "sample_weight"):
        raise BadInputError(
            f"{type(model).__name__}.fit takes no sample_weight, but rows have "
            "weights. Leave it out, or fit without weights and half_life."
        )


def _constant_model(
    targets: NDArray[np.generic], n_classes: int, weights: Floats | None
) -> Ask:
    """Predict without a model: the class shares of the cases, or their mean."""
    if n_classes:
        counts = np.bincount(targets.astype(np.int64), weights, minlength=n_classes)
        answer = counts / counts.sum()
    else:
        answer = np.array([np.average(targets.astype(np.float64), weights=weights)])
    return ConstantModel(answer)


def _predict_numbers(model: Model, queries: Floats) -> Floats:
    with np.errstate(all="ignore"):  # what is not finite is refused
        return np.asarray(model.predict(queries), np.float64).reshape(-1, 1)
