"""
Inside a blend: its members, their weights and reasons
======================================================

`LazyClassifier` is a blend: several kinds of models predict together. A member weighs
more the better it predicts rows that are left out. Here a random forest of scikit-learn
joins them, to tell three Italian wines apart. Each member gives its reasons.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier

from sklazy import LazyClassifier

X, y = load_wine(return_X_y=True, as_frame=True)
forest = RandomForestClassifier(50, random_state=0)  # any classifier may join
model = LazyClassifier([("forest", forest)]).fit(X[::2], y[::2])
right, left_out = model.score(X[1::2], y[1::2]), model.loo_predict() == y[::2]
print(f"right in {right:.1%} of new wines, {left_out.mean():.1%} left out")

# %%
# The full receipt of one wine opens with the blend's own reasons. Those of each member
# follow, and the picture has their weights.
receipt = model.explain(X[61:62], detail="full")[0]
weights = model.weights_
figure, axes = plt.subplots(figsize=(6, 2.2), layout="constrained")
axes.barh(list(weights), list(weights.values()), color="#4878a8")
axes.set(xlabel="weight", title=f"wine 61: class {receipt.answer}")
axes.invert_yaxis()
print(receipt)

# %%
# The kernel has more than half of the weight; the forest has less than its share.

# %%
# `verify` computes the receipt again from the rows.
print("verified:", model.verify(receipt))
