"""Rows of any number into the file of an estimator, which was never fitted to them."""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone, is_classifier

from sklazy.casebase.cuts import CRITERIA
from sklazy.casebase.incoming import Target, as_ids, two_dimensional
from sklazy.casebase.rows import Ids
from sklazy.casebase.schema import Schema
from sklazy.errors import BadInputError, suggest
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
from sklazy.tables import Column, Source, Table, as_target
from sklazy.tables.labels import with_labels
from sklazy.tables.origins import expand_columns, origins_of
from sklazy.tables.surveying import Surveyed


def store(
    estimator: LazyEstimator,
    rows: object,
    target: str,
    path: str | Path,
    *,
    ids: str | None = None,
) -> int:
    """Write the file of an estimator fitted to rows that need not fit into memory.

    It is the file that `estimator.fit` and `save` would write, and `load` opens it with
    ``mmap_mode="c"`` without reading its rows. Rows are read in batches, from any
    source. Those without a target are left out. The file is complete at the end, or
    does not exist. `estimator` stays as it is.

    Parameters
    ----------
    estimator : estimator of sklazy
        With the parameters of the model.
    rows : Source, or what `Source` takes
        Read twice, except for columns of numbers that have a type.
    target : str
        The column to predict.
    path : str or Path
        The file to write.
    ids : str, optional
        The column with the ids of the rows; by default these are their positions.

    Returns
    -------
    n_rows : int

    Examples
    --------
    >>> import pathlib, tempfile, pyarrow, sklazy
    >>> rows = pyarrow.table({"heat": ["gas", "oil"] * 9, "rent": ["low", "high"] * 9})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "cases.sklazy"
    ...     n_rows = sklazy.store(
    ...         sklazy.LazyKNeighborsClassifier(), rows.to_reader(), "rent", path
    ...     )
    ...     n_rows, sklazy.load(path).predict({"heat": "oil"}).tolist()
    (18, ['high'])
    """
    source = rows if isinstance(rows, Source) else Source(rows)
    if ids is not None:
        source = source.with_labels([ids])
    check_unchanged(path)  # reported before much is read
    needed = [target] if ids is None else [target, ids]
    classifies = is_classifier(estimator)
    wanted = StoredColumns(target, ids, frozenset(needed), classifies=classifies)
    with Spool(Path(path)) as spool:
        filling = Filling(_checked_clone(estimator), spool, wanted)
        with Progress("reading columns") as progress:
            surveyed = source.survey(progress.advance, needed, filling.take)
        for name in needed:
            if name not in surveyed.seen:
                hint = suggest(name, [origin.name for origin in surveyed.origins])
                raise BadInputError(
                    f"{surveyed.rows.name} has no column {name!r}.{hint}"
                )
        if surveyed.is_kept and spool.n_rows:
            return filling.write(Path(path))
    batches, n_known = list_batches(surveyed, wanted), surveyed.seen[target].n_known
    return store_rows(
        estimator, batches, path, target=target, n_rows=n_known, id_column=ids
    )


class StoredColumns(NamedTuple):
    """Columns that are no features, and whether the target is a label."""

    target: str
    ids: str | None
    left_out: Collection[str]
    classifies: bool
    id_option: str = "ids"  # the name of the option for `ids`, in messages


def names_set_aside(surveyed: Surveyed) -> list[str]:
    """The columns that nothing is learned from, if columns have names."""
    if not surveyed.named:
        return []
    read = [(o.name, o.reading) for o in surveyed.origins]
    return [name for name, reading in read if reading and reading.style == "aside"]


def list_batches(surveyed: Surveyed, wanted: StoredColumns) -> Iterator["RowBatch"]:
    """The rows that have a target."""
    first = 0
    for whole in surveyed.batches():
        yield _read_batch(whole, wanted, first)
        first += len(whole)


def _read_batch(whole: Table, wanted: StoredColumns, first: int) -> "RowBatch":
    """Those of some rows that have a target; `first` is the position of the first."""
    kept = np.flatnonzero(~whole[wanted.target].missing)
    positions = kept + first
    if len(kept) < len(whole):
        whole = whole.take(kept)
    table = whole.select([n for n in whole.names if n not in wanted.left_out])
    if not table.columns:
        raise BadInputError(
            f"there is no column except the target {wanted.target!r}; give a file "
            "that also has the columns to predict it from."
        )
    ids = positions if wanted.ids is None else _read_ids(whole, wanted)
    target = _read_target(whole[wanted.target], classifies=wanted.classifies)
    return RowBatch(table, target, as_ids(ids))


def _read_target(column: Column, *, classifies: bool) -> Column:
    if not classifies:
        return Column(column.name, "numeric", as_target(column, "numeric"))
    labels = as_target(column, "nominal").occurring()
    return with_labels(labels, labels.categories)


def _read_ids(whole: Table, wanted: StoredColumns) -> list[Any]:
    ids = whole[str(wanted.ids)].cells()
    if None in ids:
        raise BadInputError(
            f"{wanted.id_option} {wanted.ids}: the column is missing in a row; every "
            "row needs an id of its own. Choose another column, or leave "
            f"{wanted.id_option} out."
        )
    return ids


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
    id_column: str | None = None,
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
    id_column : str, optional
        The name of the column of the ids.

    Returns
    -------
    n_rows : int
    """
    model = _checked_clone(model)
    check_unchanged(out)  # checked before much is read
    with Spool(Path(out)) as spool:
        filling = Filling(model, spool, StoredColumns(target, id_column, (), False))
        with Progress("reading rows", total=n_rows) as progress:
            for batch in batches:
                filling.add(batch)
                progress.advance(len(batch.table))
        if not spool.n_rows:
            raise BadInputError(
                "there are no rows to store; give at least one with a target."
            )
        return filling.write(Path(out))


def _checked_clone(model: LazyEstimator) -> LazyEstimator:
    model = clone(model)
    model._check_parameters()
    _check_storable(model)
    return model


def _check_storable(model: LazyEstimator) -> None:
    check_choice("discretization", criterion_of(model), tuple(CRITERIA))
    if getattr(model, "window", None) is not None:
        raise BadInputError(
            f"window={model.window!r} forgets rows as they arrive; set window=None, "
            "or fit the model in memory."
        )


class Filling:
    """A file of a model's rows, from the first of them on."""

    def __init__(
        self, model: LazyEstimator, spool: Spool, wanted: StoredColumns
    ) -> None:
        self._model, self._spool, self._wanted = model, spool, wanted
        self._as_read = Table((), 0)
        self._n_taken = 0

    def take(self, whole: Table) -> bool:
        """Take some rows; whether they can be taken before all have been looked at."""
        wanted = self._wanted
        if wanted.target not in whole or (wanted.ids or wanted.target) not in whole:
            return False
        try:
            self.add(_read_batch(whole, wanted, self._n_taken))
        except BadInputError:  # found again once all columns are known
            return False
        self._n_taken += len(whole)
        return True

    def add(self, batch: RowBatch) -> None:
        """Put some rows in the spool."""
        if not len(batch.table):  # none of some rows has a target
            return
        self._as_read = read_first(self._model, batch.table)
        table = expand_columns(self._as_read)
        target = two_dimensional(self._model._target(batch.target))
        self._spool.add(table, target, batch.ids)

    def write(self, out: Path) -> int:
        """Write the file; the number of its rows."""
        as_read = self._as_read.take(np.zeros(0, np.intp))
        schema = Schema(
            self._spool.attributes(),
            self._spool.named,
            targets=(self._wanted.target,),
            origins=origins_of(as_read),
            id_column=self._wanted.ids or "",
        )
        _write_file(self._model, self._spool, schema, as_read, out)
        return self._spool.n_rows


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
