"""The time of contributions to one row, beside shap (needs it, in its own environment).

    python benchmarks/reasons_speed.py

1000 rows of 20 numbers, as many as a small business table has. Ours explains the blend,
TreeSHAP a random forest of 100 trees, KernelSHAP our blend with a single background row
and 2088 samples, its default. Processor time, the best of several, in one process.
"""

import time

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from sklazy import LazyClassifier, LazyKernelClassifier


def measure(call, n_times=5):
    """The least processor time of a call, in milliseconds."""
    best = np.inf
    for _ in range(n_times):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return 1e3 * best


def read(model, row):
    """The whole receipt of a row."""
    return model.explain(row)[0].content


def main():
    import shap

    random = np.random.default_rng(0)
    X, rows = random.normal(size=(1000, 20)), random.normal(size=(64, 20))
    y = X[:, 0] + X[:, 1] * X[:, 2] + random.normal(size=1000) * 0.5 > 0
    kernel = LazyKernelClassifier(n_jobs=1).fit(X, y)
    blend = LazyClassifier(n_jobs=1).fit(X, y)
    forest = RandomForestClassifier(100, random_state=0, n_jobs=1).fit(X, y)
    trees = shap.TreeExplainer(forest)
    sampled = shap.KernelExplainer(blend.predict_proba, X.mean(axis=0, keepdims=True))
    calls = {
        "kernel, contributions": lambda: kernel.contributions(rows[:1]),
        "blend, contributions": lambda: blend.contributions(rows[:1]),
        "blend, whole receipt": lambda: read(blend, rows[:1]),
        "TreeSHAP, forest of 100": lambda: trees.shap_values(rows[:1]),
    }
    for call in calls.values():
        call()
    for name, call in calls.items():
        print(f"{name:28} {measure(call):9.2f} ms", flush=True)
    many = {
        "blend, a row of 64": lambda: blend.contributions(rows),
        "TreeSHAP, a row of 64": lambda: trees.shap_values(rows),
    }
    for name, call in many.items():
        print(f"{name:28} {measure(call, 3) / 64:9.2f} ms", flush=True)
    once = measure(lambda: sampled.shap_values(rows[:1], silent=True), 1)
    print(f"{'KernelSHAP, our blend':28} {once:9.2f} ms")


if __name__ == "__main__":
    main()
