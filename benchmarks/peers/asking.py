"""What every probe of a peer uses: the tables asked about, and how cells are noted.

A probe runs in an environment that has the peer and not sklazy. It prints its cells as
JSON in its last line: question, answer, and what was seen.
"""

import json
import pkgutil
import sys

import numpy as np
import pandas as pd

CELLS = {}


def note(question, answer, seen):
    """Keep the answer to a question, and what it rests on."""
    CELLS[question] = {"answer": answer, "seen": " ".join(str(seen).split())[:160]}


def claim(question, answer, holds, seen):
    """Keep an answer that was tried; stop if it does not hold."""
    if not holds:
        raise AssertionError(f"{question}: {answer!r} does not hold: {seen}")
    note(question, answer, seen)


def finish():
    """Print all cells for whoever started the probe."""
    print(json.dumps(CELLS))
    sys.stdout.flush()


def mixed_table(n_rows=120):
    """A frame of numbers, labels and a missing label, and two classes."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 60, n_rows).astype(float)})
    frame["town"] = rng.choice(["Ulm", "Jena", "Bonn"], n_rows)
    frame.loc[3, "town"] = None
    frame.loc[5, "age"] = np.nan
    return frame, np.where(rng.random(n_rows) < 0.3 + 0.4 * (frame.town == "Ulm"), 1, 0)


def tied_table(n_rows=200):
    """Few whole numbers, so that many distances are equal, and two classes."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (n_rows, 4)).astype(float)
    return X, (X[:, 0] + X[:, 1] * (X[:, 2] > 0) + rng.random(n_rows) > 2.2).astype(int)


def count_moved(fit, X, y):
    """How many labels change when the training rows are shuffled."""
    order = np.random.default_rng(2).permutation(len(y))
    return int(np.sum(fit(X, y).predict(X) != fit(X[order], y[order]).predict(X)))


def refuses(call):
    """The reason why a call fails, or None."""
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def lacks(question, package, words):
    """Note "no" if no public name of the package, two levels down, has such a word."""
    found = sorted(
        name
        for name in public_names(package)
        if any(word in name.lower() for word in words)
    )
    if found:
        note(question, "?", f"names to look at: {', '.join(found)}")
    else:
        note(question, "no", f"no public name has {', '.join(words)}")


def public_names(package):
    """The public names of a package, of its modules, and of their classes."""
    names = set()
    for module in [package, *import_below(package)]:
        for name, value in list(vars(module).items()):
            if name.startswith("_"):
                continue
            names.add(name)
            if isinstance(value, type) and value.__module__.startswith(
                package.__name__
            ):
                names.update(n for n in dir(value) if not n.startswith("_"))
    return names


def import_below(package):
    """The modules of a package that can be imported, but for tests."""
    for found in pkgutil.iter_modules(getattr(package, "__path__", [])):
        if not found.name.startswith(("_", "test", "conftest")):
            try:
                yield __import__(f"{package.__name__}.{found.name}", fromlist=["x"])
            except Exception:  # an optional part whose needs are not installed
                continue
