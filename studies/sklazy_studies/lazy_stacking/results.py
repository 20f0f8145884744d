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
        In percent of all rows.
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
        """Mean accuracies, (n_sets, n_methods)."""
        return self.accuracies.mean(axis=2)

    @property
    def deviations(self) -> Floats:
        """Standard deviations over the repetitions, (n_sets, n_methods)."""
        few = self.n_repetitions < 2
        return self.accuracies.std(axis=2, ddof=0 if few else 1)

    def of(self, method: str) -> Floats:
        """The accuracies of one method, (n_sets, n_repetitions)."""
        return self.accuracies[:, self.methods.index(method)]

    def significantly_better(self, first: str, second: str) -> list[bool]:
        """For each set, whether the first is significantly better."""
        one, other = self.of(first), self.of(second)
        better = one.mean(axis=1) > other.mean(axis=1)
        return (better & (paired_t(one, other) < LEVEL)).tolist()

    def paper_of(self, name: str) -> list[float | None]:
        """The paper's accuracies on a set, None where it has none."""
        reported = dict(zip(paper.METHODS, paper.ACCURACIES[name], strict=True))
        reported[WEKA] = reported["lazy stacking"]
        return [reported.get(method) for method in self.methods]


def gather(results: Mapping[Unit, Plain], names: Sequence[str]) -> Results:
    """Combine the results of units; incomplete sets are left out."""
    by_place = {
        tuple(unit.setting[name] for name in ("set", "method", "repetition")): result
        for unit, result in results.items()
    }
    n_repetitions = 1 + max((place[2] for place in by_place), default=-1)
    table: dict[str, dict[str, list[Plain]]] = {}
    for name in names if n_repetitions else ():
        places = [[(name, m, r) for r in range(n_repetitions)] for m in METHODS]
        if all(place in by_place for row in places for place in row):
            rows = [[by_place[place] for place in row] for row in places]
            table[name] = dict(zip(METHODS, rows, strict=True))
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


def _has_members(table: Mapping[str, Mapping[str, list[Plain]]], method: str) -> bool:
    return any("diversity" in by_method[method][0] for by_method in table.values())


def _mean_measures(
    table: Mapping[str, Mapping[str, list[Plain]]], method: str
) -> Floats:
    """Means over the repetitions measured, (n_sets, n_measures)."""
    rows = [
        [_measures(result) for result in by_method[method][:N_MEASURED]]
        for by_method in table.values()
    ]
    return np.mean(rows, axis=1)


def _accuracy(result: Plain) -> float:
    return 100.0 * sum(result["right"]) / sum(result["n"])


def _measures(result: Plain) -> list[float]:
    return [result["diversity"][name] for name in MEASURES]


def mean_difference(run: Results, method: str) -> tuple[int, float, float] | None:
    """Sets the paper has, mean and mean absolute difference from it, in points."""
    place = run.methods.index(method)
    theirs = [(i, run.paper_of(name)[place]) for i, name in enumerate(run.sets)]
    differences = [run.means[i, place] - x for i, x in theirs if x is not None]
    if not differences:
        return None
    mean, distance = np.mean(differences), np.mean(np.abs(differences))
    return len(differences), float(mean), float(distance)
