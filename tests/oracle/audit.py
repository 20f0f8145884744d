"""What is worth a second look in a table, row by row."""

import math
import statistics


def first_equal(rows):
    """For each row the first one with the same cells; None equals None."""
    return [
        min(j for j, other in enumerate(rows) if other == row)
        for i, row in enumerate(rows)
    ]


def nearest_other(rows, kinds, row):
    """The distance to the nearest row with other cells, infinite if there is none."""
    return min(
        (
            distance(rows, kinds, row, other)
            for other in range(len(rows))
            if rows[other] != rows[row]
        ),
        default=math.inf,
    )


def distance(rows, kinds, one, other):
    """HEOM: numbers by their range, labels equal or not, missing cells 1."""
    total = 0.0
    for j, kind in enumerate(kinds):
        a, b = rows[one][j], rows[other][j]
        if a is None or b is None:
            total += 1.0
        elif kind == "nominal":
            total += float(a != b)
        else:
            known = [row[j] for row in rows if row[j] is not None]
            width = max(known) - min(known)
            total += ((a - b) / width) ** 2 if width else float(a != b)
    return math.sqrt(total)


def unlike(distances, shares, known):
    """Who is farther than 99 % of the cases, beyond Tukey's fence and twice the median.

    Cases that are equal to another do not say what is usual.
    """
    apart = sorted(d for d in known if 0 < d < math.inf)
    limit = 0.0
    if apart:
        low, middle, high = (_quantile(apart, q) for q in (0.25, 0.5, 0.75))
        limit = max(high + 3 * (high - low), 2 * middle)
    pairs = zip(distances, shares, strict=True)
    return [share >= 0.99 and d > limit for d, share in pairs]


def _quantile(ordered, share):
    place = share * (len(ordered) - 1)
    below = ordered[math.floor(place)]
    return below + (place - math.floor(place)) * (ordered[math.ceil(place)] - below)


def beats_guess(shares, classes):
    """Whether Brier's score is better than that of the classes' shares."""
    n_rows, scores, guesses = len(classes), [], []
    usual = [classes.count(c) / n_rows for c in range(len(shares[0]))]
    for row, own in zip(shares, classes, strict=True):
        truth = [float(c == own) for c in range(len(row))]
        scores.append(sum((p - t) ** 2 for p, t in zip(row, truth, strict=True)))
        guesses.append(sum((p - t) ** 2 for p, t in zip(usual, truth, strict=True)))
    return math.fsum(scores) < math.fsum(guesses) - 1e-12


def doubt_labels(shares, classes):
    """Doubts, suggestions, and which are worth a look, by confident learning."""
    doubts, suggested, found = [], [], []
    learned = beats_guess(shares, classes)
    for row, own in zip(shares, classes, strict=True):
        rivals = [(-p, c) for c, p in enumerate(row) if c != own]
        doubts.append(1 - row[own])
        share, rival = (-min(rivals)[0], min(rivals)[1]) if rivals else (-1, own)
        usual = [s[rival] for s, c in zip(shares, classes, strict=True) if c == rival]
        limit = math.fsum(usual) / len(usual) if usual else 0.0
        suggested.append(rival if share > row[own] else own)
        alone = classes.count(own) == 1
        found.append(learned and share > row[own] and (alone or share >= limit))
    return doubts, suggested, found


def doubt_numbers(targets, left_out):
    """Residuals in terms of the usual one."""
    sizes = [abs(a - b) for a, b in zip(targets, left_out, strict=True)]
    usual = 1.4826 * statistics.median(sizes) or statistics.mean(sizes)
    return [size / usual if usual else 0.0 for size in sizes]


def tell_class(column, classes):
    """The share of a guess's errors that a column alone avoids; None is a value."""
    n_right = 0
    for i, (cell, label) in enumerate(zip(column, classes, strict=True)):
        others = [classes[j] for j, c in enumerate(column) if c == cell and j != i]
        own = others.count(label)
        rivals = [others.count(c) for c in set(others) if c != label]
        n_right += own > max(rivals, default=0)
    guessed = max(classes.count(c) for c in classes)
    n_rows = len(classes)
    return (n_right - guessed) / (n_rows - guessed) if n_rows > guessed else 0.0


def tell_number(column, targets, nominal):
    """The share of the targets' variance that a column alone tells."""
    guesses = [_guess(column, targets, i, nominal) for i in range(len(column))]
    usual = [_mean_without(targets, i) for i in range(len(targets))]
    total = sum((y - m) ** 2 for y, m in zip(targets, usual, strict=True))
    left = sum((y - g) ** 2 for y, g in zip(targets, guesses, strict=True))
    known = nominal or any(cell is not None for cell in column)
    return 1 - left / total if total > 0 and known else 0.0


def _mean_without(values, i):
    others = [v for j, v in enumerate(values) if j != i]
    return sum(others) / len(others) if others else values[i]


def _guess(column, targets, i, nominal):
    cell = column[i]
    same = [targets[j] for j, c in enumerate(column) if c == cell and j != i]
    if same and (nominal or cell is not None):
        return sum(same) / len(same)
    if nominal or cell is None:
        return _mean_without(targets, i)
    return _guess_between(column, targets, cell, targets[i])


def _guess_between(column, targets, cell, own):
    steps = sorted({c for c in column if c is not None})
    place = steps.index(cell)
    sides = [steps[k] for k in (place - 1, place + 1) if 0 <= k < len(steps)]
    means = [] if sides else [own]
    for side in sides:
        there = [targets[j] for j, c in enumerate(column) if c == side]
        means.append(sum(there) / len(there))
    return sum(means) / len(means)
