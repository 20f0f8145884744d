"""What every lazy estimator can say of queries beside its answers: how like cases."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from sklazy.answer.batch import canonical_places
from sklazy.answer.novelty import find_novelty, measure_all
from sklazy.casebase import CaseBase
from sklazy.estimators.parameters import check_count
from sklazy.flow import Queries
from sklazy.receipts.plain import target_names
from sklazy.tables import Table
from sklazy.tables.frames import index_labels

if TYPE_CHECKING:
    import pandas


class Likeness:
    """How like cases queries are, by HEOM on all attributes, whatever the method."""

    cases_: CaseBase

    def _query_table(self, X: object) -> Table:
        raise NotImplementedError

    def novelty(self, X: ArrayLike) -> NDArray[np.float64]:
        """How unlike all cases each query is, from 0 to 1.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)

        Returns
        -------
        shares : float64 array of shape (n_queries,)
            The share of the cases (of very many: of some hundreds of them) that are
            nearer to another case than the query is to any, by HEOM on all attributes,
            whatever the method. 0.99 and more is "unlike all cases"; NaN if there is
            one case only.
        """
        check_is_fitted(self)
        table = self._query_table(X)
        with self.cases_.snapshot() as cases:
            return find_novelty(cases, cases.encode(table)).shares

    def similar(self, X: ArrayLike, k: int = 5) -> "pandas.DataFrame":
        """The cases that are most like each query, as a pandas frame.

        By HEOM on all attributes, whatever the method; the cases that a receipt lists
        are those that the answer rests on, which may be others.

        Parameters
        ----------
        X : frame, Table or array-like of shape (n_queries, n_attributes)
        k : int, default=5
            Cases per query, the nearest first; equally near ones in canonical order.

        Returns
        -------
        frame : pandas.DataFrame
            Indexed by the query (its label in the index of X, or its number) and the
            case (its id: its label in the index of the frame that was fitted, or its
            number). The columns are the distance, the values of the case as they are
            learned from (dates as numbers), and its target.

        Examples
        --------
        >>> import pandas as pd, sklazy
        >>> X = pd.DataFrame({"legs": [4, 4, 2]}, index=["cat", "dog", "hen"])
        >>> y = pd.Series(["fur", "fur", "feathers"], name="skin")
        >>> model = sklazy.LazyKNeighborsClassifier().fit(X, y)
        >>> model.similar(pd.DataFrame({"legs": [3.5]}, index=["pod"]), k=1)
                    distance  legs skin
        query case
        pod   cat       0.25   4.0  fur
        """
        check_is_fitted(self)
        check_count("k", k)
        table = self._query_table(X)
        with self.cases_.snapshot() as cases:
            return _frame_of_similar(cases, cases.encode(table), k, index_labels(X))


def _frame_of_similar(
    cases: CaseBase, queries: Queries, k: int, labels: list[Any] | None
) -> "pandas.DataFrame":
    import pandas  # noqa: PLC0415 (an optional dependency)

    asked = range(len(queries.codes))
    found = [nearest_cases(cases, queries, query, k) for query in asked]
    rows = np.concatenate([own for own, _ in found])
    frame = cases.to_table().take(rows.tolist()).to_pandas()
    for name, values in targets_of(cases, rows).items():
        frame[_free(name, frame)] = values
    distances = [d for _, own in found for d in own.tolist()]
    frame.insert(0, _free("distance", frame), distances)
    names = labels if labels is not None else list(asked)
    pairs = [names[query] for query in asked for _ in found[query][0]]
    frame.index = pandas.MultiIndex.from_arrays(
        [pairs, cases.ids[rows].tolist()], names=["query", "case"]
    )
    return frame


def nearest_cases(
    cases: CaseBase, queries: Queries, query: int, k: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The rows nearest to a query, and their distances."""
    squares = measure_all(cases, queries, query)
    order = np.lexsort((canonical_places(cases), squares))[:k]
    return order, np.sqrt(squares[order])


def targets_of(cases: CaseBase, rows: NDArray[np.int64]) -> dict[str, list[Any]]:
    """The targets of rows, by name."""
    names = target_names(cases)
    if cases.class_labels:
        codes = cases.cases.classes[rows].tolist()
        return {names[0]: [cases.class_labels[code] for code in codes]}
    numbers = cases.cases.targets[:, rows].tolist()
    return dict(zip(names, numbers, strict=True))


def _free(name: str, frame: "pandas.DataFrame") -> str:
    """The name, with underscores behind it as long as a column has it."""
    return name if name not in frame else _free(f"{name}_", frame)
