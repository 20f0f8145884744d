"""Any scikit-learn estimator as a member of an ensemble, fitted on each bag."""

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from sklazy.answer.ensembles.data import Crowd, Floats, Gathering
from sklazy.answer.ensembles.evidence import ModelEvidence
from sklazy.answer.ensembles.number_data import NumberCrowd
from sklazy.answer.selection.models import (
    Model,
    ModelHost,
    class_probabilities,
    seeded,
)
from sklazy.errors import DataWarning
from sklazy.flow import Bags, Queries, Runner
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
        What the bag says without a model.
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

    def cost(self, crowd: Gathering) -> float:
        """Nanoseconds a bag, roughly."""
        return 1e6 + 10.0 * crowd.codes.size

    def evidence(
        self, crowd: Gathering, query: Queries, bags: Bags
    ) -> list[ModelEvidence]:
        """The estimator, and whether the model of each bag gave the answer."""
        fitted = self._fit_bags(crowd, bags, 0, set())
        row, text = self._encode(crowd, query), " ".join(repr(self.estimator).split())
        told = [self._say(crowd, one, row, set()) is not one.plain for one in fitted]
        return [ModelEvidence(text, by_model) for by_model in told]

    def _answer(
        self, crowd: Gathering, queries: Queries, bags: Bags, run: Runner
    ) -> Floats:
        """What the models say; queries of the same bags share them."""
        answers = np.zeros((*bags.seeds.shape[1:], crowd.n_outputs))
        asked, failures = self._encode(crowd, queries), set[str]()
        same = _repeat_bags(bags)

        def work(first: int, last: int) -> None:
            fitted: list[Fitted] = []
            for query in range(first, last):
                if query == first or not same[query]:
                    fitted = self._fit_bags(crowd, bags, query, failures)
                row = asked[query : query + 1]
                for bag, one in enumerate(fitted):
                    answers[query, bag] = self._say(crowd, one, row, failures)

        run(work, len(answers))
        if failures:
            self._warn(failures)
        return answers

    def _fit_bags(
        self, crowd: Gathering, bags: Bags, query: int, failures: set[str]
    ) -> list[Fitted]:
        """A model a bag, where there is something to fit."""
        inputs, targets = self._inputs(crowd), self._targets(crowd)
        fitted = []
        for weights in draw_weights(bags, query, crowd.n_rows):
            rows = np.flatnonzero(weights)
            bag = Bag(inputs[rows], targets[rows], weights[rows])
            plain = self._plain_answer(crowd, bag)
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

    def _say(
        self, crowd: Gathering, fitted: Fitted, row: Floats, failures: set[str]
    ) -> Floats:
        """What a model says about a row; what its bag says where it fails."""
        if fitted.model is None:
            return fitted.plain
        try:
            with np.errstate(all="ignore"):  # what is not finite is told below
                found = self._ask(crowd, fitted.model, row)
        except (ValueError, ArithmeticError) as error:
            failures.add(str(error))
            return fitted.plain
        if np.isfinite(found).all():
            return found
        failures.add("its answer is NaN or infinite.")
        return fitted.plain

    def _targets(self, crowd: Gathering) -> NDArray[Any]:
        """What models are fitted to, (n_rows,)."""
        raise NotImplementedError

    def _plain_answer(self, crowd: Gathering, bag: Bag) -> Floats:
        """What the bag says without a model, (n_outputs,)."""
        raise NotImplementedError

    def _ask(self, crowd: Gathering, model: Model, query: Floats) -> Floats:
        """What a model says about one row, (n_outputs,)."""
        raise NotImplementedError

    def _inputs(self, crowd: Gathering) -> Floats:
        """The cases as models see them, (n_rows, n_columns)."""
        takes_gaps = bool(get_tags(self.estimator).input_tags.allow_nan)
        return crowd.base.derive(
            ("model inputs", takes_gaps),
            lambda: self._encode(crowd, crowd.as_queries(np.arange(crowd.n_rows))),
        )

    def _encode(self, crowd: Gathering, queries: Queries) -> Floats:
        host, columns = ModelHost(self.estimator, 1, None), []
        for j, is_number in enumerate(crowd.is_numeric):
            numbers = queries.values[:, j] if is_number else None
            columns.append(host.encode(crowd.base, j, queries.codes[:, j], numbers))
        return np.hstack(columns)

    def _warn(self, failures: set[str]) -> None:
        warnings.warn(
            f"{self.name} could not be fitted or asked on some bags, whose own shares "
            f"or mean count instead: {min(failures)}",
            DataWarning,
            stacklevel=2,
        )


class ModelMember(FittedMember):
    """A classifier of scikit-learn."""

    def answer(self, crowd: Crowd, queries: Queries, bags: Bags, run: Runner) -> Floats:
        """Class probabilities."""
        return self._answer(crowd, queries, bags, run)

    def _targets(self, crowd: Gathering) -> NDArray[Any]:
        assert isinstance(crowd, Crowd)
        return crowd.classes

    def _plain_answer(self, crowd: Gathering, bag: Bag) -> Floats:
        counts = np.bincount(bag.targets, bag.weights, crowd.n_outputs)
        return np.asarray(counts / counts.sum())

    def _ask(self, crowd: Gathering, model: Model, query: Floats) -> Floats:
        return class_probabilities(model, query, crowd.n_outputs)[0]


class MeanModelMember(FittedMember):
    """A regressor of scikit-learn."""

    def answer(
        self, crowd: NumberCrowd, queries: Queries, bags: Bags, run: Runner
    ) -> Floats:
        """Predictions."""
        return self._answer(crowd, queries, bags, run)

    def _targets(self, crowd: Gathering) -> NDArray[Any]:
        assert isinstance(crowd, NumberCrowd)
        return crowd.targets

    def _plain_answer(self, crowd: Gathering, bag: Bag) -> Floats:
        return np.array([np.average(bag.targets, weights=bag.weights)])

    def _ask(self, crowd: Gathering, model: Model, query: Floats) -> Floats:
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
