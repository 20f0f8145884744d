"""
An ensemble grown around each query
===================================

Lazy bagging (Zhu and Yang 2008) puts the neighbors of a query into every bag. Of each
tree only the path that the query takes is grown. The receipt shows these paths. The
data are the tumors of scikit-learn.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from sklazy import LazyBaggingClassifier

data = load_breast_cancer(as_frame=True)
X, X_new, y, y_new = train_test_split(data.data, data.target, random_state=0)
model = LazyBaggingClassifier(50, random_state=0).fit(X, y)
print(f"right on new tumors: {model.score(X_new, y_new):.3f}")

# %%
# The receipt of the least certain tumor begins like this.
share = model.predict_proba(X_new)[:, 1]
query = X_new.iloc[[int(np.argmin(np.abs(share - 0.5)))]]
receipt = model.explain(query)[0]
print(receipt.to_text()[:700])

# %%
# How many of the 50 paths vote for benign, for all new tumors.
figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
axes.hist(share[y_new == 1], 20, range=(0, 1), alpha=0.6, label="benign")
axes.hist(share[y_new == 0], 20, range=(0, 1), alpha=0.6, label="malignant")
axes.set(xlabel="share of paths that vote for benign", ylabel="rows")
axes.legend()

# %%
# The paths agree on nearly all tumors; the few in the middle deserve a second look.
