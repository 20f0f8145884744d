"""Nearest neighbors by HEOM differences on each query's own columns, ties and all.

A first pass in float32 keeps every row that could be among the k nearest or tie with
the k-th; these are measured again in float64, in the order of the query's attributes,
so that the answer is exact and depends on nothing but the rows.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.compiling import entry, lean_kernel
from sklazy.kernels.exact import (
    RawCases,
    RawQuery,
    drop_row,
    find_kth,
    insert_sorted,
    measure_listed,
    vote_for_nearest,
    vote_for_sure,
)
from sklazy.kernels.first_pass import (
    MOST_QUERIES,
    SPARE,
    ScaledCases,
    find_candidates,
    make_candidates,
)
from sklazy.kernels.votes import weigh_distances


class KnownRows(NamedTuple):
    """Rows elsewhere that count with those of a search, for all queries.

    Attributes
    ----------
    near : float64 array of shape (n_queries, n_known, 2)
    tied : int64 array of shape (n_queries, n_classes)
    kths : float64 array of shape (n_queries,)
    """

    near: NDArray[np.float64]
    tied: NDArray[np.int64]
    kths: NDArray[np.float64]


class VoteArrays(NamedTuple):
    """The arrays that a search writes, for all queries; see `search_mixed`."""

    votes: NDArray[np.int64]
    tied: NDArray[np.int64]
    weighted: NDArray[np.float64]
    near: NDArray[np.float64]
    kths: NDArray[np.float64]


class Room(NamedTuple):
    """Space to work in, for all queries.

    Attributes
    ----------
    exact : float64 array, for as many rows as are measured
    smallest, order : float64 and int64 arrays of shape (k,)
    """

    exact: NDArray[np.float64]
    smallest: NDArray[np.float64]
    order: NDArray[np.int64]


@lean_kernel
def find_kth_of_all(known, exact, bound, smallest):
    """The k-th smallest distance of rows here and elsewhere; `smallest` has room.

    `known` lists those elsewhere that are nearer than the bound, where the k-th was.
    """
    find_kth(exact, smallest)
    last = smallest.size - 1
    for i in range(known.shape[0]):
        if known[i, 0] < smallest[last]:
            insert_sorted(smallest, known[i, 0])
    return min(smallest[last], bound)


@lean_kernel
def list_nearer(known, rows, exact, kth, classes, near):
    """Write down the rows that are nearer than the k-th, here and elsewhere."""
    n_near = 0
    for i in range(known.shape[0]):
        if known[i, 0] < kth:
            near[n_near, 0], near[n_near, 1] = known[i, 0], known[i, 1]
            n_near += 1
    for i in range(exact.size):
        if exact[i] < kth:
            near[n_near, 0], near[n_near, 1] = exact[i], classes[rows[i]]
            n_near += 1
    for i in range(n_near, near.shape[0]):
        near[i, 0], near[i, 1] = np.inf, -1.0


@lean_kernel
def count_known_ties(known, at_bound, bound, kth, tied):
    """Count the rows elsewhere that are as far as the k-th."""
    if kth == bound:
        for c in range(tied.size):
            tied[c] += at_bound[c]
    for i in range(known.shape[0]):
        if known[i, 0] == kth and known[i, 1] >= 0.0:  # kth may be infinite
            tied[np.int64(known[i, 1])] += 1


@lean_kernel
def write_votes(query, rows, exact, kth, order, classes, known, out):
    """Let the rows within the k-th distance vote; weigh and list them where wanted.

    `order` has room for k rows.
    """
    tied = out.tied[query]
    vote_for_nearest(rows, exact, kth, classes, out.votes[query], tied)
    if out.weighted.size > 0:
        weigh_distances(rows, exact, kth, order, classes, out.weighted[query])
    if out.near.size > 0:
        near, bound = known.near[query], known.kths[query]
        list_nearer(near, rows, exact, kth, classes, out.near[query])
        count_known_ties(near, known.tied[query], bound, kth, tied)
        out.kths[query] = kth


@lean_kernel
def vote_on_candidates(
    number, rows, sums, sure, limit, room, query, cases, classes, known, out
):
    """Decide one query among candidates: the second pass of `search_mixed`."""
    votes = out.votes[number]
    votes[:] = 0
    out.tied[number, :] = 0
    n_open = vote_for_sure(rows, sums, sure, limit, classes, votes)
    missing = room.order.size  # voters besides the sure ones
    for c in range(votes.size):
        missing -= votes[c]
    if n_open == 0 and out.near.size == 0:
        return
    left, exact = rows[:n_open], room.exact[:n_open]
    measure_listed(left, query, cases, exact)
    near, bound, smallest = known.near[number], known.kths[number], room.smallest
    kth = find_kth_of_all(near, exact, bound, smallest[:missing])
    write_votes(number, left, exact, kth, room.order, classes, known, out)


@entry
def search_mixed(
    columns,
    kinds,
    lows,
    widths,
    n_rows,
    case_codes,
    numeric,
    numbers,
    classes,
    codes,
    values,
    attributes,
    counts,
    excluded,
    k,
    known,
    at_bounds,
    bounds,
    first,
    last,
    votes,
    tied,
    weighted,
    near,
    kths,
):
    """Let all rows vote that are as near as the k-th nearest.

    Equal to measuring every row by `measure_row` and counting the classes of those
    within the k-th smallest sum.

    The arguments are the cases twice, for the first pass (up to `n_rows`) and as they
    are, for exact distances (up to `classes`); the queries (up to `excluded`); what is
    asked; rows elsewhere that count with these; and the arrays that are written.

    Parameters
    ----------
    columns : float32 array of shape (n_attributes, stride), stride >= n_rows
        Numbers scaled to [0, 1] by their range, or codes; NaN where missing.
    kinds : int64 array of shape (n_attributes,)
        NUMERIC, NUMERIC_MISSING or NOMINAL; a column of one number is NOMINAL, all
        zeros.
    lows, widths : float64 arrays of shape (n_attributes,)
        Smallest number and range; widths are 0 for a constant column of numbers and
        NaN for codes and for columns without any number.
    n_rows : int
    case_codes : int32 array of shape (n_attributes, capacity)
    numeric : int64 array of shape (n_attributes,)
    numbers : float64 array of shape (n_numeric, capacity)
    classes : int32 array of shape (capacity,)
    codes, values : arrays of shape (n_queries, n_attributes), int32 and float64
    attributes : int32 array of shape (n_queries, n_most)
    counts : int32 array of shape (n_queries,)
    excluded : int64 array of shape (n_queries,)
    k : int, at most the number of rows
    known : float64 array of shape (n_queries, n_known, 2)
        The `near` of the rows elsewhere; n_known is 0 where all rows are here.
    at_bounds : int64 array of shape (n_queries, n_classes)
        Their `tied`.
    bounds : float64 array of shape (n_queries,)
        Their `kths`: rows farther than that need not be looked at.
        Infinite where all rows are here.
    first, last : int
    votes, tied : int64 arrays of shape (n_queries, n_classes), written
    weighted : float64 array of shape (n_queries, n_classes + 1), written; or empty
        As in `match_nominal`.
    near : float64 array of shape (n_queries, k, 2), written; or empty
        Squared distances and classes of the rows nearer than the k-th, here and
        elsewhere, in any order; what is left over is infinite, with the class -1.
    kths : float64 array of shape (n_queries,), written where `near` is
        The squared distance of the k-th of all.

    Notes
    -----
    *First pass.* `find_candidates`, for up to `MOST_QUERIES` queries together, keeps
    the rows that may be among the nearest, by distances in float32.

    *Second pass.* Candidates far below the k-th sum are *sure* to be among the nearest
    and vote. The others that are still within the limit are measured by `measure_row`,
    in float64 and in the order of the query's attributes, and the nearest of them take
    the places that are left, with all that tie.

    *Why it is exact.* An error bound of float32 sums follows from the size of the
    numbers and the number of columns (`plan_query`, `rounding`). By it, a row beyond
    the limit is farther than the k-th nearest and a sure one nearer, whatever was
    rounded; everything in between is decided by exact distances, which depend on
    neither blocks nor the order of rows. Where candidates overflow by
    ties, all rows are measured.
    """
    cases = RawCases(case_codes, numeric, numbers, widths)
    elsewhere = KnownRows(known, at_bounds, bounds)
    out = VoteArrays(votes, tied, weighted, near, kths)
    room = Room(np.empty(k + SPARE), np.empty(k), np.empty(k, np.int64))
    candidates = make_candidates(last - first, k)
    for begin in range(first, last, MOST_QUERIES):
        end = min(last, begin + MOST_QUERIES)
        find_candidates(
            ScaledCases(columns, kinds, lows, widths, n_rows),
            codes[begin:end],
            values[begin:end],
            attributes[begin:end],
            counts[begin:end],
            excluded[begin:end],
            k,
            known[begin:end],
            bounds[begin:end],
            candidates,
        )
        for number in range(begin, end):
            q = number - begin
            used = attributes[number, : counts[number]]
            query = RawQuery(codes[number], values[number], used)
            n_candidates, query_room = candidates.counts[q], room
            rows, sums = candidates.rows[q], candidates.sums[q]
            sure, limit = candidates.sure[q], candidates.limits[q]
            if n_candidates < 0:  # ties in such numbers that every row is measured
                rows = drop_row(np.arange(n_rows), excluded[number])
                sums = np.zeros(rows.size, np.float32)
                sure, n_candidates = np.float32(0.0), rows.size
                query_room = Room(np.empty(rows.size), room.smallest, room.order)
            if weighted.size > 0 or near.size > 0:
                sure = np.float32(0.0)  # all have a distance that counts
            vote_on_candidates(
                number,
                rows[:n_candidates],
                sums,
                sure,
                limit,
                query_room,
                query,
                cases,
                classes,
                elsewhere,
                out,
            )
