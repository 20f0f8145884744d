"""
Find wrong labels, repeated rows and typing errors
==================================================

The wine data, spoiled on purpose: eight labels are made wrong, one row is entered
twice, and one number has its decimal point in the wrong place. The audit is told
nothing.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_wine

from sklazy import audit

rng = np.random.default_rng(0)
X, y = load_wine(return_X_y=True, as_frame=True)
wrong = rng.choice(len(y), 8, replace=False)
y[wrong] = (y[wrong] + rng.integers(1, 3, 8)) % 3
X, y = pd.concat([X, X.iloc[[40]]], ignore_index=True), [*y, y[40]]
X.loc[99, "magnesium"] *= 10

found = audit(X, y)
print(found)

# %%
# The thirty most doubtful labels.
order = np.argsort(-found.doubts)
planted = np.isin(order, wrong)
figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
axes.bar(
    np.arange(30)[planted[:30]], found.doubts[order][:30][planted[:30]], color="C3"
)
axes.bar(
    np.arange(30)[~planted[:30]], found.doubts[order][:30][~planted[:30]], color="0.7"
)
axes.legend(["made wrong", "as they were"])
axes.set(xlabel="rows, the most doubtful first", ylabel="doubt")
print(f"wrong labels among the 8 most doubtful: {planted[:8].sum()} of 8")

# %%
# All eight wrong labels (red) come first, with a gap after them.
#
# What the other rows predict for the first of them:
(receipt,) = found.explain(order[:1])
print(f"row {order[0]}: {y[order[0]]} in the table, {receipt.answer} by all other rows")
