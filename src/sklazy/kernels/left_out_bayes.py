"""Naive Bayes decides cases without themselves, with one attribute, two, and more."""

import numpy as np

from sklazy.kernels.compiling import entry
from sklazy.kernels.ties import TIE


@entry
def count_right_without_own(
    table, own_table, priors, orders, cells, classes, attributes, right
):
    """Count the cases that are decided right with the first attributes of each.

    Equal to adding up ``priors``, then the terms in order, and choosing the class with
    the highest sum as `argmax_by_order` does, number by number.

    Parameters
    ----------
    table : float64 array of shape (n_values + 1, n_classes)
        Log-likelihoods of all cases.
    own_table : float64 array of shape (n_values + 1, n_classes)
        The same without one case of the value and class, for a case of that class.
    priors : float64 array of shape (n_classes, n_classes)
        Log-priors without a case of each class.
    orders : int64 array of shape (n_classes, n_classes)
        The classes in the order in which they win ties, by the class of the case.
    cells : int64 array of shape (n_cases, n_attributes)
        The row of each attribute's value in the tables; below zero there is none.
    classes : int32 array of shape (n_cases,)
    attributes : int32 array of shape (n_cases, n_most)
        In the order in which they are used.
    right : int64 array of shape (n_most,), added to
    """
    n_classes = priors.shape[0]
    total = np.empty(n_classes)
    for case in range(classes.size):
        own = classes[case]
        for c in range(n_classes):
            total[c] = priors[own, c]
        for i in range(attributes.shape[1]):
            cell = cells[case, attributes[case, i]]
            if cell >= 0:
                before = total[own]
                for c in range(n_classes):
                    total[c] += table[cell, c]
                total[own] = before + own_table[cell, own]
            best = total[0]
            for c in range(1, n_classes):
                best = total[c] if total[c] > best else best
            least = best - TIE * max(1.0, abs(best))
            chosen = 0
            while chosen < n_classes - 1 and total[orders[own, chosen]] < least:
                chosen += 1
            right[i] += orders[own, chosen] == own
