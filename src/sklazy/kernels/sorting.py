"""Sort a column together with something that belongs to each row."""

import numpy as np

from sklazy.kernels.compiling import entry, inlined, kernel, lean_kernel

_SIGN = np.uint64(1 << 63)
_CROWD = 16  # rows that may be due at the place of a row, in the mean
_FEW_ROWS = 4096  # below, the tables of wide digits cost more than they save


@entry
def sort_pairs(values, partners):
    """Values in ascending order without NaN, and their partners in that order.

    Equal to ``order = np.argsort(values, kind="stable")``, less the rows with NaN,
    then ``values[order], partners[order]``, at about a third of the cost: a radix
    sort on the bits of the numbers, the digits that all rows share passed over.

    Parameters
    ----------
    values : float64 array of shape (n_rows,)
    partners : int32 array of shape (n_rows,)
        For instance the class of each row, or its number.

    Returns
    -------
    values : float64 array of shape (n_present,)
    partners : int32 array of shape (n_present,)
    """
    return sort_rows(values, partners)


@kernel
def sort_rows(values, partners):
    """As `sort_pairs`, for kernels."""
    keys, partners = _drop_missing(values, partners)
    n_bits = 8 if len(keys) < _FEW_ROWS else 11
    n_digits = (63 + n_bits) // n_bits
    counts = _digit_counts(keys, n_bits, n_digits)
    to_keys = np.empty_like(keys)
    to_partners = np.empty_like(partners)
    for digit in range(n_digits):
        shift = np.uint64(digit * n_bits)
        if _scatter_by_digit(
            keys, partners, shift, counts[digit], to_keys, to_partners
        ):
            keys, to_keys = to_keys, keys
            partners, to_partners = to_partners, partners
    for i in range(len(keys)):
        keys[i] = keys[i] & ~_SIGN if keys[i] & _SIGN else ~keys[i]
    return keys.view(np.float64), partners


@kernel
def sort_spread_rows(values, partners):
    """As `sort_pairs`, in place; fast where values without NaN are spread evenly.

    Rows are put where they are due between the lowest and the highest value, and then
    moved past the few that are greater.
    """
    low, high = values.min(), values.max()
    if low == high:
        return
    n_rows = len(values)
    by_unit = (n_rows - 1) / (high - low)
    places = np.zeros(n_rows + 1, np.int64)
    if 0.0 < by_unit < np.inf:
        for i in range(n_rows):
            places[np.int64((values[i] - low) * by_unit) + 1] += 1
    if not 0.0 < by_unit < np.inf or _has_crowd(places):
        values[:], partners[:] = sort_rows(values, partners)
        return
    for i in range(1, n_rows):
        places[i] += places[i - 1]
    from_values, from_partners = values.copy(), partners.copy()
    for i in range(n_rows):
        due = np.int64((from_values[i] - low) * by_unit)
        values[places[due]], partners[places[due]] = from_values[i], from_partners[i]
        places[due] += 1
    for i in range(1, n_rows):
        value, partner, place = values[i], partners[i], i
        while place > 0 and values[place - 1] > value:
            values[place], partners[place] = values[place - 1], partners[place - 1]
            place -= 1
        values[place], partners[place] = value, partner


@kernel
def _has_crowd(counts):
    """Whether so many rows are due at some places that moving them takes too long."""
    return (counts * counts).sum() > _CROWD * counts.sum()


@kernel
def _drop_missing(values, partners):
    """Rows without NaN; the values as integers that are ordered as they are."""
    keys = np.empty(len(values), dtype=np.uint64)
    kept = np.empty(len(values), dtype=np.int32)
    n_present = 0
    for i in range(len(values)):
        if not np.isnan(values[i]):
            keys[n_present] = key_of_number(values[i])
            kept[n_present] = partners[i]
            n_present += 1
    return keys[:n_present], kept[:n_present]


@inlined
def key_of_number(value):
    """The bits of a number as an integer that is ordered as numbers are."""
    key = np.float64(value + 0.0).view(np.uint64)  # -0.0 equals 0.0 and sorts like it
    return ~key if key & _SIGN else key | _SIGN


@kernel
def _digit_counts(keys, n_bits, n_digits):
    mask = np.uint64((1 << n_bits) - 1)
    counts = np.zeros((n_digits, 1 << n_bits), dtype=np.int64)
    for i in range(len(keys)):
        key = keys[i]
        for digit in range(n_digits):
            counts[digit, key & mask] += 1
            key >>= np.uint64(n_bits)
    return counts


@kernel
def _scatter_by_digit(keys, partners, shift, counts, to_keys, to_partners):
    """Move the rows to their places by one digit, unless it is the same in all."""
    mask = np.uint64(len(counts) - 1)
    if len(keys) == 0 or counts[(keys[0] >> shift) & mask] == len(keys):
        return False
    place = 0
    for i in range(len(counts)):
        place, counts[i] = place + counts[i], place
    for i in range(len(keys)):
        digit = (keys[i] >> shift) & mask
        to_keys[counts[digit]] = keys[i]
        to_partners[counts[digit]] = partners[i]
        counts[digit] += 1
    return True


@lean_kernel
def select_kth(numbers, k):
    """Find the number that has `k` others before it in order; they change places.

    Hoare's selection. numba's `np.partition` takes six seconds to compile.
    """
    first, last = 0, numbers.size - 1
    while first < last:
        pivot, i, j = numbers[k], first, last
        while i <= j:
            while numbers[i] < pivot:
                i += 1
            while pivot < numbers[j]:
                j -= 1
            if i <= j:
                numbers[i], numbers[j] = numbers[j], numbers[i]
                i, j = i + 1, j - 1
        if j < k:
            first = i
        if k < i:
            last = j
    return numbers[k]
