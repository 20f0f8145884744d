"""The ways of some calls on models of one small table, as JSON; run as a script.

In a process of its own, since numpy does small jobs until a kernel is compiled: what
other tests compiled would change the ways.
"""

import json
import sys

import numpy as np

import sklazy
from house import trace_way


def make_calls():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)).round(1)
    y = rng.choice(["a", "b"], 60)
    models = (
        sklazy.LazyKNeighborsClassifier(n_jobs=1),
        sklazy.LazyStackingClassifier(n_estimators=5, random_state=0, n_jobs=1),
    )
    nearest, stacking = (model.fit(X, y) for model in models)
    return {
        "k-NN predict": lambda: nearest.predict(X[:3]),
        "stacking predict": lambda: stacking.predict(X[:2]),
        "k-NN explain": lambda: nearest.explain(X[:1]),
    }


if __name__ == "__main__":
    ways = {name: trace_way(call) for name, call in make_calls().items()}
    sys.stdout.write(json.dumps(ways))
