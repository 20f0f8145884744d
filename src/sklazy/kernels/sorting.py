"""Sort a column together with something that belongs to each row."""

import numpy as np

from sklazy.kernels.compiling import entry, kernel, lean_kernel

_SIGN = np.uint64(1 << 63)
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
def _drop_missing(values, partners):
    """Rows without NaN; the values as integers that are ordered as they are."""
    keys = np.empty(len(values), dtype=np.uint64)
    kept = np.empty(len(values), dtype=np.int32)
    numbers = keys.view(np.float64)
    n_present = 0
    for i in range(len(values)):
        if not np.isnan(values[i]):
            numbers[n_present] = values[i] + 0.0  # -0.0 equals 0.0 and sorts like it
            key = keys[n_present]
            keys[n_present] = ~key if key & _SIGN else key | _SIGN
            kept[n_present] = partners[i]
            n_present += 1
    return keys[:n_present], kept[:n_present]


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
