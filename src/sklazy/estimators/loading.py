"""Load saved estimators."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

import sklazy
from sklazy.casebase import CaseBase
from sklazy.errors import BadFileError, BadInputError
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.classifiers import BaseLazyClassifier
from sklazy.estimators.regressors import BaseLazyRegressor
from sklazy.estimators.settings import from_settings, import_estimators
from sklazy.estimators.state import check_restored, restore_state
from sklazy.storage.files import SENSELESS, contradiction
from sklazy.storage.folders import OpenedFolder, is_folder, list_files
from sklazy.storage.store import StoredBase
from sklazy.storage.stored import read_stored

Loaded = TypeVar("Loaded", bound=LazyEstimator)


MapMode = Literal["c", "r+"] | None


@overload
def load(
    path: str | Path, *, mmap_mode: MapMode = None
) -> BaseLazyClassifier | BaseLazyRegressor: ...
@overload
def load(
    path: str | Path, kind: type[Loaded], *, mmap_mode: MapMode = None
) -> Loaded: ...
def load(
    path: str | Path,
    kind: type[LazyEstimator] = LazyEstimator,
    *,
    mmap_mode: MapMode = None,
) -> LazyEstimator:
    """Read an estimator that `save` wrote.

    A file that is truncated, altered, of a newer format or no model at all is refused
    with the reason, and so are parameters that `fit` would refuse. Nothing in a file is
    ever executed: it holds data, and names of estimators of scikit-learn or sklazy with
    parameters that are data. It holds no functions, and no folders to read from.

    Parameters
    ----------
    path : str or Path
        A file, or a folder: of ``save(path, n_parts=...)`` or `sklazy.dask.save`.
    kind : class, optional
        Class that the estimator must have, for type checkers as well; any other raises
        an error.
    mmap_mode : {None, "c", "r+"}
        With "c" the rows stay in the file. The system reads what queries need, and
        several processes share it in memory. Rows added or forgotten change the
        estimator, never the file. Only the header is checked, not the rows, so map only
        files that you trust. With "r+" the file changes as well: `partial_fit` and
        `forget` return once it is complete on the disk, and no byte of a forgotten row
        remains. Only one process at a time can open it this way, until the estimator is
        gone; see also `compact`.

    Returns
    -------
    estimator : fitted estimator of the class that was saved

    Examples
    --------
    >>> import tempfile, pathlib, sklazy
    >>> model = sklazy.LazyLearningRegressor().fit([[0.0], [1.0], [2.0]], [0, 1, 2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(pathlib.Path(folder) / "model.sklazy")
    ...     again = sklazy.load(pathlib.Path(folder) / "model.sklazy")
    >>> again.digest() == model.digest()
    True
    """
    if mmap_mode not in (None, "c", "r+"):
        raise BadInputError(
            f"mmap_mode={mmap_mode!r}; expected None, 'c' to leave rows in the file, "
            "or 'r+' to change them there, too."
        )
    if is_folder(path):
        return _load_folder(path, kind, mmap_mode)
    if mmap_mode == "r+":
        base = StoredBase.open(path)
        try:
            return _restore_estimator(
                base.header, lambda: base, path, kind, mapped=True
            )
        except BaseException:
            base.held.close()
            raise
    mapped = mmap_mode == "c"
    stored = read_stored(path, mapped=mapped)
    find_cases = partial(stored.cases, path, mapped=mapped)
    return _restore_estimator(stored.header, find_cases, path, kind, mapped=mapped)


def _load_folder(
    path: str | Path, kind: type[LazyEstimator], mmap_mode: MapMode
) -> LazyEstimator:
    if mmap_mode == "r+":
        raise BadInputError(
            f"mmap_mode='r+': {path} is a folder of files, which are not changed in "
            "place. Load it with mmap_mode='c', change the model, and save it there "
            "again with n_parts; or save it to one file."
        )
    mapped = mmap_mode == "c"
    opened = OpenedFolder(path, mapped=mapped)
    return _restore_estimator(opened.header, opened.parted, path, kind, mapped=mapped)


def restore_estimator(
    header: dict[str, Any], find_cases: Callable[[], CaseBase], path: str | Path
) -> LazyEstimator:
    """The estimator that a header describes, with cases that lie elsewhere."""
    return _restore_estimator(header, find_cases, path, LazyEstimator, mapped=True)


def _restore_estimator(
    header: dict[str, Any],
    find_cases: Callable[[], CaseBase],
    path: str | Path,
    kind: type[LazyEstimator],
    *,
    mapped: bool,
) -> LazyEstimator:
    """The estimator that a file describes."""
    if header.get("content") != "estimator":
        raise BadFileError(
            "the file does not hold an estimator; give one that model.save wrote.", path
        )
    try:
        saved = check_known(header["estimator"])
        _check_kind(saved, kind)
        estimator = saved(**from_settings(header["settings"]))
        restore_state(estimator, find_cases(), header["state"])
        check_restored(estimator, mapped=mapped)
    except BadFileError:
        raise
    except SENSELESS as error:
        raise contradiction(error, path) from error
    return estimator


def _check_kind(saved: type[LazyEstimator], wanted: type[LazyEstimator]) -> None:
    if not issubclass(saved, wanted):
        raise BadInputError(
            f"it holds a {saved.__name__}, not a {wanted.__name__}; load it without "
            "kind, or with its own"
        )


def known_estimators() -> dict[str, type[LazyEstimator]]:
    """The estimators that can be saved, by name."""
    import_estimators()
    by_name: dict[str, type[LazyEstimator]] = {}
    open_classes = [LazyEstimator]
    while open_classes:
        current = open_classes.pop()
        by_name[current.__name__] = current
        open_classes += current.__subclasses__()
    return by_name


def compact(path: str | Path) -> None:
    """Rewrite a file that rows were added to or forgotten from, like a new one.

    Added rows are stored with the others, and the space of forgotten rows is freed.
    Answers and digest stay the same.

    Parameters
    ----------
    path : str or Path
        File of an estimator that is not open for changes elsewhere, or a folder, whose
        files then have about as many rows each.

    Examples
    --------
    >>> import tempfile, pathlib, sklazy
    >>> X, y = [["a"], ["b"], ["b"], ["a"], ["b"]], list("mnnmn")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.sklazy"
    ...     sklazy.LazyKNeighborsClassifier().fit(X, y).save(path)
    ...     model = sklazy.load(path, mmap_mode="r+")
    ...     model = model.partial_fit([["a"]], ["n"]).forget([1])
    ...     before = model.digest()
    ...     del model
    ...     sklazy.compact(path)
    ...     sklazy.load(path).digest() == before
    True
    """
    if is_folder(path):
        load(path, mmap_mode="c").save(path, n_parts=len(list_files(path)))
        return
    base = StoredBase.open(path)
    try:
        base.compact()
    finally:
        base.held.close()


def check_known(name: object) -> type[LazyEstimator]:
    """The estimator of that name, or an error.

    A public one is imported by itself: to import all of them takes a third as long as
    to load a model and predict by it.
    """
    if isinstance(name, str) and name in sklazy.__all__:
        public = getattr(sklazy, name)
        if isinstance(public, type) and issubclass(public, LazyEstimator):
            return public
    known = known_estimators()
    if not isinstance(name, str) or name not in known:
        raise BadInputError(
            f"there is no estimator {name!r} in this version of sklazy; load the file "
            "with the version that saved it, or update sklazy."
        )
    return known[name]
