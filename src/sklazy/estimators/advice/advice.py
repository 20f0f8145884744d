"""Whether lazy selection pays on a table, measured in seconds."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length

from sklazy.errors import BadInputError, MissingExtraError
from sklazy.estimators.advice.advantage import LazyAdvantage, lazy_advantage
from sklazy.estimators.advice.comparison import (
    Candidate,
    Outcome,
    QueryCost,
    cross_validate,
    list_candidates,
    measure_cost,
)
from sklazy.estimators.advice.recommend import Recommendation, Score, recommend
from sklazy.estimators.folds import stratified_folds, stratified_sample
from sklazy.estimators.inputs import class_column
from sklazy.estimators.parameters import check_count, check_not_negative
from sklazy.report.advice import (
    advice_fragment,
    advice_markdown,
    advice_page,
    advice_text,
)
from sklazy.report.html import preformatted
from sklazy.report.progress import Progress
from sklazy.tables import Table, as_table
from sklazy.tables.origins import expand

_WARMED_UP = 20  # rows
_PERCENT = 30.0  # of the attributes, where their number is found for each query


@dataclass(frozen=True, eq=False)
class Advice:
    """Accuracies and costs that were measured, and a recommendation.

    Attributes
    ----------
    recommendation : str
        "lazy selection", "eager selection", "no selection", "kernel and blend",
        "eager model", "either" (no clear difference) or "nothing" (none is better than
        the most frequent class).
    verdict : str
        The same in a sentence, with the figures behind it.
    best : Score or None
        The recommended candidate.
    scores : tuple of Score
    advantage : LazyAdvantage
        V(D, A_j), V(D) and V(D, x).
    percent : float
        The x that corresponds to the number of attributes selected.
    guess : float
        The accuracy of the most frequent class.
    cost : QueryCost
    n_rows, n_attributes, n_classes : int
        Of the table.
    n_sampled, n_tested, n_folds : int
        The rows in the sub-sample, those predicted, and the folds run.
    """

    recommendation: Recommendation
    verdict: str
    best: Score | None
    scores: tuple[Score, ...]
    advantage: LazyAdvantage
    percent: float
    guess: float
    cost: QueryCost
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
            "cost": asdict(self.cost),
            "advantage": {
                "overall": self.advantage.overall,
                "top": self.advantage.top(self.percent),
                "by_attribute": [
                    {"name": name, "v": v}
                    for name, v in zip(
                        self.advantage.names,
                        self.advantage.by_attribute.tolist(),
                        strict=True,
                    )
                ],
            },
        }

    def to_text(self, width: int = 80) -> str:
        """The advice for a terminal, no line wider than `width`."""
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
    n_neighbors: int = 5,
    n_attributes: int | float | str = 0.3,
    max_rows: int = 1000,
    max_seconds: float = 30.0,
    n_folds: int = 10,
    categorical_features: object = "from_dtype",
    random_state: int = 0,
) -> Advice:
    """Measure whether lazy selection pays on this table, or an eager model is better.

    On a stratified sub-sample each fold is predicted from the others: by k-NN and
    naive Bayes with lazy, eager and no selection, by `LazyKernelClassifier` and
    `LazyBlendClassifier`, and by two eager models of scikit-learn, a random forest and
    logistic regression. All use the same folds, and cuts come from the training rows
    alone. Reported as well: the leave-one-out accuracy of the methods that select, with
    cuts from all rows (the paper's protocol, which is optimistic), V(D, x) and the cost
    of a query.

    Parameters
    ----------
    X : table, frame or array-like of shape (n_rows, n_attributes)
        Numbers and labels; cells may be missing.
    y : array-like of shape (n_rows,)
        Class labels.
    n_neighbors : int, default=5
    n_attributes : int, float or str, default=0.3
        How many attributes a query uses, as in `LazyKNeighborsClassifier`.
    max_rows : int, default=1000
        The size of the sub-sample.
    max_seconds : float, default=30
        No fold is started after this time; the first is always run.
    n_folds : int, default=10
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
    random_state : int, default=0
        Decides which rows are sampled, and their folds.

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
    >>> advice.n_tested
    150
    """
    table, classes = _checked(
        X, y, categorical_features, max_rows, max_seconds, n_folds
    )
    shuffled = _shuffle(len(classes), random_state)
    rows = stratified_sample(classes, max_rows, shuffled)
    sample, known = table.take(rows), classes[rows]
    n_folds = min(n_folds, len(known))
    folds = stratified_folds(known, n_folds, _shuffle(len(known), random_state))
    candidates = list_candidates(table.kinds, n_neighbors, n_attributes, random_state)
    steps = len(candidates) * (int(folds.max()) + 2)
    with Progress("advising", total=steps) as progress:
        _warm_up(candidates, sample, known)
        outcome = cross_validate(
            candidates, sample, known, folds, max_seconds, progress
        )
        loo = [_leave_one_out(one, sample, known, progress) for one in candidates]
        cost = measure_cost(candidates[0], table, classes, shuffled)
    guess = known[outcome.rows] == np.bincount(known).argmax()
    scores = _scores(candidates, outcome, loo)
    return Advice(
        *recommend(scores, outcome.correct, guess),
        scores=scores,
        advantage=lazy_advantage(table, y),
        percent=_percent(n_attributes, len(table.columns)),
        guess=float(guess.mean()),
        cost=cost,
        n_rows=len(table),
        n_attributes=len(table.columns),
        n_classes=len(np.unique(classes)),
        n_sampled=len(rows),
        n_tested=len(outcome.rows),
        n_folds=outcome.n_folds,
    )


def _checked(
    X: object,
    y: object,
    categorical_features: object,
    max_rows: int,
    max_seconds: float,
    n_folds: int,
) -> tuple[Table, NDArray[np.int32]]:
    """The rows and the codes of their classes."""
    check_count("max_rows", max_rows, 4)
    check_count("n_folds", n_folds, 2)
    check_not_negative("max_seconds", max_seconds)
    table = expand(as_table(X, categorical_features=categorical_features))
    target = class_column(y)
    check_consistent_length(table, target)
    if len(table) < 4 or len(target.categories) < 2:
        raise BadInputError(
            f"y has {len(target.categories)} classes in {len(table)} rows; expected "
            "at least 2 classes and 4 rows."
        )
    return table, target.data


def _shuffle(n_rows: int, random_state: int) -> NDArray[np.int64]:
    return np.argsort(np.random.default_rng(random_state).random(n_rows), kind="stable")


def _warm_up(
    candidates: Sequence[Candidate], table: Table, classes: NDArray[np.int32]
) -> None:
    """Compile what is compiled at first use before anything is timed."""
    candidates[0].make().fit(table, classes).predict(table)
    some = table.take(range(min(_WARMED_UP, len(table))))
    for one in candidates:
        if one.family == "kernel and blend":
            one.make().fit(some, classes[: len(some)]).predict(some)


def _leave_one_out(
    one: Candidate, table: Table, classes: NDArray[np.int32], progress: Progress
) -> float | None:
    progress.advance(note=one.host)
    if one.family in ("eager model", "kernel and blend"):
        return None
    predicted = one.make().set_params(cuts="frozen").fit(table, classes).loo_predict()
    return float((predicted == classes).mean())


def _scores(
    candidates: list[Candidate], outcome: Outcome, loo: list[float | None]
) -> tuple[Score, ...]:
    scores = []
    for i, one in enumerate(candidates):
        right = outcome.correct[i]
        scores.append(
            Score(
                name=one.name,
                family=one.family,
                host=one.host,
                accuracy=float(right.mean()),
                error=float(right.std() / np.sqrt(len(right))),
                leave_one_out=loo[i],
                seconds=float(outcome.seconds[i]),
            )
        )
    return tuple(scores)


def _percent(n_attributes: int | float | str, n_columns: int) -> float:
    """The share of attributes that are selected, in percent."""
    if isinstance(n_attributes, bool) or not isinstance(n_attributes, Real):
        return _PERCENT
    share = float(n_attributes)
    share = share / n_columns if isinstance(n_attributes, int) else share
    return min(100.0 * share, 100.0)
