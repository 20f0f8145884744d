"""Near rows of left-out cases, listed by sets of attributes, that follow the rows.

A case that is left out is classified with its first attribute, its first two, and so
on. Every such set has a list of the rows nearest to the case, more than vote. A row
that comes or goes enters or leaves lists; votes are found anew from a list, and all
rows are looked at only where a set is new or too few of its list are left.

Votes are those of `vote_nested_mixed`, digit for digit: rows of a list are measured in
the order of the attributes. In another order of the same attributes distances differ
by rounding; votes stay where no two distances are so close that this could matter, and
scores where they are not on an edge between two units.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.kernels.compiling import entry, lean_kernel
from sklazy.kernels.exact import (
    RawCases,
    RawQuery,
    add_attribute,
    find_kth,
    measure_cell,
)
from sklazy.kernels.nesting import (
    begin_sums,
    find_bound,
    find_last,
    gather_near,
    narrow_near,
)
from sklazy.kernels.ties import TIE
from sklazy.kernels.votes import distance_weight, share_votes

UNITS = 2.0**20
"""The score of a case is rounded to a multiple of one over this."""

OUTDATED, LOOSE, UNSURE, STALE = 1, 2, 4, 8
"""Votes to be found anew; votes, or scores, that hold for one order only; distances
that hold no more."""

_ROUNDING = 1e-9  # more than the order of additions moves a sum, as a share of it
_EDGE = 1e-4  # more than it moves a score, in units
_CLOSE = 1e-12  # more than it moves a vote
_TINY = 1e-250  # squares below it may have lost digits


class NearLists(NamedTuple):
    """Lists of near rows, some for each case; arrays begin (n_cases, n_lists).

    Attributes
    ----------
    keys : uint64 array
        The sum of the keys of the attributes, 0 where there is no list.
    sizes : int32 array
        How many attributes there are.
    orders : int16 array of shape (..., n_most)
        The attributes, in the order that distances were added up in.
    counts : int32 array
        How many rows are listed; -1 where too many are as near.
    rows : int32 array of shape (..., n_listed)
    squares : float64 array of shape (..., n_listed)
        Their squared distances, near to far, added up in the order of `orders`.
    bounds : float64 array
        All rows nearer than this squared distance are listed.
    spans : float64 array
        Rows farther than this change nothing.
    reach : float64 array
        The squared distance of the last row that votes.
    marks : uint8 array
    votes : float64 array of shape (..., n_ks, n_classes)
    units : int64 array of shape (..., n_ks)
        The scores of the votes.
    stamps : int32 array
        The number of the question that last read the list.
    chain : int16 array of shape (n_cases, n_most)
        The lists in use, by number of attributes.
    """

    keys: NDArray[np.uint64]
    sizes: NDArray[np.int32]
    orders: NDArray[np.int16]
    counts: NDArray[np.int32]
    rows: NDArray[np.int32]
    squares: NDArray[np.float64]
    bounds: NDArray[np.float64]
    spans: NDArray[np.float64]
    reach: NDArray[np.float64]
    marks: NDArray[np.uint8]
    votes: NDArray[np.float64]
    units: NDArray[np.int64]
    stamps: NDArray[np.int32]
    chain: NDArray[np.int16]


class Scoring(NamedTuple):
    """How cases vote and are scored.

    Attributes
    ----------
    ks : int64 array of shape (n_ks,)
    shares, by_distance : bool
        See `share_votes`.
    n_others : int
        Rows besides the case.
    ties : int64 array of shape (n_classes, n_classes)
        The classes in the order in which they win ties, by the class of the case.
    """

    ks: NDArray[np.int64]
    shares: bool
    by_distance: bool
    n_others: int
    ties: NDArray[np.int64]


class Room(NamedTuple):
    """Space to work in."""

    sums: NDArray[np.float64]
    near_rows: NDArray[np.int64]
    near_sums: NDArray[np.float64]
    spare: NDArray[np.float64]
    smallest: NDArray[np.float64]
    weights: NDArray[np.float64]
    tied: NDArray[np.int64]
    weighted: NDArray[np.float64]
    scores: NDArray[np.float64]


# --- rows that come and go ------------------------------------------------------------


@lean_kernel
def _note_distance(lists, case, i, terms, slot, step):
    """Put a row into a list, or take it out."""
    square, span = 0.0, lists.spans[case, i] * (1.0 + _ROUNDING)
    for place in range(lists.sizes[case, i]):
        square += terms[lists.orders[case, i, place]]
        if square > span:
            return
    if square <= lists.reach[case, i] * (1.0 + _ROUNDING):
        lists.marks[case, i] |= OUTDATED
    if step < 0:
        _take_out(lists, case, i, slot)
    elif square <= lists.bounds[case, i] * (1.0 + _ROUNDING):
        _put_in(lists, case, i, slot, square)


@lean_kernel
def _take_out(lists, case, i, slot):
    """Take a row out of a list, if it is there."""
    rows, squares = lists.rows[case, i], lists.squares[case, i]
    n_listed, n_kept = np.int64(lists.counts[case, i]), 0
    for place in range(n_listed):
        rows[n_kept], squares[n_kept] = rows[place], squares[place]
        n_kept += rows[place] != slot
    if n_kept < n_listed:
        rows[n_kept], squares[n_kept] = 0, 0.0
        lists.counts[case, i] = n_kept


@lean_kernel
def _put_in(lists, case, i, slot, square):
    """Put a row into a list; the farthest goes where there is no room."""
    rows, squares = lists.rows[case, i], lists.squares[case, i]
    place = np.int64(lists.counts[case, i])
    if place < 0:
        return
    if place == rows.size:
        if (lists.marks[case, i] & STALE) != 0:
            lists.counts[case, i] = -1
            return
        place -= 1
        last = max(squares[place], square) * (1.0 - _ROUNDING)
        lists.bounds[case, i] = min(lists.bounds[case, i], last)
        if square >= squares[place]:
            return
    else:
        lists.counts[case, i] += 1
    while place > 0 and squares[place - 1] > square:
        rows[place], squares[place] = rows[place - 1], squares[place - 1]
        place -= 1
    rows[place], squares[place] = slot, square


@entry
def note_row(
    slot,
    step,
    codes,
    numbers,
    numeric,
    now,
    used,
    case_codes,
    case_values,
    widths,
    latest,
    keys,
    sizes,
    orders,
    counts,
    rows,
    squares,
    bounds,
    spans,
    reach,
    marks,
    votes,
    units,
    stamps,
    chain,
):
    """Have all lists follow one row that came or went.

    Parameters
    ----------
    slot : int
        The number that lists know the row by.
    step : int
        1 for a row that came, -1 for one that went.
    codes, numbers : int32 and float64 arrays of shape (n_attributes,), (n_numeric,)
        The row.
    numeric : int64 array of shape (n_attributes,)
        As in `search_mixed`.
    now : int
        The number of the last question.
    used : bool array of shape (n_cases,)
        Which cases there are.
    case_codes, case_values, widths : arrays of shape (n_cases, n_attributes)
        The cases, and the ranges that each sees.
    latest : int16 array of shape (n_cases, n_most)
        The order of each case's attributes.
    keys, ..., chain
        See `NearLists`; written.
    """
    lists = NearLists(
        keys,
        sizes,
        orders,
        counts,
        rows,
        squares,
        bounds,
        spans,
        reach,
        marks,
        votes,
        units,
        stamps,
        chain,
    )
    terms = np.empty(numeric.size)
    labels = codes.reshape((codes.size, 1))
    columns = numbers.reshape((numbers.size, 1))
    for case in range(used.size):
        if not used[case]:
            continue
        cases = RawCases(labels, numeric, columns, widths[case])
        query = RawQuery(case_codes[case], case_values[case], latest[case])
        for j in range(numeric.size):
            difference = measure_cell(0, j, query, cases)
            terms[j] = difference * difference
        total = 0.0
        for r in range(latest.shape[1]):
            total += terms[latest[case, r]]
            i = chain[case, r]
            if total <= spans[case, i] * (1.0 + _ROUNDING):
                _note_distance(lists, case, i, terms, slot, step)
        for i in range(sizes.shape[1]):
            if sizes[case, i] > 0 and stamps[case, i] != now:
                _note_distance(lists, case, i, terms, slot, step)


# --- votes and scores of a list -------------------------------------------------------


@lean_kernel
def _copy_order(order, to):
    """Copy the first of a row's numbers, without a copy between."""
    for place in range(order.size):
        to[place] = order[place]


@lean_kernel
def _sort_near(near_rows, near_sums, n_near):
    """Put rows in the order of their distances; most are in it already."""
    for i in range(1, n_near):
        row, square, place = near_rows[i], near_sums[i], i
        while place > 0 and near_sums[place - 1] > square:
            near_rows[place] = near_rows[place - 1]
            near_sums[place] = near_sums[place - 1]
            place -= 1
        near_rows[place], near_sums[place] = row, square


@lean_kernel
def _weigh_sorted(squares, n_near, weights):
    """Write the weights of the nearest of rows that are in order."""
    for i in range(min(n_near, weights.size)):
        weights[i] = distance_weight(squares[0], squares[i])


@lean_kernel
def _vote_sorted(n_near, k, classes, scoring, room, votes):
    """Write the votes of the k nearest of rows that are in order, and weighed."""
    rows, squares, weighted = room.near_rows, room.near_sums, room.weighted
    kth = squares[k - 1] if k <= n_near else np.inf
    votes[:] = 0.0
    room.tied[:] = 0
    weighted[:] = 0.0
    n_nearer = 0
    while n_nearer < n_near and squares[n_nearer] < kth:
        votes[classes[rows[n_nearer]]] += 1.0
        n_nearer += 1
    for i in range(n_nearer, n_near):
        if squares[i] > kth:
            break
        room.tied[classes[rows[i]]] += 1
    if scoring.by_distance:
        for i in range(n_nearer):
            weighted[classes[rows[i]]] += room.weights[i]
        nearest = squares[0] if n_nearer > 0 else kth
        weighted[weighted.size - 1] = distance_weight(nearest, kth)
    share_votes(room.tied, weighted, k, scoring.shares, votes)


@lean_kernel
def _are_apart(squares, n_near, k):
    """Whether the nearest rows, and the next, keep their order if sums are rounded."""
    for i in range(min(n_near - 1, k)):
        after = squares[i + 1]
        if after > 0.0 and after - squares[i] <= _ROUNDING * after:
            return False
    return True


@lean_kernel
def _judge(votes, own, scoring, scores):
    """Return the score of votes in units, and how far it is from an edge.

    1 if they are right, less half the Brier score; see `score_votes`.
    """
    n_classes, share = votes.size, 1.0 / max(scoring.n_others, 1)
    total = 0.0
    for c in range(n_classes):
        scores[c] = votes[c] + share
        total += scores[c]
    squares = 0.0
    for c in range(n_classes):
        scores[c] /= total
        squares += scores[c] * scores[c]
    best = votes[0]
    for c in range(1, n_classes):
        best = votes[c] if votes[c] > best else best
    least = best - TIE * max(1.0, abs(best))
    order, place, is_clear = scoring.ties[own], 0, True
    for c in range(n_classes):
        is_clear &= abs(votes[c] - least) > _CLOSE
    while place < n_classes - 1 and votes[order[place]] < least:
        place += 1
    right = 1.0 if order[place] == own else 0.0
    brier = 1.0 - 2.0 * scores[own] + squares
    score = (right - 0.5 * brier) * UNITS
    edge = abs(score - np.floor(score) - 0.5)
    return np.int64(np.rint(score)), edge if is_clear else 0.0


@lean_kernel
def _score_list(lists, case, i, own, scoring, room):
    """Score the votes of a list, and mark whether these scores are sure."""
    lists.marks[case, i] &= ~np.uint8(UNSURE)
    for k in range(scoring.ks.size):
        votes = lists.votes[case, i, k]
        lists.units[case, i, k], edge = _judge(votes, own, scoring, room.scores)
        if not edge > _EDGE:
            lists.marks[case, i] |= UNSURE


@lean_kernel
def _vote_list(lists, case, i, n_near, own, numeric, classes, scoring, room):
    """Find and score the votes of rows in `room`, which are in order."""
    squares, largest = room.near_sums, room.weights.size
    _weigh_sorted(squares, n_near, room.weights)
    for k in range(scoring.ks.size):
        votes = lists.votes[case, i, k]
        _vote_sorted(n_near, scoring.ks[k], classes, scoring, room, votes)
    lists.reach[case, i] = squares[largest - 1] if largest <= n_near else np.inf
    has_numbers = False
    for place in range(lists.sizes[case, i]):
        has_numbers |= numeric[lists.orders[case, i, place]] >= 0
    is_whole = lists.counts[case, i] >= 0
    lists.marks[case, i] = 0
    if has_numbers and not (is_whole and _are_apart(squares, n_near, largest)):
        lists.marks[case, i] = LOOSE
    _score_list(lists, case, i, own, scoring, room)


# --- lists ----------------------------------------------------------------------------


@lean_kernel
def _read_list(lists, case, i, places, room):
    """Take the rows of a list with the distances that are known; how many are there.

    -1 where these hold no more, or too few are left.
    """
    n_listed = np.int64(lists.counts[case, i])
    if (lists.marks[case, i] & STALE) != 0:
        return np.int64(-1)
    for place in range(n_listed):
        room.near_rows[place] = places[lists.rows[case, i, place]]
        room.near_sums[place] = lists.squares[case, i, place]
    return _count_sure(lists, case, i, n_listed, room)


@lean_kernel
def _add_listed(rows, sums, n_rows, attribute, query, cases):
    """Add the squared differences of some rows in one attribute; as `measure_row`."""
    column = cases.numeric[attribute]
    if column < 0:
        code, labels = query.codes[attribute], cases.codes[attribute]
        for i in range(n_rows):
            same = (labels[rows[i]] == code) & (code >= 0)
            sums[i] += 0.0 if same else 1.0
        return
    value, width = query.values[attribute], cases.widths[attribute]
    cells = cases.numbers[column]
    if width > 0.0:
        for i in range(n_rows):
            scaled = (cells[rows[i]] - value) / width
            difference = 1.0 if np.isnan(scaled) else scaled
            sums[i] += difference * difference
        return
    for i in range(n_rows):
        sums[i] += 0.0 if cells[rows[i]] == value else 1.0


@lean_kernel
def _measure_list(lists, case, i, query, cases, places, room):
    """Measure the rows of a list anew; how many, or -1 where too few are left."""
    n_listed = np.int64(lists.counts[case, i])
    for place in range(n_listed):
        room.near_rows[place] = places[lists.rows[case, i, place]]
        room.near_sums[place] = 0.0
    for attribute in query.attributes:
        _add_listed(room.near_rows, room.near_sums, n_listed, attribute, query, cases)
    _sort_near(room.near_rows, room.near_sums, n_listed)
    return _count_sure(lists, case, i, n_listed, room)


@lean_kernel
def _count_sure(lists, case, i, n_listed, room):
    """Return the number of rows if all that vote are among them, else -1."""
    bound, largest = lists.bounds[case, i], room.weights.size
    if n_listed < 0 or bound == np.inf:
        return n_listed
    if n_listed < largest:
        return np.int64(-1)
    is_sure = room.near_sums[largest - 1] < bound * (1.0 - _ROUNDING)
    return n_listed if is_sure else np.int64(-1)


@lean_kernel
def _write_list(lists, case, i, n_near, order, slots, room):
    """Keep the rows in `room`, near to far, measured in an order."""
    _copy_order(order, lists.orders[case, i])
    rows, squares = lists.rows[case, i], lists.squares[case, i]
    n_kept = n_near if lists.counts[case, i] >= 0 else 0
    for place in range(rows.size):
        is_kept = place < n_kept
        rows[place] = slots[room.near_rows[place]] if is_kept else 0
        squares[place] = room.near_sums[place] if is_kept else 0.0
    span = 0.0
    if n_near > 0:
        span = room.near_sums[n_near - 1]
    if lists.counts[case, i] >= 0:
        span = max(span, lists.bounds[case, i])
    lists.spans[case, i] = span if room.weights.size <= n_near else np.inf


@lean_kernel
def _add_attributes(n_added, excluded, query, cases, sums):
    """Add the squared differences in attributes that are not added yet."""
    if n_added == 0:
        begin_sums(sums, excluded)
    for place in range(n_added, query.attributes.size):
        add_attribute(sums, query.attributes[place], query, cases)
    return query.attributes.size


@lean_kernel
def _list_before(lists, case, r, places, room):
    """Take the rows that are near with one attribute less; how many are known."""
    if r == 0:
        return 0
    before = np.int64(lists.chain[case, r - 1])
    n_known = max(np.int64(0), np.int64(lists.counts[case, before]))
    for place in range(n_known):
        room.near_rows[place] = places[lists.rows[case, before, place]]
    return n_known


@lean_kernel
def _make_list(lists, case, i, n_near, excluded, n_wanted, largest, room):
    """Find the nearest rows among all by their sums; returns how many.

    `room` begins with `n_near` rows that are near, if any are known.
    """
    if n_near < n_wanted:
        limit = find_kth(room.sums, room.smallest[:n_wanted])
    else:
        limit = find_bound(room.sums, room.near_rows, room.near_sums, n_near, n_wanted)
    rows, squares = room.near_rows, room.near_sums
    n_near = gather_near(room.sums, limit, excluded, rows, squares)
    bound = find_last(squares, room.spare, n_near, n_wanted)
    n_near = narrow_near(bound, rows, squares, n_near)
    lists.counts[case, i], lists.bounds[case, i] = n_near, bound
    if n_near > lists.rows.shape[2] or bound < _TINY:
        lists.counts[case, i] = -1
        last = find_last(squares, room.spare, n_near, largest)
        n_near = narrow_near(last, rows, squares, n_near)
    _sort_near(rows, squares, n_near)
    return np.int64(n_near)


@lean_kernel
def _adapt_widths(lists, case, before, widths, changed):
    """Follow ranges that are others now: distances shrink by a known factor at most."""
    n_changed, shrinks = 0, 1.0
    for j in range(widths.size):
        was, now = before[j], widths[j]
        changed[j] = not (was == now or (was != was and now != now))
        if changed[j]:
            n_changed += 1
            is_finite = 0.0 < was < np.inf and 0.0 < now < np.inf
            ratio = was / now if is_finite else 0.0
            shrinks = min(shrinks, ratio * ratio)
        before[j] = now
    if n_changed == 0:
        return
    for i in range(lists.keys.shape[1]):
        for place in range(lists.sizes[case, i]):
            if changed[lists.orders[case, i, place]]:
                lists.marks[case, i] |= OUTDATED | STALE
                lists.bounds[case, i] *= shrinks
                lists.spans[case, i] = np.inf
                if not shrinks > 1e-3:
                    lists.counts[case, i] = -1
                break


@lean_kernel
def _link_chain(lists, case, order, attribute_keys, now):
    """Find the lists of all first attributes of an order; -1 where there is none."""
    key = np.uint64(0)
    for r in range(order.size):
        key += attribute_keys[order[r]]
        i = np.int64(lists.chain[case, r])
        if lists.keys[case, i] != key:
            i = np.int64(-1)
            for other in range(lists.keys.shape[1]):
                if lists.keys[case, other] == key:
                    i = other
                    break
        lists.chain[case, r] = i
        if i >= 0:
            lists.stamps[case, i] = now


@lean_kernel
def _open_list(lists, case, r, key, now):
    """Return the number of the list in use, or of the one not in use for longest."""
    oldest = np.int64(lists.chain[case, r])
    if oldest >= 0:
        return oldest
    oldest = np.int64(0)
    for i in range(lists.keys.shape[1]):
        if lists.keys[case, i] == 0:
            oldest = i
            break
        if lists.stamps[case, i] < lists.stamps[case, oldest]:
            oldest = i
    lists.keys[case, oldest], lists.sizes[case, oldest] = key, r + 1
    lists.counts[case, oldest], lists.marks[case, oldest] = -1, OUTDATED
    lists.stamps[case, oldest], lists.chain[case, r] = now, oldest
    return oldest


@lean_kernel
def _is_moved(order, before):
    """Whether attributes stand in another order."""
    n_moved = 0
    for place in range(order.size):
        n_moved += order[place] != before[place]
    return n_moved > 0


@lean_kernel
def _is_outdated(lists, case, i, own, order, is_rejudged, scoring, room):
    """Whether votes are to be found anew; if not, their scores are those of now."""
    marks = lists.marks[case, i]
    if (marks & OUTDATED) != 0:
        return True
    if marks == 0 and not is_rejudged:
        return False
    is_moved = _is_moved(order, lists.orders[case, i])
    if is_moved and (marks & LOOSE) != 0:
        return True
    if is_rejudged:
        _score_list(lists, case, i, own, scoring, room)
    return is_moved and (lists.marks[case, i] & UNSURE) != 0


@entry
def follow_votes(
    n_rows,
    case_codes,
    numeric,
    numbers,
    classes,
    widths,
    codes,
    values,
    attributes,
    excluded,
    ks,
    shares,
    by_distance,
    n_others,
    ties,
    asked,
    places,
    slots,
    attribute_keys,
    now,
    is_rejudged,
    first,
    last,
    seen_widths,
    latest,
    keys,
    sizes,
    orders,
    counts,
    rows,
    squares,
    bounds,
    spans,
    reach,
    marks,
    votes,
    units,
    stamps,
    chain,
    totals,
):
    """Score left-out cases with each number of attributes and of neighbors.

    Parameters
    ----------
    n_rows, case_codes, numeric, numbers, classes, widths, codes, values, attributes
        As in `vote_nested_mixed`; so are `excluded`, `ks`, `shares` and `by_distance`.
    n_others, ties
        See `Scoring`.
    asked : int64 array of shape (n_queries,)
        Which case each query is.
    places, slots : int64 and int32 arrays
        Where the rows lie that lists know by a number, and that number of each row.
    attribute_keys : uint64 array of shape (n_attributes,)
        Any two sets of attributes have other sums of keys.
    now : int
        The number of this question.
    is_rejudged : bool
        Whether `n_others` or `ties` are others than before.
    first, last : int
        The queries to answer.
    seen_widths, latest
        As `widths` and `latest` in `note_row`, written.
    keys, ..., chain
        See `NearLists`; written.
    totals : int64 array of shape (n_ks, n_most), added to
    """
    lists = NearLists(
        keys,
        sizes,
        orders,
        counts,
        rows,
        squares,
        bounds,
        spans,
        reach,
        marks,
        votes,
        units,
        stamps,
        chain,
    )
    scoring, n_classes = Scoring(ks, shares, by_distance, n_others, ties), ties.shape[0]
    largest, n_most = ks.max(), attributes.shape[1]
    n_wanted = rows.shape[2] - rows.shape[2] // 4
    n_space = max(n_rows, rows.shape[2])
    room = Room(
        np.empty(n_rows),
        np.empty(n_space, np.int64),
        np.empty(n_space),
        np.empty(n_space),
        np.empty(n_wanted),
        np.empty(largest),
        np.empty(n_classes, np.int64),
        np.empty(n_classes + 1 if by_distance else 0),
        np.empty(n_classes),
    )
    changed = np.empty(numeric.size, np.bool_)
    for number in range(first, last):
        case, order = asked[number], attributes[number]
        cases = RawCases(case_codes, numeric, numbers, widths[number])
        query = RawQuery(codes[number], values[number], order)
        _adapt_widths(lists, case, seen_widths[case], widths[number], changed)
        _link_chain(lists, case, order, attribute_keys, now)
        _copy_order(order, latest[case])
        row, key, n_added = excluded[number], np.uint64(0), 0
        own = np.int64(classes[row])
        for r in range(n_most):
            key += attribute_keys[order[r]]
            i = _open_list(lists, case, r, key, now)
            start = order[: r + 1]
            if _is_outdated(lists, case, i, own, start, is_rejudged, scoring, room):
                query = RawQuery(codes[number], values[number], start)
                is_moved = _is_moved(start, orders[case, i])
                n_near = _read_list(lists, case, i, places, room)
                if n_near >= 0:
                    _vote_list(
                        lists, case, i, n_near, own, numeric, classes, scoring, room
                    )
                    if not is_moved or (marks[case, i] & (LOOSE | UNSURE)) == 0:
                        n_near = np.int64(-2)
                if n_near > -2:
                    n_near = _measure_list(lists, case, i, query, cases, places, room)
                    if n_near < 0:
                        n_added = _add_attributes(n_added, row, query, cases, room.sums)
                        n_near = _list_before(lists, case, r, places, room)
                        n_near = _make_list(
                            lists, case, i, n_near, row, n_wanted, largest, room
                        )
                    _write_list(lists, case, i, n_near, start, slots, room)
                    _vote_list(
                        lists, case, i, n_near, own, numeric, classes, scoring, room
                    )
            for k in range(ks.size):
                totals[k, r] += units[case, i, k]
