"""Up to where a kernel model solves a system of all cases, and what it draws beyond."""

from typing import NamedTuple

from sklazy.methods.kernel_models.gains import N_PATHS
from sklazy.methods.kernel_models.landmarks import count_landmarks

_MORE_DRAWN = 5  # times `max_loo_rows`, that settings of many cases are chosen by
_MORE_FOR_RIDGES = 2  # the same, where each ridge is a system of all landmarks


class Limits(NamedTuple):
    """Up to where a system of all cases is solved.

    Attributes
    ----------
    max_rows : int
        Of more cases some are landmarks.
    n_neighbors : int
        Nearest cases of each query that are solved instead, where there are none.
    max_loo_rows : int
        Cases that are left out in turn to choose the settings.
    n_paths : int
        Paths that attributes are weighted by, where classes are predicted.
    n_landmarks : int, or None to count them by the number of cases
    """

    max_rows: int = 2000
    n_neighbors: int = 200
    max_loo_rows: int = 750
    n_paths: int = N_PATHS
    n_landmarks: int | None = None

    def has_landmarks(self, n_rows: int) -> bool:
        """Whether answers are sums over landmarks."""
        return n_rows > self.max_rows and self.n_landmarks != 0

    def count_landmarks(self, n_rows: int) -> int:
        """How many landmarks so many rows have."""
        if self.n_landmarks is not None:
            return self.n_landmarks
        return count_landmarks(n_rows, self.max_rows)

    def fix_size(self, n_rows: int) -> "Limits":
        """The same for any number of rows as for so many, if these have landmarks."""
        if not self.has_landmarks(n_rows):
            return self
        return self._replace(max_rows=0, n_landmarks=self.count_landmarks(n_rows))

    def count_drawn(self, n_rows: int) -> int:
        """By how many rows landmarks, ranks and settings are chosen."""
        return max(self.n_descended, self.count_landmarks(n_rows))

    @property
    def n_descended(self) -> int:
        """How many of these are left out to improve weights and width."""
        return _MORE_DRAWN * self.max_loo_rows

    @property
    def n_judged(self) -> int:
        """How many of these are left out to choose the ridge."""
        return _MORE_FOR_RIDGES * self.max_loo_rows
