"""One case left out, asked again and again with other attributes."""

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.regression import LocalMemory
from sklazy.errors import DataWarning
from sklazy.flow import Columns, LocalCases, LocalPlan
from sklazy.local import find_ranges, fit_models, make_plan
from sklazy.neighbors import find_nearest

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
AttributeSet = tuple[int, ...]


class SubsetMemory:
    """A local memory that can be asked with any subset of its attributes.

    An answer is that of a memory which holds only these attributes and only the
    training rows, but keeps the scales of all rows.
    """

    def __init__(self, memory: LocalMemory) -> None:
        self.memory = memory
        self._plans: dict[tuple[int, int], LocalPlan] = {}
        self._regressors: dict[AttributeSet, Ints] = {}

    def predict(self, sets: Sequence[AttributeSet], row: int, training: Ints) -> Floats:
        """Predict one row from the training rows, once with each set.

        Parameters
        ----------
        sets : sequence of tuples of attributes, ascending
        row : int
        training : int64 array
            Row numbers, ascending; `row` itself is not among them.

        Returns
        -------
        predictions : float64 array of shape (n_sets, n_targets)
        """
        columns, cases = self.memory.space.columns, self.memory.cases
        # Only what some set uses is copied, and only once.
        used = sorted({attribute for one in sets for attribute in one})
        place = {attribute: i for i, attribute in enumerate(used)}
        values = columns.values[used][:, training]
        known = LocalCases(
            cases.regressors[training],
            cases.targets[training],
            cases.weights[training] if cases.weights.size else cases.weights,
        )
        predictions = np.empty((len(sets), cases.targets.shape[1]))
        for i, attributes in enumerate(sets):
            here = [place[attribute] for attribute in attributes]
            predictions[i] = self._ask(attributes, values[here], known, row)
        return predictions

    def _ask(
        self, attributes: AttributeSet, values: Floats, known: LocalCases, row: int
    ) -> Floats:
        """Answer for one set: neighbours, then models, as in `ask`."""
        space, chosen = self.memory.space, list(attributes)
        columns = Columns(
            values,
            space.columns.kinds[chosen],
            space.columns.weights[chosen],
            space.columns.absents[chosen],
            space.columns.squared,
        )
        regressors = self._regressors_of(attributes)
        plan = self._plan(len(regressors), values.shape[1])
        query = space.columns.values[chosen, row][None, :]
        found = find_nearest(columns, query, int(plan.ranges[:, 1].max()))
        rows = found.rows[0]
        near = LocalCases(
            np.ascontiguousarray(known.regressors[rows][:, regressors]),
            known.targets[rows],
            known.weights[rows] if known.weights.size else known.weights,
        )
        asked = self.memory.cases.regressors[row, regressors][None, :]
        models = fit_models(near, plan, asked, np.arange(len(rows))[None, :])
        return models.coefficients[0, :, 0]

    def _regressors_of(self, attributes: AttributeSet) -> Ints:
        if attributes not in self._regressors:
            mine = np.isin(self.memory.space.sources, attributes)
            self._regressors[attributes] = np.flatnonzero(mine)
        return self._regressors[attributes]

    def _plan(self, n_regressors: int, n_rows: int) -> LocalPlan:
        key = n_regressors, n_rows
        if key not in self._plans:
            settings = self.memory.settings
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)
                ranges = find_ranges(
                    settings.degrees, settings.n_neighbors, n_regressors, n_rows
                )
            self._plans[key] = make_plan(
                ranges, settings.n_best, settings.ridge, as_in_r=settings.as_in_r
            )
        return self._plans[key]
