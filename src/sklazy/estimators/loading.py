"""Load saved estimators."""

from pathlib import Path
from typing import Literal, TypeVar, overload

from sklazy.casebase.files import SENSELESS, map_file, read_file
from sklazy.casebase.stored import from_stored
from sklazy.errors import BadFileError, BadInputError
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.settings import from_settings, import_estimators
from sklazy.estimators.targets import LazyClassifier, LazyRegressor

Wanted = TypeVar("Wanted", bound=LazyEstimator)


MapMode = Literal["c"] | None


@overload
def load(
    path: str | Path, *, mmap_mode: MapMode = None
) -> LazyClassifier | LazyRegressor: ...
@overload
def load(
    path: str | Path, kind: type[Wanted], *, mmap_mode: MapMode = None
) -> Wanted: ...
def load(
    path: str | Path,
    kind: type[LazyEstimator] = LazyEstimator,
    *,
    mmap_mode: MapMode = None,
) -> LazyEstimator:
    """Read an estimator that `save` wrote.

    A truncated or altered file, one of a newer format, or one that is anything else
    is refused with the reason, and so are parameters that `fit` would refuse. Nothing
    in a file is ever executed: it holds data, and names of estimators of scikit-learn
    or sklazy with parameters that are data; no functions, and no folders to read from.

    Parameters
    ----------
    path : str or Path
    kind : class, optional
        The class that the estimator must be of, which type checkers then know; another
        one is refused.
    mmap_mode : {None, "c"}
        With "c" the rows stay in the file, from which the system reads what questions
        need, and several processes share it in memory; rows that are added or
        forgotten change the estimator, never the file. Only the header is checked
        then, not the rows: map files that you trust.

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
    if mmap_mode not in (None, "c"):
        raise BadInputError(
            f"mmap_mode={mmap_mode!r}; expected None, or 'c' to leave rows in the file."
        )
    header, arrays = read_file(path) if mmap_mode is None else map_file(path)
    if header.get("content") != "estimator":
        raise BadFileError("the file holds something else than an estimator.", path)
    try:
        saved = check_known(header["estimator"])
        _check_kind(saved, kind)
        estimator = saved(**from_settings(header["settings"]))
        mapped = mmap_mode is not None
        cases = from_stored(header["cases"], arrays, path, mapped=mapped)
        estimator._restore(cases, header["state"])
        estimator._check_loaded()
    except SENSELESS as error:
        raise BadFileError(f"the file contradicts itself ({error}).", path) from error
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
    found: dict[str, type[LazyEstimator]] = {}
    open_classes = [LazyEstimator]
    while open_classes:
        current = open_classes.pop()
        found[current.__name__] = current
        open_classes += current.__subclasses__()
    return found


def check_known(name: object) -> type[LazyEstimator]:
    """The estimator of that name, or an error."""
    known = known_estimators()
    if not isinstance(name, str) or name not in known:
        raise BadInputError(f"there is no estimator {name!r} in this sklazy.")
    return known[name]
