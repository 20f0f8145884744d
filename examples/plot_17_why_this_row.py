"""
Why this prediction? Reasons, cases, changes and a letter
=========================================================

569 tumors with 30 measurements of their cells, from scikit-learn. One tumor is
predicted. Which measurements speak for the answer and which against it? Which known
cases move it? What would change it? And what can the patient be told, without the data
of others?
"""

import textwrap

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from sklazy import LazyClassifier

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target.map({0: "malignant", 1: "benign"})
model = LazyClassifier().fit(X[::3], y[::3])
new = X[1::3]
print(f"right in {model.score(new, y[1::3]):.1%} of {len(new)} new rows")

# %%
# A tumor that is not quite clear. The receipt sums up why.
shares = model.predict_proba(new).max(axis=1)
row = new.iloc[[abs(shares - 0.8).argmin()]]
receipt = model.explain(row)[0]
print("\n".join(map(textwrap.fill, receipt["summary"])))

# %%
# From the probability with nothing known (dotted) to the prediction (solid), one
# measurement after another.
_ = receipt.plot(plt.subplots(figsize=(7, 4.5), layout="constrained")[1])

# %%
# The textures raise the probability of benign by some 20 points; the size and shape of
# the cells raise and lower it in turn.
#
# The cases that move the answer most, each with the prediction less the prediction
# without the case:
for side in ("listed_for", "listed_against"):
    for case in receipt["reasons"]["cases"][side]:
        print(f"{case['id']:>5}  {case['target']:<9}  {case['influence']:+.4f}")

# %%
# Changes of one measurement that would change the answer, each of them predicted. The
# picture has the prediction along the measurement that matters most.
for change in model.changes(row, max_features=1)[:3]:
    print(change)
leading = receipt.to_frame()["name"][0]
_ = model.curve(row, leading).plot(
    plt.subplots(figsize=(5, 3), layout="constrained")[1]
)

# %%
# The coarser the texture, the less probable benign becomes; the dot is our tumor.
#
# The same for 60 tumors, now for malignant: how much each measurement adds in the mean,
# and how that depends on its value.
found = model.contributions(new[:60], of="malignant")
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
found.plot_importance(left, most=10)
_ = found.plot_dependence(leading, right)

# %%
# Textures above 25 raise the probability of malignant.
#
# The letter has the principal reasons, without the data of others.
print(textwrap.fill(receipt.for_customer()))
print("verified:", model.verify(receipt))
