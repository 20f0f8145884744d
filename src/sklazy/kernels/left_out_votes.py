"""Left-out cases scored by lists of near rows: what a change moved is found anew."""

import numpy as np

from sklazy.kernels.compiling import entry, lean_kernel
from sklazy.kernels.exact import RawCases, RawQuery, add_attribute, find_kth
from sklazy.kernels.listed_votes import (
    Scoring,
    VoteRoom,
    score_list,
    sort_near,
    vote_list,
)
from sklazy.kernels.near_lists import (
    LOOSE,
    OUTDATED,
    ROUNDING,
    STALE,
    UNSURE,
    NearLists,
)
from sklazy.kernels.nesting import (
    begin_sums,
    find_bound,
    find_last,
    gather_near,
    narrow_near,
)

_TINY = 1e-250  # squares below it may have lost digits


@lean_kernel
def _copy_order(order, to):
    """Copy the first of a row's numbers, without a copy between."""
    for place in range(order.size):
        to[place] = order[place]


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
    sort_near(room.near_rows, room.near_sums, n_listed)
    return _count_sure(lists, case, i, n_listed, room)


@lean_kernel
def _count_sure(lists, case, i, n_listed, room):
    """Return the number of rows if all that vote are among them, else -1."""
    bound, largest = lists.bounds[case, i], room.weights.size
    if n_listed < 0 or bound == np.inf:
        return n_listed
    if n_listed < largest:
        return np.int64(-1)
    is_sure = room.near_sums[largest - 1] < bound * (1.0 - ROUNDING)
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
def _inherit_list(lists, case, i, r):
    """Begin a list with that of one attribute less: no row comes nearer by one more."""
    if r == 0 or lists.counts[case, i] >= 0:
        return
    before = np.int64(lists.chain[case, r - 1])
    n_listed, bound = np.int64(lists.counts[case, before]), lists.bounds[case, before]
    if n_listed < 0 or bound < _TINY:
        return
    for place in range(n_listed):
        lists.rows[case, i, place] = lists.rows[case, before, place]
    lists.counts[case, i], lists.bounds[case, i] = n_listed, bound * (1.0 - ROUNDING)
    lists.marks[case, i] |= STALE


@lean_kernel
def _make_list(lists, case, i, n_near, excluded, room):
    """Find the nearest rows among all by their sums; returns how many.

    `room` begins with `n_near` rows that are near, if any are known.
    """
    n_wanted, largest = room.smallest.size, room.weights.size
    if n_near < n_wanted:
        limit = find_kth(room.sums, room.smallest)
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
    sort_near(rows, squares, n_near)
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
        score_list(lists, case, i, own, scoring, room)
    return is_moved and (lists.marks[case, i] & UNSURE) != 0


@lean_kernel
def _vote_known(lists, case, i, own, query, cases, classes, scoring, places, room):
    """Find votes by the distances that are known; whether they hold in this order."""
    n_near = _read_list(lists, case, i, places, room)
    if n_near < 0:
        return False
    is_moved = _is_moved(query.attributes, lists.orders[case, i])
    vote_list(lists, case, i, n_near, own, cases.numeric, classes, scoring, room)
    return not is_moved or (lists.marks[case, i] & (LOOSE | UNSURE)) == 0


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
    room = VoteRoom(
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
                _inherit_list(lists, case, i, r)
                query = RawQuery(codes[number], values[number], start)
                if not _vote_known(
                    lists, case, i, own, query, cases, classes, scoring, places, room
                ):
                    n_near = _measure_list(lists, case, i, query, cases, places, room)
                    if n_near < 0:
                        n_added = _add_attributes(n_added, row, query, cases, room.sums)
                        n_near = _list_before(lists, case, r, places, room)
                        n_near = _make_list(lists, case, i, n_near, row, room)
                    _write_list(lists, case, i, n_near, start, slots, room)
                    vote_list(
                        lists, case, i, n_near, own, numeric, classes, scoring, room
                    )
            for k in range(ks.size):
                totals[k, r] += units[case, i, k]
