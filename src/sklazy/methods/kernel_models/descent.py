"""Weights of attributes, width and ridge, by the left-out loss of many rows.

As in `refine`, for landmarks. The left-out error of row i is e_i = u_i / (1 - h_i),
where u = y - Ka, a = A^-1 K'y, h_i = k_i' A^-1 k_i, and A = K'K + rM = LL' (see
`landmarks`); y has lost its center. With J the loss, g = dJ/du, q = dJ/dh,
H = L^-1 K', C = H diag(q) H', S = L'^-1 C L^-1 and b = L'^-1 Hg its derivative by K is
-(g - Kb)a' - ub' + 2 (diag(q) H' - H'C) L^-1, by M r(ba' - S), and by r the sum of M
times (ba' - S). With weights of rows Wu stands for u there, WH' for the second H' of
the brackets, WK for K, and q for what is left out of each weight.

Loss and leverages are found in double precision. The slopes have three large products,
which are of single precision: that changes the way a little, never a loss.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.linalg.blas import dtrsm, strsm

from sklazy.flow import KernelColumns
from sklazy.kernels.kernel_models import sum_differences
from sklazy.methods.kernel_models.choice import Judge, KernelSettings
from sklazy.methods.kernel_models.landmarks import (
    LARGEST_LEVERAGE,
    add_jitter,
    draw_landmarks,
    similarities_to,
    take_rows,
)
from sklazy.methods.kernel_models.refine import FEWEST_ROWS
from sklazy.methods.kernel_models.solution import factorize_system, mean_of_all
from sklazy.methods.row_weights import RowWeights

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

N_SOLVED = 12
"""Systems that are solved on the way."""

_FARTHEST = 7.0  # that the logarithm of a weight goes
_FARTHEST_RIDGE = 5.0
_FIRST_STEP = 0.5  # of the logarithm that moves most
_WORTH = 0.5  # nats that a step must gain for another one


class DescentRows(NamedTuple):
    """Rows that are left out in turn.

    Attributes
    ----------
    columns : KernelColumns
        Its weights do not matter.
    landmarks : int64 array of shape (n_landmarks,)
        Their places among the rows.
    targets : float64 array of shape (n_rows, n_targets)
    judge : Judge
    """

    columns: KernelColumns
    landmarks: Ints
    targets: Floats
    judge: Judge


class Solved(NamedTuple):
    """A system with settings on trial.

    Attributes
    ----------
    settings : KernelSettings
    columns, centers : KernelColumns
    near : float64 array of shape (n_rows, n_landmarks)
        K.
    among, factor : float64 arrays of shape (n_landmarks, n_landmarks)
        M, and L.
    halves : float64 array of shape (n_landmarks, n_rows)
        H.
    coefficients : float64 array of shape (n_landmarks, n_targets)
    residuals, left_out : float64 arrays of shape (n_rows, n_targets)
    free : float64 array of shape (n_rows, 1)
        One less the leverages.
    """

    settings: KernelSettings
    columns: KernelColumns
    centers: KernelColumns
    near: Floats
    among: Floats
    factor: Floats
    halves: Floats
    coefficients: Floats
    residuals: Floats
    left_out: Floats
    free: Floats


def descend(
    columns: KernelColumns,
    settings: KernelSettings,
    targets: Floats,
    judge: Judge,
    n_landmarks: int,
) -> KernelSettings:
    """Move weights, width and ridge to where the left-out loss is less.

    By L-BFGS on their logarithms. Akaike's criterion decides whether that is worth it,
    as in `refine_settings`.

    Parameters
    ----------
    columns : KernelColumns
        The rows that are left out in turn; its weights do not matter.
    settings : KernelSettings
    targets : float64 array of shape (n_rows, n_targets)
    judge : Judge
    n_landmarks : int
    """
    moving = np.flatnonzero(settings.weights > 0.0)
    if judge.total < FEWEST_ROWS or not len(moving):
        return settings
    from scipy.optimize import minimize  # noqa: PLC0415 (few predictions need it)

    landmarks = draw_landmarks(columns, n_landmarks)
    rows = DescentRows(columns, landmarks, targets, judge)
    path = _Path(rows, settings, moving)
    limits = [(-_FARTHEST, _FARTHEST)] * len(moving)
    minimize(
        path.follow,
        np.zeros(len(moving) + 1),
        jac=True,
        method="L-BFGS-B",
        bounds=[*limits, (-_FARTHEST_RIDGE, _FARTHEST_RIDGE)],
        options={"maxfun": N_SOLVED, "maxiter": N_SOLVED},
        callback=path.check_worth,
    )
    gain = judge.gain(path.first.loss, path.best.loss)
    return path.best if gain > len(moving) + 1 else settings


class _Path:
    """The settings that were tried, and the best of them.

    `unit` makes the first step of L-BFGS, which is the slope, as long as it should be.
    """

    def __init__(
        self, rows: DescentRows, settings: KernelSettings, moving: Ints
    ) -> None:
        self.rows, self.moving = rows, moving
        state = solve_rows(rows, settings)
        self.first = self.best = self.reached = state.settings
        self.first_slopes = self._find_slopes(state)
        steepest = float(np.abs(self.first_slopes).max())
        self.unit = _FIRST_STEP / steepest if 0.0 < steepest < np.inf else 1.0

    def follow(self, change: Floats) -> tuple[float, Floats]:
        """The loss after a change of logarithms, and its slopes."""
        if not change.any():
            return self.first.loss * self.unit, self.first_slopes * self.unit
        state = solve_rows(self.rows, self._change(change))
        if state.settings.loss < self.best.loss:
            self.best = state.settings
        return state.settings.loss * self.unit, self._find_slopes(state) * self.unit

    def check_worth(self, _: Floats) -> None:
        """End the way if the last step has gained hardly anything."""
        gain = self.rows.judge.gain(self.reached.loss, self.best.loss)
        if gain < _WORTH:
            raise StopIteration
        self.reached = self.best

    def _change(self, change: Floats) -> KernelSettings:
        weights = self.first.weights.copy()
        weights[self.moving] *= np.exp(change[:-1])
        ridge = self.first.ridge * float(np.exp(change[-1]))
        n_moves = self.best.n_moves + 1
        return self.first._replace(weights=weights, ridge=ridge, n_moves=n_moves)

    def _find_slopes(self, state: Solved) -> Floats:
        return find_slopes(self.rows, state)[[*self.moving, -1]]


def solve_rows(rows: DescentRows, settings: KernelSettings) -> Solved:
    """Solve with some settings; their loss and temperature are those found."""
    columns = rows.columns._replace(weights=settings.weights)
    centers = take_rows(columns, rows.landmarks)
    near = similarities_to(centers, columns, slice(None), settings.rate)
    among = similarities_to(centers, centers, slice(None), settings.rate)
    weights = rows.judge.weights
    weighed = near if weights is None else near * weights.values[:, None]
    system = add_jitter(weighed.T @ near + settings.ridge * among)
    factor = factorize_system(system)
    halves = dtrsm(1.0, factor, near.T, lower=1)
    free = _find_free(halves, weights)
    centered = rows.targets - mean_of_all(rows.targets, weights)
    coefficients, _ = lapack.dpotrs(factor, weighed.T @ centered, lower=1)
    residuals = centered - near @ coefficients
    left_out = rows.targets - residuals / free
    return Solved(
        _judge(settings, rows.judge, left_out),
        columns,
        centers,
        near,
        among,
        factor,
        halves,
        coefficients,
        residuals,
        left_out,
        free,
    )


def _find_free(halves: Floats, weights: RowWeights | None) -> Floats:
    """One less the leverages of what is left out, (n_rows, 1)."""
    leverages = np.einsum("ij,ij->j", halves, halves)
    if weights is not None:
        leverages *= weights.values * weights.shares
    return np.asarray(1.0 - np.minimum(leverages, LARGEST_LEVERAGE)[:, None])


def _judge(settings: KernelSettings, judge: Judge, left_out: Floats) -> KernelSettings:
    loss, temperature = judge.measure(left_out)
    return settings._replace(loss=loss, temperature=temperature)


def find_slopes(rows: DescentRows, state: Solved) -> Floats:
    """The derivatives of the loss by the logarithms of weights, and of the ridge."""
    settings, near, residuals = state.settings, state.near, state.residuals
    by_answer = rows.judge.slope(state.left_out, settings.temperature)
    by_residual = -by_answer / state.free
    by_leverage = (by_residual * residuals / state.free).sum(axis=1)
    if (weights := rows.judge.weights) is not None:
        own = weights.values[:, None]
        by_leverage *= weights.values * weights.shares
        near, residuals = near * own, residuals * own
    pulled = _solve_left(state.factor, state.halves @ by_residual)
    by_near, curved = _bend(state, by_leverage, weights)
    by_near -= (by_residual - near @ pulled) @ state.coefficients.T
    by_near -= residuals @ pulled.T
    by_among = pulled @ state.coefficients.T - curved
    sums = _sum_pairs(state.centers, state.columns, by_near * state.near)
    by_ridge = settings.ridge * by_among * state.among
    sums += _sum_pairs(state.centers, state.centers, by_ridge)
    slopes = -settings.rate * settings.weights * sums
    return np.append(slopes, by_ridge.sum())


def _bend(
    state: Solved, by_leverage: Floats, weights: RowWeights | None
) -> tuple[Floats, Floats]:
    """2 (diag(q) H' - WH'C) L^-1, and S."""
    size = float(np.abs(by_leverage).max()) or 1.0
    slopes = (by_leverage / size).astype(np.float32)
    halves = state.halves.astype(np.float32, order="F")
    products = (halves * slopes) @ halves.T
    inner = halves.T @ products
    if weights is not None:
        inner *= weights.values.astype(np.float32)[:, None]
    inner = slopes[:, None] * halves.T - inner
    lower = state.factor.astype(np.float32, order="F")
    by_near = strsm(1.0, lower, inner.T, lower=1, trans_a=1).T
    half = _solve_left(state.factor, products.astype(np.float64)).T
    curved = _solve_left(state.factor, half)
    return 2.0 * size * by_near.astype(np.float64), size * curved


def _solve_left(factor: Floats, sides: Floats) -> Floats:
    """The inverse of the factor's transpose times the sides."""
    return np.asarray(dtrsm(1.0, factor, sides, lower=1, trans_a=1))


def _sum_pairs(centers: KernelColumns, columns: KernelColumns, pairs: Floats) -> Floats:
    """The differences of rows from landmarks, each pair times its weight."""
    sums = np.empty(len(columns.values))
    sum_differences(centers, np.ascontiguousarray(columns.values.T), pairs, sums)
    return sums
