"""Days since 1970-01-01, shown as the dates that they are."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from sklazy.report.article import Plain
from sklazy.report.words import Day, format_day

_NAMES = "name", "attribute", "column"  # the keys under which a column is named
_NUMBERS = "value", "cut", "min", "max"
_FIGURE = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")


def with_dates(receipt: Plain) -> Plain:
    """The receipt, its days made dates wherever they will be shown.

    Examples
    --------
    >>> query = [{"name": "sold", "value": 19845.0}]
    >>> found = with_dates({"dates": ["sold"], "query": query})
    >>> format_day(found["query"][0]["value"])
    '2024-05-02'
    """
    names = receipt.get("dates", ())
    return _walk(receipt, frozenset(names)) if names else receipt


def _walk(plain: Any, names: Collection[str]) -> Any:  # noqa: ANN401 - any plain data
    if isinstance(plain, list):
        return [_walk(item, names) for item in plain]
    if not isinstance(plain, Mapping):
        return plain
    walked = {key: _walk(item, names) for key, item in plain.items()}
    if any(walked.get(key) in names for key in _NAMES if _is_text(walked.get(key))):
        walked |= {key: _as_day(walked[key]) for key in _NUMBERS if key in walked}
        if _is_text(walked.get("bin")):
            walked["bin"] = _FIGURE.sub(_spell, walked["bin"])
    if isinstance(walked.get("values"), dict):
        values = walked["values"]
        walked["values"] = {
            k: _as_day(v) if k in names else v for k, v in values.items()
        }
    return walked


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _as_day(value: object) -> object:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Day(value)
    return value


def _spell(match: re.Match[str]) -> str:
    return format_day(float(match[0]))
