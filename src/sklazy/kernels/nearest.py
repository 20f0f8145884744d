"""The nearest rows of each query, in order, with ties that depend on nothing else.

Distances are summed column by column in float64 without reordering, so a distance is
the same number wherever its row stands, and equal rows are equally far. Rows come in
the order that breaks ties: among equally distant rows the lower index is nearer. A
search may be repeated for one query and many sets of columns.
"""

import numpy as np

from sklazy.kernels.columns import NOMINAL, NUMERIC, NUMERIC_MISSING, difference_term
from sklazy.kernels.compiling import entry, inlined, kernel

_BLOCK = 512  # rows whose distances are in the first-level cache at one time
_TILE = 32  # queries that share a block of rows while it is in the second-level cache
_PROBE = 64  # rows tested against the threshold at once


@kernel
def _add_numeric(distances, column, value, weight, metric):
    for i in range(distances.size):
        distances[i] += weight * difference_term(column[i] - value, metric)


@kernel
def _add_four_numeric(
    distances, column0, column1, column2, column3, values, weights, metric
):
    """Four columns in one pass, added in their order."""
    v0, v1, v2, v3 = values[0], values[1], values[2], values[3]
    w0, w1, w2, w3 = weights[0], weights[1], weights[2], weights[3]
    for i in range(distances.size):
        d0, d1 = (
            difference_term(column0[i] - v0, metric),
            difference_term(column1[i] - v1, metric),
        )
        d2, d3 = (
            difference_term(column2[i] - v2, metric),
            difference_term(column3[i] - v3, metric),
        )
        distances[i] = (((distances[i] + w0 * d0) + w1 * d1) + w2 * d2) + w3 * d3


@kernel
def _add_numeric_missing(distances, column, value, weight, absent, metric):
    for i in range(distances.size):
        difference = column[i] - value
        difference = absent if np.isnan(difference) else difference
        distances[i] += weight * difference_term(difference, metric)


@kernel
def _add_constant(distances, amount):
    for i in range(distances.size):
        distances[i] += amount


@kernel
def _add_nominal(distances, column, value, amount):
    for i in range(distances.size):  # NaN, the missing code, equals nothing
        distances[i] += 0.0 if column[i] == value else amount


@inlined
def add_column(distances, column, value, kind, weight, absent, metric):
    """Add what one column adds to the distances of its rows from a query's value."""
    amount = weight * difference_term(absent, metric)
    if np.isnan(value):
        _add_constant(distances, amount)
    elif kind == NOMINAL:
        _add_nominal(distances, column, value, amount)
    elif kind == NUMERIC_MISSING:
        _add_numeric_missing(distances, column, value, weight, absent, metric)
    else:
        _add_numeric(distances, column, value, weight, metric)


@kernel
def _block_distances(cases, query, start, stop, distances):
    """Distances of rows start..stop to one query."""
    values, kinds, weights, metric = (
        cases.values,
        cases.kinds,
        cases.weights,
        cases.metric,
    )
    distances[:] = 0.0
    j = 0
    while j < kinds.size:
        if _are_plain(kinds, query, j, j + 4):
            _add_four_numeric(
                distances,
                values[j, start:stop],
                values[j + 1, start:stop],
                values[j + 2, start:stop],
                values[j + 3, start:stop],
                query[j : j + 4],
                weights[j : j + 4],
                metric,
            )
            j += 4
            continue
        column, absent = values[j, start:stop], cases.absents[j]
        add_column(distances, column, query[j], kinds[j], weights[j], absent, metric)
        j += 1


@kernel
def _are_plain(kinds, query, start, stop):
    """Whether all these columns are numbers without a missing cell."""
    if stop > kinds.size:
        return False
    plain = True
    for j in range(start, stop):
        plain &= kinds[j] == NUMERIC and not np.isnan(query[j])
    return plain


@kernel
def _mask_group(distances, groups, group):
    for i in range(distances.size):
        distances[i] = np.inf if groups[i] == group else distances[i]


@kernel
def _any_below(values, threshold):
    is_below = False
    for i in range(values.size):
        is_below |= values[i] < threshold
    return is_below


@kernel
def _is_before(distance, row, other_distance, other_row):
    """Whether a row is nearer than another; equal distances by index."""
    return distance < other_distance or (distance == other_distance and row < other_row)


@kernel
def _swap(values, a, b):
    kept = values[a]
    values[a] = values[b]
    values[b] = kept


@kernel
def _move_nearest_first(distances, rows, count, n_nearest):
    """Put the n_nearest of the first `count` entries in front, in any order."""
    low, high = 0, count - 1
    while low < high:
        middle = (low + high) >> 1
        pivot, pivot_row = distances[middle], rows[middle]
        a, b = low, high
        while a <= b:
            while _is_before(distances[a], rows[a], pivot, pivot_row):
                a += 1
            while _is_before(pivot, pivot_row, distances[b], rows[b]):
                b -= 1
            if a <= b:
                _swap(distances, a, b)
                _swap(rows, a, b)
                a += 1
                b -= 1
        if n_nearest - 1 <= b:
            high = b
        elif n_nearest - 1 >= a:
            low = a
        else:
            break


@kernel
def sort_nearest(distances, rows, count):
    """Shell sort of the first `count` entries by (distance, row)."""
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, count):
            distance, row = distances[i], rows[i]
            j = i
            while j >= gap and _is_before(
                distance, row, distances[j - gap], rows[j - gap]
            ):
                distances[j], rows[j] = distances[j - gap], rows[j - gap]
                j -= gap
            distances[j], rows[j] = distance, row
        gap //= 3


@kernel
def _largest(values):
    largest = values[0]
    for i in range(values.size):
        largest = max(largest, values[i])
    return largest


@kernel
def _count_up_to(values, threshold):
    count = 0
    for i in range(values.size):
        count += values[i] <= threshold
    return count


@kernel
def _keep_up_to(distances, rows, count, threshold):
    """Move the entries up to a threshold to the front; return how many they are."""
    kept = 0
    for i in range(count):
        distance, row = distances[i], rows[i]
        distances[kept], rows[kept] = distance, row
        kept += distance <= threshold
    return kept


@kernel
def _cut_back(distances, rows, count, n_nearest):
    """Drop entries that are not among the n_nearest; new count and threshold.

    Halving between two distances finds a threshold that keeps a few more than
    n_nearest, with whole passes and no unforeseeable branch. Where ties or wild scales
    defeat it, an exact partition keeps n_nearest.
    """
    low, high = 0.0, _largest(distances[:count])
    enough = n_nearest + n_nearest // 4
    for _ in range(24):
        middle = 0.5 * (low + high)
        below = _count_up_to(distances[:count], middle)
        if below < n_nearest:
            low = middle
        else:
            high = middle
            if below <= enough:
                return _keep_up_to(distances, rows, count, high), high
    _move_nearest_first(distances, rows, count, n_nearest)
    return n_nearest, _largest(distances[:n_nearest])


@kernel
def _collect_near(distances, start, n_nearest, kept, kept_rows, count, threshold):
    """Add a block's near rows to a query's buffer; its new count and threshold.

    The buffer holds a few times n_nearest entries and is cut back when nearly full,
    so a row costs a constant on average, whatever the order of rows. Every row of a
    probe is written and the count moves on if it is near: no branch to mispredict.
    A row as far as the threshold comes after n_nearest others that are as near.
    """
    for probe in range(0, distances.size, _PROBE):
        end = min(probe + _PROBE, distances.size)
        if not _any_below(distances[probe:end], threshold):
            continue
        for i in range(probe, end):
            kept[count] = distances[i]
            kept_rows[count] = start + i
            count += distances[i] < threshold
        if count > kept.size - _PROBE:
            count, threshold = _cut_back(kept, kept_rows, count, n_nearest)
    return count, threshold


@entry
def nearest_rows(
    cases, row_groups, queries, query_groups, limits, first, last, rows, distances
):
    """Fill `rows` and `distances` of the queries first..last, nearest first.

    Parameters
    ----------
    cases : flow.Columns
    row_groups, query_groups : int64 (n_rows,) and (n_queries,), or both empty
        A row of the query's group is not seen.
    queries : float64 (n_queries, n_columns)
    limits : float64 (n_queries,)
        Rows are passed over unless they are nearer than that.
    first, last : int
    rows : int64 (n_queries, n_nearest)
        Filled up with -1 where too few rows can be seen.
    distances : float64 (n_queries, n_nearest)
    """
    n_nearest, n_rows = rows.shape[1], cases.values.shape[1]
    capacity = 4 * n_nearest + 2 * _PROBE
    kept = np.empty((_TILE, capacity))
    kept_rows = np.empty((_TILE, capacity), np.int64)
    counts, thresholds = np.empty(_TILE, np.int64), np.empty(_TILE)
    block = np.empty(_BLOCK)
    for tile in range(first, last, _TILE):
        n_tile = min(_TILE, last - tile)
        for t in range(n_tile):
            counts[t], thresholds[t] = 0, limits[tile + t]
        for start in range(0, n_rows, _BLOCK):
            stop = min(start + _BLOCK, n_rows)
            near = block[: stop - start]
            for t in range(n_tile):
                q = tile + t
                _block_distances(cases, queries[q], start, stop, near)
                if row_groups.size:
                    _mask_group(near, row_groups[start:stop], query_groups[q])
                count, limit = counts[t], thresholds[t]
                counts[t], thresholds[t] = _collect_near(
                    near, start, n_nearest, kept[t], kept_rows[t], count, limit
                )
        for t in range(n_tile):
            count = counts[t]
            if count > n_nearest:
                count, _ = _cut_back(kept[t], kept_rows[t], count, n_nearest)
            sort_nearest(kept[t], kept_rows[t], count)
            for i in range(n_nearest):
                seen = i < count
                distances[tile + t, i] = kept[t, i] if seen else np.inf
                rows[tile + t, i] = kept_rows[t, i] if seen else -1


@entry
def fill_differences(cases, query, columns, rows, differences):
    """Add what each of some columns adds to the distance of each row from a query.

    Parameters
    ----------
    cases : flow.Columns
    query : float64 (n_columns,)
    columns : int64 (n_used,)
    rows : int64 (n_rows,), or empty for all
    differences : float64 (n_used, n_rows), of zeros
    """
    gathered = np.empty(rows.size)
    for i in range(columns.size):
        j = columns[i]
        column = cases.values[j]
        if rows.size:
            for r in range(rows.size):
                gathered[r] = column[rows[r]]
            column = gathered
        kind, weight, absent = cases.kinds[j], cases.weights[j], cases.absents[j]
        add_column(differences[i], column, query[j], kind, weight, absent, cases.metric)


@kernel
def _add_amounts(total, amounts):
    for i in range(total.size):
        total[i] += amounts[i]


@kernel
def _sum_rows(differences, members, start, stop, total):
    """Distances of rows start..stop: the differences of the members, in their order."""
    total[:] = 0.0
    for j in range(members.size):
        if members[j] < 0:
            break
        _add_amounts(total, differences[members[j], start:stop])


@entry
def nearest_in_subsets(differences, members, first, last, rows):
    """Fill `rows` of the sets first..last, nearest first, ties by the lower row.

    Parameters
    ----------
    differences : float64 (n_columns, n_rows)
        The term of each column in the distance of each row.
    members : int64 (n_sets, n_members)
        The columns of each set, ascending, filled up with -1.
    first, last : int
    rows : int64 (n_sets, n_nearest)
        Filled up with -1 where there are too few rows.
    """
    n_nearest, n_rows = rows.shape[1], differences.shape[1]
    capacity = 4 * n_nearest + 2 * _PROBE
    kept, kept_rows = np.empty(capacity), np.empty(capacity, np.int64)
    block = np.empty(_BLOCK)
    for s in range(first, last):
        count, threshold = 0, np.inf
        for start in range(0, n_rows, _BLOCK):
            stop = min(start + _BLOCK, n_rows)
            near = block[: stop - start]
            _sum_rows(differences, members[s], start, stop, near)
            count, threshold = _collect_near(
                near, start, n_nearest, kept, kept_rows, count, threshold
            )
        if count > n_nearest:
            count, _ = _cut_back(kept, kept_rows, count, n_nearest)
        sort_nearest(kept, kept_rows, count)
        for i in range(n_nearest):
            rows[s, i] = kept_rows[i] if i < count else -1
