"""The front door of a cluster: the estimators of sklazy over Dask frames and arrays.

Each has the parameters of its namesake in `sklazy`, a `client` and a `timeout`. `fit`
takes a Dask frame or array; its partitions become parts of the cases and stay on the
workers. Neighbors, naive Bayes and local models search where the parts are; any other
estimator gathers the cases once, copies them to every worker and splits the queries.
Answers are those of one machine, digit for digit. With ``device="cuda"`` each worker
asks its own GPU.

With a client and a Dask frame at hand::

    from sklazy.dask import LazyKNeighborsClassifier

    model = LazyKNeighborsClassifier(5).fit(frame, frame["class"])
    model.predict(queries)
"""

import itertools
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from dask.delayed import delayed
from numpy.typing import NDArray
from sklearn.base import clone

import sklazy
from sklazy.backends.dask_engine import (
    DaskEngine,
    as_dask_array,
    check_partitions,
    computed_pieces,
    find_client,
    find_turns,
    is_dask,
    own_turn,
    partitions_of,
    wait_for_part,
)
from sklazy.backends.device import take_turn
from sklazy.backends.shards import Shards
from sklazy.casebase import CaseBase
from sklazy.casebase.joining import check_alike
from sklazy.casebase.kinds import open_columns, rebuilt
from sklazy.casebase.parted import PartedBase
from sklazy.casebase.parts import Part, without_rows
from sklazy.casebase.schema import Schema
from sklazy.errors import BadInputError
from sklazy.estimators.advice.advantage import (
    PERCENTAGES,
    LazyAdvantage,
    describe_advantage,
)
from sklazy.estimators.advice.advice import Advice
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.keeping import KeepingEstimator
from sklazy.estimators.options import Discretization
from sklazy.measures import CountTable, find_measure, how_many
from sklazy.receipts import Receipts

_TIMEOUT = 300.0  # seconds

BY_PARTS = (
    "LazyKNeighborsClassifier",
    "LazyNBClassifier",
    "LazyLearningClassifier",
    "LazyLearningRegressor",
)
"""Those that search where the parts are."""


class DaskModel:
    """A lazy estimator whose cases lie on the workers of a cluster.

    Parameters
    ----------
    *given, **parameters
        Those of the estimator of this name in `sklazy`.
    client : distributed.Client, optional
        The current one by default.
    timeout : float, default=300
        Seconds until a worker that does not answer is given up. One that is lost is
        replaced long before, and its part made anew.

    Attributes
    ----------
    model : estimator
        The estimator itself, with the case base of parts as `cases_`.
    """

    kind: type[LazyEstimator]
    by_parts: bool

    def __init__(
        self,
        *given: object,
        client: Any = None,  # noqa: ANN401 - distributed has no types
        timeout: float = _TIMEOUT,
        **parameters: Any,  # noqa: ANN401
    ) -> None:
        self.model = self.kind(*given, **parameters)
        self.client, self.timeout = client, timeout

    def __repr__(self) -> str:
        return f"sklazy.dask.{self.model!r}"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters."""
        own = {"client": self.client, "timeout": self.timeout}
        return {**self.model.get_params(deep), **own}

    def fit(
        self, X: object, y: object, sample_weight: object = None, ids: object = None
    ) -> Self:
        """Keep the rows, each partition a part on some worker.

        Parameters
        ----------
        X : Dask frame, or Dask array of shape (n_rows, n_attributes)
        y : Dask series or array of shape (n_rows,)
        sample_weight, ids : Dask series or arrays, optional
            As for the estimator itself; ids are 0, 1, ... by default.
        """
        client = find_client(self.client)
        if getattr(self.model, "window", None) is not None:
            raise BadInputError(
                f"window={self.model.window!r} cannot be kept on a cluster; "
                "forget(ids) rows instead."
            )
        given = [X, y, sample_weight, ids]
        columns = [None if g is None else partitions_of(g) for g in given]
        check_partitions(columns)
        n_parts = len(columns[0] or ())
        model: Any = clone(self.model)
        fit = delayed(partial(_fit_part, clone(model)))  # it will not know the cases
        sources = [
            fit(*(None if c is None else c[p] for c in columns)) for p in range(n_parts)
        ]
        cases, state = _gather_head(client, sources, self.timeout)
        model._restore(cases, state)
        model._check_cases(cases)
        self.model = model
        self._copies: Any = None
        return self

    def predict(self, X: object) -> Any:  # noqa: ANN401 - as X
        """Predict each query; a Dask array for Dask queries."""
        return self._ask("predict", X)

    def predict_proba(self, X: object) -> Any:  # noqa: ANN401 - as X
        """Predict class probabilities; a Dask array for Dask queries."""
        return self._ask("predict_proba", X)

    def select_attributes(self, X: object) -> Any:  # noqa: ANN401 - as X
        """Which attributes each query uses."""
        return self._ask("select_attributes", X)

    def explain(self, X: object) -> Receipts:
        """Answer each query with a receipt."""
        return self.model.explain(X)  # type: ignore[arg-type]

    def partial_fit(
        self, X: object, y: object, sample_weight: object = None, ids: object = None
    ) -> Self:
        """Add rows, as they are given at this machine, to the last part."""
        optional = {"sample_weight": sample_weight, "ids": ids}
        given = {name: own for name, own in optional.items() if own is not None}
        self.model.partial_fit(X, y, **given)
        return self

    def forget(self, ids: Any) -> Self:  # noqa: ANN401
        """Erase rows, wherever they are."""
        self.model.forget(ids)
        return self

    def digest(self) -> str:
        """The fingerprint of all cases, which does not depend on where they are."""
        return self.model.digest()

    def gather(self) -> LazyEstimator:
        """The model with all cases on this machine."""
        local: Any = clone(self.model)
        with self.model.cases_.snapshot() as cases:
            local._restore(cases._join(), self.model._state())  # type: ignore[attr-defined]
        return local

    def save(self, path: str | Path) -> None:
        """Write parameters and cases to a file of this machine; see `sklazy.load`."""
        self.model.save(path)

    @property
    def classes_(self) -> NDArray[Any]:
        """The class labels, in order."""
        return self.model.classes_

    def _ask(self, method: str, X: object) -> Any:  # noqa: ANN401
        if not is_dask(X):
            return self._ask_here(method, X)
        found = [self._ask_here(method, piece) for piece in computed_pieces(X)]
        whole = np.concatenate(found)
        chunks = (tuple(map(len, found)), *[(n,) for n in whole.shape[1:]])
        return as_dask_array(whole, chunks)

    def _ask_here(self, method: str, X: object) -> Any:  # noqa: ANN401
        if self.by_parts:
            return getattr(self.model, method)(X)
        return self._ask_copies(method, X)

    def _ask_copies(self, method: str, X: Any) -> Any:  # noqa: ANN401
        """Have every worker answer some of the queries, by a copy of all cases."""
        client, digest = find_client(self.client), self.digest()
        if self._copies is None or self._copies[0] != digest:
            copies = client.scatter(self.gather(), broadcast=True, hash=False)
            self._copies = digest, copies
        n_queries = len(X)
        cuts = np.linspace(0, n_queries, len(client.nthreads()) + 1).astype(int)
        take, turns = X.iloc if hasattr(X, "iloc") else X, find_turns(client)
        asked = self._copies[1], turns, method
        pieces = [
            client.submit(_ask_copy, *asked, take[a:b], pure=False)
            for a, b in itertools.pairwise(cuts.tolist())
            if b > a
        ]
        return np.concatenate([piece.result(self.timeout) for piece in pieces])


def _ask_copy(model: Any, turns: dict[str, int], method: str, X: object) -> Any:  # noqa: ANN401
    with take_turn(own_turn(turns)):
        return getattr(model, method)(X)


# --- fitting --------------------------------------------------------------------------


class FittedPart(NamedTuple):
    """What a partition holds.

    Attributes
    ----------
    base : CaseBase, or None if it has no rows
    state : dict
        What an estimator has beside its cases.
    is_named : bool
        Whether ids were given.
    """

    base: CaseBase | None
    state: dict[str, Any]
    is_named: bool


def _fit_part(model: Any, X: Any, y: Any, weights: Any, ids: Any) -> FittedPart:  # noqa: ANN401
    """Read a partition where it is."""
    if not len(X):
        return FittedPart(None, {}, False)
    own = clone(model)
    own._check_cases = lambda cases: None  # whether rows suffice, all parts say
    names = range(len(X)) if ids is None else np.asarray(ids)
    KeepingEstimator._keep(own, X, y, weights, names)
    return FittedPart(own.cases_, own._state(), ids is not None)


class PartHead(NamedTuple):
    """What the front must know of a part before it is coded as all are."""

    n_rows: int
    head: CaseBase | None
    nominal: list[int]
    open_columns: list[int]
    state: dict[str, Any]


def _describe(part: FittedPart) -> PartHead:
    base = part.base
    if base is None:
        return PartHead(0, None, [], [], {})
    nominal, is_open = base.schema.positions("nominal"), open_columns(base)
    head = without_rows(base, base.schema)
    head.next_id = base.next_id
    return PartHead(base.n_rows, head, nominal, is_open, part.state)


def _gather_head(
    client: Any,  # noqa: ANN401
    sources: list[Any],
    timeout: float,
) -> tuple[PartedBase, dict[str, Any]]:
    """The case base of all parts, which stay on the workers, and what is beside it."""
    found = client.compute([delayed(_describe)(source) for source in sources])
    heads: list[PartHead] = [wait_for_part(f, timeout, n) for n, f in enumerate(found)]
    filled = [(n, own.head) for n, own in enumerate(heads) if own.head is not None]
    if not filled:
        raise BadInputError("X has no rows in any partition; give at least one row.")
    for number, head in filled:
        check_alike(filled[0][1], head, number, filled[0][0])
    schema = _schema_of_all(heads, filled[0][1].schema)
    whole = without_rows(filled[0][1], schema)
    starts = np.cumsum([0, *[own.n_rows for own in heads]])
    make = partial(_make_part, whole, starts.tolist())
    engine = DaskEngine(client, make, sources, timeout)
    for number in range(len(heads)):
        engine.start(number)
    sizes = [own.n_rows for own in heads]
    base = PartedBase(whole, Shards(engine, len(heads), timeout), sizes)
    base.bins.current = False
    base.next_id = max(int(starts[-1]), *(head.next_id for _, head in filled))
    return base, heads[filled[0][0]].state


def _schema_of_all(heads: Iterable[PartHead], schema: Schema) -> Schema:
    """The kinds of columns, some of which are open in single partitions."""
    heads = list(heads)
    nominal = {j for own in heads for j in own.nominal}
    for number, own in enumerate(heads):
        if own.head is None:
            continue
        numbers = nominal - set(own.nominal) - set(own.open_columns)
        if numbers:
            names = [schema.names[j] for j in sorted(numbers)]
            raise BadInputError(
                f"columns {names} hold numbers in partition {number} and labels in "
                "another; give them one type, for instance by astype."
            )
    return schema.with_nominal(nominal)


def _make_part(
    whole: CaseBase, starts: list[int], source: FittedPart, number: int
) -> Part:
    """A part on a worker, of the kinds that all parts have."""
    base, nominal = source.base, whole.schema.positions("nominal")
    if base is None:
        return Part.of(whole, whole.rows.live(), number)
    turned = sorted(set(nominal) - set(base.schema.positions("nominal")))
    if turned:
        base = rebuilt(base, np.arange(base.n_rows), turned)
    base._sync()
    rows = base.rows.take(np.argsort(base.arrival))
    rows.arrival[:] = np.arange(len(rows))
    if not source.is_named:
        rows.ids = rows.ids + starts[number]
    return Part.of(base, rows, number)


def lazy_advantage(
    X: object,
    y: object,
    x: float | Iterable[float] = PERCENTAGES,
    *,
    weighting: Literal["weighted", "unweighted"] = "weighted",
    discretization: Discretization = "fayyad",
    client: Any = None,  # noqa: ANN401
    timeout: float = _TIMEOUT,
) -> LazyAdvantage:
    """`sklazy.lazy_advantage` of a Dask frame or array: parts count, counts add up."""
    kind: Callable[..., DaskModel] = __getattr__("LazyNBClassifier")
    model = kind(discretization=discretization, client=client, timeout=timeout)
    with model.fit(X, y).model.cases_.snapshot() as cases:
        counts, offsets = cases.cases.counts, cases.cases.offsets
        return describe_advantage(counts, offsets, cases.names, x, weighting)


class AttributeRanker(sklazy.AttributeRanker):
    """`sklazy.AttributeRanker`, fitted to a Dask frame or array: counts add up.

    Missing cells are left out, and cuts are encoded as by default.
    """

    def fit(self, X: Any, y: Any) -> Self:  # noqa: ANN401
        """Rank the columns of a Dask frame or array, by the current client."""
        if self.missing != "omit" or self.better_encoding:
            raise BadInputError(
                f"missing={self.missing!r}, better_encoding={self.better_encoding!r}: "
                "on a cluster missing='omit' and better_encoding=False are at hand; "
                "compute() the frame for others."
            )
        measure = find_measure(self.measure)
        kind: Callable[..., DaskModel] = __getattr__("LazyNBClassifier")
        columns = self.categorical_features
        given = {"discretization": self.discretization, "categorical_features": columns}
        with kind(**given).fit(X, y).model.cases_.snapshot() as cases:
            n_kept = how_many(self.n_attributes, len(cases.names))
            table = CountTable(cases.cases.counts, cases.cases.offsets)
            scores = measure.relevance(table, cases.cases.class_counts)
            self.n_features_in_ = len(cases.names)
            if cases.schema.named:
                self.feature_names_in_ = np.array(cases.names, dtype=object)
        return self._rank(scores, n_kept)


def advise(X: Any, y: Any, **options: Any) -> Advice:  # noqa: ANN401
    """`sklazy.advise` of a Dask frame or array, whose rows are gathered for it."""
    return sklazy.advise(X.compute(), y.compute(), **options)


def __getattr__(name: str) -> type[DaskModel]:
    kind = getattr(sklazy, name, None) if name.startswith("Lazy") else None
    if not isinstance(kind, type) or not issubclass(kind, LazyEstimator):
        raise AttributeError(f"module 'sklazy.dask' has no attribute {name!r}")
    made = {"kind": kind, "by_parts": name in BY_PARTS, "__doc__": DaskModel.__doc__}
    model = type(name, (DaskModel,), {**made, "__module__": __name__})
    globals()[name] = model
    return model
