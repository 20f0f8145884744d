"""A query's neighbors, all tied with the last of them included."""

from sklazy.neighbors.edges import edges_of, widths_without
from sklazy.neighbors.levels import NOBODY, Near, Tallies
from sklazy.neighbors.mixed import (
    MixedSearch,
    RawColumns,
    ScaledColumns,
    find_raw_columns,
    prepare_columns,
    scaled_columns,
    spread_widths,
)
from sklazy.neighbors.nearest import (
    TreeSearch,
    WeightedColumns,
    find_nearest,
    place_queries,
    weigh_columns,
)
from sklazy.neighbors.nominal import (
    NominalSearch,
    count_agreements,
    vote_with_each_count,
)
from sklazy.neighbors.voting import (
    Counted,
    Voting,
    finish_votes,
    to_probabilities,
    vote_by_weight,
    weigh_squares,
)

__all__ = [
    "NOBODY",
    "Counted",
    "MixedSearch",
    "Near",
    "NominalSearch",
    "RawColumns",
    "ScaledColumns",
    "Tallies",
    "TreeSearch",
    "Voting",
    "WeightedColumns",
    "count_agreements",
    "edges_of",
    "find_nearest",
    "find_raw_columns",
    "finish_votes",
    "place_queries",
    "prepare_columns",
    "scaled_columns",
    "spread_widths",
    "to_probabilities",
    "vote_by_weight",
    "vote_with_each_count",
    "weigh_columns",
    "weigh_squares",
    "widths_without",
]
