"""Weights of attributes, moved along the gradient of the left-out loss.

The loss is that of the left-out answers z = y - a / g, where a = G(y - c) and g is the
diagonal of G, the inverse of K + rI. With L the loss and p = dL/da, q = dL/dg, its
derivative by the similarities K is -(Gp)a' - G diag(q) G; by the weight of attribute j,
-rate times the sum over pairs of rows of that, K, and their difference in j. With
weights of rows K is SKS (see `solution`), and z = y - ra / (s f), f = 1 - p(1 - rg).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.flow import KernelColumns
from sklazy.kernels.kernel_models import sum_differences
from sklazy.methods.kernel_models.choice import Judge, KernelSettings, measure_all
from sklazy.methods.kernel_models.solution import (
    find_free,
    invert,
    mean_of_all,
    weigh_system,
)
from sklazy.methods.row_weights import RowWeights

Floats = NDArray[np.float64]

N_STEPS = 4
"""Steps at most; more of them fit the weights to the noise."""

FEWEST_ROWS = 300
"""With fewer the criterion is too hopeful: weights fit the noise all the same."""

_LARGEST = 0.5  # change of the logarithm of a weight in the first step
_GROWTH = 1.3  # of a step after one that paid
_HALVINGS = 3  # of a step that does not pay
_GAIN = 1e-4  # of the loss: a step that gains less does not pay


class _State(NamedTuple):
    """A system with weights on trial.

    Attributes
    ----------
    settings : KernelSettings
    similarities, inverse : float64 arrays of shape (n_rows, n_rows)
        Similarities times the roots of weights, if rows have weights.
    coefficients, left_out : float64 arrays of shape (n_rows, n_targets)
    """

    settings: KernelSettings
    similarities: Floats
    inverse: Floats
    coefficients: Floats
    left_out: Floats


def refine_settings(
    columns: KernelColumns, settings: KernelSettings, targets: Floats, judge: Judge
) -> KernelSettings:
    """Move the weights, and the temperature with them, if that is worth it.

    By Akaike's criterion: the likelihood of the rows left out must rise by more than a
    nat for each weight that is free to move. Where as many steps like the first would
    not be enough, it is the last. Fewer than `FEWEST_ROWS` rows never move weights.

    Parameters
    ----------
    columns : KernelColumns
        The rows that are left out in turn; its weights do not matter.
    settings : KernelSettings
        Those of least loss.
    targets : float64 array of shape (n_rows, n_targets)
    judge : Judge
    """
    n_free = int((settings.weights > 0).sum())
    if n_free < 2 or judge.total < FEWEST_ROWS:
        return settings
    steps = _descend(columns, settings, targets, judge)
    refined = next(steps, settings)
    if N_STEPS * judge.gain(settings.loss, refined.loss) > n_free:
        refined = [refined, *steps][-1]
    gain = judge.gain(settings.loss, refined.loss)
    return refined if gain > n_free else settings


def _descend(
    columns: KernelColumns, settings: KernelSettings, targets: Floats, judge: Judge
) -> Iterator[KernelSettings]:
    """Follow the gradient, step by step, as long as they pay."""
    state, size = _solve(columns, settings, targets, judge.weights), _LARGEST
    for _ in range(N_STEPS):
        slopes = find_slopes(columns, state, targets, judge)
        for halving in range(_HALVINGS):
            step = size * 0.5**halving
            found = _try_step(columns, state, step * slopes, targets, judge)
            if found.settings.loss < state.settings.loss * (1.0 - _GAIN):
                state, size = found, _GROWTH * step
                yield state.settings
                break
        else:
            return


def _try_step(
    columns: KernelColumns, state: _State, change: Floats, targets: Floats, judge: Judge
) -> _State:
    """The system after a change of the logarithms of weights; their sum stays."""
    before = state.settings
    moved = before.weights * np.exp(-change)
    weights = moved * (before.weights.sum() / moved.sum())
    moved_settings = before._replace(weights=weights)
    found = _solve(columns, moved_settings, targets, judge.weights)
    loss, temperature = judge.measure(found.left_out)
    n_moves = before.n_moves + 1
    settings = found.settings._replace(
        loss=loss, temperature=temperature, n_moves=n_moves
    )
    return found._replace(settings=settings)


def _solve(
    columns: KernelColumns,
    settings: KernelSettings,
    targets: Floats,
    weights: RowWeights | None = None,
) -> _State:
    distances = measure_all(columns._replace(weights=settings.weights))
    similarities = np.exp(distances * -settings.rate)
    centered = targets - mean_of_all(targets, weights)
    if weights is not None:
        similarities = weigh_system(similarities, weights)
        centered *= np.sqrt(weights.values)[:, None]
    inverse = invert(similarities, settings.ridge)
    coefficients = inverse @ centered
    factors = _find_factors(inverse, settings.ridge, weights)
    left_out = targets - coefficients * factors
    return _State(settings, similarities, inverse, coefficients, left_out)


def _find_factors(inverse: Floats, ridge: float, weights: RowWeights | None) -> Floats:
    """Left-out errors over coefficients, (n_rows, 1)."""
    diagonal = np.diag(inverse)
    if weights is None:
        return np.asarray(1.0 / diagonal[:, None])
    free = find_free(diagonal, ridge, weights.shares)
    return np.asarray((ridge / (np.sqrt(weights.values) * free))[:, None])


def find_slopes(
    columns: KernelColumns, state: _State, targets: Floats, judge: Judge
) -> Floats:
    """The gradient by the logarithms of weights, its largest part 1 in size."""
    settings, inverse, weights = state.settings, state.inverse, judge.weights
    diagonal = np.diag(inverse)[:, None]
    by_answer = judge.slope(state.left_out, settings.temperature)
    factors = _find_factors(inverse, settings.ridge, weights)
    by_coefficient = -by_answer * factors
    slope_of_factor = 1.0 / diagonal
    if weights is not None:
        free = find_free(diagonal[:, 0], settings.ridge, weights.shares)
        slope_of_factor = (weights.shares * settings.ridge / free)[:, None]
    by_diagonal = (by_answer * state.coefficients * factors * slope_of_factor).sum(
        axis=1
    )
    pairs = (inverse @ by_coefficient) @ state.coefficients.T
    pairs += (inverse * by_diagonal) @ inverse
    sums = np.empty(len(columns.values))
    rows = np.ascontiguousarray(columns.values.T)
    sum_differences(columns, rows, pairs * state.similarities, sums)
    return _center(settings.rate * sums * settings.weights, settings.weights > 0)


def _center(slopes: Floats, free: NDArray[np.bool_]) -> Floats:
    """Slopes less their mean, which only scales all weights, and 1 at most."""
    if not free.any():
        return np.zeros(len(slopes))
    centered = np.where(free, slopes - slopes[free].mean(), 0.0)
    largest = float(np.abs(centered).max())
    return centered / largest if largest > 0 else centered
