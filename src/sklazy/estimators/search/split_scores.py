"""One candidate, fitted and scored on one split."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sklearn.base import clone

from sklazy.compat import rows_of_params, split_rows

Scores = dict[str, float]
Scorers = Mapping[str, Callable[..., Any]] | Callable[..., Any]
Split = tuple[Any, Any]

Model = Any
"""Any scikit-learn estimator."""


class Scored(NamedTuple):
    """What came out; `reason` says what failed, if anything did."""

    fit_time: float
    score_time: float
    test: Scores
    train: Scores
    reason: str = ""


@dataclass(frozen=True, eq=False)
class SplitJob:
    """All that is the same for every candidate and split.

    Attributes
    ----------
    scorers : dict of scorers, or a callable that gives a number or a dict
    fit_params : dict
        Passed to `fit`; what has one entry a row is split like the rows.
    score_params : dict of dict
        The same for each scorer, by its name ("score" for a single one).
    error_score : float or "raise"
        What a failure scores.
    """

    estimator: Any
    X: Any
    y: Any
    scorers: Scorers
    fit_params: dict[str, Any]
    score_params: dict[str, dict[str, Any]]
    error_score: Any
    return_train_score: bool

    def run(self, params: dict[str, Any], split: Split) -> Scored:
        """Fit on the training rows and score on the test rows."""
        train, test = split
        # A parameter may be an estimator itself, so it is cloned, too.
        model = clone(self.estimator).set_params(**clone(params, safe=False))
        started = time.perf_counter()
        try:
            self._fit(model, train)
        except Exception as failure:
            if self.error_score == "raise":
                raise
            elapsed = time.perf_counter() - started
            return Scored(elapsed, 0.0, {}, {}, describe(failure))
        fitted = time.perf_counter()
        scores, reason = self._score(model, test, train)
        scored = time.perf_counter()
        train_scores: Scores = {}
        if self.return_train_score:
            train_scores, _ = self._score(model, train, train)
        return Scored(fitted - started, scored - fitted, scores, train_scores, reason)

    def _fit(self, model: Model, train: object) -> None:
        X, y = split_rows(model, self.X, self.y, train)
        params = rows_of_params(self.X, params=self.fit_params, indices=train)
        fit_model(model, X, y, params)

    def _score(self, model: Model, rows: object, train: object) -> tuple[Scores, str]:
        """Return all scores on these rows, and why one of them failed."""
        X, y = split_rows(model, self.X, self.y, rows, train)
        targets = () if y is None else (y,)
        scorers = self.scorers
        named = scorers if isinstance(scorers, Mapping) else {"score": scorers}
        scores: Scores = {}
        reason = ""
        for name, scorer in named.items():
            params = self.score_params.get(name, {})
            params = rows_of_params(self.X, params=params, indices=rows)
            try:
                scores |= by_name(name, scorer(model, X, *targets, **params))
            except Exception as failure:
                if self.error_score == "raise":
                    raise
                scores[name] = float(self.error_score)
                reason = f"{name}: {describe(failure)}"
        return scores, reason


def fit_model(model: Model, X: object, y: object, params: dict[str, Any]) -> None:
    """Fit, without targets if there are none."""
    targets = () if y is None else (y,)
    model.fit(X, *targets, **params)


def by_name(name: str, score: object) -> Scores:
    """Return one score or a dict of several as a dict of numbers."""
    if isinstance(score, Mapping):
        return {str(key): float(value) for key, value in score.items()}
    if hasattr(score, "item"):
        score = score.item()
    if not isinstance(score, (int, float)):
        raise TypeError(f"scoring must give a number, not {score!r}.")
    return {name: float(score)}


def describe(failure: BaseException) -> str:
    """Return the kind and the text of an error."""
    return f"{type(failure).__name__}: {failure}"
