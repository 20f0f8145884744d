"""Any scikit-learn classifier as a member of an ensemble, fitted on each bag."""

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from sklazy.answer.crowd import Crowd, Floats
from sklazy.answer.evidence import ModelEvidence
from sklazy.errors import DataWarning
from sklazy.estimators.models import (
    Model,
    ModelHost,
    class_probabilities,
    seeded,
)
from sklazy.flow import Bags, Queries, Runner
from sklazy.local.bags import draw_weights


class Bag(NamedTuple):
    """The distinct rows of a bag.

    Attributes
    ----------
    inputs : float64 array of shape (n_rows, n_columns)
    classes : int32 array of shape (n_rows,)
    weights : int32 array of shape (n_rows,)
        How often the bag holds each.
    """

    inputs: Floats
    classes: NDArray[np.int32]
    weights: NDArray[np.int32]

    def shares(self, n_classes: int) -> Floats:
        """The class shares of the bag."""
        counts = np.bincount(self.classes, self.weights, n_classes)
        return counts / counts.sum()


@dataclass(frozen=True, eq=False)
class ModelMember:
    """A classifier of scikit-learn.

    Attributes
    ----------
    estimator : classifier
        Never fitted itself.
    name : str
    """

    estimator: BaseEstimator
    name: str

    def answer(self, crowd: Crowd, queries: Queries, bags: Bags, run: Runner) -> Floats:
        """Class probabilities of the models; queries of the same bags share them."""
        answers = np.zeros((*bags.seeds.shape[1:], crowd.n_classes))
        asked, failures = self._encode(crowd, queries), set[str]()
        same = _repeat_bags(bags)

        def work(first: int, last: int) -> None:
            models: list[Model] = []
            for query in range(first, last):
                if query == first or not same[query]:
                    models = self._fit_bags(crowd, bags, query, failures)
                for bag, model in enumerate(models):
                    found = _ask(model, asked[query : query + 1], crowd.n_classes)
                    answers[query, bag] = found

        run(work, len(answers))
        if failures:
            self._warn(failures)
        return answers

    def cost(self, crowd: Crowd) -> float:
        """Nanoseconds a bag, roughly."""
        return 1e6 + 10.0 * crowd.codes.size

    def evidence(self, crowd: Crowd, query: Queries, bags: Bags) -> list[ModelEvidence]:
        """The estimator, and whether it could be fitted on each bag."""
        models = self._fit_bags(crowd, bags, 0, set())
        text = " ".join(repr(self.estimator).split())
        return [ModelEvidence(text, not isinstance(m, np.ndarray)) for m in models]

    def _fit_bags(
        self, crowd: Crowd, bags: Bags, query: int, failures: set[str]
    ) -> list[Model]:
        """A model a bag; shares of classes where there is nothing to fit."""
        inputs = self._inputs(crowd)
        models = []
        for weights in draw_weights(bags, query, crowd.n_rows):
            rows = np.flatnonzero(weights)
            bag = Bag(inputs[rows], crowd.classes[rows], weights[rows])
            models.append(self._fit(bag, crowd.n_classes, failures))
        return models

    def _fit(self, bag: Bag, n_classes: int, failures: set[str]) -> Model:
        shares = bag.shares(n_classes)
        if not bag.inputs.shape[1] or shares.max() == 1.0:
            return shares
        try:
            return fit_bag(self.estimator, bag)
        except (ValueError, ArithmeticError) as error:  # a bag may lack what it needs
            failures.add(str(error))
            return shares

    def _inputs(self, crowd: Crowd) -> Floats:
        """The cases as models see them, (n_rows, n_columns)."""
        takes_gaps = bool(get_tags(self.estimator).input_tags.allow_nan)
        return crowd.base.derive(
            ("model inputs", takes_gaps),
            lambda: self._encode(crowd, crowd.as_queries(np.arange(crowd.n_rows))),
        )

    def _encode(self, crowd: Crowd, queries: Queries) -> Floats:
        host, columns = ModelHost(self.estimator, 1, None), []
        for j, is_number in enumerate(crowd.is_numeric):
            numbers = queries.values[:, j] if is_number else None
            columns.append(host.encode(crowd.base, j, queries.codes[:, j], numbers))
        return np.hstack(columns)

    def _warn(self, failures: set[str]) -> None:
        warnings.warn(
            f"{self.name} could not be fitted on some bags, whose class shares count "
            f"instead: {min(failures)}",
            DataWarning,
            stacklevel=2,
        )


def fit_bag(estimator: BaseEstimator, bag: Bag) -> Model:
    """Fit a copy on a bag: by sample weights or, without them, on repeated rows."""
    model = seeded(estimator)
    if has_fit_parameter(model, "sample_weight"):
        weights = bag.weights.astype(np.float64)
        return model.fit(bag.inputs, bag.classes, sample_weight=weights)
    rows = np.repeat(np.arange(len(bag.classes)), bag.weights)
    return model.fit(bag.inputs[rows], bag.classes[rows])


def _ask(model: Model, query: Floats, n_classes: int) -> Floats:
    if isinstance(model, np.ndarray):
        return model
    return class_probabilities(model, query, n_classes)[0]


def _repeat_bags(bags: Bags) -> NDArray[np.bool_]:
    """Whether the bags of a query are those of the query before."""
    same = np.zeros(len(bags.neighbours), bool)
    if len(same) > 1:
        seeds = (bags.seeds[:, 1:] == bags.seeds[:, :-1]).all(axis=(0, 2))
        near = bags.neighbours
        same[1:] = seeds & (near[1:] == near[:-1]).all(axis=1)
    return same
