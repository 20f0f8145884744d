"""A query's attributes: chosen for it alone, for all alike, or all of them."""

from sklazy.selection.choose import select, select_range, to_mask
from sklazy.selection.ranks import (
    RankTable,
    rank_attributes,
    rank_cells,
    rank_columns,
    rank_values,
)

__all__ = [
    "RankTable",
    "rank_attributes",
    "rank_cells",
    "rank_columns",
    "rank_values",
    "select",
    "select_range",
    "to_mask",
]
