"""One case left out, predicted again and again on other attributes."""

import warnings
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sklazy.answer.batch import Floats, Ints
from sklazy.answer.threads import run_chunks
from sklazy.errors import DataWarning
from sklazy.flow import Chunk, LocalCases, LocalPlan, Runner
from sklazy.methods.local_models.data import LocalData
from sklazy.methods.local_models.plans import find_ranges, make_plan
from sklazy.methods.local_models.regression import fit_models
from sklazy.neighbors.subsets import column_differences, find_nearest_in_subsets

AttributeSet = tuple[int, ...]


class Planned(NamedTuple):
    """A plan, its most neighbors, and whether it has more than constants."""

    plan: LocalPlan
    most: int
    lines: bool


class Alike(NamedTuple):
    """Sets whose models have the same shape: their places, regressors and plan."""

    places: list[int] | slice
    regressors: Ints
    planned: Planned


class SetPlan(NamedTuple):
    """Plan that depends on the sets alone, so that many rows can share it.

    Attributes
    ----------
    sets : sequence of attribute sets
    used : int64 array
        The attributes of any set, ascending.
    members : int64 array of shape (n_sets, longest)
        The places in `used` of each set's attributes, filled up with -1.
    regressors : list of int64 arrays
        The regressors of each set, ascending by attribute.
    empty : list of int
        The places of sets without attributes.
    alike : dict of int to list of Alike
        By the number of training rows.
    """

    sets: Sequence[AttributeSet]
    used: Ints
    members: Ints
    regressors: list[Ints]
    empty: list[int]
    alike: dict[int, list[Alike]]


class SubsetPredictor:
    """Predicts by local models on any subset of the attributes.

    A prediction is that of data which hold only these attributes and only the
    training rows, but keep the scales and the order of all rows.

    Parameters
    ----------
    data : LocalData
    n_jobs : int, optional
        Threads.
    """

    def __init__(self, data: LocalData, n_jobs: int | None = None) -> None:
        self.data, self.n_jobs = data, n_jobs
        self._plans: dict[tuple[int, int], Planned] = {}
        self._plans_by_range: dict[tuple[object, ...], Planned] = {}
        sources, n_attributes = data.space.sources, len(data.space.columns.kinds)
        self._of_attribute = [np.flatnonzero(sources == j) for j in range(n_attributes)]
        self._sets = self._plan_sets([()])

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
        if sets != self._sets.sets:
            self._sets = self._plan_sets(sets)
        alike = self._alike(len(training))
        most = max(group.planned.most for group in alike)
        near = self._nearest(row, training, most)
        predictions = np.empty((len(sets), self.data.cases.targets.shape[1]))
        for places, regressors, planned in alike:
            nearest = near[places, : planned.most]
            predictions[places] = self._fit(regressors, nearest, row, planned.plan)
        if self._sets.empty:
            predictions[self._sets.empty] = self._mean(training)
        return predictions

    def _alike(self, n_training: int) -> list[Alike]:
        """Sets with models of the same shape, which one call fits for all.

        Where there are only constants, all sets are alike.
        """
        planned_sets = self._sets
        if n_training not in planned_sets.alike:
            groups: dict[tuple[int, int], list[int]] = defaultdict(list)
            for i, regressors in enumerate(planned_sets.regressors):
                plan = self._plan(len(regressors), n_training)
                groups[len(regressors) if plan.lines else 0, id(plan)].append(i)
            planned_sets.alike[n_training] = [
                Alike(
                    places if len(groups) > 1 else slice(None),
                    np.array([planned_sets.regressors[i][:size] for i in places]),
                    self._plan(len(planned_sets.regressors[places[0]]), n_training),
                )
                for (size, _), places in groups.items()
            ]
        return planned_sets.alike[n_training]

    def _differences(self, used: Ints, row: int, training: Ints) -> tuple[Floats, Ints]:
        """Differences of the used columns, and the rows they are of.

        Where all others may be learned from, nothing is copied row by row: the row
        itself is set out of reach.
        """
        columns, n_rows = self.data.space.columns, len(self.data.rows)
        query = columns.values[:, row]
        if len(training) < n_rows - 1:
            return column_differences(columns, query, used, training), training
        differences = column_differences(columns, query, used)
        differences[:, row] = np.inf
        return differences, np.arange(n_rows)

    def _nearest(self, row: int, training: Ints, n_nearest: int) -> Ints:
        """The nearest training rows for each set."""
        used, members = self._sets.used, self._sets.members
        differences, rows = self._differences(used, row, training)
        run = self._runner(len(rows) * (members.shape[1] + 4.0))
        return rows[find_nearest_in_subsets(differences, members, n_nearest, run)]

    def _fit(self, regressors: Ints, near: Ints, row: int, plan: LocalPlan) -> Floats:
        """Fit the models of many sets at once, each on its own copy of its cases."""
        cases, (n_sets, n_near) = self.data.cases, near.shape
        gathered = cases.regressors[near[:, :, None], regressors[:, None, :]]
        copies = LocalCases(
            gathered.reshape(n_sets * n_near, regressors.shape[1]),
            cases.targets[near].reshape(n_sets * n_near, -1),
            cases.weights[near].ravel() if cases.weights.size else cases.weights,
        )
        models = fit_models(
            copies,
            plan,
            cases.regressors[row, regressors],
            np.arange(n_sets * n_near).reshape(n_sets, n_near),
            run=self._runner(200.0 * n_near * (1 + regressors.shape[1])),
        )
        return models.coefficients[:, :, 0]

    def _plan_sets(self, sets: Sequence[AttributeSet]) -> SetPlan:
        used = np.array(sorted(set().union(*sets)), np.int64)
        place = {attribute: i for i, attribute in enumerate(used.tolist())}
        members = np.full((len(sets), max(map(len, sets))), -1)
        for i, one in enumerate(sets):
            members[i, : len(one)] = [place[attribute] for attribute in one]
        none = np.empty(0, np.int64)
        regressors = [
            np.concatenate([none, *(self._of_attribute[j] for j in one)])
            for one in sets
        ]
        empty = [i for i, one in enumerate(sets) if not one]
        return SetPlan(list(sets), used, members, regressors, empty, {})

    def _mean(self, training: Ints) -> Floats:
        cases = self.data.cases
        weights = cases.weights[training] if cases.weights.size else None
        return np.average(cases.targets[training], axis=0, weights=weights)

    def _plan(self, n_regressors: int, n_rows: int) -> Planned:
        key = n_regressors, n_rows
        if key not in self._plans:
            settings = self.data.settings
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
