"""How parameter settings are evaluated in a race: over folds, or over single rows."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.exceptions import FitFailedWarning
from sklearn.utils.parallel import Parallel, delayed

from sklazy.compat import rows_of_params, split_rows
from sklazy.errors import BadInputError, DataWarning, warn_user
from sklazy.estimators.search.losses import (
    FIRST,
    ROW_LOSSES,
    LeaveOneOutModel,
    check_leaves_out,
    find_row_loss,
)
from sklazy.estimators.search.results import (
    Scored,
    Table,
    fold_results,
    row_results,
)
from sklazy.estimators.search.routing import (
    Model,
    Scorers,
    Scores,
    named_scorers,
    named_scores,
)
from sklazy.racing import RaceResult
from sklazy.report.progress import WORTH_SAYING, in_words

Split = tuple[Any, Any]
"""Training rows and test rows."""

_N_FOLDS, _FEW = 10, 8  # folds by default, and rows predicted to time them
_MUCH = 2.0  # times the folds' seconds


class FitFailedError(Exception):
    """A failed fit or score, in place of a loss."""


@dataclass(frozen=True, eq=False)
class SplitJob:
    """One candidate, fitted and scored on one split.

    Attributes
    ----------
    scorers : dict of scorers, or a callable that returns a number or a dict
    fit_params : dict
        Passed to `fit`; entries with one value per row are split like the rows.
    score_params : dict of dict
        The same for each scorer, by its name ("score" for a single one).
    error_score : float or "raise"
        The score of a failure.
    """

    estimator: Any
    X: Any
    y: Any
    scorers: Scorers
    fit_params: dict[str, Any]
    score_params: dict[str, dict[str, Any]]
    error_score: Any
    return_train_score: bool

    def __post_init__(self) -> None:
        if isinstance(self.error_score, str) and self.error_score != "raise":
            raise BadInputError(
                f"error_score={self.error_score!r}; expected a number or 'raise'."
            )

    def run(self, params: dict[str, Any], split: Split) -> Scored:
        """Fit on the training rows and score on the test rows."""
        train, test = split
        model = self.make(params)
        started = time.perf_counter()
        try:
            self._fit(model, train)
        except Exception as failure:
            if self.error_score == "raise":
                raise
            elapsed = time.perf_counter() - started
            return Scored(elapsed, 0.0, {}, {}, describe_failure(failure))
        fitted = time.perf_counter()
        scores, reason = self._score(model, test, train)
        scored = time.perf_counter()
        train_scores: Scores = {}
        if self.return_train_score:
            train_scores, _ = self._score(model, train, train)
        return Scored(fitted - started, scored - fitted, scores, train_scores, reason)

    def make(self, params: dict[str, Any]) -> Model:
        """A new estimator with these parameters, which may be estimators, too."""
        return clone(self.estimator).set_params(**clone(params, safe=False))

    def fit_all(self, model: Model) -> None:
        """Fit on all rows."""
        _fit_model(model, self.X, self.y, self.fit_params)

    def _fit(self, model: Model, train: object) -> None:
        X, y = split_rows(model, self.X, self.y, train)
        params = rows_of_params(self.X, params=self.fit_params, indices=train)
        _fit_model(model, X, y, params)

    def _score(self, model: Model, rows: object, train: object) -> tuple[Scores, str]:
        """Return all scores on these rows, and why one of them failed."""
        X, y = split_rows(model, self.X, self.y, rows, train)
        targets = () if y is None else (y,)
        scores: Scores = {}
        reason = ""
        for name, scorer in named_scorers(self.scorers).items():
            params = self.score_params.get(name, {})
            params = rows_of_params(self.X, params=params, indices=rows)
            try:
                scores |= named_scores(name, scorer(model, X, *targets, **params))
            except Exception as failure:
                if self.error_score == "raise":
                    raise
                scores[name] = float(self.error_score)
                reason = f"{name}: {describe_failure(failure)}"
        return scores, reason


def _fit_model(model: Model, X: object, y: object, params: dict[str, Any]) -> None:
    """Fit, without targets if there are none."""
    targets = () if y is None else (y,)
    model.fit(X, *targets, **params)


def describe_failure(failure: BaseException) -> str:
    """Return the kind and the text of an error."""
    return f"{type(failure).__name__}: {failure}"


class FoldEvaluator:
    """Evaluates candidates on folds: fits on the training rows, scores the others.

    `metric` is the raced one of several; `parallel` runs the fits of one block.

    Attributes
    ----------
    cells : dict of (candidate, split) to Scored
    """

    def __init__(
        self,
        job: SplitJob,
        candidates: Sequence[dict[str, Any]],
        splits: Sequence[Split],
        metric: str | None,
        parallel: Parallel,
    ) -> None:
        self.job, self.candidates, self.splits = job, list(candidates), splits
        self.metric, self.parallel = metric, parallel
        self.cells: dict[tuple[int, int], Scored] = {}
        if isinstance(job.scorers, Mapping):
            self.find_metric(job.scorers)

    def evaluate(self, alive: list[int], split: int) -> list[float | FitFailedError]:
        """Fit and score the candidates alive on one split."""
        scored = self.parallel(
            delayed(self.job.run)(self.candidates[candidate], self.splits[split])
            for candidate in alive
        )
        for candidate, cell in zip(alive, scored, strict=True):
            self.cells[candidate, split] = cell
        return [self._loss(cell) for cell in scored]

    def add(self, candidates: Sequence[dict[str, Any]]) -> None:
        """Take more candidates, numbered from the last one on."""
        self.candidates += candidates

    def find_metric(self, known: Mapping[str, object]) -> str:
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
        """The table `cv_results_`."""
        return fold_results(
            self.candidates,
            self.cells,
            outcome.eliminated_at,
            len(self.splits),
            self._error_score,
        )

    @property
    def failures(self) -> dict[int, str]:
        """The last reason why a fit or a score of a candidate failed."""
        reasons = {at: cell.reason for at, cell in self.cells.items() if cell.reason}
        return {candidate: reasons[candidate, split] for candidate, split in reasons}

    def warn_of_failures(self) -> None:
        """Warn of failed fits as scikit-learn's own searches do."""
        reasons = Counter(cell.reason for cell in self.cells.values() if cell.reason)
        if reasons:
            listed = "\n".join(f"{n} times {reason}" for reason, n in reasons.items())
            warn_user(
                f"{reasons.total()} of {len(self.cells)} fits failed, with a score of "
                f"{self._error_score}; a candidate with a score of nan is eliminated. "
                f"error_score='raise' shows the first failure.\n{listed}",
                FitFailedWarning,
            )

    @property
    def _error_score(self) -> float:
        raising = isinstance(self.job.error_score, str)
        return np.nan if raising else float(self.job.error_score)

    def _loss(self, cell: Scored) -> float | FitFailedError:
        metric = self.find_metric(cell.test) if cell.test else ""
        score = cell.test.get(metric, self._error_score)
        return -score if np.isfinite(score) else FitFailedError(cell.reason or score)


class RowEvaluator:
    """Evaluates lazy learners on single rows, each predicted from all others.

    Lazy estimators offer ``loo_predict(rows=...)``, for log loss also
    ``loo_predict_proba(rows=...)``. One that can only predict all rows at once is
    called once, for all. `rows` are raced over in their order; `scoring` is one of
    `ROW_LOSSES`; rows of one group do not see each other.

    Attributes
    ----------
    splits : int64 array
        The rows.
    fit_times, score_times : float64 arrays of shape (n_candidates,)
        Seconds to fit, and to predict all rows that were run.
    failures : dict of candidate to the reason
    """

    splits: NDArray[np.int64]

    def __init__(
        self,
        job: SplitJob,
        candidates: Sequence[dict[str, Any]],
        rows: NDArray[np.int64],
        scoring: object,
        groups: object = None,
    ) -> None:
        check_leaves_out(job.estimator)
        self.job, self.candidates, self.splits = job, list(candidates), rows
        classes = is_classifier(job.estimator)
        default = "accuracy" if classes else "neg_mean_squared_error"
        self.loss = find_row_loss(scoring, default, tuple(sorted(ROW_LOSSES)))
        self.groups = groups
        self.y = np.asarray(job.y)
        self.fit_times = np.full(len(candidates), np.nan)
        self.score_times = np.zeros(len(candidates))
        self.failures: dict[int, str] = {}
        self._models: dict[int, LeaveOneOutModel] = {}

    def evaluate(self, alive: list[int], place: int) -> list[float | FitFailedError]:
        """Return the losses of the candidates alive on one row."""
        row = int(self.splits[place])
        losses = [self._loss(candidate, row) for candidate in alive]
        if place == FIRST:  # all predicted twice; the first time may compile
            self._warn_if_slow(alive)
        return losses

    def add(self, candidates: Sequence[dict[str, Any]]) -> None:
        """Take more candidates, numbered from the last one on."""
        self.candidates += candidates
        self.fit_times = np.append(self.fit_times, np.full(len(candidates), np.nan))
        self.score_times = np.append(self.score_times, np.zeros(len(candidates)))

    def results(self, outcome: RaceResult) -> Table:
        """The table `cv_results_`, without a column for each row."""
        return row_results(self.candidates, outcome, self.fit_times, self.score_times)

    def warn_of_failures(self) -> None:
        """Warn of candidates whose evaluation failed."""
        if self.failures:
            listed = "\n".join(sorted(set(self.failures.values())))
            warn_user(
                f"{len(self.failures)} of {len(self.candidates)} candidates failed and "
                f"are eliminated:\n{listed}",
                FitFailedWarning,
            )

    def _warn_if_slow(self, alive: list[int]) -> None:
        """Warn if folds will be done much sooner, as soon as that is known."""
        left = {c: self._models[c] for c in alive if c in self._models}
        rows = len(self.splits) * sum(model.seconds for model in left.values())
        if rows < WORTH_SAYING:
            return
        folds = sum(self._time_folds(*fitted) for fitted in left.items())
        if rows > _MUCH * folds:
            warn_user(
                f"blocks='rows' takes about {in_words(rows)} unless candidates are "
                f"eliminated, blocks='folds' about {in_words(folds)}: leaving a row "
                f"out of {type(self.job.estimator).__name__} costs much more than "
                "predicting it. Use blocks='folds', or set max_seconds.",
                DataWarning,
            )

    def _time_folds(self, candidate: int, model: LeaveOneOutModel) -> float:
        """Seconds of ten folds, from a fit to all rows and the answers to a few."""
        X, _ = split_rows(model.model, self.job.X, self.job.y, self.splits[:_FEW])
        model.model.predict(X)  # once more, when what answers share is known
        started = time.perf_counter()
        model.model.predict(X)
        of_a_row = (time.perf_counter() - started) / len(X)
        fits = _N_FOLDS * float(self.fit_times[candidate])
        return fits + of_a_row * len(self.splits)

    def _loss(self, candidate: int, row: int) -> float | FitFailedError:
        started = time.perf_counter()
        try:
            model = self._model(candidate)
            loss = self.loss.negative_score(model, row, self.y[row])
        except Exception as failure:
            if self.job.error_score == "raise":
                raise
            self.failures[candidate] = describe_failure(failure)
            return FitFailedError(self.failures[candidate])
        self.score_times[candidate] += time.perf_counter() - started
        return loss

    def _model(self, candidate: int) -> LeaveOneOutModel:
        """The candidate fitted on all rows, when it is first needed."""
        if candidate not in self._models:
            model = self.job.make(self.candidates[candidate])
            started = time.perf_counter()
            self.job.fit_all(model)
            self.fit_times[candidate] = time.perf_counter() - started
            self._models[candidate] = LeaveOneOutModel(model, self.groups, self.splits)
        return self._models[candidate]
