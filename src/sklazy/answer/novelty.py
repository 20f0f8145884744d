"""How far queries are from all cases, beside how far cases are from each other.

The distance is HEOM on all attributes that the query knows, whatever the learner
measures, so that every learner means the same by it. A query is put beside cases that
were left out: if it is farther from its nearest case than nearly all of them are from
theirs, it is unlike all that the cases have shown.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.batch import batch_of_cases
from sklazy.casebase import CaseBase
from sklazy.casebase.columns import label_codes, ranges_of
from sklazy.casebase.rows import CodedRows, Ids
from sklazy.flow import MISSING, Cases, Queries, Selected
from sklazy.kernels.closest import find_closest
from sklazy.kernels.exact import measure_rows
from sklazy.measures.novelty import find_unlike
from sklazy.neighbors import NominalSearch, count_agreements

Floats = NDArray[np.float64]

_FEWEST_COMPARED = 256  # cases, however many there are
_MOST_FOLLOWED = 64  # rows of a change; with more, cases are compared anew
_MOST_CELLS = 200_000_000  # looked at to compare more of them: half a second, once


class Novelty(NamedTuple):
    """How new queries are.

    Attributes
    ----------
    distances : float64 array of shape (n_queries,)
        To the nearest case.
    shares : float64 array of shape (n_queries,)
        The share of the compared cases that are nearer to another case than the query
        is to any; NaN if there is no second case.
    unlike : bool array of shape (n_queries,)
        Whether they are unlike all cases.
    n_compared : int
    """

    distances: Floats
    shares: Floats
    unlike: NDArray[np.bool_]
    n_compared: int


def find_novelty(base: CaseBase, queries: Queries) -> Novelty:
    """Put queries beside cases, each of which is left out.

    All cases are compared, or as many as take half a second, evenly spaced in canonical
    order: they follow from the cases alone, not from the order in which they came.
    """
    known = base.derive(find_novelty, lambda: np.sort(_distances_of_cases(base)))
    distances = _nearest(base, queries, np.full(len(queries.codes), -1))
    if not len(known):
        nothing = np.full(len(distances), np.nan)
        return Novelty(distances, nothing, np.zeros(len(distances), bool), 0)
    shares = np.searchsorted(known, distances) / len(known)
    return Novelty(distances, shares, find_unlike(distances, shares, known), len(known))


def _distances_of_cases(base: CaseBase) -> Floats:
    """The distances of cases to their nearest other case; none of a single one."""
    if base.n_rows < 2:
        return np.zeros(0)
    affordable = _MOST_CELLS // (base.n_rows * len(base.names))
    n_compared = min(base.n_rows, max(_FEWEST_COMPARED, affordable))
    places = np.arange(n_compared) * base.n_rows // n_compared
    rows = base.order[places]
    queries = batch_of_cases(base, rows).queries
    if base.is_parted or (base.cases.numeric < 0).all():
        return _nearest(base, queries, rows)
    return _to_distances(base, queries, _follow_squares(base, queries, rows))


@dataclass
class FollowedSquares:
    """Compared cases, and how near another one is; they follow the rows.

    Attributes
    ----------
    ids : array of shape (n_compared,)
    numeric : int64 array of shape (n_attributes,)
        The place of an attribute among the numbers, -1 for labels.
    codes, values : arrays of shape (n_compared, n_attributes)
    widths : float64 array of shape (n_attributes,)
    squares : float64 array of shape (n_compared,)
    """

    ids: Ids
    numeric: NDArray[np.int64]
    codes: NDArray[np.int32]
    values: Floats
    widths: Floats
    squares: Floats

    def follow(self, rows: CodedRows, step: int) -> bool:
        """Have cases that a row came to be near to it; drop those it was near to."""
        if len(rows) > _MOST_FOLLOWED:
            return False
        for row in range(len(rows)):
            squares = self._measure(rows, row)
            if step > 0:
                self.squares = np.minimum(self.squares, squares)
                continue
            stays = (squares > self.squares) & (self.ids != rows.ids[row : row + 1])
            for name in ("ids", "codes", "values", "squares"):
                setattr(self, name, getattr(self, name)[stays])
        return len(self.ids) > 0

    def _measure(self, rows: CodedRows, row: int) -> Floats:
        """Measure a row as kernels do, to the last digit."""
        numbers = np.append(rows.numbers[:, row], np.nan)[self.numeric]
        same = (self.codes >= 0) & (self.codes == rows.codes[:, row])
        with np.errstate(all="ignore"):
            scaled = (numbers - self.values) / self.widths
            scaled = np.where(np.isnan(scaled), 1.0, scaled)
            level = np.where(numbers == self.values, 0.0, 1.0)
            apart = np.where(self.widths > 0, scaled, level)
            apart = np.where(self.numeric < 0, np.where(same, 0.0, 1.0), apart)
            return np.asarray((apart * apart).cumsum(axis=1)[:, -1])

    def take_over(self, ids: Ids, widths: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """The squares of cases, and which of them are known."""
        found = np.zeros(len(ids))
        if not np.array_equal(widths, self.widths, equal_nan=True):
            return found, np.zeros(len(ids), bool)
        places = {name: i for i, name in enumerate(self.ids.tolist())}
        were = np.array([places.get(name, -1) for name in ids.tolist()], np.int64)
        return np.where(were >= 0, self.squares[were], 0.0), were >= 0


def _follow_squares(
    base: CaseBase, queries: Queries, rows: NDArray[np.int64]
) -> Floats:
    """The squared distances of cases to another one, those known taken as they are."""
    before, key = base.find_follower(FollowedSquares), FollowedSquares
    ids, widths = base.rows.ids_at(rows), _raw_cases(base.cases)[3]
    squares, known = np.zeros(len(ids)), np.zeros(len(ids), bool)
    if isinstance(before, FollowedSquares):
        squares, known = before.take_over(ids, widths)
    new, (codes, values) = np.flatnonzero(~known), queries
    if len(new):
        some = Queries(codes[new], values[new])
        squares[new] = base.ask(_nearest_in, some, rows[new])[0]
    numeric = base.cases.numeric
    base.let_follow(key, FollowedSquares(ids, numeric, codes, values, widths, squares))
    return squares


def _nearest(base: CaseBase, queries: Queries, excluded: NDArray[np.integer]) -> Floats:
    """The distance of each query to its nearest case, the excluded one (-1) aside."""
    squares: Floats = np.min(base.ask(_nearest_in, queries, excluded), axis=0)
    return _to_distances(base, queries, squares)


def _to_distances(base: CaseBase, queries: Queries, squares: Floats) -> Floats:
    """Distances on the attributes that queries know."""
    numeric = base.cases.numeric >= 0
    lacking = np.where(numeric, np.isnan(queries.values), queries.codes == MISSING)
    # A cell that a query lacks differs by 1 from that of any case.
    return np.sqrt(np.maximum(squares - lacking.sum(axis=1), 0.0))


def _nearest_in(
    part: CaseBase, queries: Queries, excluded: NDArray[np.integer]
) -> Floats:
    """The squared distance of each query to the nearest case of a part."""
    rows = np.where(excluded >= 0, excluded - part.first_row, -1)
    closest = np.full(len(rows), np.inf)
    has_numbers, has_classes = (part.cases.numeric >= 0).any(), part.class_labels
    if len(rows) > 1 and has_classes and not has_numbers:
        return _nearest_by_labels(part.cases, queries.codes, rows)
    if len(rows) > 1 and has_numbers:  # labels may stay in their bit sets
        codes, values = map(np.ascontiguousarray, queries)
        find_closest(part.n_rows, codes, values, rows, *_raw_cases(part.cases), closest)
        return closest
    for i, row in enumerate(rows.tolist()):
        squares = measure_all(part, queries, i)
        if 0 <= row < part.n_rows:
            squares[row] = np.inf
        closest[i] = squares.min(initial=np.inf)
    return closest


def _nearest_by_labels(
    cases: Cases, codes: NDArray[np.int32], excluded: NDArray[np.int64]
) -> Floats:
    """The number of labels in which the nearest case differs; inf without a case."""
    n_queries, n_attributes = codes.shape
    if not cases.n_rows:
        return np.full(n_queries, np.inf)
    attributes = np.tile(np.arange(n_attributes, dtype=np.int32), (n_queries, 1))
    selected = Selected(attributes, np.full(n_queries, n_attributes, np.int32))
    others = np.where(excluded < cases.n_rows, np.maximum(excluded, -1), -1)
    search = NominalSearch(cases, np.ascontiguousarray(codes), selected, 1, others)
    search.run(0, n_queries)
    is_near = search.votes.any(axis=1)
    return np.where(is_near, n_attributes - search.thresholds, np.inf)


def measure_all(base: CaseBase, queries: Queries, query: int) -> Floats:
    """The squared HEOM distances of all cases, on all attributes."""
    cases = base.cases
    every = np.arange(len(cases.numeric))
    if (cases.numeric < 0).all():  # so that labels may stay in their bit sets
        agreements = count_agreements(cases, queries.codes[query], every)
        return (len(every) - agreements).astype(np.float64)
    squares: Floats = measure_rows(
        cases.n_rows,
        queries.codes[query],
        queries.values[query],
        every.astype(np.int32),
        *_raw_cases(cases),
    )
    return squares


def _raw_cases(cases: Cases) -> tuple[NDArray[Any], ...]:
    """Codes, places of numbers, numbers and ranges, as kernels take them."""
    lows, highs = ranges_of(cases, np.arange(len(cases.numeric)))
    with np.errstate(over="ignore"):
        widths = highs - lows
    return label_codes(cases), cases.numeric, cases.numbers, widths
