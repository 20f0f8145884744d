"""How the cost of a query grows with the rows and with the attributes it uses.

    python benchmarks/cost_growth.py [picture.png]

Prints microseconds a query (best of several batches of 500) and draws them. A cost that
is linear in rows and in attributes gives straight lines of slope one, once the rows are
more than what a batch costs anyway.
"""

import sys
import time

import matplotlib
import numpy as np

from sklazy import LazyKNeighborsClassifier

matplotlib.use("Agg")
import matplotlib.pyplot as plt

N_QUERIES, REPETITIONS = 500, 5
ROWS = [12_500, 25_000, 50_000, 100_000, 200_000, 400_000]
USED = [4, 8, 16, 32, 64]


def main(path):
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    for kind, color in (("nominal", "#1f6fb5"), ("numeric", "#c44e52")):
        by_rows = [cost(kind, n, 16, 8) for n in ROWS]
        by_used = [cost(kind, 100_000, 64, r) for r in USED]
        print(kind, "by rows", dict(zip(ROWS, np.round(by_rows, 1), strict=True)))
        print(kind, "by attributes", dict(zip(USED, np.round(by_used, 1), strict=True)))
        for axis, xs, ys in ((axes[0], ROWS, by_rows), (axes[1], USED, by_used)):
            axis.loglog(xs, ys, "o-", color=color, label=kind)
            axis.loglog(xs, ys[-1] * np.array(xs) / xs[-1], ":", color=color)
            axis.set_xticks(xs, [f"{x:,}".replace(",", " ") for x in xs], fontsize=7)
            axis.minorticks_off()
    axes[0].set(xlabel="rows (8 of 16 attributes used)", ylabel="microseconds a query")
    axes[1].set(xlabel="attributes used, of 64 (100 000 rows)")
    axes[0].legend(frameon=False, title="dotted: proportional")
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def cost(kind, n_rows, n_attributes, n_used):
    """Microseconds a query, in a batch."""
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 3, n_rows)
    if kind == "nominal":
        make = lambda n: rng.integers(0, 6, (n, n_attributes))  # noqa: E731
        settings = {"categorical_features": list(range(n_attributes))}
    else:
        make = lambda n: rng.standard_normal((n, n_attributes))  # noqa: E731
        settings = {"discretize": False}
    model = LazyKNeighborsClassifier.paper(n_attributes=n_used, **settings)
    model.fit(make(n_rows), classes)
    queries = make(N_QUERIES)
    model.predict(queries)
    best = np.inf
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        model.predict(queries)
        best = min(best, time.perf_counter() - start)
    return best / N_QUERIES * 1e6


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "cost_growth.png")
