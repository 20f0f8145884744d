"""The groups of cases and queries within which coverage is promised."""

import reprlib
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.combine.conformal import rows_needed
from sklazy.errors import BadInputError, suggest
from sklazy.estimators.parameters import check_choice, check_share
from sklazy.tables import Table

Ints = NDArray[np.int64]
Groups = str | tuple[Any, Any] | None
"""The name of a column, or the groups of all rows and of the queries."""


class Grouped(NamedTuple):
    """Groups by number.

    Attributes
    ----------
    rows : int64 array of shape (n_rows,)
        By place in the case base.
    queries : int64 array of shape (n_queries,)
    labels : list
        What the groups are called.
    """

    rows: Ints
    queries: Ints
    labels: list[Hashable]


def find_groups(groups: object, cases: CaseBase, table: Table) -> Grouped:
    """Number the groups that are given or named; without any, all are one."""
    if groups is None:
        n_rows, n_queries = cases.n_rows, len(table)
        return Grouped(np.zeros(n_rows, np.int64), np.zeros(n_queries, np.int64), [""])
    if isinstance(groups, str):
        return _number(*_from_column(groups, cases, table))
    if not isinstance(groups, tuple) or len(groups) != 2:
        raise BadInputError(
            f"groups={reprlib.repr(groups)}; expected the name of a column, or a "
            "pair (groups of the rows in order of arrival, groups of the queries)."
        )
    of_rows, of_queries = map(_labels, groups)
    _check_length("rows", of_rows, cases.n_rows)
    _check_length("queries", of_queries, len(table))
    by_place = [of_rows[i] for i in np.argsort(np.argsort(cases.arrival)).tolist()]
    return _number(by_place, of_queries)


def check_coverage(coverage: object) -> float:
    """Refuse what is no share of cases that can be covered."""
    check_share("coverage", coverage)
    return float(coverage)  # type: ignore[arg-type]


def check_way(
    method: object, by: object, groups: object, kinds: tuple[str, ...]
) -> None:
    """Refuse ways to cover that do not exist, or not together."""
    check_choice("method", method, kinds)
    if by == "nearness" and (method != "jackknife" or groups is not None):
        raise BadInputError(
            f"by='nearness' with method={method!r} and groups={groups!r}; expected "
            "method='jackknife' and no groups. Nearness is for one or the other."
        )


def check_enough(
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
            f"groups={name!r} is no column of the cases.{suggest(name, cases.names)}"
        )
    attribute = cases.names.index(name)
    if cases.cases.numeric[attribute] >= 0:
        raise BadInputError(
            f"groups={name!r} is a column of numbers; expected categories. Cut it into "
            "bins, or give a pair (groups of the rows, groups of the queries)."
        )
    labels = [*cases.categories(attribute), None]  # the last one: a missing cell
    codes = cases.cases.codes[attribute, : cases.n_rows].tolist()
    asked = cases.encode(table).codes[:, attribute].tolist()
    return [_label(labels, c) for c in codes], [_label(labels, c) for c in asked]


def _label(labels: Sequence[Any], code: int) -> Hashable:
    """A category; None where the cell is missing, a word where no case has it."""
    found: Hashable = labels[code] if code >= -1 else "(not among the cases)"
    return found


def _labels(groups: object) -> list[Hashable]:
    return np.asarray(groups, object).ravel().tolist()


def _check_length(what: str, groups: Sequence[object], n: int) -> None:
    if len(groups) != n:
        raise BadInputError(
            f"groups has {len(groups)} labels for the {what}; expected one for each of "
            f"{n}."
        )


def _number(of_rows: list[Hashable], of_queries: list[Hashable]) -> Grouped:
    """Number labels in the order in which they come."""
    numbers: dict[Hashable, int] = {}
    rows, queries = (
        np.array([numbers.setdefault(one, len(numbers)) for one in some], np.int64)
        for some in (of_rows, of_queries)
    )
    return Grouped(rows, queries, list(numbers))
