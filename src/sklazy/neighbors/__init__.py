"""A query's neighbors, all tied with the last of them included."""

from sklazy.neighbors.edges import find_edges, widths_without
from sklazy.neighbors.levels import NOBODY, Near, Tallies
from sklazy.neighbors.mixed import (
    MixedSearch,
    ScaledColumns,
    prepare_columns,
    scaled_columns,
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
    "ScaledColumns",
    "Tallies",
    "TreeSearch",
    "Voting",
    "WeightedColumns",
    "count_agreements",
    "find_edges",
    "find_nearest",
    "finish_votes",
    "place_queries",
    "prepare_columns",
    "scaled_columns",
    "to_probabilities",
    "vote_by_weight",
    "vote_with_each_count",
    "weigh_columns",
    "weigh_squares",
    "widths_without",
]
