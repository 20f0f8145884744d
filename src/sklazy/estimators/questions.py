"""Other questions about a model: similar cases, novelty, the past, the explorer."""

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from sklazy.answer import answer_from_past, n_earlier
from sklazy.answer.batch import canonical_places
from sklazy.answer.novelty import Novelty, find_novelty, measure_all
from sklazy.casebase import CaseBase
from sklazy.estimators.inputs import places_of
from sklazy.estimators.parameters import check_count
from sklazy.flow import Queries
from sklazy.methods.plain import target_names
from sklazy.tables.frames import index_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas

    from sklazy.estimators.base import LazyEstimator


def measure_novelty(model: "LazyEstimator", X: object) -> Novelty:
    """Compare how far queries and cases are from the nearest other case."""
    table = model._query_table(X)
    with model.cases_.snapshot() as cases:
        return find_novelty(cases, cases.encode(table))


def find_similar(model: "LazyEstimator", X: object, k: int) -> "pandas.DataFrame":
    """List the k cases nearest to each query; see `LazyEstimator.similar`."""
    check_is_fitted(model)
    check_count("k", k)
    table = model._query_table(X)
    with model.cases_.snapshot() as cases:
        return _frame_of_similar(cases, cases.encode(table), k, index_labels(X))


def _frame_of_similar(
    cases: CaseBase, queries: Queries, k: int, labels: list[Any] | None
) -> "pandas.DataFrame":
    import pandas  # noqa: PLC0415 (an optional dependency)

    numbers = range(len(queries.codes))
    nearest = [nearest_cases(cases, queries, query, k) for query in numbers]
    rows = np.concatenate([near for near, _ in nearest])
    frame = cases.to_table().take(rows.tolist()).to_pandas()
    for name, values in targets_of(cases, rows).items():
        frame[_free_name(name, frame)] = values
    distances = [d for _, far in nearest for d in far.tolist()]
    frame.insert(0, _free_name("distance", frame), distances)
    names = labels if labels is not None else list(numbers)
    pairs = [names[query] for query in numbers for _ in nearest[query][0]]
    frame.index = pandas.MultiIndex.from_arrays(
        [pairs, cases.ids[rows].tolist()], names=["query", "case"]
    )
    return frame


def nearest_cases(
    cases: CaseBase, queries: Queries, query: int, k: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The rows nearest to a query, and their distances."""
    squares = measure_all(cases, queries, query)
    order = np.lexsort((canonical_places(cases), squares))[:k]
    return order, np.sqrt(squares[order])


def targets_of(cases: CaseBase, rows: NDArray[np.int64]) -> dict[str, list[Any]]:
    """The targets of rows, by name."""
    names = target_names(cases)
    if cases.class_labels:
        codes = cases.cases.classes[rows].tolist()
        return {names[0]: [cases.class_labels[code] for code in codes]}
    numbers = cases.cases.targets[:, rows].tolist()
    return dict(zip(names, numbers, strict=True))


def _free_name(name: str, frame: "pandas.DataFrame") -> str:
    """The name, with underscores behind it as long as a column has it."""
    return name if name not in frame else _free_name(f"{name}_", frame)


def predict_past(model: "LazyEstimator", rows: ArrayLike | None) -> NDArray[Any]:
    """Predict training rows, each from the rows before it; see `past_predict`."""
    check_is_fitted(model)
    output = "decisions" if model.target.kind == "nominal" else "values"
    with model.cases_.snapshot() as state:
        cases = state.joined()  # the past is built of rows in one place
        places = places_of(cases, rows)
        if rows is None:
            places = places[n_earlier(cases)[places] >= model._fewest_rows]
        learner = model._current_learner(cases)
        answers = answer_from_past(learner, cases, places, [output], model.n_jobs)
        (predicted,) = model._decode([output], answers, cases)
    return predicted[:, 0] if predicted.ndim == 2 and model._is_flat else predicted


def open_explorer(
    model: "LazyEstimator",
    beside: "Mapping[str, LazyEstimator] | None",
    **options: Any,  # noqa: ANN401 - as `explore` takes them
) -> Any:  # noqa: ANN401
    """Serve the page of a fitted model; see `LazyEstimator.explore`."""
    check_is_fitted(model)
    # By name: that room is above this one, and is opened only on demand.
    opening = importlib.import_module("sklazy.web.explore.opening")
    explore: Callable[..., Any] = opening.explore
    return explore({type(model).__name__: model, **(beside or {})}, **options)
