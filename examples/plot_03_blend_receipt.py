"""
The receipt of a blend: members, weights, reasons
=================================================

Several kinds of models predict together. The weight of each is based on how well it
predicts cases that are left out, and each gives its reasons: paths, cases for and
against, terms of a linear model.
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
# The weights of the members, and their predictions for one wine.
receipt = model.explain(X[61:62], detail="full")[0]
weights = model.weights_
figure, axes = plt.subplots(figsize=(6, 2.2), layout="constrained")
axes.barh(list(weights), list(weights.values()), color="#4878a8")
axes.set(xlabel="weight", title=f"wine 61: class {receipt.answer}")
axes.invert_yaxis()
print(receipt)

# %%
# The receipt can be computed again from the cases.
print("replays:", model.verify(receipt))
