"""Contributions of features to the answers of an estimator."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from sklazy.answer import Batch, check_finite, prepare
from sklazy.answer.learner import Answer, AnyLearner
from sklazy.answer.reasons import Shares, Wish, map_features
from sklazy.answer.target import class_labels
from sklazy.casebase import CaseBase
from sklazy.casebase.matrix import encode_matrix
from sklazy.errors import BadInputError
from sklazy.flow import Queries
from sklazy.methods.blends.learner import BlendLearner
from sklazy.methods.blends.members import LearnerMember
from sklazy.methods.ensembles.learner import EnsembleLearner
from sklazy.methods.family import find_contributions
from sklazy.methods.plain import as_dates, describe_dates, target_names
from sklazy.receipts.families import FAMILIES_BY_ANSWER
from sklazy.report.axes import find_axes
from sklazy.report.html import preformatted
from sklazy.report.listings import list_contributions
from sklazy.report.progress import Progress
from sklazy.report.words import join, pluralize
from sklazy.tables import Table

if TYPE_CHECKING:
    import pandas

    from sklazy.estimators.base import LazyEstimator

Floats = NDArray[np.float64]

_AT_ONCE = 64  # queries


@dataclass(frozen=True, eq=False)
class Contributions:
    """What each feature adds to the answer to each query.

    Attributes
    ----------
    values : float64 array of shape (n_queries, n_features)
        In probability, or in the unit of the target. They add up to the answer less
        the base.
    base : float64 array of shape (n_queries,)
        The answer to a row of which nothing is known but what the query lacks, too.
    answer : float64 array of shape (n_queries,)
        The probability of the class in `of`, or the prediction.
    names : list of str
        The features.
    of : array of shape (n_queries,)
        The class, or the name of the target, that values contribute to.
    errors : float64 array of shape (n_queries, n_features)
        Standard errors of values that were sampled; 0 where they are exact.
    cells : list of arrays of shape (n_queries,)
        The values of each feature; dates are datetime64.

    Examples
    --------
    >>> from sklazy import LazyKernelClassifier
    >>> X = [[float(number), 1.0] for number in range(12)]
    >>> model = LazyKernelClassifier().fit(X, ["low"] * 6 + ["high"] * 6)
    >>> found = model.contributions([[1.5, 1.0]])
    >>> found.of.item(), found.base.round(3).item(), found.values[0, 1].item()
    ('low', 0.5, 0.0)
    >>> bool(abs(found.base + found.values.sum(axis=1) - found.answer) < 1e-9)
    True
    """

    values: Floats
    base: Floats
    answer: Floats
    names: list[str]
    of: NDArray[Any]
    errors: Floats
    cells: list[NDArray[Any]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        n_rows, n_features = self.values.shape
        return (
            f"Contributions({pluralize(n_rows, 'row')}, "
            f"{pluralize(n_features, 'feature')}; see to_frame())"
        )

    def __str__(self) -> str:
        n_rows, n_features = self.values.shape
        counted = pluralize(n_features, "feature"), pluralize(n_rows, "row")
        outputs = join(dict.fromkeys(map(str, self.of)))
        title = f"Contributions of {counted[0]} to {outputs}, {counted[1]}"
        ends = self.base, self.answer
        return list_contributions(
            title, self.names, self.values, ends, self.of.tolist()
        )

    def _repr_html_(self) -> str:
        return preformatted(str(self))

    @property
    def importance(self) -> Floats:
        """Mean absolute contribution of each feature, (n_features,), as in `names`."""
        return np.asarray(np.abs(self.values).mean(axis=0))

    def strongest(self, most: int = 5) -> list[tuple[str, float]]:
        """List the features that add most on average, each with its `importance`.

        Parameters
        ----------
        most : int, default=5

        Examples
        --------
        >>> from sklazy import LazyRidgeRegressor
        >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 0.0]], [0.0, 1.0, 2.0]
        >>> found = LazyRidgeRegressor().fit(X, y).contributions(X)
        >>> [name for name, _ in found.strongest()]
        ['x0', 'x1']
        """
        order = np.argsort(-self.importance, kind="stable")[:most].tolist()
        return [(self.names[j], float(self.importance[j])) for j in order]

    def dependence(self, name: str) -> tuple[NDArray[Any], Floats]:
        """The values of a feature, and its contributions, each (n_queries,).

        Parameters
        ----------
        name : str

        Examples
        --------
        >>> from sklazy import LazyRidgeRegressor
        >>> X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]
        >>> found = LazyRidgeRegressor().fit(X, y).contributions(X)
        >>> values, added = found.dependence("x0")
        >>> values.tolist(), bool(added[0] < added[1] < added[2])
        ([0.0, 1.0, 2.0], True)
        """
        if name not in self.names:
            raise BadInputError(
                f"name={name!r} is not a feature; give one of "
                f"{', '.join(map(repr, self.names[:8]))}."
            )
        j = self.names.index(name)
        return self.cells[j], np.asarray(self.values[:, j])

    def plot_importance(self, ax: Any = None, most: int = 15) -> Any:  # noqa: ANN401
        """Draw mean absolute contributions, the largest first (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib axes, optional
            Default: new ones.
        most : int, default=15
            How many features.
        """
        ax = find_axes(ax, new=True)
        order = np.argsort(-self.importance, kind="stable")[:most]
        ax.barh(range(len(order)), self.importance[order])
        ax.set_yticks(range(len(order)), [self.names[j] for j in order.tolist()])
        ax.invert_yaxis()
        ax.set_xlabel("mean absolute contribution")
        return ax

    def plot_dependence(self, name: str, ax: Any = None) -> Any:  # noqa: ANN401
        """Draw the contributions of a feature against its values (needs matplotlib).

        Parameters
        ----------
        name : str
        ax : matplotlib axes, optional
            Default: new ones.
        """
        values, added = self.dependence(name)
        known = np.array([value is not None and value == value for value in values])
        ax = find_axes(ax, new=True)
        ax.plot(values[known], added[known], "o")
        ax.axhline(0.0, linestyle=":", color="gray")
        ax.set(xlabel=name, ylabel="contribution")
        return ax

    def to_frame(self) -> "pandas.DataFrame":
        """A pandas frame: a row per query, the base, a column per feature, the answer.

        A column is called as its feature; `of`, `base` and `answer` come around them.
        """
        import pandas  # noqa: PLC0415 (an optional dependency)

        columns = pandas.DataFrame(self.values, columns=self.names)
        head = pandas.DataFrame({"of": self.of, "base": self.base})
        last = pandas.DataFrame({"answer": self.answer})
        return pandas.concat([head, columns, last], axis=1)


def contribute_all(model: "LazyEstimator", X: object, of: object) -> Contributions:
    """Contributions to all answers; see `LazyEstimator.contributions`."""
    if not hasattr(model, "cases_"):
        check_is_fitted(model)
    with model.cases_.snapshot() as cases:
        queries, table = code_numbers(model, cases, X), None
        if queries is None:
            table = model._query_table(X)
            queries = cases.encode(table)
        learner = trace_paths(model._current_learner(cases))
        wanted = find_output(cases, of)
        ask = partial(_contribute, learner, cases, wanted=wanted, n_jobs=model.n_jobs)
        parts = list(map(ask, _cut(queries)))
        outputs = np.concatenate([outputs for outputs, _ in parts])
        columns = zip(*(shares for _, shares in parts), strict=True)
        values, base, answer, errors = (np.concatenate(column) for column in columns)
        names = map_features(cases).names
        of_each = name_outputs(cases, outputs)
        cells = _list_cells(cases, queries, table)
    return Contributions(values, base, answer, names, of_each, errors, cells)


def _list_cells(
    cases: CaseBase, queries: Queries, table: Table | None
) -> list[NDArray[Any]]:
    """The values of the features of queries; those set aside are None."""
    if table is None:
        return list(queries.values.T)
    features, matched = map_features(cases), cases.matched(table).columns
    first = {int(f): j for j, f in reversed(list(enumerate(features.of_attribute)))}
    dates = describe_dates(cases).get("dates", ())
    columns = []
    for j, name in enumerate(features.names):
        nothing = np.full(table.n_rows, None)
        column = matched[first[j]] if j in first else None
        if column is None or column.kind == "nominal":
            cells = nothing if column is None else np.array(column.cells(), object)
        elif name in dates:
            cells = as_dates(column.data)
        else:
            cells = np.asarray(column.data, np.float64)
        columns.append(cells)
    return columns


def code_numbers(model: "LazyEstimator", cases: CaseBase, X: object) -> Queries | None:
    """Code a matrix of numbers without a table; None for a table to read or refuse."""
    if type(X) is not np.ndarray or not model._reads_arrays:
        return None
    if cases.coder.nominal or cases.schema.origins or cases.schema.named:
        return None
    return encode_matrix(cases, X)


def trace_paths(learner: AnyLearner) -> AnyLearner:
    """A learner that keeps what contributions need of random paths it walks."""
    if isinstance(learner, EnsembleLearner):
        return replace(learner, traces=True)
    if not isinstance(learner, BlendLearner):
        return learner
    members = [
        replace(member, learner=trace_paths(member.learner))
        if isinstance(member, LearnerMember)
        else member
        for member in learner.members
    ]
    return replace(learner, members=tuple(members))


def _cut(queries: Queries) -> Iterator[Queries]:
    """Some queries at a time, with a bar where there are many."""
    n_queries = len(queries.codes)
    if n_queries <= _AT_ONCE:
        yield queries
        return
    with Progress("explaining", total=n_queries) as progress:
        for first in range(0, n_queries, _AT_ONCE):
            rows = slice(first, first + _AT_ONCE)
            yield Queries(queries.codes[rows], queries.values[rows])
            progress.advance(min(_AT_ONCE, n_queries - first))


def _contribute(
    learner: AnyLearner,
    cases: CaseBase,
    queries: Queries,
    wanted: int | None,
    n_jobs: int | None,
) -> tuple[NDArray[np.int64], Shares]:
    """The outputs of some queries, and the contributions to them."""
    batch = Batch(cases, cases.cases, queries)
    answer = learner.answer(prepare(learner, cases), batch)
    check_finite(answer, learner.target.kind)
    outputs = choose_outputs(cases, answer, wanted)
    wish = Wish(outputs, map_features(cases))
    families = FAMILIES_BY_ANSWER
    return outputs, find_contributions(
        learner, batch, wish, families, answer=answer, n_jobs=n_jobs
    )


def choose_outputs(
    cases: CaseBase, answer: Answer, wanted: int | None
) -> NDArray[np.int64]:
    """The output of each query that is explained: one for all, or the predicted."""
    n_queries = len(answer.queries.codes)
    if wanted is None and cases.class_labels:
        return np.asarray(answer.decisions, np.int64)  # type: ignore[attr-defined]
    return np.full(n_queries, wanted or 0, np.int64)


def find_output(cases: CaseBase, of: object) -> int | None:
    """The number of a class, or of a target; None for the predicted class."""
    if of is None:
        return None
    known: list[Any] = list(cases.class_labels) or list(target_names(cases))
    plain = of.item() if isinstance(of, np.generic) else of
    if plain in known:
        return known.index(plain)
    what = "a class" if cases.class_labels else "a target"
    listed = ", ".join(map(repr, known[:5])) + (", ..." if len(known) > 5 else "")
    raise BadInputError(f"of={of!r} is not {what}; give one of {listed}, or None.")


def name_outputs(cases: CaseBase, outputs: NDArray[np.int64]) -> NDArray[Any]:
    """The classes, or the names of the targets, by number."""
    if cases.class_labels:
        return class_labels(cases)[outputs]
    return np.array(target_names(cases))[outputs]
