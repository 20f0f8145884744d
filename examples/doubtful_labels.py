"""Labels that the other cases contradict: find them, and see who contradicts them.

Run: python examples/doubtful_labels.py [report.html]

Eight labels of the wine data are made wrong, one row is entered twice, and one is typed
with a decimal point in the wrong place. Nothing is told to the audit.
"""

import sys

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine

from sklazy import audit


def main(path: str | None) -> None:
    """Plant errors, look for them, and say what was found."""
    rng = np.random.default_rng(0)
    X, y = load_wine(return_X_y=True, as_frame=True)
    wrong = rng.choice(len(y), 8, replace=False)
    y[wrong] = (y[wrong] + rng.integers(1, 3, 8)) % 3
    X, y = pd.concat([X, X.iloc[[40]]], ignore_index=True), [*y, y[40]]
    X.loc[99, "magnesium"] *= 10

    found = audit(X, y)
    print(found)

    most = np.argsort(-found.doubts)[:8]
    print(f"\nwrong labels among the 8 most doubtful: {len({*most} & {*wrong})} of 8")
    (receipt,) = found.explain(most[:1])
    given, answer = y[most[0]], receipt.answer
    print(f"row {most[0]} says {given}; all others, left to themselves, say {answer}")

    if path is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(found.to_html())
        print(f"the report is in {path}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
