"""How well the audit estimates the number of wrong labels, where they are planted.

    python benchmarks/expected_wrong.py DATA

Eleven tables, at most 1000 rows of each; none, 5 % and 15 % of the labels are exchanged
at random. A line for each: how many were planted, flagged, planted and flagged, and the
estimate `Audit.expected_wrong`. What is flagged without anything planted may be wrong
in the table itself, or unusual: nobody knows.
"""

import sys
import warnings
from pathlib import Path

import numpy as np

import sklazy

TABLES = (
    *("wine", "wdbc", "vehicle", "credit-g", "diabetes", "vote", "segment"),
    *("ionosphere", "car", "heart-c", "breast-w"),
)


def main(folder):
    """Plant wrong labels in every table, and print the estimates."""
    warnings.simplefilter("ignore")
    print("table        planted  flagged  both  estimate")
    for name in TABLES:
        table = sklazy.read_table(Path(folder, "classification", f"{name}.arff"))
        rng = np.random.default_rng(0)
        table = table.take(np.sort(rng.permutation(len(table))[:1000]))
        X, y = table.drop([table.names[-1]]), table.columns[-1].cells()
        for share in (0.0, 0.05, 0.15):
            print(
                f"{name:12} {measure(X, np.array(y, object), share, rng)}", flush=True
            )


def measure(X, y, share, rng):
    """The figures of one table with planted labels."""
    labels, planted = sorted(set(y), key=str), rng.permutation(len(y))
    planted, y = planted[: int(share * len(y))], y.copy()
    for row in planted.tolist():
        y[row] = rng.choice([label for label in labels if label != y[row]])
    report = sklazy.audit(X, y, ids=list(range(len(y))))
    flagged = {one.rows[0] for one in report.of_kind("label")}
    both = len(flagged.intersection(planted.tolist()))
    wrong = report.expected_wrong
    return f"{len(planted):7} {len(flagged):8} {both:5} {wrong:9.0f}"


if __name__ == "__main__":
    main(sys.argv[1])
