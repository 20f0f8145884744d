"""Any scikit-learn estimator as a member of an ensemble, fitted on each bag."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from sklazy.answer.batch import Floats
from sklazy.errors import warn_once
from sklazy.estimators.selection.model_host import (
    Model,
    ModelHost,
    class_probabilities,
    seeded,
)
from sklazy.flow import Bags, Queries
from sklazy.methods.ensembles.data import EnsembleData
from sklazy.methods.ensembles.evidence import ModelEvidence
from sklazy.methods.paths.bags import draw_weights, repeat_bags


class Bag(NamedTuple):
    """The distinct rows of a bag, and how often it holds each (`weights`)."""

    inputs: Floats
    targets: NDArray[Any]
    weights: NDArray[np.int32]


class FittedBag(NamedTuple):
    """A model fitted to a bag (None if not possible), and the bag's plain answer."""

    model: Model | None
    plain: Floats


@dataclass(frozen=True, eq=False)
class FittedMember:
    """A scikit-learn estimator, never fitted itself; see the subclasses."""

    estimator: BaseEstimator
    name: str

    def cost(self, data: EnsembleData) -> float:
        """Nanoseconds per bag, roughly."""
        return 1e6 + 10.0 * data.codes.size

    def evidence(
        self, data: EnsembleData, query: Queries, bags: Bags
    ) -> list[ModelEvidence]:
        """The estimator, and whether the model of each bag gave the answer."""
        fitted = self._fit_bags(data, bags, 0, set())
        row, text = self._encode(data, query), " ".join(repr(self.estimator).split())
        used = [self._predict(data, one, row, set()) is not one.plain for one in fitted]
        return [ModelEvidence(text, by_model) for by_model in used]

    def prepare(self, data: EnsembleData) -> None:
        """Encode the cases."""
        self._inputs(data)

    def answer(self, data: EnsembleData, queries: Queries, bags: Bags) -> Floats:
        """Class probabilities or predictions; queries of the same bags share models."""
        answers = np.zeros((*bags.seeds.shape[1:], data.n_outputs))
        inputs, failures = self._encode(data, queries), set[str]()
        same, fitted = repeat_bags(bags), list[FittedBag]()
        for query in range(len(answers)):
            if not same[query]:
                fitted = self._fit_bags(data, bags, query, failures)
            row = inputs[query : query + 1]
            for bag, one in enumerate(fitted):
                answers[query, bag] = self._predict(data, one, row, failures)
        if failures:
            self._warn(failures)
        return answers

    def _fit_bags(
        self, data: EnsembleData, bags: Bags, query: int, failures: set[str]
    ) -> list[FittedBag]:
        """A model per bag, where there is something to fit."""
        inputs, targets = self._inputs(data), data.targets
        fitted = []
        for weights in draw_weights(bags, query, data.n_rows):
            rows = np.flatnonzero(weights)
            bag = Bag(inputs[rows], targets[rows], weights[rows])
            plain = self._plain_answer(data, bag)
            fitted.append(FittedBag(self._fit(bag, failures), plain))
        return fitted

    def _fit(self, bag: Bag, failures: set[str]) -> Model | None:
        if not bag.inputs.shape[1] or (bag.targets == bag.targets[0]).all():
            return None
        try:
            with np.errstate(all="ignore"):
                return fit_bag(self.estimator, bag)
        except (ValueError, ArithmeticError) as error:  # a bag may lack what it needs
            failures.add(str(error))
            return None

    def _predict(
        self, data: EnsembleData, fitted: FittedBag, row: Floats, failures: set[str]
    ) -> Floats:
        """Answer of a model for a row; that of its bag where the model fails."""
        if fitted.model is None:
            return fitted.plain
        try:
            with np.errstate(all="ignore"):  # what is not finite is reported below
                answer = self._predict_row(data, fitted.model, row)
        except (ValueError, ArithmeticError) as error:
            failures.add(str(error))
            return fitted.plain
        if np.isfinite(answer).all():
            return answer
        failures.add("its answer is NaN or infinite.")
        return fitted.plain

    def _plain_answer(self, data: EnsembleData, bag: Bag) -> Floats:
        """Answer of the bag without a model, (n_outputs,)."""
        raise NotImplementedError

    def _predict_row(self, data: EnsembleData, model: Model, query: Floats) -> Floats:
        """Answer of a model for one row, (n_outputs,)."""
        raise NotImplementedError

    def _inputs(self, data: EnsembleData) -> Floats:
        """The cases as models see them, (n_rows, n_columns)."""
        takes_gaps = bool(get_tags(self.estimator).input_tags.allow_nan)
        return data.base.derive(
            (FittedMember, takes_gaps),
            lambda: self._encode(data, data.as_queries(np.arange(data.n_rows))),
        )

    def _encode(self, data: EnsembleData, queries: Queries) -> Floats:
        host, columns = ModelHost(self.estimator, 1, None), []
        for j, is_number in enumerate(data.is_numeric):
            numbers = queries.values[:, j] if is_number else None
            columns.append(host.encode(data.base, j, queries.codes[:, j], numbers))
        return np.hstack(columns)

    def _warn(self, failures: set[str]) -> None:
        warn_once(
            f"{self.name} could not be fitted or used on some bags; the class shares "
            f"or the mean of these bags are used instead: {min(failures)}"
        )


class ClassifierMember(FittedMember):
    """A classifier of scikit-learn."""

    def _plain_answer(self, data: EnsembleData, bag: Bag) -> Floats:
        counts = np.bincount(bag.targets, bag.weights, data.n_outputs)
        return np.asarray(counts / counts.sum())

    def _predict_row(self, data: EnsembleData, model: Model, query: Floats) -> Floats:
        return class_probabilities(model, query, data.n_outputs)[0]


class RegressorMember(FittedMember):
    """A regressor of scikit-learn."""

    def _plain_answer(self, data: EnsembleData, bag: Bag) -> Floats:
        return np.array([np.average(bag.targets, weights=bag.weights)])

    def _predict_row(self, data: EnsembleData, model: Model, query: Floats) -> Floats:
        return np.asarray(model.predict(query), np.float64).reshape(1)


def fit_bag(estimator: BaseEstimator, bag: Bag) -> Model:
    """Fit a copy on a bag: by sample weights or, without them, on repeated rows."""
    model = seeded(estimator)
    if has_fit_parameter(model, "sample_weight"):
        weights = bag.weights.astype(np.float64)
        return model.fit(bag.inputs, bag.targets, sample_weight=weights)
    rows = np.repeat(np.arange(len(bag.targets)), bag.weights)
    return model.fit(bag.inputs[rows], bag.targets[rows])
