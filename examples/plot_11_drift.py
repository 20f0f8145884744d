"""
When the world changes, let old rows go
=======================================

A made-up stream: each row is predicted, then learned. Halfway the rule is reversed. A
model that keeps all rows goes on believing the past. With a window it keeps the newest
rows only; with a half-life, old rows count less and less.
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

# %%
# All three models fail at first when the rule is reversed. Those that let old rows go
# recover within 200 rows; the one that keeps them all does not until the end.
