"""
A local line for each query, through as many neighbors as suit it
=================================================================

A made-up curve: a slow wave on the left, a fast one on the right. The learner is not
told. Each query tries several numbers of neighbors, and keeps the one with which its
neighbors predict each other best.
"""

import matplotlib.pyplot as plt
import numpy as np

from sklazy import LazyLearningRegressor


def wave(x):
    """Slow on the left, four times as fast on the right."""
    return np.where(x < 0.5, np.sin(2 * np.pi * x), np.sin(8 * np.pi * x))


rng = np.random.default_rng(0)
x = np.sort(rng.random(300))
y = wave(x) + 0.15 * rng.standard_normal(300)
model = LazyLearningRegressor(degrees=1, n_neighbors=(8, 80), n_best=1)
model.fit(x[:, None], y)

along = np.linspace(0, 1, 201)
receipts = model.explain(along[:, None], reasons=False)
size = np.array([receipt["targets"][0]["k"] for receipt in receipts])
print(f"neighbors on the left:  {np.median(size[along < 0.45]):.0f} (median)")
print(f"neighbors on the right: {np.median(size[along > 0.55]):.0f}")

# %%
# Above, the predictions with an interval for nine in ten values, and the lines of three
# queries, drawn over the neighbors that they were fitted to. Below, how many these are.
figure, (above, below) = plt.subplots(
    2, 1, figsize=(8, 6), sharex=True, height_ratios=[2, 1], layout="constrained"
)
low, high = model.predict_interval(along[:, None], coverage=0.9).T
above.fill_between(along, low, high, color="0.9", label="90 % interval")
above.plot(x, y, ".", color="0.6", markersize=3, label="cases")
above.plot(along, wave(along), color="0.3", linewidth=1, label="the function")
above.plot(along, [receipt.answer for receipt in receipts], label="predictions")
for query in (0.25, 0.62, 0.87):
    receipt = model.explain([[query]], reasons=False)[0]
    (target,) = receipt["targets"]
    slope = target["coefficients"]["x0"]
    near = x[[case["id"] for case in target["neighbors"]]]
    ends = np.array([near.min(), near.max()])
    above.plot(ends, receipt.answer + slope * (ends - query), color="C3", linewidth=2)
    above.plot(query, receipt.answer, "o", color="C3")
    above.plot(near, np.full(len(near), 1.6), "|", color="C3", markersize=4)
above.legend(loc="lower left", ncols=2, fontsize="small")
above.set_ylabel("y")
below.step(along, size, where="mid")
below.set(xlabel="x", ylabel="neighbors chosen")

# %%
# Where the curve is nearly straight, 40 and more neighbors are taken; where it bends
# sharply, about ten.
