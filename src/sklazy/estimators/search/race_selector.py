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

from sklazy.errors import BadInputError
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.filters.columns import ColumnSelector
from sklazy.estimators.local_models.base import LocalModels
from sklazy.estimators.local_models.regressor import LazyLearningRegressor
from sklazy.estimators.options import Test
from sklazy.estimators.parameters import check_choice, find_seed
from sklazy.estimators.search.candidates import (
    FilterData,
    attribute_weights,
    filter_data,
    start_sets,
)
from sklazy.estimators.search.left_out import check_leaves_out
from sklazy.estimators.search.losses import (
    CLASS_SCORES,
    NUMBER_SCORES,
    RowLoss,
    find_row_loss,
)
from sklazy.estimators.search.routing import Model
from sklazy.estimators.search.set_evaluators import (
    FoldSetEvaluator,
    LocalSetEvaluator,
    RowSetEvaluator,
    negative_score,
)
from sklazy.racing.losses import Evaluated
from sklazy.racing.masks import members, support_of
from sklazy.racing.neighborhood import Neighborhood
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

    Sets of attributes race: block by block each predicts the same test row, and
    significantly worse ones are eliminated, long before all rows are used. Early
    blocks use a small sub-sample of training rows only. The winners and their
    neighbors (one attribute more, one less, one exchanged) race again, and so on; at
    last winners and the best one's neighbors race on all rows.

    A lazy learner needs no training, so a block is a single row, left out and
    predicted from others. With any other estimator a block is a fold.

    Parameters
    ----------
    estimator : estimator, optional
        Predicts with each set: `LazyLearningRegressor` by default; for classes
        `LazyLearningClassifier`, or any scikit-learn estimator.
    n_winners : int, default=5
        Sets that are kept from race to race.
    test, alpha, min_effect
        The test of the races, see `race`; the last race uses a tenth of alpha.
    first_test : int, optional
        Blocks before a race's first test; 5 rows or 3 folds by default.
    search : {"neighborhood", "schemata"}, default="neighborhood"
        How new sets are found. Schemata search decides on each attribute by itself,
        with the others drawn at random, and ends with the neighbors of what is found.
    start : str or list of sets, default="gram-schmidt"
        "random" sets; combinations of the first attributes by "gram-schmidt"
        orthogonalization or "pearson" correlation; or sets of columns, each a list
        of column numbers or a mask.
    n_start : int, default=60
        How many sets to start with.
    sampling : (float, int), optional
        The share of the training rows in the first block of a race, and the number of
        blocks over which it grows to all; (0.3, 30) for rows and (1.0, 0), all from
        the start, for folds by default.
    max_candidates : int, default=1000
        No new sets are tried after this many.
    max_seconds : float, optional
        The search ends soon after this time; no limit by default.
    max_blocks : int, default=60
        Blocks of a race while the search explores.
    max_confirm : int, default=2000
        Blocks of the last races, on all rows.
    prefer : {"smallest", "best"}, default="smallest"
        The set to select among the winners: the smallest that is not significantly
        worse than the best (one-sided paired t-test at alpha), or the one with the
        lowest mean loss.
    scoring : str or callable, optional
        For rows "neg_mean_absolute_error" (the default for numbers),
        "neg_mean_squared_error", "accuracy" (the default for classes) or
        "neg_log_loss"; for folds any scorer.
    blocks : {"auto", "rows", "folds"}, default="auto"
        Rows for the lazy learners of this library, else folds.
    cv : int, splitter or iterable, default=10
        The folds.
    n_jobs : int, optional
        Fits at the same time (joblib), where an estimator is fitted.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    support_ : bool array of shape (n_attributes,)
    winners_ : bool array of shape (n_winners, n_attributes)
        The sets left at the end, lowest mean loss first.
    winner_losses_ : float64 array of shape (n_winners,)
        Their mean losses in the last race: of rows the loss that `scoring` stands
        for (an error rate for "accuracy"), of folds minus the score.
    history_ : tuple of SearchStep
        The races, one by one.
    n_predictions_ : int
        Predictions (of a row, or of a fold) that were made.
    n_candidates_ : int
        Different sets that were assessed.
    search_ : SearchResult
        All results of the search.

    Notes
    -----
    A winner is evaluated on the rows that selected it, so its loss is slightly
    optimistic. Of more than 200 neighbors some are drawn; more likely those whose
    added attribute correlates with the target, by itself or by its squared deviation
    from its mean.

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

        Lazy learning, Friedman's test, sub-samples that grow with the race, the
        neighbors of winners, and the best of the winners.

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
        # A set with a column that the estimator refuses is out of the race, and the
        # others go on: missing cells and labels are fine whoever is fitted.
        inner = LazyLearningRegressor() if self.estimator is None else self.estimator
        tags.target_tags = deepcopy(get_tags(inner).target_tags)
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
        estimator = make_estimator(self)
        named = getattr(estimator, "categorical_features", "from_dtype")
        table = one_to_one(given := as_table(X, categorical_features=named))
        # Our own estimators would make several columns of a date.
        is_plain = table is given or not isinstance(estimator, LazyEstimator)
        target = _indicators(y) if is_classifier(estimator) else _numbers(y)
        check_consistent_length(table, target)
        data = filter_data(table, target)
        rng = np.random.default_rng(find_seed(self.random_state, default=None))
        with Parallel(n_jobs=self.n_jobs) as parallel:
            data_of_sets = X if is_plain else table
            losses, blocks = self._evaluator(estimator, data_of_sets, y, parallel)
            if aside := mask_of_aside(given):
                losses = partial(_refuse_empty, losses, ~aside)
            racsam = Racsam(losses, blocks, self._rules(estimator), rng)
            start = start_sets(self.start, self.n_start, data, rng)
            found = _run_search(racsam, self.search, start, data)
        validate_data(self, X, y, skip_check_array=True)
        self._keep(found, len(table.columns))
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

    def _keep(self, found: SearchResult, n_attributes: int) -> None:
        chosen = found.smallest if self.prefer == "smallest" else found.winners[0]
        self.support_ = support_of(chosen, n_attributes)
        self.winners_ = np.array([support_of(w, n_attributes) for w in found.winners])
        self.winner_losses_: NDArray[np.float64] = found.losses.mean(axis=0)
        self.history_: tuple[SearchStep, ...] = found.history
        self.n_predictions_ = found.n_predictions
        self.n_candidates_ = found.n_candidates
        self.search_ = found

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
        if rows and isinstance(estimator, LocalModels):
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
    found = iter(losses(fine, test, training) if fine else [])
    empty = BadInputError("all columns of the set are set aside.")
    return [next(found) if mask & known else empty for mask in masks]


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
        neighbors = Neighborhood(attribute_weights(data), rules.max_new, search.rng)
        winners = search.explore(start, neighbors)
        return search.result(search.confirm(winners, neighbors))


def _numbers(y: object) -> NDArray[np.float64]:
    """Targets of shape (n_rows, n_targets)."""
    target = as_target(y, "numeric")
    return target[:, None] if target.ndim == 1 else target


def _indicators(y: object) -> NDArray[np.float64]:
    """Indicators of the classes, of shape (n_rows, n_classes)."""
    target = as_target(y, "nominal").occurring()
    return indicators(target.data, len(target.categories))
