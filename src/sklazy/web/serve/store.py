"""A model whose changes outlive the process: a snapshot and the journal behind it.

The folder holds one generation: ``snapshot-N.sklazy`` and ``journal-N.log``, the
changes since. A new generation counts once its snapshot is there, which `save` puts in
place as a whole; what is older is removed. A row that is forgotten is in neither, since
forgetting begins a new generation.
"""

import inspect
import os
import threading
from pathlib import Path
from typing import IO, Any

from sklazy.errors import BadFileError, BadInputError, SklazyError
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.loading import load
from sklazy.web.problems import Problem
from sklazy.web.rows import Rows
from sklazy.web.serve.journal import Change, Journal

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
        How many there were since the start.
    """

    def __init__(self, model: LazyEstimator, folder: Path | None = None) -> None:
        self.model, self.n_changes = _without_names(model), 0
        self._folder, self._lock = folder, threading.Lock()
        self._journal: Journal | None = None
        self._generation = 0
        self._is_broken = False
        self._held: IO[bytes] | None = None

    # --- opening ----------------------------------------------------------------------

    @classmethod
    def open(cls, model: str | Path, folder: str | Path | None = None) -> "Store":
        """A store of a saved model; `folder` keeps its changes.

        A folder that has changes goes on from them. `model` may be that folder itself.
        """
        if Path(model).is_dir():
            folder = model
        if folder is None:
            return cls(load(model))
        path = Path(folder)
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        held = _hold(path)
        try:
            store = cls._opened(model, path)
        except BaseException:
            held.close()
            raise
        store._held = held
        return store

    @classmethod
    def _opened(cls, model: str | Path, folder: Path) -> "Store":
        generation = _newest(folder)
        if generation is not None:
            _check_origin(folder, model)
            store = cls(load(_snapshot(folder, generation)), folder)
            store._go_on(generation)
            return store
        if Path(model).is_dir():
            raise BadFileError("there is no snapshot in this folder.", model)
        store = cls(load(model), folder)
        _write_origin(folder, store.model)
        store._begin_generation()
        return store

    def _go_on(self, generation: int) -> None:
        """Make the changes of a journal again."""
        assert self._folder is not None
        self._generation = generation
        self._journal = Journal(_log(self._folder, generation))
        for change in self._journal.found:
            self._apply(change)
        changed = bool(self._journal.found)
        self._journal.found.clear()
        _remove_others(self._folder, generation)
        if changed:
            self._begin_generation()

    def close(self) -> None:
        """Let go of the files."""
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
        """Add rows; the ids they got. They are on the disk when this returns."""
        with self._lock:
            journal = self._check_changeable()
            cells = [list(row.values()) for row in rows]
            change = {"change": "add", "rows": cells, "targets": targets, "ids": ids}
            if times is not None:
                change["times"] = times
            change["ids"] = given = self._apply(change)
            try:
                journal.append(change)
            except BaseException:
                self.model.forget(given)  # as if they had never been there
                raise
            self._count(journal)
            return given

    def forget(self, ids: Ids) -> None:
        """Erase rows, on the disk too: nothing in the folder has them any more."""
        with self._lock:
            self._check_changeable()
            self.model.forget(ids)
            try:
                self._begin_generation()
            except BaseException:
                self._is_broken = True  # what is in memory is not what is on the disk
                raise
            self.n_changes += 1

    def _count(self, journal: Journal) -> None:
        self.n_changes += 1
        if journal.n_records >= _MOST_RECORDS:
            self._begin_generation()

    def _check_changeable(self) -> Journal:
        if self._journal is None:
            raise Problem(
                409, "This server was started without a journal, so nothing changes."
            )
        if self._is_broken:
            raise Problem(503, "The journal cannot be written; no change is taken.")
        return self._journal

    def _apply(self, change: Change) -> Ids:
        """Add the rows of a change; the ids they got."""
        names = self.model.cases_.schema.given_names
        rows = [dict(zip(names, cells, strict=True)) for cells in change["rows"]]
        options = {"times": change["times"]} if "times" in change else {}
        partial_fit = self.model.partial_fit
        if not options.keys() <= inspect.signature(partial_fit).parameters.keys():
            raise BadInputError("times: rows of this model have none.")
        before = self.model.cases_.next_id
        partial_fit(rows, change["targets"], ids=change["ids"], **options)
        return change["ids"] or list(range(before, before + len(rows)))

    def _begin_generation(self) -> None:
        """Write all that is there as a snapshot; the old one and its journal go."""
        assert self._folder is not None
        generation = self._generation + 1
        fresh = _log(self._folder, generation)
        fresh.unlink(missing_ok=True)  # of a snapshot that never came
        Journal(fresh).close()
        self.model.save(_snapshot(self._folder, generation))  # from here on it counts
        if self._journal is not None:
            self._journal.close()
        self._journal, self._generation = Journal(fresh), generation
        _remove_others(self._folder, generation)


def _without_names(model: LazyEstimator) -> LazyEstimator:
    """The model, which takes rows without names: they are put in order before."""
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
    """Remove what other generations left, also what was being written."""
    kept = {_snapshot(folder, generation), _log(folder, generation)}
    for pattern in ("snapshot-*.sklazy", "journal-*.log", ".snapshot-*.part"):
        for path in set(folder.glob(pattern)) - kept:
            path.unlink(missing_ok=True)
    _sync(folder)


def _sync(folder: Path) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _hold(folder: Path) -> IO[bytes]:
    """Keep the folder for this process alone; the system lets go when it ends."""
    held = open(folder / "lock", "ab")  # noqa: SIM115 - kept open
    if fcntl is None:  # pragma: no cover - Windows
        return held
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        held.close()
        raise BadInputError(
            f"the journal {folder} is in use by another server; give another folder."
        ) from error
    return held


def _write_origin(folder: Path, model: LazyEstimator) -> None:
    """Note which model the changes began with."""
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
            f"cannot be compared with what the journal {folder} began with ({error}). "
            "Give the journal itself in its place to go on from it.",
            model,
        ) from error
    if not same:
        raise BadInputError(
            f"the journal {folder} began with another model than {model}; give another "
            "folder, or the journal itself in place of the model."
        )
