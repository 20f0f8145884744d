"""A wavy function, the local line at three queries, and k against x.

    python examples/local_regression.py [picture.png]

The left half of the function is a slow wave, the right half a fast one. Nobody tells
the learner: it takes many neighbors where the function is straight and few where it
bends, because each query asks its own neighbors how well they predict each other.
"""

import sys

import matplotlib as mpl
import numpy as np

from sklazy import LazyLearningRegressor

mpl.use("Agg")
import matplotlib.pyplot as plt

QUERIES = (0.25, 0.62, 0.87)


def wave(x):
    """Slow on the left, four times as fast on the right."""
    return np.where(x < 0.5, np.sin(2 * np.pi * x), np.sin(8 * np.pi * x))


def main(path):
    """Fit, ask along x, and draw."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.random(300))
    y = wave(x) + 0.15 * rng.standard_normal(300)
    model = LazyLearningRegressor(degrees=1, n_neighbors=(8, 80), n_best=1)
    model.fit(x[:, None], y)

    along = np.linspace(0, 1, 201)
    receipts = model.explain(along[:, None])
    size = np.array([receipt["targets"][0]["k"] for receipt in receipts])
    print(f"neighbors on the left:  {np.median(size[along < 0.45]):.0f} (median)")
    print(f"neighbors on the right: {np.median(size[along > 0.55]):.0f}")

    figure, (above, below) = plt.subplots(
        2, 1, figsize=(8, 6), sharex=True, height_ratios=[2, 1], layout="constrained"
    )
    low, high = model.predict_interval(along[:, None], coverage=0.9).T
    above.fill_between(along, low, high, color="0.9", label="90 % interval")
    above.plot(x, y, ".", color="0.6", markersize=3, label="cases")
    above.plot(along, wave(along), color="0.3", linewidth=1, label="the function")
    above.plot(along, [r.answer for r in receipts], label="predictions")
    for query in QUERIES:
        draw_line(above, model.explain([[query]])[0], x)
    above.legend(loc="lower left", ncols=2, fontsize="small")
    above.set_ylabel("y")
    below.step(along, size, where="mid")
    below.set(xlabel="x", ylabel="neighbors chosen")
    figure.savefig(path, dpi=120)
    print(f"drawn in {path}")


def draw_line(axes, receipt, x):
    """The local line of a query over its neighbors, which are marked."""
    (target,) = receipt["targets"]
    query, slope = receipt.query["x0"], target["coefficients"]["x0"]
    near = x[[case["id"] for case in target["neighbors"]]]
    ends = np.array([near.min(), near.max()])
    axes.plot(ends, receipt.answer + slope * (ends - query), color="C3", linewidth=2)
    axes.plot(query, receipt.answer, "o", color="C3")
    axes.plot(near, np.full(len(near), 1.6), "|", color="C3", markersize=4)
    error = target["error"]
    print(f"x = {query}: k = {target['k']}, slope {slope:.1f}, error {error:.2f}")


if __name__ == "__main__":
    main(sys.argv[1] if sys.argv[1:] else "local_regression.png")
