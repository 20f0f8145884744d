"""RaceSearchCV: a grid or random search that eliminates losers early."""

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils import indexable
from sklearn.utils.parallel import Parallel
from sklearn.utils.validation import check_is_fitted

from sklazy.answer.threads import check_jobs
from sklazy.compat import rows_of_params
from sklazy.errors import BadInputError
from sklazy.estimators.parameters import Test, check_choice, find_seed
from sklazy.estimators.search.candidates import parameter_candidates
from sklazy.estimators.search.evaluators import FoldEvaluator, RowEvaluator, SplitJob
from sklazy.estimators.search.results import Table, best_index
from sklazy.estimators.search.rounds import Drawing, watch_race
from sklazy.estimators.search.routing import (
    BestEstimatorMixin,
    Model,
    Rows,
    find_scorers,
    route_fit,
)
from sklazy.estimators.search.sampling import check_rounds
from sklazy.racing import RaceResult
from sklazy.racing.rules import RaceRules
from sklazy.report.races import Axes, draw_race

Evaluator = FoldEvaluator | RowEvaluator


class RaceSearchCV(BestEstimatorMixin):
    """Search parameters by a race over cross-validation splits.

    A drop-in replacement for `GridSearchCV` and `RandomizedSearchCV`. All candidates
    are scored on the first splits. From `first_test` on, those significantly worse than
    the best are eliminated after each split, and only the rest are fitted again.

    Scores of folds are dependent, since their training sets overlap. So `alpha` is a
    screening level, not the probability of eliminating the best candidate.

    Parameters
    ----------
    estimator : estimator
    param_grid : dict or list of dicts
        Lists of values, or distributions (anything with `rvs`) as for
        `RandomizedSearchCV`.
    n_iter : int, optional
        Number of candidates to draw. Default: all of a grid, or 10 from distributions.
    n_rounds : int, default=1
        Number of races. After each, the best survivors enter the next with new
        candidates drawn around them (iterated racing, as in R's irace); each race has
        `n_iter` of them in all. Survivors keep their scores and are not fitted again,
        and none is eliminated by fewer splits than it has been run on.
    scoring : str, callable, list, tuple or dict, optional
        As for `GridSearchCV`. Of several metrics one is raced, see `raced_metric`.
    raced_metric : str, optional
        Metric that decides which candidates are eliminated. Default: the one named by
        `refit`.
    cv : int, splitter or iterable, default=10
        Splits to race over, in their order. More splits make a finer race and cost
        nothing for candidates eliminated before.
    blocks : {"folds", "rows"}, default="folds"
        "rows" is for lazy learners, those with `loo_predict`: each block is one row,
        predicted from all others, in random order. Nothing is trained, so a bad
        candidate costs only a few predictions. That pays where leaving a row out costs
        no more than predicting it (local, kernel and linear models, most naive Bayes,
        and nearest neighbors without bins). A `DataWarning` is given if folds would
        take much less time. `cv` is not used; `scoring` may be
        "neg_mean_absolute_error", "neg_mean_squared_error" (the default for numbers),
        "accuracy" (the default for classes) or "neg_log_loss". Set `first_test` to 5 or
        more.
    test : str, default="friedman"
        The test, see `race`.
    alpha : float, default=0.05
        The level of each test.
    first_test : int, default=3
        Splits before the first test.
    min_effect : float, default=0.0
        Indifference zone in units of the score: candidates within it of the best count
        as equal, and the search ends when all remaining ones are equal.
    n_winners : int, default=1
        The race ends when at most this many candidates remain.
    max_evaluations : int, optional
        Most fits of the race. Default: no limit. A split is started only if there is
        room for all candidates.
    max_seconds : float, optional
        No split is started after this time. Default: no limit. At least one is run.
    refit : bool, str or callable, default=True
        As for `GridSearchCV`.
    n_jobs : int, optional
        Number of fits of one split that run in parallel (joblib).
    pre_dispatch : int or str, default="2*n_jobs"
    verbose : int, default=0
        Above 0, a line is printed for each split. On a terminal a progress bar appears
        after two seconds if rich is installed.
    error_score : float or "raise", default=nan
        Score of a fit that fails. A candidate with NaN is eliminated.
    return_train_score : bool, default=False
    random_state : int, RandomState or None, default=None
        For drawing from distributions, and for the order of rows.

    Attributes
    ----------
    cv_results_ : dict of arrays
        Columns as in `GridSearchCV`, with NaN where a candidate was not run; means are
        over the splits that were run. Also `n_splits_run`, and `eliminated_at`: the
        number of splits after which a candidate was eliminated, 0 for survivors.
        Survivors rank first, then those eliminated later.
    best_index_, best_params_, best_score_, best_estimator_ :
        As for `GridSearchCV`. The best is one of the survivors; its score is the mean
        over the splits that were run.
    race_ : RaceResult
        The race, with losses (negative scores) and history.
    race_history_ : tuple of RaceStep
    failures_ : dict of int to str
        Why fits of a candidate failed, by its index.
    n_splits_, scorer_, multimetric_, refit_time_ :
        As for `GridSearchCV`.

    Notes
    -----
    Ctrl-C during the race ends it, and the best candidate so far is refitted. Ctrl-C
    during the refit leaves the results without `best_estimator_`.

    References
    ----------
    Bontempi, Birattari, Meyer (2005). Combining lazy learning, racing and
    subsampling for effective feature selection. ICANNGA.

    Maron, Moore (1997). The racing algorithm: model selection for lazy learners.
    Artificial Intelligence Review 11.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklazy import RaceSearchCV
    >>> X, y = load_wine(return_X_y=True)
    >>> grid = {"n_neighbors": [1, 5, 20, 80], "p": [1, 2], "weights": ["distance"]}
    >>> search = RaceSearchCV(KNeighborsClassifier(), grid).fit(X, y)
    >>> search.best_params_["p"]
    1
    >>> int(search.cv_results_["n_splits_run"].sum()) < 80
    True
    """

    def __init__(
        self,
        estimator: Model,
        param_grid: Mapping[str, Any] | Iterable[Mapping[str, Any]],
        *,
        n_iter: int | None = None,
        n_rounds: int = 1,
        scoring: Any = None,  # noqa: ANN401 - as many kinds as GridSearchCV takes
        raced_metric: str | None = None,
        cv: Any = 10,  # noqa: ANN401
        blocks: Literal["folds", "rows"] = "folds",
        test: Test = "friedman",
        alpha: float = 0.05,
        first_test: int = 3,
        min_effect: float = 0.0,
        n_winners: int = 1,
        max_evaluations: int | None = None,
        max_seconds: float | None = None,
        refit: bool | str | Callable[[Table], int] = True,
        n_jobs: int | None = None,
        pre_dispatch: int | str = "2*n_jobs",
        verbose: int = 0,
        error_score: float | str = np.nan,
        return_train_score: bool = False,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.n_iter = n_iter
        self.n_rounds = n_rounds
        self.scoring = scoring
        self.raced_metric = raced_metric
        self.cv = cv
        self.blocks = blocks
        self.test = test
        self.alpha = alpha
        self.first_test = first_test
        self.min_effect = min_effect
        self.n_winners = n_winners
        self.max_evaluations = max_evaluations
        self.max_seconds = max_seconds
        self.refit = refit
        self.n_jobs = n_jobs
        self.pre_dispatch = pre_dispatch
        self.verbose = verbose
        self.error_score = error_score
        self.return_train_score = return_train_score
        self.random_state = random_state

    def fit(self, X: Rows, y: Rows = None, **params: object) -> "RaceSearchCV":
        """Race the candidates, then refit the best on all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or a frame
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), optional
        **params : dict
            Passed to `fit` of the estimator; `groups` goes to the splitter. With
            metadata routing enabled, each goes where it was requested.

        Returns
        -------
        self
        """
        X, y = indexable(X, y)
        params = rows_of_params(X, params=params)
        scorers = find_scorers(self.estimator, self.scoring)
        routed = route_fit(self, params, scorers)
        check_jobs(self.n_jobs)
        check_rounds(self.n_rounds, self.n_iter, self.param_grid)
        candidates = parameter_candidates(
            self.param_grid, self.n_iter, self.random_state
        )
        job = SplitJob(
            estimator=clone(self.estimator),
            X=X,
            y=y,
            scorers=scorers,
            fit_params=routed.fit,
            score_params=routed.score,
            error_score=self.error_score,
            return_train_score=self.return_train_score,
        )
        with Parallel(n_jobs=self.n_jobs, pre_dispatch=self.pre_dispatch) as parallel:
            evaluator = self._evaluator(job, candidates, routed.split, parallel)
            outcome = self._race(evaluator)
        attributes = self._summarize(evaluator, outcome)
        try:
            attributes |= self._refitted(job, attributes)
        except KeyboardInterrupt:
            self._keep(attributes)
            raise
        self._keep(attributes)
        return self

    def plot_race(self, ax: Axes = None) -> Axes:
        """Draw the mean score of each candidate, up to where it was eliminated.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; the current one by default.

        Returns
        -------
        matplotlib Axes
        """
        check_is_fitted(self, "race_")
        names = [
            ", ".join(f"{name}={value}" for name, value in params.items())
            for params in self.cv_results_["params"]
        ]
        return draw_race(
            -self.race_.losses,
            self.race_.winners,
            ax,
            block=self._block,
            value="mean score so far",
            names=names,
        )

    def _evaluator(
        self,
        job: SplitJob,
        candidates: list[dict[str, Any]],
        split: dict[str, Any],
        parallel: Parallel,
    ) -> Evaluator:
        check_choice("blocks", self.blocks, ("folds", "rows"))
        if self.blocks == "folds":
            splitter = check_cv(self.cv, job.y, classifier=is_classifier(job.estimator))
            splits = list(splitter.split(job.X, job.y, **split))
            return FoldEvaluator(job, candidates, splits, self._metric(), parallel)
        rng = np.random.default_rng(find_seed(self.random_state, default=None))
        rows = rng.permutation(len(job.y))
        return RowEvaluator(job, candidates, rows, self.scoring, split.get("groups"))

    def _race(self, evaluator: Evaluator) -> RaceResult:
        rules = RaceRules(
            test=self.test,
            alpha=self.alpha,
            first_test=self.first_test,
            min_effect=self.min_effect,
            n_winners=self.n_winners,
            max_evaluations=self.max_evaluations,
            max_seconds=self.max_seconds,
            on_error="raise",
        )
        seed = find_seed(self.random_state, default=None)
        drawing = Drawing(self.param_grid, self.n_rounds, seed)
        outcome = watch_race(evaluator, rules, drawing, self._block, self.verbose)
        evaluator.warn_of_failures()
        return outcome

    @property
    def _block(self) -> str:
        return self.blocks.removesuffix("s")

    def _summarize(self, evaluator: Evaluator, outcome: RaceResult) -> Table:
        """Return the attributes that do not need the refit."""
        results = evaluator.results(outcome)
        prefix = "mean_test_"
        known = {key.removeprefix(prefix) for key in results if key.startswith(prefix)}
        metric = self._refit_metric(known)
        attributes: Table = {
            "cv_results_": results,
            "race_": outcome,
            "race_history_": outcome.history,
            "failures_": evaluator.failures,
            "n_splits_": len(evaluator.splits),
            "scorer_": evaluator.job.scorers,
            "multimetric_": known != {"score"},
            "_best_by": metric,
            "best_index_": best_index(results, metric, self.refit),
        }
        attributes["best_params_"] = results["params"][attributes["best_index_"]]
        if not callable(self.refit):
            means = results[f"mean_test_{metric}"]
            attributes["best_score_"] = float(means[attributes["best_index_"]])
        return attributes

    def _refitted(self, job: SplitJob, attributes: Table) -> Table:
        if not self.refit:
            return {}
        started = time.perf_counter()
        best = job.make(attributes["best_params_"])
        job.fit_all(best)
        refitted = {
            "best_estimator_": best,
            "refit_time_": time.perf_counter() - started,
        }
        if hasattr(best, "feature_names_in_"):
            refitted["feature_names_in_"] = best.feature_names_in_
        return refitted

    def _keep(self, attributes: Table) -> None:
        for name in ("best_estimator_", "best_score_", "feature_names_in_"):
            self.__dict__.pop(name, None)  # of an earlier fit
        for name, value in attributes.items():
            setattr(self, name, value)

    def _metric(self) -> str | None:
        refit = self.refit if isinstance(self.refit, str) else None
        return refit if self.raced_metric is None else self.raced_metric

    def _refit_metric(self, known: set[str]) -> str:
        """Return the metric by which the best is chosen among the survivors."""
        if known == {"score"}:
            return "score"
        metric = self.refit if isinstance(self.refit, str) else str(self._metric())
        if metric not in known:
            raise BadInputError(
                f"refit={self.refit!r}; expected one of the metrics {sorted(known)}."
            )
        return metric
