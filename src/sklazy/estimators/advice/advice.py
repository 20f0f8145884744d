"""Which method suits a table, measured in seconds."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from numbers import Real
from typing import Any, Literal

import numpy as np

from sklazy.errors import MissingExtraError
from sklazy.estimators.advice.advantage import LazyAdvantage, lazy_advantage
from sklazy.estimators.advice.candidates import Candidate, Task, list_candidates
from sklazy.estimators.advice.comparison import (
    Clock,
    Comparison,
    QueryCost,
    Stopped,
    draw_sample,
)
from sklazy.estimators.advice.measuring import (
    Ints,
    assign_folds,
    baseline_losses,
    check_comparable,
    measure_candidates,
    shuffle_rows,
    understand_target,
)
from sklazy.estimators.advice.recommend import Recommendation, Score, recommend
from sklazy.estimators.parameters import check_count, check_not_negative
from sklazy.report.advice import (
    advice_fragment,
    advice_markdown,
    advice_page,
    advice_text,
)
from sklazy.report.html import preformatted
from sklazy.tables import Table, as_table
from sklazy.tables.origins import expand_columns

_PERCENT = 30.0  # of the attributes, where their number is found for each query


@dataclass(frozen=True, eq=False)
class Advice:
    """Measured accuracies or errors, costs, and a recommendation.

    Attributes
    ----------
    recommendation : str
        "lazy selection", "eager selection", "no selection", "local models", "kernel
        and blend", "ensembles", "trees and rules", "eager model", "either" (no clear
        difference) or "nothing" (none is better than the most frequent class, or than
        the median).
    verdict : str
        The recommendation in a sentence, with its figures.
    best : Score or None
        The recommended candidate.
    scores : tuple of Score
        Scores of the methods that were measured, the quick ones first.
    skipped : tuple of str
        Names of the methods that there was no time for.
    task : {"classification", "regression"}
    stopped : {"finished", "time", "interrupted"}
        Why the measuring ended.
    advantage : LazyAdvantage or None
        V(D, A_j), V(D) and V(D, x); None for numbers.
    percent : float
        Percent of the attributes that are selected.
    guess : float
        Accuracy of always predicting the most frequent class, or mean absolute error of
        the median.
    cost : QueryCost or None
        None if there was no time to measure it.
    n_rows, n_attributes, n_classes : int
        Size of the table; 0 classes for numbers.
    n_sampled, n_tested, n_folds : int
        The rows in the sub-sample, those predicted, and the folds run.
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
    cost: QueryCost | None
    n_rows: int
    n_attributes: int
    n_classes: int
    n_sampled: int
    n_tested: int
    n_folds: int

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain data."""
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return plain | {
            "best": None if self.best is None else asdict(self.best),
            "scores": [asdict(score) for score in self.scores],
            "skipped": list(self.skipped),
            "cost": None if self.cost is None else asdict(self.cost),
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
    n_neighbors: int = 5,
    n_attributes: int | float | str = 0.3,
    max_rows: int = 1000,
    max_seconds: float = 30.0,
    n_folds: int = 10,
    categorical_features: object = "from_dtype",
    random_state: int = 0,
) -> Advice:
    """Measure which lazy method suits this table, or whether an eager model is better.

    On a sub-sample each fold is predicted from the others by all methods of this
    library and by two eager models of scikit-learn, a random forest and a linear one.
    For classes these are k-NN and naive Bayes with lazy, eager and no selection, local
    models, kernel, blend, tree, rules and ensembles. For numbers they are local models,
    PLS if 30 columns or more are numeric, k-NN, kernel, blend and ensembles. All use
    the same folds, and cuts come from the training rows alone. The advice also reports
    the cost of a query. For classes it adds V(D, x) and the leave-one-out accuracy of
    the methods that select, with cuts from all rows (the paper's protocol, which is
    optimistic).

    Ctrl-C ends the measuring; the advice then rests on the results so far.

    Parameters
    ----------
    X : table, frame or array-like of shape (n_rows, n_attributes)
        Numeric and nominal features. Cells may be missing.
    y : array-like of shape (n_rows,)
        Class labels or numbers.
    task : {"auto", "classification", "regression"}, default="auto"
        Kind of y. "auto" treats numbers with fractions as numbers, and whole numbers if
        more than 20 of them differ, or more than one in five rows.
    n_neighbors : int, default=5
    n_attributes : int, float or str, default=0.3
        How many attributes a query uses, as in `LazyKNeighborsClassifier`.
    max_rows : int, default=1000
        Size of the sub-sample.
    max_seconds : float, default=30
        Nothing new is started after this time, except the quick methods on the first
        fold.
    n_folds : int, default=10
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
    random_state : int, default=0
        Seed for the sample of rows and for the folds.

    Returns
    -------
    Advice

    References
    ----------
    R. B. Pereira, A. Plastino, B. Zadrozny, L. H. C. Merschmann, A. A. Freitas: Lazy
    attribute selection: choosing attributes at classification time. Intelligent Data
    Analysis 15(5), 2011.

    Examples
    --------
    >>> import sklazy
    >>> from sklearn.datasets import load_iris
    >>> advice = sklazy.advise(*load_iris(return_X_y=True), n_folds=3)
    >>> advice.recommendation
    'either'
    >>> advice.task, advice.n_tested
    ('classification', 150)
    """
    table = expand_columns(as_table(X, categorical_features=categorical_features))
    return advise_on(
        table.take,
        len(table),
        y,
        lambda: lazy_advantage(table, y),
        task=task,
        n_neighbors=n_neighbors,
        n_attributes=n_attributes,
        max_rows=max_rows,
        max_seconds=max_seconds,
        n_folds=n_folds,
        random_state=random_state,
    )


def advise_on(
    take: Callable[[Ints], Table],
    n_rows: int,
    y: object,
    find_advantage: Callable[[], LazyAdvantage],
    *,
    task: Literal["auto", "classification", "regression"] = "auto",
    n_neighbors: int = 5,
    n_attributes: int | float | str = 0.3,
    max_rows: int = 1000,
    max_seconds: float = 30.0,
    n_folds: int = 10,
    random_state: int = 0,
) -> Advice:
    """Advise on rows wherever they are; see `advise`.

    `take` reads rows by number. `find_advantage` measures V(D, x) of all rows, for
    classes only.
    """
    check_count("max_rows", max_rows, 4)
    check_count("n_folds", n_folds, 2)
    check_not_negative("max_seconds", max_seconds)
    actual_task, target = understand_target(y, task)
    check_comparable(n_rows, target)
    shuffled = shuffle_rows(len(target), random_state)
    rows = draw_sample(target, max_rows, shuffled)
    table, known = take(rows), target[rows]
    candidates = list_candidates(
        table.kinds, n_neighbors, n_attributes, random_state, actual_task
    )
    sample = table, known, assign_folds(known, n_folds, random_state)
    whole = take, target, shuffled
    outcome, loo, cost = measure_candidates(
        candidates, sample, whole, Clock(max_seconds)
    )
    classifies = actual_task == "classification"
    guessed, scores = (
        baseline_losses(known)[outcome.rows],
        _make_scores(candidates, outcome, loo),
    )
    return Advice(
        *recommend(scores, outcome.losses[outcome.measured], guessed),
        scores=scores,
        skipped=_names_of_others(candidates, outcome),
        task=actual_task,
        stopped=outcome.stopped,
        advantage=find_advantage() if classifies else None,
        percent=_percent_selected(n_attributes, len(table.columns)),
        guess=float(1 - guessed.mean() if classifies else guessed.mean()),
        cost=cost,
        n_rows=len(target),
        n_attributes=len(table.columns),
        n_classes=len(np.unique(target)) if classifies else 0,
        n_sampled=len(rows),
        n_tested=len(outcome.rows),
        n_folds=outcome.n_folds,
    )


def _names_of_others(
    candidates: Sequence[Candidate], outcome: Comparison
) -> tuple[str, ...]:
    """The candidates that were not measured."""
    return tuple(
        one.name for i, one in enumerate(candidates) if i not in outcome.measured
    )


def _make_scores(
    candidates: Sequence[Candidate],
    outcome: Comparison,
    loo: dict[str, float],
) -> tuple[Score, ...]:
    classifies = outcome.classifies
    scores = []
    for i in outcome.measured:
        one, losses = candidates[i], outcome.losses[i]
        scores.append(
            Score(
                name=one.name,
                family=one.family,
                host=one.host,
                accuracy=float(1 - losses.mean()) if classifies else None,
                error=float(losses.std() / np.sqrt(len(losses))),
                leave_one_out=loo.get(one.name),
                seconds=float(outcome.seconds[i]),
                mean_absolute_error=None if classifies else float(losses.mean()),
            )
        )
    return tuple(scores)


def _percent_selected(n_attributes: int | float | str, n_columns: int) -> float:
    """The share of attributes that are selected, in percent."""
    if isinstance(n_attributes, bool) or not isinstance(n_attributes, Real):
        return _PERCENT
    share = float(n_attributes)
    share = share / n_columns if isinstance(n_attributes, int) else share
    return min(100.0 * share, 100.0)
