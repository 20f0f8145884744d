"""Sets of classes and intervals of numbers that cover as promised, also by group."""

import reprlib
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from sklazy.answer.target import class_labels
from sklazy.answer.uncertainty.intervals import (
    WAYS,
    are_positive,
    choose_way,
    find_intervals,
    find_left_out_intervals,
)
from sklazy.answer.uncertainty.sets import (
    ConformalQueries,
    rank_by_full,
    rank_by_jackknife,
    rank_by_left_out,
    rank_by_nearness,
)
from sklazy.casebase import CaseBase
from sklazy.errors import BadInputError, suggest
from sklazy.estimators.abstention import describe_abstentions
from sklazy.estimators.parameters import check_choice, check_share
from sklazy.measures.conformal import Ranks, rows_needed
from sklazy.receipts import Wanted
from sklazy.receipts.uncertainty import describe_interval, describe_set
from sklazy.tables import Table

if TYPE_CHECKING:
    from sklazy.estimators.base import LazyEstimator


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Groups = str | tuple[Any, Any] | None
"""The name of a column, or the groups of all rows and of the queries."""

SET_METHODS = ("jackknife", "jackknife+", "minmax", "full")
INTERVAL_METHODS = SET_METHODS[:3]

AUTO = "auto"
"""Of `by`: the way of the least interval score of rows left out."""


class Grouped(NamedTuple):
    """Groups by number: of rows by place in the case base, of queries, and labels."""

    rows: Ints
    queries: Ints
    labels: list[Hashable]


# --- sets of classes ------------------------------------------------------------------


def predict_sets(
    model: "LazyEstimator",
    X: object,
    coverage: float,
    method: str,
    by: str | None,
    groups: Groups,
) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Predict which classes are not too strange, and their labels."""
    check_is_fitted(model)
    share = _check_coverage(coverage)
    table = model._query_table(X)
    with model.cases_.snapshot() as cases:
        ranks = _rank_classes(model, cases, table, share, method, by, groups)
        labels = class_labels(cases)
    return ranks.cover(share), labels


def describe_class_doubt(
    model: "LazyEstimator", cases: CaseBase, table: Table, wanted: Wanted
) -> list[dict[str, Any]]:
    """Describe the set of each query and whether it is answered, if wanted."""
    sets = _describe_sets(model, cases, table, wanted)
    abstentions = describe_abstentions(model, cases, table, wanted.accuracy)
    return [{**one, **other} for one, other in zip(sets, abstentions, strict=True)]


def _describe_sets(
    model: "LazyEstimator", cases: CaseBase, table: Table, wanted: Wanted
) -> list[dict[str, Any]]:
    if wanted.coverage is None:
        return [{}] * len(table)
    if wanted.by == AUTO:  # for numbers: sets have one way unless another is wanted
        wanted = wanted._replace(by=None)
    share, way = _check_coverage(wanted.coverage), (wanted.method, wanted.by, None)
    ranks = _rank_classes(model, cases, table, share, *way)
    rows = zip(ranks.credibility, ranks.cover(share), strict=True)
    return [describe_set(cases, wanted, *row) for row in rows]


def _rank_classes(
    model: "LazyEstimator",
    cases: CaseBase,
    table: Table,
    coverage: float,
    method: str,
    by: str | None,
    groups: Groups,
) -> Ranks:
    """Rank every class of the queries among the cases."""
    _check_way(method, by, groups, SET_METHODS)
    if by not in (None, "class", "nearness"):
        raise BadInputError(f"by={by!r}; expected None, 'class' or 'nearness'.")
    numbered = _find_groups(groups, cases, table)
    queries = ConformalQueries(table, numbered.queries, numbered.rows, by == "class")
    counts = _count_kinds(queries, cases, numbered.labels)
    _check_enough(counts, coverage, 4 if by == "nearness" else 1)
    learner, n_jobs = model._current_learner(cases), model.n_jobs
    if method in ("jackknife+", "minmax"):
        widest = method == "minmax"
        return rank_by_left_out(learner, cases, queries, n_jobs, widest=widest)
    if method == "full":
        return rank_by_full(learner, cases, queries, n_jobs)
    rank = rank_by_nearness if by == "nearness" else rank_by_jackknife
    return rank(learner, cases, queries, n_jobs)


def _count_kinds(
    queries: ConformalQueries, cases: CaseBase, labels: list[Any]
) -> list[tuple[str, int]]:
    """Count the cases of each kind that queries are of, with words for the kind."""
    used = cases.cases.weights[: cases.n_rows] > 0
    kinds = queries.row_kinds(cases)[used]
    n_classes = cases.cases.class_counts.size
    counts = []
    wanted = queries.kinds(cases) if queries.by_class else queries.groups
    for kind in np.unique(wanted).tolist():
        group, code = divmod(kind, n_classes) if queries.by_class else (kind, None)
        where = f" with groups={labels[group]!r}" if len(labels) > 1 else ""
        if code is not None:
            where += f" of class {cases.class_labels[code]!r}"
        counts.append((where, int((kinds == kind).sum())))
    return counts


# --- intervals of numbers -------------------------------------------------------------


def predict_intervals(
    model: "LazyEstimator",
    X: object,
    coverage: float,
    method: str,
    by: str | None,
    groups: Groups,
) -> Floats:
    """Predict intervals; see `BaseLazyRegressor.predict_interval`."""
    check_is_fitted(model)
    share = _check_coverage(coverage)
    table = model._query_table(X)
    with model.cases_.snapshot() as cases:
        _, ends = _find_ends(model, cases, table, share, method, by, groups)
    return ends[:, 0] if model._is_flat else ends


def describe_number_doubt(
    model: "LazyEstimator", cases: CaseBase, table: Table, wanted: Wanted
) -> list[dict[str, Any]]:
    """Describe the interval of each query for its receipt, if wanted."""
    if wanted.accuracy is not None:
        raise BadInputError(
            f"accuracy={wanted.accuracy!r} is for classes; for numbers give a "
            "coverage, which makes an interval."
        )
    if wanted.coverage is None:
        return [{}] * len(table)
    share, way = _check_coverage(wanted.coverage), (wanted.method, wanted.by, None)
    by, intervals = _find_ends(model, cases, table, share, *way)
    wanted = wanted._replace(by=by)
    return [describe_interval(cases, wanted, ends) for ends in intervals]


def _find_ends(
    model: "LazyEstimator",
    cases: CaseBase,
    table: Table,
    coverage: float,
    method: str,
    by: str | None,
    groups: Groups,
) -> tuple[str | None, Floats]:
    """Intervals by one state of the cases, (n_queries, n_targets, 2).

    The first of the pair is the way in which widths follow the row.
    """
    if by == AUTO and (method != "jackknife" or groups is not None):
        by = None
    _check_way(method, by, groups, INTERVAL_METHODS)
    _check_widths(by, cases)
    numbered = _find_groups(groups, cases, table)
    queries = ConformalQueries(table, numbered.queries, numbered.rows)
    _check_enough(_count_kinds(queries, cases, numbered.labels), coverage)
    learner, n_jobs = model._current_learner(cases), model.n_jobs
    if method != "jackknife":
        widest = method == "minmax"
        return by, find_left_out_intervals(
            learner, cases, queries, coverage, n_jobs, widest=widest
        )
    if by == AUTO:
        by = choose_way(learner, cases, queries, coverage, n_jobs)
    return by, find_intervals(learner, cases, queries, coverage, n_jobs, by=by)


def _check_widths(by: object, cases: CaseBase) -> None:
    """Refuse ways of widths that do not exist, or not for these targets."""
    if by not in (*WAYS, AUTO):
        expected = "'auto', None, 'nearness', 'ratio' or 'both'"
        raise BadInputError(f"by={by!r}; expected {expected}.")
    if by in ("ratio", "both") and not are_positive(cases):
        raise BadInputError(
            f"by={by!r} is for targets above 0, but some row has one of 0 or less. "
            "Give by='auto', 'nearness' or None."
        )


# --- groups and checks ----------------------------------------------------------------


def _find_groups(groups: object, cases: CaseBase, table: Table) -> Grouped:
    """Number the groups that are given or named; without any, all are one."""
    if groups is None:
        n_rows, n_queries = cases.n_rows, len(table)
        return Grouped(np.zeros(n_rows, np.int64), np.zeros(n_queries, np.int64), [""])
    if isinstance(groups, str):
        return _number_labels(*_from_column(groups, cases, table))
    if not isinstance(groups, tuple) or len(groups) != 2:
        raise BadInputError(
            f"groups={reprlib.repr(groups)}; expected the name of a column, or a "
            "pair (groups of the rows in order of arrival, groups of the queries)."
        )
    of_rows, of_queries = map(_list_labels, groups)
    _check_length("rows", of_rows, cases.n_rows)
    _check_length("queries", of_queries, len(table))
    by_place = [of_rows[i] for i in np.argsort(np.argsort(cases.arrival)).tolist()]
    return _number_labels(by_place, of_queries)


def _check_coverage(coverage: object) -> float:
    """Refuse a coverage that is not a possible share of the cases."""
    check_share("coverage", coverage)
    return float(coverage)  # type: ignore[arg-type]


def _check_way(
    method: object, by: object, groups: object, kinds: tuple[str, ...]
) -> None:
    """Refuse ways to cover that do not exist, or not together."""
    check_choice("method", method, kinds)
    if by in WAYS[1:] and (method != "jackknife" or groups is not None):
        raise BadInputError(
            f"by={by!r} with method={method!r} and groups={groups!r}; expected "
            "method='jackknife' and groups=None."
        )


def _check_enough(
    counts: Iterable[tuple[str, int]], coverage: float, times: int = 1
) -> None:
    """Refuse to promise what so few cases cannot hold."""
    needed = times * rows_needed(coverage)
    few = [(name, n) for name, n in counts if n < needed]
    if few:
        name, n = few[0]
        more = f" ({len(few) - 1} more such groups)" if len(few) > 1 else ""
        way = ", or compare with all rows (by=None, groups=None)" if name else ""
        raise BadInputError(
            f"coverage={coverage!r} needs at least {needed} rows to compare with; "
            f"there are n_samples={n}{name}{more}. Add rows or lower it{way}."
        )


def _from_column(
    name: str, cases: CaseBase, table: Table
) -> tuple[list[Hashable], list[Hashable]]:
    """The categories that cases and queries have in a column."""
    if name not in cases.names:
        raise BadInputError(
            f"groups={name!r} is not a column of the cases.{suggest(name, cases.names)}"
        )
    attribute = cases.names.index(name)
    if cases.cases.numeric[attribute] >= 0:
        raise BadInputError(
            f"groups={name!r} is a column of numbers; expected categories. Cut it into "
            "bins, or give a pair (groups of the rows, groups of the queries)."
        )
    labels = [*cases.categories(attribute), None]  # the last one: a missing cell
    codes = cases.cases.codes[attribute, : cases.n_rows].tolist()
    query_codes = cases.encode(table).codes[:, attribute].tolist()
    return [_category_label(labels, c) for c in codes], [
        _category_label(labels, c) for c in query_codes
    ]


def _category_label(labels: Sequence[Hashable], code: int) -> Hashable:
    """A category; None where the cell is missing, a word where no case has it."""
    return labels[code] if code >= -1 else "(not among the cases)"


def _list_labels(groups: object) -> list[Hashable]:
    return np.asarray(groups, object).ravel().tolist()


def _check_length(what: str, groups: Sequence[object], n: int) -> None:
    if len(groups) != n:
        raise BadInputError(
            f"groups has {len(groups)} labels for the {what}; expected one for each of "
            f"{n}."
        )


def _number_labels(of_rows: list[Hashable], of_queries: list[Hashable]) -> Grouped:
    """Number labels in the order in which they come."""
    numbers: dict[Hashable, int] = {}
    rows, queries = (
        np.array([numbers.setdefault(one, len(numbers)) for one in some], np.int64)
        for some in (of_rows, of_queries)
    )
    return Grouped(rows, queries, list(numbers))
