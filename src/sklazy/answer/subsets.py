"""One case left out, asked again and again with other attributes."""

import warnings
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.answer.regression import LocalMemory
from sklazy.backends import run_chunks
from sklazy.errors import DataWarning
from sklazy.flow import Chunk, LocalCases, LocalPlan, Runner
from sklazy.local import find_ranges, fit_models, make_plan
from sklazy.neighbors.subsets import column_differences, find_nearest_in_subsets

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
AttributeSet = tuple[int, ...]


class Planned(NamedTuple):
    """A plan, its most neighbours, and whether it has more than constants."""

    plan: LocalPlan
    most: int
    lines: bool


class SubsetMemory:
    """A local memory that can be asked with any subset of its attributes.

    An answer is that of a memory which holds only these attributes and only the
    training rows, but keeps the scales and the order of all rows.

    Parameters
    ----------
    memory : LocalMemory
    n_jobs : int, optional
        Threads.
    """

    def __init__(self, memory: LocalMemory, n_jobs: int | None = None) -> None:
        self.memory, self.n_jobs = memory, n_jobs
        self._plans: dict[tuple[int, int], Planned] = {}
        self._plans_by_range: dict[tuple[object, ...], Planned] = {}
        sources, n_attributes = memory.space.sources, len(memory.space.columns.kinds)
        self._of_attribute = [np.flatnonzero(sources == j) for j in range(n_attributes)]
        self._of_set: dict[AttributeSet, Ints] = {}

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
            The mean of all training rows for a set without attributes.
        """
        sizes = [len(self._regressors(one)) for one in sets]
        plans = [self._plan(size, len(training)) for size in sizes]
        near = self._nearest(sets, row, training, max(plan.most for plan in plans))
        # Sets with models of the same shape are fitted by one call for all; where
        # there are only constants, all sets are alike.
        alike: dict[tuple[int, int], list[int]] = defaultdict(list)
        for i, (size, plan) in enumerate(zip(sizes, plans, strict=True)):
            alike[size if plan.lines else 0, id(plan)].append(i)
        predictions = np.empty((len(sets), self.memory.cases.targets.shape[1]))
        for (n_regressors, _), places in alike.items():
            chosen, most, _ = plans[places[0]]
            regressors = np.empty((len(places), 0), np.int64)
            if n_regressors:
                regressors = np.array([self._regressors(sets[i]) for i in places])
            predictions[places] = self._fit(
                regressors, near[places, :most], row, chosen
            )
        empty = [i for i, one in enumerate(sets) if not one]
        predictions[empty] = self._mean(training)
        return predictions

    def _differences(self, used: Ints, row: int, training: Ints) -> tuple[Floats, Ints]:
        """Differences of the used columns, and the rows they are of.

        Where all others may be learned from, nothing is copied row by row: the row
        itself is set out of reach.
        """
        columns, n_rows = self.memory.space.columns, len(self.memory.slots)
        query = columns.values[:, row]
        if len(training) < n_rows - 1:
            return column_differences(columns, query, used, training), training
        differences = column_differences(columns, query, used)
        differences[:, row] = np.inf
        return differences, np.arange(n_rows)

    def _nearest(
        self, sets: Sequence[AttributeSet], row: int, training: Ints, n_nearest: int
    ) -> Ints:
        """The nearest training rows for each set."""
        used = np.array(sorted(set().union(*sets)), np.int64)
        differences, rows = self._differences(used, row, training)
        # Short sets are filled up with a column in which nobody differs.
        differences = np.concatenate([differences, np.zeros((1, len(rows)))])
        longest = max(map(len, sets))
        place = {attribute: i for i, attribute in enumerate(used.tolist())}
        fill = [len(used)] * longest
        members = [[*map(place.__getitem__, one), *fill][:longest] for one in sets]
        found = find_nearest_in_subsets(
            differences,
            np.array(members, np.int64).reshape(len(sets), longest),
            n_nearest,
            self._runner(len(rows) * (longest + 4.0)),
        )
        return rows[found]

    def _fit(self, regressors: Ints, near: Ints, row: int, plan: LocalPlan) -> Floats:
        """Fit the models of many sets at once, each on its own copy of its cases."""
        cases, (n_sets, n_near) = self.memory.cases, near.shape
        gathered = cases.regressors[near[:, :, None], regressors[:, None, :]]
        own = LocalCases(
            gathered.reshape(n_sets * n_near, regressors.shape[1]),
            cases.targets[near].reshape(n_sets * n_near, -1),
            cases.weights[near].ravel() if cases.weights.size else cases.weights,
        )
        models = fit_models(
            own,
            plan,
            cases.regressors[row, regressors],
            np.arange(n_sets * n_near).reshape(n_sets, n_near),
            run=self._runner(200.0 * n_near * (1 + regressors.shape[1])),
        )
        return models.coefficients[:, :, 0]

    def _regressors(self, attributes: AttributeSet) -> Ints:
        """The regressors of a set, ascending by attribute."""
        if attributes not in self._of_set:
            found = [self._of_attribute[j] for j in attributes]
            none = np.empty(0, np.int64)
            self._of_set[attributes] = np.concatenate([none, *found])
        return self._of_set[attributes]

    def _mean(self, training: Ints) -> Floats:
        cases = self.memory.cases
        weights = cases.weights[training] if cases.weights.size else None
        return np.average(cases.targets[training], axis=0, weights=weights)

    def _plan(self, n_regressors: int, n_rows: int) -> Planned:
        key = n_regressors, n_rows
        if key not in self._plans:
            settings = self.memory.settings
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)
                ranges = find_ranges(
                    settings.degrees, settings.n_neighbors, n_regressors, n_rows
                )
            plan = make_plan(
                ranges, settings.n_best, settings.ridge, as_in_r=settings.as_in_r
            )
            most = max(span[1] for span in ranges.values())
            planned = Planned(plan, most, any(degree > 0 for degree in ranges))
            # The same plan for all sets that have the same, so that they are alike.
            known = self._plans_by_range.setdefault(tuple(ranges.items()), planned)
            self._plans[key] = known
        return self._plans[key]

    def _runner(self, nanoseconds: float) -> Runner:
        def run(chunk: Chunk, n_sets: int) -> None:
            run_chunks(chunk, n_sets, self.n_jobs, nanoseconds * n_sets)

        return run
