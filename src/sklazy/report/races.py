"""A race, drawn: who was in it for how long, and who was left."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy.report.axes import find_axes

Axes = Any
"""A matplotlib Axes; matplotlib need not be installed to import this."""

_LONG = 50  # blocks, from which the first ones would not be seen
_SETTLED = 10  # blocks, after which means no longer jump


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
    ax = find_axes(ax)
    means = running_means(values)
    n_blocks, n_candidates = values.shape
    _draw_dropped(ax, means, sorted(set(range(n_candidates)) - set(winners)))
    steps = np.arange(1, n_blocks + 1)
    for place, candidate in enumerate(winners):
        label = str(candidate) if names is None else names[candidate]
        ax.plot(
            steps,
            means[:, candidate],
            linewidth=2 if place == 0 else 1.2,
            zorder=4 if place == 0 else 3,
            label=label if place < 5 else None,
        )
    _frame(ax, means)
    ax.set_xlabel(f"{block}s" if n_blocks > 1 else block)
    ax.set_ylabel(value)
    ax.set_title(f"{len(winners)} of {n_candidates} left after {n_blocks} {block}s")
    ax.legend(loc="best", fontsize="small")
    return ax


def _draw_dropped(ax: Axes, means: NDArray[np.float64], dropped: list[int]) -> None:
    """Draw thin lines, each with a cross where it ends; one cross is explained."""
    steps = np.arange(1, len(means) + 1)
    for candidate in dropped:
        run = np.isfinite(means[:, candidate])
        line = means[run, candidate]
        label = "dropped" if candidate == dropped[-1] else None
        ax.plot(steps[run], line, color="0.8", linewidth=0.8, zorder=1)
        ax.plot(
            steps[run][-1:],
            line[-1:],
            "x",
            color="0.4",
            markersize=4,
            zorder=5,
            label=label,
        )


def _frame(ax: Axes, means: NDArray[np.float64]) -> None:
    """Show a long race's first blocks wide, and its first few means not in full.

    A mean of one or two blocks can be anything, and would flatten all the rest.
    """
    if len(means) < _LONG:
        return
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    settled = means[_SETTLED:]
    low, high = np.nanmin(settled), np.nanmax(settled)
    margin = 0.05 * (high - low) or 1.0
    ax.set_ylim(low - margin, high + margin)


def running_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of each column up to each row, NaN where a cell is NaN."""
    run = np.isfinite(values)
    sums = np.cumsum(np.where(run, values, 0.0), axis=0)
    counts = np.cumsum(run, axis=0)
    return np.where(run, sums / np.maximum(counts, 1), np.nan)
