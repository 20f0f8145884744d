"""A query's attributes: chosen for it alone, for all alike, or all of them."""

from sklazy.selection.choose import select, select_range, to_mask
from sklazy.selection.consistency import select_by_consistency
from sklazy.selection.correlation import LazyMerit, select_by_correlation
from sklazy.selection.leave_one_out import (
    rank_without_own_row,
    select_without_own_row,
)
from sklazy.selection.ranks import (
    RankTable,
    rank_attributes,
    rank_cells,
    rank_columns,
    rank_values,
)
from sklazy.selection.sets import pack_sets

__all__ = [
    "LazyMerit",
    "RankTable",
    "pack_sets",
    "rank_attributes",
    "rank_cells",
    "rank_columns",
    "rank_values",
    "rank_without_own_row",
    "select",
    "select_by_consistency",
    "select_by_correlation",
    "select_range",
    "select_without_own_row",
    "to_mask",
]
