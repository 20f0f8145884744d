"""RaceFeatureSelector: attribute sets found by racing and sub-sampling (RACSAM)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.filters.columns import ColumnSelector
from sklazy.estimators.local_models.base import LocalModelEstimator
from sklazy.estimators.local_models.regressor import LazyLearningRegressor
from sklazy.estimators.parameters import Test, check_choice, find_seed
from sklazy.estimators.search.candidates import (
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
from sklazy.estimators.search.set_search import (
    make_row_blocks,
    refuse_empty,
    run_search,
    target_indicators,
    target_numbers,
)
from sklazy.racing.masks import members, support_of
from sklazy.racing.racsam import (
    Block,
    Racsam,
    SearchResult,
    SearchRules,
    SearchStep,
    SetLosses,
)
from sklazy.report.races import Axes, draw_race
from sklazy.tables import as_table, label_array
from sklazy.tables.origins import mask_of_aside, one_to_one


class RaceFeatureSelector(ColumnSelector):
    """Find a good set of attributes by racing sets on sub-samples (RACSAM).

    Sets of attributes race: block by block, each predicts the same test row, and
    significantly worse ones are eliminated long before all rows are used. Early blocks
    train on a small sub-sample only. The winners and their neighbors (one attribute
    more, one less, one exchanged) race again, and so on. At the end the winners and the
    neighbors of the best race on all rows: this last race is this library's own.

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
        orthogonalization or "pearson" correlation; "all" sets of up to 12 attributes,
        which race once; or sets of columns, each a list of column numbers or a mask.
    n_start : int, default=60
        How many sets to start with.
    max_new : int, default=200
        Most neighbors that enter a race.
    test_size : int or float, optional
        The number or share of rows drawn to test on; the others are trained on.
        Default: every row is a test row, predicted from others. Only for rows.
    sampling : (float, int), optional
        Share of the training rows in the first block of a race, and number of blocks
        over which it grows to all. Default: (0.3, 30) for rows and (1.0, 0), all from
        the start, for folds.
    max_candidates : int, default=1000
        No new sets are tried after this many.
    max_seconds : float, optional
        The search ends soon after this time, without what is compiled at first use;
        `search_.stopped` is "seconds" then, and `search_.losses` has as many rows as
        the last race had blocks. Default: no limit.
    max_blocks : int or None, default=60
        Most blocks of a race while the search explores; None for no limit.
    last_race : bool, default=True
        Whether the winners and neighbors of the best race on all rows at the end. The
        paper has no such race.
    max_confirm : int, default=2000
        Most blocks of the last races, on all rows.
    prefer : {"smallest", "best", "absolute-error"}, default="smallest"
        Which winner to select: the smallest set that is not significantly worse than
        the best (one-sided paired t-test at alpha); the one with the lowest mean loss;
        or with the lowest mean absolute error, whatever the loss of the races (for
        rows of one numeric target).
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
        max_new: int = 200,
        test_size: int | float | None = None,
        sampling: tuple[float, int] | None = None,
        max_candidates: int = 1000,
        max_seconds: float | None = None,
        max_blocks: int | None = 60,
        last_race: bool = True,
        max_confirm: int = 2000,
        prefer: Literal["smallest", "best", "absolute-error"] = "smallest",
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
        self.max_new = max_new
        self.test_size = test_size
        self.sampling = sampling
        self.max_candidates = max_candidates
        self.max_seconds = max_seconds
        self.max_blocks = max_blocks
        self.last_race = last_race
        self.max_confirm = max_confirm
        self.prefer = prefer
        self.scoring = scoring
        self.blocks = blocks
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    @classmethod
    def paper(cls, **settings: Any) -> Self:  # noqa: ANN401 - other parameters
        """Return the selector as the text of the reproduced paper has it.

        R's `lazy` predicts, squared errors race on half of the rows, Friedman's test
        drops the largest mean, one at a time, and there is no last race. Where the text
        is silent or lost the values are ours; `docs/papers.md` lists both.

        Parameters
        ----------
        **settings
            Other parameters, such as `random_state`.

        Examples
        --------
        >>> RaceFeatureSelector.paper(random_state=1).test
        'friedman-paper'
        """
        published: dict[str, Any] = {
            # R refuses sets of more attributes than a third of the sub-sample's rows;
            # "auto" is the same range of neighbors, cut to the rows that there are.
            "estimator": LazyLearningRegressor.r_lazy().set_params(n_neighbors="auto"),
            "n_winners": 5,
            "test": "friedman-paper",
            "alpha": 0.05,
            "first_test": 5,
            "search": "neighborhood",
            "start": "gram-schmidt",
            "n_start": 60,
            "max_new": 200,
            "test_size": 0.5,
            "sampling": (0.3, 30),
            "max_candidates": 1000,
            "max_blocks": None,
            "last_race": False,
            "prefer": "absolute-error",
            "scoring": "neg_mean_squared_error",
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
        check_choice("prefer", self.prefer, tuple(_CHOICES))
        check_choice("blocks", self.blocks, ("auto", "rows", "folds"))
        check_jobs(self.n_jobs)
        estimator = make_estimator(self)
        named = getattr(estimator, "categorical_features", "from_dtype")
        table = one_to_one(as_read := as_table(X, categorical_features=named))
        # Our own estimators would make several columns of a date.
        is_plain = table is as_read or not isinstance(estimator, LazyEstimator)
        target = target_indicators(y) if is_classifier(estimator) else target_numbers(y)
        check_consistent_length(table, target)
        data = filter_data(table, target)
        rng = np.random.default_rng(find_seed(self.random_state, default=None))
        with Parallel(n_jobs=self.n_jobs) as parallel:
            data_of_sets = X if is_plain else table
            losses, blocks = self._evaluator(estimator, data_of_sets, y, rng, parallel)
            if aside := mask_of_aside(as_read):
                losses = partial(refuse_empty, losses, ~aside)
            if self.max_seconds is not None:
                losses([1], *blocks[0])  # compiling is not part of the time
            racsam = Racsam(losses, blocks, self._rules(estimator), rng)
            start = start_sets(self.start, self.n_start, data, rng)
            result = run_search(racsam, self.search, start, data)
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
        chosen = _CHOICES[self.prefer](self, result)
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
            max_new=self.max_new,
            last_race=self.last_race,
            max_candidates=self.max_candidates,
            max_seconds=self.max_seconds,
        )

    def _evaluator(
        self,
        estimator: Model,
        X: object,
        y: object,
        rng: np.random.Generator,
        parallel: Parallel,
    ) -> tuple[SetLosses, Sequence[Block]]:
        """Return the function that gives the losses, and the blocks."""
        rows = self._over_rows(estimator)
        if rows and isinstance(estimator, LocalModelEstimator):
            data = estimator.fit(X, y)._prepared()
            loss = self._row_loss(estimator)
            local = LocalSetEvaluator(data, loss, estimator.n_jobs)
            return local, make_row_blocks(len(data.rows), self.test_size, rng)
        labels = label_array(y) if isinstance(y, list | tuple) else np.asarray(y)
        if rows:
            check_leaves_out(estimator)
            loss = self._row_loss(estimator)
            by_rows = RowSetEvaluator(estimator, X, labels, loss, parallel)
            return by_rows, make_row_blocks(len(labels), self.test_size, rng)
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


def _least_absolute_error(selector: RaceFeatureSelector, result: SearchResult) -> int:
    """The winner of the lowest mean absolute error in the last race."""
    losses = result.losses
    if selector.scoring == "neg_mean_squared_error":
        losses = np.sqrt(losses)  # a block is one row of one target
    return result.winners[int(losses.mean(axis=0).argmin())]


_CHOICES: dict[str, Callable[[RaceFeatureSelector, SearchResult], int]] = {
    "smallest": lambda _, result: result.smallest,
    "best": lambda _, result: result.winners[0],
    "absolute-error": _least_absolute_error,
}
