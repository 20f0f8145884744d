"""Axes of matplotlib, which is imported when something is drawn on them."""

import importlib
from typing import Any

from sklazy.errors import MissingExtraError


def find_axes(ax: Any = None, *, new: bool = False) -> Any:  # noqa: ANN401
    """The axes that are given, or the current ones, or those of a new figure."""
    if ax is not None:
        return ax
    try:
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise MissingExtraError(
            "plots need matplotlib; install it with pip install 'sklazy[plot]'."
        ) from None
    return pyplot.subplots()[1] if new else pyplot.gca()
