"""The results of a part of the sets: every figure by set, method and fold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklazy_studies.accuracy.scores import calibration_error
from sklazy_studies.harness.significance import corrected_t
from sklazy_studies.harness.unit import Plain, Unit

Floats = NDArray[np.float64]

TEST_OVER_TRAINING = 0.25
"""Rows asked over rows learned, of five folds."""


@dataclass(frozen=True, eq=False)
class Results:
    """All folds of some sets by some methods.

    Attributes
    ----------
    sets, methods : list of str
    folds : array of dicts of shape (n_sets, n_methods, n_folds)
        What was measured on each fold, over all repetitions.
    """

    sets: list[str]
    methods: list[str]
    folds: NDArray[Any]

    def sums(self, name: str) -> Floats:
        """One measure of every fold, (n_sets, n_methods, n_folds)."""
        figures = [fold[name] for fold in self.folds.ravel()]
        return np.array(figures, np.float64).reshape(self.folds.shape)

    def means(self, name: str) -> Floats:
        """Sums over rows as means over all rows, (n_sets, n_methods)."""
        return self.sums(name).sum(axis=2) / self.sums("n").sum(axis=2)

    def by_fold(self, name: str) -> Floats:
        """Means over the rows of each fold."""
        return self.sums(name) / self.sums("n")

    @property
    def errors(self) -> Floats:
        """Roots of mean squared errors over the target's deviation."""
        return np.sqrt(self.means("squared") / self.sums("variance").mean(axis=2))

    @property
    def calibration(self) -> Floats:
        """Calibration errors, (n_sets, n_methods)."""
        errors = [
            calibration_error(np.sum([fold["bins"] for fold in folds], axis=0))
            for folds in self.folds.reshape(-1, self.folds.shape[2])
        ]
        return np.array(errors).reshape(self.folds.shape[:2])

    def better(self, method: str, other: str) -> tuple[int, int, int, int, int]:
        """Sets won, tied, lost; won and lost beyond chance (corrected t-test)."""
        first, second = (self.methods.index(name) for name in (method, other))
        right = self.by_fold("right")
        means = self.means("right")
        gains = means[:, first] - means[:, second]
        p = corrected_t(right[:, first], right[:, second], TEST_OVER_TRAINING)
        sure = p < 0.05
        return (
            int((gains > 0).sum()),
            int((gains == 0).sum()),
            int((gains < 0).sum()),
            int(((gains > 0) & sure).sum()),
            int(((gains < 0) & sure).sum()),
        )


Runs = dict[tuple[str, str], dict[int, list[Plain]]]
"""Folds by set and method, then repetition."""


def find_runs(results: Mapping[Unit, Plain], part: str) -> Runs:
    """The folds of a part of the sets."""
    runs: Runs = {}
    for unit, result in results.items():
        setting = unit.setting
        if setting["part"] == part:
            place = runs.setdefault((setting["set"], setting["method"]), {})
            place[setting["repetition"]] = result["folds"]
    return runs


def collect(runs: Runs, methods: Sequence[str]) -> Results | None:
    """All folds of the sets on which these methods were run as often as any."""
    n_repetitions = max((len(repetitions) for repetitions in runs.values()), default=0)
    whole = [
        name
        for name in sorted({name for name, _ in runs})
        if all(len(runs.get((name, m), ())) == n_repetitions for m in methods)
    ]
    if not whole:
        return None
    rows = [[_join(runs[name, m]) for m in methods] for name in whole]
    folds = np.empty((len(whole), len(methods), len(rows[0][0])), object)
    for i, j, k in np.ndindex(folds.shape):
        folds[i, j, k] = rows[i][j][k]
    return Results(whole, list(methods), folds)


def split_methods(runs: Runs, methods: Sequence[str]) -> tuple[list[str], list[str]]:
    """Those that were run on every set, and those that were run on some."""
    sets = {name for name, _ in runs}
    counts = {m: sum((name, m) in runs for name in sets) for m in methods}
    return (
        [m for m in methods if counts[m] == len(sets)],
        [m for m in methods if 0 < counts[m] < len(sets)],
    )


def _join(runs: Mapping[int, list[Plain]]) -> list[Plain]:
    """The folds of all repetitions, in order."""
    return [fold for repetition in sorted(runs) for fold in runs[repetition]]
