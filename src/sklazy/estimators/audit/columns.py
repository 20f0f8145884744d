"""Columns that name the rows, or predict the target by themselves."""

from collections.abc import Iterator

import numpy as np

from sklazy.casebase import CaseBase
from sklazy.estimators.audit.finding import Finding
from sklazy.measures.leaks import (
    explained_by_label,
    explained_errors,
    explained_variance,
)
from sklazy.measures.magnitudes import find_unit
from sklazy.tables import Table
from sklazy.tables.naming import names_rows

_FEWEST = 10  # known cells, below which a column is not judged
_TELLING = 0.98  # the share of the target that a column must explain


def list_columns(table: Table, base: CaseBase) -> list[Finding]:
    """List findings for the user's columns, those set aside among them."""
    naming = list(_find_naming(table))
    named = {one.column for one in naming}
    telling = [one for one in _find_telling(base) if one.column not in named]
    return naming + sorted(telling, key=lambda one: -one.score)


def _find_naming(table: Table) -> Iterator[Finding]:
    for column in filter(names_rows, table):
        known = column.data[~column.missing]
        share = len(np.unique(known)) / len(known)
        evidence = {"problem": "names the rows", "share": share}
        yield Finding("column", (), share, column=column.name, evidence=evidence)


def _find_telling(base: CaseBase) -> Iterator[Finding]:
    for j, name in enumerate(base.names):
        share = share_explained(base, j)
        if share >= _TELLING and base.n_rows >= _FEWEST:
            evidence = {"problem": "tells the target", "share": share}
            yield Finding("column", (), share, column=name, evidence=evidence)


def share_explained(base: CaseBase, j: int) -> float:
    """How much of the target an attribute explains alone, each row left out."""
    cases, order = base.cases, base.order
    if base.class_labels:
        counts = cases.counts[cases.offsets[j] : cases.offsets[j + 1]]
        return explained_errors(counts, cases.class_counts)
    targets = cases.targets[0, order]
    targets = targets * find_unit(targets)
    if cases.numeric[j] >= 0:
        return explained_variance(cases.numbers[cases.numeric[j], order], targets)
    return explained_by_label(cases.codes[j, order], targets)
