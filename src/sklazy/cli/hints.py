"""Messages of the library with command-line options in place of Python arguments."""

import ast
import re
import shlex
from collections.abc import Sequence
from functools import partial

from sklazy.tables.understand import FILE_WAY_OUT, WAY_OUT

_TEXT = r"(?P<quote>['\"])(?P<value>.*?)(?P=quote)"
_QUOTED = r"(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
_HINTS: tuple[tuple[str, str], ...] = (
    (
        f"{re.escape(WAY_OUT)}|{re.escape(FILE_WAY_OUT)}",
        "Set the kind of a column with --kind, as in --kind name=nominal.",
    ),
    (
        rf"categorical_features=\{{{_TEXT}: 'nominal'\}}, or a string dtype",
        "--kind {nominal}",
    ),
    (rf"(?:kinds|categorical_features)=\{{{_TEXT}: 'nominal'\}}", "--kind {nominal}"),
    (rf"Pass numeric=\[{_TEXT}\]", "Pass --kind {numeric}"),
    (r"\(categorical_features\)", "(--kind NAME=nominal)"),
    (rf"kinds=\{{{_TEXT}: '(?P<kind>[\w-]+)'\}}", "--kind {kind}"),
    (r"kinds, nominal or numeric name (?=\[)", "--kind names "),
    (r"\bpass format= one of\b", "give --format, one of"),
    (rf"\bformat={_TEXT}", "--format {value}"),
    (r"\bsheet and skip_rows are for\b", "--sheet and --skip-rows are for"),
    (
        r"\bdelimiter is for CSV files, missing, header and decimal are for\b",
        "--delimiter is for CSV files, --missing, --header and --decimal are for",
    ),
    (
        r"replace (?:it|them) by None, or read the file with "
        rf"missing=(?P<values>\[(?:{_QUOTED}(?:, )?)+\])",
        "give {missing}",
    ),
    (r"header=False", "--no-header"),
    (r"\(choose with sheet\)", "(choose with --sheet)"),
    (r"another one with sheet, or fewer rows with skip_rows", "--sheet or --skip-rows"),
    (rf"\bname its encoding, for example encoding={_TEXT}", "give --encoding {value}"),
    (rf"\bencoding={_TEXT}", "--encoding {value}"),
    (rf"\b(?P<name>delimiter|decimal)={_TEXT}", "--{name} {value}"),
    (r"\bor call explain\(\) again", "or run sklazy explain again"),
    (r"\bwith explain\(\)\.", "with sklazy explain."),
    (r"^coverage=(?=[\d.]+ needs)", "--coverage "),
    (r"compare with all rows \(by=None, groups=None\)", "leave --by out"),
    (r"(?<=Raise\s)max_(?P<name>rows|seconds)\b", "--max-{name}"),
    (r"\bmax_(?P<name>cells|bytes)=float\('inf'\)", "--max-{name} inf"),
    (r"\bmax_(?P<name>cells|bytes)=", "--max-{name} "),
    (r"\bmax_seconds=float\('inf'\)", "--max-read-seconds inf"),
    (r"\btakes longer than max_seconds=", "takes longer than --max-read-seconds "),
    (r"\ba regressor predicts\b", "--task regression predicts"),
    (r", which pandas\.to_datetime\(predictions, unit='D'\) makes dates of", ""),
    (r"give X\.assign\(\*\*\{.*?pandas\.to_numeric\(.*?\)\}\)", "write them as such"),
    (r"leave it missing \((?:None|null)\)", "leave the cell empty"),
    (r", for example by pandas.to_numeric\(.*\)", " in the file"),
    (
        r"\bgive one that model\.save wrote\b",
        "give one that sklazy fit or sklazy store wrote with -o",
    ),
    (r"\buse a regressor\b", "use --task regression"),
    (r"\buse a classifier\b", "use --task classification"),
)


def for_a_shell(message: str, settings: Sequence[str] = ()) -> str:
    """Replace Python arguments in a message; `settings` were given with ``--set``.

    Examples
    --------
    >>> for_a_shell("pass header=False if the first line is data.")
    'pass --no-header if the first line is data.'
    >>> for_a_shell("Pass numeric=['flat no'] if it is a number.")
    "Pass --kind 'flat no=numeric' if it is a number."
    >>> for_a_shell("n_neighbors=0; expected 1 or more.", ["n_neighbors"])
    '--set n_neighbors=0; expected 1 or more.'
    """
    for pattern, option in _HINTS:
        message = re.sub(pattern, partial(_fill, option), message)
    for name in settings:
        message = re.sub(rf"(?<![\w-]){re.escape(name)}=", f"--set {name}=", message)
    return message


def _fill(option: str, match: re.Match[str]) -> str:
    """An option with the value of a hint, in quotes where a shell needs them."""
    parts = match.groupdict()
    value = parts.get("value") or ""
    return option.format(
        name=parts.get("name"),
        value=shlex.quote(value),
        nominal=shlex.quote(f"{value}=nominal"),
        numeric=shlex.quote(f"{value}=numeric"),
        missing=" ".join(
            f"--missing {shlex.quote(word)}"
            for word in ast.literal_eval(parts.get("values") or "[]")
        ),
        kind=shlex.quote(f"{value}={parts.get('kind')}"),
    )
