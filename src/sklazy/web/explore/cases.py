"""The table of cases: filtered, sorted and cut into pages by the server."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError
from sklazy.receipts.plain import number
from sklazy.web.explore.columns import most_relevant
from sklazy.web.explore.left_out import LeftOut
from sklazy.web.explore.overview import Cells
from sklazy.web.explore.state import Ints, State

Plain = dict[str, Any]
Mask = NDArray[np.bool_]

MOST_ON_A_PAGE = 500
_MOST_FILTERS = 30
_SHOWN = 8  # columns, unless others are asked for
SORTS = ("row", "doubt", "probability", "truth", "answer")


class Wish(NamedTuple):
    """Which cases are wanted, in which order.

    Attributes
    ----------
    filters : sequence of dict
        Each with a `column` and `low`, `high`, `labels` or `missing`.
    truth, answer : str or None
        Labels.
    cell : (int, int) or None
        Of the confusion matrix.
    doubt : (float, float) or None
        The least and the most.
    wrong : bool
        Only those that the others contradict.
    search : str
        What ids begin with.
    sort : str
        One of `SORTS`, or a column.
    falling : bool
    columns : sequence of str
        To be shown; those that tell most if there is none.
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


def read_wish(given: Mapping[str, Any]) -> Wish:
    """What a page asks for, or an error that says what makes no sense."""
    unknown = set(given) - set(Wish._fields)
    if unknown:
        raise BadInputError(f"{min(unknown)!r} is no way to choose cases.")
    filters = given.get("filters", [])
    if not isinstance(filters, list) or len(filters) > _MOST_FILTERS:
        raise BadInputError(f"filters must be a list of at most {_MOST_FILTERS}.")
    return Wish(
        filters=[_read_filter(one) for one in filters],
        truth=_text(given, "truth"),
        answer=_text(given, "answer"),
        cell=_read_cell(given.get("cell")),
        doubt=_read_ends(given.get("doubt")),
        wrong=given.get("wrong") is True,
        search=_text(given, "search") or "",
        sort=_text(given, "sort") or "row",
        falling=given.get("falling") is True,
        columns=_read_names(given.get("columns")),
    )


def _text(given: Mapping[str, Any], name: str) -> str | None:
    value = given.get(name)
    return None if value is None else str(value)


def _read_names(given: object) -> list[str]:
    if given is None:
        return []
    if not isinstance(given, list) or not all(isinstance(n, str) for n in given):
        raise BadInputError("columns must be a list of names.")
    return given


def _read_cell(given: object) -> tuple[int, int] | None:
    if given is None:
        return None
    whole = isinstance(given, list) and all(type(part) is int for part in given)
    if not isinstance(given, list) or not whole or len(given) != 2:
        raise BadInputError("cell must be two whole numbers.")
    return given[0], given[1]


def _read_ends(given: object) -> tuple[float, float] | None:
    if given is None:
        return None
    if not isinstance(given, list) or len(given) != 2:
        raise BadInputError("doubt must be two numbers, the least and the most.")
    return _end(given[0], -math.inf), _end(given[1], math.inf)


def _end(given: object, otherwise: float) -> float:
    if given is None:
        return otherwise
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise BadInputError(f"{given!r} is no number to filter by.")
    return float(given)


def _read_filter(given: object) -> Mapping[str, Any]:
    if not isinstance(given, dict) or not isinstance(given.get("column"), str):
        raise BadInputError("a filter is an object with the name of a column.")
    return given


# --- which ----------------------------------------------------------------------------


def choose(state: State, left_out: LeftOut, wish: Wish) -> Ints:
    """The rows that are wanted, in the order wanted."""
    mask = np.ones(state.n_rows, bool)
    for one in wish.filters:
        mask &= _filter_column(state, one)
    mask &= _filter_targets(state, left_out, wish)
    if wish.search:
        mask &= state.search(wish.search)
    rows = np.flatnonzero(mask)
    return _sorted(state, left_out, wish, rows)


def _filter_column(state: State, one: Mapping[str, Any]) -> Mask:
    j, numeric = state.column(one["column"])
    cells = state.cells(j, np.arange(state.n_rows))
    missing = np.isnan(cells) if numeric else cells < 0
    if "missing" in one:
        return missing if one["missing"] else ~missing
    if numeric:
        low, high = _end(one.get("low"), -math.inf), _end(one.get("high"), math.inf)
        return (cells >= low) & (cells <= high)
    wanted = {str(label) for label in one.get("labels", ())}
    labels = state.base.categories(j)
    codes = [c for c, label in enumerate(labels) if str(label) in wanted]
    return np.isin(cells, codes)


def _filter_targets(state: State, left_out: LeftOut, wish: Wish) -> Mask:
    mask = np.ones(state.n_rows, bool)
    if wish.truth is not None:
        mask &= state.truths == _code_of(state, wish.truth)
    if wish.answer is not None:
        mask &= left_out.known & (left_out.answers == _code_of(state, wish.answer))
    if wish.cell is not None:
        cells = Cells(state, left_out)
        mask &= (cells.truths == wish.cell[0]) & (cells.answers == wish.cell[1])
    if wish.wrong:
        mask &= left_out.known & _contradicted(state, left_out)
    if wish.doubt is not None:
        doubts = left_out.scaled_doubts()
        mask &= (doubts >= wish.doubt[0]) & (doubts <= wish.doubt[1])
    return mask


def _contradicted(state: State, left_out: LeftOut) -> Mask:
    """Of classes other answers; of numbers three times the usual residual."""
    if state.classifies:
        return left_out.answers != state.truths
    return left_out.scaled_doubts() > 3.0


def _code_of(state: State, text: str) -> int:
    texts = [str(label) for label in state.base.class_labels]
    if text not in texts:
        raise BadInputError(f"there is no class {text!r}.")
    return texts.index(text)


def _sorted(state: State, left_out: LeftOut, wish: Wish, rows: Ints) -> Ints:
    if wish.sort == "row":
        return rows[::-1] if wish.falling else rows
    keys = _keys(state, left_out, wish.sort)[rows].astype(float)
    unknown = np.isnan(keys)
    # What is not known comes last, whichever way the others go.
    keys = np.where(unknown, 0.0, -keys if wish.falling else keys)
    return rows[np.lexsort((rows, keys, unknown))]


def _keys(state: State, left_out: LeftOut, sort: str) -> NDArray[Any]:
    found: dict[str, Callable[[], NDArray[Any]]] = {
        "doubt": left_out.scaled_doubts,
        "probability": lambda: left_out.shares,
        "truth": lambda: state.truths,
        "answer": lambda: np.where(left_out.known, left_out.answers, np.nan),
    }
    return found.get(sort, lambda: _cell_keys(state, sort))()


def _cell_keys(state: State, name: str) -> NDArray[Any]:
    j, numeric = state.column(name)
    cells = state.cells(j, np.arange(state.n_rows))
    return cells if numeric else np.where(cells < 0, np.nan, cells)


# --- a page ---------------------------------------------------------------------------


def list_cases(
    state: State, left_out: LeftOut, wish: Wish, page: int, per_page: int
) -> Plain:
    """One page of the cases wanted."""
    rows = choose(state, left_out, wish)
    n_pages = max(1, math.ceil(len(rows) / per_page))
    page = min(max(page, 0), n_pages - 1)
    shown = rows[page * per_page : (page + 1) * per_page]
    names = list(wish.columns) or most_relevant(state, _SHOWN)
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
        "rows": describe_rows(state, left_out, shown, names),
    }


def describe_rows(
    state: State, left_out: LeftOut, rows: Ints, names: Sequence[str]
) -> list[Plain]:
    """Cases with their cells and what the others say of them."""
    values = state.values(rows, list(names))
    doubts = left_out.scaled_doubts()
    return [
        {**describe_case(state, left_out, doubts, row), "values": own}
        for row, own in zip(rows.tolist(), values, strict=True)
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


def plain_id(given: Any) -> int | str:  # noqa: ANN401 - of an array of ids
    """An id as JSON has it."""
    return given if isinstance(given, str) else int(given)
