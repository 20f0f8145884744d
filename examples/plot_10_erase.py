"""
Erase a row, and prove it
=========================

Irises by the length and width of their petals. A flower was entered under the wrong
name. A lazy model keeps its rows, so it can lose this one: afterwards its state is that
of a model which never saw the row.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from sklazy import LazyKNeighborsClassifier

data = load_iris()
X, y = data.data[:, 2:], data.target_names[data.target]
X, y = np.concatenate([X, [[2.3, 0.6]]]), np.append(y, "virginica")  # row 150: wrong
model = LazyKNeighborsClassifier(1, 2, discretize=False).fit(X, y)

# %%
# The predicted name for every length and width, before and after row 150 is erased.
long, wide = np.linspace(0.8, 7.1, 90), np.linspace(0, 2.6, 70)
grid = np.stack(np.meshgrid(long, wide), axis=-1).reshape(-1, 2)
figure, panels = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
for axes, title in zip(panels, ("with row 150", "after forget([150])"), strict=True):
    names = np.searchsorted(model.classes_, model.predict(grid)).reshape(70, 90)
    axes.contourf(long, wide, names, [-0.5, 0.5, 1.5, 2.5], cmap="Pastel2")
    for name, marker in zip(data.target_names, "os^", strict=True):
        kept = X[: len(model.ids_)][y[: len(model.ids_)] == name]
        style = {"markersize": 4, "fillstyle": "none", "label": name}
        axes.plot(*kept.T, f"k{marker}", **style)
    axes.set(title=title, xlabel="petal length, cm")
    if title.startswith("with"):
        before = model.digest()
        model.forget([150])
panels[0].set_ylabel("petal width, cm")
_ = panels[0].legend()

# %%
# On the left, the wrong flower has an island of its own. On the right it is gone. The
# digest, a fingerprint of the state, equals that of a model fitted without the row.
never = LazyKNeighborsClassifier(1, 2, discretize=False).fit(X[:150], y[:150])
print(f"as if it had never been there: {model.digest() == never.digest()}")
print(f"{before[:16]} is now {model.digest()[:16]}")
