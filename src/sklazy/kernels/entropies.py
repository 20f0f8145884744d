"""Entropies of the class given each value, with all rows and without one of them.

Equal to the figures of `sklazy.measures.relevance`, digit for digit: the logarithms
are numpy's, which the compiler's may differ from in the last place.
"""

import numpy as np

from sklazy.kernels.compiling import entry, lean_kernel

_GRID = 1e12  # as in `round_figures`


@lean_kernel
def _sort_few(numbers, n_numbers):
    """Sort the first of some numbers; they are few."""
    for i in range(1, n_numbers):
        number, place = numbers[i], i
        while place > 0 and numbers[place - 1] > number:
            numbers[place] = numbers[place - 1]
            place -= 1
        numbers[place] = number


@lean_kernel
def _sum_sorted(numbers, n_numbers):
    """Add up numbers from the least on; they are sorted."""
    _sort_few(numbers, n_numbers)
    total = 0.0
    for i in range(n_numbers):
        total += numbers[i]
    return total


@lean_kernel
def _round_figure(figure, n_rows):
    """A figure on the grid of figures, infinite where there is no row."""
    return np.rint(figure * _GRID) / _GRID + 0.0 if n_rows > 0 else np.inf


@lean_kernel
def _write_shares(own, classes, lost, is_own, discounts, room, out):
    """Write the shares of the classes among the rows of a value.

    Of all but a row of the class `lost`, if that is one; of the value if `is_own`.
    """
    n_rows = total = np.int64(0)
    for c in range(own.size):
        n_rows += own[c]
        total += classes[c]
    if lost >= 0:
        total -= 1
        n_rows -= is_own
    whole = np.float64(n_rows) * total
    for c in range(own.size):
        count = own[c] - (is_own and c == lost)
        out[c] = np.float64(count)
        if discounts:
            of_class = np.float64(classes[c] - (c == lost))
            part = np.float64(count * (n_rows - 1)) * total + of_class * n_rows
            out[c] = part / (whole if whole > 0.0 else 1.0)
        room[c] = out[c]
    summed = _sum_sorted(room, own.size)
    for c in range(own.size):
        out[c] = out[c] / (summed if summed > 0.0 else 1.0)


@entry
def share_classes(counts, offsets, discounts, shares):
    """Write the shares of the classes among the rows of each value.

    Parameters
    ----------
    counts : int64 array of shape (n_values, n_classes)
    offsets : int64 array of shape (n_attributes + 1,)
    discounts : bool
        See `discount_rare_values`.
    shares : float64 array of shape (1 + 2 n_classes, n_values, n_classes), written
        With all rows; for each class, where another value loses a row of it; for each
        class, where the value itself does.
    """
    n_classes = counts.shape[1]
    classes, room = np.empty(n_classes, np.int64), np.empty(n_classes)
    for j in range(offsets.size - 1):
        classes[:] = 0
        for value in range(offsets[j], offsets[j + 1]):
            for c in range(n_classes):
                classes[c] += counts[value, c]
        for value in range(offsets[j], offsets[j + 1]):
            own = counts[value]
            _write_shares(own, classes, -1, 0, discounts, room, shares[0, value])
            for c in range(n_classes):
                given = shares[1 + c, value], shares[1 + n_classes + c, value]
                _write_shares(own, classes, c, 0, discounts, room, given[0])
                _write_shares(own, classes, c, 1, discounts, room, given[1])


@lean_kernel
def _average(sizes, figures, value, lost_figure, total, room):
    """The mean figure of an attribute's values, which weigh by their rows.

    If one of its values loses a row, that has another figure.
    """
    for i in range(sizes.size):
        room[i] = sizes[i] * figures[i]
    if value >= 0:
        room[value] = (sizes[value] - 1) * lost_figure
    return _sum_sorted(room, sizes.size) / max(total, 1)


@entry
def average_entropies(counts, offsets, shares, logs, values, attributes, own, whole):
    """Score values and attributes by entropy, with all rows and without each.

    Parameters
    ----------
    counts, offsets, shares
        As in `share_classes`.
    logs : float64 array of the shape of `shares`
        Their logarithms, zero at zero.
    values, attributes : float64 arrays (n_values,), (n_attributes,), written
        The scores with all rows.
    own, whole : float64 arrays of shape (n_values, n_classes), written
        The scores of the value and of its attribute without a row of the value and
        the class; left alone where there is none.
    """
    n_classes = counts.shape[1]
    surprises = np.empty(n_classes)
    figures = np.empty(shares.shape[:2])
    for kind in range(shares.shape[0]):
        for value in range(shares.shape[1]):
            for c in range(n_classes):
                surprises[c] = -shares[kind, value, c] * logs[kind, value, c]
            figures[kind, value] = _sum_sorted(surprises, n_classes)
    sizes, room = counts.sum(axis=1), np.empty(counts.shape[0])
    for j in range(offsets.size - 1):
        first, last = offsets[j], offsets[j + 1]
        own_sizes = sizes[first:last]
        total = own_sizes.sum()
        mean = _average(own_sizes, figures[0, first:last], -1, 0.0, total, room)
        attributes[j] = _round_figure(mean, total)
        for value in range(first, last):
            values[value] = _round_figure(figures[0, value], sizes[value])
            for c in range(n_classes):
                if counts[value, c] == 0:
                    continue
                lost = figures[1 + n_classes + c, value]
                others = figures[1 + c, first:last]
                mean = _average(own_sizes, others, value - first, lost, total - 1, room)
                own[value, c] = _round_figure(lost, sizes[value] - 1)
                whole[value, c] = _round_figure(mean, total - 1)
