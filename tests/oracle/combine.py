"""How members of an ensemble differ."""

import itertools
import math


def pair_table(first, second):
    """How often both, only one, only the other, none of two members are right."""
    pairs = list(zip(first, second, strict=True))
    return [pairs.count(kind) for kind in [(1, 1), (1, 0), (0, 1), (0, 0)]]


def diversity(right):
    """Kuncheva and Whitaker (2003), from rows of 0 and 1: is a member right?"""
    n_rows, n_members = len(right), len(right[0])
    columns = list(zip(*right, strict=True))
    tables = [pair_table(a, b) for a, b in itertools.combinations(columns, 2)]
    products = [(n11 * n00, n01 * n10) for n11, n10, n01, n00 in tables]
    defined = [(a - b) / (a + b) for a, b in products if a + b]
    mean = sum(map(sum, right)) / n_rows / n_members
    split = sum(sum(row) * (n_members - sum(row)) for row in right) / n_members
    chance = n_rows * (n_members - 1) * mean * (1 - mean)
    halves = n_members - math.ceil(n_members / 2)
    return {
        "q_statistic": sum(defined) / len(defined) if defined else math.nan,
        "disagreement": sum((t[1] + t[2]) / n_rows for t in tables) / len(tables),
        "double_fault": sum(t[3] / n_rows for t in tables) / len(tables),
        "kappa": 1 - split / chance if chance else math.nan,
        "entropy": sum(min(sum(r), n_members - sum(r)) for r in right)
        / halves
        / n_rows,
    }


def competence(how, right, lacking):
    """Weights of members by the cases, nearest first, that their bags lack."""
    n_cases, n_members = len(right), len(right[0])
    seen = [
        [right[i][m] for i in range(n_cases) if lacking[i][m]] for m in range(n_members)
    ]
    if how == "accuracy":
        return [(sum(one) + 1) / (len(one) + 2) for one in seen]
    if how == "knora-u":
        counts = [sum(one) for one in seen]
        return counts if any(counts) else [1] * n_members
    for size in range(n_cases, 0, -1):
        able = []
        for m in range(n_members):
            near = [right[i][m] for i in range(size) if lacking[i][m]]
            able.append(int(bool(near) and all(near)))
        if any(able):
            return able
    return [1] * n_members


def stacking_loss(right, lacking):
    """The loss of weights in stacked regressions, as a function of them."""
    n_members = len(right[0])
    rows = []
    for marks, lacks in zip(right, lacking, strict=True):
        counted = [m for m, lack in zip(marks, lacks, strict=True) if lack]
        mean = sum(counted) / len(counted) if counted else 0.0
        rows.append([m if lack else mean for m, lack in zip(marks, lacks, strict=True)])

    def loss(weights):
        fit = sum(
            (1 - sum(w * x for w, x in zip(weights, row, strict=True))) ** 2
            for row in rows
        )
        apart = sum((w - 1 / n_members) ** 2 for w in weights)
        return fit + n_members * apart

    return loss
