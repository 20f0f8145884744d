"""
A soft sensor that moves with its process
=========================================

A made-up plant with thirty sensors makes three grades of a product in turn. Its quality
depends on the sensors in another way for each grade, drifts as a catalyst ages, and
jumps when the catalyst is renewed. The laboratory returns samples twenty at a time;
until then quality is predicted. A global PLS (partial least squares) is refitted every
hundred samples. A local PLS is fitted for each prediction, to the samples nearest to
it, and keeps the newest samples or lets old ones fade.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.cross_decomposition import PLSRegression

from sklazy import LazyLearningRegressor, LazyPLSRegressor, prequential

N_ROWS, RENEWED, N_FIRST, STEP = 1500, 900, 100, 20


class Refitted(RegressorMixin, BaseEstimator):
    """A model that is fitted anew every so many rows, to all or the newest."""

    def __init__(self, model, every=100, newest=None):
        self.model, self.every, self.newest = model, every, newest

    def partial_fit(self, X, y):
        """Keep rows, and fit if it is time."""
        kept = getattr(self, "rows_", (np.empty((0, X.shape[1])), np.empty(0)))
        self.rows_ = np.vstack([kept[0], X]), np.append(kept[1], y)
        n_rows = len(self.rows_[1])
        if n_rows // self.every > len(kept[1]) // self.every:
            newest = slice(-(self.newest or n_rows), None)
            self.fitted_ = clone(self.model).fit(*(part[newest] for part in self.rows_))
        return self

    def predict(self, X):
        """Ask the last model that was fitted."""
        return self.fitted_.predict(X).ravel()


def plant(rng):
    """Sensors and the quality, row after row."""
    time = np.arange(N_ROWS)
    grade = (time // 40) % 3
    level = np.array([[0, 0, 0, 0], [5, -2, 1, 0], [-2, 5, 0, 1]])[grade]
    state = level + rng.standard_normal((N_ROWS, 4)) * [1, 0.7, 0.5, 0.3]
    sensors = state @ rng.standard_normal((4, 30))
    sensors += 0.1 * rng.standard_normal(sensors.shape)
    age = np.where(time < RENEWED, time, time - RENEWED) / 1000
    slope = np.array([1.0, -0.5, 2.0])[grade]
    quality = slope * state[:, 0] + 0.4 * state[:, 1] ** 2 + state[:, 2]
    return sensors, quality - 3 * age + 0.1 * rng.standard_normal(N_ROWS)


def models():
    """What is compared."""
    line = PLSRegression(4)
    return {
        "global PLS, all rows": Refitted(line),
        "global PLS, newest 300": Refitted(line, newest=300),
        "local lines, window 300": LazyLearningRegressor(n_neighbors=60, window=300),
        "local PLS, all rows": LazyPLSRegressor((1, 8), 40, scale=True),
        "local PLS, window 300": LazyPLSRegressor((1, 8), 40, scale=True, window=300),
        "local PLS, half-life 150": LazyPLSRegressor(
            (1, 8), 40, scale=True, half_life=150.0
        ),
    }


# %%
# Predict the plant row after row. The laboratory's answers come twenty at a time.
X, y = plant(np.random.default_rng(0))
figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
for name, model in models().items():
    result = prequential(model, X, y, n_first=N_FIRST, step=STEP)
    error = np.sqrt(np.mean(result.losses**2))
    print(f"{name:26} off by {error:.3f}, {result.rows_per_second:5.0f} rows a second")
    axes.plot(result.moments, result.rolling(100), label=name)
axes.axvline(RENEWED, color="0.7", linestyle="--")
axes.text(RENEWED, 0.05, " renewed", color="0.5")
axes.set(xlabel="sample", ylabel="mean absolute error, last 100", ylim=(0, None))
axes.legend(fontsize="small", ncols=2, loc="upper left")

# %%
# Global models cannot follow three grades at once. Local ones can; those with a window
# or a half-life stay good as the catalyst ages, and recover soon after it is renewed.
