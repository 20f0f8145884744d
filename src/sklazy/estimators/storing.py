"""Rows of any number into the file of an estimator, which was never fitted to them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from sklazy.casebase.cuts import CRITERIA
from sklazy.casebase.incoming import Target, two_dimensional
from sklazy.casebase.rows import Ids
from sklazy.casebase.schema import Schema
from sklazy.errors import BadInputError
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.keeping import criterion_of, read_first, read_times
from sklazy.estimators.loading import load
from sklazy.estimators.parameters import check_choice
from sklazy.estimators.state import describe_model, set_initial_state
from sklazy.report.progress import Progress, track
from sklazy.storage import outline
from sklazy.storage.locking import check_unchanged
from sklazy.storage.outline import Outline
from sklazy.storage.spooling import Spool
from sklazy.storage.writing import write_rows
from sklazy.tables import Table
from sklazy.tables.origins import expand_columns, origins_of


class RowBatch(NamedTuple):
    """Some rows: a table, its targets and ids."""

    table: Table
    target: Target
    ids: Ids


def store_rows(
    model: LazyEstimator,
    batches: Iterable[RowBatch],
    out: str | Path,
    *,
    target: str,
    n_rows: int | None = None,
) -> int:
    """Write the file that `model.fit` to all rows and `save` would write.

    Rows come in batches, read as one table would be, and are never in memory together.
    The file is complete at the end, or does not exist. The model is not fitted.

    Parameters
    ----------
    model : estimator
    batches : iterable of RowBatch
    out : str or Path
    target : str
        The name of what is predicted.
    n_rows : int, optional
        How many will come, for the progress bar.

    Returns
    -------
    n_rows : int
    """
    model = clone(model)
    model._check_parameters()
    _check_storable(model)
    check_unchanged(out)  # checked before much is read
    with Spool(Path(out)) as spool:
        as_read = _spool_rows(model, spool, batches, n_rows)
        schema = Schema(
            spool.attributes(),
            spool.named,
            targets=(target,),
            origins=origins_of(as_read),
        )
        _write_file(model, spool, schema, as_read, Path(out))
    return spool.n_rows


def _check_storable(model: LazyEstimator) -> None:
    check_choice("discretization", criterion_of(model), tuple(CRITERIA))
    if getattr(model, "window", None) is not None:
        raise BadInputError(
            f"window={model.window!r} forgets rows as they arrive; set window=None, "
            "or fit the model in memory."
        )


def _spool_rows(
    model: LazyEstimator, spool: Spool, batches: Iterable[RowBatch], n_rows: int | None
) -> Table:
    """Put all rows in the spool; the columns of the user's."""
    as_read = Table((), 0)
    with Progress("reading rows", total=n_rows) as progress:
        for batch in batches:
            if not len(batch.table):  # none of some rows has a target
                continue
            as_read = read_first(model, batch.table)
            table = expand_columns(as_read)
            target = two_dimensional(model._target(batch.target))
            spool.add(table, target, batch.ids)
            progress.advance(len(table))
    if not spool.n_rows:
        raise BadInputError(
            "there are no rows to store; give at least one with a target."
        )
    return as_read.take(np.zeros(0, np.intp))


def _write_file(
    model: LazyEstimator, spool: Spool, schema: Schema, as_read: Table, out: Path
) -> None:
    coder = spool.coder(schema)
    model._check_size(len(schema.attributes), None)
    set_initial_state(model, len(as_read.columns))
    columns_of_cuts = spool.cuts(coder, criterion_of(model))
    cuts = list(track(columns_of_cuts, "finding cuts", len(coder.numeric)))
    named, n_runs, text_width = spool.names()
    layout = Outline(
        coder,
        cuts,
        criterion_of(model),
        frozen=getattr(model, "cuts", "exact") == "frozen",
        has_cuts=bool(cuts) and bool(coder.n_classes),
        half_life=read_times(model, None).half_life,
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
    header = {**describe_model(model), "cases": layout.header()}
    with Progress("writing rows", total=spool.n_rows) as progress:
        batches = _show_progress(spool.batches(coder), progress)
        write_rows(out, header, layout, batches, _check_file)


def _check_file(path: Path) -> None:
    """Refuse a model that cannot predict, as `fit` would."""
    load(path, mmap_mode="c")


def _show_progress(batches: Iterable[Any], progress: Progress) -> Iterable[Any]:
    for batch in batches:
        yield batch
        progress.advance(len(batch))
