"""Relevance of values, attributes and sets of attributes."""

import math


def entropy_of(counts):
    total = sum(counts)
    return -sum(n / total * math.log2(n / total) for n in counts if n > 0)


def gini_of(counts):
    total = sum(counts)
    return sum(n / total * (1 - n / total) for n in counts) if total else 0.0


def columns_of(rows):
    """Class counts over all values of an attribute."""
    return [sum(column) for column in zip(*rows, strict=True)]


def discounted(rows):
    """Counts in which one case of every value is one like all cases, by leaving out.

    Each case of a value sees the others; the mean of what they see, and one case spread
    over the classes as all are.
    """
    totals = columns_of(rows)
    return [discounted_row(row, totals) if sum(row) else row for row in rows]


def discounted_row(row, totals):
    found = [n / sum(totals) for n in totals]
    for own, n_own in enumerate(row):  # the cases of one class, each left out
        for c, n in enumerate(row):
            found[c] += n_own / sum(row) * (n - (c == own))
    return found


def attribute_figure(rows, measure, columns=None):
    """An attribute's figure by the textbook, lower is better; rows: its values.

    `columns` are the class counts, where those of the rows are not.
    """
    total = sum(map(sum, rows))
    if total == 0:
        return math.inf
    columns = columns_of(rows) if columns is None else columns
    given = sum(sum(row) / total * entropy_of(row) for row in rows)
    class_entropy = entropy_of(columns)
    split = entropy_of([sum(row) for row in rows])
    gain, both = class_entropy - given, class_entropy + split
    return {
        "entropy": given,
        "gini": sum(sum(row) / total * gini_of(row) for row in rows),
        "information_gain": -gain,
        "gain_ratio": -gain / split if split > 0 else 0.0,
        "symmetric_uncertainty": -2 * gain / both if both > 0 else 0.0,
        "chi_square": -chi_square_of(rows, columns),
    }[measure]


def chi_square_of(rows, columns):
    """Pearson's statistic, from observed and expected counts."""
    total, statistic = sum(map(sum, rows)), 0.0
    for row in rows:
        for observed, column in zip(row, columns, strict=True):
            expected = sum(row) * column / total
            if expected > 0:
                statistic += (observed - expected) ** 2 / expected
    return statistic


def value_figure(rows, value, measure, columns=None):
    """The figure of one value of an attribute, lower is better."""
    row, total = rows[value], sum(map(sum, rows))
    columns = columns_of(rows) if columns is None else columns
    if sum(row) == 0:
        return math.inf
    parts = [
        (n / sum(row) - column / total) ** 2 / (column / total)
        for n, column in zip(row, columns, strict=True)
        if column > 0
    ]
    gain = entropy_of(columns) - entropy_of(row)
    split = entropy_of([sum(other) for other in rows])
    both = entropy_of(columns) + split
    return {
        "entropy": entropy_of(row),
        "gini": gini_of(row),
        "information_gain": -gain,
        "gain_ratio": -gain / split if split > 0 else 0.0,
        "symmetric_uncertainty": -2 * gain / both if both > 0 else 0.0,
        "chi_square": -total * sum(parts),
    }[measure]


def lazy_figure(rows, value, measure, columns=None):
    whole = attribute_figure(rows, measure, columns)
    return min(value_figure(rows, value, measure, columns), whole)


def v_of_attribute(rows, weighted):
    """V(D, A_j) over the values that some row has."""
    rows = [row for row in rows if sum(row) > 0]
    total = sum(map(sum, rows))
    if total == 0:
        return 0.0
    own = attribute_figure(rows, "entropy")
    return sum(
        (sum(row) / total if weighted else 1 / len(rows)) * abs(own - entropy_of(row))
        for row in rows
    )


def cross_table(first, second, n_first, n_second, missing="omit"):
    """Counts of two coded columns, rows that miss one left out or dealt out."""
    pairs = list(zip(first, second, strict=True))
    both = [pair for pair in pairs if min(pair) >= 0]
    known_first = [a for a in first if a >= 0]
    known_second = [b for b in second if b >= 0]

    def share(items, item):
        return items.count(item) / len(items) if items else 0.0

    def cell(i, j):
        total = both.count((i, j))
        if missing == "spread":
            total += pairs.count((-1, j)) * share(known_first, i)
            total += pairs.count((i, -1)) * share(known_second, j)
            total += pairs.count((-1, -1)) * share(both, (i, j))
        return total

    return [[cell(i, j) for j in range(n_second)] for i in range(n_first)]


def cfs_merit(subset, columns, sizes, classes, n_classes, missing, zero_correlation):
    """``k mean(rc) / sqrt(k + k (k - 1) mean(ra))`` by symmetric uncertainty."""
    if not subset:
        return 0.0

    def correlation(i, other, n_other):
        table = cross_table(columns[i], other, sizes[i], n_other, missing)
        figure = attribute_figure(table, "symmetric_uncertainty")
        return 0.0 if math.isinf(figure) else -figure

    k = len(subset)
    with_class = [correlation(i, classes, n_classes) for i in subset]
    among = [
        correlation(i, columns[j], sizes[j]) for i in subset for j in subset if i < j
    ]
    among = [zero_correlation if c < 1e-6 else c for c in among]
    mean_among = sum(among) / len(among) if among else 0.0
    return k * (sum(with_class) / k) / math.sqrt(k + k * (k - 1) * mean_among)


def consistency(subset, columns, classes):
    """Share of rows that have the commonest class among rows with equal cells."""
    groups = {}
    for row, label in enumerate(classes):
        key = tuple(columns[j][row] for j in subset)
        groups.setdefault(key, []).append(label)
    agreeing = sum(max(map(g.count, set(g))) for g in groups.values())
    return agreeing / len(classes)


def best_first(merit, n_attributes, max_stale):
    """Weka's BestFirst, forward: at most `max_stale` sets wait, best first."""
    best, best_merit, stale = (), merit(()), 0
    waiting = [(best_merit, ())]
    while stale < max_stale and waiting:
        _, subset = waiting.pop(0)
        stale += 1
        for j in range(n_attributes):
            if j in subset:
                continue
            larger = tuple(sorted((*subset, j)))
            figure = merit(larger)
            waiting.append((figure, larger))
            waiting.sort(key=lambda entry: -entry[0])  # stable: first come, first
            del waiting[max_stale:]
            if figure - best_merit > 1e-5:
                best, best_merit, stale = larger, figure, 0
    return best, best_merit


def greedy(merit, n_attributes):
    best, best_merit = (), merit(())
    while True:
        found = None
        for j in set(range(n_attributes)) - set(best):
            larger = tuple(sorted((*best, j)))
            if merit(larger) > (found or (best_merit, ()))[0]:
                found = merit(larger), larger
        if found is None:
            return best, best_merit
        best_merit, best = found
