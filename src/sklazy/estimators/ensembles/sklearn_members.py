"""Any scikit-learn estimator as a member of an ensemble, fitted on each bag."""

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from sklazy.answer.batch import Floats
from sklazy.answer.ensembles.data import EnsembleData
from sklazy.answer.ensembles.evidence import ModelEvidence
from sklazy.answer.selection.models import (
    Model,
    ModelHost,
    class_probabilities,
    seeded,
)
from sklazy.errors import DataWarning
from sklazy.flow import Bags, Queries
from sklazy.local.bags import draw_weights


class Bag(NamedTuple):
    """The distinct rows of a bag.

    Attributes
    ----------
    inputs : float64 array of shape (n_rows, n_columns)
    targets : array of shape (n_rows,)
        Classes by number, or numbers.
    weights : int32 array of shape (n_rows,)
        How often the bag holds each.
    """

    inputs: Floats
    targets: NDArray[Any]
    weights: NDArray[np.int32]


class Fitted(NamedTuple):
    """What a bag was made into.

    Attributes
    ----------
    model : fitted estimator, or None
        None if there is nothing to fit, or it could not be fitted.
    plain : float64 array of shape (n_outputs,)
        What the bag answers without a model.
    """

    model: Model | None
    plain: Floats


@dataclass(frozen=True, eq=False)
class FittedMember:
    """An estimator of scikit-learn; see the subclasses.

    Attributes
    ----------
    estimator : estimator
        Never fitted itself.
    name : str
    """

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
        same, fitted = _repeat_bags(bags), list[Fitted]()
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
    ) -> list[Fitted]:
        """A model per bag, where there is something to fit."""
        inputs, targets = self._inputs(data), data.targets
        fitted = []
        for weights in draw_weights(bags, query, data.n_rows):
            rows = np.flatnonzero(weights)
            bag = Bag(inputs[rows], targets[rows], weights[rows])
            plain = self._plain_answer(data, bag)
            fitted.append(Fitted(self._fit(bag, failures), plain))
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
        self, data: EnsembleData, fitted: Fitted, row: Floats, failures: set[str]
    ) -> Floats:
        """What a model answers for a row; what its bag does where it fails."""
        if fitted.model is None:
            return fitted.plain
        try:
            with np.errstate(all="ignore"):  # what is not finite is reported below
                found = self._predict_row(data, fitted.model, row)
        except (ValueError, ArithmeticError) as error:
            failures.add(str(error))
            return fitted.plain
        if np.isfinite(found).all():
            return found
        failures.add("its answer is NaN or infinite.")
        return fitted.plain

    def _plain_answer(self, data: EnsembleData, bag: Bag) -> Floats:
        """What the bag answers without a model, (n_outputs,)."""
        raise NotImplementedError

    def _predict_row(self, data: EnsembleData, model: Model, query: Floats) -> Floats:
        """What a model answers for one row, (n_outputs,)."""
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
        warnings.warn(
            f"{self.name} could not be fitted or asked on some bags, whose own shares "
            f"or mean count instead: {min(failures)}",
            DataWarning,
            stacklevel=2,
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


def _repeat_bags(bags: Bags) -> NDArray[np.bool_]:
    """Whether the bags of a query are those of the query before."""
    same = np.zeros(len(bags.neighbors), bool)
    if len(same) > 1:
        seeds = (bags.seeds[:, 1:] == bags.seeds[:, :-1]).all(axis=(0, 2))
        near = bags.neighbors
        same[1:] = seeds & (near[1:] == near[:-1]).all(axis=1)
    return same
