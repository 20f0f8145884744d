"""The table of cases: filtered, sorted and split into pages."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError
from sklazy.methods.plain import number
from sklazy.web.explore.columns import most_relevant
from sklazy.web.explore.left_out import LeftOut
from sklazy.web.explore.overview import ConfusionGroups
from sklazy.web.explore.state import Ints, State, plain_id

Plain = dict[str, Any]
Mask = NDArray[np.bool_]

MOST_ON_A_PAGE = 500
_MOST_FILTERS = 30
_SHOWN = 8  # columns by default
SORTS = ("row", "doubt", "probability", "truth", "answer")


class CaseFilter(NamedTuple):
    """Which cases to list, in which order.

    Attributes
    ----------
    filters : sequence of dict
        Each with a `column` and `low`, `high`, `labels` or `missing`.
    truth, answer : str or None
        Labels.
    cell : (int, int) or None
        A cell of the confusion matrix.
    doubt : (float, float) or None
        The least and the most.
    wrong : bool
        Only cases whose leave-one-out prediction is wrong.
    search : str
        The beginning of an id.
    sort : str
        One of `SORTS`, or a column.
    falling : bool
    columns : sequence of str
        Columns to show; the most relevant ones if empty.
    """

    filters: Sequence[Mapping[str, Any]] = ()
    truth: str | None = None
    answer: str | None = None
    cell: tuple[int, int] | None = None
    doubt: tuple[float, float] | None = None
    wrong: bool = False
    search: str = ""
    sort: str = "row"
    falling: bool = False
    columns: Sequence[str] = ()


def parse_case_filter(body: Mapping[str, Any]) -> CaseFilter:
    """Parse the filter that a page sends; raise if it is invalid."""
    unknown = set(body) - set(CaseFilter._fields)
    if unknown:
        raise BadInputError(f"unknown filter {min(unknown)!r}.")
    filters = body.get("filters", [])
    if not isinstance(filters, list) or len(filters) > _MOST_FILTERS:
        raise BadInputError(f"filters must be a list of at most {_MOST_FILTERS}.")
    return CaseFilter(
        filters=[_check_filter(one) for one in filters],
        truth=_text(body, "truth"),
        answer=_text(body, "answer"),
        cell=_check_cell(body.get("cell")),
        doubt=_check_range(body.get("doubt")),
        wrong=body.get("wrong") is True,
        search=_text(body, "search") or "",
        sort=_text(body, "sort") or "row",
        falling=body.get("falling") is True,
        columns=_check_names(body.get("columns")),
    )


def _text(body: Mapping[str, Any], name: str) -> str | None:
    value = body.get(name)
    return None if value is None else str(value)


def _check_names(value: object) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(n, str) for n in value):
        raise BadInputError("columns must be a list of names.")
    return value


def _check_cell(value: object) -> tuple[int, int] | None:
    if value is None:
        return None
    whole = isinstance(value, list) and all(type(part) is int for part in value)
    if not isinstance(value, list) or not whole or len(value) != 2:
        raise BadInputError("cell must be two whole numbers.")
    return value[0], value[1]


def _check_range(value: object) -> tuple[float, float] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2:
        raise BadInputError("doubt must be two numbers, the least and the most.")
    return _check_end(value[0], -math.inf), _check_end(value[1], math.inf)


def _check_end(value: object, default: float) -> float:
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadInputError(f"{value!r}; expected a number to filter by.")
    return float(value)


def _check_filter(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict) or not isinstance(value.get("column"), str):
        raise BadInputError("a filter must be an object with the name of a column.")
    return value


# --- filtering and sorting ------------------------------------------------------------


def choose_cases(state: State, left_out: LeftOut, case_filter: CaseFilter) -> Ints:
    """The rows that pass the filter, sorted."""
    mask = np.ones(state.n_rows, bool)
    for one in case_filter.filters:
        mask &= _filter_column(state, one)
    mask &= _filter_targets(state, left_out, case_filter)
    if case_filter.search:
        mask &= state.search(case_filter.search)
    rows = np.flatnonzero(mask)
    return _sort_rows(state, left_out, case_filter, rows)


def _filter_column(state: State, one: Mapping[str, Any]) -> Mask:
    j, numeric = state.column(one["column"])
    cells = state.cells(j, np.arange(state.n_rows))
    missing = np.isnan(cells) if numeric else cells < 0
    if "missing" in one:
        return missing if one["missing"] else ~missing
    if numeric:
        low = _check_end(one.get("low"), -math.inf)
        high = _check_end(one.get("high"), math.inf)
        return (cells >= low) & (cells <= high)
    wanted = {str(label) for label in one.get("labels", ())}
    labels = state.base.categories(j)
    codes = [c for c, label in enumerate(labels) if str(label) in wanted]
    return np.isin(cells, codes)


def _filter_targets(state: State, left_out: LeftOut, case_filter: CaseFilter) -> Mask:
    mask = np.ones(state.n_rows, bool)
    if case_filter.truth is not None:
        mask &= state.truths == _code_of(state, case_filter.truth)
    if case_filter.answer is not None:
        mask &= left_out.known & (
            left_out.answers == _code_of(state, case_filter.answer)
        )
    if case_filter.cell is not None:
        groups, (i, j) = ConfusionGroups(state, left_out), case_filter.cell
        mask &= (groups.truths == i) & (groups.answers == j)
    if case_filter.wrong:
        mask &= left_out.known & _is_wrong(state, left_out)
    if case_filter.doubt is not None:
        doubts = left_out.scaled_doubts()
        mask &= (doubts >= case_filter.doubt[0]) & (doubts <= case_filter.doubt[1])
    return mask


def _is_wrong(state: State, left_out: LeftOut) -> Mask:
    """Whether the class differs, or the error is above three times the usual one."""
    if state.classifies:
        return left_out.answers != state.truths
    return left_out.scaled_doubts() > 3.0


def _code_of(state: State, text: str) -> int:
    texts = [str(label) for label in state.base.class_labels]
    if text not in texts:
        raise BadInputError(f"{text!r} is not a class; expected one of {texts[:20]}.")
    return texts.index(text)


def _sort_rows(
    state: State, left_out: LeftOut, case_filter: CaseFilter, rows: Ints
) -> Ints:
    if case_filter.sort == "row":
        return rows[::-1] if case_filter.falling else rows
    keys = _sort_keys(state, left_out, case_filter.sort)[rows].astype(float)
    unknown = np.isnan(keys)
    # Unknown values come last, in both directions.
    keys = np.where(unknown, 0.0, -keys if case_filter.falling else keys)
    return rows[np.lexsort((rows, keys, unknown))]


def _sort_keys(state: State, left_out: LeftOut, sort: str) -> NDArray[Any]:
    keys: dict[str, Callable[[], NDArray[Any]]] = {
        "doubt": left_out.scaled_doubts,
        "probability": lambda: left_out.shares,
        "truth": lambda: state.truths,
        "answer": lambda: np.where(left_out.known, left_out.answers, np.nan),
    }
    return keys.get(sort, lambda: _cell_keys(state, sort))()


def _cell_keys(state: State, name: str) -> NDArray[Any]:
    j, numeric = state.column(name)
    cells = state.cells(j, np.arange(state.n_rows))
    return cells if numeric else np.where(cells < 0, np.nan, cells)


# --- a page ---------------------------------------------------------------------------


def list_cases(
    state: State, left_out: LeftOut, case_filter: CaseFilter, page: int, per_page: int
) -> Plain:
    """One page of the cases that pass the filter."""
    rows = choose_cases(state, left_out, case_filter)
    n_pages = max(1, math.ceil(len(rows) / per_page))
    page = min(max(page, 0), n_pages - 1)
    shown = rows[page * per_page : (page + 1) * per_page]
    names = list(case_filter.columns) or most_relevant(state, _SHOWN)
    for name in names:
        state.column(name)
    n_open = left_out.ask_for(shown.tolist())
    return {
        "n_found": len(rows),
        "n_rows": state.n_rows,
        "page": page,
        "n_pages": n_pages,
        "first": page * per_page,
        "columns": names,
        "n_open": n_open,
        "exact": left_out.exact,
        "rows": describe_cases(state, left_out, shown, names),
    }


def describe_cases(
    state: State, left_out: LeftOut, rows: Ints, names: Sequence[str]
) -> list[Plain]:
    """Cases with their cells and leave-one-out predictions."""
    values = state.values(rows, list(names))
    doubts = left_out.scaled_doubts()
    return [
        {**describe_case(state, left_out, doubts, row), "values": cells}
        for row, cells in zip(rows.tolist(), values, strict=True)
    ]


def describe_case(
    state: State, left_out: LeftOut, doubts: NDArray[Any], row: int
) -> Plain:
    """A case without its cells."""
    known = bool(left_out.known[row])
    answer = left_out.answers[row]
    return {
        "id": plain_id(state.ids[row]),
        "truth": state.truth(row),
        "answer": state.label(answer) if known else None,
        "known": known,
        "agrees": bool(answer == state.truths[row]) if known else None,
        "probability": number(left_out.shares[row]),
        "doubt": number(doubts[row]),
    }
