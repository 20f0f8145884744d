"""Who says so? The receipt of a blend, on wine.

    python examples/blend_receipt.py [receipt.html]

Three members of different kinds answer, each counts by how it did on cases that it had
not seen, and each gives its own reasons: the paths, the cases that speak for and
against, the terms of the line.
"""

import sys
from pathlib import Path

from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier

from sklazy import LazyBlendClassifier


def main(path):
    """Fit, ask about one wine, and show who said what."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    forest = RandomForestClassifier(50)  # any model may sit in, by out-of-fold answers
    model = LazyBlendClassifier([("forest", forest)]).fit(X[::2], y[::2])
    for name, weight in model.weights_.items():
        print(f"{name:10s} counts {weight:.2f}")
    right = model.score(X[1::2], y[1::2])
    left_out = (model.loo_predict() == y[::2]).mean()
    print(f"right in {right:.1%} of new wines, {left_out:.1%} left out\n")

    receipt = model.explain(X[61:62])[0]
    print(receipt)
    print("replays:", model.verify(receipt))
    if path:
        Path(path).write_text(receipt.to_html(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1] if sys.argv[1:] else "")
