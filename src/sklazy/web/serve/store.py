"""A model whose changes survive the process: a snapshot, and a journal of the changes.

The folder has one generation: ``snapshot-N.sklazy`` and ``journal-N.log``, the changes
since. A new generation is valid once `save` has put its snapshot in place; older files
are then removed. A row that is forgotten is in neither, since forgetting begins a new
generation; it also removes what was cut off journals.
"""

import contextlib
import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from sklazy.casebase.incoming import as_ids, slots_of
from sklazy.errors import BadFileError, BadInputError
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.erasure.certificate import Certificate
from sklazy.estimators.erasure.erase import erase
from sklazy.estimators.erasure.held import forget_quietly
from sklazy.estimators.loading import MapMode, load
from sklazy.web.problems import Problem
from sklazy.web.rows import Rows
from sklazy.web.serve.folder import (
    check_origin,
    check_unchanged,
    find_newest,
    hold_folder,
    journal_of,
    remove_others,
    replace_lost,
    snapshot_of,
    write_origin,
)
from sklazy.web.serve.journal import (
    Change,
    ChangeJournal,
    create_journal,
    open_journal,
)

Ids = list[int] | list[str]

_MOST_RECORDS = 5000  # in a journal before a snapshot takes their place


class Store:
    """A model, and its journal if it may be changed.

    Attributes
    ----------
    model : fitted estimator
    n_changes : int
        The number of changes since the start.
    changes : list
        Those since the snapshot.
    waiting : sequence of ids
        Added cases that answers by groups do not use yet.
    on_added, on_forgotten : callable
        Called with the ids of rows that have come or gone.
    """

    waiting: Sequence[Any] = ()

    on_added: Callable[[Ids], None]
    on_forgotten: Callable[[Ids], None]

    def __init__(self, model: LazyEstimator, folder: Path | None = None) -> None:
        self.model, self.n_changes = without_names(model), 0
        self.changes: list[Change] = []
        self.on_added = self.on_forgotten = _ignore
        self._folder, self._lock = folder, threading.Lock()
        self._journal: ChangeJournal | None = None
        self._generation = 0
        self._is_broken = False
        self._held: IO[bytes] | None = None
        self._path: Path | None = None  # the model that this began with
        self._mmap_mode: MapMode = None
        self._key: bytes | None = None
        self._search: Sequence[Path] = ()

    def reopened(self) -> "Store":
        """A store of the same file as it is now."""
        if self._path is None or self._folder is not None:
            raise BadInputError(
                "a model with a journal cannot be reloaded from its file, which lacks "
                "the changes."
            )
        return Store.open(self._path, mmap_mode=self._mmap_mode)

    # --- opening ----------------------------------------------------------------------

    @classmethod
    def open(
        cls,
        model: str | Path,
        folder: str | Path | None = None,
        *,
        salvage: bool = False,
        mmap_mode: MapMode = None,
    ) -> "Store":
        """A store of a saved model; `folder` keeps its changes.

        A folder with changes continues from them, and can be given as `model`. A
        damaged journal is an error, unless `salvage` uses it up to the damage. Without
        a folder `mmap_mode` may leave the rows in the model's file.
        """
        if Path(model).is_dir():
            folder = model
        if folder is None:
            store = cls(load(model, mmap_mode=mmap_mode))
            store._path, store._mmap_mode = Path(model), mmap_mode
            return store
        path = Path(folder)
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        held = hold_folder(path)
        try:
            store = cls._opened(model, path, salvage=salvage)
        except BaseException:
            held.close()
            raise
        store._held = held
        store._path = None if Path(model).is_dir() else Path(model)
        return store

    @classmethod
    def _opened(cls, model: str | Path, folder: Path, *, salvage: bool) -> "Store":
        generation = find_newest(folder)
        if generation is not None:
            check_origin(folder, model)
            store = cls(load(snapshot_of(folder, generation)), folder)
            store._go_on(generation, salvage=salvage)
            return store
        if Path(model).is_dir():
            raise BadFileError(
                "there is no snapshot in this folder; give the folder of a journal.",
                model,
            )
        check_unchanged(folder)
        store = cls(load(model), folder)
        write_origin(folder, store.model)
        store._begin_generation()
        return store

    def _go_on(self, generation: int, *, salvage: bool) -> None:
        """Make the changes of a journal again."""
        assert self._folder is not None
        self._generation = generation
        log = journal_of(self._folder, generation)
        if not log.exists():
            replace_lost(log, salvage=salvage)
        changes, self._journal = open_journal(log, salvage=salvage)
        for change in changes:
            apply_change(self.model, change)
        remove_others(self._folder, generation)
        if changes or self._journal is None:
            self._begin_generation()

    def close(self) -> None:
        """Close the files."""
        with self._lock:
            if self._journal is not None:
                self._journal.close()
            if self._held is not None:
                self._held.close()

    # --- changes ----------------------------------------------------------------------

    @property
    def can_change(self) -> bool:
        """Whether there is a journal, and it takes changes."""
        return self._journal is not None and not self._is_broken

    @property
    def is_broken(self) -> bool:
        """Whether a change could not be written: the disk does not have it."""
        return self._is_broken

    @property
    def snapshot(self) -> Path:
        """The file that `changes` are made to."""
        assert self._folder is not None
        return snapshot_of(self._folder, self._generation)

    def add(
        self,
        rows: Rows,
        targets: list[Any],
        ids: Ids | None = None,
        times: list[Any] | None = None,
    ) -> Ids:
        """Add rows and return their ids; the rows are on disk when this returns."""
        with self._lock:
            journal = self._check_changeable()
            cells = [list(row.values()) for row in rows]
            change = {"change": "add", "rows": cells, "targets": targets, "ids": ids}
            if times is not None:
                change["times"] = times
            change["ids"] = new_ids = apply_change(self.model, change)
            try:
                journal.append(change)
            except BaseException:
                self.model.forget(new_ids)  # as if they had never been there
                raise
            self.changes.append(change)
            self._count_change(journal)
            self.on_added(new_ids)
            return new_ids

    def forget(self, ids: Ids) -> None:
        """Erase rows, also on disk: no file in the folder has them any more."""
        with self._lock:
            self._check_changeable()
            self.model.forget(ids)
            with self._breaking():
                self._remove_cuttings()
                self._begin_generation()
            self.n_changes += 1
            self.on_forgotten(ids)

    def certify(self, key: bytes | None, search: Sequence[Path]) -> None:
        """Sign certificates of erasures with a key, and search further files then."""
        self._key, self._search = key, search

    def erase(self, ids: Ids) -> Certificate:
        """Erase all rows of a person, prove it by the files, and certify it.

        All files of the folder are searched, and the model that this began with.
        """
        with self._lock:
            self._check_changeable()
            slots_of(as_ids(ids), self.model.cases_.ids)  # all of them must be there
            with self._breaking():
                self._remove_cuttings()
                self._begin_generation()  # one file, and no changes to it
                others = [*self._others(), *self._search]
                certificate = erase(self.snapshot, ids, search=others, key=self._key)
                forget_quietly(self.model, ids)
            self.n_changes += 1
            self.on_forgotten(ids)
            return certificate

    def _others(self) -> list[Path]:
        """Files beside the snapshot, and the model that this began with."""
        assert self._folder is not None
        beside = [p for p in sorted(self._folder.iterdir()) if p.is_file()]
        first = [] if self._path is None or not self._path.exists() else [self._path]
        return [*beside, *first]

    def _count_change(self, journal: ChangeJournal) -> None:
        self.n_changes += 1
        if journal.n_records >= _MOST_RECORDS:
            with self._breaking():
                self._begin_generation()

    @contextlib.contextmanager
    def _breaking(self) -> Iterator[None]:
        """Refuse all further changes if this block fails: the disk may differ."""
        try:
            yield
        except BaseException:
            self._is_broken = True
            raise

    def _check_changeable(self) -> ChangeJournal:
        if self._journal is None:
            raise Problem(
                409, "This server has no journal, so its model cannot be changed."
            )
        if self._is_broken:
            raise Problem(503, "The journal cannot be written; changes are refused.")
        return self._journal

    def _begin_generation(self) -> None:
        """Write a new snapshot with an empty journal, and remove the old ones."""
        assert self._folder is not None
        generation = self._generation + 1
        fresh = journal_of(self._folder, generation)
        fresh.unlink(missing_ok=True)  # of a snapshot that was not written
        journal = create_journal(fresh)
        try:
            self.model.save(snapshot_of(self._folder, generation))  # now it is valid
        except BaseException:
            journal.close()
            raise
        if self._journal is not None:
            self._journal.close()
        self._journal, self._generation = journal, generation
        self.changes = []
        remove_others(self._folder, generation)

    def _remove_cuttings(self) -> None:
        """Remove what was cut off journals: it may have the forgotten rows."""
        assert self._folder is not None
        for path in self._folder.glob("journal-*.log.cut-*"):
            path.unlink(missing_ok=True)


def apply_change(model: LazyEstimator, change: Change) -> Ids:
    """Add the rows of a change to a model and return their ids."""
    names = model.cases_.schema.user_names
    rows = [dict(zip(names, cells, strict=True)) for cells in change["rows"]]
    options = {"times": change["times"]} if "times" in change else {}
    partial_fit = model.partial_fit
    if not options.keys() <= inspect.signature(partial_fit).parameters.keys():
        raise BadInputError(
            "times: this model does not use times of rows; leave times out."
        )
    before = model.cases_.next_id
    partial_fit(rows, change["targets"], ids=change["ids"], **options)
    return change["ids"] or list(range(before, before + len(rows)))


def without_names(model: LazyEstimator) -> LazyEstimator:
    """The model without feature names: rows come in the order of its columns."""
    if hasattr(model, "feature_names_in_"):
        del model.feature_names_in_
    return model


def _ignore(ids: Ids) -> None:
    """Nobody wants to know which rows came or went."""
