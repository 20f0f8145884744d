"""A model whose changes survive the process: a snapshot, and a journal of the changes.

The folder has one generation: ``snapshot-N.sklazy`` and ``journal-N.log``, the changes
since. A new generation is valid once `save` has put its snapshot in place; older files
are then removed. A row that is forgotten is in neither, since forgetting begins a new
generation; it also removes what was cut off journals.
"""

import contextlib
import inspect
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from sklazy.errors import BadFileError, BadInputError, SklazyError
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.loading import load
from sklazy.storage.placing import sync_folder
from sklazy.web.problems import Problem
from sklazy.web.rows import Rows
from sklazy.web.serve.journal import (
    WAY_OUT,
    Change,
    ChangeJournal,
    create_journal,
    is_empty,
    open_journal,
)

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

Ids = list[int] | list[str]

_MOST_RECORDS = 5000  # in a journal before a snapshot takes their place


class Store:
    """A model, and its journal if it may be changed.

    Attributes
    ----------
    model : fitted estimator
    n_changes : int
        The number of changes since the start.
    """

    def __init__(self, model: LazyEstimator, folder: Path | None = None) -> None:
        self.model, self.n_changes = _without_names(model), 0
        self._folder, self._lock = folder, threading.Lock()
        self._journal: ChangeJournal | None = None
        self._generation = 0
        self._is_broken = False
        self._held: IO[bytes] | None = None
        self._path: Path | None = None  # of a model that is not changed here

    def reopened(self) -> "Store":
        """A store of the same file as it is now."""
        if self._path is None:
            raise BadInputError(
                "a model with a journal is not reloaded: its changes are here."
            )
        return Store.open(self._path)

    # --- opening ----------------------------------------------------------------------

    @classmethod
    def open(
        cls,
        model: str | Path,
        folder: str | Path | None = None,
        *,
        salvage: bool = False,
    ) -> "Store":
        """A store of a saved model; `folder` keeps its changes.

        A folder with changes continues from them, and can be given as `model`. A
        damaged journal is an error, unless `salvage` uses it up to the damage.
        """
        if Path(model).is_dir():
            folder = model
        if folder is None:
            store = cls(load(model))
            store._path = Path(model)
            return store
        path = Path(folder)
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        held = _hold(path)
        try:
            store = cls._opened(model, path, salvage=salvage)
        except BaseException:
            held.close()
            raise
        store._held = held
        return store

    @classmethod
    def _opened(cls, model: str | Path, folder: Path, *, salvage: bool) -> "Store":
        generation = _newest(folder)
        if generation is not None:
            _check_origin(folder, model)
            store = cls(load(_snapshot(folder, generation)), folder)
            store._go_on(generation, salvage=salvage)
            return store
        if Path(model).is_dir():
            raise BadFileError("there is no snapshot in this folder.", model)
        _check_unchanged(folder)
        store = cls(load(model), folder)
        _write_origin(folder, store.model)
        store._begin_generation()
        return store

    def _go_on(self, generation: int, *, salvage: bool) -> None:
        """Make the changes of a journal again."""
        assert self._folder is not None
        self._generation = generation
        log = _log(self._folder, generation)
        if not log.exists():
            _replace_lost(log, salvage=salvage)
        changes, self._journal = open_journal(log, salvage=salvage)
        for change in changes:
            self._apply(change)
        _remove_others(self._folder, generation)
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
            change["ids"] = new_ids = self._apply(change)
            try:
                journal.append(change)
            except BaseException:
                self.model.forget(new_ids)  # as if they had never been there
                raise
            self._count_change(journal)
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

    def _apply(self, change: Change) -> Ids:
        """Add the rows of a change and return their ids."""
        names = self.model.cases_.schema.user_names
        rows = [dict(zip(names, cells, strict=True)) for cells in change["rows"]]
        options = {"times": change["times"]} if "times" in change else {}
        partial_fit = self.model.partial_fit
        if not options.keys() <= inspect.signature(partial_fit).parameters.keys():
            raise BadInputError("times: this model does not use times of rows.")
        before = self.model.cases_.next_id
        partial_fit(rows, change["targets"], ids=change["ids"], **options)
        return change["ids"] or list(range(before, before + len(rows)))

    def _begin_generation(self) -> None:
        """Write a new snapshot with an empty journal, and remove the old ones."""
        assert self._folder is not None
        generation = self._generation + 1
        fresh = _log(self._folder, generation)
        fresh.unlink(missing_ok=True)  # of a snapshot that was not written
        journal = create_journal(fresh)
        try:
            self.model.save(_snapshot(self._folder, generation))  # now it is valid
        except BaseException:
            journal.close()
            raise
        if self._journal is not None:
            self._journal.close()
        self._journal, self._generation = journal, generation
        _remove_others(self._folder, generation)

    def _remove_cuttings(self) -> None:
        """Remove what was cut off journals: it may have the forgotten rows."""
        assert self._folder is not None
        for path in self._folder.glob("journal-*.log.cut-*"):
            path.unlink(missing_ok=True)


def _without_names(model: LazyEstimator) -> LazyEstimator:
    """The model without feature names: rows come in the order of its columns."""
    if hasattr(model, "feature_names_in_"):
        del model.feature_names_in_
    return model


# --- files ----------------------------------------------------------------------------


def _snapshot(folder: Path, generation: int) -> Path:
    return folder / f"snapshot-{generation}.sklazy"


def _log(folder: Path, generation: int) -> Path:
    return folder / f"journal-{generation}.log"


def _newest(folder: Path) -> int | None:
    """The newest generation whose snapshot is there."""
    texts = [path.stem.partition("-")[2] for path in folder.glob("snapshot-*.sklazy")]
    return max((int(text) for text in texts if text.isdigit()), default=None)


def _remove_others(folder: Path, generation: int) -> None:
    """Remove the files of other generations, also unfinished ones."""
    kept = {_snapshot(folder, generation), _log(folder, generation)}
    for pattern in ("snapshot-*.sklazy", "journal-*.log", ".snapshot-*.part"):
        for path in set(folder.glob(pattern)) - kept:
            path.unlink(missing_ok=True)
    sync_folder(folder)


def _replace_lost(log: Path, *, salvage: bool) -> None:
    """Begin a new journal in place of a missing one, if `salvage` allows it."""
    if not salvage:
        raise BadFileError(
            f"the journal of the newest snapshot is missing. {WAY_OUT}", log
        )
    create_journal(log).close()


def _check_unchanged(folder: Path) -> None:
    """Refuse a folder with changes whose snapshot is missing."""
    for log in folder.glob("journal-*.log"):
        if not is_empty(log):
            raise BadFileError(
                "it has changes to a snapshot that is missing. Restore the folder from "
                "a copy, or use another folder.",
                log,
            )


def _hold(folder: Path) -> IO[bytes]:
    """Lock the folder for this process; the system unlocks it when it ends."""
    held = open(folder / "lock", "ab")  # noqa: SIM115 - kept open
    if fcntl is None:  # pragma: no cover - Windows
        return held
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        held.close()
        raise BadInputError(
            f"another server uses the journal {folder}; use another folder."
        ) from error
    return held


def _write_origin(folder: Path, model: LazyEstimator) -> None:
    """Record which model the changes began with."""
    (folder / "origin").write_text(f"{model.digest()}\n", "ascii")


def _check_origin(folder: Path, model: str | Path) -> None:
    """Refuse a model that the changes did not begin with."""
    if Path(model).is_dir():
        return
    try:
        known = (folder / "origin").read_text("ascii").strip()
        same = load(model).digest() == known
    except (OSError, SklazyError) as error:
        raise BadFileError(
            f"cannot be compared with the model that the journal {folder} began with "
            f"({error}). Give the journal in place of the model to continue from it.",
            model,
        ) from error
    if not same:
        raise BadInputError(
            f"the journal {folder} did not begin with the model {model}; use another "
            "folder, or give the journal in place of the model."
        )
