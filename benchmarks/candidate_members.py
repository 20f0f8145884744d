"""Members that a blend might have beside its own, for `small_tables.py`."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.linear_model import LogisticRegressionCV, RidgeCV
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    QuantileTransformer,
    SplineTransformer,
    StandardScaler,
)

from sklazy import LazyBaggingClassifier, LazyBaggingRegressor

RIDGES = (3.0, 1.0, 0.3, 0.1, 0.03, 0.003)
RATES = (0.5, 1.5)
TEMPERATURES = np.geomspace(0.5, 60.0, 25)


class MapKernel(BaseEstimator):
    """Kernel ridge regression in a learned linear map of the columns.

    The map is the mean outer product of the fit's own gradients, mixed with its
    diagonal (`diagonal` 1: weights of columns alone); `n_rounds` 0 leaves the scaled
    columns as they are. Rate, ridge and temperature by exact left-out answers.
    """

    def __init__(self, n_rounds=2, diagonal=0.3):
        self.n_rounds, self.diagonal = n_rounds, diagonal

    def _learn(self, X, targets, judge):
        spread = X.std(axis=0)
        self.center_, self.scale_ = X.mean(axis=0), np.where(spread > 0, spread, 1.0)
        rows = (X - self.center_) / self.scale_
        self.mean_, metric = targets.mean(axis=0), np.eye(rows.shape[1])
        best = None
        for round_ in range(self.n_rounds + 1):
            found = self._solve(rows, targets, metric, judge)
            if best is None or found[0] < best[0]:
                best = (*found, metric)
            if round_ < self.n_rounds:
                metric = self._move(rows, found, metric)
        self.loss_, self.rate_, _, self.temperature_, self.coefficients_, metric = best
        self.root_ = _root(metric)
        self.rows_ = rows @ self.root_

    def _solve(self, rows, targets, metric, judge):
        placed = rows @ _root(metric)
        distances = _distances(placed, placed)
        median, best = np.median(distances[distances > 0]), None
        for rate in RATES:
            values, vectors = np.linalg.eigh(np.exp(-rate / median * distances))
            along = vectors.T @ (targets - self.mean_)
            for ridge in RIDGES:
                inverse = 1 / (np.maximum(values, 0) + ridge)
                solved = vectors @ (inverse[:, None] * along)
                left = targets - solved / (vectors**2 @ inverse)[:, None]
                loss, temperature = judge(left)
                if best is None or loss < best[0]:
                    best = loss, rate / median, ridge, temperature, solved
        return best

    def _move(self, rows, found, metric):
        rate, solved = found[1], found[4]
        placed = rows @ _root(metric)
        distances = np.maximum(_distances(placed, placed), 1e-9)
        pull = rate * np.exp(-rate * distances) / distances
        np.fill_diagonal(pull, 0.0)
        outer = np.zeros_like(metric)
        for own in solved.T:
            weighed = pull * own
            slopes = (weighed.sum(axis=1)[:, None] * rows - weighed @ rows) @ metric
            outer += slopes.T @ slopes
        outer /= max(np.trace(outer) / len(outer), 1e-300)
        return (1 - self.diagonal) * outer + self.diagonal * np.diag(np.diag(outer))

    def _scores(self, X):
        placed = ((X - self.center_) / self.scale_) @ self.root_
        near = np.exp(-self.rate_ * _distances(placed, self.rows_))
        return self.mean_ + near @ self.coefficients_


class MapClassifier(ClassifierMixin, MapKernel):
    """The same for classes."""

    def fit(self, X, y):
        """Learn the map."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        targets = np.eye(len(self.classes_))[codes]

        def judge(left):
            above = left - left[np.arange(len(codes)), codes][:, None]
            with np.errstate(over="ignore"):
                own = 1 / np.exp(TEMPERATURES[:, None, None] * above).sum(axis=2)
            losses = -np.log(0.999 * own + 0.001 / targets.shape[1]).mean(axis=1)
            return losses.min(), TEMPERATURES[losses.argmin()]

        self._learn(np.asarray(X, float), targets, judge)
        return self

    def predict_proba(self, X):
        """Softmax of the scores."""
        scores = self.temperature_ * self._scores(np.asarray(X, float))
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)

    def predict(self, X):
        """The class of highest probability."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class MapRegressor(RegressorMixin, MapKernel):
    """The same for numbers."""

    def fit(self, X, y):
        """Learn the map."""
        targets = np.asarray(y, float)[:, None]
        self.unit_ = targets.std() or 1.0
        targets = targets / self.unit_
        self._learn(
            np.asarray(X, float),
            targets,
            lambda left: (((left - targets) ** 2).mean(), 1.0),
        )
        return self

    def predict(self, X):
        """Predict numbers."""
        return self._scores(np.asarray(X, float))[:, 0] * self.unit_


class NCAClassifier(ClassifierMixin, BaseEstimator):
    """Shares of classes by distance in a map of least left-out error (NCA)."""

    def fit(self, X, y):
        """Learn the map, of at most eight dimensions."""
        self.scaler_ = StandardScaler().fit(X)
        rows = self.scaler_.transform(X)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.map_ = NeighborhoodComponentsAnalysis(
            min(8, rows.shape[1]), max_iter=25, random_state=0
        ).fit(rows, codes)
        self.rows_, self.targets_ = (
            self.map_.transform(rows),
            np.eye(len(self.classes_))[codes],
        )
        return self

    def predict_proba(self, X):
        """Shares by exp(-squared distance)."""
        placed = self.map_.transform(self.scaler_.transform(X))
        squares = _distances(placed, self.rows_) ** 2
        near = np.exp(-(squares - squares.min(axis=1, keepdims=True)))
        return near @ self.targets_ / near.sum(axis=1, keepdims=True)

    def predict(self, X):
        """The class of the largest share."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _root(metric):
    values, vectors = np.linalg.eigh(metric)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def _distances(one, other):
    squares = (one**2).sum(axis=1)[:, None] + (other**2).sum(axis=1) - 2 * one @ other.T
    return np.sqrt(np.maximum(squares, 0.0))


def _add_waves(rows):
    """Numbers, and sines and cosines of three periods of them."""
    waves = [f(k * np.pi * rows) for k in (0.5, 1.0, 2.0) for f in (np.sin, np.cos)]
    return np.hstack([rows, *waves])


def _codes(last, *steps):
    return make_pipeline(StandardScaler(), *steps, StandardScaler(), last)


def classifiers():
    """Pairs of a name and a classifier."""
    logistic = LogisticRegressionCV(Cs=np.geomspace(1e-3, 10, 6), cv=3, max_iter=200)
    quantiles = SplineTransformer(6, degree=1, knots="quantile")
    return [
        *bags_of(LazyBaggingClassifier),
        ("raw", MapClassifier(0)),
        ("map", MapClassifier(2, 0.3)),
        ("map_low", MapClassifier(2, 0.05)),
        ("map_nca", NCAClassifier()),
        ("quantiles", _codes(logistic, quantiles)),
        ("waves", _codes(logistic, FunctionTransformer(_add_waves))),
    ]


def regressors():
    """Pairs of a name and a regressor."""
    line = RidgeCV(np.geomspace(1e-2, 1e4, 13))
    ranks = QuantileTransformer(n_quantiles=100, output_distribution="normal")
    return [
        *bags_of(LazyBaggingRegressor),
        ("raw", MapRegressor(0)),
        ("map", MapRegressor(2, 0.3)),
        ("map_low", MapRegressor(2, 0.05)),
        ("quantiles", _codes(line, SplineTransformer(6, degree=1, knots="quantile"))),
        ("waves", _codes(line, FunctionTransformer(_add_waves))),
        ("ranks", _codes(line, ranks)),
    ]


def bags_of(kind):
    """Random paths of fewer and smaller bags, by name."""
    sizes = {
        "paths_100_200": (100, 200),
        "paths_50": (50, "auto"),
        "paths_30": (30, "auto"),
    }
    sizes |= {"paths_50_200": (50, 200), "paths_50_100": (50, 100)}
    sizes |= {"paths_30_640": (30, 640)}
    return [
        (name, kind(n, splits="random", max_samples=most))
        for name, (n, most) in sizes.items()
    ]
