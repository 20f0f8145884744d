"""The files of a store's folder: one generation, its origin, and a lock.

A generation is ``snapshot-N.sklazy`` and ``journal-N.log``, the changes since.
"""

from pathlib import Path
from typing import IO

from sklazy.errors import BadFileError, BadInputError, SklazyError
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.loading import load
from sklazy.storage.placing import remove_scratch, sync_folder
from sklazy.web.serve.journal import WAY_OUT, create_journal, is_empty

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]


def snapshot_of(folder: Path, generation: int) -> Path:
    """The file of a generation's model."""
    return folder / f"snapshot-{generation}.sklazy"


def journal_of(folder: Path, generation: int) -> Path:
    """The file of the changes to a generation's model."""
    return folder / f"journal-{generation}.log"


def find_newest(folder: Path) -> int | None:
    """The newest generation whose snapshot is there."""
    texts = [path.stem.partition("-")[2] for path in folder.glob("snapshot-*.sklazy")]
    return max((int(text) for text in texts if text.isdigit()), default=None)


def remove_others(folder: Path, generation: int) -> None:
    """Remove the files of other generations, also unfinished ones and locks."""
    kept = {snapshot_of(folder, generation), journal_of(folder, generation)}
    beside = f".{snapshot_of(folder, generation).name}."
    for pattern in ("snapshot-*.sklazy", "journal-*.log", ".snapshot-*"):
        for path in set(folder.glob(pattern)) - kept:
            if path.suffix == ".part" or not path.name.startswith(beside):
                remove_scratch(path)
    for path in folder.glob(".refit-*"):  # of an erasure by an earlier version
        remove_scratch(path)
    sync_folder(folder)


def replace_lost(log: Path, *, salvage: bool) -> None:
    """Begin a new journal in place of a missing one, if `salvage` allows it."""
    if not salvage:
        raise BadFileError(
            f"the journal of the newest snapshot is missing. {WAY_OUT}", log
        )
    create_journal(log).close()


def check_unchanged(folder: Path) -> None:
    """Refuse a folder with changes whose snapshot is missing."""
    for log in folder.glob("journal-*.log"):
        if not is_empty(log):
            raise BadFileError(
                "it has changes to a snapshot that is missing. Restore the folder from "
                "a copy, or use another folder.",
                log,
            )


def hold_folder(folder: Path) -> IO[bytes]:
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


def write_origin(folder: Path, model: LazyEstimator) -> None:
    """Record which model the changes began with."""
    (folder / "origin").write_text(f"{model.digest()}\n", "ascii")


def check_origin(folder: Path, model: str | Path) -> None:
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
