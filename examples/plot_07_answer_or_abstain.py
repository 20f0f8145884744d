"""
Several answers where one is not sure, none where it would be a guess
=====================================================================

Handwritten digits, 400 of them known. Some were written with a thin pen, and are harder
to read. A set of digits contains the true one as often as promised. Or the model
abstains, and a person reads the digit.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import sklazy

X, y = load_digits(return_X_y=True, as_frame=True)
ink = X.sum(axis=1)
X = X.assign(pen=np.where(ink < ink.quantile(0.3), "thin", "bold"))
X, asked, y, truth = train_test_split(X, y, train_size=400, random_state=0)
model = sklazy.LazyKNeighborsClassifier(7, 1.0, discretize=False).fit(X, y)

# %%
# 95 of 100 sets contain the true digit. With `groups`, this holds for each pen.
for groups in (None, "pen"):
    sets = model.predict_set(asked, coverage=0.95, groups=groups)
    right = pd.Series(sets[np.arange(len(truth)), truth], asked.index)
    print(f"coverage 0.95, groups={groups!r}: {right.mean():.1%} contain the digit")
    for pen, found in right.groupby(asked["pen"]):
        print(f"  {pen} pen: {found.mean():.1%}")

# %%
# Digits that are hard to tell apart are named together.
labels = model.predict_set(asked, coverage=0.99, as_labels=True)
unsure = [place for place, found in enumerate(labels) if len(found) > 1][:5]
figure, panels = plt.subplots(1, 5, figsize=(8, 2.2), layout="constrained")
for axes, place in zip(panels, unsure, strict=True):
    axes.imshow(asked.iloc[place, :64].to_numpy(float).reshape(8, 8), cmap="gray_r")
    axes.set_title(" or ".join(map(str, labels[place])))
    axes.axis("off")

# %%
# Or no answer: the model answers those digits for which it can promise 99 % right.
predicted, answered = model.predict_or_abstain(asked, accuracy=0.99)
hits = predicted == truth
print(f"all digits: {hits.mean():.1%} right")
print(f"{answered.mean():.0%} of them for 99 %: {hits[answered].mean():.1%} right")
figure, axes = plt.subplots(figsize=(5, 3.2), layout="constrained")
_ = model.risk_coverage().plot(axes)

# %%
# The curve falls to the right: the more digits are answered, the more mistakes there
# are among them.
#
# A receipt contains the set, and whether the answer is withheld.
receipt = model.explain(asked.iloc[[unsure[0]]], coverage=0.99, accuracy=0.99)[0]
likely = [item for item in receipt["prediction_set"]["classes"] if item["in_set"]]
print("in the set:", [item["label"] for item in likely])
print("answered:", receipt["abstention"]["answered"])
