"""Results on a whole table of Dask: scores of columns, advice, an audit."""

from collections.abc import Iterable
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

import sklazy
from sklazy.casebase import CaseBase
from sklazy.dask.client import TIMEOUT, compute, find_client
from sklazy.dask.model import DaskModel
from sklazy.errors import BadInputError
from sklazy.estimators.advice.advantage import (
    PERCENTAGES,
    LazyAdvantage,
    describe_advantage,
)
from sklazy.estimators.advice.advice import Advice, advise_on
from sklazy.estimators.advice.measuring import understand_target
from sklazy.estimators.audit.audit import Audit
from sklazy.estimators.parameters import Discretization, Measure, Missing
from sklazy.measures import CountTable, find_measure, how_many
from sklazy.tables import Table


class _Counted(DaskModel):
    """Cases on the workers, of which the front has the counts."""

    kind, by_parts = sklazy.LazyNBClassifier, True


class _Measured(DaskModel):
    """Cases on the workers, with a number to predict."""

    kind, by_parts = sklazy.LazyLearningRegressor, True


def lazy_advantage(
    X: object,
    y: object,
    x: float | Iterable[float] = PERCENTAGES,
    *,
    weighting: Literal["weighted", "unweighted"] = "weighted",
    discretization: Discretization = "fayyad",
    client: Any = None,  # noqa: ANN401
    timeout: float = TIMEOUT,
) -> LazyAdvantage:
    """`sklazy.lazy_advantage` of a Dask frame or array: parts count, counts add up."""
    model = _Counted(discretization=discretization, client=client, timeout=timeout)
    with model.fit(X, y).model.cases_.snapshot() as cases:
        return _describe(cases, x, weighting)


def _describe(
    cases: CaseBase,
    x: float | Iterable[float] = PERCENTAGES,
    weighting: Literal["weighted", "unweighted"] = "weighted",
) -> LazyAdvantage:
    counts, offsets = cases.cases.counts, cases.cases.offsets
    return describe_advantage(counts, offsets, cases.names, x, weighting)


class AttributeRanker(sklazy.AttributeRanker):
    """`sklazy.AttributeRanker`, fitted to a Dask frame or array: counts add up.

    Missing cells are left out, and cuts are encoded as by default. `client` and
    `timeout` are those of the estimators.
    """

    def __init__(
        self,
        measure: Measure = "entropy",
        n_attributes: int | float = 0.3,
        *,
        missing: Missing = "omit",
        discretization: Discretization = "fayyad",
        better_encoding: bool = False,
        categorical_features: object = "from_dtype",
        client: Any = None,  # noqa: ANN401
        timeout: float = TIMEOUT,
    ) -> None:
        super().__init__(
            measure,
            n_attributes,
            missing=missing,
            discretization=discretization,
            better_encoding=better_encoding,
            categorical_features=categorical_features,
        )
        self.client = client
        self.timeout = timeout

    def fit(self, X: Any, y: Any) -> Self:  # noqa: ANN401
        """Rank the columns of a Dask frame or array."""
        if self.missing != "omit" or self.better_encoding:
            raise BadInputError(
                f"missing={self.missing!r}, better_encoding={self.better_encoding!r}: "
                "on a cluster only missing='omit' and better_encoding=False work; "
                "compute() the frame for other settings."
            )
        measure = find_measure(self.measure)
        with self._count(X, y).cases_.snapshot() as cases:
            n_kept = how_many(self.n_attributes, len(cases.names))
            table = CountTable(cases.cases.counts, cases.cases.offsets)
            scores = measure.relevance(table, cases.cases.class_counts)
            self.n_features_in_ = len(cases.names)
            if cases.schema.named:
                self.feature_names_in_ = np.array(cases.names, dtype=object)
        return self._rank(scores, n_kept)

    def _count(self, X: Any, y: Any) -> Any:  # noqa: ANN401
        model = _Counted(
            discretization=self.discretization,
            categorical_features=self.categorical_features,
            client=self.client,
            timeout=self.timeout,
        )
        return model.fit(X, y).model


def advise(
    X: Any,  # noqa: ANN401
    y: Any,  # noqa: ANN401
    *,
    categorical_features: object = "from_dtype",
    client: Any = None,  # noqa: ANN401
    timeout: float = TIMEOUT,
    **options: Any,  # noqa: ANN401
) -> Advice:
    """`sklazy.advise` of a Dask frame or array: counts add up, a sample comes here.

    The rows stay with the workers. All targets are brought to this machine, and as many
    rows as methods are compared and timed on.
    """
    (known,) = compute(find_client(client), timeout, y)
    task, _ = understand_target(known, options.get("task", "auto"))
    kind: type[DaskModel] = _Counted if task == "classification" else _Measured
    model = kind(
        categorical_features=categorical_features, client=client, timeout=timeout
    )
    with model.fit(X, y).model.cases_.snapshot() as cases:
        numbers = np.argsort(cases.arrival)

        def take(rows: NDArray[np.int64]) -> Table:
            return cases.coder.table(cases.take(numbers[rows]))

        advantage = partial(_describe, cases)
        return advise_on(take, cases.n_rows, known, advantage, **options)


def audit(
    X: Any,  # noqa: ANN401
    y: Any,  # noqa: ANN401
    *,
    client: Any = None,  # noqa: ANN401
    timeout: float = TIMEOUT,
    **options: Any,  # noqa: ANN401
) -> Audit:
    """`sklazy.audit` of a Dask frame or array, whose rows are gathered for it."""
    names = list(options)
    X, y, *values = compute(find_client(client), timeout, X, y, *options.values())
    return sklazy.audit(X, y, **dict(zip(names, values, strict=True)))
