"""Rows to erase, in the files that hold them: a model's own, and copies of it."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sklazy.casebase import CaseBase
from sklazy.casebase.incoming import IdsLike, as_ids, slots_of
from sklazy.casebase.rows import CLASSES, Ids, Places
from sklazy.errors import DataWarning, UnknownIdError, warn_once
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.erasure.traces import NO_TRACES, Traces, find_traces
from sklazy.estimators.loading import load

_MOST_ALIKE = 5  # ids in a message


class HeldRows(NamedTuple):
    """Those of some rows that a file has, and the model's digest with them.

    Files change in place but where all rows are weighed by each other.
    """

    path: Path
    names: Ids
    digest: str
    traces: Traces
    changes_in_place: bool


def hold_rows(path: Path, names: Ids) -> HeldRows:
    """Look up which of some rows a file has."""
    base = load(path).cases_.joined()
    known = set(base.ids.tolist())
    there = as_ids([one for one in names.tolist() if one in known])
    in_place = not base.schema.balanced
    if not len(there):
        return HeldRows(path, there, base.digest(), NO_TRACES, in_place)
    places = slots_of(there, base.ids)
    _warn_of_declared(base, places)
    traces = find_traces(base, places)
    return HeldRows(path, there, base.digest(), traces, in_place)


def _warn_of_declared(base: CaseBase, places: Places) -> None:
    """Warn of labels that stay without rows, as a column of a frame declares them."""
    codes, staying = {CLASSES: base.rows.classes}, np.ones(base.n_rows, bool)
    codes |= {j: base.rows.codes[j] for j in base.coder.nominal}
    staying[places] = False
    for j, vocabulary in base.coder.vocabularies.items():
        cells = codes[j][: base.n_rows]
        only = np.setdiff1d(cells[places], cells[staying])
        labels = [
            vocabulary.labels[code]
            for code in only.tolist()
            if 0 <= code < vocabulary.declared
        ]
        if labels:
            name = "the target" if j == CLASSES else f"column {base.names[j]!r}"
            warn_once(
                f"the labels {labels[:5]} are categories that {name} declares: they "
                "stay in the file, though no other row has them. If one names a "
                "person, fit the model again without that category."
            )


def forget_quietly(model: LazyEstimator, names: IdsLike) -> None:
    """Forget rows; frozen cuts are found anew, as they may stem from them."""
    is_frozen = model.cases_.bins.frozen
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "cuts='frozen'", DataWarning)
        model.forget(names)
    if is_frozen:
        model.refresh()


def find_digest_before(held: Sequence[HeldRows], names: Ids) -> str:
    """Find the digest of a model with all of some rows: in its file, or in a copy."""
    own, *copies = held
    if len(own.names) == len(names):
        return own.digest
    if not len(own.names):
        for copy in copies:
            if len(copy.names) == len(names) and _digest_without(copy) == own.digest:
                return copy.digest
    absent = np.setdiff1d(names, own.names).tolist()
    raise UnknownIdError(
        f"ids={absent[:5]} are not in {own.path}; nothing was erased."
        f"{_name_alike(own, absent)} If they were "
        "erased before, to search again give copies=[FILE] (--copy FILE), the model as "
        "it was then: a backup, or one made of the rows by sklazy.load(path)."
        "partial_fit(rows, y, ids=ids).save(FILE)."
    )


def _name_alike(own: HeldRows, absent: Sequence[int | str]) -> str:
    """Name ids that begin with one that is absent, such as rows of one person."""
    known = load(own.path).ids_.tolist()
    wanted = tuple(one for one in absent if isinstance(one, str) and one)
    alike = [one for one in known if isinstance(one, str) and one.startswith(wanted)]
    if not (wanted and alike):
        return ""
    more = f" and {len(alike) - _MOST_ALIKE} more" if len(alike) > _MOST_ALIKE else ""
    return f" There are {', '.join(map(repr, alike[:_MOST_ALIKE]))}{more}."


def _digest_without(copy: HeldRows) -> str:
    """The digest of a copy without the rows; its file stays as it is."""
    model: LazyEstimator = load(copy.path)
    forget_quietly(model, copy.names)
    return model.digest()
