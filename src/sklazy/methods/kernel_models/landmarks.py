"""Kernel ridge regression of all rows, whose answers are sums over some: landmarks.

With K the similarities of the n rows to m landmarks, M those of the landmarks to each
other, r the ridge and A = K'K + rM, targets y less a center c have the coefficients
A^-1 K'(y - c). Row i has the leverage h_i = k_i' A^-1 k_i, its own row of K being k_i,
and without it its answer is y_i - (y_i - c - k_i' A^-1 K'(y - c)) / (1 - h_i), where c
is the mean of the other rows. Where all rows are landmarks, these are the answers of
the system of all rows. With weights of rows, W their diagonal matrix, A = K'WK + rM,
the coefficients are A^-1 K'W(y - c), and h_i counts as often as weight is left out.

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
from sklazy.kernels.kernel_models import add_to_factor, measure_distances
from sklazy.methods.kernel_models.choice import Judge, KernelSettings
from sklazy.methods.kernel_models.solution import mean_of_all, mean_of_others
from sklazy.methods.row_weights import RowWeights

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BLOCK = 512
"""Rows that are summed at a time, always the same ones: digits depend on them."""

STEP = 10.0**0.5
"""The ratio of two ridges that are tried one after the other."""

_JITTER = 1e-10  # of the mean diagonal: keeps landmarks apart that are nearly equal
LARGEST_LEVERAGE = 1.0 - 1e-9
"""So that no row is left without any other."""

_MOST_STEPS = 4  # from the ridge that was chosen on fewer rows
_MOST_LANDMARKS = 2000
_MOST_PRODUCTS = 4e11  # of the sums: some seconds


def count_landmarks(n_rows: int, fewest: int) -> int:
    """How many landmarks many rows have: at least `fewest` while sums take seconds.

    Examples
    --------
    >>> count_landmarks(3000, 2000), count_landmarks(1_000_000, 2000)
    (2000, 632)
    """
    affordable = math.isqrt(int(_MOST_PRODUCTS / n_rows))
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
    sides : float64 array of shape (n_landmarks, n_targets + 1)
        As in `Sums`.
    coefficients : float64 array of shape (n_targets, n_landmarks)
    left_out : LeftOut
        The answer for every row from the others.
    in_part : LeftOut
        The same without that share of the row's weight by which settings are chosen.
    """

    places: Ints
    columns: KernelColumns
    factor: Floats
    sides: Floats
    coefficients: Floats
    left_out: "LeftOut"
    in_part: "LeftOut"


class Sums(NamedTuple):
    """What all rows add up to, with a rate of decay.

    Attributes
    ----------
    products : float64 array of shape (n_landmarks, n_landmarks)
        K'K, its lower half.
    sides : float64 array of shape (n_landmarks, n_targets + 1)
        K' times the targets, and times ones.
    among : float64 array of shape (n_landmarks, n_landmarks)
        The similarities of the landmarks to each other.
    """

    products: Floats
    sides: Floats
    among: Floats


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
    queries = np.ascontiguousarray(columns.values[:, rows].T)
    found = np.empty((len(queries), centers.values.shape[1]))
    measure_distances(centers, queries, found)
    found *= -rate
    return np.exp(found, out=found)


def each_block(n_rows: int) -> Iterator[slice]:
    """The blocks of rows, one after the other."""
    for first in range(0, n_rows, BLOCK):
        yield slice(first, min(first + BLOCK, n_rows))


def sum_rows(
    centers: KernelColumns,
    columns: KernelColumns,
    targets: Floats,
    rate: float,
    weights: RowWeights | None = None,
) -> Sums:
    """Add up all rows, block by block."""
    n_centers = centers.values.shape[1]
    products = np.zeros((n_centers, n_centers), order="F")
    sides = np.zeros((n_centers, targets.shape[1] + 1))
    for rows in each_block(len(targets)):
        near = similarities_to(centers, columns, rows, rate)
        if weights is None:
            sides[:, :-1] += near.T @ targets[rows]
            sides[:, -1] += near.sum(axis=0)
        else:
            own = weights.values[rows]
            sides[:, :-1] += near.T @ (own[:, None] * targets[rows])
            sides[:, -1] += own @ near
            near *= np.sqrt(own)[:, None]
        products = dsyrk(1.0, near.T, 1.0, products, lower=1, overwrite_c=1)
    among = similarities_to(centers, centers, slice(None), rate)
    return Sums(products, sides, among)


def add_jitter(system: Floats) -> Floats:
    """A system with a little more on the diagonal, in Fortran's order."""
    found = np.asfortranarray(system)
    diagonal = np.diag_indices_from(found)
    found[diagonal] += _JITTER * found[diagonal].mean()
    return found


def solve_sums(sums: Sums, ridge: float) -> tuple[Floats, Floats]:
    """The factor of A, and its solutions."""
    system = add_jitter(sums.products + ridge * sums.among)
    factor, failed = lapack.dpotrf(system, lower=1, overwrite_a=1)
    assert not failed, "products of similarities and a ridge above 0"
    solved, _ = lapack.dpotrs(factor, sums.sides, lower=1)
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
    halves = dtrsm(1.0, factor, near.T, lower=1)
    leverages = np.einsum("ij,ij->j", halves, halves)
    if gone is not None:
        leverages *= gone
    free = 1.0 - np.minimum(leverages, LARGEST_LEVERAGE)[:, None]
    fitted = near @ solved
    residuals = targets - others - fitted[:, :-1] + others * fitted[:, -1:]
    answers: Floats = targets - residuals / free
    return answers


def weigh_all(
    landmarks: Landmarks, columns: KernelColumns, rate: float, side: Floats
) -> Floats:
    """The weight of every row's target in the answer to a query, (n_rows,).

    Rows that weigh 1 each, that is. `side` has the similarities of the query to the
    landmarks.
    """
    influence, _ = lapack.dpotrs(landmarks.factor, side, lower=1)
    influences = np.empty(columns.values.shape[1])
    for rows in each_block(len(influences)):
        near = similarities_to(landmarks.columns, columns, rows, rate)
        influences[rows] = near @ influence
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


def find_landmarks(
    columns: KernelColumns, n_landmarks: int, weights: RowWeights | None
) -> Ints:
    """The rows that are landmarks, of those whose weight counts."""
    if weights is None:
        return draw_landmarks(columns, n_landmarks)
    counting = weights.counting()
    return counting[draw_landmarks(take_rows(columns, counting), n_landmarks)]


def solve_landmarks(
    columns: KernelColumns,
    settings: KernelSettings,
    targets: Floats,
    judged: tuple[Ints, Judge] | None,
    n_landmarks: int,
    weights: RowWeights | None = None,
) -> tuple[KernelSettings, Landmarks]:
    """Solve with all rows, and choose ridge and temperature by the first ones.

    Parameters
    ----------
    columns : KernelColumns
        All rows in canonical order, with the weights of `settings`.
    settings : KernelSettings
    targets : float64 array of shape (n_rows, n_targets)
    judged : pair of an int64 array and a Judge, or None
        The rows that settings are chosen by, and their judge; None where ridge and
        temperature are known.
    n_landmarks : int
    weights : RowWeights, optional
    """
    places = find_landmarks(columns, n_landmarks, weights)
    centers, rate = take_rows(columns, places), settings.rate
    sums = sum_rows(centers, columns, targets, rate, weights)
    trial = _Trial(columns, centers, targets, rate, weights)
    if judged is not None:
        settings = _choose_ridge(trial, sums, settings, judged)
    factor, solved = solve_sums(sums, settings.ridge)
    return settings, _describe(trial, places, factor, sums.sides, solved)


def add_to_landmarks(
    columns: KernelColumns,
    rate: float,
    targets: Floats,
    places: Ints,
    factor: Floats,
    sides: Floats,
    new: Ints,
) -> Landmarks:
    """The system with some rows more, none of which has a weight.

    Parameters
    ----------
    columns, targets
        All rows, as for `solve_landmarks`.
    rate : float
    places : int64 array of shape (n_landmarks,)
        The landmarks, which stay.
    factor, sides
        As in `Landmarks`, before the new rows came.
    new : int64 array of shape (n_new,)
        Where these are.
    """
    centers = take_rows(columns, places)
    near = similarities_to(centers, columns, new, rate)
    sides = sides + near.T @ np.column_stack([targets[new], np.ones(len(new))])
    factor = factor.copy(order="F")
    add_to_factor(factor.T, near)
    solved, _ = lapack.dpotrs(factor, sides, lower=1)
    trial = _Trial(columns, centers, targets, rate, None)
    return _describe(trial, places, factor, sides, solved)


def _describe(
    trial: "_Trial", places: Ints, factor: Floats, sides: Floats, solved: Floats
) -> Landmarks:
    targets, weights = trial.targets, trial.weights
    in_part = LeftOut(lambda rows: trial.leave_out(rows, factor, solved), len(targets))
    left_out, whole = in_part, trial.leaving_all()
    if whole is not trial:
        left_out = LeftOut(
            lambda rows: whole.leave_out(rows, factor, solved), len(targets)
        )
    coefficients = solved[:, :-1] - mean_of_all(targets, weights) * solved[:, -1:]
    shown = np.ascontiguousarray(coefficients.T)
    found = places, trial.centers, factor, sides, shown
    return Landmarks(*found, left_out, in_part)


class _Trial(NamedTuple):
    """Rows and landmarks, for which ridges are tried."""

    columns: KernelColumns
    centers: KernelColumns
    targets: Floats
    rate: float
    weights: RowWeights | None

    def leaving_all(self) -> "_Trial":
        """The same, leaving out all of a row's weight."""
        weights = self.weights
        if weights is None or (weights.shares == 1.0).all():
            return self
        shares = np.ones(len(weights.shares))
        return self._replace(weights=weights._replace(shares=shares))

    def leave_out(self, rows: Ints | slice, factor: Floats, solved: Floats) -> Floats:
        """The answers for a block of rows from all others."""
        near = similarities_to(self.centers, self.columns, rows, self.rate)
        others = mean_of_others(self.targets, rows, self.weights)
        gone = None
        if self.weights is not None:
            gone = (self.weights.values * self.weights.shares)[rows]
        return leave_block_out(near, factor, solved, self.targets[rows], others, gone)

    def measure(
        self, sums: Sums, ridge: float, judged: tuple[Ints, Judge]
    ) -> tuple[float, float]:
        """The left-out loss of the first rows with a ridge, and its temperature."""
        factor, solved = solve_sums(sums, ridge)
        rows, judge = judged
        blocks = [
            self.leave_out(rows[part], factor, solved) for part in each_block(len(rows))
        ]
        return judge.measure(np.concatenate(blocks))


def _choose_ridge(
    trial: _Trial, sums: Sums, settings: KernelSettings, judged: tuple[Ints, Judge]
) -> KernelSettings:
    """Go from ridge to ridge as long as the left-out loss falls."""
    best = _try_ridge(trial, sums, settings, settings.ridge, judged)
    for factor in (STEP, 1.0 / STEP):
        for _ in range(_MOST_STEPS):
            tried = _try_ridge(trial, sums, settings, best.ridge * factor, judged)
            if tried.loss >= best.loss:
                break
            best = tried
        if best.ridge != settings.ridge:
            break
    return best


def _try_ridge(
    trial: _Trial,
    sums: Sums,
    settings: KernelSettings,
    ridge: float,
    judged: tuple[Ints, Judge],
) -> KernelSettings:
    loss, temperature = trial.measure(sums, ridge, judged)
    return settings._replace(ridge=ridge, loss=loss, temperature=temperature)
