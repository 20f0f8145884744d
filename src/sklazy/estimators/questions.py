"""Other questions about a model: similar cases, novelty, the past, the explorer."""

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from sklazy.answer import Batch, answer_from_past, n_earlier, prepare
from sklazy.answer.batch import canonical_places
from sklazy.answer.learner import Answer
from sklazy.answer.novelty import Novelty, find_novelty, measure_all
from sklazy.casebase import CaseBase
from sklazy.estimators.inputs import places_of
from sklazy.estimators.keeping import query_ids
from sklazy.estimators.parameters import check_count
from sklazy.flow import Queries
from sklazy.kernels.kernel_models import measure_distances
from sklazy.methods.blends.learner import BlendAnswer, BlendLearner
from sklazy.methods.kernel_models.learner import KernelAnswer, KernelLearner
from sklazy.methods.plain import as_dates, describe_dates, target_names
from sklazy.tables.frames import index_labels
from sklazy.tables.origins import expanded_names

Near = tuple[NDArray[np.int64], NDArray[np.float64]]
"""The rows nearest to a query, and their distances."""

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
        queries = cases.encode(table)
        nearest = _find_nearest(model, cases, queries, k)
        return _frame_of_similar(cases, nearest, query_ids(model, X) or index_labels(X))


def _find_nearest(
    model: "LazyEstimator", cases: CaseBase, queries: Queries, k: int
) -> list[Near]:
    """The nearest cases of each query: by the distance of a kernel, if there is one."""
    learner, kernel = model._current_learner(cases), None
    if type(learner) in (KernelLearner, BlendLearner):
        batch = Batch(cases, cases.cases, queries)
        kernel = find_kernel(learner.answer(prepare(learner, cases), batch))
    if kernel is None:
        return [nearest_cases(cases, queries, i, k) for i in range(len(queries.codes))]
    data = kernel.data
    distances = np.empty((len(kernel.placed), len(data.rows)))
    measure_distances(data.columns, np.ascontiguousarray(kernel.placed), distances)
    orders = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return [
        (data.rows[order], far[order])
        for order, far in zip(orders, distances, strict=True)
    ]


def find_kernel(answer: Answer) -> KernelAnswer | None:
    """The answer of a kernel model, or of the member of a blend that is one."""
    if isinstance(answer, KernelAnswer):
        return answer
    if not isinstance(answer, BlendAnswer):
        return None
    pairs = zip(answer.by_member, answer.ready.weights.tolist(), strict=True)
    members = [member.answer for member, weight in pairs if weight]
    return next((one for one in members if isinstance(one, KernelAnswer)), None)


def _frame_of_similar(
    cases: CaseBase, nearest: list[Near], labels: list[Any] | None
) -> "pandas.DataFrame":
    import pandas  # noqa: PLC0415 (an optional dependency)

    numbers = range(len(nearest))
    rows = np.concatenate([near for near, _ in nearest])
    frame = _restore_dates(cases, cases.to_table().take(rows.tolist()).to_pandas())
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


def _restore_dates(cases: CaseBase, frame: "pandas.DataFrame") -> "pandas.DataFrame":
    """The frame with dates as such, and without the parts that are learned from."""
    dates = describe_dates(cases).get("dates", ())
    for parts in expanded_names(cases.schema.origins):
        if parts and parts[0] in dates:
            frame[parts[0]] = as_dates(frame[parts[0]].to_numpy())
            frame = frame.drop(columns=parts[1:])
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
