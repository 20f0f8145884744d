"""Rows to erase, in the files that hold them: a model's own, and copies of it."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sklazy.casebase.incoming import IdsLike, as_ids, slots_of
from sklazy.casebase.rows import Ids
from sklazy.errors import DataWarning, UnknownIdError
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.erasure.traces import NO_TRACES, Traces, find_traces
from sklazy.estimators.loading import load


class HeldRows(NamedTuple):
    """Those of some rows that a file has, and the model's digest with them."""

    path: Path
    names: Ids
    digest: str
    traces: Traces


def hold_rows(path: Path, names: Ids) -> HeldRows:
    """Look up which of some rows a file has."""
    base = load(path).cases_.joined()
    known = set(base.ids.tolist())
    there = as_ids([one for one in names.tolist() if one in known])
    if not len(there):
        return HeldRows(path, there, base.digest(), NO_TRACES)
    traces = find_traces(base, slots_of(there, base.ids))
    return HeldRows(path, there, base.digest(), traces)


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
        f"ids={absent[:5]} are not in {own.path}; nothing was erased. If they were "
        "erased before, to search again give copies=[FILE] (--copy FILE), the model as "
        "it was then: a backup, or one made of the rows by sklazy.load(path)."
        "partial_fit(rows, y, ids=ids).save(FILE)."
    )


def _digest_without(copy: HeldRows) -> str:
    """The digest of a copy without the rows; its file stays as it is."""
    model: LazyEstimator = load(copy.path)
    forget_quietly(model, copy.names)
    return model.digest()
