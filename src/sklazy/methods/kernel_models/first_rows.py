"""Left-out answers for the first rows that follow a change of other rows in no time.

Exact ones (see `landmarks`) need the leverage of each row, for which the system of all
rows is solved anew. Here the leverage is that among the rows that were drawn, each of
which stands for s = n / n_drawn rows: with g = k' B^-1 k, B = s D'D + rM and D the
similarities of the drawn rows to the landmarks, the row itself standing for one alone,
it is g / (1 - (s - 1) g). So few rows make it too large; the true leverages of some
rows give the factor by which. What is fitted is that of all rows. Members of blends
are weighed by these answers.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dsyrk

from sklazy.flow import KernelColumns
from sklazy.methods.kernel_models.choice import KernelSettings
from sklazy.methods.kernel_models.landmarks import (
    leave_out_by,
    measure_leverages,
    similarities_to,
    solve_system,
)
from sklazy.methods.kernel_models.solution import mean_of_others

Floats = NDArray[np.float64]

_N_COMPARED = 64  # rows whose true leverage is known
_TINY = 1e-300
_BITS = 4  # of the number of rows that leverages follow: most changes leave these


class FirstRows:
    """Rows that were drawn, in canonical order.

    Parameters
    ----------
    columns, centers : KernelColumns
        All of them, and those that are landmarks.
    settings : KernelSettings
    """

    def __init__(
        self, columns: KernelColumns, centers: KernelColumns, settings: KernelSettings
    ) -> None:
        self._columns, self._centers, self._settings = columns, centers, settings
        self._near: Floats | None = None
        self._leverages: dict[int, Floats] = {}

    def __len__(self) -> int:
        return self._columns.values.shape[1]

    def estimate(
        self, n_wanted: int, factor: Floats, solved: Floats, targets: Floats
    ) -> Floats:
        """The answers for the first rows from all others, (n_wanted, n_targets).

        Parameters
        ----------
        n_wanted : int
        factor : float64 array of shape (n_landmarks, n_landmarks)
        solved : float64 array of shape (n_landmarks, n_targets + 1)
            As of `solve_system`, for all rows.
        targets : float64 array of shape (n_rows, n_targets)
            Of all rows in canonical order.
        """
        first = slice(0, n_wanted)
        leverages = self.estimate_leverages(len(targets))[first]
        leverages = leverages * self._compare(leverages, factor)
        others = mean_of_others(targets, first)
        fitted = self._find_near()[first] @ solved
        return leave_out_by(leverages, fitted, targets[first], others)

    def _compare(self, leverages: Floats, factor: Floats) -> float:
        """The true leverages of some rows, over those estimated; at most 1."""
        some = slice(0, len(leverages), max(len(leverages) // _N_COMPARED, 1))
        true = measure_leverages(self._find_near()[: len(leverages)][some], factor)
        return min(1.0, float(true.sum() / max(leverages[some].sum(), _TINY)))

    def _find_near(self) -> Floats:
        if self._near is None:
            rate, every = self._settings.rate, slice(None)
            self._near = similarities_to(self._centers, self._columns, every, rate)
        return self._near

    def estimate_leverages(self, n_rows: int) -> Floats:
        """Leverages of the rows among about so many, (n_drawn,)."""
        about = round_down(n_rows)
        if about not in self._leverages:
            self._leverages = {about: self._measure(about)}
        return self._leverages[about]

    def _measure(self, n_rows: int) -> Floats:
        near, scale = self._find_near(), max(n_rows / len(self), 1.0)
        rate, ridge = self._settings.rate, self._settings.ridge
        among = similarities_to(self._centers, self._centers, slice(None), rate)
        system = dsyrk(scale, near.T, lower=1) + ridge * among
        factor, _ = solve_system(system, np.zeros((len(system), 1)))
        own = measure_leverages(near, factor)
        leverages: Floats = own / (1.0 - (scale - 1.0) * own)
        return leverages


def round_down(n_rows: int) -> int:
    """A number of rows to within an eighth.

    Examples
    --------
    >>> round_down(100_000), round_down(100_001), round_down(12)
    (98304, 98304, 12)
    """
    spare = max(n_rows.bit_length() - _BITS, 0)
    return n_rows >> spare << spare
