"""
The world changes: only the newest cases count
==============================================

Predict, then learn, row after row. Halfway the rule is turned around. A model that
keeps everything goes on believing the past; a window, or a half-life, lets it go.
"""

import matplotlib.pyplot as plt
import numpy as np

from sklazy import LazyKNeighborsClassifier, prequential

rng, n = np.random.default_rng(0), 1200
X = rng.uniform(-1, 1, (n, 3))
rule = X[:, 0] + X[:, 1] > 0
y = np.where(np.arange(n) < n // 2, rule, ~rule).astype(int)

figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
for name, way in {
    "all cases": {},
    "window of 200": {"window": 200},
    "half-life of 100": {"half_life": 100},
}.items():
    model = LazyKNeighborsClassifier(7, 1.0, discretize=False, **way)
    found = prequential(model, X, y)
    hits = np.asarray(found.predicted) == np.asarray(found.actual)
    axes.plot(np.convolve(hits, np.ones(100) / 100, "valid"), label=name)
    print(f"{name}: {hits.mean():.3f} right")
axes.axvline(n // 2, color="0.6", linestyle=":")
axes.set(xlabel="row", ylabel="right, of the last 100")
axes.legend()
