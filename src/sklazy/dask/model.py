"""DaskModel: a lazy estimator whose cases lie on the workers of a cluster."""

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial, wraps
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from sklazy.answer import answer_queries
from sklazy.casebase.states import shallow
from sklazy.dask.client import (
    TIMEOUT,
    as_dask_array,
    compute,
    computed_pieces,
    divided_alike,
    find_client,
    is_dask,
)
from sklazy.dask.columns import check_on_cluster, take_named
from sklazy.dask.copies import ModelCopies
from sklazy.dask.fitting import fit_parts
from sklazy.errors import (
    BadInputError,
    BadTypeError,
    DeviceError,
    MissingExtraError,
)
from sklazy.estimators.base import LazyEstimator
from sklazy.estimators.state import describe_state, restore_state

_SPLIT = ("predict_proba", "predict_both", "select_attributes")
_NOT_HERE = ("get_metadata_routing", "set_fit_request", "explore")


class DaskModel:
    """A lazy estimator whose cases lie on the workers of a cluster.

    It has the methods and attributes of the estimator. Those that answer queries take
    frames and arrays of this machine or of Dask.

    Parameters
    ----------
    *arguments, **parameters
        Those of the estimator of this name in `sklazy`.
    client : distributed.Client, optional
        The current one by default.
    timeout : float, default=300
        Seconds until a worker that does not answer is given up. One that is lost is
        replaced long before, and its part made anew.

    Attributes
    ----------
    model : estimator
        The estimator itself, with the case base of parts as `cases_`.
    """

    kind: type[LazyEstimator]
    by_parts: bool

    def __init__(
        self,
        *arguments: object,
        client: Any = None,  # noqa: ANN401 - distributed has no types
        timeout: float = TIMEOUT,
        **parameters: Any,  # noqa: ANN401
    ) -> None:
        self.model: Any = self.kind(*arguments, **parameters)
        self.client, self.timeout = client, timeout
        self._copies = ModelCopies()

    def __repr__(self) -> str:
        return f"sklazy.dask.{self.model!r}"

    def __sklearn_clone__(self) -> Self:
        """The same parameters, the client itself among them, without rows."""
        twin = type(self)(client=self.client, timeout=self.timeout)
        twin.model = clone(self.model)
        return twin

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters."""
        of_cluster = {"client": self.client, "timeout": self.timeout}
        return {**self.model.get_params(deep), **of_cluster}

    def set_params(self, **parameters: Any) -> Self:  # noqa: ANN401
        """Set parameters; they hold from the next question on, a client from `fit`."""
        for name in ("client", "timeout"):
            setattr(self, name, parameters.pop(name, getattr(self, name)))
        self.model.set_params(**parameters)
        if hasattr(self.model, "cases_"):
            _set_timeout(self.model.cases_, self.timeout)
        return self

    def fit(
        self,
        X: object,
        y: object,
        sample_weight: object = None,
        ids: object = None,
        times: object = None,
    ) -> Self:
        """Keep the rows, neighboring partitions as a part on some worker.

        Parameters
        ----------
        X : Dask frame, or Dask array of shape (n_rows, n_attributes)
        y : Dask series or array of shape (n_rows,), or str
            A name is that of a column of X, which is no feature then.
        sample_weight, ids, times : Dask series or arrays, or str, optional
            As for the estimator itself, or names of columns of X. Ids are by default
            the index of a frame where it is unique and of integers or strings, but no
            range; else 0, 1, ...
        """
        beside = {"sample_weight": sample_weight, "ids": ids, "times": times}
        self._check_taken("fit", beside)
        check_on_cluster(X, self.kind.__name__)
        X, *columns = take_named(X, y=y, **beside)
        return self._fit(divided_alike(X, *columns))

    def partial_fit(
        self,
        X: object,
        y: object,
        sample_weight: object = None,
        ids: object = None,
        times: object = None,
        classes: object = None,
    ) -> Self:
        """Add rows, of this machine or of Dask, to the last part, or keep the first.

        Parameters
        ----------
        X, y, sample_weight, ids, times, classes
            As for the estimator itself.
        """
        beside = {"sample_weight": sample_weight, "ids": ids, "times": times}
        self._check_taken("partial_fit", {**beside, "classes": classes})
        if not hasattr(self.model, "cases_"):
            columns = take_named(X, y=y, **beside)
            X = columns[0]
            return self._fit(
                divided_alike(*columns) if is_dask(X) else columns, classes
            )
        X, y, *values = self._compute_here(*take_named(X, y=y, **beside))
        named = dict(zip(beside, values, strict=True), classes=classes)
        self.model.partial_fit(
            X, y, **{n: v for n, v in named.items() if v is not None}
        )
        return self

    def forget(self, ids: Any = None, *, before: object = None) -> Self:  # noqa: ANN401
        """Erase rows, wherever they are.

        Parameters
        ----------
        ids, before
            As for the estimator itself.
        """
        try:
            self.model.forget(ids, before=before)
        finally:
            self._copies = ModelCopies()  # no worker keeps one with the rows in it
        return self

    def predict(self, X: object) -> Any:  # noqa: ANN401 - as X
        """Predict each query; a Dask array for Dask queries."""
        return self._ask("predict", X)

    def score(self, X: object, y: object, sample_weight: object = None) -> float:
        """The accuracy of `predict`, or R squared of numbers."""
        score: Any = self.kind.score
        return float(score(self, *self._compute_here(X, y, sample_weight)))

    def gather(self) -> LazyEstimator:
        """The model with all cases on this machine."""
        check_is_fitted(self.model)
        with self.model.cases_.snapshot() as cases:
            return self._gather_state(cases)

    def _gather_state(self, cases: Any) -> LazyEstimator:  # noqa: ANN401
        """The model with the cases of one state on this machine."""
        local: Any = clone(self.model)
        restore_state(local, cases._join(), describe_state(self.model))
        return local

    def save(self, path: str | Path) -> None:
        """Write parameters and cases to a file of this machine; see `sklazy.load`."""
        self.model.save(path)

    def digest(self) -> str:
        """The fingerprint of all cases, which does not depend on where they are."""
        return self.model.digest()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        """Attribute of the estimator; it asks the parts, or has the cases joined."""
        if name.startswith("_") or name == "model":
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        if name in _NOT_HERE or name.endswith("_request"):
            raise AttributeError(
                f"sklazy.dask.{type(self).__name__} has no {name}; gather() gives the "
                "model with all cases on this machine, which has."
            )
        attribute = getattr(self.model, name)
        if name in _SPLIT:
            return partial(self._ask, name)
        return self._passed_on(attribute) if callable(attribute) else attribute

    # --- fitting ----------------------------------------------------------------------

    def _check_taken(self, method: str, arguments: dict[str, object]) -> None:
        """Refuse what the estimator does not take, and windows."""
        known = inspect.signature(getattr(self.kind, method)).parameters
        strange = [
            n for n, value in arguments.items() if value is not None and n not in known
        ]
        if strange:
            raise BadTypeError(
                f"{self.kind.__name__}.{method} takes no {strange[0]}; leave it out."
            )
        if getattr(self.model, "window", None) is not None:
            raise BadInputError(
                f"window={self.model.window!r} cannot be kept on a cluster; "
                "forget(ids) rows instead."
            )

    def _fit(self, columns: list[Any], classes: object = None) -> Self:
        client, model = find_client(self.client), clone(self.model)
        fit_parts(client, model, columns, classes, self.timeout)
        if self.by_parts:
            warm_up(model)
        self.model, self._copies = model, ModelCopies()
        return self

    # --- questions --------------------------------------------------------------------

    def _compute_here(self, *values: Any) -> list[Any]:  # noqa: ANN401
        """Collections of Dask as they are at this machine; anything else as it is."""
        if not any(map(is_dask, values)):
            return list(values)
        return compute(find_client(self.client), self.timeout, *values)

    def _passed_on(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def call(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401
            values = self._compute_here(*arguments, *options.values())
            named = dict(zip(options, values[len(arguments) :], strict=True))
            result = method(*values[: len(arguments)], **named)
            return self if result is self.model else result

        return call

    def _ask(self, method: str, X: object) -> Any:  # noqa: ANN401
        if not is_dask(X):
            return _join_answers(self._ask_here(method, X))
        answers, sizes = [], []
        with self._at_one_state() as state:
            for piece in computed_pieces(find_client(self.client), self.timeout, X):
                sizes.append(len(piece))
                if len(piece):
                    answers.append(_join_answers(state._ask_here(method, piece)))
            if not answers:  # the error names what is missing
                answers = state._ask_here(method, piece)
        return _as_dask(answers, sizes)

    @contextmanager
    def _at_one_state(self) -> Iterator[Self]:
        """The same, of a state that stays as it is in a ``with`` block."""
        check_is_fitted(self.model)
        with self.model.cases_.snapshot() as cases:
            state = shallow(self)
            state.model = shallow(self.model)
            state.model.cases_ = cases
            yield state

    def _ask_here(self, method: str, X: Any) -> list[Any]:  # noqa: ANN401
        """Answers, each to some of the queries."""
        if self.by_parts or not _has_rows(X):
            return [getattr(self.model, method)(X)]
        return self._copies.ask(self, find_client(self.client), method, X)


def _set_timeout(cases: Any, timeout: float) -> None:  # noqa: ANN401
    """Set the timeout of the parts, and of their state that is asked now."""
    for state in (cases, cases._state):
        if state is not None:
            state.parts.timeout = state.parts.engine.timeout = timeout


def _has_rows(X: Any) -> bool:  # noqa: ANN401
    """Whether queries can be split; others are for the estimator to look at."""
    is_table = hasattr(X, "__len__") and not isinstance(X, Mapping) and not issparse(X)
    return is_table and len(X) > 0


def _join_answers(answers: list[Any]) -> Any:  # noqa: ANN401
    """The answers to all queries, an array or several."""
    if isinstance(answers[0], tuple):
        return tuple(np.concatenate(parts) for parts in zip(*answers, strict=True))
    return np.concatenate(answers) if len(answers) > 1 else answers[0]


def _as_dask(answers: list[Any], sizes: list[int]) -> Any:  # noqa: ANN401
    """The same as arrays of Dask, in the chunks that the queries had."""
    if isinstance(answers[0], tuple):
        return tuple(
            _as_dask(list(parts), sizes) for parts in zip(*answers, strict=True)
        )
    return as_dask_array(np.concatenate(answers), sizes)


def warm_up(model: Any) -> None:  # noqa: ANN401
    """Ask about the first row, so that no later question waits for the compiler."""
    output = "decisions" if model.target.kind == "nominal" else "values"
    with model.cases_.snapshot() as cases, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = cases.coder.table(cases.take(np.zeros(1, np.int64)))
        with suppress(
            ValueError, DeviceError, MissingExtraError
        ):  # the first question raises it
            queries = cases.encode(table)
            answer_queries(model._learner(), cases, queries, [output])
