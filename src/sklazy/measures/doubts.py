"""How far other cases contradict a label or a number, from left-out answers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.measures.contingency import Floats

Ints = NDArray[np.integer]

_TO_DEVIATION = 1.4826  # from the median of absolute normal residuals
_MOST_USUAL = 3.5  # deviations


class Doubts(NamedTuple):
    """The rows' own targets compared with left-out answers.

    Attributes
    ----------
    doubts : float64 array of shape (n_rows,)
        The higher, the more the others contradict the row.
    suggested : array of shape (n_rows,)
        Predicted by the others: the code of a class, or a number.
    suspicious : bool array of shape (n_rows,)
        Whether the contradiction is worth a look.
    learned : bool
        Whether there is anything to go by: left-out answers are better than guesses.
    expected_wrong : float
        Roughly how many of the suspicious labels are wrong; 0 for numbers.
    """

    doubts: Floats
    suggested: NDArray[np.integer] | Floats
    suspicious: NDArray[np.bool_]
    learned: bool = True
    expected_wrong: float = 0.0


def doubt_labels(probabilities: Floats, classes: Ints) -> Doubts:
    """Doubts about labels: one minus the left-out probability of the own label.

    A label is worth a look if another class is more probable, and at least as probable
    as it is on average among the rows that have it, or if no other row has the label.
    None is where the probabilities are no better than the shares of the classes, by
    their squared error (Brier's score). How many of them are wrong is estimated by how
    much more probable the other class is, added up: a label as probable as its rival
    counts nothing, an impossible one counts 1.

    Parameters
    ----------
    probabilities : float64 array of shape (n_rows, n_classes)
        Of each row by all others.
    classes : int array of shape (n_rows,)

    References
    ----------
    C. G. Northcutt, L. Jiang, I. L. Chuang: Confident learning: estimating uncertainty
    in dataset labels. Journal of Artificial Intelligence Research 70, 2021.

    Examples
    --------
    >>> shares = np.array([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.95, 0.05]])
    >>> doubts, suggested, suspicious, *_ = doubt_labels(shares, np.array([0, 0, 1, 1]))
    >>> doubts.round(2).tolist(), suggested.tolist(), suspicious.tolist()
    ([0.1, 0.2, 0.1, 0.95], [0, 0, 1, 0], [False, False, False, True])
    """
    rows = np.arange(len(classes))
    label_share = probabilities[rows, classes]
    others = probabilities.copy()
    others[rows, classes] = -np.inf
    rival = others.argmax(axis=1)
    rival_share = others[rows, rival]
    usual = _mean_by_class(label_share, classes, probabilities.shape[1])
    contradicted = rival_share > label_share
    alone = np.bincount(classes)[classes] == 1
    suspicious = contradicted & ((rival_share >= usual[rival]) | alone)
    learned = _beats_guess(probabilities, classes)
    suggested = np.where(contradicted, rival, classes)
    suspicious &= learned
    wrong = float(np.sort((rival_share - label_share)[suspicious]).sum())
    return Doubts(1.0 - label_share, suggested, suspicious, learned, wrong)


def _beats_guess(probabilities: Floats, classes: Ints) -> bool:
    """Whether probabilities have less squared error than the shares of the classes."""
    errors = probabilities.copy()
    errors[np.arange(len(classes)), classes] -= 1.0
    score = np.sort((errors**2).sum(axis=1)).mean()
    shares = np.bincount(classes) / len(classes)
    return bool(score < 1.0 - (shares**2).sum())


def _mean_by_class(values: Floats, classes: Ints, n_classes: int) -> Floats:
    """The mean of each class, whatever the order of rows; 0 for one without rows."""
    means = np.zeros(n_classes)
    for label in np.unique(classes).tolist():
        means[label] = np.sort(values[classes == label]).mean()
    return means


def doubt_numbers(targets: Floats, left_out: Floats) -> Doubts:
    """Doubts about numbers: left-out residuals in terms of their usual size.

    That is 1.4826 times their median absolute size, or their mean where more than half
    of them are 0. Worth a look is what is more than 3.5 times as large.

    Parameters
    ----------
    targets, left_out : float64 arrays of shape (n_rows,)
        Targets of the rows, and their predictions by all others.

    References
    ----------
    B. Iglewicz, D. C. Hoaglin: How to detect and handle outliers. ASQC, 1993.

    Examples
    --------
    >>> answers = np.array([1.1, 1.8, 3.2, 4.0])
    >>> doubts = doubt_numbers(np.array([1.0, 2.0, 3.0, 9.0]), answers)
    >>> doubts.doubts.round(1).tolist(), doubts.suspicious.tolist()
    ([0.3, 0.7, 0.7, 16.9], [False, False, False, True])
    """
    sizes = np.abs(targets / 4 - left_out / 4)  # the largest floats do not overflow
    usual = _TO_DEVIATION * float(np.median(sizes)) or _mean(sizes)
    with np.errstate(over="ignore"):
        most = np.finfo(np.float64).max
        doubts = np.minimum(sizes / usual, most) if usual > 0 else np.zeros(len(sizes))
    return Doubts(doubts, left_out, doubts > _MOST_USUAL)


def _mean(sizes: Floats) -> float:
    """The mean, whatever the order and the size of numbers."""
    return float((np.sort(sizes) / len(sizes)).sum())


def compare_classes(
    counts: NDArray[np.int64], value: int, label: int, other: int
) -> float:
    """How far a value supports another class than its row's, the row left out.

    The logarithm (of base 2) of how much more frequent the value is in the other class,
    frequencies smoothed by one row for each value.

    Parameters
    ----------
    counts : int64 array of shape (n_values, n_classes)
        Of one attribute, the row among them.
    value : int
        The row's.
    label, other : int
        The row's class, and another.

    Examples
    --------
    >>> compare_classes(np.array([[8, 1], [0, 7]]), 0, label=1, other=0)
    3.0179219079972626
    """
    n_values = len(counts)
    shares = (counts[value, other] + 1) / (counts[:, other].sum() + n_values)
    left = counts[value, label] / (counts[:, label].sum() - 1 + n_values)
    return float(np.log2(shares) - np.log2(left))
