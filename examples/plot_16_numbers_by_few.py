"""
Predict a number from the features that matter for this row
===========================================================

Made-up rents depend on size and view, unless the flat is a shell or has a sitting
tenant, whose rent is fixed. Eight more columns are noise. Plain nearest neighbors
compare flats by all columns. A selection made once for all flats misses what matters
for few. Lazy selection chooses for each flat the features whose values narrow the rent
down most.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import sklazy

rng, n = np.random.default_rng(0), 900
X = pd.DataFrame(rng.choice(["a", "b", "c"], (n, 8)))
X.columns = [f"noise {j}" for j in range(8)]
X["state"] = rng.choice(["good", "fair", "shell"], n, p=[0.5, 0.4, 0.1])
X["tenant"] = rng.choice(["none", "sitting"], n, p=[0.9, 0.1])
X["view"] = rng.choice(["yard", "street", "river"], n)
X["size"] = rng.uniform(30, 120, n).round()
rent = 9 * X["size"] + X["view"].map({"yard": 0, "street": 100, "river": 400})
rent = rent.mask(X["state"] == "shell", 300).mask(X["tenant"] == "sitting", 500)
rent = rent + rng.normal(scale=10, size=n)

# %%
models = {
    "plain k-NN": sklazy.LazyKNeighborsRegressor(selection="none"),
    "the same features for all": sklazy.LazyKNeighborsRegressor(
        n_attributes=3, selection="eager"
    ),
    "features chosen for the row": sklazy.LazyKNeighborsRegressor(n_attributes=3),
}
figure, panels = plt.subplots(1, 3, figsize=(9, 3.2), sharey=True, layout="constrained")
for axes, (name, model) in zip(panels, models.items(), strict=True):
    found = model.fit(X[:600], rent[:600]).predict(X[600:])
    error = np.abs(found - rent[600:]).mean()
    axes.axline((0, 0), slope=1, color="0.7", linewidth=1)
    axes.plot(rent[600:], found, ".", markersize=3)
    axes.set(title=name, xlabel=f"rent (off by {error:.0f} on average)")
_ = panels[0].set_ylabel("predicted")

# %%
# On the right, nearly all flats lie on the line, also those with a fixed rent.
#
# For a flat with a sitting tenant, nothing else matters:
flat = X[600:][X["tenant"][600:] == "sitting"][:1]
receipt = models["features chosen for the row"].explain(flat)[0]
print(receipt.to_text().split("LazyKNeighborsRegressor on")[0].strip())
