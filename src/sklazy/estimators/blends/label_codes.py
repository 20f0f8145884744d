"""Mean targets in place of labels, of attributes that have many of them.

Many are more than linear models have indicators of, which see nothing of them.

Trees with a category for each of hundreds of labels fit the noise of each. The mean
target of a label's rows, shrunken to that of all, tells as much of labels that simply
raise or lower the target. A row's own target has no part in what stands for its label:
the rows that trees learn from are dealt to five folds, and the means of a fold are
those of the other four. Rows that are asked see the means of all that were learned.

References
----------
Micci-Barreca, D.: A preprocessing scheme for high-cardinality categorical attributes in
classification and prediction problems. SIGKDD Explorations 3 (2001).
Searle, S. R., Casella, G., McCulloch, C. E.: Variance components. Wiley, 1992.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.casebase import CaseBase
from sklazy.measures.magnitudes import find_unit
from sklazy.methods.linear_models.columns import MOST_CATEGORIES

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MOST_COLUMNS = 100  # of means, which are as many as classes for each attribute
_N_FOLDS = 5


class ManyLabels(NamedTuple):
    """The attributes of many labels, of cases in canonical order.

    Attributes
    ----------
    attributes : int64 array of shape (n_many,)
    codes : int64 array of shape (n_many, n_rows)
        -1 where a cell is missing.
    n_labels : tuple of int, one for each attribute
    targets : float64 array of shape (n_rows, n_outputs)
        Numbers in a unit of their own, or an indicator of each class, of two classes
        of the second alone.
    weights : float64 array of shape (n_rows,), or None where all rows weigh 1
    """

    attributes: Ints
    codes: Ints
    n_labels: tuple[int, ...]
    targets: Floats
    weights: Floats | None

    @property
    def n_means(self) -> int:
        """How many columns their means are."""
        return len(self.attributes) * self.targets.shape[1]


def find_labels(
    base: CaseBase, targets: NDArray[np.generic], weights: Floats | None
) -> ManyLabels:
    """Find the attributes of many labels; none where means would be too many columns.

    Parameters
    ----------
    base : CaseBase
    targets : float64 or int array of shape (n_rows,)
        Numbers, or classes, in canonical order.
    weights : float64 array of shape (n_rows,), or None
    """
    cases, n_classes = base.cases, base.cases.class_counts.size
    most = _MOST_COLUMNS // (n_classes if n_classes > 2 else 1)
    many = {}
    for j in np.flatnonzero(cases.numeric < 0).tolist():
        codes = cases.codes[j, base.order].astype(np.int64)
        if len(np.unique(codes[codes >= 0])) > MOST_CATEGORIES:
            many[j] = codes
    if not 0 < len(many) <= most:
        none = np.zeros(0, np.int64)
        return ManyLabels(none, none[:, None], (), np.zeros((0, 1)), None)
    n_labels = tuple(len(base.categories(j)) for j in many)
    outputs = _as_outputs(base, targets)
    return ManyLabels(
        np.array(list(many)), np.stack(list(many.values())), n_labels, outputs, weights
    )


def _as_outputs(base: CaseBase, targets: NDArray[np.generic]) -> Floats:
    if not base.class_labels:
        numbers = targets.astype(np.float64)
        with np.errstate(all="ignore"):  # what is not finite is refused by the trees
            return (numbers * find_unit(numbers))[:, None]
    n_classes = base.cases.class_counts.size
    indicators = (targets[:, None] == np.arange(n_classes)).astype(np.float64)
    return indicators[:, 1:] if n_classes == 2 else indicators


def average_labels(labels: ManyLabels, learned: Ints) -> list[Floats]:
    """How far each label's mean lies from that of all, of some rows.

    Returns
    -------
    means : list of float64 arrays of shape (n_labels + 1, n_outputs)
        One for each attribute; the last line is of labels that no row has.
    """
    targets = labels.targets[learned]
    weights = None if labels.weights is None else labels.weights[learned]
    with np.errstate(all="ignore"):
        return [
            _average(codes[learned], n_labels, targets, weights)
            for codes, n_labels in zip(labels.codes, labels.n_labels, strict=True)
        ]


def _average(
    codes: Ints, n_labels: int, targets: Floats, weights: Floats | None
) -> Floats:
    known = codes >= 0
    codes, targets = codes[known], targets[known]
    own = np.ones(len(codes)) if weights is None else weights[known]
    counts = _sum_by(codes, own, n_labels)
    means = np.zeros((n_labels + 1, targets.shape[1]))
    if not counts.any():
        return means
    for c, column in enumerate(targets.T):
        away = column - np.average(column, weights=own)
        sums = _sum_by(codes, own * away, n_labels)
        squares = _sum_by(codes, own * away**2, n_labels)
        prior = _find_prior(counts, sums, squares)
        if prior < math.inf:
            held = counts + prior
            means[:-1, c] = np.where(held > 0, sums / np.where(held > 0, held, 1.0), 0)
    return means


def _sum_by(codes: Ints, values: Floats, n_labels: int) -> Floats:
    return np.asarray(np.bincount(codes, values, n_labels), np.float64)


def _find_prior(counts: Floats, sums: Floats, squares: Floats) -> float:
    """How many rows the mean of all counts for: variance within over between labels.

    By the analysis of variance, not below 0; infinite where labels differ by no more
    than chance. Sums are exact, so that the order of labels does not matter.
    """
    seen = counts > 0
    counts, sums, squares = counts[seen], sums[seen], squares[seen]
    total, explained = math.fsum(counts), _add(sums**2 / counts)
    free, largest = total - len(counts), total - _add(counts**2) / total
    if free <= 0 or largest <= 0 or not math.isfinite(explained):
        return math.inf
    within = max(_add(squares) - explained, 0.0) / free
    between = (explained - (len(counts) - 1) * within) / largest
    return within / between if between > 0 else math.inf


def _add(terms: Floats) -> float:
    return math.fsum(terms) if np.isfinite(terms).all() else math.inf


def place_rows(labels: ManyLabels, learned: Ints) -> Floats:
    """Means for all rows by those learned, (n_rows, n_many * n_outputs).

    Rows that are learned from see those of the other folds.
    """
    everywhere = place_codes(labels.codes.T, average_labels(labels, learned))
    folds = np.arange(len(learned)) % _N_FOLDS
    for fold in range(min(_N_FOLDS, len(learned))):
        held, others = learned[folds == fold], learned[folds != fold]
        means = average_labels(labels, others)
        everywhere[held] = place_codes(labels.codes.T[held], means)
    return everywhere


def place_codes(codes: NDArray[np.integer], means: list[Floats]) -> Floats:
    """Means of labels by their codes, (n_rows, n_many), side by side.

    ManyLabels that no case has stand at the mean of all; missing cells stay missing.
    """
    columns = []
    for own, table in zip(codes.T, means, strict=True):
        known = np.where((own >= 0) & (own < len(table) - 1), own, -1)
        columns.append(np.where((own == -1)[:, None], np.nan, table[known]))
    return np.hstack(columns)
