"""Rows of any number into the file of an estimator, which was never fitted to them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from sklazy.casebase import outline
from sklazy.casebase.cuts import CRITERIA
from sklazy.casebase.incoming import Target, two_dimensional
from sklazy.casebase.locking import check_unchanged
from sklazy.casebase.outline import Outline
from sklazy.casebase.rows import Ids
from sklazy.casebase.schema import Schema
from sklazy.casebase.spooling import Spool
from sklazy.casebase.writing import write_rows
from sklazy.errors import BadInputError
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.loading import load
from sklazy.estimators.parameters import check_choice
from sklazy.report.progress import Progress, track
from sklazy.tables import Table
from sklazy.tables.origins import expand, origins_of


class Batch(NamedTuple):
    """Some rows: a table, its targets and ids."""

    table: Table
    target: Target
    ids: Ids


def store_rows(
    model: LazyEstimator,
    batches: Iterable[Batch],
    out: str | Path,
    *,
    target: str,
    n_rows: int | None = None,
) -> int:
    """Write the file that `model.fit` to all rows and `save` would write.

    Rows come in batches and are never in memory together; the file is there as a whole
    at the end, or not at all.

    Parameters
    ----------
    model : estimator
        Its parameters; it is not fitted.
    batches : iterable of Batch
        Read as one table would be: all of the same columns, kinds and readings.
    out : str or Path
    target : str
        The name of what is predicted.
    n_rows : int, optional
        How many will come, for the progress that is shown.

    Returns
    -------
    n_rows : int
    """
    model = clone(model)
    model._check_parameters()
    _check_storable(model)
    check_unchanged(out)  # said before much is read
    with Spool(Path(out)) as spool:
        given = _take_in(model, spool, batches, n_rows)
        schema = Schema(
            spool.attributes(),
            spool.named,
            targets=(target,),
            origins=origins_of(given),
        )
        _write(model, spool, schema, given, Path(out))
    return spool.n_rows


def _check_storable(model: LazyEstimator) -> None:
    check_choice("discretization", _criterion(model), tuple(CRITERIA))
    if getattr(model, "window", None) is not None:
        raise BadInputError(
            f"window={model.window!r} forgets rows while they come; store all rows, "
            "or fit the model in memory."
        )


def _criterion(model: LazyEstimator) -> str:
    return getattr(model, "discretization", "fayyad")


def _take_in(
    model: LazyEstimator, spool: Spool, batches: Iterable[Batch], n_rows: int | None
) -> Table:
    """Put all rows in the spool; the columns of the user's."""
    given = Table((), 0)
    with Progress("reading rows", total=n_rows) as progress:
        for batch in batches:
            if not len(batch.table):  # none of some rows has a target
                continue
            given = model._table(batch.table, mixed=False)
            table = expand(given)
            target = two_dimensional(model._target(batch.target))
            spool.add(table, target, batch.ids)
            progress.advance(len(table))
    if not spool.n_rows:
        raise BadInputError("there is no row to store.")
    return given.take(np.zeros(0, np.intp))


def _write(
    model: LazyEstimator, spool: Spool, schema: Schema, given: Table, out: Path
) -> None:
    coder = spool.coder(schema)
    model._check_width(len(schema.attributes))
    model._start(len(given.columns))
    model.__dict__.update(model._kept_beside(np.zeros(1)))
    found = spool.cuts(coder, _criterion(model))
    cuts = list(track(found, "finding cuts", len(coder.numeric)))
    named, n_runs, text_width = spool.names()
    told = Outline(
        coder,
        cuts,
        _criterion(model),
        frozen=getattr(model, "cuts", "exact") == "frozen",
        found=bool(cuts) and bool(coder.n_classes),
        half_life=model._times(None).half_life,
        n_rows=spool.n_rows,
        n_targets=spool.n_targets,
        n_times=0,
        weighted=False,
        named=named,
        n_runs=n_runs,
        text_width=text_width,
        next_id=spool.next_id,
        segment=outline.SEGMENT,
    )
    header = {**model._header(), "cases": told.header()}
    with Progress("writing rows", total=spool.n_rows) as progress:
        batches = _shown(spool.batches(coder), progress)
        write_rows(out, header, told, batches, _check_file)


def _check_file(path: Path) -> None:
    """Refuse what cannot be asked, as `fit` would."""
    load(path, mmap_mode="c")


def _shown(batches: Iterable[Any], progress: Progress) -> Iterable[Any]:
    for batch in batches:
        yield batch
        progress.advance(len(batch))
