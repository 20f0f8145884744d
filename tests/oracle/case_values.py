"""Shapley values by their definition: every order of all cases is tried."""

import itertools
import math


def worth_of_votes(shares, chosen, k):
    """The shares of the k nearest of some cases, which stand by distance, over k."""
    return sum(shares[i] for i in sorted(chosen)[:k]) / k


def worth_of_means(numbers, target, chosen, k):
    predicted = sum(numbers[i] for i in sorted(chosen)[:k]) / k
    return -((predicted - target) ** 2)


def shapley(n, worth):
    """The mean gain of each case over all sets of the others, by size."""
    values = []
    for i in range(n):
        others = [j for j in range(n) if j != i]
        total = 0.0
        for size in range(n):
            gains = [
                worth({*some, i}) - worth(set(some))
                for some in itertools.combinations(others, size)
            ]
            total += sum(gains) / math.comb(n - 1, size)
        values.append(total / n)
    return values


def distance(case, query, ranges):
    """HEOM: numbers by their range, labels by equality, a missing cell counts 1."""
    total = 0.0
    for a, b, width in zip(case, query, ranges, strict=True):
        if a is None or b is None:
            total += 1.0
        elif width is None:
            total += float(a != b)
        else:
            total += ((a - b) / width) ** 2 if width else float(a != b)
    return total
