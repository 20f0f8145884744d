"""Options of reading a file, checked and merged."""

from collections.abc import Collection, Mapping
from pathlib import PurePath
from typing import get_args

from sklazy.errors import BadInputError
from sklazy.tables.cells import MISSING_MARKERS
from sklazy.tables.delimited import CsvOptions
from sklazy.tables.table import Wish


def merge_kinds(
    kinds: Mapping[str, Wish], nominal: Collection[str], numeric: Collection[str]
) -> dict[str, Wish]:
    """All wishes about kinds as one mapping; contradictions are refused."""
    if not isinstance(kinds, Mapping):
        raise BadInputError(
            f"kinds={kinds!r}; expected a mapping of names to one of "
            f"{', '.join(get_args(Wish))}."
        )
    for parameter, names in (("nominal", nominal), ("numeric", numeric)):
        if isinstance(names, str):
            raise BadInputError(
                f"{parameter}={names!r}; expected a list of names: [{names!r}]."
            )
    wanted: dict[str, Wish] = {}
    pairs: list[tuple[str, Wish]] = [
        *kinds.items(),
        *((name, "nominal") for name in nominal),
        *((name, "numeric") for name in numeric),
    ]
    for name, kind in pairs:
        if kind not in get_args(Wish) or wanted.setdefault(name, kind) != kind:
            raise BadInputError(
                f"column {name!r} cannot be {kind!r}"
                + (f" and {wanted[name]!r}" if name in wanted else "")
                + f"; give one of {', '.join(get_args(Wish))}, once."
            )
    return wanted


def text_options(
    path: str,
    which: str,
    missing: Collection[str] | None,
    delimiter: str | None,
    header: bool | None,
    decimal: str,
) -> CsvOptions:
    """The options of text, which only files of text may have."""
    others = (missing, header, None if decimal == "." else decimal)
    refused = {"csv": (), "excel": (delimiter,)}.get(which, (delimiter, *others))
    if any(option is not None for option in refused):
        raise BadInputError(
            "delimiter is for CSV files, missing, header and decimal are for CSV and "
            f"Excel files, but this is {which}; leave them out, or pass format='csv'."
        )
    if delimiter is None and which == "csv" and _is_tabbed(path):
        delimiter = "\t"
    return CsvOptions(delimiter, header, _markers(missing), decimal)


def _is_tabbed(path: str) -> bool:
    return PurePath(path.removesuffix(".gz")).suffix.lower() in (".tsv", ".tab")


def _markers(missing: Collection[str] | None) -> frozenset[str]:
    if missing is None:
        return MISSING_MARKERS
    if isinstance(missing, str) or not all(isinstance(cell, str) for cell in missing):
        strings = [missing] if isinstance(missing, str) else list(map(str, missing))
        raise BadInputError(
            f"missing={missing!r}; expected a list of strings: {strings!r}."
        )
    return frozenset(missing)
