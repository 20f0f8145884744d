"""CSV cut into columns by Arrow, where the strict reader is certain to do the same.

Arrow splits and reads numbers many times as fast as Python. It is followed only where
both agree: on quotes that open and close fields, on rows that are as long as the first,
on plain decimals. Everything else, and every error, is left to the strict reader
(`delimited`), which knows lines and columns.
"""

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklazy.errors import BadInputError
from sklazy.tables.budget import Budget
from sklazy.tables.cells import Labels, Readers
from sklazy.tables.delimited import (
    CsvOptions,
    OpenedCsv,
    open_csv,
    read_column,
    read_known_labels,
)
from sklazy.tables.infer import has_id_name
from sklazy.tables.labels import EXACT
from sklazy.tables.table import Column, Table, Wish
from sklazy.tables.text import BadCellError, TextFile, is_number, lines_of
from sklazy.tables.thousands import are_groups

FEWEST_BYTES = 1 << 16
"""Of a smaller file, which the strict reader reads in no time."""

_MOST_BYTES = 1 << 30  # positions of texts in a column are numbers of 32 bits


BLOCK = 1 << 22
"""Characters of a file that are cut at once where rows pass by."""


class _NotPlainError(Exception):
    """A file, or a column, that is left to the strict reader."""


def read_csv_by_arrow(
    source: TextFile,
    options: CsvOptions,
    kinds: Mapping[str, Wish],
    budget: Budget,
    readers: Readers,
) -> tuple[Table, list[str]] | None:
    """Read a table and remarks as `read_csv` would; None where that has to be asked."""
    text = source.text
    if not FEWEST_BYTES <= len(text) <= _MOST_BYTES:
        return None
    try:
        opened = open_csv(source, lines_of(text), options)
        cut = _cut(text, opened, has_header=opened.named)
        budget.check_cells(cut.n_rows, len(opened.names))
        return _make_table(
            cut, opened, ColumnRules(options, kinds, readers, keep_groups=True)
        )
    except (_NotPlainError, BadInputError, BadCellError, ImportError):
        return None  # the strict reader knows better words, or what to do


class ColumnRules(NamedTuple):
    """How columns are to be read."""

    options: CsvOptions
    kinds: Mapping[str, Wish]
    readers: Readers
    as_labels: bool = False  # columns without a kind, but for plain numbers
    keep_groups: bool = False  # numbers whose points may separate thousands, as labels


def cut_blocks(
    text: IO[str], opened: OpenedCsv, rules: ColumnRules, budget: Budget
) -> Generator[Table, None, int | None]:
    """Cut an open file into tables of some rows, as the strict reader would.

    Returns None at the end of the file, or the number of rows behind which the strict
    reader has to go on.
    """
    n_rows, has_header = 0, opened.named
    try:
        for block in _blocks_of_lines(text, budget):
            cut = _cut(block, opened, has_header=has_header)
            has_header = False
            if cut.n_rows:
                yield _make_table(cut, opened, rules)[0]
            n_rows += cut.n_rows
    except (_NotPlainError, BadCellError, ImportError):
        return n_rows
    return None


def _blocks_of_lines(text: IO[str], budget: Budget) -> Iterator[str]:
    """The text of a file in blocks, each of which ends with a line."""
    rest, n_characters = "", 0
    while piece := text.read(BLOCK):
        block = rest + (piece if n_characters else piece.removeprefix("\ufeff"))
        n_characters += len(piece)
        budget.check_bytes(n_characters)
        end = _last_end(block)
        if not end or "\0" in piece:
            raise _NotPlainError
        rest = block[end:]
        yield block[:end]
    if rest:
        yield rest


def _last_end(text: str) -> int:
    r"""The place behind the last newline that is outside of quotes, or 0.

    Examples
    --------
    >>> _last_end('a\nb,"c\nd'), _last_end("a,b")
    (2, 0)
    """
    end = text.rfind("\n") + 1
    is_quoted = text.count('"', 0, end) % 2
    while is_quoted and end:
        before = text.rfind("\n", 0, end - 1) + 1
        is_quoted ^= text.count('"', before, end) % 2
        end = before
    return end


class _Cut(NamedTuple):
    """The columns of a file, as Arrow's texts."""

    columns: Sequence[Any]
    n_rows: int


def _cut(text: str, opened: OpenedCsv, *, has_header: bool) -> _Cut:
    """Cut a text into columns."""
    import pyarrow  # noqa: PLC0415 (an optional dependency)
    from pyarrow import csv  # noqa: PLC0415

    n_columns, mark = len(opened.names), opened.delimiter
    if n_columns < 2 or not mark.isascii():
        raise _NotPlainError
    has_quotes = '"' in text
    if has_quotes and not _are_whole_fields(text, mark):
        raise _NotPlainError
    names = [str(j) for j in range(n_columns)]
    try:
        native = csv.read_csv(
            pyarrow.py_buffer(text.encode()),
            csv.ReadOptions(column_names=names),
            csv.ParseOptions(delimiter=mark, newlines_in_values=has_quotes),
            csv.ConvertOptions(
                check_utf8=False, column_types=dict.fromkeys(names, pyarrow.string())
            ),
        )
    except pyarrow.ArrowInvalid:
        raise _NotPlainError from None
    body = native.slice(1) if has_header else native
    return _Cut(body.columns, body.num_rows)


def _are_whole_fields(text: str, delimiter: str) -> bool:
    """Whether quotes stand around fields only, or doubled within them.

    Examples
    --------
    >>> _are_whole_fields('a,"b, c"', ","), _are_whole_fields('a,"b" c', ",")
    (True, False)
    """
    mark = re.escape(delimiter)
    field = rf'(?:\A|(?<=[{mark}\r\n]))"[^"]*(?:""[^"]*)*"(?=[{mark}\r\n]|\Z)'
    return '"' not in re.sub(field, "", text)


def _make_table(
    cut: _Cut, opened: OpenedCsv, rules: ColumnRules
) -> tuple[Table, list[str]]:
    notes: list[str] = []
    columns = [
        _read_column(name, cells, rules, notes)
        for name, cells in zip(opened.names, cut.columns, strict=True)
    ]
    return Table(tuple(columns), cut.n_rows, opened.named), notes


def _read_column(name: str, cells: Any, rules: ColumnRules, notes: list[str]) -> Column:  # noqa: ANN401
    labels, wish = rules.readers.get(name), rules.kinds.get(name)
    is_plain = wish in (None, "numeric") and rules.options.decimal == "."
    is_named = wish is None and has_id_name(name)
    if is_plain and not is_named and not isinstance(labels, Labels):
        numbers = _read_numbers(cells, rules.options.missing)
        if numbers is not None and not _are_open(cells, numbers, rules, wish):
            return Column(name, "numeric", numbers)
    texts, codes = _distinct_texts(cells)
    if isinstance(labels, Labels):
        return read_known_labels(name, texts, labels).take(codes).occurring()
    if wish is None and rules.as_labels:
        wish = "nominal"
    keep = rules.keep_groups
    if wish is None and _are_mixed(texts):  # how many of each matters for remarks
        every = np.array([*texts, ""], object)[codes].tolist()
        return read_column(name, every, wish, rules.options, notes, keep_groups=keep)
    column = read_column(name, texts, wish, rules.options, notes, keep_groups=keep)
    return column.take(codes)


def _are_open(
    cells: Any,  # noqa: ANN401
    numbers: NDArray[np.float64],
    rules: ColumnRules,
    wish: Wish | None,
) -> bool:
    """Whether points may separate thousands, in these rows or, of labels, in others."""
    if wish is not None or not (rules.keep_groups or rules.as_labels):
        return False
    for some in (numbers[:_FIRST], numbers):
        known = np.abs(some[~np.isnan(some)])
        thousandths = known * 1000.0
        are_three_digits = np.abs(thousandths - np.rint(thousandths)) < 1e-6
        if (known >= 1000.0).any() or not are_three_digits.all():
            return False
    texts = set(map(str.strip, _distinct_texts(cells)[0])) - rules.options.missing
    return are_groups(texts) and (rules.as_labels or any("." in t for t in texts))


_FIRST = 1000  # numbers that settle most columns


def _distinct_texts(cells: Any) -> tuple[list[str], NDArray[np.int32]]:  # noqa: ANN401
    """The different texts, each made once, and which one each cell is."""
    coded = cells.combine_chunks().dictionary_encode()
    texts = coded.dictionary.to_pylist()
    if max(map(len, texts), default=0) > _LONGEST_FIELD:
        raise _NotPlainError
    return texts, coded.indices.to_numpy()


def _are_mixed(texts: list[str]) -> bool:
    """Whether some texts are numbers and others are not."""
    are_numbers = {is_number(text.strip()) for text in texts}
    return len(are_numbers) > 1


_LONGEST_FIELD = 131_072  # characters, of Python's reader


def _read_numbers(cells: Any, missing: frozenset[str]) -> NDArray[np.float64] | None:  # noqa: ANN401
    """Plain decimals as numbers; None if some cell is anything else, or a code."""
    import pyarrow  # noqa: PLC0415
    from pyarrow import compute  # noqa: PLC0415

    try:
        try:
            numbers = cells.cast(pyarrow.float64())
        except pyarrow.ArrowInvalid:
            is_missing = compute.is_in(cells, pyarrow.array(sorted(missing)))
            cells = compute.if_else(is_missing, None, cells)
            numbers = cells.cast(pyarrow.float64())
    except pyarrow.ArrowInvalid:
        return None
    values = numbers.to_numpy()
    n_missing = int(np.isnan(values).sum())
    is_exact = n_missing == numbers.null_count < len(values) and (
        np.nanmax(np.abs(values)) < EXACT
    )
    if not is_exact or any(map(_has_codes, cells.chunks)):
        return None
    return np.array(values, np.float64)


def _has_codes(chunk: Any) -> bool:  # noqa: ANN401
    """Whether a number begins with a zero before a digit, as codes do."""
    _, places, data = chunk.buffers()
    if data is None or not len(chunk):
        return False
    offsets = np.frombuffer(places, np.int32)[chunk.offset :][: len(chunk) + 1]
    letters = np.append(np.frombuffer(data, np.uint8), np.zeros(2, np.uint8))
    starts = offsets[:-1] + np.isin(letters[offsets[:-1]], np.array([43, 45]))
    is_led = (letters[starts] == ord("0")) & (starts + 1 < offsets[1:])
    second = letters[starts[is_led] + 1]
    return bool(((second >= ord("0")) & (second <= ord("9"))).any())
