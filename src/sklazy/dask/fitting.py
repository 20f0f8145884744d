"""How the partitions of a Dask collection become parts of the cases on the workers."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from dask.delayed import delayed
from sklearn.base import clone

from sklazy.casebase import CaseBase
from sklazy.casebase.holding import PartsHere
from sklazy.casebase.joining import common_schema, in_order_of_arrival, with_nominal
from sklazy.casebase.kinds import open_columns
from sklazy.casebase.parted import PartedBase
from sklazy.casebase.parts import Part, without_rows
from sklazy.casebase.rows import CodedRows, Ids
from sklazy.dask.client import (
    apply_to_partitions,
    find_workers,
    is_dask,
    wait_for_result,
)
from sklazy.dask.engine import DaskEngine
from sklazy.dask.naming import (
    Labels,
    Names,
    Naming,
    check_given_ids,
    describe_names,
    index_of,
    is_named_by_index,
)
from sklazy.dask.shards import Shards
from sklazy.errors import BadInputError
from sklazy.estimators.keeping import check_some_weight, keep_part
from sklazy.estimators.state import describe_state, restore_state


class FittedPart(NamedTuple):
    """A fitted partition."""

    base: CaseBase | None  # None if it has no rows
    state: dict[str, Any]  # the state of an estimator without its cases
    weight: float  # the largest weight of a row
    labels: Labels | None  # the names of the rows: ids that were given, or the index
    is_given: bool  # whether ids were given


class PartHead(NamedTuple):
    """Summary of a partition, which the front needs to code all parts alike."""

    n_rows: int
    head: CaseBase
    open_columns: list[int]
    state: dict[str, Any]
    weight: float
    names: Names | None
    is_given: bool


class FitPlan(NamedTuple):
    """Plan by which parts are made."""

    whole: CaseBase  # without rows, of the kinds that all partitions have
    spans: list[slice]  # the partitions of each part
    sizes: list[int]  # the rows of each partition
    naming: Naming

    def filled(self, part: int) -> list[int]:
        """The partitions of a part that have rows."""
        numbers = range(len(self.sizes))[self.spans[part]]
        return [p for p in numbers if self.sizes[p]]


# --- on a worker ----------------------------------------------------------------------


def _fit_part(model: Any, classes: Any, *columns: Any) -> FittedPart:  # noqa: ANN401
    """Read a partition where it is."""
    X, y, weights, ids, times = columns
    if not len(X):
        return FittedPart(None, {}, 0.0, None, ids is not None)
    fitted = clone(model)
    names = range(len(X)) if ids is None else np.asarray(ids)
    keep_part(fitted, X, y, weights, names, classes, times)
    weight = 1.0 if weights is None else float(np.max(weights))
    labels = index_of(X) if ids is None else fitted.cases_.rows.ids
    return FittedPart(
        fitted.cases_, describe_state(fitted), weight, labels, ids is not None
    )


def _describe(part: FittedPart) -> PartHead | None:
    base = part.base
    if base is None:
        return None
    head = without_rows(base, base.schema)
    head.next_id = base.next_id
    names = None if part.labels is None else describe_names(part.labels)
    beside = part.state, part.weight, names, part.is_given
    return PartHead(base.n_rows, head, open_columns(base), *beside)


def _read_labels(part: FittedPart) -> Ids:
    return np.asarray([] if part.labels is None else part.labels)


def _make_part(plan: FitPlan, sources: Sequence[FittedPart], number: int) -> Part:
    """A part on a worker, of the kinds that all parts have."""
    first = plan.spans[number].start
    filled = [_rows_of(plan, p, sources[p - first]) for p in plan.filled(number)]
    if len(filled) == 1:
        return Part.of(*filled[0], number)
    parts = [Part.of(*rows, n) for n, rows in enumerate(filled)]
    sizes = [part.n_rows for part in parts]
    together = PartedBase(plan.whole, PartsHere(parts), sizes)
    together.bins.current = True  # cuts are found from all rows, later
    base = together._join()
    return Part.of(base, base.rows.live(), number)


def _rows_of(
    plan: FitPlan, partition: int, source: FittedPart
) -> tuple[CaseBase, CodedRows]:
    """The rows of a partition in order of arrival, and a base that codes them."""
    assert source.base is not None
    base = with_nominal(source.base, plan.whole.schema.positions("nominal"))
    rows = in_order_of_arrival(base)
    if plan.naming == "numbers":
        rows.ids = rows.ids + sum(plan.sizes[:partition])
    elif plan.naming == "index":
        rows.ids = _read_labels(source)
    return base, rows


# --- at the front ---------------------------------------------------------------------


def fit_parts(
    client: Any,  # noqa: ANN401
    model: Any,  # noqa: ANN401 - a lazy estimator
    columns: list[Any],
    classes: object,
    timeout: float,
) -> None:
    """Fit a model to partitions; the cases stay on the workers.

    `columns` are X, y, weights, ids and times: Dask collections that are divided alike,
    None for what is not given; or those of this machine, which are one partition then.
    """
    sources = _fit_all(partial(_fit_part, clone(model), classes), columns)
    fitted, described = _start_fits(client, sources)
    heads = _wait_for_heads(described, timeout)
    if columns[2] is not None:
        check_some_weight([head.weight for head in heads.values()])
    width = max(len(part.head.names) for part in heads.values())
    model._check_size(width, sum(head.n_rows for head in heads.values()))
    naming = _find_naming(client, timeout, heads, [fitted[p] for p in heads])
    n_parts = len(find_workers(client, timeout))
    plan = _make_plan(heads, n_parts, len(fitted), naming)
    cases = _start_parts(client, timeout, plan, sources, fitted)
    restore_state(model, cases, next(iter(heads.values())).state)
    model._check_cases(cases)


def _fit_all(fit: Callable[..., FittedPart], columns: list[Any]) -> list[Any]:
    """Fit all partitions, as delayed objects."""
    if is_dask(columns[0]):
        return apply_to_partitions(fit, *columns)
    return [delayed(fit)(*columns)]


def _start_fits(client: Any, sources: list[Any]) -> tuple[list[Any], list[Any]]:  # noqa: ANN401
    """Futures of what partitions hold, and of what the front must know of them.

    They are made in one go: the scheduler may read a second graph before the first.
    """
    described = [delayed(_describe)(source) for source in sources]
    futures = client.compute([*sources, *described])
    return futures[: len(sources)], futures[len(sources) :]


def _wait_for_heads(described: Sequence[Any], timeout: float) -> dict[int, PartHead]:
    """Summaries of the partitions that have rows, by their numbers."""
    summaries = [_wait_for_head(one, timeout, p) for p, one in enumerate(described)]
    heads = {p: one for p, one in enumerate(summaries) if one is not None}
    if not heads:
        raise BadInputError("X has no rows in any partition; give at least one row.")
    return heads


def _wait_for_head(described: Any, timeout: float, partition: int) -> Any:  # noqa: ANN401
    """Wait for a partition's summary; errors count rows from its first."""
    try:
        return wait_for_result(described, timeout, f"partition {partition}")
    except ValueError as error:
        error.add_note(f"This is of partition {partition}, whose first row is row 0.")
        raise


def _find_naming(
    client: Any,  # noqa: ANN401
    timeout: float,
    heads: dict[int, PartHead],
    fitted: Sequence[Any],
) -> Naming:
    def fetch() -> list[Ids]:
        labels = client.map(_read_labels, fitted, pure=False)
        return [wait_for_result(future, timeout, "ids") for future in labels]

    names = [head.names for head in heads.values()]
    if next(iter(heads.values())).is_given:
        check_given_ids([head for head in names if head is not None], fetch)
        return "given"
    return "index" if is_named_by_index(names, fetch) else "numbers"


def _make_plan(
    heads: dict[int, PartHead], n_parts: int, n_partitions: int, naming: Naming
) -> FitPlan:
    first = next(iter(heads.values())).head
    known = {p: (head.head, head.open_columns) for p, head in heads.items()}
    schema = replace(common_schema(known, "partition"), indexed=naming == "index")
    whole = without_rows(first, schema)
    sizes = [heads[p].n_rows if p in heads else 0 for p in range(n_partitions)]
    whole.next_id = _next_id(heads.values(), naming)
    return FitPlan(whole, _group(sizes, n_parts), sizes, naming)


def _next_id(heads: Iterable[PartHead], naming: Naming) -> int:
    """The number that the next row gets which comes without an id."""
    heads = list(heads)
    if naming == "numbers":
        return sum(head.n_rows for head in heads)
    if naming == "given":
        return max(head.head.next_id for head in heads)
    names = [head.names for head in heads if head.names is not None]
    return 0 if names[0].is_text else max(0, *(int(n.highest) + 1 for n in names))


def _group(sizes: Sequence[int], n_groups: int) -> list[slice]:
    """Neighboring partitions together, about as many rows in each group."""
    rows = np.array(sizes)
    middles = np.cumsum(rows) - rows / 2
    owners = np.where(rows, middles * n_groups // rows.sum(), -1).astype(int)
    members = [np.flatnonzero(owners == group) for group in range(n_groups)]
    return [slice(int(m[0]), int(m[-1]) + 1) for m in members if len(m)]


def _start_parts(
    client: Any,  # noqa: ANN401
    timeout: float,
    plan: FitPlan,
    sources: Sequence[Any],
    fitted: Sequence[Any],
) -> PartedBase:
    """The case base of all parts, which stay on the workers."""
    again = [sources[span] for span in plan.spans]
    engine = DaskEngine(client, partial(_make_part, plan), again, timeout)
    engine.start_all([fitted[span] for span in plan.spans])
    sizes = [sum(plan.sizes[span]) for span in plan.spans]
    base = PartedBase(plan.whole, Shards(engine, len(sizes), timeout), sizes)
    base.bins.current = False
    return base
