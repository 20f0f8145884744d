"""Put rows into the case base of an estimator, the first and further ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_regressor

from sklazy.casebase import CaseBase
from sklazy.casebase.cells import (
    Cells,
    add_cells,
    encode_cells,
    list_cells,
    read_cells,
)
from sklazy.casebase.cuts import CRITERIA
from sklazy.casebase.incoming import IdsLike, Target
from sklazy.casebase.matrix import add_numbers, plain_numbers
from sklazy.casebase.moments import (
    NO_TIMES,
    Times,
    add_within,
    as_length,
    as_times,
    forget_outside,
)
from sklazy.casebase.rows import Ids
from sklazy.casebase.schema import Attribute, Schema
from sklazy.errors import BadInputError, warn_once
from sklazy.estimators.class_weights import (
    check_weighed_classes,
    is_balanced,
    weigh_by_class,
)
from sklazy.estimators.inputs import class_column
from sklazy.estimators.parameters import check_choice, check_columns, spare_columns
from sklazy.estimators.state import let_choices_age
from sklazy.flow import Queries
from sklazy.tables import Table, as_table
from sklazy.tables.arrays import are_dicts
from sklazy.tables.convert import plain_table
from sklazy.tables.frames import (
    column_names,
    index_ids,
    order_columns,
    target_column_names,
)
from sklazy.tables.gathering import gather_added, gather_rows
from sklazy.tables.naming import mostly_differ
from sklazy.tables.origins import expand_columns, follow_origins, origins_of
from sklazy.tables.taking import take_columns, take_times
from sklazy.tables.targets import read_amounts, warn_of_pairs

if TYPE_CHECKING:
    from sklazy.estimators.base import LazyEstimator

Model = TypeVar("Model", bound="LazyEstimator")

# --- the first rows -------------------------------------------------------------------


def keep_rows(
    model: Model,
    X: object,
    y: object,
    sample_weight: ArrayLike | None,
    ids: IdsLike,
    classes: ArrayLike | None = None,
    times: object = None,
) -> Model:
    """Build the case base; nothing is changed before all of it has gone well."""
    id_column = ids if isinstance(ids, str) else ""
    time_column = times if isinstance(times, str) else ""
    X, times = take_times(X, times)
    X, y, ids = take_columns(X, y, ids)
    warn_of_pairs(X, y)
    y = read_amounts(y) if is_regressor(model) else y
    rows = (model, X, y, sample_weight, ids, classes, times)
    keep_part(*rows, whole=True, id_column=id_column, time_column=time_column)
    if model._warns_of_names:
        _warn_of_names(model.cases_)
    return model


def keep_part(
    model: LazyEstimator,
    X: object,
    y: object,
    sample_weight: ArrayLike | None,
    ids: IdsLike,
    classes: ArrayLike | None = None,
    times: object = None,
    *,
    whole: bool = False,
    id_column: str = "",
    time_column: str = "",
) -> None:
    """Build the case base of rows that are the whole, or a part with others elsewhere.

    The number of rows, their weights and what can be learned from them are checked of
    the whole alone. `id_column` and `time_column` are the names of the columns that
    were taken for the ids and times.
    """
    model._check_parameters()
    check_choice("discretization", criterion_of(model), tuple(CRITERIA))
    as_read, target = read_first(model, X), model._target(y)
    table = expand_columns(as_read)
    model._check_table(table)
    model._check_size(len(table.columns), len(table) if whole else None)
    sample_weight = weigh_by_class(model, target, sample_weight)
    if whole:
        check_weighed_classes(model, target, classes)
        check_some_weight(sample_weight)
    index = index_ids(X) if ids is None else None
    schema = _make_schema(as_read, target, y, classes, indexed=index is not None)
    cases = CaseBase(
        table,
        target,
        weights=sample_weight,
        times=read_times(model, times),
        ids=ids if index is None else index,
        criterion=criterion_of(model),
        cuts=getattr(model, "cuts", "exact"),
        schema=replace(
            schema,
            balanced=is_balanced(model),
            id_column=id_column,
            time_column=time_column,
        ),
    )
    _forget_old(model, cases)
    let_choices_age(model, cases)
    if whole:
        model._check_cases(cases)
    fitted = model._find_fitted(y)
    check_columns(model, as_read if are_dicts(X) else X, reset=True)
    model.__dict__.update(fitted, cases_=cases)


def _make_schema(
    as_read: Table,
    target: Target,
    y: object,
    classes: ArrayLike | None,
    *,
    indexed: bool,
) -> Schema:
    schema = replace(
        Schema.of(expand_columns(as_read), target),
        targets=target_column_names(y),
        origins=origins_of(as_read),
        indexed=indexed,
    )
    if classes is None:
        return schema
    declared = Attribute.of(class_column(classes, declared=True)).declared
    return replace(schema, classes=declared)


def check_some_weight(sample_weight: ArrayLike | None) -> None:
    """Refuse rows none of which counts."""
    if sample_weight is not None and not np.asarray(sample_weight).any():
        raise BadInputError(
            "sample_weight, times class_weight where given, is zero everywhere; give "
            "at least one row a weight above 0."
        )


def criterion_of(model: LazyEstimator) -> str:
    """The stop rule of the cuts, where there is such a parameter."""
    return getattr(model, "discretization", "fayyad")


def _forget_old(model: LazyEstimator, cases: CaseBase) -> None:
    """Forget the first rows that a window leaves out, and frozen cuts of them."""
    window = getattr(model, "window", None)
    if window is not None:
        forget_outside(cases, window)
        cases.refresh()


def _warn_of_names(cases: CaseBase) -> None:
    """Warn of nominal columns that do hardly more than name the rows."""
    naming = [name for j, name in enumerate(cases.names) if _names_rows(cases, j)]
    if naming:
        warn_once(
            f"columns that name rows: {naming}. Nearly every value occurs in one row "
            "only and cannot help with new rows. Leave these columns out."
        )


def _names_rows(cases: CaseBase, attribute: int) -> bool:
    memory = cases.cases
    if memory.numeric[attribute] >= 0:
        return False
    codes = memory.codes[attribute, : memory.n_rows]
    sizes = np.bincount(codes[codes >= 0])
    return mostly_differ(int((sizes > 0).sum()), int(sizes.sum()))


# --- further rows ---------------------------------------------------------------------


def add_rows(
    model: Model,
    X: object,
    y: object,
    sample_weight: ArrayLike | None,
    ids: IdsLike,
    classes: ArrayLike | None = None,
    times: object = None,
) -> Model:
    """Add rows, or keep the first."""
    if not hasattr(model, "cases_"):
        return keep_rows(model, X, y, sample_weight, ids, classes, times)
    X = gather_more(model, X)
    id_column = model.cases_.schema.id_column
    if ids is None and id_column and id_column in column_names(X):
        ids = id_column
    if times is None and model.cases_.schema.time_column in column_names(X):
        times = model.cases_.schema.time_column
    if ids is None and not model.cases_.schema.indexed:
        _check_ids_needed(model, X, y)
    X, times = take_times(X, times)
    X, y, ids = take_columns(X, y, ids)
    X = put_in_order(model, X)
    add = find_adder(model, X)
    target = model._target(y)
    sample_weight = weigh_by_class(model, target, sample_weight)
    if ids is None and model.cases_.schema.indexed:
        ids = index_ids(X)
    add = partial(
        add, target, weights=sample_weight, times=read_times(model, times), ids=ids
    )
    add_within(model.cases_, getattr(model, "window", None), add)
    return model


def _check_ids_needed(model: LazyEstimator, X: object, y: object) -> None:
    """Ask for the ids that rows have, by the name of a column that may hold them."""
    if not model.cases_.rows.has_text_ids:
        return
    schema = model.cases_.schema
    known = {*(o.name for o in schema.origins), *schema.names, *schema.targets}
    known.update([y] if isinstance(y, str) else [])
    others = [name for name in column_names(X) if name not in known]
    if others:
        raise BadInputError(
            "ids=None, but the rows here have text ids; give one for each new row, or "
            f"its column: ids={others[0]!r}."
        )


def find_adder(model: LazyEstimator, X: object) -> Callable[..., Ids]:
    """Return a function that adds rows, whose target is not known yet."""
    named = model.categorical_features
    judges = isinstance(named, str) and named == "from_dtype"
    numbers = plain_numbers(model.cases_, X) if judges else None
    if numbers is not None:
        model._check_columns(X)
        return partial(add_numbers, model.cases_, numbers)
    cells = _plain_cells(model, X)
    if cells is not None:
        return partial(_add_cells, model, X, cells)
    return _find_table_adder(model, X)


def _plain_cells(model: LazyEstimator, X: object) -> Cells | None:
    """The cells of few rows that need no table to be read; None for others."""
    if not _reads_cells(model, X):
        return None
    cells = list_cells(model.cases_, X)
    is_plain = cells is not None and read_cells(model.cases_, cells) is not None
    return cells if is_plain else None


def _add_cells(
    model: LazyEstimator,
    X: object,
    cells: Cells,
    target: Target,
    **rest: Any,  # noqa: ANN401 - as `CaseBase.add` takes it
) -> Ids:
    """Add few rows; as a table, where a class or a label is not known by now."""
    new = add_cells(model.cases_, cells, target, **rest)
    return _find_table_adder(model, X)(target, **rest) if new is None else new


def _find_table_adder(model: LazyEstimator, X: object) -> Callable[..., Ids]:
    named = model.categorical_features
    judges = isinstance(named, str) and named == "from_dtype"
    table = read_later(model, X, mixed=False)
    model._check_columns(X)
    return partial(model.cases_.add, table, mixed=not judges)


# --- reading --------------------------------------------------------------------------


def read_first(model: LazyEstimator, X: object) -> Table:
    """Read the first rows, with the nominal columns that the parameters name."""
    return as_table(X, categorical_features=model.categorical_features, mixed=False)


def read_later(model: LazyEstimator, X: object, *, mixed: bool = True) -> Table:
    """Read queries or added rows as the first rows were read."""
    named = model.categorical_features
    table = plain_table(X, categorical_features=named, mixed=mixed, later=True)
    table = follow_origins(table, model.cases_.schema.origins)
    model._check_table(table)
    return table


def put_in_order(model: LazyEstimator, X: object) -> object:
    """A frame or table with the columns in the order of those of `fit`.

    Names decide which column is which; those of ids and targets are left out, and
    others than those of `fit` stay, to be refused.
    """
    known = getattr(model, "feature_names_in_", None)
    if known is None or type(X) is np.ndarray:
        return X
    return order_columns(X, known.tolist(), spare_columns(model))


def find_id_column(model: LazyEstimator) -> str:
    """The column of frames that `fit` took for the ids, "" for none."""
    schema: Schema | None = getattr(getattr(model, "cases_", None), "schema", None)
    return schema.id_column if schema else ""


def query_ids(model: LazyEstimator, X: Any) -> list[Any] | None:  # noqa: ANN401
    """The ids of queries: those in the column of ids, or else in the index."""
    name = find_id_column(model)
    if not name or name not in column_names(X):
        return index_ids(X)
    ids = take_columns(X, None, name)[2]
    return ids if all(isinstance(one, int | str) for one in ids) else index_ids(X)


def encode_later(model: LazyEstimator, cases: CaseBase, X: object) -> Queries:
    """Code queries by one state of the cases."""
    queries = encode_cells(cases, X) if _reads_cells(model, X) else None
    return cases.encode(model._query_table(X)) if queries is None else queries


def _reads_cells(model: LazyEstimator, X: object) -> bool:
    """Whether columns are known by name, and single cells need not be checked.

    Dicts name their cells; the names of frames are compared by scikit-learn, unless
    they are those of `fit`.
    """
    is_named = hasattr(model, "feature_names_in_") or isinstance(X, list | dict)
    return is_named and model._reads_arrays


def gather_queries(model: LazyEstimator, X: object) -> object:
    """Queries of a source as a table, read as the cases were; others as they are."""
    if type(X) is np.ndarray or isinstance(X, Table):
        return X
    cases = model.cases_
    return gather_rows(X, partial(cases.schema.user_table, cases.coder.vocabularies))


def gather_more(model: LazyEstimator, X: object) -> object:
    """Rows of a source with all their columns, read as the cases were, if any."""
    if type(X) is np.ndarray:
        return X
    if not hasattr(model, "cases_"):
        return gather_rows(X)
    cases = model.cases_
    return gather_added(X, partial(cases.schema.user_table, cases.coder.vocabularies))


def read_times(model: LazyEstimator, times: object) -> Times:
    """Read when rows happened, and how their weights fade."""
    moments = NO_TIMES if times is None else as_times(times)
    half_life = getattr(model, "half_life", None)
    if half_life is None:
        return moments
    length = as_length(half_life, moments.clock, "half_life")
    return replace(moments, half_life=length)
