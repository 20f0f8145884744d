"""
The first hour: from a file to predictions with receipts
========================================================

The rents of 200 flats, from a file with labels, numbers and missing cells. It is used
as it is: without an encoder or a scaler.
"""

import importlib.resources
import tempfile
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt

import sklazy

folder = importlib.resources.files("sklazy") / "examples"
flats = sklazy.read_table(folder / "flats.csv", kinds={"flat": "nominal"})
new = sklazy.read_table(folder / "new-flats.csv", kinds={"flat": "nominal"})
names = [name for name in flats.names if name not in ("flat", "rent")]
X = flats.to_pandas().set_index("flat")[names]
y = flats.to_pandas().set_index("flat")["rent"]
queries = new.to_pandas().set_index("flat")[names]

# %%
# Which method is the best here? `advise` measures it on these rows.
print(textwrap.fill(sklazy.advise(X, y, n_folds=3, max_seconds=10).verdict))

# %%
# The rents of new flats.
model = sklazy.LazyKernelRegressor().fit(X, y)
for flat, rent in zip(queries.index[:3], model.predict(queries)[:3], strict=True):
    print(f"{flat}: {rent:.0f}")

# %%
# How good are such predictions? Each flat is predicted from the 199 others. A lazy
# model does this at hardly any cost.
figure, axes = plt.subplots(figsize=(4.5, 4.2), layout="constrained")
axes.axline((y.min(), y.min()), slope=1, color="0.7", linewidth=1)
axes.plot(y, model.loo_predict(), ".", markersize=4)
axes.set(xlabel="rent", ylabel="predicted from the other flats")

# %%
# The points lie along the line: the model is off by about 5 % of a typical rent.

# %%
# The known flats most like N01, with their rents.
print(model.similar(queries.loc[["N01"]], k=3)[["distance", "area", "rent"]])

# %%
# A flat of 900 square meters is unlike all others. The model predicts a rent, and warns
# that it should not be trusted.
palace = queries.loc[["N01"]].assign(area=900.0, rooms=40.0)
print(f"novelty {model.novelty(palace)[0]:.2f}")
receipt = model.explain(palace)[0]
print(next(line for line in str(receipt).split("\n") if "unlike all cases" in line))

# %%
# Flat F001 is erased, with all that was derived from it. The digest, a fingerprint of
# the model's state, changes.
before = model.digest()
model.forget(["F001"])
print(f"digest {before[:8]} is now {model.digest()[:8]}")

# %%
# A model is saved as plain data, without pickle. Whoever has the file can check
# receipts.
with tempfile.TemporaryDirectory() as kept:
    model.save(Path(kept) / "rent.sklazy")
    again = sklazy.load(Path(kept) / "rent.sklazy", sklazy.LazyKernelRegressor)
print(f"verified: {again.verify(model.explain(queries.head(1))[0])}")
