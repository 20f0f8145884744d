"""Parameter settings to race: a whole grid, or draws from distributions."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sklearn.model_selection import ParameterGrid, ParameterSampler

DRAWS = 10  # as RandomizedSearchCV

Space = Mapping[str, Any] | Iterable[Mapping[str, Any]]


def parameter_candidates(
    space: Space,
    n_iter: int | None,
    random_state: int | np.random.RandomState | None,
) -> list[dict[str, Any]]:
    """List the settings: all of a grid, or `n_iter` draws."""
    grids = [space] if isinstance(space, Mapping) else list(space)
    drawn = any(hasattr(values, "rvs") for grid in grids for values in grid.values())
    if n_iter is None and not drawn:
        return list(ParameterGrid(grids))
    count = DRAWS if n_iter is None else n_iter
    return list(ParameterSampler(grids, count, random_state=random_state))
