"""A query's neighbors, all tied with the last of them included."""

from sklazy.neighbors.mixed import Columns, MixedSearch, prepare_columns
from sklazy.neighbors.nearest import find_nearest
from sklazy.neighbors.nominal import (
    Neighborhood,
    NominalSearch,
    count_agreements,
    vote_with_each_count,
)
from sklazy.neighbors.voting import decide, to_probabilities, vote_by_weight
from sklazy.neighbors.weighted import WeightedColumns, place_queries, weigh_columns

__all__ = [
    "Columns",
    "MixedSearch",
    "Neighborhood",
    "NominalSearch",
    "WeightedColumns",
    "count_agreements",
    "decide",
    "find_nearest",
    "place_queries",
    "prepare_columns",
    "to_probabilities",
    "vote_by_weight",
    "vote_with_each_count",
    "weigh_columns",
]
