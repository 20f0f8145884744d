"""Which method suits a table, measured in seconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError, MissingExtraError
from sklazy.estimators.advice.advantage import LazyAdvantage, lazy_advantage
from sklazy.estimators.advice.candidates import Candidate, Task, list_candidates
from sklazy.estimators.advice.comparison import Comparison, Stopped
from sklazy.estimators.advice.measuring import (
    Ints,
    assign_folds,
    baseline_losses,
    check_comparable,
    compare,
    draw_sample,
    understand_target,
)
from sklazy.estimators.advice.recommend import (
    Recommendation,
    Score,
    Verdict,
    lack_time,
    recommend,
)
from sklazy.estimators.parameters import check_count, check_not_negative
from sklazy.forking import cached_property
from sklazy.measures.scores import score_classes, score_numbers
from sklazy.report.advice import (
    advice_fragment,
    advice_markdown,
    advice_page,
    advice_text,
)
from sklazy.report.html import preformatted
from sklazy.report.methods import name_method
from sklazy.tables import Table, as_table
from sklazy.tables.origins import expand_columns
from sklazy.tables.taking import take_columns
from sklazy.tables.targets import warn_of_pairs

N_NEEDED = 200
"""Rows that a verdict needs; all of a smaller table."""

_PERCENT = 30.0  # of the attributes, for V(D, x)
_HIDDEN = ("make_best",)  # of the attributes of `Advice`


@dataclass(frozen=True, eq=False)
class Advice:
    """Measured losses, other figures beside them, and a recommendation.

    Attributes
    ----------
    recommendation : str
        The kind of method: "lazy selection", "eager selection", "no selection", "local
        models", "kernel and blend", "ensembles", "trees and rules" or "eager model";
        "nothing" (none is clearly better than the shares of the classes, or than the
        median) or "not enough time".
    verdict : str
        The recommendation in a sentence, with its figures.
    best : Score or None
        The recommended candidate.
    best_ : estimator
        The recommended candidate, fitted to all rows at first use.
    scores : tuple of Score
        Scores of the methods that were measured, in the order they were.
    skipped : tuple of str
        The methods that there was no time for, in words.
    task : {"classification", "regression"}
    stopped : {"finished", "time", "interrupted"}
        Why the measuring ended.
    advantage : LazyAdvantage or None
        V(D, A_j), V(D) and V(D, x); None for numbers.
    percent : float
        The x of V(D, x) that is shown.
    guess : float
        Log loss of always predicting the shares of the classes, or mean absolute error
        of the median.
    n_rows, n_attributes, n_classes : int
        Size of the table; 0 classes for numbers.
    n_sampled, n_tested, n_folds : int
        The rows in the sub-sample, those predicted, and the folds run.
    n_needed : int
        The rows that a verdict needs.
    seconds_needed : float
        About how many seconds would do for a verdict; 0 if there is one.
    """

    recommendation: Recommendation
    verdict: str
    best: Score | None
    scores: tuple[Score, ...]
    skipped: tuple[str, ...]
    task: Task
    stopped: Stopped
    advantage: LazyAdvantage | None
    percent: float
    guess: float
    n_rows: int
    n_attributes: int
    n_classes: int
    n_sampled: int
    n_tested: int
    n_folds: int
    n_needed: int
    seconds_needed: float
    make_best: Callable[[], Any] | None = None

    @cached_property
    def best_(self) -> Any:  # noqa: ANN401 - an estimator
        """The recommended estimator, fitted to all rows when it is first used."""
        if self.best is None:
            raise BadInputError(
                f"the advice recommends no estimator ({self.recommendation}); "
                "LazyClassifier and LazyRegressor are the ones to try first."
            )
        if self.make_best is None:
            raise BadInputError(
                "the rows are on a cluster; fit the estimator there, for example "
                f"sklazy.dask.{self.best.name}.fit(X, y)."
            )
        return self.make_best()

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain data."""
        names = [name for name in self.__dataclass_fields__ if name not in _HIDDEN]
        plain = {name: getattr(self, name) for name in names}
        return plain | {
            "best": None if self.best is None else asdict(self.best),
            "scores": [asdict(score) for score in self.scores],
            "skipped": list(self.skipped),
            "advantage": self._plain_advantage(),
        }

    def _plain_advantage(self) -> dict[str, Any] | None:
        if self.advantage is None:
            return None
        figures = self.advantage.by_attribute.tolist()
        return {
            "overall": self.advantage.overall,
            "top": self.advantage.top(self.percent),
            "by_attribute": [
                {"name": name, "v": v}
                for name, v in zip(self.advantage.names, figures, strict=True)
            ],
        }

    def to_text(self, width: int = 80) -> str:
        """The advice for a terminal, no line wider than `width`.

        Parameters
        ----------
        width : int, default=80
            Most characters per line.
        """
        return advice_text(self.to_dict(), width)

    def to_markdown(self) -> str:
        """The advice as Markdown."""
        return advice_markdown(self.to_dict())

    def to_html(self) -> str:
        """The advice as a self-contained HTML page (needs jinja2)."""
        return advice_page(self.to_dict())

    def _repr_html_(self) -> str:
        try:
            return advice_fragment(self.to_dict())
        except MissingExtraError:
            return preformatted(self.to_text())

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"Advice({self.recommendation!r}: {self.verdict})"


def advise(
    X: object,
    y: object,
    *,
    task: Literal["auto", "classification", "regression"] = "auto",
    max_rows: int = 1000,
    max_seconds: float = 30.0,
    n_folds: int = 5,
    categorical_features: object = "from_dtype",
    random_state: int = 0,
) -> Advice:
    """Measure which method suits this table, lazy or eager.

    On a sub-sample each fold is predicted from the others. The blend (`LazyClassifier`
    or `LazyRegressor`), a random forest and gradient boosting come first, then the
    other methods of this library and a linear model, all with their own defaults and
    on the same folds. The log loss decides, for numbers the mean absolute error. AUC,
    calibration and accuracy, or R2, are shown beside it. The blend is recommended
    unless another method is clearly better: by two standard errors of the difference.

    A verdict needs 200 predicted rows, or all rows of a smaller table, by the first
    three methods. If time is up before, the advice is "not enough time", with the
    seconds that would do. Code that is compiled at first use does not count.

    Ctrl-C ends the measuring; the advice then rests on the results so far.

    Parameters
    ----------
    X : table, frame or array-like of shape (n_rows, n_attributes)
        Numeric and nominal features. Cells may be missing.
    y : array-like of shape (n_rows,), or str
        Class labels or numbers, or the name of their column in X.
    task : {"auto", "classification", "regression"}, default="auto"
        Kind of y. "auto" treats numbers with fractions as numbers, and whole numbers if
        more than 20 of them differ, or more than one in five rows.
    max_rows : int, default=1000
        Size of the sub-sample.
    max_seconds : float, default=30
        Nothing new is started after this time.
    n_folds : int, default=5
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
    random_state : int, default=0
        Seed for the sample of rows and for the folds.

    Returns
    -------
    Advice
        `best_` is the recommended estimator, fitted to all rows.

    Examples
    --------
    >>> import sklazy
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> advice = sklazy.advise(X, y, n_folds=3, max_seconds=600)
    >>> advice.task, advice.n_tested
    ('classification', 150)
    >>> advice.best_.predict(X[:2])
    array([0, 0])
    """
    X, y, _ = take_columns(X, y, None)
    warn_of_pairs(X, y)
    table = expand_columns(as_table(X, categorical_features=categorical_features))
    return advise_on(
        table.take,
        len(table),
        y,
        lambda: lazy_advantage(table, y),
        lambda one: _fit_best(one, X, y, categorical_features),
        task=task,
        max_rows=max_rows,
        max_seconds=max_seconds,
        n_folds=n_folds,
        random_state=random_state,
    )


def _fit_best(
    best: Candidate, X: object, y: object, categorical_features: object
) -> Any:  # noqa: ANN401 - an estimator
    model = best.make()
    if best.family == "eager model":
        table = as_table(X, categorical_features=categorical_features)
        return model.fit(table, np.asarray(y))
    return model.set_params(categorical_features=categorical_features).fit(X, y)


def advise_on(
    take: Callable[[Ints], Table],
    n_rows: int,
    y: object,
    find_advantage: Callable[[], LazyAdvantage],
    fit_best: Callable[[Candidate], Any] | None = None,
    *,
    task: Literal["auto", "classification", "regression"] = "auto",
    max_rows: int = 1000,
    max_seconds: float = 30.0,
    n_folds: int = 5,
    random_state: int = 0,
) -> Advice:
    """Advise on rows wherever they are; see `advise`.

    `take` reads rows by number. `find_advantage` measures V(D, x) of all rows, for
    classes only. `fit_best` fits a candidate to all rows.
    """
    check_count("max_rows", max_rows, 4)
    check_count("n_folds", n_folds, 2)
    check_not_negative("max_seconds", max_seconds)
    actual_task, target = understand_target(y, task)
    check_comparable(n_rows, target)
    rows = draw_sample(target, max_rows, random_state)
    table, known = take(rows), target[rows]
    candidates = list_candidates(table.kinds, random_state, actual_task)
    n_needed = min(N_NEEDED, len(rows))
    folds = assign_folds(known, n_folds, random_state, n_needed)
    outcome = compare(candidates, table, known, folds, max_seconds, n_needed)
    scores = _make_scores(candidates, outcome, known)
    guess = baseline_losses(known)[outcome.rows]
    verdict = _judge(scores, outcome, guess, n_needed)
    classifies = actual_task == "classification"
    return Advice(
        *verdict,
        scores=scores,
        skipped=tuple(
            name_method(one.host, one.family)
            for i, one in enumerate(candidates)
            if i not in outcome.measured
        ),
        task=actual_task,
        stopped=outcome.stopped,
        advantage=find_advantage() if classifies else None,
        percent=_PERCENT,
        guess=float(guess.mean()),
        n_rows=len(target),
        n_attributes=len(table.columns),
        n_classes=len(np.unique(target)) if classifies else 0,
        n_sampled=len(rows),
        n_tested=len(outcome.rows),
        n_folds=outcome.n_folds,
        n_needed=n_needed,
        seconds_needed=outcome.lacks,
        make_best=_plan_best(candidates, verdict, fit_best),
    )


def _judge(
    scores: Sequence[Score],
    outcome: Comparison,
    guess: NDArray[np.float64],
    n_needed: int,
) -> Verdict:
    if outcome.lacks:
        return lack_time(len(outcome.rows), n_needed, outcome.lacks)
    return recommend(scores, outcome.losses, guess)


def _plan_best(
    candidates: Sequence[Candidate],
    verdict: Verdict,
    fit_best: Callable[[Candidate], Any] | None,
) -> Callable[[], Any] | None:
    if verdict.best is None or fit_best is None:
        return None
    name = verdict.best.name
    return partial(fit_best, next(one for one in candidates if one.name == name))


def _make_scores(
    candidates: Sequence[Candidate], outcome: Comparison, target: NDArray[Any]
) -> tuple[Score, ...]:
    truth = target[outcome.rows]
    scores = []
    for place, number in enumerate(outcome.measured):
        one, losses = candidates[number], outcome.losses[place]
        scores.append(
            Score(
                name=one.name,
                family=one.family,
                host=one.host,
                loss=float(losses.mean()),
                error=float(losses.std() / np.sqrt(len(losses))),
                seconds=outcome.seconds[place],
                **_find_other_figures(outcome.answers[place], truth),
            )
        )
    return tuple(scores)


def _find_other_figures(
    answers: NDArray[np.float64], truth: NDArray[Any]
) -> dict[str, float | None]:
    """The figures beside the loss that decides."""
    if truth.dtype.kind == "f":
        return {"r2": score_numbers(answers, truth).r2}
    figures = score_classes(answers, truth)
    return {
        "accuracy": figures.accuracy,
        "auc": figures.auc,
        "calibration_error": figures.calibration_error,
    }
