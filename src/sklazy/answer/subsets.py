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
        sources = memory.space.sources
        everyone = range(len(memory.space.columns.kinds))
        self._regressors = [np.flatnonzero(sources == j) for j in everyone]

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
        predictions = np.empty((len(sets), cases.targets.shape[1]))
        for i, attributes in enumerate(sets):
            here = [place[attribute] for attribute in attributes]
            predictions[i] = self._ask(attributes, values[here], row, training)
        return predictions

    def _ask(
        self, attributes: AttributeSet, values: Floats, row: int, training: Ints
    ) -> Floats:
        """Answer for one set: neighbours, then models, as in `ask`.

        Without attributes nobody is near; the answer is the mean of all.
        """
        if not attributes:
            return self._mean(training)
        columns, chosen = self.memory.space.columns, list(attributes)
        seen = Columns(
            values,
            columns.kinds[chosen],
            columns.weights[chosen],
            columns.absents[chosen],
            columns.squared,
        )
        regressors = np.concatenate([self._regressors[j] for j in attributes])
        plan = self._plan(len(regressors), len(training))
        query = columns.values[chosen, row][None, :]
        found = find_nearest(seen, query, int(plan.ranges[:, 1].max()))
        cases, near = self.memory.cases, training[found.rows[0]]
        models = fit_models(
            LocalCases(
                cases.regressors[near[:, None], regressors],
                cases.targets[near],
                cases.weights[near] if cases.weights.size else cases.weights,
            ),
            plan,
            cases.regressors[row, regressors][None, :],
            np.arange(len(near))[None, :],
        )
        return models.coefficients[0, :, 0]

    def _mean(self, training: Ints) -> Floats:
        cases = self.memory.cases
        weights = cases.weights[training] if cases.weights.size else None
        return np.average(cases.targets[training], axis=0, weights=weights)

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
