"""Lazy selection in a hierarchy of attributes: ``python -m ... [DATA]``.

Wan and Freitas select terms of the gene ontology, whose sets are not at hand. Here the
hierarchy is of thresholds: each number becomes seven attributes, above its first
octile to above its last; above a higher one implies above each lower one.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sklazy import LazyKNeighborsClassifier, LazyNBClassifier
from sklazy.cli.folds import class_folds
from sklazy_studies.harness.catalog import find_known
from sklazy_studies.harness.data import data_folder, load_set

SETS = ("glass", "sonar", "ionosphere", "diabetes", "vehicle", "vowel", "wine")
N_STEPS = 7

WAYS: dict[str, dict[str, Any]] = {
    "all": {"selection": "none"},
    "lazy, 30 %": {"selection": "lazy", "n_attributes": 0.3},
    "lazy, wrapper": {"selection": "lazy", "n_attributes": "auto"},
    "lazy-hip": {"selection": "lazy-hip"},
}
HOSTS = {
    "naive Bayes": LazyNBClassifier.paper(n_jobs=1),
    "3-NN": LazyKNeighborsClassifier.paper(n_neighbors=3, n_jobs=1),
}


def to_steps(numbers: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """Attributes above and below thresholds, and the parents of each.

    Examples
    --------
    >>> steps, parents = to_steps(pd.DataFrame({"a": range(8)}))
    >>> steps.iloc[4].astype(int).tolist()
    [1, 1, 1, 1, 0, 0, 0]
    >>> parents["a above 2"]
    ['a above 1']
    """
    columns: dict[str, Any] = {}
    parents = {}
    for name, column in numbers.items():
        cuts = np.unique(column.quantile(np.arange(1, N_STEPS + 1) / (N_STEPS + 1)))
        for i, cut in enumerate(cuts, 1):
            columns[f"{name} above {i}"] = column > cut
            if i > 1:
                parents[f"{name} above {i}"] = [f"{name} above {i - 1}"]
    return pd.DataFrame(columns), parents


def compare(name: str, folder: Path) -> dict[tuple[str, str], float]:
    """Accuracy in percent over ten folds, by host and way."""
    data = load_set(find_known(name), folder)
    numbers = data.table.to_pandas().select_dtypes("number")
    classes = np.asarray(data.classes.cells())
    X, parents = to_steps(numbers)
    folds = class_folds(data.classes.data, 10, 1)
    right = dict.fromkeys([(host, way) for host in HOSTS for way in WAYS], 0)
    for fold in range(10):
        test = folds == fold
        for host, way in right:
            hierarchy = parents if way == "lazy-hip" else None
            model = HOSTS[host].set_params(**WAYS[way], hierarchy=hierarchy)
            answers = model.fit(X[~test], classes[~test]).predict(X[test])
            right[host, way] += int((answers == classes[test]).sum())
    return {key: 100 * count / len(classes) for key, count in right.items()}


def lines(folder: Path) -> Iterator[str]:
    """The table of the study, as Markdown."""
    heads = [f"{host}, {way}" for host in HOSTS for way in WAYS]
    yield f"| set | {' | '.join(heads)} |"
    yield f"|---{'|---:' * len(heads)}|"
    rows = {name: list(compare(name, folder).values()) for name in SETS}
    rows["mean"] = np.mean(list(rows.values()), axis=0).tolist()
    for name, figures in rows.items():
        yield f"| {name} | {' | '.join(f'{x:.1f}' for x in figures)} |"


if __name__ == "__main__":
    for line in lines(data_folder(sys.argv[1] if len(sys.argv) > 1 else None)):
        sys.stdout.write(line + "\n")
