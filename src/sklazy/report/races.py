"""A race, drawn: who was in it for how long, and who was left."""

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Axes = Any
"""A matplotlib Axes; matplotlib need not be installed to import this."""


def draw_race(
    values: NDArray[np.float64],
    winners: Sequence[int],
    ax: Axes = None,
    *,
    block: str = "block",
    value: str = "mean loss so far",
    names: Sequence[str] | None = None,
) -> Axes:
    """Draw each candidate's mean so far against the blocks, up to where it was out.

    Parameters
    ----------
    values : array of shape (n_blocks, n_candidates)
        What was measured; NaN where a candidate was not run.
    winners : sequence of int
        The candidates left at the end, best first; only the first five are named.
    ax : matplotlib Axes, optional
    block, value : str
        Labels of the axes.
    names : sequence of str, optional
        The candidates' names; their numbers if not given.

    Returns
    -------
    matplotlib Axes
    """
    ax = importlib.import_module("matplotlib.pyplot").gca() if ax is None else ax
    means = running_means(values)
    n_blocks, n_candidates = values.shape
    steps = np.arange(1, n_blocks + 1)
    for candidate in sorted(set(range(n_candidates)) - set(winners)):
        run = np.isfinite(means[:, candidate])
        line = means[run, candidate]
        ax.plot(steps[run], line, color="0.75", linewidth=0.8, zorder=1)
        ax.plot(steps[run][-1:], line[-1:], "x", color="0.55", markersize=4, zorder=2)
    for place, candidate in enumerate(winners):
        label = str(candidate) if names is None else names[candidate]
        ax.plot(
            steps,
            means[:, candidate],
            linewidth=2 if place == 0 else 1.2,
            zorder=4 if place == 0 else 3,
            label=label if place < 5 else None,
        )
    ax.set_xlabel(block)
    ax.set_ylabel(value)
    ax.set_title(f"{len(winners)} of {n_candidates} left after {n_blocks} blocks")
    ax.legend(loc="best", fontsize="small")
    return ax


def running_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of each column up to each row, NaN where a cell is NaN."""
    run = np.isfinite(values)
    sums = np.cumsum(np.where(run, values, 0.0), axis=0)
    counts = np.cumsum(run, axis=0)
    return np.where(run, sums / np.maximum(counts, 1), np.nan)
