"""Kernel models: cases answer by similarity, and the settings choose themselves."""

from dataclasses import replace
from typing import cast

from sklazy.answer import AnyLearner
from sklazy.answer.device import check_device
from sklazy.casebase.moments import Length
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.classifiers import ApproximateClassifier
from sklazy.estimators.parameters import MOST_MADE, check_count
from sklazy.estimators.regressors import ApproximateRegressor
from sklazy.methods.kernel_models.gains import N_PATHS
from sklazy.methods.kernel_models.learner import KernelLearner
from sklazy.methods.kernel_models.limits import Limits


class KernelModel(LazyEstimator):
    """Keeps cases and answers queries by their similarity; see the subclasses."""

    def __init__(
        self,
        *,
        max_rows: int = 2000,
        n_landmarks: int | None = None,
        n_neighbors: int = 200,
        max_loo_rows: int = 750,
        categorical_features: object = "from_dtype",
        window: Length | None = None,
        refresh_every: float = 1,
        half_life: Length | None = None,
        n_jobs: int | None = None,
        device: str | None = None,
    ) -> None:
        self.max_rows = max_rows
        self.n_landmarks = n_landmarks
        self.n_neighbors = n_neighbors
        self.max_loo_rows = max_loo_rows
        self.categorical_features = categorical_features
        self.window = window
        self.refresh_every = refresh_every
        self.half_life = half_life
        self.n_jobs = n_jobs
        self.device = device

    def _check_parameters(self) -> None:
        check_count("max_rows", self.max_rows, least=0)
        if self.n_landmarks is not None:
            check_count("n_landmarks", self.n_landmarks, least=0)
        check_count("n_neighbors", self.n_neighbors)
        check_count("max_loo_rows", self.max_loo_rows, least=2)
        check_device(self.device)

    def _learner(self) -> KernelLearner:
        self._check_parameters()
        return KernelLearner(self.target, self._limits(), device=self.device)

    def _limits(self) -> Limits:
        return Limits(
            self.max_rows,
            self.n_neighbors,
            self.max_loo_rows,
            n_landmarks=self.n_landmarks,
        )

    def _explaining(self, learner: AnyLearner) -> KernelLearner:
        # On the CPU: the same digits everywhere.
        return replace(cast(KernelLearner, learner), device=None)


class LazyKernelClassifier(KernelModel, ApproximateClassifier):
    """Classify each query by the cases, weighted by their similarity.

    Kernel ridge regression on class indicators. Similarity decreases with a distance
    that weights attributes by their relevance to the class, alone and beside others.
    How much attributes are weighted, how fast similarity decreases, the ridge and the
    temperature that turns scores into probabilities are chosen by the leave-one-out log
    loss, which comes exactly and for free with the solution. With enough cases the
    weights are then improved along the gradient of that loss.

    Numbers are compared by their rank among the cases, so units and outliers do not
    matter. Categories are equal or not. A missing cell is half as far from any value as
    two values can be. No parameter needs setting.

    Parameters
    ----------
    max_rows : int, default=2000
        Up to this many cases one system of all cases is solved. Beyond, all cases are
        learned from, and answers are sums over some of them, the landmarks.
    n_landmarks : int, optional
        Number of landmarks, drawn by their content. Default: 2000 (or `max_rows`, if
        that is more), and fewer beyond 50 000 cases. With 0 a system of its nearest
        cases is solved for each query instead.
    n_neighbors : int, default=200
        Number of these nearest cases.
    max_loo_rows : int, default=750
        Most cases used to choose the settings, drawn by their content.
    n_paths : int, default=2000
        Random paths through these cases; their splits weight the attributes.
    categorical_features : "from_dtype", None, or array-like
        Which columns are nominal. Default: those of categories, text and bools.
    window : int, float or timedelta, optional
        Keep only the newest rows: this many, or those within a length of time (a float
        in units of `times`, days for dates). Older rows are forgotten as new ones
        arrive.
    refresh_every : int or float in (0, 1), default=1
        How many rows may come or go until settings are found anew: so many, or this
        share of the rows. Until then those of earlier rows serve, and `digest` and
        receipts state how old they are. `forget` and `refresh` have them found anew at
        once. Read by `fit`.
    half_life : number or timedelta, optional
        Age at which a row has half the weight of the newest, in units of `times`, or in
        rows without times.
    class_weight : {None, "balanced"} or dict, optional
        Weight of each class, times that of the row: a dict by label, 1 for classes that
        it does not name, or such that all classes weigh alike, which follows rows that
        are added and forgotten. Counts from `fit` on.
    n_jobs : int, optional
        Number of threads. Default: all cores.
    device : {None, "cuda", "cuda:1", ..., "cuda:all"}
        Where queries are answered: the CPU, or a GPU through CuPy ("cuda:all" uses the
        first). Settings are chosen on the CPU. Scores agree up to rounding.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    ids_ : array of shape (n_rows,)
        Row ids, in order of arrival.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    See Also
    --------
    LazyKernelRegressor : The same for numbers.

    Notes
    -----
    `fit`, `partial_fit` and `forget` only keep and erase rows. The first query after a
    change chooses the settings and solves again: on one core and 20 attributes this
    takes 0.6 s for 640 cases, 1 s for 1000, 1.2 s for 2000, some seconds for 20 000.
    Later queries take 0.4 ms alone, and less in batches.

    A score is the share of the class plus, over all cases, coefficient times
    similarity. Probabilities are the softmax of scores times the temperature. A class
    without cases has probability 0.

    With landmarks the weights, the width and the ridge are improved along the gradient
    of the left-out loss on five times `max_loo_rows` cases, a fair draw; ranks, ridge
    and temperature follow from these cases, too. The other cases are summed up exactly,
    so that the first query after one of them came or went solves a system only (40 ms
    at 100 000 cases). Left-out answers of all cases are exact by leverages; a landmark
    that is left out stays a place to measure from.

    A weight of rows (`sample_weight`, `half_life`) multiplies the row's squared error,
    and its part in ranks, class shares and the loss that settings are chosen by. Whole
    weights count as copies: to choose settings one of them is left out, of other
    weights the whole row.

    Approximate left-out answers keep ranks, attribute weights, width, ridge and
    temperature as found with the row. The row is left out of the solution and of the
    class shares, exactly and at no cost.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklazy import LazyKernelClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> model = LazyKernelClassifier().fit(X, y)
    >>> model.predict(X[[0, 65, 150]])
    array([0, 1, 2])
    >>> bool((model.loo_predict() == y).mean() > 0.97)
    True
    """

    def __init__(
        self,
        *,
        max_rows: int = 2000,
        n_landmarks: int | None = None,
        n_neighbors: int = 200,
        max_loo_rows: int = 750,
        n_paths: int = N_PATHS,
        categorical_features: object = "from_dtype",
        window: Length | None = None,
        refresh_every: float = 1,
        half_life: Length | None = None,
        class_weight: object = None,
        n_jobs: int | None = None,
        device: str | None = None,
    ) -> None:
        super().__init__(
            max_rows=max_rows,
            n_landmarks=n_landmarks,
            n_neighbors=n_neighbors,
            max_loo_rows=max_loo_rows,
            categorical_features=categorical_features,
            window=window,
            refresh_every=refresh_every,
            half_life=half_life,
            n_jobs=n_jobs,
            device=device,
        )
        self.n_paths = n_paths
        self.class_weight = class_weight

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count("n_paths", self.n_paths, most=MOST_MADE)

    def _limits(self) -> Limits:
        return super()._limits()._replace(n_paths=self.n_paths)


class LazyKernelRegressor(KernelModel, ApproximateRegressor):
    """Predict each query from the cases, weighted by their similarity.

    Kernel ridge regression with a distance that weights attributes by their relevance
    to the target. How much attributes are weighted, how fast similarity decreases and
    the ridge are chosen together by the leave-one-out squared error, which comes
    exactly and for free with the solution. No parameter needs setting.

    Parameters
    ----------
    max_rows, n_landmarks, n_neighbors, max_loo_rows
        As for `LazyKernelClassifier`.
    categorical_features, window, refresh_every, half_life, n_jobs, device
        As for `LazyKernelClassifier`.

    Attributes
    ----------
    ids_ : array of shape (n_rows,)
        Row ids, in order of arrival.
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    See Also
    --------
    LazyKernelClassifier : The same for classes; explains how cells are compared.

    Examples
    --------
    >>> import numpy as np
    >>> from sklazy import LazyKernelRegressor
    >>> X = np.linspace(0, 6, 80)[:, None]
    >>> model = LazyKernelRegressor().fit(X, np.sin(X[:, 0]))
    >>> model.predict([[1.5], [4.0]]).round(2)
    array([ 0.99, -0.75])
    """
