"""
Ten inputs of fifty matter: found by a race
===========================================

RACSAM (Bontempi, Birattari, Meyer 2005): sets of attributes are raced on a growing
sample of the rows, and those that are worse beyond chance are dropped early.
"""

import matplotlib.pyplot as plt
import numpy as np

from sklazy import LazyLearningRegressor, RacedRegressor, RaceFeatureSelector


def friedman(inputs):
    """Friedman's function of five inputs."""
    a, b, c, d, e = inputs.T
    return 10 * np.sin(np.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e


rng = np.random.default_rng(0)
X = rng.uniform(size=(1500, 50))
y = friedman(X[:, :5]) + friedman(X[:, 5:10]) + rng.normal(size=1500)
raced = RacedRegressor(RaceFeatureSelector(random_state=0)).fit(X[:1000], y[:1000])
selector = raced.selector_
print(f"found: {selector.get_support(indices=True).tolist()}")
print(
    f"{selector.n_candidates_} sets were assessed with {selector.n_predictions_} "
    f"predictions; {selector.n_candidates_ * 1000} would be needed to see each of them "
    "on all rows"
)

# %%
everything = LazyLearningRegressor().fit(X[:1000], y[:1000])
for name, model in [("all inputs", everything), ("the winners", raced)]:
    error = np.abs(model.predict(X[1000:]) - y[1000:]).mean()
    print(f"mean error on new rows with {name}: {error:.2f}")

# %%
# The last race: a line for each set, which ends where it was dropped.
plt.figure(figsize=(8, 4.5), layout="constrained")
axes = selector.plot_race()
axes.set(xlabel="rows predicted so far", ylabel="mean absolute error so far")
