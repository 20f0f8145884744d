"""
Rules made for one row
======================

Made-up mushrooms: a white one may be eaten if it grows on a meadow, a brown one if it
grows in a wood. Naive Bayes takes color and place for independent, and learns nothing.
A lazy Bayesian rule first picks the mushrooms of the same color, among which the place
decides. Lazy associative classification lists which values of the row go with which
class.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import sklazy

rng, n = np.random.default_rng(0), 600
X = pd.DataFrame(
    {
        "place": rng.choice(["meadow", "wood"], n),
        "color": rng.choice(["white", "brown"], n),
        "smell": rng.choice(["none", "nuts", "musty"], n),
    }
)
edible = (X["color"] == "white") == (X["place"] == "meadow")
edible &= X["smell"] != "musty"
y = np.where(edible ^ (rng.random(n) < 0.05), "edible", "poisonous")

# %%
models = {
    "naive Bayes": sklazy.LazyNBClassifier(selection="none"),
    "lazy Bayesian rules": sklazy.LazyBayesRulesClassifier(),
    "lazy association rules": sklazy.LazyAssociativeClassifier(),
}
right = {
    name: model.fit(X[:400], y[:400]).score(X[400:], y[400:])
    for name, model in models.items()
}
figure, axes = plt.subplots(figsize=(6, 1.9), layout="constrained")
bars = axes.barh(
    list(right), [100 * share for share in right.values()], color="#4878a8"
)
axes.bar_label(bars, fmt="%.0f", padding=3)
axes.set(xlabel="right, %", xlim=(0, 105))
axes.invert_yaxis()

# %%
# Naive Bayes is right as often as a coin; the rules that look at the row first do
# better.
#
# Here is the same mushroom, explained by both.
asked = pd.DataFrame({"place": ["wood"], "color": ["white"], "smell": ["nuts"]})
for name in ("lazy Bayesian rules", "lazy association rules"):
    print(f"\n{name}:\n")
    print(models[name].explain(asked)[0].to_text().split("The row in")[0].strip())
