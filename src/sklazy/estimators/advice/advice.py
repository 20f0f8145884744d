"""Whether lazy learning will pay on a table, measured in seconds."""

from dataclasses import asdict, dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length

from sklazy.errors import BadInputError, MissingExtraError
from sklazy.estimators.advice.advantage import LazyAdvantage, lazy_advantage
from sklazy.estimators.advice.comparison import (
    Contestant,
    Outcome,
    hold,
    list_contestants,
    stratified_folds,
    stratified_sample,
)
from sklazy.estimators.advice.query_cost import QueryCost, measure_cost
from sklazy.estimators.advice.recommend import Recommendation, Score, judge
from sklazy.estimators.inputs import class_column
from sklazy.report.advice import (
    advice_fragment,
    advice_markdown,
    advice_page,
    advice_text,
)
from sklazy.report.html import preformatted
from sklazy.report.progress import Progress
from sklazy.tables import Table, as_table

_PERCENT = 30.0  # of the attributes, where no number says how many


@dataclass(frozen=True, eq=False)
class Advice:
    """What was measured, and what it means.

    Attributes
    ----------
    recommendation : str
        "lazy selection", "eager selection", "no selection", "eager model", "either"
        (they are level) or "nothing" (none learns anything).
    verdict : str
        The same in a sentence, with the figures it rests on.
    best : Score or None
        The contestant that is recommended.
    scores : tuple of Score
    advantage : LazyAdvantage
        V(D, A_j), V(D) and V(D, x).
    percent : float
        The x that fits the number of attributes selected.
    guess : float
        How often the most frequent class is right.
    cost : QueryCost
    n_rows, n_attributes, n_classes : int
        Of the table.
    n_sampled, n_tested, n_folds : int
        The rows taken for measuring, those predicted, and the folds run.
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
        """The advice as a page that needs nothing but itself (needs jinja2)."""
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
    max_seconds: float = 10.0,
    n_folds: int = 10,
    categorical_features: object = "from_dtype",
    random_state: int = 0,
) -> Advice:
    """Say whether lazy selection will pay on this table, or an eager model is better.

    On a stratified sub-sample each fold is predicted from the others: by k-NN and
    naive Bayes with lazy, eager and no selection, and by two eager models of
    scikit-learn, a random forest and logistic regression. All are given the same
    folds, and cuts come from the training rows alone. Beside it stand the
    leave-one-out accuracy of the lazy methods with cuts from all rows (the paper's
    protocol, which flatters), V(D, x) and the cost of a query.

    Parameters
    ----------
    X : table, frame or array-like of shape (n_rows, n_attributes)
        Numbers and labels, missing cells where there are some.
    y : array-like of shape (n_rows,)
        Class labels.
    n_neighbors : int, default=5
    n_attributes : int, float or str, default=0.3
        How many attributes a query uses, as in `LazyKNeighborsClassifier`.
    max_rows : int, default=1000
        The size of the sub-sample.
    max_seconds : float, default=10
        No further fold is begun after this time; the first is always run.
    n_folds : int, default=10
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
    random_state : int, default=0
        Which rows are sampled, and how they fall into folds.

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
    rows = stratified_sample(classes, max_rows, random_state)
    sample, known = table.take(rows), classes[rows]
    folds = stratified_folds(known, min(n_folds, len(known)), random_state)
    contestants = list_contestants(n_neighbors, n_attributes, random_state)
    steps = len(contestants) * (int(folds.max()) + 2)
    with Progress("advising", total=steps) as progress:
        _warm_up(contestants[0], sample, known)
        outcome = hold(contestants, sample, known, folds, max_seconds, progress)
        loo = [_leave_one_out(one, sample, known, progress) for one in contestants]
        cost = measure_cost(contestants[0], table, classes, random_state)
    guess = known[outcome.rows] == np.bincount(known).argmax()
    scores = _scores(contestants, outcome, loo)
    return Advice(
        *judge(scores, outcome.correct, guess),
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
    """The rows and the number of each one's class."""
    for name, value, least in (
        ("max_rows", max_rows, 4),
        ("n_folds", n_folds, 2),
        ("max_seconds", max_seconds, 0),
    ):
        if isinstance(value, bool) or not isinstance(value, Real) or value < least:
            raise BadInputError(
                f"{name}={value!r} is too little; give at least {least}."
            )
    table = as_table(X, categorical_features=categorical_features)
    target = class_column(y)
    check_consistent_length(table, target)
    if len(table) < 4 or len(target.categories) < 2:
        raise BadInputError(
            f"y has {len(target.categories)} classes in {len(table)} rows; there is "
            "nothing to compare with fewer than 2 classes or 4 rows."
        )
    return table, target.data


def _warm_up(one: Contestant, table: Table, classes: NDArray[np.int32]) -> None:
    """Let what compiles at first use compile before anything is timed."""
    one.make().fit(table, classes).predict(table)


def _leave_one_out(
    one: Contestant, table: Table, classes: NDArray[np.int32], progress: Progress
) -> float | None:
    progress.advance(note=one.host)
    if one.family == "eager model":
        return None
    predicted = one.make().set_params(cuts="frozen").fit(table, classes).loo_predict()
    return float((predicted == classes).mean())


def _scores(
    contestants: list[Contestant], outcome: Outcome, loo: list[float | None]
) -> tuple[Score, ...]:
    scores = []
    for i, one in enumerate(contestants):
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
