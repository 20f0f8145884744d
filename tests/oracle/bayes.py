"""Naive Bayes on the attributes of a query."""

import math


def naive_bayes_terms(codes, offsets, classes, n_classes, alpha, query, attributes):
    """log P(class), then log P(value | class) of each attribute: a list of lists."""
    rows = range(codes.shape[1])
    smoothed = [alpha + sum(classes[i] == c for i in rows) for c in range(n_classes)]
    terms = [[math.log(count / sum(smoothed)) for count in smoothed]]
    for attribute in attributes:
        if query[attribute] < 0:
            continue
        size = offsets[attribute + 1] - offsets[attribute]
        term = []
        for c in range(n_classes):
            known = [i for i in rows if codes[attribute, i] >= 0 and classes[i] == c]
            same = sum(codes[attribute, i] == query[attribute] for i in known)
            term.append(math.log((same + alpha) / (len(known) + alpha * size)))
        terms.append(term)
    return terms


def naive_bayes_joint(*arguments):
    """log P(class, query) of each class."""
    return [sum(terms) for terms in zip(*naive_bayes_terms(*arguments), strict=True)]
