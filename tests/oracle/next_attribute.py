"""What measuring a missing attribute is worth, case by case."""

import math

import numpy as np


def alike(rows, query):
    """The weight of each case: a fifth for every difference beyond the fewest."""
    counts = []
    for row in rows:
        differing = [
            1
            for cell, known in zip(row, query, strict=True)
            if known >= 0 and cell >= 0 and cell != known
        ]
        counts.append(len(differing))
    return [0.2 ** min(count - min(counts), 40) for count in counts]


def bits(shares):
    """Entropy."""
    return -sum(share * math.log2(share) for share in shares if share > 0)


def class_gain(column, n_values, classes, weights, shares):
    """How much less entropy there is, on average, once the column is known.

    Values in a class are as frequent as among the cases alike, to which three cases
    are added that are as all cases are, smoothed by one for each value.
    """
    n_classes, after = len(shares), 0.0
    chance_of = [[0.0] * n_classes for _ in range(n_values)]
    for label in range(n_classes):
        own = [i for i, c in enumerate(classes) if c == label and column[i] >= 0]
        for value in range(n_values):
            have = [i for i in own if column[i] == value]
            usual = (len(have) + 1) / (len(own) + n_values)
            near = sum(weights[i] for i in have)
            share = (near + 3 * usual) / (sum(weights[i] for i in own) + 3)
            chance_of[value][label] = share * shares[label]
    chances = [sum(row) for row in chance_of]
    for row, chance in zip(chance_of, chances, strict=True):
        if chance > 0:
            after += chance * bits([joint / chance for joint in row])
    gain = max(0.0, bits(shares) - after) if n_values else 0.0
    return gain, chances


def number_gain(column, n_values, targets, weights):
    """What share of the variance goes, on average, once the column is known.

    The variance within a value is that of its cases and of three that vary as all do.
    """
    total = sum(weights)
    mean = sum(w * y for w, y in zip(weights, targets, strict=True)) / total
    variance = (
        sum(w * (y - mean) ** 2 for w, y in zip(weights, targets, strict=True)) / total
    )
    known = sum(w for w, cell in zip(weights, column, strict=True) if cell >= 0)
    if variance <= 0 or known == 0:
        return 0.0
    left = 0.0
    for value in range(n_values):
        have = [i for i, cell in enumerate(column) if cell == value]
        size = sum(weights[i] for i in have)
        if not have:
            continue
        own = sum(weights[i] * targets[i] for i in have) / size
        within = sum(weights[i] * (targets[i] - own) ** 2 for i in have)
        left += size / known * (within + 3 * variance) / (size + 3)
    return max(0.0, 1 - left / variance)


def quarter_codes(numbers):
    """Numbers by the quarter they lie in; -1 where missing."""
    known = sorted(x for x in numbers if not math.isnan(x))
    places = [int(share * len(known)) for share in (0.25, 0.5, 0.75)]
    cuts = sorted({known[place] for place in places}) if known else []
    return np.array(
        [-1 if math.isnan(x) else sum(cut < x for cut in cuts) for x in numbers]
    )
