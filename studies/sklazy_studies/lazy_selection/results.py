"""The results of lazy selection over all folds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sklazy.estimators.advice.advantage import PERCENTAGES
from sklazy.forking import cached_property
from sklazy_studies.harness.significance import Tally, paired_t, tally
from sklazy_studies.harness.unit import Plain, Unit
from sklazy_studies.lazy_selection.run import HOSTS, N_FOLDS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

N_HOSTS, N_SHARES = len(HOSTS), len(PERCENTAGES)


@dataclass(frozen=True, eq=False)
class Results:
    """All folds of some sets under one protocol.

    Attributes
    ----------
    sets : list of str
    n_attributes : int64 array of shape (n_sets,)
    n_rows : int64 array of shape (n_sets, n_folds)
    lazy, eager : int64 arrays of shape (n_hosts, n_sets, n_percentages, n_folds)
        Rows classified correctly.
    none : int64 array of shape (n_hosts, n_sets, n_folds)
        The same with all attributes.
    v, v_unweighted : float64 arrays of shape (n_sets, n_percentages)
        V(D, x), with values weighted by their rows, and equally.
    """

    sets: list[str]
    n_attributes: Ints
    n_rows: Ints
    lazy: Ints
    eager: Ints
    none: Ints
    v: Floats
    v_unweighted: Floats

    @cached_property
    def p(self) -> Floats:
        """p-values of lazy against eager, (n_hosts, n_sets, n_percentages)."""
        n_rows = self.n_rows[:, None, :]
        return paired_t(self.lazy / n_rows, self.eager / n_rows)

    def tally(self, host: int, mask: NDArray[np.bool_] | None = None) -> Tally:
        """Lazy against eager over all sets and percentages, or those of the mask.

        All rows of a set together decide which is better, so that a tie is exact.
        """
        where = np.ones(self.v.shape, bool) if mask is None else mask
        lazy, eager = self.lazy[host].sum(axis=-1), self.eager[host].sum(axis=-1)
        return tally(lazy[where], eager[where], self.p[host][where])

    def tally_set(self, host: int, place: int) -> Tally:
        """Lazy against eager over the percentages of one set."""
        mask = np.zeros(self.v.shape, bool)
        mask[place] = True
        return self.tally(host, mask)

    def accuracy(self, counts: Ints) -> Floats:
        """Rows classified correctly, summed over folds, in percent of the set."""
        total = self.n_rows.sum(axis=1)
        shape = (-1,) + (1,) * (counts.ndim - 2)
        return 100.0 * counts.sum(axis=-1) / total.reshape(shape)

    def best(self, counts: Ints) -> tuple[Floats, Ints]:
        """The best accuracy of each set over the percentages, and where it is first."""
        accuracy = self.accuracy(counts)
        return accuracy.max(axis=-1), accuracy.argmax(axis=-1)

    def best_counts(self, host: int) -> dict[str, int]:
        """In how many sets each has the highest accuracy; ties count for each."""
        right = {
            "lazy": self.lazy[host].sum(axis=-1).max(axis=-1),
            "eager": self.eager[host].sum(axis=-1).max(axis=-1),
            "none": self.none[host].sum(axis=-1),
        }
        highest = np.max(list(right.values()), axis=0)
        return {
            name: int((n_right == highest).sum()) for name, n_right in right.items()
        }


def gather(
    results: Mapping[Unit, Plain], names: Sequence[str], protocol: str
) -> Results | None:
    """Combine the results of units; None if there are none of this protocol."""
    advantage = _by_set(results, part="advantage")
    folds = {
        (unit.setting["set"], unit.setting["fold"]): result
        for unit, result in results.items()
        if unit.setting.get("protocol") == protocol
    }
    sets = [n for n in names if all((n, f) in folds for f in range(N_FOLDS))]
    if not sets:
        return None
    rows = [[folds[name, fold] for fold in range(N_FOLDS)] for name in sets]
    return Results(
        sets,
        np.array([[fold["n_attributes"] for fold in row] for row in rows]).max(axis=1),
        np.array([[fold["n"] for fold in row] for row in rows]),
        _counts(rows, "lazy"),
        _counts(rows, "eager"),
        _counts(rows, "none"),
        *(np.array([advantage[name][v] for name in sets]) for v in _READINGS),
    )


_READINGS = ("v", "v_unweighted")


def _by_set(results: Mapping[Unit, Plain], part: str) -> dict[str, Plain]:
    return {
        unit.setting["set"]: result
        for unit, result in results.items()
        if unit.setting["part"] == part
    }


def _counts(rows: Sequence[Sequence[Plain]], strategy: str) -> Ints:
    """From (set, fold, host[, percentage]) to (host, set[, percentage], fold)."""
    counts = np.array(
        [[[fold["right"][strategy][h] for h in HOSTS] for fold in row] for row in rows]
    )
    return np.moveaxis(counts, [2, 1], [0, -1])


def curve(results: Results, host: int, thresholds: Floats, *, sure: bool) -> Floats:
    """The share of cases in which lazy is better, among those of at least this V(D, x).

    Parameters
    ----------
    thresholds : float64 array
    sure : bool
        Whether only significant differences count.

    Returns
    -------
    float64 array, NaN where no case has this V
    """
    shares = []
    for threshold in thresholds:
        tally = results.tally(host, results.v >= threshold)
        better = tally.significantly_better if sure else tally.better
        shares.append(better / tally.n if tally.n else np.nan)
    return np.array(shares)
