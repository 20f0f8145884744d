"""Lazy associative classification, by enumeration."""

import itertools


def association_rules(
    codes, classes, n_classes, query, min_count, min_confidence, max_length
):
    """Veloso, Meira, Zaki (2006): (attributes, class, support, covered) of each rule.

    Every set of the query's values is tried; `codes[j][row]` below 0 is no value.
    """
    items = [j for j, value in enumerate(query) if value >= 0]
    found = []
    for length in range(1, max_length + 1):
        for attributes in itertools.combinations(items, length):
            covered = [
                r
                for r in range(len(classes))
                if all(codes[j][r] == query[j] for j in attributes)
            ]
            for c in range(n_classes):
                support = sum(classes[r] == c for r in covered)
                if support >= min_count and support / len(covered) >= min_confidence:
                    found.append((attributes, c, support, len(covered)))
    return found


def association_scores(rules, n_classes, by_support):
    """The (weighted) mean confidence of each class; 0 without a rule."""
    scores = []
    for c in range(n_classes):
        own = [(s if by_support else 1, s / n) for _, k, s, n in rules if k == c]
        total = sum(weight for weight, _ in own)
        scores.append(sum(w * share for w, share in own) / total if own else 0.0)
    return scores
