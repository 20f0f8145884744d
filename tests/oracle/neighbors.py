"""Distances, the nearest rows with all ties, and their votes."""

import math
from fractions import Fraction


def disagreements(codes, query, attributes):
    """For each row the number of attributes on which it differs from the query."""
    distances = []
    for row in range(codes.shape[1]):
        differ = 0
        for attribute in attributes:
            known = query[attribute] >= 0
            if not (known and codes[attribute, row] == query[attribute]):
                differ += 1
        distances.append(differ)
    return distances


def heom_squares(numbers, codes, query_numbers, query_codes, attributes, left_out=-1):
    """For each row the sum of squared HEOM differences; NaN or -1 is missing.

    `numbers` and `query_numbers` hold None for a nominal attribute.
    """
    widths = {}
    for j in attributes:
        others = [
            number
            for row, number in enumerate(numbers[j] or [])
            if row != left_out and not math.isnan(number)
        ]
        widths[j] = max(others, default=0.0) - min(others, default=0.0)
    distances = []
    for row in range(codes.shape[1]):
        total = 0.0
        for j in attributes:
            if numbers[j] is None:
                same = query_codes[j] >= 0 and codes[j, row] == query_codes[j]
                difference = 0.0 if same else 1.0
            elif math.isnan(numbers[j][row]) or math.isnan(query_numbers[j]):
                difference = 1.0
            elif widths[j] == 0:
                difference = 0.0 if numbers[j][row] == query_numbers[j] else 1.0
            else:
                difference = (numbers[j][row] - query_numbers[j]) / widths[j]
            total += difference * difference
        distances.append(total)
    return distances


def nearest_with_ties(distances, k, excluded=-1):
    """The rows as near as the k-th nearest or nearer, nearest first, then by row."""
    order = sorted(
        (distance, row) for row, distance in enumerate(distances) if row != excluded
    )
    if len(order) > k:
        order = [pair for pair in order if pair[0] <= order[k - 1][0]]
    return [row for _, row in order]


def count_classes(rows, classes, n_classes):
    """One vote a row."""
    votes = [0] * n_classes
    for row in rows:
        votes[classes[row]] += 1
    return votes


def cast_votes(squares, weights, k, ties="all", by="uniform"):
    """What each row votes with: a list of exact fractions and floats, zeros and all.

    A row of weight w fills w places; those tied at the last place fill what is left
    (`ties="share"`) or all vote in full. By distance, a vote is multiplied by the
    nearest voter's distance over the row's own. Ties are of squared distances: two that
    differ may have one root.
    """
    there = [row for row, weight in enumerate(weights) if weight > 0]
    left, votes = Fraction(k), [Fraction(0)] * len(weights)
    for square in sorted({squares[row] for row in there}):
        level = [row for row in there if squares[row] == square]
        total = sum(Fraction(weights[row]) for row in level)
        if left <= 0:
            break
        share = min(Fraction(1), left / total) if ties == "share" else Fraction(1)
        for row in level:
            votes[row] = Fraction(weights[row]) * share
        left -= total
    nearest = min((squares[row] for row in there), default=0)
    if by == "distance":
        for row in there:
            if votes[row] and squares[row] != nearest:
                votes[row] = float(votes[row]) * (
                    math.sqrt(nearest) / math.sqrt(squares[row])
                )
    return votes


def add_votes(cast, classes, n_classes):
    """The votes of each class."""
    return [
        float(sum(vote for vote, own in zip(cast, classes, strict=True) if own == c))
        for c in range(n_classes)
    ]


def decide(votes, class_counts):
    """The class with most votes, then most cases, then the lowest index."""
    return max(range(len(votes)), key=lambda c: (votes[c], class_counts[c], -c))


def ibk_probabilities(votes, n_rows):
    """Weka's rule: 1/n for every class, 1 for every neighbor, normalized."""
    scores = [vote + 1 / n_rows for vote in votes]
    return [score / sum(scores) for score in scores]
