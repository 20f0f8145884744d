"""
A set of answers where one is not sure, none where it would be a guess
======================================================================

Two sites send patients; one measures badly. Sets hold the true illness as often as
promised, within each site, and answers are withheld where they would be guesses.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import sklazy


def draw_patients(n, seed):
    """Two measurements that tell three illnesses apart, noisy at one site."""
    rng = np.random.default_rng(seed)
    illness = rng.choice(["A", "B", "C"], n)
    site = rng.choice(["north", "south"], n)
    middle = pd.DataFrame({"A": [0, 0], "B": [2, 0], "C": [0, 2]})[illness].to_numpy().T
    noise = rng.normal(size=(n, 2)) * np.where(site == "south", 1.2, 0.4)[:, None]
    X = pd.DataFrame(middle + noise, columns=["enzyme", "count"])
    return X.assign(site=site), illness


X, y = draw_patients(400, seed=0)
asked, truth = draw_patients(1000, seed=1)
model = sklazy.LazyKNeighborsClassifier(15, 1.0, discretize=False).fit(X, y)

# %%
# Nine of ten sets hold the truth. Without groups the bad site pays for the good one.
for groups in (None, "site"):
    sets = model.predict_set(asked, coverage=0.9, groups=groups)
    right = sets[np.arange(1000), np.searchsorted(model.classes_, truth)]
    by_site = pd.Series(right).groupby(asked["site"]).mean()
    sizes = pd.Series(sets.sum(axis=1)).groupby(asked["site"]).mean()
    print(f"coverage 0.9, groups={groups!r}: {right.mean():.3f} covered")
    for name in by_site.index:
        print(f"  {name}: {by_site[name]:.3f}, {sizes[name]:.2f} illnesses in a set")

# %%
# Or no answer: what is left is right as often as wanted, by the cases left out.
labels, answered = model.predict_or_abstain(asked, accuracy=0.95)
hits = labels == truth
print(f"all answers: {hits.mean():.3f} right")
print(f"{answered.mean():.0%} of them for 0.95: {hits[answered].mean():.3f} right")
figure, axes = plt.subplots(figsize=(5, 3.2), layout="constrained")
model.risk_coverage().plot(axes)

# %%
# The receipt carries both.
print(model.explain(asked[:1], coverage=0.9, accuracy=0.95)[0].to_text()[:600])
