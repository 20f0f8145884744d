"""Options of reading a file, checked and merged."""

from collections.abc import Collection, Mapping
from pathlib import PurePath
from typing import Any, Literal, get_args

from sklazy.errors import BadInputError
from sklazy.tables.cells import MISSING_MARKERS
from sklazy.tables.delimited import CsvOptions
from sklazy.tables.table import Wish

Format = Literal["csv", "arff", "parquet", "feather", "jsonl", "excel"]

_FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".data": "csv",
    ".arff": "arff",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".xlsx": "excel",
    ".xlsm": "excel",
}
_STARTS: tuple[tuple[bytes, Format], ...] = (
    (b"PAR1", "parquet"),
    (b"ARROW1", "feather"),
    (b"FEA1", "feather"),
    (b"PK", "excel"),
    (b"{", "jsonl"),
    (b"[", "jsonl"),
    (b"@relation", "arff"),
    (b"%", "arff"),
)


def find_format(path: str, format: str | None) -> Format:
    """The format of a file, by its ending unless it is given.

    Examples
    --------
    >>> find_format("sales.csv.gz", None)
    'csv'
    """
    if format is not None:
        if format not in get_args(Format):
            raise BadInputError(
                f"format={format!r}; expected one of {', '.join(get_args(Format))}."
            )
        return format  # type: ignore[return-value]
    suffix = PurePath(path.lower().removesuffix(".gz")).suffix
    if not has_known_ending(path):
        raise BadInputError(
            f"{path}: the ending {suffix!r} is not a known format; pass format= one of "
            f"{', '.join(get_args(Format))}."
        )
    return _FORMATS[suffix]


def has_known_ending(path: str) -> bool:
    """Whether a name ends like that of a file that can be read.

    Examples
    --------
    >>> has_known_ending("sales.csv.gz"), has_known_ending("sales")
    (True, False)
    """
    return PurePath(path.lower().removesuffix(".gz")).suffix in _FORMATS


def guess_format(raw: bytes | bytearray) -> Format:
    """The format of bytes without a name, by the first of them."""
    start = raw[:64].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    formats = [which for mark, which in _STARTS if start.startswith(mark.lower())]
    return formats[0] if formats else "csv"


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


def text_options(path: str, which: str, options: Mapping[str, Any]) -> CsvOptions:
    """The options of text, which only files of text may have."""
    missing, delimiter = options.get("missing"), options.get("delimiter")
    header, decimal = options.get("header"), options.get("decimal", ".")
    sheet, skipped = options.get("sheet"), options.get("skip_rows")
    if which != "excel" and (sheet is not None or skipped):
        raise BadInputError(
            f"sheet and skip_rows are for Excel files, but this is {which}; leave them "
            "out, or pass format='excel'."
        )
    usual = None if options.get("usual_missing", True) is True else False
    others = (missing, usual, header, None if decimal == "." else decimal)
    refused = {"csv": (), "excel": (delimiter,)}.get(which, (delimiter, *others))
    if any(option is not None for option in refused):
        raise BadInputError(
            "delimiter is for CSV files, missing, header and decimal are for CSV and "
            f"Excel files, but this is {which}; leave them out, or pass format='csv'."
        )
    if delimiter is None and which == "csv" and _is_tabbed(path):
        delimiter = "\t"
    markers = list_markers(missing, options.get("usual_missing", True))
    return CsvOptions(delimiter, header, markers, decimal, sheet or 0, skipped or 0)


def _is_tabbed(path: str) -> bool:
    return PurePath(path.removesuffix(".gz")).suffix.lower() in (".tsv", ".tab")


def list_markers(missing: Collection[str] | None, usual: object) -> frozenset[str]:
    """The texts that mean "missing": those named, and the usual ones if these do."""
    if usual not in (True, False):
        raise BadInputError(
            f"usual_missing={usual!r}; expected True or False: whether the empty cell, "
            "NA and the like mean missing."
        )
    named = () if missing is None else missing
    if isinstance(named, str) or not all(isinstance(cell, str) for cell in named):
        strings = [missing] if isinstance(missing, str) else list(map(str, named))
        raise BadInputError(
            f"missing={missing!r}; expected a list of strings: {strings!r}."
        )
    return MISSING_MARKERS.union(named) if usual else frozenset(named)
