"""
Find the ten features of fifty that matter, with a race
=======================================================

RACSAM (Bontempi, Birattari, Meyer 2005) races sets of features against each other on a
growing sample of the rows, and drops a set as soon as it is significantly worse. The
data are Friedman's function, known from many papers, taken twice: 10 of 50 features
matter.
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
    f"{selector.n_candidates_} sets were compared with {selector.n_predictions_} "
    f"predictions; on all rows it would take {selector.n_candidates_ * 1000}"
)

# %%
everything = LazyLearningRegressor().fit(X[:1000], y[:1000])
for name, model in [("all features", everything), ("the winners", raced)]:
    error = np.abs(model.predict(X[1000:]) - y[1000:]).mean()
    print(f"mean error on new rows with {name}: {error:.2f}")

# %%
# The last race has a line for each set, which ends where the set was dropped.
plt.figure(figsize=(8, 4.5), layout="constrained")
axes = selector.plot_race()
axes.set(xlabel="rows predicted so far", ylabel="mean absolute error so far")

# %%
# Most sets are out after 60 of 1000 rows; the winner has all ten features, and no
# other.
