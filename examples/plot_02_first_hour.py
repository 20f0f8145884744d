"""
The first hour: from a file to answers with receipts
====================================================

A file of flats as it is, with labels, numbers and missing cells; no encoder, no scaler.
"""

import importlib.resources
import tempfile
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
# Which method? Measured on these rows.
print(sklazy.advise(X, y, n_folds=3, max_seconds=10).verdict)

# %%
# The rents of new flats.
model = sklazy.LazyKernelRegressor().fit(X, y)
for flat, rent in zip(queries.index[:3], model.predict(queries)[:3], strict=True):
    print(f"{flat}: {rent:.0f}")

# %%
# How good are such answers? Every flat is predicted from all others, for free.
figure, axes = plt.subplots(figsize=(4.5, 4.2), layout="constrained")
axes.axline((y.min(), y.min()), slope=1, color="0.7", linewidth=1)
axes.plot(y, model.loo_predict(), ".", markersize=4)
axes.set(xlabel="rent", ylabel="rent as the other flats have it")

# %%
# Flats like N01, under their own names.
print(model.similar(queries.loc[["N01"]], k=3)[["distance", "area", "rent"]])

# %%
# A palace: the model answers, and says that it should not be trusted.
palace = queries.loc[["N01"]].assign(area=900.0, rooms=40.0)
print(f"novelty {model.novelty(palace)[0]:.2f}")
receipt = model.explain(palace)[0]
print(next(line for line in str(receipt).split("\n") if "unlike all cases" in line))

# %%
# One flat leaves, and with it all that it helped to find.
before = model.digest()
model.forget(["F001"])
print(f"digest {before[:8]} is now {model.digest()[:8]}")

# %%
# Files hold data only, and receipts can be checked by whoever has one.
with tempfile.TemporaryDirectory() as kept:
    model.save(Path(kept) / "rent.sklazy")
    again = sklazy.load(Path(kept) / "rent.sklazy", sklazy.LazyKernelRegressor)
print(f"verified: {again.verify(model.explain(queries.head(1))[0])}")
