"""
A number from the attributes that matter for the row
====================================================

The rent of a flat hangs on its size and its view, unless the flat is a shell or has a
sitting tenant, whose rent is fixed; eight more columns are noise. Plain nearest
neighbors compare flats in everything, a choice for all flats overlooks what matters
for few. Lazy selection takes, for each flat, the attributes by whose values the rent
varies least.
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
    "all attributes": {"selection": "none"},
    "three, the same for all": {"selection": "eager", "n_attributes": 3},
    "three of the row's own": {"n_attributes": 3},
}
fitted = {
    name: sklazy.LazyKNeighborsRegressor(**how).fit(X[:600], rent[:600])
    for name, how in models.items()
}
off = {
    name: np.abs(model.predict(X[600:]) - rent[600:]).mean()
    for name, model in fitted.items()
}
figure, axes = plt.subplots(figsize=(6, 1.9), layout="constrained")
bars = axes.barh(list(off), list(off.values()), color="#4878a8")
axes.bar_label(bars, fmt="%.0f", padding=3)
axes.set(xlabel="off by, on average", xlim=(0, 1.1 * max(off.values())))
axes.invert_yaxis()

# %%
# A flat with a sitting tenant: nothing else matters much, and the receipt says so.
flat = X[600:][X["tenant"][600:] == "sitting"][:1]
receipt = fitted["three of the row's own"].explain(flat)[0]
print(receipt.to_text().split("LazyKNeighborsRegressor on")[0].strip())
