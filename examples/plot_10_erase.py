"""
Erase a row, and prove it
=========================

A lazy model keeps rows, so it can lose one. The state after `forget` is that of a model
which never saw the row: the digest says so, and the answers move where it stood.
"""

import matplotlib.pyplot as plt
import numpy as np

from sklazy import LazyKNeighborsClassifier

rng = np.random.default_rng(3)
X = np.concatenate([rng.normal([0, 0], 1, (40, 2)), rng.normal([2.4, 0], 1, (40, 2))])
y = np.repeat(["a", "b"], 40)
X, y = np.concatenate([X, [[-0.3, 0.2]]]), np.append(y, "b")  # one of b among the a
model = LazyKNeighborsClassifier(3, 2, discretize=False).fit(X, y)

# %%
side = np.linspace(-3, 5, 90)
grid = np.stack(np.meshgrid(side, side - 1), axis=-1).reshape(-1, 2)
figure, panels = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
for axes, title in zip(panels, ("with row 80", "after forget([80])"), strict=True):
    shares = model.predict_proba(grid)[:, 1].reshape(90, 90)
    axes.contourf(side, side - 1, shares, cmap="coolwarm", alpha=0.5)
    for label, marker in (("a", "o"), ("b", "^")):
        kept = X[: len(model.ids_)][y[: len(model.ids_)] == label]
        axes.plot(
            *kept.T, marker, color="k", markersize=4, fillstyle="none", label=label
        )
    axes.set_title(title)
    if title.startswith("with"):
        before = model.digest()
        model.forget([80])
panels[0].legend(title="class")

# %%
never = LazyKNeighborsClassifier(3, 2, discretize=False).fit(X[:80], y[:80])
print(f"as if it had never been there: {model.digest() == never.digest()}")
print(f"{before[:16]} is now {model.digest()[:16]}")
