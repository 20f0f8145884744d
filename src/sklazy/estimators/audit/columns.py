"""Columns that name the rows, or tell the target by themselves."""

from collections.abc import Iterator

import numpy as np

from sklazy.casebase import CaseBase
from sklazy.casebase.magnitudes import find_unit
from sklazy.estimators.audit.finding import Finding
from sklazy.measures.leaks import tell_class, tell_number, tell_number_by_label
from sklazy.tables import Table
from sklazy.tables.naming import names_rows

_FEWEST = 10  # known cells, below which nothing is said of a column
_TELLING = 0.98  # the share of the target that a column must tell


def list_columns(table: Table, base: CaseBase) -> list[Finding]:
    """Findings for columns.

    Parameters
    ----------
    table : Table
        The columns as the user has them, those set aside among them.
    base : CaseBase
        What is learned from.
    """
    naming = list(_naming(table))
    named = {one.column for one in naming}
    telling = [one for one in _telling(base) if one.column not in named]
    return naming + sorted(telling, key=lambda one: -one.score)


def _naming(table: Table) -> Iterator[Finding]:
    for column in filter(names_rows, table):
        known = column.data[~column.missing]
        share = len(np.unique(known)) / len(known)
        evidence = {"problem": "names the rows", "share": share}
        yield Finding("column", (), share, column=column.name, evidence=evidence)


def _telling(base: CaseBase) -> Iterator[Finding]:
    for j, name in enumerate(base.names):
        share = share_told(base, j)
        if share >= _TELLING and base.n_rows >= _FEWEST:
            evidence = {"problem": "tells the target", "share": share}
            yield Finding("column", (), share, column=name, evidence=evidence)


def share_told(base: CaseBase, j: int) -> float:
    """How much of the target an attribute tells by itself, each row left out."""
    cases, order = base.cases, base.order
    if base.class_labels:
        counts = cases.counts[cases.offsets[j] : cases.offsets[j + 1]]
        return tell_class(counts, cases.class_counts)
    targets = cases.targets[0, order]
    targets = targets * find_unit(targets)
    if cases.numeric[j] >= 0:
        return tell_number(cases.numbers[cases.numeric[j], order], targets)
    return tell_number_by_label(cases.codes[j, order], targets)
