"""
Why this row? From nothing known to a letter
============================================

A real table: 569 tumors, 30 measures of their cells. One of them is predicted. What is
usual, which measures speak for the answer and which against it, which known cases move
it, what would change it, and what may be written to somebody who must not read of
others.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from sklazy import LazyClassifier

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target.map({0: "malignant", 1: "benign"})
model = LazyClassifier().fit(X[::3], y[::3])
new = X[1::3]
print(f"right in {model.score(new, y[1::3]):.1%} of {len(new)} new rows")

# %%
# A row that is not quite clear: the answer, that with nothing known, the measures for
# and against it, cases and a change that would matter.
shares = model.predict_proba(new).max(axis=1)
row = new.iloc[[abs(shares - 0.8).argmin()]]
receipt = model.explain(row)[0]
print("\n".join(receipt["summary"]))

# %%
# Every measure in turn, from where nothing is known to the answer.
receipt.plot(plt.subplots(figsize=(7, 4.5), layout="constrained")[1])

# %%
# The cases that move the answer most: the answer less the answer without the case.
# Those listed against it never outweigh those listed for it.
for side in ("listed_for", "listed_against"):
    for case in receipt["reasons"]["cases"][side]:
        print(f"{case['id']:>5}  {case['target']:<9}  {case['influence']:+.4f}")

# %%
# The smallest changes of one or two measures that change the answer, each of them
# predicted, and the answer along the measure that matters most.
for change in model.changes(row, max_features=1)[:3]:
    print(change)
leading = receipt.to_frame()["name"][0]
model.curve(row, leading).plot(plt.subplots(figsize=(5, 3), layout="constrained")[1])

# %%
# The same numbers for many rows: the mean size of contributions, and how they depend on
# the value of a measure.
found = model.contributions(new[:60], of="malignant")
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
found.plot_importance(left, most=10)
found.plot_dependence(leading, right)

# %%
# The principal reasons, for somebody who must not read of others.
print(receipt.for_customer())
print("replays:", model.verify(receipt))
