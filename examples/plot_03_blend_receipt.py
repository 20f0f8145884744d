"""
Who says so? The receipt of a blend
===================================

Members of different kinds answer, each counts by how it did on cases that it had not
seen, and each gives its own reasons: the paths, the cases that speak for and against,
the terms of the line.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier

from sklazy import LazyClassifier

X, y = load_wine(return_X_y=True, as_frame=True)
forest = RandomForestClassifier(50, random_state=0)  # any model may sit in
model = LazyClassifier([("forest", forest)]).fit(X[::2], y[::2])
right, left_out = model.score(X[1::2], y[1::2]), model.loo_predict() == y[::2]
print(f"right in {right:.1%} of new wines, {left_out.mean():.1%} left out")

# %%
# What the members count, and what they say of one wine.
receipt = model.explain(X[61:62])[0]
weights = model.weights_
figure, axes = plt.subplots(figsize=(6, 2.2), layout="constrained")
axes.barh(list(weights), list(weights.values()), color="#4878a8")
axes.set(xlabel="weight", title=f"wine 61: class {receipt.answer}")
axes.invert_yaxis()
print(receipt)

# %%
# The receipt can be computed again from the cases.
print("replays:", model.verify(receipt))
