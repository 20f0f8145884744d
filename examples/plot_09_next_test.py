"""
Which test to order next
========================

A patient, some tests done, others not: which one is worth its price? The breast cancer
data of scikit-learn, as if each of the 30 measurements were a test that somebody pays
for. Means cost 1, worst values cost 3.
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
# The same for 169 patients whose tests are all known: the tests are ordered one by one,
# up to a cost of 12.
game = model.acquire(X.iloc[400:], budget=12.0, costs=costs)
right, spent = game.score(y[400:]), game.spent.mean(axis=0)
everything = (model.predict(X.iloc[400:]) == y[400:]).mean()
figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
axes.plot(spent, 100 * right, "o-", label="the most useful test each time")
axes.axhline(
    100 * everything, color="0.5", linestyle="--", label="all 30 tests, cost 50"
)
axes.set(xlabel="mean cost", ylabel="right, %")
axes.legend()

# %%
# After two or three tests the predictions are as good as with all 30.
