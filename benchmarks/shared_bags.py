"""What `share_bags` does to the variance between runs, and to the time.

    python benchmarks/shared_bags.py [set ...]

A set is split in two halves at random, twice; each time `LazyBaggingClassifier`
(L = 10) learns one half and predicts the other under 24 random states, once with bags
drawn for each query, once with bags that share what is drawn from all rows. Shown are
the mean accuracy, its standard deviation over the random states (variances averaged
over the splits), how often two random states give a query the same class, and the time
of a query.
"""

import sys
import time

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.model_selection import train_test_split

from sklazy import LazyBaggingClassifier
from sklazy_studies.harness.catalog import find_known
from sklazy_studies.harness.data import data_folder, load_set

SETS = "car", "kr-vs-kp", "tic-tac-toe"
SPLITS, STATES = range(2), range(24)


def main(names):
    heads = "accuracy", "sd between runs", "agreement", "us a query"
    table = Table("set", "bags", *heads, "variance, times own", box=None)
    for name in names:
        data = load_set(find_known(name), data_folder())
        rows = {share: measure(data, share) for share in (False, True)}
        times = (rows[True][1] / rows[False][1]) ** 2
        for share, (mean, deviation, agreement, cost) in rows.items():
            bags, last = ("shared", f"{times:.2f}") if share else ("own", "")
            cells = f"{mean:.4f}", f"{deviation:.5f}", f"{agreement:.4f}"
            table.add_row(name, bags, *cells, f"{cost:.0f}", last)
    Console(width=100).print(table)


def measure(data, share):
    """Mean accuracy, its deviation between runs, agreement, time of a query."""
    X, y = data.table, np.asarray(data.classes)
    runs, cost = [], np.inf
    for split in SPLITS:
        rows = np.arange(len(y))
        train, test = train_test_split(rows, test_size=0.5, random_state=split)
        answers = []
        for state in STATES:
            model = LazyBaggingClassifier(share_bags=share, random_state=state)
            model.fit(X.take(train), y[train])
            begin = time.process_time()
            answers.append(model.predict(X.take(test)))
            cost = min(cost, (time.process_time() - begin) / len(test))
        runs.append(summarize(np.array(answers), y[test]))
    mean, variance, agreement = np.mean(runs, axis=0)
    return mean, np.sqrt(variance), agreement, 1e6 * cost


def summarize(answers, truth):
    """Mean and variance of the accuracy, and agreement, of runs on one split."""
    accuracies = (answers == truth).mean(axis=1)
    agreement = (answers[::2] == answers[1::2]).mean()
    return accuracies.mean(), accuracies.var(ddof=1), agreement


if __name__ == "__main__":
    main(sys.argv[1:] or SETS)
