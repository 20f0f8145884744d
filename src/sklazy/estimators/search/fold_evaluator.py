"""Where candidates race over folds: each block is a fit on the rest and a score."""

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import FitFailedWarning
from sklearn.utils.parallel import Parallel, delayed

from sklazy.errors import BadInputError
from sklazy.estimators.search.results import Table, search_results
from sklazy.estimators.search.split_scores import Scored, Split, SplitJob
from sklazy.racing import RaceResult


class FitFailedError(Exception):
    """A fit or a score that failed, in the place of a loss."""


class FoldArena:
    """Candidates, folds, and what is known of each candidate on each fold.

    Parameters
    ----------
    job : SplitJob
    candidates : list of dict of parameters
    splits : list of (train, test) row numbers
    metric : str or None
        The raced one of several metrics; of no meaning if there is just one.
    parallel : Parallel
        Runs the fits of one block.
    """

    def __init__(
        self,
        job: SplitJob,
        candidates: Sequence[dict[str, Any]],
        splits: Sequence[Split],
        metric: str | None,
        parallel: Parallel,
    ) -> None:
        self.job, self.candidates, self.splits = job, candidates, splits
        self.metric, self.parallel = metric, parallel
        self.cells: dict[tuple[int, int], Scored] = {}
        if isinstance(job.scorers, Mapping):
            self.raced(job.scorers)

    def evaluate(self, alive: list[int], split: int) -> list[float | FitFailedError]:
        """Fit and score the candidates alive on one split."""
        scored = self.parallel(
            delayed(self.job.run)(self.candidates[candidate], self.splits[split])
            for candidate in alive
        )
        for candidate, cell in zip(alive, scored, strict=True):
            self.cells[candidate, split] = cell
        return [self._loss(cell) for cell in scored]

    def raced(self, known: Mapping[str, object]) -> str:
        """Return the name of the raced metric, given the names of all."""
        if "score" in known and len(known) == 1:
            return "score"
        if self.metric is None or self.metric not in known:
            raise BadInputError(
                f"scoring gives {sorted(known)} and raced_metric={self.metric!r} is "
                "none of them; name the metric to race by raced_metric or refit."
            )
        return self.metric

    def results(self, outcome: RaceResult) -> Table:
        """Lay out `cv_results_`."""
        return search_results(
            self.candidates,
            self.cells,
            outcome.eliminated_at,
            len(self.splits),
            self._error_score,
        )

    @property
    def failures(self) -> dict[int, str]:
        """The last reason why a fit or a score of a candidate failed."""
        found = {at: cell.reason for at, cell in self.cells.items() if cell.reason}
        return {candidate: found[candidate, split] for candidate, split in found}

    def warn_of_failures(self) -> None:
        """Warn of failed fits as scikit-learn's own searches do."""
        reasons = Counter(cell.reason for cell in self.cells.values() if cell.reason)
        if reasons:
            listed = "\n".join(f"{n} times {reason}" for reason, n in reasons.items())
            warnings.warn(
                f"{reasons.total()} of {len(self.cells)} fits failed, to count as a "
                f"score of {self._error_score}; a candidate with a score of nan is out "
                f"of the race. error_score='raise' shows the first failure.\n{listed}",
                FitFailedWarning,
                stacklevel=3,
            )

    @property
    def _error_score(self) -> float:
        raising = isinstance(self.job.error_score, str)
        return np.nan if raising else float(self.job.error_score)

    def _loss(self, cell: Scored) -> float | FitFailedError:
        metric = self.raced(cell.test) if cell.test else ""
        score = cell.test.get(metric, self._error_score)
        return -score if np.isfinite(score) else FitFailedError(cell.reason or score)
