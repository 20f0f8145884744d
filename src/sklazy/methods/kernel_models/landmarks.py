"""Kernel ridge regression of all rows, whose answers are sums over some: landmarks.

With K the similarities of the n rows to m landmarks, M those of the landmarks to each
other, r the ridge and A = K'K + rM, targets y less a center c have the coefficients
A^-1 K'(y - c). Row i has the leverage h_i = k_i' A^-1 k_i, its own row of K being k_i,
and without it its answer is y_i - (y_i - c - k_i' A^-1 K'(y - c)) / (1 - h_i), where c
is the mean of the other rows. Where all rows are landmarks, these are the answers of
the system of all rows. With weights of rows, W their diagonal matrix, A = K'WK + rM,
the coefficients are A^-1 K'W(y - c), and h_i counts as often as weight is left out.

Similarities of rows to landmarks, K, are rounded to a grid (see `sums`); those of
queries are not.

References
----------
Williams, C. K. I., Seeger, M.: Using the Nystrom method to speed up kernel machines.
NIPS 13 (2000).
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.linalg.blas import dsyrk, dtrsm

from sklazy.casebase.canonical import content_hashes, number_words
from sklazy.flow import KernelColumns
from sklazy.kernels.kernel_models import measure_distances
from sklazy.methods.kernel_models.choice import Judge, KernelSettings
from sklazy.methods.kernel_models.solution import mean_of_all, mean_of_others
from sklazy.methods.row_weights import RowWeights

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BLOCK = 512
"""Rows that are left out at a time, always the same ones: digits depend on them."""

STEP = 10.0**0.5
"""The ratio of two ridges that are tried one after the other."""

_JITTER = 1e-10  # of the mean diagonal: keeps landmarks apart that are nearly equal
LARGEST_LEVERAGE = 1.0 - 1e-9
"""So that no row is left without any other."""

_MOST_STEPS = 4  # from the ridge that was chosen on fewer rows
_MOST_LANDMARKS = 2000
_MOST_PRODUCTS = 2e11  # of the sums: some seconds
_ROUND = 20  # to which landmarks are counted, so that few changes of rows change them

Near = Callable[[Ints | slice], Floats]
"""From rows to their similarities to the landmarks, (n_rows, n_landmarks)."""


def count_landmarks(n_rows: int, fewest: int) -> int:
    """How many landmarks many rows have: at least `fewest` while sums take seconds.

    Examples
    --------
    >>> count_landmarks(3000, 2000), count_landmarks(1_000_000, 2000)
    (2000, 440)
    """
    affordable = math.isqrt(int(_MOST_PRODUCTS / n_rows)) // _ROUND * _ROUND
    return max(1, min(max(_MOST_LANDMARKS, fewest), affordable, n_rows))


class Landmarks(NamedTuple):
    """A system solved.

    Attributes
    ----------
    places : int64 array of shape (n_landmarks,)
        Which rows are landmarks, by their place in canonical order.
    columns : KernelColumns
        The landmarks alone.
    factor : float64 array of shape (n_landmarks, n_landmarks)
        The lower Cholesky factor of A.
    coefficients : float64 array of shape (n_targets, n_landmarks)
    near : callable
        The similarities of rows to landmarks, as they are summed.
    left_out : LeftOut
        The answer for every row from the others.
    in_part : LeftOut
        The same without that share of the row's weight by which settings are chosen.
    estimate : callable, or None where rows have weights
        From a number of rows to left-out answers for so many, the first ones, which
        cost little after a change of others (see `first_rows`). None if they are more
        than were drawn.
    """

    places: Ints
    columns: KernelColumns
    factor: Floats
    coefficients: Floats
    near: Near
    left_out: "LeftOut"
    in_part: "LeftOut"
    estimate: "Callable[[int], Floats | None] | None" = None


def draw_landmarks(columns: KernelColumns, n_landmarks: int) -> Ints:
    """The first rows in canonical order, a fair draw; of equal rows the first one."""
    telling = columns.values[columns.weights > 0.0] + 0.0  # -0.0 is 0.0
    if not len(telling):
        return np.zeros(1, np.int64)
    _, first = np.unique(content_hashes(map(number_words, telling)), return_index=True)
    return np.sort(first)[:n_landmarks].astype(np.int64)


def take_rows(columns: KernelColumns, rows: Ints | slice) -> KernelColumns:
    """Some of the rows."""
    return columns._replace(values=np.ascontiguousarray(columns.values[:, rows]))


def similarities_to(
    centers: KernelColumns, columns: KernelColumns, rows: Ints | slice, rate: float
) -> Floats:
    """Similarities of a block of rows to landmarks, (n_rows, n_landmarks)."""
    return similarities_of(columns.values[:, rows], centers, rate)


def similarities_of(values: Floats, centers: KernelColumns, rate: float) -> Floats:
    """The same of rows as they are placed, (n_attributes, n_rows)."""
    queries = np.ascontiguousarray(values.T)
    found = np.empty((len(queries), centers.values.shape[1]))
    measure_distances(centers, queries, found)
    found *= -rate
    return np.exp(found, out=found)


def each_block(n_rows: int) -> Iterator[slice]:
    """The blocks of rows, one after the other."""
    for first in range(0, n_rows, BLOCK):
        yield slice(first, min(first + BLOCK, n_rows))


def sum_rows(
    near_of: Near, targets: Floats, weights: RowWeights | None
) -> tuple[Floats, Floats]:
    """K'WK, its lower half, and K'W times the targets and ones, block by block."""
    n_landmarks = near_of(slice(0, 1)).shape[1]
    products = np.zeros((n_landmarks, n_landmarks), order="F")
    sides = np.zeros((n_landmarks, targets.shape[1] + 1))
    for rows in each_block(len(targets)):
        near = near_of(rows)
        own = np.ones(1) if weights is None else weights.values[rows, None]
        ones = np.ones((len(near), 1))
        sides += near.T @ (own * np.hstack([targets[rows], ones]))
        near = near * np.sqrt(own)
        products = dsyrk(1.0, near.T, 1.0, products, lower=1, overwrite_c=1)
    return products, sides


def add_jitter(system: Floats) -> Floats:
    """A system with a little more on the diagonal, in Fortran's order."""
    found = np.asfortranarray(system)
    diagonal = np.diag_indices_from(found)
    found[diagonal] += _JITTER * found[diagonal].mean()
    return found


def solve_system(system: Floats, sides: Floats) -> tuple[Floats, Floats]:
    """The factor of A without its jitter, and its solutions; `system` is overwritten.

    `system` has A in its lower half, in Fortran's order.
    """
    factor, failed = lapack.dpotrf(add_jitter(system), lower=1, overwrite_a=1)
    assert not failed, "products of similarities and a ridge above 0"
    solved, _ = lapack.dpotrs(factor, sides, lower=1)
    return factor, solved


def leave_block_out(
    near: Floats,
    factor: Floats,
    solved: Floats,
    targets: Floats,
    others: Floats,
    gone: Floats | None = None,
) -> Floats:
    """The answers for rows from all others, (n_rows, n_targets).

    Parameters
    ----------
    near : float64 array of shape (n_rows, n_landmarks)
    factor, solved
        As in `Landmarks`.
    targets, others : float64 arrays of shape (n_rows, n_targets)
        The targets of the rows, and the means of all other rows.
    gone : float64 array of shape (n_rows,), optional
        The weight that is left out of each row; 1 by default.
    """
    leverages = measure_leverages(near, factor)
    if gone is not None:
        leverages *= gone
    return leave_out_by(leverages, near @ solved, targets, others)


def measure_leverages(near: Floats, factor: Floats) -> Floats:
    """The leverages of rows by their similarities to landmarks, (n_rows,)."""
    halves = dtrsm(1.0, factor, near.T, lower=1)
    leverages: Floats = np.einsum("ij,ij->j", halves, halves)
    return leverages


def leave_out_by(
    leverages: Floats, fitted: Floats, targets: Floats, others: Floats
) -> Floats:
    """The same where leverages, and fits of the targets and of ones, are known."""
    free = 1.0 - np.minimum(leverages, LARGEST_LEVERAGE)[:, None]
    residuals = targets - others - fitted[:, :-1] + others * fitted[:, -1:]
    answers: Floats = targets - residuals / free
    return answers


def weigh_all(landmarks: Landmarks, n_rows: int, side: Floats) -> Floats:
    """The weight of every row's target in the answer to a query, (n_rows,).

    Rows that weigh 1 each, that is. `side` has the similarities of the query to the
    landmarks.
    """
    influence, _ = lapack.dpotrs(landmarks.factor, side, lower=1)
    influences = np.empty(n_rows)
    for rows in each_block(n_rows):
        influences[rows] = landmarks.near(rows) @ influence
    return influences


class LeftOut:
    """Answers for rows from all others, in blocks that are solved when needed.

    A block has the same digits whichever of its rows were asked for.
    """

    def __init__(self, solve_block: Callable[[slice], Floats], n_rows: int) -> None:
        self._solve_block, self._n_rows = solve_block, n_rows
        self._blocks: dict[int, Floats] = {}

    def __getitem__(self, places: Ints) -> Floats:
        """The answers for some rows, (n_places, n_targets)."""
        blocks, within = np.divmod(places, BLOCK)
        needed, where = np.unique(blocks, return_inverse=True)
        found = [
            self._find(int(block))[within[where == k]] for k, block in enumerate(needed)
        ]
        answers = np.empty((len(places), found[0].shape[1]))
        for k, part in enumerate(found):
            answers[where == k] = part
        return answers

    def _find(self, block: int) -> Floats:
        if block not in self._blocks:
            first = block * BLOCK
            rows = slice(first, min(first + BLOCK, self._n_rows))
            self._blocks[block] = self._solve_block(rows)
        return self._blocks[block]


class Marked(NamedTuple):
    """Rows that are summed over, and their similarities to landmarks.

    Attributes
    ----------
    near : callable
        As in `Landmarks`.
    targets : float64 array of shape (n_rows, n_targets)
    weights : RowWeights, or None where all rows weigh 1
    """

    near: Near
    targets: Floats
    weights: RowWeights | None

    def leaving_all(self) -> "Marked":
        """The same, leaving out all of a row's weight."""
        weights = self.weights
        if weights is None or (weights.shares == 1.0).all():
            return self
        shares = np.ones(len(weights.shares))
        return self._replace(weights=weights._replace(shares=shares))

    def leave_out(self, rows: Ints | slice, factor: Floats, solved: Floats) -> Floats:
        """The answers for a block of rows from all others."""
        others = mean_of_others(self.targets, rows, self.weights)
        gone = None
        if self.weights is not None:
            gone = (self.weights.values * self.weights.shares)[rows]
        known = self.near(rows), factor, solved, self.targets[rows]
        return leave_block_out(*known, others, gone)


def describe_landmarks(
    rows: Marked, places: Ints, columns: KernelColumns, factor: Floats, solved: Floats
) -> Landmarks:
    """A system that is solved, with its left-out answers."""
    targets, whole = rows.targets, rows.leaving_all()
    in_part = LeftOut(lambda some: rows.leave_out(some, factor, solved), len(targets))
    left_out = in_part
    if whole is not rows:
        left_out = LeftOut(
            lambda some: whole.leave_out(some, factor, solved), len(targets)
        )
    center = mean_of_all(targets, rows.weights)
    coefficients = np.ascontiguousarray((solved[:, :-1] - center * solved[:, -1:]).T)
    found = places, columns, factor, coefficients
    return Landmarks(*found, rows.near, left_out, in_part)


class _Trial(NamedTuple):
    """Rows for which ridges are tried, what they add up to, and those to judge by."""

    rows: Marked
    products: Floats
    sides: Floats
    among: Floats
    judged: Ints
    judge: Judge

    def measure(self, settings: KernelSettings, ridge: float) -> KernelSettings:
        """The settings with a ridge, its left-out loss and temperature."""
        system = self.products + ridge * self.among
        factor, solved = solve_system(system, self.sides)
        blocks = [
            self.rows.leave_out(self.judged[part], factor, solved)
            for part in each_block(len(self.judged))
        ]
        loss, temperature = self.judge.measure(np.concatenate(blocks))
        return settings._replace(ridge=ridge, loss=loss, temperature=temperature)


def choose_ridge(
    columns: KernelColumns,
    centers: KernelColumns,
    settings: KernelSettings,
    targets: Floats,
    weights: RowWeights | None,
    judged: tuple[Ints, Judge],
) -> KernelSettings:
    """Go from ridge to ridge as long as the left-out loss of some rows falls.

    Parameters
    ----------
    columns : KernelColumns
        The rows that are summed over.
    centers : KernelColumns
        The landmarks.
    settings : KernelSettings
    targets : float64 array of shape (n_rows, n_targets)
    weights : RowWeights, or None where all rows weigh 1
    judged : pair of an int64 array and a Judge
        Places of the rows that are left out, and their judge.
    """
    rate = settings.rate
    rows = Marked(
        lambda some: similarities_to(centers, columns, some, rate), targets, weights
    )
    among = similarities_to(centers, centers, slice(None), rate)
    trial = _Trial(rows, *sum_rows(*rows), among, *judged)
    best = trial.measure(settings, settings.ridge)
    for factor in (STEP, 1.0 / STEP):
        for _ in range(_MOST_STEPS):
            tried = trial.measure(settings, best.ridge * factor)
            if tried.loss >= best.loss:
                break
            best = tried
        if best.ridge != settings.ridge:
            break
    return best
