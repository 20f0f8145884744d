"""The ranges of numbers, and what they are without one of the rows."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.casebase.rows import CodedRows
from sklazy.flow import Cases


class Edges(NamedTuple):
    """The two smallest and largest numbers of each column, (n_numeric, 2) each."""

    lows: NDArray[np.float64]
    highs: NDArray[np.float64]


@dataclass
class FollowedEdges:
    """Edges that follow the rows, until one of these numbers goes."""

    edges: Edges

    def follow(self, rows: CodedRows, step: int) -> bool:
        """Take in numbers that came; whether none of the edges went."""
        lows, highs = self.edges
        if step < 0:
            is_touched = (rows.numbers <= lows[:, 1:]) | (rows.numbers >= highs[:, 1:])
            few = np.isnan(lows[:, 1:]) & ~np.isnan(rows.numbers)
            return not (is_touched | few).any()
        lows = np.sort(np.concatenate([lows, rows.numbers], axis=1), axis=1)
        highs = -np.sort(-np.concatenate([highs, rows.numbers], axis=1), axis=1)
        self.edges = Edges(lows[:, :2], highs[:, :2])
        return True


def edges_of(base: CaseBase) -> Edges:
    """The edges of the cases, which follow the rows."""
    return base.derive(edges_of, lambda: _edges_of(base))


def _edges_of(base: CaseBase) -> Edges:
    followed = base.find_follower(edges_of)
    if isinstance(followed, FollowedEdges):
        return followed.edges
    edges = find_edges(base.cases)
    base.let_follow(edges_of, FollowedEdges(edges))
    return edges


def find_edges(cases: Cases) -> Edges:
    """Find the two least and two largest numbers: the ranges without any one row."""
    columns = cases.numeric[cases.numeric >= 0]
    numbers = cases.numbers[columns, : cases.n_rows]
    return Edges(find_two(numbers, np.fmin), find_two(numbers, np.fmax))


def widths_without(
    cases: Cases,
    widths: NDArray[np.float64],
    edges: Edges,
    excluded: NDArray[np.int64],
) -> dict[int, NDArray[np.float64]]:
    """Return the ranges of queries whose excluded row lies alone at an edge.

    Parameters
    ----------
    cases : Cases
    widths : float64 array of shape (n_attributes,)
        The ranges of all rows, as in `ScaledColumns`.
    edges : Edges
    excluded : int64 array of shape (n_queries,)
        -1 for none.
    """
    numeric, queries = np.flatnonzero(cases.numeric >= 0), np.flatnonzero(excluded >= 0)
    every = cases.numbers[cases.numeric[numeric][:, None], excluded[queries]]
    at_edge = (every == edges.lows[:, :1]) | (every == edges.highs[:, :1])
    few = np.flatnonzero(at_edge.any(axis=0))
    at, queries = every[:, few].T, queries[few]
    low = np.where(at == edges.lows[:, 0], edges.lows[:, 1], edges.lows[:, 0])
    high = np.where(at == edges.highs[:, 0], edges.highs[:, 1], edges.highs[:, 0])
    left, shared = high - low, widths[numeric]
    same = (left == shared) | (np.isnan(left) & np.isnan(shared))
    own = {}
    for i in np.flatnonzero(~same.all(axis=1)).tolist():
        own[int(queries[i])] = widths.copy()
        own[int(queries[i])][numeric] = left[i]
    return own


def find_two(numbers: NDArray[np.float64], nearer: np.ufunc) -> NDArray[np.float64]:
    """Find the two outermost numbers of each row, NaN where there are fewer.

    `nearer` is `np.fmin` for the smallest and `np.fmax` for the largest.

    Examples
    --------
    >>> find_two(np.array([[3.0, np.nan, 1.0], [np.nan, 7.0, np.nan]]), np.fmin)
    array([[ 1.,  3.],
           [ 7., nan]])
    """
    outermost = np.full((len(numbers), 2), np.nan)
    for row, two in zip(numbers, outermost, strict=True):
        two[0] = nearer.reduce(row, initial=np.nan)
        place = int((row == two[0]).argmax()) if len(row) else 0
        rest = row[:place], row[place + 1 :]
        two[1] = nearer(*(nearer.reduce(part, initial=np.nan) for part in rest))
    return outermost
