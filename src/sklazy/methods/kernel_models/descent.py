"""Weights of attributes, width and ridge, by the left-out loss of many rows.

As in `refine`, for landmarks. The left-out error of row i is e_i = u_i / (1 - h_i),
where u = y - Ka, a = A^-1 K'y, h_i = k_i' A^-1 k_i, and A = K'K + rM (see `landmarks`);
y has lost its center. With L the loss, g = dL/du, q = dL/dh, B = KA^-1, b = B'g and
S = B' diag(q) B its derivative by K is -(g - Kb)a' - ub' + 2 diag(q) B - 2KS, by M
r(ba' - S), and by r the sum of M times (ba' - S). With weights of rows WK stands for K
there, Wu for u, and q for what is left out of each weight.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

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
from sklazy.methods.kernel_models.solution import invert_system, mean_of_all

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

N_SOLVED = 12
"""Systems that are solved on the way."""

_FARTHEST = 7.0  # that the logarithm of a weight goes
_FARTHEST_RIDGE = 5.0


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


class State(NamedTuple):
    """A system with settings on trial.

    Attributes
    ----------
    settings : KernelSettings
    columns, centers : KernelColumns
    near : float64 array of shape (n_rows, n_landmarks)
        K.
    among, inverse : float64 arrays of shape (n_landmarks, n_landmarks)
        M, and the inverse of A.
    spread : float64 array of shape (n_rows, n_landmarks)
        B.
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
    inverse: Floats
    spread: Floats
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
    )
    gain = judge.gain(path.first.loss, path.best.loss)
    return path.best if gain > len(moving) + 1 else settings


class _Path:
    """The settings that were tried, and the best of them."""

    def __init__(
        self, rows: DescentRows, settings: KernelSettings, moving: Ints
    ) -> None:
        self.rows, self.moving = rows, moving
        self.first = self.best = solve_rows(rows, settings).settings

    def follow(self, change: Floats) -> tuple[float, Floats]:
        """The loss after a change of logarithms, over the first one; its slopes."""
        start, size = self.first, self.first.loss or 1.0
        weights = start.weights.copy()
        weights[self.moving] *= np.exp(change[:-1])
        ridge = start.ridge * float(np.exp(change[-1]))
        n_moves = self.best.n_moves + 1
        tried = start._replace(weights=weights, ridge=ridge, n_moves=n_moves)
        state = solve_rows(self.rows, tried)
        if state.settings.loss < self.best.loss:
            self.best = state.settings
        slopes = find_slopes(self.rows, state)[[*self.moving, -1]]
        return state.settings.loss / size, slopes / size


def solve_rows(rows: DescentRows, settings: KernelSettings) -> State:
    """Solve with some settings; their loss and temperature are those found."""
    columns = rows.columns._replace(weights=settings.weights)
    centers = take_rows(columns, rows.landmarks)
    near = similarities_to(centers, columns, slice(None), settings.rate)
    among = similarities_to(centers, centers, slice(None), settings.rate)
    weights = rows.judge.weights
    weighed = near if weights is None else near * weights.values[:, None]
    inverse = invert_system(add_jitter(weighed.T @ near + settings.ridge * among))
    spread = near @ inverse
    leverages = np.einsum("ij,ij->i", spread, near)
    if weights is not None:
        leverages *= weights.values * weights.shares
    free = 1.0 - np.minimum(leverages, LARGEST_LEVERAGE)[:, None]
    centered = rows.targets - mean_of_all(rows.targets, weights)
    coefficients = inverse @ (weighed.T @ centered)
    residuals = centered - near @ coefficients
    left_out = rows.targets - residuals / free
    return State(
        _judge(settings, rows.judge, left_out),
        columns,
        centers,
        near,
        among,
        inverse,
        spread,
        coefficients,
        residuals,
        left_out,
        free,
    )


def _judge(settings: KernelSettings, judge: Judge, left_out: Floats) -> KernelSettings:
    loss, temperature = judge.measure(left_out)
    return settings._replace(loss=loss, temperature=temperature)


def find_slopes(rows: DescentRows, state: State) -> Floats:
    """The derivatives of the loss by the logarithms of weights, and of the ridge."""
    settings, near, free = state.settings, state.near, state.free
    residuals, weights = state.residuals, rows.judge.weights
    by_answer = rows.judge.slope(state.left_out, settings.temperature)
    by_residual = -by_answer / free
    by_leverage = (by_residual * residuals / free).sum(axis=1, keepdims=True)
    if weights is not None:
        by_leverage *= (weights.values * weights.shares)[:, None]
        near, residuals = (
            near * weights.values[:, None],
            residuals * weights.values[:, None],
        )
    pulled = state.spread.T @ by_residual
    curved = state.spread.T @ (by_leverage * state.spread)
    by_near = 2.0 * (by_leverage * state.spread - near @ curved)
    by_near -= (by_residual - near @ pulled) @ state.coefficients.T
    by_near -= residuals @ pulled.T
    by_among = pulled @ state.coefficients.T - curved
    sums = _sum_pairs(state.centers, state.columns, by_near * state.near)
    by_ridge = settings.ridge * by_among * state.among
    sums += _sum_pairs(state.centers, state.centers, by_ridge)
    slopes = -settings.rate * settings.weights * sums
    return np.append(slopes, by_ridge.sum())


def _sum_pairs(centers: KernelColumns, columns: KernelColumns, pairs: Floats) -> Floats:
    """The differences of rows from landmarks, each pair times its weight."""
    sums = np.empty(len(columns.values))
    sum_differences(centers, np.ascontiguousarray(columns.values.T), pairs, sums)
    return sums
