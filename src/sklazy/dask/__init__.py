"""The front door of a cluster: the estimators of sklazy over Dask frames and arrays.

Each has the parameters and methods of its namesake in `sklazy`, a `client` and a
`timeout`. `fit` takes a Dask frame or array; neighboring partitions become parts of the
cases, about one for each worker, and stay there. Neighbors, naive Bayes and local
models search where the parts are; any other estimator gathers the cases once, copies
them to every worker and splits the queries. Answers are those of one machine, digit for
digit. With ``device="cuda"`` each worker asks its own GPU.

With a client and a Dask frame at hand::

    from sklazy.dask import LazyKNeighborsClassifier

    model = LazyKNeighborsClassifier(5).fit(frame, frame["class"])
    model.predict(queries)
"""

import importlib
from typing import TYPE_CHECKING, Any

import sklazy
from sklazy.dask.client import TIMEOUT
from sklazy.dask.folders import load, save
from sklazy.dask.model import DaskModel
from sklazy.dask.preload import dask_setup
from sklazy.dask.scoring import predict
from sklazy.estimators.base import LazyEstimator

if TYPE_CHECKING:
    from sklazy.dask.tables import AttributeRanker, advise, audit, lazy_advantage

__all__ = [
    "AttributeRanker",
    "DaskModel",
    "advise",
    "audit",
    "dask_setup",
    "lazy_advantage",
    "load",
    "predict",
    "save",
]

BY_PARTS = (
    "LazyKNeighborsClassifier",
    "LazyNBClassifier",
    "LazyLearningClassifier",
    "LazyLearningRegressor",
)
"""Those that search where the parts are."""

_ABOUT_TABLES = ("AttributeRanker", "advise", "audit", "lazy_advantage")
"""Imported at first use: a worker that holds cases needs none of them."""

_PRESETS = ("paper", "r_lazy")


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a class or function
    if name in _ABOUT_TABLES:
        return getattr(importlib.import_module("sklazy.dask.tables"), name)
    return _make_model(name)


def _make_model(name: str) -> type[DaskModel]:
    """Make the estimator of a cluster that is named as one of `sklazy`."""
    kind = getattr(sklazy, name, None) if name in sklazy.__all__ else None
    if not isinstance(kind, type) or not issubclass(kind, LazyEstimator):
        raise AttributeError(_explain_absence(name, kind))
    made = {"kind": kind, "by_parts": name in BY_PARTS, "__doc__": DaskModel.__doc__}
    presets = {preset: _preset(preset) for preset in _PRESETS if hasattr(kind, preset)}
    made |= {"__module__": __name__, **presets}
    model = type(name, (DaskModel,), made)
    globals()[name] = model
    return model


def _preset(name: str) -> Any:  # noqa: ANN401
    """A class method that makes an estimator of published settings."""

    def make(
        cls: type[DaskModel],
        /,
        *arguments: object,
        client: Any = None,  # noqa: ANN401
        timeout: float = TIMEOUT,
        **parameters: Any,  # noqa: ANN401
    ) -> DaskModel:
        model = cls(client=client, timeout=timeout)
        model.model = getattr(cls.kind, name)(*arguments, **parameters)
        return model

    make.__doc__ = f"As `{name}` of the estimator in `sklazy`."
    return classmethod(make)


def _explain_absence(name: str, kind: object) -> str:
    if kind is None:
        return f"module 'sklazy.dask' has no attribute {name!r}"
    return (
        f"sklazy.dask has no {name}; use sklazy.{name} with the rows of this machine, "
        "X.compute() and y.compute(). Races use the workers inside "
        "joblib.parallel_config('dask')."
    )
