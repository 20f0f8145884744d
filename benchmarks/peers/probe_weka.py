"""Weka's k-NN, run by Java; the jar is in $WEKA_JAR."""

import os
import subprocess
import tempfile
from pathlib import Path

import asking
import numpy as np

JAR = os.environ["WEKA_JAR"]


def run(*arguments, tool="java"):
    """Run a class of Weka; what it printed."""
    command = [tool, "-cp", JAR, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout


def write(path, X, y):
    """Write a table as ARFF."""
    lines = ["@relation t", *(f"@attribute a{j} numeric" for j in range(X.shape[1]))]
    lines += ["@attribute class {0,1}", "@data"]
    lines += [
        ",".join(map(str, [*row, label])) for row, label in zip(X, y, strict=True)
    ]
    path.write_text("\n".join(lines))


def classify(folder, X, y, queries):
    """The classes that IBk predicts, by its command line."""
    write(folder / "train.arff", X, y)
    write(folder / "test.arff", queries, np.zeros(len(queries), int))
    options = ["-K", "5", "-t", str(folder / "train.arff"), "-T"]
    lines = run(
        "weka.classifiers.lazy.IBk", *options, str(folder / "test.arff"), "-p", "0"
    )
    return [
        line.split()[2] for line in lines.splitlines() if line[:6].strip().isdigit()
    ]


frame, y = asking.mixed_table()
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    rows = ["@relation m", "@attribute age numeric", "@attribute town {Ulm,Jena,Bonn}"]
    rows += ["@attribute class {0,1}", "@data"]
    for age, town, label in zip(frame.age, frame.town, y, strict=True):
        cells = ["?" if cell != cell or cell is None else cell for cell in (age, town)]
        rows.append(f"{cells[0]},{cells[1]},{label}")
    (folder / "mixed.arff").write_text("\n".join(rows))
    text = run("weka.classifiers.lazy.IBk", "-t", str(folder / "mixed.arff"), "-x", "2")
    asking.note("mixed", "yes", text.split("\n", 1)[0] or "cross-validated")
    X, labels = asking.tied_table()
    order = np.random.default_rng(2).permutation(len(labels))
    one = classify(folder, X, labels, X)
    two = classify(folder, X[order], labels[order], X)
    moved = sum(a != b for a, b in zip(one, two, strict=True))
    asking.note("ties", "no" if moved else "yes", f"{moved} of {len(one)} change")
shown = run("weka.classifiers.lazy.IBk", tool="javap")
is_open = "UpdateableClassifier" in shown
asking.note("add", "yes, `updateClassifier`" if is_open else "no", is_open)
asking.note("erase", "the oldest leave the window", "setWindowSize" in shown)
asking.note("loo", "to choose k", "setCrossValidate" in shown)
asking.note("selects", "rules of LBR, a package of its own", "not in weka.jar")
names = subprocess.run(["unzip", "-Z1", JAR], capture_output=True, text=True).stdout
for question, word in {
    "coverage": "onformal",
    "labels": "LabelIssue",
    "next": "Acquisition",
    "values": "Shapley",
    "reasons": "Explain",
}.items():
    has = [line for line in names.splitlines() if word in line]
    asking.note(question, "?" if has else "no", has or f"no class has {word}")
filters = [line for line in names.splitlines() if "ReplaceMissingValues.class" in line]
asking.note("impute", "mean and mode, a filter", filters[:1])
asking.finish()
