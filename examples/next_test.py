"""Which test to order next: for this patient, given what is known and what tests cost.

Run: python examples/next_test.py

The breast cancer data, as if each measurement were a test of its own that somebody has
to pay for. Means are cheap, worst values cost three times as much.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer

from sklazy import LazyNBClassifier


def main() -> None:
    """Ask for one patient, then play it on many."""
    data = load_breast_cancer(as_frame=True)
    X, y = data.data, data.target_names[data.target]
    costs = {name: 3.0 if name.startswith("worst") else 1.0 for name in X}
    model = LazyNBClassifier(selection="none").fit(X.iloc[:400], y[:400])

    patient = X.iloc[[406]].copy()
    patient.loc[:, [name for name in X if name != "mean texture"]] = np.nan
    (suggestion,) = model.suggest_attribute(patient, costs)
    print(suggestion)

    game = model.acquire(X.iloc[400:], budget=12.0, costs=costs)
    right = game.score(y[400:])
    spent = game.spent.mean(axis=0)
    print("\nof 169 patients right, after tests worth so much each:")
    for n_tests in (0, 1, 2, 4, game.attributes.shape[1]):
        print(f"  {n_tests:2d} tests, {spent[n_tests]:4.1f}: {right[n_tests]:.1%}")
    print(f"  all 30, 50.0: {(model.predict(X.iloc[400:]) == y[400:]).mean():.1%}")


if __name__ == "__main__":
    main()
