"""The nearest cases found on devices, which keep copies of them."""

from collections.abc import Callable, Hashable

from sklazy.answer.batch import Floats, Ints
from sklazy.answer.device import open_devices
from sklazy.answer.pieces import Cargo, ask_rows
from sklazy.casebase import CaseBase
from sklazy.flow import Columns, Neighbors
from sklazy.neighbors.cuda.cutting import cut_columns
from sklazy.neighbors.cuda.nearest import (
    PlacedColumns,
    count_placed_bytes,
    find_nearest_on,
    merge_nearest,
    put_placed,
)

Piece = tuple[int, Neighbors]
"""The number of the first row, and the nearest rows as numbered from there."""


def find_nearest_there(
    base: CaseBase,
    columns: Columns,
    key: Hashable,
    device: str,
    queries: Floats,
    n_nearest: int,
    groups: tuple[Ints, Ints] | None = None,
) -> Neighbors:
    """The nearest rows of queries, as `find_nearest` finds them.

    The base keeps the columns, too, under this key.
    """
    cargo = Cargo(
        (put_placed, key),
        columns.values.shape[1],
        count_placed_bytes(columns),
        lambda there, *rows: put_placed(there, cut_columns(columns, *rows)),
    )

    def ask(placed: PlacedColumns, first: int, last: int) -> Callable[[], Piece]:
        visible = None if groups is None else (groups[0][first:last], groups[1])
        n_found = min(n_nearest, last - first)
        nearest = find_nearest_on(placed, queries, n_found, groups=visible)
        return lambda: (first, nearest)

    answers = ask_rows(base, open_devices(device), cargo, ask)
    if len(answers) == 1:
        return answers[0][1]
    starts, pieces = zip(*answers, strict=True)
    return merge_nearest(pieces, starts, n_nearest)
