"""
Which test to order next
========================

For this patient, given what is known and what tests cost. The breast cancer data, as if
each measurement were a test of its own that somebody has to pay for. Means are cheap,
worst values cost three times as much.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from sklazy import LazyNBClassifier

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target_names[data.target]
costs = {name: 3.0 if name.startswith("worst") else 1.0 for name in X}
model = LazyNBClassifier(selection="none").fit(X.iloc[:400], y[:400])

patient = X.iloc[[406]].copy()
patient.loc[:, [name for name in X if name != "mean texture"]] = np.nan
(suggestion,) = model.suggest_attribute(patient, costs)
print(suggestion)

# %%
# Played on patients whose tests are all known.
game = model.acquire(X.iloc[400:], budget=12.0, costs=costs)
right, spent = game.score(y[400:]), game.spent.mean(axis=0)
everything = (model.predict(X.iloc[400:]) == y[400:]).mean()
figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
axes.plot(spent, 100 * right, "o-", label="the test worth most, one after the other")
axes.axhline(
    100 * everything, color="0.5", linestyle="--", label="all 30 tests, cost 50"
)
axes.set(xlabel="mean cost", ylabel="right, %")
axes.legend()
