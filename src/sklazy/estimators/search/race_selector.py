"""RaceFeatureSelector: attribute sets found by racing and sub-sampling (RACSAM)."""

from collections.abc import Sequence
from copy import deepcopy
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import Tags, check_consistent_length, get_tags
from sklearn.utils.parallel import Parallel
from sklearn.utils.validation import check_is_fitted, validate_data

from sklazy.answer.threads import check_jobs
from sklazy.errors import BadInputError
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.filters.columns import ColumnSelector
from sklazy.estimators.local_models.base import LocalModelEstimator
from sklazy.estimators.local_models.regressor import LazyLearningRegressor
from sklazy.estimators.parameters import Test, check_choice, find_seed
from sklazy.estimators.search.candidates import (
    FilterData,
    drawing_weights,
    filter_data,
    start_sets,
)
from sklazy.estimators.search.losses import (
    CLASS_SCORES,
    NUMBER_SCORES,
    RowLoss,
    check_leaves_out,
    find_row_loss,
)
from sklazy.estimators.search.routing import Model
from sklazy.estimators.search.set_evaluators import (
    FoldSetEvaluator,
    LocalSetEvaluator,
    RowSetEvaluator,
    negative_score,
)
from sklazy.racing.field import Evaluated
from sklazy.racing.masks import SetNeighborhood, members, support_of
from sklazy.racing.racsam import (
    Block,
    Racsam,
    Rows,
    SearchResult,
    SearchRules,
    SearchStep,
    SetLosses,
)
from sklazy.report.progress import Progress
from sklazy.report.races import Axes, draw_race
from sklazy.tables import as_table, as_target, label_array
from sklazy.tables.labels import indicators
from sklazy.tables.origins import mask_of_aside, one_to_one


class RaceFeatureSelector(ColumnSelector):
    """Find a good set of attributes by racing sets on sub-samples (RACSAM).

    Sets of attributes race: block by block, each predicts the same test row, and
    significantly worse ones are eliminated long before all rows are used. Early blocks
    train on a small sub-sample only. The winners and their neighbors (one attribute
    more, one less, one exchanged) race again, and so on. At the end the winners and the
    neighbors of the best race on all rows.

    A lazy learner needs no training, so a block is a single row, predicted from others.
    With any other estimator a block is a fold.

    Parameters
    ----------
    estimator : estimator, optional
        Predicts with each set. Default: `LazyLearningRegressor`. For classes use
        `LazyLearningClassifier`, or any scikit-learn estimator.
    n_winners : int, default=5
        Number of sets kept from race to race.
    test, alpha, min_effect
        The test of the races, see `race`; the last race uses a tenth of alpha.
    first_test : int, optional
        Blocks before the first test of a race. Default: 5 rows or 3 folds.
    search : {"neighborhood", "schemata"}, default="neighborhood"
        How new sets are found. Schemata search decides on each attribute separately,
        with the others drawn at random, and ends with the neighbors of the result.
    start : str or list of sets, default="gram-schmidt"
        "random" sets; combinations of the first attributes by "gram-schmidt"
        orthogonalization or "pearson" correlation; or sets of columns, each a list
        of column numbers or a mask.
    n_start : int, default=60
        How many sets to start with.
    sampling : (float, int), optional
        Share of the training rows in the first block of a race, and number of blocks
        over which it grows to all. Default: (0.3, 30) for rows and (1.0, 0), all from
        the start, for folds.
    max_candidates : int, default=1000
        No new sets are tried after this many.
    max_seconds : float, optional
        The search ends soon after this time. Default: no limit.
    max_blocks : int, default=60
        Most blocks of a race while the search explores.
    max_confirm : int, default=2000
        Most blocks of the last races, on all rows.
    prefer : {"smallest", "best"}, default="smallest"
        Which winner to select: the smallest set that is not significantly worse than
        the best (one-sided paired t-test at alpha), or the one with the lowest mean
        loss.
    scoring : str or callable, optional
        For rows "neg_mean_absolute_error" (the default for numbers),
        "neg_mean_squared_error", "accuracy" (the default for classes) or
        "neg_log_loss"; for folds any scorer.
    blocks : {"auto", "rows", "folds"}, default="auto"
        "auto" uses rows for the lazy learners of this library, else folds.
    cv : int, splitter or iterable, default=10
        The folds.
    n_jobs : int, optional
        Number of fits in parallel (joblib), if an estimator is fitted.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    support_ : bool array of shape (n_attributes,)
    winners_ : bool array of shape (n_winners, n_attributes)
        The sets left at the end, lowest mean loss first.
    winner_losses_ : float64 array of shape (n_winners,)
        Their mean losses in the last race: for rows the loss behind `scoring` (an error
        rate for "accuracy"), for folds minus the score.
    history_ : tuple of SearchStep
        The races, one by one.
    n_predictions_ : int
        Number of predictions (of a row, or of a fold) made.
    n_candidates_ : int
        Number of different sets assessed.
    search_ : SearchResult
        All results of the search.

    Notes
    -----
    A winner is evaluated on the rows that selected it, so its loss is slightly
    optimistic. Of more than 200 neighbors some are drawn, more likely those whose added
    attribute, or its squared deviation from its mean, correlates with the target.

    References
    ----------
    Bontempi, Birattari, Meyer (2005). Combining lazy learning, racing and
    subsampling for effective feature selection. ICANNGA.

    Moore, Lee (1994). Efficient algorithms for minimizing cross validation error.
    ICML.

    Examples
    --------
    >>> import numpy as np
    >>> from sklazy import RaceFeatureSelector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(200, 8))
    >>> y = 10 * X[:, 0] + 20 * (X[:, 1] - 0.5) ** 2 + rng.normal(0, 0.3, 200)
    >>> selector = RaceFeatureSelector(max_candidates=150, random_state=0).fit(X, y)
    >>> selector.get_support(indices=True)
    array([0, 1])
    """

    def __init__(
        self,
        estimator: Model = None,
        *,
        n_winners: int = 5,
        test: Test = "friedman",
        alpha: float = 0.05,
        min_effect: float = 0.0,
        first_test: int | None = None,
        search: Literal["neighborhood", "schemata"] = "neighborhood",
        start: str | Sequence[ArrayLike] = "gram-schmidt",
        n_start: int = 60,
        sampling: tuple[float, int] | None = None,
        max_candidates: int = 1000,
        max_seconds: float | None = None,
        max_blocks: int = 60,
        max_confirm: int = 2000,
        prefer: Literal["smallest", "best"] = "smallest",
        scoring: Any = None,  # noqa: ANN401 - a name or a callable
        blocks: Literal["auto", "rows", "folds"] = "auto",
        cv: Any = 10,  # noqa: ANN401 - as many kinds as GridSearchCV takes
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_winners = n_winners
        self.test = test
        self.alpha = alpha
        self.min_effect = min_effect
        self.first_test = first_test
        self.search = search
        self.start = start
        self.n_start = n_start
        self.sampling = sampling
        self.max_candidates = max_candidates
        self.max_seconds = max_seconds
        self.max_blocks = max_blocks
        self.max_confirm = max_confirm
        self.prefer = prefer
        self.scoring = scoring
        self.blocks = blocks
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    @classmethod
    def paper(cls, **settings: Any) -> Self:  # noqa: ANN401 - other parameters
        """Return the selector with the settings of the reproduced paper.

        Lazy learning, Friedman's test, sub-samples that grow during the race, neighbors
        of the winners, and the best of the winners.

        Parameters
        ----------
        **settings
            Other parameters, such as `random_state`.

        Examples
        --------
        >>> RaceFeatureSelector.paper(random_state=1).prefer
        'best'
        """
        published: dict[str, Any] = {
            "n_winners": 5,
            "test": "friedman",
            "alpha": 0.05,
            "search": "neighborhood",
            "start": "gram-schmidt",
            "n_start": 60,
            "sampling": (0.3, 30),
            "max_candidates": 1000,
            "max_blocks": 60,
            "max_confirm": 2000,
            "prefer": "best",
        }
        return cls(**{**published, **settings})

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = LazyLearningRegressor() if self.estimator is None else self.estimator
        inner_tags = deepcopy(get_tags(inner))
        tags.input_tags, tags.target_tags = (
            inner_tags.input_tags,
            inner_tags.target_tags,
        )
        tags.input_tags.sparse = False
        tags.target_tags.required = True
        return tags

    def fit(self, X: object, y: object) -> Self:
        """Search for a good set of the columns of X.

        Parameters
        ----------
        X : frame, table or array-like of shape (n_rows, n_attributes)
        y : array-like of shape (n_rows,)

        Returns
        -------
        self
        """
        check_choice("search", self.search, ("neighborhood", "schemata"))
        check_choice("prefer", self.prefer, ("smallest", "best"))
        check_choice("blocks", self.blocks, ("auto", "rows", "folds"))
        check_jobs(self.n_jobs)
        estimator = make_estimator(self)
        named = getattr(estimator, "categorical_features", "from_dtype")
        table = one_to_one(as_read := as_table(X, categorical_features=named))
        # Our own estimators would make several columns of a date.
        is_plain = table is as_read or not isinstance(estimator, LazyEstimator)
        target = _as_indicators(y) if is_classifier(estimator) else _as_numbers(y)
        check_consistent_length(table, target)
        data = filter_data(table, target)
        rng = np.random.default_rng(find_seed(self.random_state, default=None))
        with Parallel(n_jobs=self.n_jobs) as parallel:
            data_of_sets = X if is_plain else table
            losses, blocks = self._evaluator(estimator, data_of_sets, y, parallel)
            if aside := mask_of_aside(as_read):
                losses = partial(_refuse_empty, losses, ~aside)
            racsam = Racsam(losses, blocks, self._rules(estimator), rng)
            start = start_sets(self.start, self.n_start, data, rng)
            result = _run_search(racsam, self.search, start, data)
        validate_data(self, X, y, skip_check_array=True)
        self._keep(result, len(table.columns))
        return self

    def plot_race(self, ax: Axes = None) -> Axes:
        """Draw the last race: the mean loss of each set, up to its elimination.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; the current one by default.

        Returns
        -------
        matplotlib Axes
        """
        check_is_fitted(self)
        names = [
            "{" + ", ".join(map(str, members(mask))) + "}"
            for mask in self.search_.last_candidates
        ]
        last = self.search_.last_race
        block = "row" if self._over_rows(make_estimator(self)) else "fold"
        return draw_race(last.losses, last.winners, ax, block=block, names=names)

    def _keep(self, result: SearchResult, n_attributes: int) -> None:
        chosen = result.smallest if self.prefer == "smallest" else result.winners[0]
        self.support_ = support_of(chosen, n_attributes)
        self.winners_ = np.array([support_of(w, n_attributes) for w in result.winners])
        self.winner_losses_: NDArray[np.float64] = result.losses.mean(axis=0)
        self.history_: tuple[SearchStep, ...] = result.history
        self.n_predictions_ = result.n_predictions
        self.n_candidates_ = result.n_candidates
        self.search_ = result

    def _over_rows(self, estimator: Model) -> bool:
        lazy = hasattr(estimator, "loo_predict")
        return lazy if self.blocks == "auto" else self.blocks == "rows"

    def _rules(self, estimator: Model) -> SearchRules:
        rows = self._over_rows(estimator)
        sampling = self.sampling or ((0.3, 30) if rows else (1.0, 0))
        first_test = self.first_test or (5 if rows else 3)
        return SearchRules(
            n_winners=self.n_winners,
            test=self.test,
            alpha=self.alpha,
            first_test=first_test,
            min_effect=self.min_effect,
            sampling=sampling,
            max_blocks=self.max_blocks,
            max_confirm=self.max_confirm,
            max_candidates=self.max_candidates,
            max_seconds=self.max_seconds,
        )

    def _evaluator(
        self, estimator: Model, X: object, y: object, parallel: Parallel
    ) -> tuple[SetLosses, Sequence[Block]]:
        """Return the function that gives the losses, and the blocks."""
        rows = self._over_rows(estimator)
        if rows and isinstance(estimator, LocalModelEstimator):
            data = estimator.fit(X, y)._prepared()
            loss = self._row_loss(estimator)
            local = LocalSetEvaluator(data, loss, estimator.n_jobs)
            return local, RowBlocks(len(data.rows))
        labels = label_array(y) if isinstance(y, list | tuple) else np.asarray(y)
        if rows:
            check_leaves_out(estimator)
            loss = self._row_loss(estimator)
            by_rows = RowSetEvaluator(estimator, X, labels, loss, parallel)
            return by_rows, RowBlocks(len(labels))
        by_score = partial(negative_score, check_scoring(estimator, self.scoring))
        by_folds = FoldSetEvaluator(estimator, X, labels, by_score, parallel)
        splitter = check_cv(self.cv, labels, classifier=is_classifier(estimator))
        splits = splitter.split(np.zeros(len(labels)), labels)
        return by_folds, [(test, train) for train, test in splits]

    def _row_loss(self, estimator: Model) -> RowLoss:
        if is_classifier(estimator):
            return find_row_loss(self.scoring, "accuracy", CLASS_SCORES)
        return find_row_loss(self.scoring, "neg_mean_absolute_error", NUMBER_SCORES)


def make_estimator(selector: RaceFeatureSelector) -> Model:
    """A new estimator to predict with each set."""
    chosen = selector.estimator
    return LazyLearningRegressor() if chosen is None else clone(chosen)


def _refuse_empty(
    losses: SetLosses, known: int, masks: list[int], test: Rows, training: Rows
) -> Evaluated:
    """The losses of sets; those fail that have no attribute to learn from."""
    fine = [mask for mask in masks if mask & known]
    evaluated = iter(losses(fine, test, training) if fine else [])
    empty = BadInputError("all columns of the set are set aside.")
    return [next(evaluated) if mask & known else empty for mask in masks]


class RowBlocks(Sequence[Block]):
    """Blocks of a single test row, with all other rows to train on."""

    def __init__(self, n_rows: int) -> None:
        self.rows = np.arange(n_rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401 - slices are not used
        others = np.concatenate([self.rows[:place], self.rows[place + 1 :]])
        return self.rows[place : place + 1], others


def _run_search(
    search: Racsam, method: str, start: list[int], data: FilterData
) -> SearchResult:
    """Explore from the start, then confirm the winners on all rows."""
    rules = search.rules
    with Progress("searching", total=rules.max_candidates) as progress:

        def show(step: SearchStep) -> None:
            new = len(search.assessed) - progress.done
            progress.advance(new, f"{step.phase}: best loss {step.best_loss:.4g}")

        search.on_step = show
        if method == "schemata":
            start = search.search_schemata(data.n_attributes)
        neighbors = SetNeighborhood(drawing_weights(data), rules.max_new, search.rng)
        winners = search.explore(start, neighbors)
        return search.result(search.confirm(winners, neighbors))


def _as_numbers(y: object) -> NDArray[np.float64]:
    """Targets of shape (n_rows, n_targets)."""
    target = as_target(y, "numeric")
    return target[:, None] if target.ndim == 1 else target


def _as_indicators(y: object) -> NDArray[np.float64]:
    """Indicators of the classes, of shape (n_rows, n_classes)."""
    target = as_target(y, "nominal").occurring()
    return indicators(target.data, len(target.categories))
