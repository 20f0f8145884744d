"""Compile ahead of time what learners need, by asking them about tiny tables."""

import contextlib
import inspect
import time
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone, is_regressor

import sklazy
from sklazy.errors import BadInputError, SklazyWarning, suggest
from sklazy.kernels.compiling import count_compiled, every_job_due, find_folder
from sklazy.report.progress import track

_N_ROWS = 24  # enough for folds, cuts and local models; little enough to take no time

Learner = Any
"""The name of an estimator, its class, or one with parameters."""


class Warmed(NamedTuple):
    """Summary of a call of `warm`.

    Attributes
    ----------
    n_compiled : int
        Kernels compiled in this call.
    seconds : float
        How long it took.
    folder : str or None
        Where compiled code is kept; None if nowhere.
    """

    n_compiled: int
    seconds: float
    folder: str | None

    def __str__(self) -> str:
        what = f"{self.n_compiled} kernels compiled in {self.seconds:.1f} s"
        return f"{what}, {f'kept in {self.folder}' if self.folder else 'not kept'}."


def warm(*learners: Learner) -> Warmed:
    """Compile what learners need ahead of time, for an image or a test machine.

    Each learner is fitted to tiny tables of numbers, of labels and of both with missing
    cells. It predicts, learns more rows and predicts again. The compiled code is kept
    in the folder of `NUMBA_CACHE_DIR`, or else beside the package or in the user's
    cache folder. Other processes on machines with the same processor load it from
    there.

    Parameters
    ----------
    *learners : str, class or estimator
        Names or classes stand for default parameters, estimators for their own.
        Default: every estimator of the package.

    Returns
    -------
    warmed : Warmed
        With the attributes `n_compiled`, `seconds` and `folder`; printed as a
        sentence.

    Examples
    --------
    >>> import sklazy
    >>> done = sklazy.warm("LazyNBClassifier")
    >>> sklazy.warm(sklazy.LazyNBClassifier()).n_compiled  # it is all there by now
    0
    """
    models = [_find_model(each) for each in learners] or list(_name_models().values())
    begin, before = time.perf_counter(), count_compiled()
    jobs = [(model, X, y) for model in models for X, y in _make_tables(model)]
    with every_job_due(), _silence_warnings():
        for model, X, y in track(jobs, "compiling"):
            _use_model(clone(model), X, y)
    seconds = time.perf_counter() - begin
    return Warmed(count_compiled() - before, seconds, find_folder())


def _find_model(learner: Learner) -> Any:  # noqa: ANN401 - any estimator
    """The estimator that is meant, or an error."""
    if isinstance(learner, str):
        known = _name_models()
        public = getattr(sklazy, learner) if learner in sklazy.__all__ else None
        learner = getattr(public, "__name__", learner)  # of another name, its own
        if learner not in known:
            raise BadInputError(
                f"there is no estimator {learner!r} to compile for."
                f"{suggest(learner, known)}"
            )
        return known[learner]
    model = learner() if isinstance(learner, type) else learner
    if not hasattr(model, "fit"):
        raise BadInputError(
            f"{learner!r} is not an estimator; give an estimator, its class or "
            "its name."
        )
    return model


def _name_models() -> dict[str, Any]:
    """Every public estimator that can be made without parameters, by its name."""
    models = {}
    for kind in (getattr(sklazy, name) for name in sklazy.__all__):
        if isinstance(kind, type) and issubclass(kind, BaseEstimator):
            parameters = inspect.signature(kind).parameters.values()
            if all(each.default is not each.empty for each in parameters):
                models[kind.__name__] = kind()
    return models


@contextlib.contextmanager
def _silence_warnings() -> Iterator[None]:
    """Silence warnings about tables as small as these; warn if nothing is kept."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("default", "compiled code", SklazyWarning)
        yield


def _make_tables(model: Any) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:  # noqa: ANN401
    """Tables of numbers, of labels, and of both with missing cells; with targets."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(_N_ROWS, 4))
    labels = rng.integers(0, 3, (_N_ROWS, 4)).astype(str).astype(object)
    mixed = np.hstack([numbers.astype(object), labels])
    mixed[rng.random(mixed.shape) < 0.1] = None
    gaps = np.where(rng.random(numbers.shape) < 0.1, np.nan, numbers)
    y = numbers[:, 0] if is_regressor(model) else np.arange(_N_ROWS) % 3
    for X in (numbers, labels, mixed, gaps):
        yield X, y


def _use_model(model: Any, X: NDArray[Any], y: NDArray[Any]) -> None:  # noqa: ANN401
    """Fit and predict what compiles; some models take no labels, or no gaps."""
    with contextlib.suppress(ValueError, SklazyWarning):
        model.fit(X, y)
        for method in ("predict", "predict_proba", "transform"):
            if hasattr(model, method):
                getattr(model, method)(X)
    if hasattr(model, "loo_predict"):
        _use_cases(model, X, y)


def _use_cases(model: Any, X: NDArray[Any], y: NDArray[Any]) -> None:  # noqa: ANN401
    """Leave out, explain, add and forget rows, for estimators that keep cases."""
    with contextlib.suppress(ValueError, SklazyWarning):
        model.loo_predict()
        model.explain(X[:1])[0].to_dict()
        model.partial_fit(X[:2], y[:2], ids=[1000, 1001]).predict(X[:1])
        model.forget([1000, 1001]).predict(X)
