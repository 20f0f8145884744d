"""Sets and intervals that cover, from definitions, by fitting again and again.

`refit(rows, outcomes)` gives a function from a row to its answer.
"""

import math

from oracle.neighbors import heom_squares


def rank_of(n, coverage):
    """Which of n scores, from 1 for the lowest, is the quantile of n + 1."""
    return math.ceil((n + 1) * coverage - 1e-9)


def covers(scores, own, coverage):
    """Whether a score is at most the quantile of others."""
    rank = rank_of(len(scores), coverage)
    return rank > len(scores) or own <= sorted(scores)[rank - 1]


def nearest_shares(table, classes, labels, row, left_out=-1):
    """For each class the nearest square over its sum with the nearest of another."""
    numbers, codes, own_numbers, own_codes = table(row)
    squares = heom_squares(
        numbers, codes, own_numbers, own_codes, range(len(numbers)), left_out
    )
    nearest = {
        label: min(
            (s for i, s in enumerate(squares) if classes[i] == label and i != left_out),
            default=math.inf,
        )
        for label in labels
    }
    shares = []
    for label in labels:
        own = nearest[label]
        other = min((nearest[o] for o in labels if o != label), default=math.inf)
        if own == other:
            shares.append(0.5 if len(labels) > 1 else 0.0)
        elif math.isinf(own):
            shares.append(1.0)
        elif math.isinf(other):
            shares.append(0.0)
        else:
            shares.append(round(own / (own + other), 9))
    return shares


def full_set(rows, classes, query, labels, coverage, refits, tables):
    """Which labels belong to the set: each is tried, and every row left out then.

    `refits(rows, classes)` gives a `refit` that knows what stays whoever is left out.
    """
    within = []
    for label in labels:
        grown, known = [*rows, query], [*classes, label]
        table, refit = tables(grown), refits(grown, known)
        scores = []
        for i, row in enumerate(grown):
            rest = [j for j in range(len(grown)) if j != i]
            answer = refit([grown[j] for j in rest], [known[j] for j in rest])(row)
            steps = round(len(grown) * (1.0 - answer.get(known[i], 0.0)))
            shares = nearest_shares(table, known, labels, row, i)
            scores.append(steps + (1 - 1e-9) * shares[labels.index(known[i])])
        within.append(covers(scores[:-1], scores[-1], coverage))
    return within


def left_out_models(rows, outcomes, refit):
    """The models that each leave one row out."""
    return [
        refit(rows[:i] + rows[i + 1 :], outcomes[:i] + outcomes[i + 1 :])
        for i in range(len(rows))
    ]


def lengths_of(models, rows, numbers):
    """What a score of 1 stands for: a function from a model and a row.

    The error that a model expects of itself (NaN: unknown), kept off zero; or 1.
    """
    residuals = [
        abs(y - model(row)[0])
        for row, y, model in zip(rows, numbers, models, strict=True)
    ]
    typical = sum(residuals) / len(residuals)

    def length(model, row):
        expected = model(row)[1]
        if expected is None:
            return 1.0
        return (typical if math.isnan(expected) else expected) + 0.1 * typical

    return length


def left_out_intervals(rows, numbers, query, refit):
    """Scores of the rows, and value and length of each model at the query."""
    models = left_out_models(rows, numbers, refit)
    length = lengths_of(models, rows, numbers)
    scores = [
        abs(y - model(row)[0]) / length(model, row) if length(model, row) else 0.0
        for row, y, model in zip(rows, numbers, models, strict=True)
    ]
    said = [(model(query)[0], length(model, query)) for model in models]
    return scores, said


def jackknife_plus(rows, numbers, query, coverage, refit):
    """The ends of the interval, by Barber and others (2021)."""
    scores, said = left_out_intervals(rows, numbers, query, refit)
    pairs = list(zip(scores, said, strict=True))
    rank = rank_of(len(rows), coverage)
    low = sorted(value - score * length for score, (value, length) in pairs)
    high = sorted(value + score * length for score, (value, length) in pairs)
    return low[len(rows) - rank], high[rank - 1]


def minmax(rows, numbers, query, coverage, refit):
    """The ends of the widest interval of them."""
    scores, said = left_out_intervals(rows, numbers, query, refit)
    half = sorted(scores)[rank_of(len(rows), coverage) - 1]
    low = min(value - half * length for value, length in said)
    return low, max(value + half * length for value, length in said)


def jackknife_plus_set(rows, classes, query, labels, coverage, refit):
    """Which labels belong to the set, by Romano and others (2020)."""
    models = left_out_models(rows, classes, refit)
    own = [
        1.0 - model(row).get(label, 0.0)
        for row, label, model in zip(rows, classes, models, strict=True)
    ]
    within = []
    for label in labels:
        stranger = sum(
            score < 1.0 - model(query).get(label, 0.0)
            for score, model in zip(own, models, strict=True)
        )
        within.append(stranger < (1 + len(rows)) * coverage - 1e-9)
    return within


def way_of_intervals(targets, values, coverage, near):
    """The way of the least interval score of rows left out, by plain loops.

    `near` has, for plain residuals and for ratios, the mean score around each row.
    """
    least = min(targets)
    ways = {None: (False, False), "nearness": (False, True)}
    if least > 0:
        ways |= {"ratio": (True, False), "both": (True, True)}
    totals = {}
    for way, (is_ratio, is_near) in ways.items():
        scores, lengths, rows = [], [], zip(targets, values, strict=True)
        for i, (target, value) in enumerate(rows):
            score = abs(target - value)
            if is_ratio:
                score = abs(math.log(target / max(value, least)))
            lengths.append(near[is_ratio][i] if is_near else 1.0)
            scores.append(score / lengths[-1])
        half = sorted(scores)[rank_of(len(scores), coverage) - 1]
        total = 0.0
        for target, value, length in zip(targets, values, lengths, strict=True):
            low, high = value - half * length, value + half * length
            if is_ratio:
                middle = max(value, least)
                low, high = (middle * math.exp(s * half * length) for s in (-1, 1))
            low = max(low, 0.0) if least >= 0 else low
            high = max(high, low)
            outside = max(low - target, 0) + max(target - high, 0)
            total += high - low + 2 / (1 - coverage) * outside
        totals[way] = total
    return min(totals, key=totals.get)
