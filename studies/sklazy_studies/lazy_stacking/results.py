"""The results of lazy stacking over all repetitions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sklazy_studies.harness.significance import LEVEL, paired_t
from sklazy_studies.harness.unit import Plain, Unit
from sklazy_studies.lazy_stacking import paper
from sklazy_studies.lazy_stacking.run import METHODS, N_MEASURED, WEKA

Floats = NDArray[np.float64]

MEASURES = {
    "q_statistic": "Q",
    "disagreement": "disagreement",
    "double_fault": "double fault",
    "kappa": "kappa",
    "entropy": "entropy",
}
"""Measures of diversity, and their names in tables."""


@dataclass(frozen=True, eq=False)
class Results:
    """All repetitions of some sets.

    Attributes
    ----------
    sets, methods : list of str
    accuracies : float64 array of shape (n_sets, n_methods, n_repetitions)
        In percent of all rows; NaN where a repetition was not run.
    diversity : mapping of method to float64 array of shape (n_sets, n_measures)
        Means over the first repetitions; only of ensembles.
    """

    sets: list[str]
    methods: list[str]
    accuracies: Floats
    diversity: Mapping[str, Floats]

    @property
    def n_repetitions(self) -> int:
        """How often the folds were drawn."""
        return self.accuracies.shape[2]

    @property
    def means(self) -> Floats:
        """Mean accuracies, (n_sets, n_methods); NaN where a method was not run."""
        known = np.isfinite(self.accuracies)
        sums = np.where(known, self.accuracies, 0.0).sum(axis=2)
        return np.where(self.n_run > 0, sums / np.maximum(self.n_run, 1), np.nan)

    @property
    def n_run(self) -> NDArray[np.int64]:
        """How many repetitions were run, (n_sets, n_methods)."""
        return np.isfinite(self.accuracies).sum(axis=2)

    @property
    def has_all(self) -> NDArray[np.bool_]:
        """The sets on which every method was run."""
        return np.asarray((self.n_run > 0).all(axis=1))

    @property
    def deviations(self) -> Floats:
        """Standard deviations over the repetitions, (n_sets, n_methods)."""
        apart = self.accuracies - self.means[:, :, None]
        squares = np.where(np.isfinite(apart), apart, 0.0) ** 2
        return np.sqrt(squares.sum(axis=2) / np.maximum(self.n_run - 1, 1))

    def of(self, method: str) -> Floats:
        """The accuracies of one method, (n_sets, n_repetitions)."""
        return self.accuracies[:, self.methods.index(method)]

    def significantly_better(self, first: str, second: str) -> list[bool]:
        """For each set, whether the first is significantly better."""
        return [
            _is_better(one, other)
            for one, other in zip(self.of(first), self.of(second), strict=True)
        ]

    def paper_of(self, name: str) -> list[float | None]:
        """The paper's accuracies on a set, None where it has none."""
        reported = dict(zip(paper.METHODS, paper.ACCURACIES[name], strict=True))
        reported[WEKA] = reported["lazy stacking"]
        return [reported.get(method) for method in self.methods]


def gather(results: Mapping[Unit, Plain], names: Sequence[str]) -> Results:
    """Combine the results of units.

    Sets that lack a method of the paper in some repetition are left out; other methods
    may lack some.
    """
    by_place = {
        tuple(unit.setting[name] for name in ("set", "method", "repetition")): result
        for unit, result in results.items()
    }
    n_repetitions = 1 + max((place[2] for place in by_place), default=-1)
    table: dict[str, dict[str, list[Plain | None]]] = {}
    for name in names if n_repetitions else ():
        places = {m: [(name, m, r) for r in range(n_repetitions)] for m in METHODS}
        if all(place in by_place for m in paper.METHODS for place in places[m]):
            table[name] = {m: list(map(by_place.get, row)) for m, row in places.items()}
    accuracies = [
        [list(map(_accuracy, by_method[m])) for m in METHODS]
        for by_method in table.values()
    ]
    shape = (len(table), len(METHODS), n_repetitions)
    return Results(
        list(table),
        list(METHODS),
        np.array(accuracies, np.float64).reshape(shape),
        {m: _mean_measures(table, m) for m in METHODS if _has_members(table, m)},
    )


Cells = Mapping[str, Mapping[str, list[Plain | None]]]
"""Results by set, method and repetition; None where it was not run."""


def _has_members(table: Cells, method: str) -> bool:
    first = [by_method[method][0] for by_method in table.values()]
    return any(result is not None and "diversity" in result for result in first)


def _mean_measures(table: Cells, method: str) -> Floats:
    """Means over the repetitions measured, (n_sets, n_measures)."""
    rows = [
        [_measures(result) for result in by_method[method][:N_MEASURED]]
        for by_method in table.values()
    ]
    return np.mean(rows, axis=1)


def _accuracy(result: Plain | None) -> float:
    if result is None:
        return np.nan
    return 100.0 * sum(result["right"]) / sum(result["n"])


def _measures(result: Plain | None) -> list[float]:
    if result is None:
        return [np.nan] * len(MEASURES)
    return [result["diversity"][name] for name in MEASURES]


def _is_better(one: Floats, other: Floats) -> bool:
    """Whether the first is significantly better in the repetitions that both have."""
    both = np.isfinite(one) & np.isfinite(other)
    if both.sum() < _FEWEST or one[both].mean() <= other[both].mean():
        return False
    return bool(paired_t(one[both], other[both]) < LEVEL)


_FEWEST = 2  # repetitions that a test needs


def mean_difference(run: Results, method: str) -> tuple[int, float, float] | None:
    """Sets the paper has, mean and mean absolute difference from it, in points."""
    place = run.methods.index(method)
    theirs = [(i, run.paper_of(name)[place]) for i, name in enumerate(run.sets)]
    known = [(i, x) for i, x in theirs if x is not None and run.n_run[i, place]]
    differences = [run.means[i, place] - x for i, x in known]
    if not differences:
        return None
    mean, distance = np.mean(differences), np.mean(np.abs(differences))
    return len(differences), float(mean), float(distance)
