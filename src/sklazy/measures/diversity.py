"""How much the members of an ensemble differ (Kuncheva and Whitaker 2003).

All measures take which members are right on which rows, a bool array of shape
(n_rows, n_members). Pairwise ones are averaged over all pairs of members.

References
----------
Kuncheva, L. I., Whitaker, C. J.: Measures of diversity in classifier ensembles and
their relationship with the ensemble accuracy. Machine Learning 51 (2003).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklazy.errors import BadInputError

Floats = NDArray[np.float64]


def q_statistic(right: ArrayLike) -> float:
    """Yule's Q, averaged over pairs: 0 for independent members, below 0 for diverse.

    Pairs whose Q is not defined (one member always right or always wrong) are left
    out; NaN if there is no other.

    Parameters
    ----------
    right : bool array-like of shape (n_rows, n_members)

    Examples
    --------
    >>> q_statistic([[1, 0], [0, 1], [1, 1], [1, 1]])
    -1.0
    """
    both, one, other, none = _count_pairs(right)
    agree, differ = both * none, one * other
    defined = agree + differ > 0
    q = (agree - differ)[defined] / (agree + differ)[defined]
    return float(q.mean()) if q.size else float("nan")


def disagreement(right: ArrayLike) -> float:
    """The share of rows on which just one of two members is right.

    Examples
    --------
    >>> disagreement([[1, 0], [0, 1], [1, 1], [1, 1]])
    0.5
    """
    both, one, other, none = _count_pairs(right)
    return float(((one + other) / (both + one + other + none)).mean())


def double_fault(right: ArrayLike) -> float:
    """The share of rows on which both of two members are wrong.

    Examples
    --------
    >>> double_fault([[1, 0], [0, 0], [1, 1], [1, 1]])
    0.25
    """
    both, one, other, none = _count_pairs(right)
    return float((none / (both + one + other + none)).mean())


def interrater_kappa(right: ArrayLike) -> float:
    """Agreement beyond chance: 1 for equal members, 0 for independent ones.

    NaN if all members are right, or all wrong, everywhere.

    Examples
    --------
    >>> interrater_kappa([[1, 1], [0, 0], [1, 1], [0, 0]])
    1.0
    """
    rights = _as_right(right)
    n_rows, n_members = rights.shape
    n_right = rights.sum(axis=1)
    mean = float(rights.mean())
    split = float((n_right * (n_members - n_right)).sum()) / n_members
    chance = n_rows * (n_members - 1) * mean * (1.0 - mean)
    return 1.0 - split / chance if chance > 0 else float("nan")


def vote_entropy(right: ArrayLike) -> float:
    """How evenly rows divide the members, 0 (all alike) to 1 (halves).

    Examples
    --------
    >>> vote_entropy([[1, 0, 1], [1, 1, 1]])
    0.5
    """
    rights = _as_right(right)
    n_members = rights.shape[1]
    n_right = rights.sum(axis=1)
    fewer = np.minimum(n_right, n_members - n_right)
    return float((fewer / (n_members - -(-n_members // 2))).mean())


def diversity_measures(y_true: ArrayLike, votes: ArrayLike) -> dict[str, float]:
    """All measures at once, from the members' votes.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
    votes : array-like of shape (n_rows, n_members)
        Prediction of each member.

    Returns
    -------
    dict
        `q_statistic`, `disagreement`, `double_fault`, `kappa` and `entropy`.

    References
    ----------
    Kuncheva, L. I., Whitaker, C. J.: Measures of diversity in classifier ensembles
    and their relationship with the ensemble accuracy. Machine Learning 51 (2003).

    Examples
    --------
    >>> from sklazy import diversity_measures
    >>> votes = [["a", "b", "a"], ["b", "b", "a"], ["a", "a", "a"]]
    >>> diversity_measures(["a", "b", "a"], votes)["disagreement"]
    0.444
    """
    truth, answers = np.asarray(y_true), np.asarray(votes)
    if answers.ndim != 2 or truth.shape != answers.shape[:1]:
        raise BadInputError(
            f"votes has the shape {answers.shape} for {truth.shape} true labels; give "
            "one row of votes for each label."
        )
    right = answers == truth[:, None]
    return {
        "q_statistic": q_statistic(right),
        "disagreement": disagreement(right),
        "double_fault": double_fault(right),
        "kappa": interrater_kappa(right),
        "entropy": vote_entropy(right),
    }


def _as_right(right: ArrayLike) -> Floats:
    rights = np.asarray(right, dtype=np.float64)
    if rights.ndim != 2 or rights.shape[0] < 1 or rights.shape[1] < 2:
        raise BadInputError(
            f"right has the shape {rights.shape}; give one row for each case and one "
            "column for each of at least two members."
        )
    return rights


def _count_pairs(right: ArrayLike) -> tuple[Floats, Floats, Floats, Floats]:
    """Rows on which both, only the first, only the second, none of a pair are right."""
    rights = _as_right(right)
    first, second = np.triu_indices(rights.shape[1], k=1)
    both = rights.T @ rights
    each = rights.sum(axis=0)
    pair = both[first, second]
    one, other = each[first] - pair, each[second] - pair
    return pair, one, other, len(rights) - pair - one - other
