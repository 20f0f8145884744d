"""Receipts are checked by asking again: the same cases must answer the same."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from sklazy.errors import BadInputError, ReceiptError
from sklazy.methods.checks import same
from sklazy.receipts.wanted import Wanted, wanted_by
from sklazy.tables import Column, Label, Table
from sklazy.tables.labels import encode


class Sealed(Protocol):
    """A receipt."""

    @property
    def content(self) -> Mapping[str, Any]:
        """Its content as plain data."""


Explain = Callable[[Table, Wanted], Sequence[Sealed]]
"""From a table of one row, and what is wanted beside the answer, to its receipts."""


def check_digest(claimed: str, digest: str) -> None:
    """Refuse a receipt of other cases."""
    if claimed != digest:
        raise ReceiptError(
            f"the receipt is of other cases: its digest is {str(claimed)[:12]}..., "
            f"that of this estimator {digest[:12]}.... Rows were added or forgotten "
            "since, or it is another model's; verify it with the cases it was made "
            "from."
        )


def check_replay(claimed: Mapping[str, Any], explain: Explain) -> bool:
    """Recompute the content of a receipt; refuse the receipt if it differs."""
    try:
        (again,) = explain(query_table(claimed), wanted_by(claimed))
    except BadInputError as error:
        raise ReceiptError(f"the receipt cannot be replayed: {error}") from error
    _compare(claimed, again.content)
    return True


def query_table(content: Mapping[str, Any]) -> Table:
    """The query of a receipt as a table of one row."""
    columns = [_column(item["name"], item["value"]) for item in content["query"]]
    return Table(tuple(columns), 1)


def _column(name: str, value: Label | None) -> Column:
    """A cell; one that is missing fits a column of any kind."""
    if value is None or isinstance(value, float):
        number = np.nan if value is None else value
        return Column(name, "numeric", np.array([number], np.float64))
    return encode(name, [value])


def _compare(claimed: Mapping[str, Any], again: Mapping[str, Any]) -> None:
    difference = first_difference(_by_itself(claimed), _by_itself(again))
    if difference is None:
        return
    place, stated, replayed = difference
    if place == ".sklazy":
        way_out = f" Verify it with sklazy {stated}."
    elif place.endswith(".id"):
        way_out = " The cases are the same, but under other ids."
    elif place.startswith(".cases.target"):
        way_out = " The cases are the same, but their target has another name."
    else:
        way_out = ""
    raise ReceiptError(
        f"the receipt does not replay: {place[1:]} is {_written(stated)} in the "
        f"receipt, but {_written(replayed)} when asked again.{way_out}"
    )


def _by_itself(content: Mapping[str, Any]) -> dict[str, Any]:
    """A receipt without its seals, the id of its row and figures of its whole batch."""
    aside = ("seal", "signature", "row")
    plain = {key: value for key, value in content.items() if key not in aside}
    if "model" in plain:
        plain["model"] = {**plain["model"], "n_models_in_batch": 0}
    return plain


class _Absent:
    """Placeholder for a key that is absent, as opposed to None."""

    def __repr__(self) -> str:
        return "absent"


_ABSENT = _Absent()


def first_difference(
    one: object, other: object, place: str = ""
) -> tuple[str, object, object] | None:
    """Where two pieces of plain data differ first, and what stands there in each.

    Numbers are compared by value; True is not 1.

    Examples
    --------
    >>> first_difference({"a": [1, 2.0]}, {"a": [1, 2]}) is None
    True
    >>> first_difference({"a": [1, {"b": True}]}, {"a": [1, {"b": 1}]})
    ('.a[1].b', True, 1)
    >>> first_difference({"a": None}, {})
    ('.a', None, absent)
    """
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        keys = [*one, *(key for key in other if key not in one)]
        pairs = [
            (f"{place}.{key}", one.get(key, _ABSENT), other.get(key, _ABSENT))
            for key in keys
        ]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = [
            (f"{place}[{i}]", *pair)
            for i, pair in enumerate(zip(one, other, strict=True))
        ]
    else:
        return None if same(one, other) else (place, one, other)
    for where, a, b in pairs:
        if (difference := first_difference(a, b, where)) is not None:
            return difference
    return None


def _written(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
